"""NumPy's error state inside a run: ``with np.errstate(divide="ignore")``.

Floating-point flags are looked at when a run is over. Where the error state changes
they are looked at, too, as it was until then, and cleared. What the state around the
run ignores is not known while it is translated, and need not be: flags that are left
in the end are held against it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from types import CellType, FunctionType
from typing import TYPE_CHECKING

import numpy as np

from jupyter_npcompile.loops.kinds import Declined
from jupyter_npcompile.loops.values import Known

if TYPE_CHECKING:
    from jupyter_npcompile.loops.expressions import Expressions

FLAGS = {
    "divide": "FE_DIVBYZERO",
    "over": "FE_OVERFLOW",
    "under": "FE_UNDERFLOW",
    "invalid": "FE_INVALID",
}
"""Flags, by their names in ``np.errstate``."""

NONE: frozenset[str] = frozenset()

_EDGE = re.compile(r"IGNORE\((.*)\);")

_UNPINNED = ("std::shared_ptr", "Source")


def ignored_in(t: Expressions, node: ast.With) -> frozenset[str]:
    """The errors that are ignored in a ``with``.

    Raises
    ------
    Declined
        When it does something else, or where numbers may wait to be computed around it.
    """
    if not t.frame.is_alone or t.within:
        raise Declined("np.errstate in a function that is called in an expression", node.lineno)
    found = t.ignored
    for item in node.items:
        found |= _ignored_by(t, item)
    return found


def _ignored_by(t: Expressions, item: ast.withitem) -> frozenset[str]:
    call = item.context_expr
    if item.optional_vars is not None or not isinstance(call, ast.Call) or call.args:
        raise Declined("with", call.lineno)
    function = t.expression(call.func)
    if not isinstance(function, Known) or function.value is not np.errstate:
        raise Declined("with", call.lineno)
    found = NONE
    for keyword in call.keywords:
        mode = t.expression(keyword.value)
        if not isinstance(mode, Known) or mode.value != "ignore":
            raise Declined(f"np.errstate({keyword.arg}=...) that does not ignore", call.lineno)
        if keyword.arg != "all" and keyword.arg not in FLAGS:
            raise Declined(f"np.errstate({keyword.arg}=...)", call.lineno)
        found |= frozenset(FLAGS) if keyword.arg == "all" else {str(keyword.arg)}
    return found


def decorated(function: FunctionType) -> frozenset[str] | None:
    """The errors that a function ignores which is decorated with ``@np.errstate(...)``.

    None for other functions.

    Examples
    --------
    >>> sorted(decorated(np.errstate(divide="ignore", over="ignore")(lambda x: 1 / x)))
    ['divide', 'over']
    """
    if function.__code__ is not _DECORATED:
        return None
    cells = dict(zip(_DECORATED.co_freevars, function.__closure__ or (), strict=True))
    cells["func"] = CellType(lambda: (np.geterr(), np.geterrcall()))
    asked = FunctionType(_DECORATED, function.__globals__, closure=tuple(cells.values()))
    found = []
    for mode in ("warn", "raise"):
        with np.errstate(all=mode, call=_nothing):
            modes, call = asked()
        ignored = frozenset(name for name in FLAGS if modes[name] == "ignore")
        if call is not _nothing or any(modes[name] != mode for name in {*FLAGS} - ignored):
            raise Declined(f"`{function.__name__}`: np.errstate that does not ignore")
        found.append(ignored)
    return found[0]


_DECORATED = np.errstate()(lambda: None).__code__


def _nothing(kind: str, flag: int) -> None:
    """What NumPy calls, if nothing else is said."""


def edge(ignored: frozenset[str]) -> str:
    """A line for the place where the error state changes; `pinned` makes C++ of it.

    Examples
    --------
    >>> edge(frozenset({"over", "divide"}))
    'IGNORE(FE_DIVBYZERO | FE_OVERFLOW);'
    """
    flags = [flag for name, flag in FLAGS.items() if name in ignored]
    return f"IGNORE({' | '.join(flags) or 0});"


def pinned(lines: Sequence[str], variables: Mapping[str, str]) -> list[str]:
    """The same lines, in which variables keep arithmetic on its side of each edge.

    Examples
    --------
    >>> pinned(["x = y / z;", "IGNORE(0);"], {"x": "double", "s": "Source"})
    ['x = y / z;', 'pin_all(x); ignore(run, 0); pin_all(x);']
    """
    names = [name for name, c in variables.items() if not c.startswith(_UNPINNED)]
    pin = f"pin_all({', '.join(names)});"

    def written(line: str) -> str:
        found = _EDGE.fullmatch(line)
        return line if found is None else f"{pin} ignore(run, {found[1]}); {pin}"

    return [written(line) for line in lines]
