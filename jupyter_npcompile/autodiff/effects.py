"""What a run changes besides what it computes: it decides whether the run can be made again."""

from __future__ import annotations

import sys
import types
from typing import TYPE_CHECKING, Any

from jupyter_npcompile.cell import HOOKS
from jupyter_npcompile.cell.loop_steps import STEP

if TYPE_CHECKING:
    from jupyter_npcompile.autodiff.hooks import TapeHooks


def note_effect(hooks: TapeHooks, container: Any) -> None:
    """A container changes; whether anybody else sees it decides if the run can be repeated."""
    if is_outside(hooks, container):
        hooks.tape.effects.append(f"a {type(container).__name__} is changed")


def note_outside(hooks: TapeHooks, container: Any) -> None:
    """A container belongs to an object."""
    hooks.tape.outside[id(container)] = container


def inherit_outside(hooks: TapeHooks, container: Any, item: Any) -> None:
    """What is in a container from outside is from outside."""
    if is_outside(hooks, container):
        note_outside(hooks, item)


def is_outside(hooks: TapeHooks, container: Any) -> bool:
    """Whether a container existed before the run, as far as that can be seen."""
    if id(container) in hooks.tape.outside:
        return True
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        step = frame.f_code.co_name == STEP  # part of the function around it
        if not step and (HOOKS in frame.f_code.co_freevars or HOOKS in frame.f_globals):
            free = [frame.f_locals.get(name) for name in frame.f_code.co_freevars]
            return any(value is container for value in (*free, *frame.f_globals.values()))
        frame = frame.f_back
    return True
