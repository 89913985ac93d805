"""Text: what is written of active values is remembered, so that no number comes back of it."""

from __future__ import annotations

import types
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from jupyter_npcompile.autodiff.errors import CONCRETE
from jupyter_npcompile.autodiff.special_methods import user_method
from jupyter_npcompile.autodiff.steps import host, lose, name_of, without_cuts
from jupyter_npcompile.autodiff.taints import Step
from jupyter_npcompile.tracer.sources import OPERATORS

if TYPE_CHECKING:
    from jupyter_npcompile.autodiff.hooks import TapeHooks

WRITERS: dict[Any, tuple[str, ...]] = {
    repr: ("__repr__",),
    ascii: ("__repr__",),
    str: ("__str__", "__repr__"),
    format: ("__format__", "__str__", "__repr__"),
}
"""Builtins that make text of a value, and the methods that a class may have for it."""

_CONVERSIONS = {ord("s"): str, ord("r"): repr, ord("a"): ascii}

KINDS = (str, bytes, bytearray)


def written(hooks: TapeHooks, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``str(x)`` and its like: the value's own method, if it is written in Python, is followed."""
    own = None if kwargs or not args else _own(args[0], func)
    if own is not None:
        given = ((*args[1:], "")[:1]) if own.__name__ == "__format__" else ()
        return hooks.call(None, types.MethodType(own, args[0]), *given)
    return refused(hooks, func, args, kwargs, func.__name__)


def _own(value: Any, func: Any) -> types.FunctionType | None:
    for name in WRITERS[func]:
        found = user_method(value, name)
        if found is not None or getattr(type(value), name) is not getattr(object, name):
            return found
    return None


def refused(
    hooks: TapeHooks, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], what: str
) -> Any:
    """Text that may be made of active values."""
    if not hooks.tape.makes_text((getattr(func, "__self__", None), args, kwargs)):
        return func(*without_cuts(args), **without_cuts(kwargs))
    return host(hooks, func, args, kwargs, f"`{what}` makes text of numbers")


def formatted(hooks: TapeHooks, value: Any, conversion: int, spec: str) -> Any:
    """A value in an f-string."""
    if conversion in _CONVERSIONS:
        value = written(hooks, _CONVERSIONS[conversion], (value,), {})
    own = _own(value, format)
    if own is not None:
        return written(hooks, format, (value, spec), {})
    return refused(hooks, format, (value, spec), {}, "an f-string")


def joined(hooks: TapeHooks, parts: Sequence[str]) -> str:
    """An f-string of its parts."""
    text = "".join(parts)
    step = hooks.tape.tainted_in(parts)
    made: str = text if step is None else hooks.tape.taint(text, step)
    return made


def binary(
    hooks: TapeHooks, at: tuple[int, int] | None, operation: str, left: Any, right: Any
) -> Any:
    """``text % values``, ``text + text``, ``text * number``."""
    if at is not None:
        hooks.tape.at(at)
    method = user_method(right, {"Add": "__radd__", "Mult": "__rmul__"}.get(operation, ""))
    if method is not None:
        return hooks.call(None, types.MethodType(method, right), left)
    native = OPERATORS[operation]
    if not hooks.tape.makes_text((left, right)):
        return native(*without_cuts((left, right)))
    what = "%" if operation == "Mod" else f"the operator {operation}"
    return host(hooks, native, (left, right), {}, f"`{what}` makes text of numbers")


def method(
    hooks: TapeHooks, func: Any, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """A method of a text: what it makes of text made of active values is such a text."""
    if func.__name__ == "join" and args and not isinstance(args[0], str | bytes):
        args = (list(hooks.items(args[0])), *args[1:])
    return refused(hooks, func, args, kwargs, name_of(func))


def printed(hooks: TapeHooks, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """What is printed has been seen; where it went, it may be read again."""
    tape = hooks.tape
    tape.printed = True
    stream = kwargs.get("file")
    if stream is not None and tape.makes_text(args):
        step = Step("print", tape.place, reason="`print` makes text of numbers", hint=CONCRETE)
        tape.taint_object(stream, step)
    print(*args, **kwargs)


class Execution:
    """A call of ``eval`` or ``exec``, which runs code that is not followed.

    Parameters
    ----------
    hooks : TapeHooks
        Of the run.
    names : dict
        Names that the code sees.
    spaces : sequence of dict
        Namespaces that it was given.
    """

    def __init__(self, hooks: TapeHooks, names: dict[str, Any], spaces: Sequence[Any]) -> None:
        names = {key: held for key, held in names.items() if not key.startswith("__npcompile")}
        self._hooks = hooks
        self._spaces = spaces
        self._held = [dict(space) for space in spaces]
        self._touched = hooks.tape.makes_text((names, spaces))
        self._before = [
            (array, array.copy())
            for array in hooks.tape.active_in((names, spaces))
            if hasattr(array, "copy") and hasattr(array, "flags")
        ]

    def finish(self, what: str, made: Any) -> Any:
        """What it gave is a constant; arrays that it has written are no longer followed."""
        tape = self._hooks.tape
        reason = f"`{what}` runs code that is not followed"
        step = Step(what, tape.place, reason=reason, hint=CONCRETE)
        for array, old in self._before:
            if array.tobytes() != old.tobytes():
                lose(self._hooks, array, step)
        if not self._touched:
            return made
        for space, old in zip(self._spaces, self._held, strict=True):
            for name, value in space.items():
                if value is not old.get(name) and name != "__builtins__":
                    space[name] = tape.taint(value, step)
        return tape.taint(made, step)


__all__ = ["binary", "formatted", "joined", "method", "printed", "refused", "written"]
