"""Native loops: a ``for`` or ``while`` statement as C++, where its types can be proven."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jupyter_npcompile.loops.kinds import Declined
    from jupyter_npcompile.loops.loop_code import LoopCode
    from jupyter_npcompile.loops.translation import translate

__all__ = ["Declined", "LoopCode", "translate"]

_HOMES = {"Declined": "kinds", "LoopCode": "loop_code", "translate": "translation"}
"""Where they are: the process that compiles a loop needs nothing of what translates it."""


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(f"{__name__}.{home}"), name)
    return value
