"""The gradient of what a cell computes, with respect to variables it uses or binds."""

from __future__ import annotations

import ast
import fnmatch
from collections.abc import MutableMapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

from jupyter_npcompile.autodiff import cell_checks
from jupyter_npcompile.autodiff.checking import Check, check
from jupyter_npcompile.autodiff.errors import GradientError
from jupyter_npcompile.autodiff.hooks import TapeHooks
from jupyter_npcompile.autodiff.inspection import Inspection, inspected
from jupyter_npcompile.autodiff.programs import Program, demand_inexact
from jupyter_npcompile.autodiff.sites import Site
from jupyter_npcompile.autodiff.subjects import Differentiated, differentiated
from jupyter_npcompile.autodiff.taints import CutInt, CutText, uncut
from jupyter_npcompile.autodiff.tape import Tape
from jupyter_npcompile.autodiff.trees import LEAF
from jupyter_npcompile.cell import HOOKS, SourceText
from jupyter_npcompile.cell.whole import whole_cell
from jupyter_npcompile.graph.gradients import GradientReport, Sample, VariableGradient
from jupyter_npcompile.runtime.devices import CPU
from jupyter_npcompile.tracer.memory import is_supported


class CellHooks(TapeHooks):
    """Hooks of a cell, which also tell when it begins and ends.

    Parameters
    ----------
    cell : GradientCell
        The cell.
    """

    def __init__(self, cell: GradientCell) -> None:
        super().__init__(cell.tape)
        self.begin = cell.begin
        self.finish = cell.finish
        self.watched = cell.bound


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


class GradientCell:
    """One run of a cell that is differentiated.

    Parameters
    ----------
    tree : ast.Module
        The cell.
    source : str
        Its text.
    outputs : sequence of str
        Names of what is differentiated.
    wrt : sequence of str
        Names, or patterns of names, of variables.
    seed : str
        An expression for the cotangent of outputs that are no scalars, or ``""``.
    namespace : mutable mapping
        Where the cell runs.
    device : str
        Where its gradients are computed.

    Attributes
    ----------
    gradients : dict
        What the cell binds to ``grads``.
    report : GradientReport or None
        What the gradient view shows.
    captured : Differentiated or None
        What the graph view shows, of the first output.
    """

    def __init__(
        self,
        tree: ast.Module,
        source: str,
        outputs: Sequence[str],
        wrt: Sequence[str],
        seed: str,
        namespace: MutableMapping[str, Any],
        device: str = CPU,
    ) -> None:
        self.site = Site(device)
        self.outputs, self.wrt, self.seed = tuple(outputs), tuple(wrt), seed
        self.source = source
        self.namespace = namespace
        self.tape = Tape()
        self.tape.filename = "<cell>"
        self.hooks = CellHooks(self)
        self.gradients: dict[str, Any] = {}
        self.report: GradientReport | None = None
        self.captured: Differentiated | None = None
        self._leaves: dict[str, int] = {}
        self._originals: dict[str, tuple[Any, Any]] = {}
        read, bound = first_uses(tree)
        self._plain = tree
        self._used = read
        self._before: dict[str, Any] = {}
        self._began = 0.0
        self._binds: dict[str, int] = {}
        self._bound_at: dict[str, int] = {}
        self._read = [name for name in read if self._wanted(name)]
        self._watched = [name for name in bound if self._wanted(name)]
        text = SourceText(tuple(source.splitlines()))
        self.tree = self._finishing(whole_cell(tree, text, self._watched))

    def _wanted(self, name: str) -> bool:
        return any(fnmatch.fnmatchcase(name, pattern) for pattern in self.wrt)

    def _finishing(self, tree: ast.Module) -> ast.Module:
        """The gradient is computed when the cell ends; what it displays stays."""
        last = tree.body[-1] if tree.body else None
        begin, call = ast.parse(f"{HOOKS}.begin()\n{HOOKS}.finish(None)").body
        assert isinstance(call, ast.Expr)
        assert isinstance(call.value, ast.Call)
        if isinstance(last, ast.Expr):
            call.value.args = [last.value]
            ast.copy_location(call, last)
            tree.body.pop()
        elif last is not None:
            ast.copy_location(call, last)
        tree.body.append(call)
        future = [part for part in tree.body if _is_future(part)]
        ast.copy_location(begin, tree.body[0])
        tree.body.insert(len(future), begin)
        return ast.fix_missing_locations(tree)

    # -- around the run

    def enter(self) -> None:
        """Let the cell find the hooks."""
        self.namespace[HOOKS] = self.hooks

    def begin(self) -> None:
        """Put leaves in the place of the variables that the cell reads."""
        self._before = cell_checks.kept(self.namespace, self._used)
        self._began = perf_counter()
        for name in self._read:
            value = self.namespace.get(name)
            if self._is_leaf(name, value):
                fresh = self.tape.leaf(value)
                self._leaves[name] = self.tape.leaves[-1]
                self._originals[name] = (value, fresh)
                self.namespace[name] = fresh

    def _is_leaf(self, name: str, value: Any) -> bool:
        """Whether a variable is differentiated; one that was named must be."""
        kind = value.dtype if isinstance(value, np.ndarray | np.generic) else None
        inexact = type(value) in (float, complex) or (
            kind is not None and kind.kind in "fc" and is_supported(kind)
        )
        if not inexact and name in self.wrt and name in self.namespace:
            demand_inexact(value, f"--wrt {name}")
        return inexact

    def bound(self, name: str, value: Any) -> Any:
        """A variable that the cell itself binds before it reads it."""
        self._binds[name] = self._binds.get(name, 0) + 1
        if name in self._leaves or self.tape.is_active(value) or not self._is_leaf(name, value):
            return value
        fresh = self.tape.leaf(value)
        self._leaves[name] = self.tape.leaves[-1]
        self._bound_at[name] = self._binds[name]
        return fresh

    def leave(self) -> None:
        """Bring the user's own objects back."""
        self.tape.write_back()
        for name, (value, fresh) in self._originals.items():
            if self.namespace.get(name) is fresh:
                self.namespace[name] = value
        forget_run(self.namespace)

    # -- at the end of the cell

    def finish(self, shown: Any) -> Any:
        """Compute the gradients, bind ``grads``, and hand on what the cell displays."""
        missing = [name for name in self.outputs if name not in self.namespace]
        if missing:
            raise NameError(f"--grad {missing[0]}: the cell binds no such name")
        if not self._leaves:
            raise ValueError(f"--wrt {','.join(self.wrt)}: the cell uses no such variable")
        seconds = perf_counter() - self._began
        variables: list[VariableGradient] = []
        every: dict[str, dict[str, Any]] = {}
        looked: list[Inspection] = []
        for output in self.outputs:
            every[output], inspection = self._gradient(output)
            looked.append(inspection)
            for name, gradient in every[output].items():
                value = self.tape.values[self._leaves[name]]
                variables.append(
                    VariableGradient(output, name, Sample.of(value), Sample.of(gradient))
                )
        single = len(self.outputs) == 1
        self.gradients = every[self.outputs[0]] if single else dict(every)
        self.namespace["grads"] = self.gradients
        self.report = GradientReport(
            tuple(variables),
            looked[0].nodes,
            tuple((note.place.position, note.text) for note in self.tape.notes),
            str(self._check(every, seconds)),
            **self.site.account(),
            nonfinite=next((one.nonfinite for one in looked if one.nonfinite), None),
        )
        self.captured = self._captured(self.outputs[0])
        return uncut(shown)

    def _captured(self, output: str) -> Differentiated | None:
        """The operations on which an output depends, without their values."""
        from jupyter_npcompile.autodiff.evaluation import Forward

        target = self.tape.node_of(self.namespace[output])
        if target is None:
            return None
        forward = Forward(self.tape, [target], len(self.tape.recorder.nodes))
        graph = self.tape.callers.shown(forward.graph)
        names = {id(value): name for name, value in self.namespace.items()}
        inputs = tuple(
            replace(node, name=names.get(id(self.tape.values[node.id]), ""))
            for node in graph.inputs
        )
        graph = replace(graph, inputs=inputs)
        leaves = {name: self._leaves[name] for name in sorted(self._leaves, key=self._rank)}
        captured = differentiated(graph, target, leaves, output, self.source, self._plain)
        return replace(captured, gradients=self.report)

    def _check(self, gradients: dict[str, dict[str, Any]], seconds: float) -> Check:
        """Compare one directional derivative of all outputs with plain runs of the cell."""
        seeds = {name: self._cotangent(name, self.namespace[name]) for name in self.outputs}
        names = list(self._leaves)
        values = [self.tape.values[self._leaves[name]] for name in names]
        runs = cell_checks.PlainCell(
            self._plain, {**self.namespace, **self._before}, names, self._bound_at, seeds
        )
        reason = cell_checks.reason_not_to(self._plain, self._before, self._used)
        if reason:
            return Check("unchecked", reason)
        found = [sum(every[name] for every in gradients.values()) for name in names]
        program = Program(
            lambda *given: [runs(*given)],
            values,
            dict.fromkeys(range(len(names)), LEAF),
            [],
            LEAF,
            tape=self.tape,
        )
        return check(runs, values, {}, program, found, seconds, scalar=float)

    def _gradient(self, output: str) -> tuple[dict[str, Any], Inspection]:
        value = self.namespace[output]
        seed = self._cotangent(output, value)
        names = sorted(self._leaves, key=self._rank)
        leaves = [self.tape.values[self._leaves[name]] for name in names]
        ids = [self._leaves[name] for name in names]
        node = self.tape.node_of(value)

        def computed() -> tuple[dict[str, Any], Inspection]:
            from jupyter_npcompile.autodiff.pullbacks import to_numpy

            found, inspection = inspected(self.tape, node, seed, ids)
            pairs = zip(names, found, leaves, strict=True)
            return {name: to_numpy(gradient, leaf) for name, gradient, leaf in pairs}, inspection

        return self.site.run(computed, self.tape.nbytes)

    def _rank(self, name: str) -> int:
        """Variables come in the order in which they were asked for."""
        return next(k for k, pattern in enumerate(self.wrt) if fnmatch.fnmatchcase(name, pattern))

    def _cotangent(self, output: str, value: Any) -> Any:
        lost = self.tape.tainted(value)
        if lost is not None:
            raise lost.refuse()
        array = np.asarray(value)
        if array.dtype.kind not in "fc":
            raise TypeError(f"--grad {output}: {array.dtype} has no gradient; it must be a float")
        if self.seed:
            seed = np.asarray(eval(self.seed, dict(self.namespace)))
            try:
                return np.broadcast_to(seed, array.shape).astype(array.dtype)
            except ValueError:
                raise GradientError(
                    f"--seed has the shape {seed.shape}, {output} has {array.shape}"
                ) from None
        if array.shape != () or array.dtype.kind == "c":
            raise GradientError(
                f"--grad {output}: it has the shape {array.shape} and dtype {array.dtype}, not one "
                "real number",
                "--seed NAME gives the weights of its elements, --seed 1 their sum",
            )
        return np.ones((), array.dtype)


def forget_run(namespace: MutableMapping[str, Any]) -> None:
    """Take away what only the run of a followed cell needed."""
    namespace.pop(HOOKS, None)
    for name in [n for n in namespace if n.startswith("__npcompile_t")]:
        del namespace[name]
    for name, value in list(namespace.items()):
        if type(value) in (CutInt, CutText):
            namespace[name] = uncut(value)


def first_uses(tree: ast.Module) -> tuple[list[str], list[str]]:
    r"""Names that a cell reads before it binds them, and those that it binds first.

    Examples
    --------
    >>> first_uses(ast.parse("b = 1.0\ny = w * x + b\nw = 0"))
    (['w', 'x'], ['b', 'y'])
    """
    read: dict[str, None] = {}
    bound: dict[str, None] = {}
    for statement in tree.body:
        nodes = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
        stored = {node.id for node in nodes if not isinstance(node.ctx, ast.Load)}
        for node in nodes:
            if isinstance(node.ctx, ast.Load) and node.id not in bound:
                read[node.id] = None
        if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            read[statement.target.id] = None
        for name in stored:
            if name not in read:
                bound[name] = None
    return list(read), list(bound)
