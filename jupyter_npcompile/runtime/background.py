"""Compiles that nobody waits for: given up when what they are for is gone."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

from jupyter_npcompile.graph.nodes import Graph
from jupyter_npcompile.runtime import artifacts
from jupyter_npcompile.runtime.artifacts import Artifact
from jupyter_npcompile.runtime.compile_worker import start_soon
from jupyter_npcompile.runtime.plan import Plan
from jupyter_npcompile.runtime.preparing import companions, prepare
from jupyter_npcompile.runtime.relatives import relatives_of
from jupyter_npcompile.runtime.ticket import Ticket
from jupyter_npcompile.runtime.worker import compiler

if TYPE_CHECKING:
    from jupyter_npcompile.runtime.state import RegionState


class BackgroundCompile:
    """The compile of one plan, queued or running.

    It keeps the region alive no longer than others do: with the last function
    or cell that could use the result, the compile is cancelled.

    Parameters
    ----------
    state : RegionState
        What the plan belongs to.
    plan : Plan
        What was recorded.
    tier : str
        What to compile it for.
    """

    def __init__(self, state: RegionState, plan: Plan, tier: str) -> None:
        ticket = self.ticket = Ticket()
        self._state = weakref.ref(state, lambda _: ticket.cancel())
        self._code = state.code
        self._plan = plan
        self._tier = tier
        plan.ticket = ticket

    def submit(self) -> None:
        """Have it done by and by, unless so many others come that it is not worth the work.

        The worker starts at once, unless a loop around it may run natively, and need no segment.
        """
        state = self._state()
        if state is not None and not (state.around() or state.spares(self._plan)):
            worker = artifacts.store.worker
            if not (worker.is_running or artifacts.is_left(self._plan.recording.graph, self._tier)):
                start_soon(worker)
        del state
        compiler.submit(self, self.ticket)

    def __call__(self) -> None:
        """Compile; whatever goes wrong is kept in the plan."""
        if self.ticket.cancelled or self._is_spared():
            return
        self._compile()

    def _is_spared(self) -> bool:
        """Whether what the plan is in runs natively, or is about to, and nobody needs it."""
        state = self._state()
        if state is None:
            return False
        if state.spares(self._plan):
            self._plan.state = "held"
            return True
        return any(it.spare(state, self._plan) for it in state.around())

    def _compile(self) -> None:
        graph: Graph = self._plan.recording.graph

        def make() -> Artifact:
            others = companions(self._plan, relatives)
            return artifacts.make(graph, self._tier, ticket=self.ticket, others=others)

        state = self._state()
        relatives = [] if state is None else relatives_of(state, self._plan)
        del state  # the compile does not keep it alive

        prepare(self._plan, make, self._code)
        if self.ticket.cancelled and self._plan.artifact is None:
            self._plan.state = "pending"  # and given up: it is recorded when it is needed
        state = self._state()
        if state is not None:
            state.prepared(self._plan, relatives)
