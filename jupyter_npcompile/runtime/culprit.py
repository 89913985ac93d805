"""The operation at which a compiled segment begins to differ from NumPy."""

from __future__ import annotations

import linecache
from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph.nodes import Graph, Node, Output, Ref
from jupyter_npcompile.runtime.artifacts import make
from jupyter_npcompile.runtime.calls import Call, arguments_of, call_of
from jupyter_npcompile.runtime.check import Mismatch, Rounding, magnitude
from jupyter_npcompile.runtime.contrast import Contrast
from jupyter_npcompile.runtime.copies import Copier
from jupyter_npcompile.runtime.functions import compile_callable
from jupyter_npcompile.runtime.outcome import Outcome
from jupyter_npcompile.runtime.plan import Plan
from jupyter_npcompile.runtime.policy import Options
from jupyter_npcompile.runtime.reference import numpy_values, quietly
from jupyter_npcompile.runtime.shrink import shrink
from jupyter_npcompile.runtime.trial import Trial
from jupyter_npcompile.tracer.interpret import run_node

SECONDS = 20.0
"""How long the operations of one segment may be searched."""

PATIENCE = {"inductor": 20.0}
"""How long smaller arguments are searched for one call; Inductor takes seconds a try."""

PATIENCE_ELSEWHERE = 4.0
"""How long where nothing has to be compiled."""

MOST = 5
"""Operations that are named, of one segment."""

LONGEST = 2000
"""Characters of a smallest call; a longer one helps nobody."""


@dataclass(frozen=True, eq=False)
class Culprit:
    """An operation that differs from NumPy.

    Parameters
    ----------
    node : Node
        The operation, with its line and column.
    function : str
        What it is called.
    mismatch : Mismatch
        In which way it differs first.
    smallest : str
        Source of a smallest call that differs.
    shown : str
        What that call gives, in NumPy and compiled.
    note : str
        What else is known.
    """

    node: Node
    function: str
    mismatch: Mismatch
    smallest: str = ""
    shown: str = ""
    note: str = ""


class CallTest:
    """Runs one call in NumPy and compiled alone.

    Parameters
    ----------
    call : Call
        The call.
    tier : str
        What it is compiled for.
    """

    def __init__(self, call: Call, tier: str) -> None:
        self.call = call
        self.results: tuple[Any, Any] = (None, None)
        self._tier = tier
        self._native = call.function_of_names()
        self._compiled: tuple[Any, Any] = (None, None)
        self._ran = False

    def close(self) -> None:
        """Forget the source of the function that was made for it."""
        linecache.cache.pop(self._native.__code__.co_filename, None)

    def mismatch(self, values: Sequence[Any]) -> Mismatch | None:
        """The first difference for these values; None also where NumPy raises."""
        native: list[Any] = Copier().copy(list(values))
        compiled: list[Any] = Copier().copy(list(values))
        with quietly():
            try:
                expected = self._native(*native)
            except Exception:  # not a call that can be made: smaller is not always possible
                return None
            self._ran = False
            try:
                actual = self._compiled_for(values)(*compiled)
            except Exception as error:
                self.results = expected, error
                text = f"raises {type(error).__name__}: {error}"
                return Mismatch("exception", "result", text, "nothing", text)
        if not self._ran:
            return None  # nothing was compiled
        written = self.call.statement or "out=" in self.call.text
        self.results = (native[0], compiled[0]) if written else (expected, actual)
        numbers = dict(enumerate([*values, expected]))
        contrast = Contrast(Rounding(magnitude(numbers), _precision(numbers)))
        contrast.names(
            {**dict(zip(self.call.names, native, strict=True)), "result": expected},
            {**dict(zip(self.call.names, compiled, strict=True)), "result": actual},
        )
        return next(iter(contrast.found), None)

    def _compiled_for(self, values: Sequence[Any]) -> Any:
        """A compiled function for values of one signature: the last one is kept."""
        signature = [
            (type(v), v.dtype, v.shape, v.strides) if isinstance(v, np.ndarray) else type(v)
            for v in values
        ]
        if self._compiled[0] != signature:
            options = Options(trial=Trial(self._tier, self._witness))
            self._compiled = signature, compile_callable(self._native, options)
        return self._compiled[1]

    def _witness(self, plan: Plan, outcome: Outcome) -> None:
        self._ran = True


def _precision(values: dict[int, Any]) -> float:
    kinds = [np.asarray(v).dtype for v in values.values() if isinstance(v, np.ndarray | np.generic)]
    return max((float(np.finfo(kind).eps) for kind in kinds if kind.kind in "fc"), default=0.0)


def locate(plan: Plan, outcome: Outcome, tier: str) -> list[Culprit]:
    """Find the operations of a segment that differ from NumPy.

    Each is run alone, on NumPy's own values. Lowered, operation by operation,
    first: most faults are there, and it is quick. If none differs, the shortest
    beginning of the segment that differs is looked for.

    Parameters
    ----------
    plan : Plan
        A segment.
    outcome : Outcome
        Its outcome, which differs and is not committed yet.
    tier : str
        What it was compiled for.
    """
    values = [outcome.values[node.id] for node in plan.recording.graph.inputs]
    found = _alone(plan.recording.graph, values, "aten")
    if found:
        return found
    node = _beginning(plan, outcome, tier)
    if node is None:
        return []
    if tier != "aten":
        alone = _alone(plan.recording.graph, values, tier, only=node.id)
        if alone:
            return alone
    text = "only together with the operations before it: no call alone differs"
    mismatch = Mismatch("value", "result", text, "", "")
    return [Culprit(node, _name(node), mismatch, note=text)]


def _alone(
    graph: Graph, values: Sequence[Any], tier: str, only: int | None = None
) -> list[Culprit]:
    """Run every operation alone, on NumPy's values, in order."""
    deadline = perf_counter() + SECONDS
    copies = Copier().copy(list(values))
    known = {node.id: value for node, value in zip(graph.inputs, copies, strict=True)}
    found: list[Culprit] = []
    tested: set[str] = set()
    for node in graph.nodes:
        given = [known[id] for id in arguments_of(node)]
        call = call_of(node) if only in (None, node.id) else None
        if call is not None and perf_counter() < deadline and len(found) < MOST:
            culprit = _test(node, call, given, tier, tested)
            if culprit is not None:
                found.append(culprit)
        with quietly():
            run_node(node, known)
    return found


def _test(node: Node, call: Call, given: list[Any], tier: str, tested: set[str]) -> Culprit | None:
    test = CallTest(call, tier)
    try:
        mismatch = test.mismatch(given)
        if mismatch is None or call.text in tested:
            return None if mismatch is None else Culprit(node, call.function, mismatch)
        tested.add(call.text)
        kind = mismatch.kind

        def fails(values: list[Any]) -> bool:
            other = test.mismatch(values)
            return other is not None and other.kind == kind

        small = shrink(given, fails, PATIENCE.get(tier, PATIENCE_ELSEWHERE))
        final = test.mismatch(small) or mismatch
        source = call.source(small)
        if len(source) > LONGEST:
            source = ""
        return Culprit(node, call.function, mismatch, source, _shown(test.results, final))
    finally:
        test.close()


def _shown(results: tuple[Any, Any], mismatch: Mismatch) -> str:
    before, after = (_short(result) for result in results)
    if before == after:
        return mismatch.text
    return f"{before} in NumPy, {after} compiled"


def _short(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) < 120 else f"{text[:119]}…"


def _name(node: Node) -> str:
    call = call_of(node)
    return node.op if call is None else call.function


# -- faults that no operation has alone


def _beginning(plan: Plan, outcome: Outcome, tier: str) -> Node | None:
    """The operation at which the shortest differing beginning of a segment ends."""
    graph = plan.recording.graph
    nodes = [node for node in graph.nodes if len(node.types) == 1 or node.writes]
    if not nodes or not _differs(plan, outcome, tier, len(graph.nodes), None):
        return None
    low, high = 0, len(nodes) - 1
    deadline = perf_counter() + SECONDS
    while low < high and perf_counter() < deadline:
        middle = (low + high) // 2
        node = nodes[middle]
        count = graph.nodes.index(node) + 1
        if _differs(plan, outcome, tier, count, node):
            high = middle
        else:
            low = middle + 1
    return nodes[high]


def _differs(plan: Plan, outcome: Outcome, tier: str, count: int, last: Node | None) -> bool:
    """Whether the first operations of a segment, compiled, differ from NumPy in the last one."""
    recording = plan.recording
    graph = recording.graph
    kept = graph.nodes[:count]
    inputs = {node.id for node in graph.inputs}
    recipes = recording.recipes
    outputs = graph.outputs
    if last is not None:
        named = last.types and not last.writes
        recipes = {"result": Ref(last.id)} if named else {}
        outputs = (Output("result", Ref(last.id)),) if named else ()
    part = Graph("numpy", graph.inputs, kept, outputs)
    part = replace(part, writes=part.written_inputs())
    expected = numpy_values(part, [outcome.values[node.id] for node in graph.inputs])
    beginning = replace(
        recording,
        graph=part,
        recipes=recipes,
        written={id: expected[id] for id in part.writes},
        stand_ins=tuple(v for k, v in expected.items() if k in inputs),
    )
    beginning.reference = Outcome(beginning, outcome.namespace, expected, {}).names()
    if not part.writes and not part.allocations():
        return False
    artifact = make(part, tier, made={})
    made = Plan(beginning, artifact=artifact, epsilon=getattr(artifact.program, "epsilon", 0.0))
    with outcome.streams.rewound():
        return bool(made.compute(outcome.namespace).mismatches())
