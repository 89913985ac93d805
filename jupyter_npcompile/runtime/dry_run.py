"""A dry run of the statements of a region: recorded, without any effect."""

from __future__ import annotations

from collections.abc import Mapping
from time import thread_time
from typing import TYPE_CHECKING

from jupyter_npcompile.cell import NotTraceable
from jupyter_npcompile.runtime.footprint import budget
from jupyter_npcompile.runtime.namespace import FrameNamespace
from jupyter_npcompile.runtime.policy import is_open
from jupyter_npcompile.runtime.stats import counters
from jupyter_npcompile.tracer import interrupts
from jupyter_npcompile.tracer.breaks import Break, Postponed
from jupyter_npcompile.tracer.patience import Endless
from jupyter_npcompile.tracer.recording import Recording, Stop, record
from jupyter_npcompile.tracer.sources import Namespace, Source

if TYPE_CHECKING:
    from jupyter_npcompile.runtime.state import RegionState


def dry_run(
    state: RegionState,
    start: int,
    namespace: Namespace,
    limit: Stop | None = None,
    *,
    hurry: bool = False,
    free: Mapping[Source, int] | None = None,
) -> Recording | None:
    """Record from a statement on.

    Parameters
    ----------
    state : RegionState
        What is known about the region; learns why nothing can be recorded.
    start : int
        The first statement.
    namespace : mapping
        What the code sees.
    limit : Stop, optional
        Where to stop, and why.
    hurry : bool
        Whether the user's code must not be held up.
    free : mapping of Source to int, optional
        Integers that are inputs, and another value of each.

    Returns
    -------
    Recording or None
        None when nothing could be recorded, or not now.
    """
    counters.recordings += 1
    state.rest.changes += 1
    try:
        function, parameters = state.code.code(start)
        with interrupts.held():
            return record(
                function,
                parameters,
                namespace,
                start,
                state.code.count if limit is None else limit.statement,
                state.code.live,
                limit,
                namespace.module if isinstance(namespace, FrameNamespace) else None,
                state.code.written(start),
                _Hurry(state) if hurry else _Careful(state),
                free,
            )
    except Postponed:
        state.postponed.add(start)
    except NotTraceable as reason:
        state.closed[start] = f"cannot be traced: {reason}"
    except Break as reason:
        state.closed[start] = reason.reason
    except Exception as error:
        counters.fallbacks += 1
        state.closed[start] = f"tracing failed: {type(error).__name__}: {error}"
    return None


class _Careful(Endless):
    """There is time, but not any amount of memory."""

    def __init__(self, state: RegionState) -> None:
        self.state = state

    def may_copy(self, nbytes: int, *, kept: bool = True) -> bool:
        """Whether it leaves NumPy's memory much as it is; else nothing is recorded at all."""
        if kept and is_open(self.state.options) and nbytes > budget(nbytes):
            megabytes = f"{nbytes / 2**20:.0f} MB"
            raise Break("limit", f"to capture this would take {megabytes} more than NumPy")
        return True


class _Hurry(_Careful):
    """The user's code goes on soon.

    What the recording has taken is told by the clock of the thread: other
    processes that keep the machine busy are not its fault.
    """

    def __init__(self, state: RegionState) -> None:
        super().__init__(state)
        self.began = thread_time()

    def may_copy(self, nbytes: int, *, kept: bool = True) -> bool:
        """Whether there is time for that, too."""
        careful = super().may_copy(nbytes, kept=kept)
        return careful and self.state.rest.allowance.is_enough_for_copying(nbytes)

    def is_over(self, useful: float, lost: float) -> bool:
        """Whether it has taken more than it may, and more than giving up would lose."""
        spent = thread_time() - self.began - useful
        return self.state.rest.allowance.is_used_up(spent - lost)
