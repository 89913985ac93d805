"""Native loops: a ``for`` or ``while`` statement as C++, where its types can be proven."""

from jupyter_npcompile.loops.kinds import Declined
from jupyter_npcompile.loops.loop_code import LoopCode
from jupyter_npcompile.loops.translation import translate

__all__ = ["Declined", "LoopCode", "translate"]
