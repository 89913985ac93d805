"""Values that run no code of the user's, whatever is asked of them."""

from __future__ import annotations

import builtins
import io
import math
import sys
import time
from collections.abc import Callable, Hashable
from types import BuiltinFunctionType, EllipsisType, ModuleType, NoneType
from typing import Any

import numpy as np

from jupyter_npcompile.cell.reach import Reach
from jupyter_npcompile.tracer.operations import ORIGINALS

LARGEST = 1000
"""Elements of lists and dicts that are looked at; larger ones count as foreign."""

_NUMBERS = frozenset({bool, int, float, complex, str, bytes, NoneType, EllipsisType, range, slice})
_SCALARS = frozenset(np.sctypeDict.values()) - {np.object_, np.void}
FIXED = _NUMBERS | _SCALARS | {np.dtype}
"""Types of what cannot be changed in place."""

_BUILTINS = (
    "abs all any bool complex divmod enumerate float format int len list max min pow print range "
    "repr reversed round sorted str sum tuple zip"
)
_FUNCTIONS = (
    "abs all amax amin any argmax argmin count_nonzero cos exp isfinite isinf isnan log max mean "
    "median min prod round shape sin size sqrt std sum tanh trace var"
)
_NUMPY = frozenset(
    found
    for name in (*_FUNCTIONS.split(), "linalg.norm")
    if (found := ORIGINALS.get(f"numpy.{name}")) is not None
)
"""They read their first argument; where there are more, one may be where the result goes."""

_READING = frozenset(
    {getattr(builtins, name) for name in _BUILTINS.split()}
    | {value for value in vars(math).values() if type(value) is BuiltinFunctionType}
    | {time.time, time.perf_counter, time.monotonic, time.process_time, time.time_ns}
)

_METHODS = frozenset(
    str.split(
        "all any argmax argmin astype conj copy cumsum item max mean min nonzero prod ravel "
        "round std sum tolist trace transpose var "
        "endswith format get items join keys lower replace split startswith strip upper values"
    )
)

_STREAMS = ("ipykernel.", "IPython.", "_io", "io")


def only_reads(reach: Reach | None, look_up: Callable[[str], Any]) -> bool:
    """Whether a statement writes into no array, whatever values it meets.

    Parameters
    ----------
    reach : Reach or None
        What its form says.
    look_up : callable
        Gives the value of a name as the statement sees it; raises ``KeyError``.

    Examples
    --------
    >>> import ast
    >>> from jupyter_npcompile.cell.reach import reach
    >>> test = reach(ast.parse("k < x.size").body[0])
    >>> only_reads(test, {"k": 3, "x": np.zeros(3)}.__getitem__)
    True
    >>> only_reads(test, {"k": 3, "x": object()}.__getitem__)
    False
    """
    if reach is None or not _shows_plainly():
        return False
    try:
        return (
            all(_is_plain(_value(path, look_up), [LARGEST]) for path in reach.values)
            and all(type(look_up(name)) in FIXED for name in reach.numbers)
            and all(_reads(path, look_up) for path in reach.calls)
        )
    except (KeyError, AttributeError):
        return False


def _value(path: str, look_up: Callable[[str], Any]) -> Any:
    """The value of a name, or an attribute of plain data or of a module."""
    name, _, attribute = path.partition(".")
    value = look_up(name)
    if not attribute:
        return value
    if type(value) is ModuleType:
        return vars(value)[attribute]
    return None if _is_plain(value, [LARGEST]) else value


def _is_plain(value: Any, budget: list[int]) -> bool:
    """Whether a value is a number, a text, an array, or a container of such."""
    kind = type(value)
    if kind in FIXED:
        return True
    if kind is np.ndarray:
        return not value.dtype.hasobject
    if kind not in (tuple, list, dict, set, frozenset):
        return False
    budget[0] -= len(value)
    if budget[0] < 0:
        return False
    if kind is dict:
        return all(_is_plain(part, budget) for pair in value.items() for part in pair)
    return all(_is_plain(part, budget) for part in value)


def _reads(path: str, look_up: Callable[[str], Any]) -> bool:
    """Whether what is called only reads."""
    name, _, attribute = path.partition(".")
    value = look_up(name)
    if attribute == "append" and type(value) is list:
        return True
    if attribute and type(value) is not ModuleType:
        return attribute in _METHODS and _is_plain(value, [LARGEST])
    function = value
    for part in filter(None, attribute.split(".")):
        if type(function) is not ModuleType:
            return False
        function = vars(function)[part]
    if not isinstance(function, Hashable):
        return False
    if attribute and function in _NUMPY:  # called by such a path it has one argument: see `reach`
        return True
    if function not in _READING:
        return False
    if function is not print:
        return True
    stream = type(sys.stdout)
    return stream is io.StringIO or stream.__module__.startswith(_STREAMS)


def _shows_plainly() -> bool:
    """Whether NumPy calls nobody when it shows an array, or meets a division by zero."""
    return np.get_printoptions()["formatter"] is None and "call" not in np.geterr().values()
