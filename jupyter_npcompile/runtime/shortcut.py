"""The shortcut into native code for a whole function: a call on which nobody looks twice.

Between two duels nothing is asked but whether what was assumed still holds. To go
through the frame of the call, its names and the forms of the function would take
longer than a small function runs; so this is one function that was written for it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from types import CodeType, FunctionType
from typing import Any, Protocol

from jupyter_npcompile.loops.loop_code import FINISHED, REFUSED, RETURNED
from jupyter_npcompile.runtime.history import is_last, remember
from jupyter_npcompile.runtime.loop_form import Form
from jupyter_npcompile.runtime.loop_inputs import OURS, Reader
from jupyter_npcompile.runtime.settings import settings
from jupyter_npcompile.runtime.stats import counters

Native = Callable[..., Any]
"""Takes the parameters; returns the result, or the handle when it has not run."""


class Handle(Protocol):
    """What offers the shortcut."""

    native: Native | None


class Whole(Protocol):
    """The function as a whole."""

    refused: bool


def shortcut(
    form: Form,
    parameters: Sequence[str],
    names: dict[str, Any],
    handle: Handle,
    whole: Whole,
    is_blind: Callable[[], bool],
) -> Native | None:
    """Write the function.

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
    is_blind : callable
        Whether this call needs no look.
    """
    own = {name: f"{OURS}given{k}" for k, name in enumerate(parameters)}
    reader = Reader(own, among=True)
    tests = " and ".join(reader.tests(form)) or "True"
    taken = reader.inputs(form)
    hosts = {f"{OURS}host{k}": host for k, host in enumerate(form.code.hosts)}
    ours: dict[str, Any] = {
        **{"handle": handle, "whole": whole, "settings": settings, "is_blind": is_blind},
        **{"form": form, "run": form.run, "printed": form.code.printed, "names": names},
        **{"counters": counters, "remember": remember, "is_last": is_last},
    }
    objects = {**reader.objects, **hosts, **{f"{OURS}{name}": it for name, it in ours.items()}}
    lines = [
        f"def native({', '.join(own.values())}):",
        "    if @is_blind() and @settings.tier == 'auto':",
        "        try:",
        f"            @inputs = ({''.join(f'{part}, ' for part in taken)}) if {tests} else None",
        "        except (@LookupError, @AttributeError, @NameError):",
        "            @inputs = None",
        "        if @inputs is not None:",
        f"            @answer = @run(1, 0, 1, *@inputs, {''.join(f'{host}, ' for host in hosts)})",
        "            if @answer is not None:",
        "                @status = @answer[0]",
        f"                if @status == {RETURNED} or @status == {FINISHED}:",
        "                    @form.refusals = 0",
        "                    @form.iterations += 1",
        "                    @counters.dispatches += 1",
        "                    if @printed:",
        "                        @form.code.show()",
        "                    if not @is_last(@handle):",
        "                        @remember(@handle)",
        f"                    return @answer[2] if @status == {RETURNED} else None",
        f"                @whole.refused = @status == {REFUSED}",
        "                @form.refusals += @whole.refused",
        "    @handle.native = None",
        "    return @handle",
    ]
    for error in (LookupError, AttributeError, NameError):
        objects[f"{OURS}{error.__name__}"] = error
    text = f"def make({', '.join(objects)}):\n" + "".join(f"    {line}\n" for line in lines)
    text = f"{text}    return native\n".replace("@", OURS)
    module = compile(text, "<shortcut>", "exec")
    (code,) = (part for part in module.co_consts if isinstance(part, CodeType))
    # Nothing is put among the user's names, but Python's own are found as there.
    make = FunctionType(code, names)
    native: Native = make(**objects)
    return native


def reaches(form: Form, own: Collection[str], parameters: Collection[str]) -> bool:
    """Whether all that a form reads is a parameter, or global."""
    paths = [form.code.paths.get(name, (name,)) for name in form.code.inputs]
    paths += [known.path for known in form.code.assumptions if known.function is None]
    return not {path[0] for path in paths} & (set(own) - set(parameters))
