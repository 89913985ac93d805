"""Native loops: a ``for`` or ``while`` statement as C++, where its types can be proven."""

from jupyter_npcompile.loops.program import Declined, LoopCode, translate

__all__ = ["Declined", "LoopCode", "translate"]
