"""The shortcut into native code for a whole function: a call on which nobody looks twice.

Between two races nothing is asked but whether what was assumed still holds. To go
through the frame of the call, its names and the forms of the function would take
longer than a small function runs, and so would Python itself: ``native/calls.cpp``
does all of it.
"""

from __future__ import annotations

import builtins
from collections.abc import Collection, Sequence
from typing import Any, Protocol, cast

from jupyter_npcompile.loops.records import FreeVariable, Path, Step
from jupyter_npcompile.runtime import history
from jupyter_npcompile.runtime.loop_form import Form, is_same
from jupyter_npcompile.runtime.settings import settings
from jupyter_npcompile.runtime.stats import unsettled


class Native(Protocol):
    """Takes the parameters; returns the result, or the handle when it has not run.

    Attributes
    ----------
    left : int
        Calls until Python has to look.
    """

    left: int

    def __call__(self, *parameters: Any) -> Any:
        """Run."""

    def grant(self, left: int, seconds: float, sizes: tuple[int, ...]) -> None:
        """Let so many calls run, for so long, of arguments of these sizes."""

    def settle(self) -> int:
        """How many calls have run since this was asked."""


class Handle(Protocol):
    """What offers the shortcut."""

    native: Native | None

    def watched(self) -> tuple[list[Any], list[Any]]:
        """What ran last, and what was explained since: see `history`."""


class Whole(Protocol):
    """The function as a whole."""

    refused: bool


def shortcut(
    form: Form,
    parameters: Sequence[str],
    names: dict[str, Any],
    handle: Handle,
    whole: Whole,
) -> Native | None:
    """Make one that is granted no call yet.

    Parameters
    ----------
    form : Form
        What runs.
    parameters : sequence of str
        Those of the function, in the order in which they are given.
    names : dict of str to object
        The global names of the function.
    handle : Handle
        It is taken from there when a look is due, or something does not fit.
    whole : Whole
        It is told when native code has left a call to NumPy.
    """
    if form.calls is None or type(names) is not dict:
        return None

    def gives_up(refused: bool) -> None:
        handle.native = None
        whole.refused = refused
        form.refusals += refused

    built_in = _built_in(names)
    code = form.code

    def start_of(path: Path) -> Any:
        first: Any = path[0]
        if isinstance(first, FreeVariable):
            function: Any = first.function
            return first.cell or (function.__globals__, function.__builtins__, first.name)
        return parameters.index(first) if first in parameters else (names, built_in, first)

    guards: list[tuple[Any, ...]] = [((vars(settings), {}, "tier"), (), "auto")]
    guards += [(start_of(it.path), _steps(it.path), it.value) for it in code.assumptions]
    reads = [code.paths.get(name, (name,)) for name in code.inputs]
    made = form.calls(
        (
            *(form.run, len(parameters), tuple(guards), tuple(code.codes)),
            *(tuple((start_of(it), _steps(it), None) for it in reads), code.hosts, handle),
            *(*handle.watched(), history.remember, is_same, gives_up),
            *(code.printed, code.show),
        )
    )
    form.shortcuts.append(made)
    unsettled.add(form)
    return cast("Native", made)


def _built_in(names: dict[str, Any]) -> dict[str, Any]:
    """Where Python looks for what is no global name of a function."""
    found = names.get("__builtins__", builtins)
    return found if isinstance(found, dict) else vars(found)


def _steps(path: Path) -> tuple[Any, ...]:
    return tuple(part.entry if isinstance(part, Step) else part for part in path[1:])


def reaches(form: Form, own: Collection[str], parameters: Collection[str]) -> bool:
    """Whether all that a form reads is a parameter, or global."""
    paths = [form.code.paths.get(name, (name,)) for name in form.code.inputs]
    paths += [known.path for known in form.code.assumptions]
    return not {path[0] for path in paths} & (set(own) - set(parameters))
