"""Helpers: the user's own functions, compiled where compiled code calls them by their name.

A function from a cell without the magic, or from a module, is no compiled function; and
where it cannot be a part of what calls it, Python would run it. If there are loops in it,
it gets a compiled form of its own, which the skeleton calls in its place: see
`cell.callees`. The function itself is not changed.
"""

from __future__ import annotations

import builtins
import dis
import types
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Protocol

from jupyter_npcompile.cell import HANDLE
from jupyter_npcompile.runtime.pauses import Rest
from jupyter_npcompile.runtime.policy import Options
from jupyter_npcompile.tracer.helpers import RUNS_LATER, is_library

LOOPS = ("JUMP_BACKWARD", "POP_JUMP_BACKWARD")
"""How the names of instructions begin that end an iteration."""

MOST = 256
"""Functions that are remembered, the latest: each holds the namespace it was defined in."""

DEEPEST = 4
"""How far one looks for a loop in what a function calls."""


class Handle(Protocol):
    """What a compiled form asks; see `functions.HelperHandle`."""

    @property
    def rest(self) -> Rest:
        """Whether it runs as it was written for a while."""

    def attach(self, function: types.FunctionType) -> types.FunctionType:
        """The compiled form of a function, which does not keep it."""


Make = Callable[[types.FunctionType, Options], Handle | None]
"""Makes what stands behind a compiled form; None where there is none."""


@dataclass(frozen=True, slots=True)
class Helper:
    """A function, and its compiled form.

    Parameters
    ----------
    function : weakref.ref
        The function; it is kept by nobody here.
    code, defaults, keyword_defaults
        What it was: somebody may change it.
    made : types.FunctionType or None
        The compiled form, if it is worth one.
    handle : Handle or None
        What stands behind that.
    """

    function: weakref.ref[types.FunctionType]
    code: types.CodeType
    defaults: tuple[Any, ...] | None
    keyword_defaults: dict[str, Any] | None
    made: types.FunctionType | None = None
    handle: Handle | None = None

    def is_form_of(self, function: types.FunctionType) -> bool:
        """Whether it is this function, and has not been changed."""
        return (
            self.function() is function
            and self.code is function.__code__
            and self.defaults is function.__defaults__
            and self.keyword_defaults is function.__kwdefaults__
        )


class Helpers:
    """The compiled forms of functions.

    Parameters
    ----------
    make : callable
        Makes what stands behind one.
    """

    def __init__(self, make: Make) -> None:
        self._make = make
        self._known: dict[tuple[int, Options], Helper] = {}

    def clear(self) -> None:
        """Forget all of them."""
        self._known.clear()

    def pick(self, callee: Any, options: Options, caller: Rest) -> Any:
        """What is to be called in place of a function.

        Parameters
        ----------
        callee : object
            Whatever the user's code is about to call.
        options : Options
            How the caller is compiled.
        caller : Rest
            Of the caller.
        """
        if type(callee) is not types.FunctionType:
            return callee
        known = self._known.get((id(callee), options))
        if known is None or not known.is_form_of(callee):
            known = self._meet(callee, options, caller)
        handle = known.handle if known is not None else None
        if handle is None or known is None:
            return callee
        rest = handle.rest
        if rest.left > 0:
            rest.left -= 1
            return callee
        rest.allowance.caller = caller.allowance
        rest.callers.add(caller)
        caller.ran = True
        return known.made

    def of(self, callee: Any, options: Options) -> Handle | None:
        """What stands behind the compiled form of a function, if there is one."""
        known = self._known.get((id(callee), options))
        return known.handle if known is not None and known.is_form_of(callee) else None

    def _meet(self, function: types.FunctionType, options: Options, caller: Rest) -> Helper | None:
        """Give a function that is called for the first time a compiled form; None: not now."""
        if caller.allowance.left <= 0 and not options.ahead:
            return None
        began = perf_counter()
        handle = self._make(function, options) if is_worth(function) else None
        made = None if handle is None else handle.attach(function)
        key = (id(function), options)
        for oldest in list(self._known)[: max(0, len(self._known) - MOST + 1)]:
            self._known.pop(oldest, None)
        self._known.pop(key, None)
        self._known[key] = helper = Helper(
            weakref.ref(function, lambda _: self._known.pop(key, None)),
            function.__code__,
            function.__defaults__,
            function.__kwdefaults__,
            made,
            handle,
        )
        caller.allowance.spent += perf_counter() - began
        return helper


def is_worth(function: object, depth: int = 0) -> bool:
    """Whether a callee is a function of the user's with a loop in it, or in what it calls.

    Not one that is compiled already, nor one that closes over variables: such are made
    anew time and again.

    Examples
    --------
    >>> def total(xs):
    ...     s = 0.0
    ...     for x in xs:
    ...         s += x
    ...     return s
    >>> def twice(xs):
    ...     return 2 * total(xs)
    >>> is_worth(total), is_worth(lambda x: x + 1), is_worth(len)
    (True, False, False)
    """
    if (
        type(function) is not types.FunctionType
        or HANDLE in function.__code__.co_freevars
        or function.__closure__
        or function.__code__.co_flags & RUNS_LATER
        or is_library(function)
    ):
        return False
    if any(has_loop(code) for code in _codes(function.__code__)):
        return True
    called = {name: function.__globals__.get(name) for name in function.__code__.co_names}
    return depth < DEEPEST and any(
        is_worth(one, depth + 1) for one in called.values() if one is not function
    )


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """The code of a function, and of comprehensions in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType) and constant.co_name.endswith("comp>"):
            yield constant


def has_loop(code: types.CodeType) -> bool:
    """Whether a loop is written in some code."""
    return any(one.opname.startswith(LOOPS) for one in dis.get_instructions(code))


_ABSENT = object()


def worth_picking(
    paths: Iterable[str], names: Mapping[str, Any], *, unknown: bool
) -> frozenset[str]:
    """Of what is called by its name: what is worth a compiled form.

    Parameters
    ----------
    paths : iterable of str
        Names, or those of a module and one in it.
    names : mapping
        What they mean now.
    unknown : bool
        Whether a name that means nothing yet counts.
    """

    def is_worth_it(path: str) -> bool:
        first, dot, second = path.partition(".")
        found = names.get(first, _ABSENT)
        if found is _ABSENT:
            return unknown and not dot and not hasattr(builtins, first)
        if not dot:
            return is_worth(found)
        return isinstance(found, types.ModuleType) and is_worth(vars(found).get(second))

    return frozenset(path for path in paths if is_worth_it(path))
