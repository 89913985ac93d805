"""Helpers: the user's own functions, compiled where compiled code calls them by their name.

A function from a cell without the magic, or from a module, is no compiled function; and
where it cannot be a part of what calls it, Python would run it. If there are loops in it,
it gets a compiled form of its own, which the skeleton calls in its place: see
`cell.callees`. The function itself is not changed.
"""

from __future__ import annotations

import builtins
import dis
import functools
import sys
import types
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from time import perf_counter
from typing import Any, Protocol

from jupyter_npcompile.cell import HANDLE
from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.runtime import notices
from jupyter_npcompile.runtime.errors import first_line
from jupyter_npcompile.runtime.policy import Options
from jupyter_npcompile.runtime.selector.rest import Rest
from jupyter_npcompile.runtime.stats import counters
from jupyter_npcompile.tracer.helpers import RUNS_LATER, is_library

LOOPS = ("JUMP_BACKWARD", "POP_JUMP_BACKWARD")
"""How the names of instructions begin that end an iteration."""

MOST = 256
"""Functions that are remembered, the latest: each holds the namespace it was defined in."""

MOMENT = 0.005
"""Seconds of calls between two looks whether the compiled form gains by now."""

GROWTH = 4
"""How many times as many calls as the last time there are at the most."""

MANY = 1000
"""Calls between two looks at the most, for a moment: later ones may take longer."""

DEEPEST = 4
"""How far one looks for a loop in what a function calls."""


class Handle(Protocol):
    """What a compiled form asks; see `functions.HelperHandle`.

    Attributes
    ----------
    native : object
        What runs calls at once, if there is any: see `shortcut`.
    """

    native: Any

    @property
    def rest(self) -> Rest:
        """Whether it runs as it was written for a while."""

    def attach(self, function: types.FunctionType) -> types.FunctionType:
        """The compiled form of a function, which does not keep it."""

    def spare(self) -> int:
        """How many calls need not come to it, for they would run as they were written."""


Make = Callable[[types.FunctionType, Options], Handle | None]
"""Makes what stands behind a compiled form; None where there is none."""


@dataclass(slots=True)
class Helper:
    """A function, and its compiled form.

    Parameters
    ----------
    function : weakref.ref
        The function; it is kept by nobody here.
    code, defaults, keyword_defaults
        What it was: somebody may change it.
    is_sought : bool
        Whether it was given a compiled form, if it is worth one.
    made : callable or None
        The compiled form.
    handle : Handle or None
        What stands behind that.
    left : int
        Calls that are the function's own without a look.
    given : int
        How many there were the last time.
    began : float
        When that was.
    """

    function: weakref.ref[types.FunctionType]
    code: types.CodeType
    defaults: tuple[Any, ...] | None
    keyword_defaults: dict[str, Any] | None
    is_sought: bool = False
    made: Callable[..., Any] | None = None
    handle: Handle | None = None
    left: int = 0
    given: int = 0
    began: float = 0.0

    def rests(self, calls: int) -> bool:
        """Whether this call is the function's own, as are more, if the form may do without some.

        There are as many as are made in a moment: a look takes longer than a brief call.
        """
        if not calls:
            self.given = 0
            return False
        now = perf_counter()
        if self.given:
            pace = max(now - self.began, 1e-6) / self.given
            calls = max(calls, min(int(MOMENT / pace), GROWTH * self.given, MANY))
        self.given, self.began, self.left = calls, now, calls - 1
        return True

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

    def __init__(self, make: Make = lambda function, options: None) -> None:
        self.make = make
        self._known: dict[Options, dict[int, Helper]] = {}

    def clear(self) -> None:
        """Forget all of them."""
        for known in self._known.values():
            known.clear()

    def known(self, options: Options) -> dict[int, Helper]:
        """The functions that have been met by what is compiled in a certain way, by identity.

        An entry goes with its function. What is only tried, against NumPy, meets none.
        """
        return {} if options.trial is not None else self._known.setdefault(options, {})

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
        if type(callee) is not types.FunctionType or options.trial is not None:
            return callee
        try:
            known = self.known(options).get(id(callee))
            if known is None or not known.is_form_of(callee):
                known = self._meet(callee, options)
            if not known.is_sought:
                if caller.allowance.left <= 0 and not options.ahead:
                    known.rests(max(known.given, 1))
                    return callee
                self._seek(known, callee, options, caller)
        except KeyboardInterrupt as interrupt:
            raise interrupt.with_traceback(None)  # noqa: B904 - it is the same one
        if known.handle is None or known.rests(known.handle.spare()):
            return callee
        rest = known.handle.rest
        rest.allowance.caller = caller.allowance
        rest.callers.add(caller)
        caller.ran = True
        return known.made

    def _meet(self, function: types.FunctionType, options: Options) -> Helper:
        """Remember a function that is called for the first time, and forget the oldest."""
        known, key = self.known(options), id(function)
        for oldest in list(known)[: max(0, len(known) - MOST + 1)]:
            known.pop(oldest, None)
        known.pop(key, None)
        known[key] = helper = Helper(
            weakref.ref(function, lambda _: known.pop(key, None)),
            function.__code__,
            function.__defaults__,
            function.__kwdefaults__,
        )
        return helper

    def _seek(
        self, known: Helper, function: types.FunctionType, options: Options, caller: Rest
    ) -> None:
        """Give a function its compiled form, if it is worth one."""
        began = perf_counter()
        try:
            handle = self.make(function, options) if is_worth(function) else None
            if handle is not None:
                known.made, known.handle = handle.attach(function), handle
        except Exception as error:
            # Ours, not the user's: whatever it is, Python calls the function.
            counters.fallbacks += 1
            notices.say(
                f"npcompile: `{function.__name__}` has no compiled form: "
                f"{type(error).__name__}: {first_line(error)}"
            )
        known.is_sought = True
        if known.handle is None:
            known.left = sys.maxsize
        caller.allowance.spent += perf_counter() - began


helpers = Helpers()
"""The compiled forms of what compiled code calls; `functions` knows how they are made."""


class Picks:
    """What has calls in its skeleton that are handed on.

    Attributes
    ----------
    options : Options
        How it is compiled.
    _rest : Rest
        Its own.
    _picked : dict of int to Helper
        `Helpers.known`, by these options.
    """

    __slots__ = ()

    options: Options
    _rest: Rest
    _picked: dict[int, Helper]

    def pick(self, callee: Any) -> Any:
        """What the skeleton calls in place of a function of the user's."""
        known = self._picked.get(id(callee))
        if known is not None:
            if known.left > 0:
                known.left -= 1
                return callee
            native = known.handle is not None and known.handle.native is not None
            if native and known.is_form_of(callee):
                self._rest.ran = True
                return known.made
        return helpers.pick(callee, self.options, self._rest)


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


@functools.lru_cache(maxsize=1024)
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
