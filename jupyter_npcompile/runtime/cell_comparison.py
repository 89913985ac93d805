"""A cell compared with its compiled form: it has run in NumPy, a copy of it runs compiled."""

from __future__ import annotations

import ast
import asyncio
import contextlib
import inspect
import threading
import types
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from typing import Any

import numpy as np

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph.comparison import ComparisonData
from jupyter_npcompile.runtime.cells import CellHandle, compile_cell
from jupyter_npcompile.runtime.comparison import (
    Verdict,
    contrasted,
    forced_tier,
    located,
    patience,
    reasons,
    sifted,
    work_lines,
)
from jupyter_npcompile.runtime.contrast import Contrast
from jupyter_npcompile.runtime.copied_namespace import CopiedNamespace, is_dunder, names_in
from jupyter_npcompile.runtime.devices import CPU
from jupyter_npcompile.runtime.inspection import Abandoned, Inspection
from jupyter_npcompile.runtime.observation import RANDOM, Observation, watching
from jupyter_npcompile.runtime.policy import Options
from jupyter_npcompile.runtime.reference import TIER
from jupyter_npcompile.runtime.settings import settings
from jupyter_npcompile.runtime.subjects import report_of
from jupyter_npcompile.runtime.surroundings import Surroundings
from jupyter_npcompile.runtime.trial import Trial
from jupyter_npcompile.tracer.memory import is_writeable

DISPLAYED = "displayed value"
"""What the value of a cell's last expression is called."""

Compile = Callable[[ast.AST, str], Any]
"""Turns a tree into code: ``compile(tree, "exec" or "eval")``."""

Within = Callable[[Any], contextlib.AbstractContextManager[None]]
"""Makes a module the one in which the shell's own commands work."""


@dataclass
class Cell:
    """A cell that is about to run, and how the shell runs it.

    Parameters
    ----------
    tree : ast.Module
        Its statements, without the magic line.
    source : str
        Its text, to which the positions refer.
    namespace : dict
        Where it runs.
    hidden : iterable of str
        Names of the namespace that belong to the shell.
    filename : str
        What its code is called in tracebacks.
    compile : callable
        The shell's compiler.
    within : callable
        Context in which the shell works on another module.
    display_last : bool
        Whether the last expression is displayed.
    device : str
        Where segments run.
    """

    tree: ast.Module
    source: str
    namespace: dict[str, Any]
    hidden: Iterable[str]
    filename: str
    compile: Compile
    within: Within
    display_last: bool = True
    device: str = "cpu"

    def is_source(self, filename: str) -> bool:
        """Whether a file name is that of the cell."""
        return filename == self.filename


@dataclass
class CellTrial:
    """Compares the run of a cell with compiled runs on copies of what it read.

    Make one just before the cell runs; call `compare` when it has run.

    Parameters
    ----------
    cell : Cell
        The cell.
    """

    cell: Cell
    handle: CellHandle | None = None
    _before: dict[str, Any] = field(init=False)
    _pristine: CopiedNamespace = field(init=False)
    _start: Surroundings = field(init=False)
    _known: set[tuple[str, str]] = field(init=False)

    def __post_init__(self) -> None:
        cell = self.cell
        self._before = dict(cell.namespace)
        self._pristine = CopiedNamespace(cell.namespace, names_in(cell.tree), cell.hidden)
        self._start = Surroundings()
        # What the copies do not have in common with the originals is no one's fault.
        contrast = Contrast()
        copied = self._pristine.copied
        contrast.names(*({n: s[n] for n in copied} for s in (cell.namespace, self._pristine.space)))
        self._known = {(mismatch.kind, mismatch.name) for mismatch in contrast.found}

    def compare(self, native: Observation, *, displayed: bool = True) -> ComparisonData:
        """Run the cell compiled and compare.

        Parameters
        ----------
        native : Observation
            The run that there was; its names are filled in here.
        displayed : bool
            Whether its displayed value is known.
        """
        end = Surroundings()
        space = self.cell.namespace
        kept = dict(space)
        contents = self._contents()
        try:
            return self._compare(native, displayed)
        finally:
            end.restore()
            for name in set(space) - set(kept):
                del space[name]
            space.update(kept)
            for array, content in contents:
                if array.tobytes() != content.tobytes() and is_writeable(array):
                    np.copyto(array, content)

    def _contents(self) -> list[tuple[Any, Any]]:
        """Arrays that a copy of the cell could reach, and what they hold."""
        if not self._pristine.shared:
            return []
        arrays = [v for v in self.cell.namespace.values() if type(v) is np.ndarray]
        return [(v, v.copy()) for v in arrays if not v.dtype.hasobject]

    def _compare(self, native: Observation, displayed: bool) -> ComparisonData:
        forced = self.cell.device == CPU and settings.tier in ("aten", "inductor")
        tier = settings.tier if forced else forced_tier(self.cell.device)
        inspection = Inspection(tier, patience=patience(native))
        native.names.update(self._bound(self.cell.namespace))
        other = self._run(tier, inspection)
        if not displayed:
            for seen in (native, other):
                seen.names.pop(DISPLAYED, None)
        result = contrasted(native, other, inspection)
        result.found[:] = [m for m in result.found if (m.kind, m.name) not in self._known]
        unstable, notes, grown = sifted(
            native,
            result,
            inspection,
            self._again,
            lambda by_operations: self._run(TIER, by_operations),
        )
        handle = self.handle
        assert handle is not None
        report = report_of(handle)
        captured, lines = work_lines(report)
        shared = [
            f"passed as it is, since it cannot be copied: {name}" for name in self._pristine.shared
        ]
        differences = Verdict(inspection).differences(result)
        names = [
            name
            for name, value in native.names.items()
            if name not in (RANDOM, *unstable) and not isinstance(value, types.ModuleType)
        ]
        if native.names.get(DISPLAYED) is None:
            names = [name for name in names if name != DISPLAYED]
        return ComparisonData(
            subject="cell",
            tier=tier,
            differences=tuple(located(differences, report)),
            names=tuple(names),
            arrays=result.arrays,
            rounding=max(result.rounding, grown),
            relative=result.relative,
            captured=captured,
            lines=lines,
            unstable=tuple(unstable),
            notes=(*notes, *inspection.notes, *shared, *reasons(report)),
        )

    def _bound(self, space: dict[str, Any]) -> dict[str, Any]:
        """What the cell read, bound or changed."""
        hidden = set(self.cell.hidden)
        found = {
            name: value
            for name, value in space.items()
            if name not in hidden
            and not is_dunder(name)
            and (
                name in self._pristine.copied
                or name not in self._before
                or value is not self._before[name]
            )
        }
        return found | {RANDOM: np.random.get_state(legacy=False)}

    def _again(self) -> Observation:
        """The cell itself once more, in NumPy."""
        return self._execute(self.cell.tree, self._fresh(), contextlib.nullcontext())

    def _run(self, tier: str, inspection: Inspection) -> Observation:
        """The cell's skeleton, compiled for a tier."""
        cell = self.cell
        trial = Trial(tier, inspection.witness)
        options = Options(cell.device, trial=trial)
        handle = compile_cell(cell.tree, cell.source, options, display_last=cell.display_last)
        copy = self._fresh()
        handle.namespace = copy.space
        inspection.begin()
        try:
            return self._execute(handle.program.tree, copy, _entered(handle))
        finally:
            handle.namespace = cell.namespace
            if tier != TIER:
                self.handle = handle

    def _fresh(self) -> CopiedNamespace:
        pristine = self._pristine
        origins = (self.cell.namespace,)
        return CopiedNamespace(pristine.space, pristine.copied, self.cell.hidden, origins)

    def _execute(
        self,
        tree: ast.Module,
        copy: CopiedNamespace,
        entered: contextlib.AbstractContextManager[Any],
    ) -> Observation:
        seen = Observation()
        self._start.restore()
        watch = watching(seen, self.cell.is_source, every_warning=False)
        within = self.cell.within(copy.module)
        with entered, within, copy.methods(), contextlib.suppress(Abandoned), watch:
            seen.names[DISPLAYED] = self._evaluate(tree, copy.space)
        shown = seen.names.get(DISPLAYED)
        seen.names = {**self._bound_in(copy), DISPLAYED: shown}
        return seen

    def _bound_in(self, copy: CopiedNamespace) -> dict[str, Any]:
        before = self._pristine.space
        hidden = set(self.cell.hidden)
        found = {
            name: value
            for name, value in copy.space.items()
            if name not in hidden
            and not is_dunder(name)
            and (name in copy.copied or name not in before or value is not before[name])
        }
        return found | {RANDOM: np.random.get_state(legacy=False)}

    def _evaluate(self, tree: ast.Module, space: dict[str, Any]) -> Any:
        """Run statements; the value of the last expression if it would be displayed."""
        body = list(tree.body)
        final = body[-1] if self.cell.display_last else None
        last = final if isinstance(final, ast.Expr) else None
        if last is not None:
            body.pop()
        codes = [self.cell.compile(ast.Module(body, []), "exec")] if body else []
        if last is not None:
            codes.append(self.cell.compile(ast.Expression(last.value), "eval"))
        value = None
        if any(code.co_flags & inspect.CO_COROUTINE for code in codes):
            value = _awaited(codes, space)
        else:
            for code in codes:
                value = eval(code, space)
        return value if last is not None else None


@contextlib.contextmanager
def _entered(handle: CellHandle) -> Iterator[None]:
    handle.enter()
    try:
        yield
    finally:
        handle.leave()


def _awaited(codes: list[Any], space: dict[str, Any]) -> Any:
    """Run code with ``await`` in a loop of its own: the kernel's is running already."""
    outcome: list[Any] = []

    async def main() -> Any:
        value = None
        for code in codes:
            value = eval(code, space)
            if code.co_flags & inspect.CO_COROUTINE:
                value = await value
        return value

    def work() -> None:
        try:
            outcome.extend((asyncio.run(main()), None))
        except BaseException as error:  # handed on to the thread that waits
            outcome.extend((None, error))

    thread = threading.Thread(target=work, name="npcompile check")
    thread.start()
    thread.join()
    value, error = outcome
    if error is not None:
        raise error
    return value
