"""A trial: a compiled run that is held against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph.nodes import Graph
from jupyter_npcompile.runtime.artifacts import Artifact, Made, make
from jupyter_npcompile.runtime.outcome import Outcome
from jupyter_npcompile.runtime.plan import Plan
from jupyter_npcompile.runtime.reference import TIER, reference
from jupyter_npcompile.runtime.ticket import Ticket


@dataclass(eq=False)
class Trial:
    """How the regions of a trial run: compiled at once, whether that pays or not.

    Its artifacts are its own: it neither trusts what was compiled before nor
    leaves anything behind.

    Parameters
    ----------
    tier : str
        ``"aten"``, ``"inductor"``, or ``"graph"``: NumPy runs what was captured.
    witness : callable, optional
        Called with each plan and its outcome, before anything is committed.
    artifacts : dict
        What was compiled for it.
    """

    tier: str
    witness: Callable[[Plan, Outcome], None] | None = None
    artifacts: Made = field(default_factory=dict)

    def make(self, graph: Graph, tier: str, ticket: Ticket | None = None) -> Artifact:
        """The artifact of a segment."""
        if tier == TIER:
            return reference(graph)
        return make(graph, tier, alone=True, made=self.artifacts, ticket=ticket)

    def observe(self, plan: Plan, outcome: Outcome) -> None:
        """A plan has computed its outcome, and changed nothing yet."""
        if self.witness is not None:
            self.witness(plan, outcome)
        plan.recording.forget()
