"""``operator.itemgetter`` and its like: functions that read what their argument holds."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jupyter_npcompile.autodiff.hooks import TapeHooks

ACCESSORS = (operator.itemgetter, operator.attrgetter, operator.methodcaller)
"""Types of such functions."""


def access(hooks: TapeHooks, func: Any, args: tuple[Any, ...]) -> Any:
    """Call one of them as the code that it stands for."""
    (value,) = args
    made = func.__reduce__()
    if isinstance(func, operator.methodcaller):
        return _method(hooks, value, made)
    keys = made[1]
    read = _item if isinstance(func, operator.itemgetter) else _attribute
    found = tuple(read(hooks, value, key) for key in keys)
    return found[0] if len(keys) == 1 else found


def _item(hooks: TapeHooks, value: Any, key: Any) -> Any:
    return hooks.subscript(None, value, key)


def _attribute(hooks: TapeHooks, value: Any, path: str) -> Any:
    for name in path.split("."):
        value = hooks.attribute(None, value, name)
    return value


def _method(hooks: TapeHooks, value: Any, made: Any) -> Any:
    """``value.name(*args, **kwargs)``; with keywords the parts are those of a partial."""
    builder, parts = made[:2]
    keywords: dict[str, Any] = getattr(builder, "keywords", {})
    given = [*getattr(builder, "args", ()), *parts]
    return hooks.call(None, hooks.attribute(None, value, given[0]), *given[1:], **keywords)
