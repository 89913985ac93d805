"""What is found out about the segments of a trial while they run."""

from __future__ import annotations

from dataclasses import field, replace
from time import perf_counter
from typing import Any

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph.nodes import Node, references
from jupyter_npcompile.runtime.check import Rounding
from jupyter_npcompile.runtime.culprit import Culprit, locate
from jupyter_npcompile.runtime.outcome import Outcome
from jupyter_npcompile.runtime.plan import Plan
from jupyter_npcompile.runtime.reference import TIER, numpy_values
from jupyter_npcompile.tracer.sources import Source

SECONDS = 30.0
"""How long segments may be run again in NumPy, all together."""


class Abandoned(BaseException):
    """Ends a trial that wrong values have led astray."""


@dataclass
class Inspection:
    """Runs each segment of a trial again in NumPy, on the same inputs.

    Parameters
    ----------
    tier : str
        What the segments are compiled for.
    patience : float
        Seconds after which a trial is abandoned once something was wrong.

    Attributes
    ----------
    runs : int
        How often segments ran.
    culprits : list of Culprit
        Operations that differ from NumPy, in the order in which they ran.
    blame : dict of str to Culprit
        For each name that holds something computed from a wrong value, the
        operation that was wrong first.
    notes : list of str
        What could not be found out.
    rounding : Rounding
        How large rounding errors may be in what the trial computes.
    """

    tier: str
    patience: float = float("inf")
    runs: int = 0
    culprits: list[Culprit] = field(default_factory=list)
    blame: dict[str, Culprit] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    rounding: Rounding = field(default_factory=Rounding)
    _located: dict[int, tuple[Plan, list[Culprit]]] = field(default_factory=dict)
    _seconds: float = 0.0
    _began: float = field(default_factory=perf_counter)

    def begin(self) -> None:
        """A run begins."""
        self._began = perf_counter()

    def witness(self, plan: Plan, outcome: Outcome) -> None:
        """Compare an outcome with NumPy's before it is committed."""
        self.runs += 1
        if self.culprits and perf_counter() - self._began > self.patience:
            note = f"stopped after {self.patience:.0f} s: with wrong values it came to no end"
            self.notes.append(note)
            raise Abandoned
        if self.tier == TIER or self._seconds > SECONDS:
            return
        began = perf_counter()
        try:
            self._inspect(plan, outcome)
        except Exception as error:  # ours: the comparison of the results goes on
            note = f"the search for the cause failed: {type(error).__name__}: {error}"
            if note not in self.notes:
                self.notes.append(note)
        seconds = perf_counter() - began
        self._seconds += seconds
        self._began += seconds  # the time of the run alone counts

    def _inspect(self, plan: Plan, outcome: Outcome) -> None:
        graph = plan.recording.graph
        values = [outcome.values[node.id] for node in graph.inputs]
        known = numpy_values(graph, values)
        inputs = [known[node.id] for node in graph.inputs]
        reference = replace(
            plan.recording,
            reference=Outcome(plan.recording, outcome.namespace, known, {}).names(),
            written={id: known[id] for id in graph.writes},
            stand_ins=tuple(inputs),
        )
        tested = Outcome(reference, outcome.namespace, dict(outcome.values), outcome.written)
        rounding = tested.rounding()
        self.rounding = Rounding(
            max(self.rounding.magnitude, rounding.magnitude),
            max(self.rounding.precision, rounding.precision),
        )
        culprits: list[Culprit] = []
        if tested.mismatches():
            if id(plan) not in self._located:
                self._located[id(plan)] = plan, locate(plan, outcome, self.tier)
                self.culprits += self._located[id(plan)][1]
            culprits = self._located[id(plan)][1]
        self._pass_on(plan, culprits)

    def _pass_on(self, plan: Plan, culprits: list[Culprit]) -> None:
        """Blame a culprit for every name that depends on what it computed."""
        recording = plan.recording
        graph = recording.graph
        roots = graph.roots()
        tainted = {
            node.id: self.blame[_name(source)]
            for node, source in zip(graph.inputs, recording.sources, strict=True)
            if _name(source) in self.blame
        }
        wrong = {culprit.node.id: culprit for culprit in culprits}
        for node in graph.nodes:
            culprit = next((tainted[id] for id in _reads(node) if id in tainted), None)
            culprit = culprit or wrong.get(node.id)
            if culprit is not None:
                for id in (node.id, roots[node.id], *(roots[id] for id in node.writes)):
                    tainted.setdefault(id, culprit)
        for output in graph.outputs:
            ids = list(references(output.value))
            found = [tainted.get(id) or tainted.get(roots[id]) for id in ids]
            self._settle(output.name, next(filter(None, found), None))
        for node, source in zip(graph.inputs, recording.sources, strict=True):
            if node.id in graph.writes:
                self._settle(_name(source), tainted.get(node.id))

    def _settle(self, name: str, culprit: Culprit | None) -> None:
        if culprit is None:
            self.blame.pop(name, None)
        else:
            self.blame[name] = culprit


def _reads(node: Node) -> list[int]:
    return [*node.references(), *(() if node.view_of is None else (node.view_of,))]


def _name(source: Source) -> str:
    """The variable behind a source."""
    current: Any = source
    while hasattr(current, "parent"):
        current = current.parent
    return str(getattr(current, "name", ""))
