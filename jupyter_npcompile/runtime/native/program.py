"""Runs what was built for a segment: native pieces and NumPy calls, on ndarrays."""

from __future__ import annotations

import ctypes
import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph.nodes import Graph, Node, ValueType
from jupyter_npcompile.runtime.arrays import sort_results
from jupyter_npcompile.runtime.errors import CheckFailedError
from jupyter_npcompile.runtime.footprint import size_of
from jupyter_npcompile.runtime.native import torch_symbols
from jupyter_npcompile.runtime.native.fitting import Bounds, fitted
from jupyter_npcompile.runtime.native.manifest import Manifest, PieceManifest, nbytes
from jupyter_npcompile.runtime.native.toolchain import DISPATCH
from jupyter_npcompile.runtime.own_library import checked
from jupyter_npcompile.tracer import interrupts
from jupyter_npcompile.tracer.interpret import run_node, value_of
from jupyter_npcompile.tracer.memory import Array

RELEASE = 20_000
"""Pieces on more elements than this run without the interpreter's lock."""

_KINDS = {"array": 0, "scalar": 1, "python": 2}


class ForeignArgumentError(Exception):
    """A value of another type than the code was compiled for."""


def load_dispatch(path: Path) -> ModuleType:
    """Load the extension module that calls pieces; the same one every time."""
    known = sys.modules.get(DISPATCH)
    if known is not None:
        return known
    with checked(path) as name:
        loader = importlib.machinery.ExtensionFileLoader(DISPATCH, name)
        spec = importlib.util.spec_from_loader(DISPATCH, loader)
        assert spec is not None
        module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    # The name under which it was loaded leads to something else by now, or nowhere.
    module.__file__ = spec.origin = loader.path = str(path)
    sys.modules[DISPATCH] = module
    return module


@dataclass(frozen=True, slots=True)
class Piece:
    """A loaded piece.

    Parameters
    ----------
    manifest : PieceManifest
        What it takes and makes.
    call : callable or None
        ``call(*values)`` gives its results; None when nothing is to be computed.
    bound : callable or None
        ``bound(writeable)`` gives such a ``call`` that demands more: that
        arrays are writeable or not, and that no two of them overlap.
    """

    manifest: PieceManifest
    call: Callable[..., Any] | None
    bound: Callable[[Mapping[int, bool] | None], Callable[..., Any]] | None = None

    def run(self, values: Sequence[Any]) -> tuple[dict[int, Any], dict[int, Array]]:
        """Fresh values by node id, and new contents of written inputs by input id.

        Raises
        ------
        CheckFailedError
            When NumPy would raise or warn.
        ForeignArgumentError
            When a value is not of the type that was compiled for.
        """
        if self.call is None:
            return {}, {}
        results = self.call(*values)
        if results is None:
            raise ForeignArgumentError
        if results is False:
            raise CheckFailedError("NumPy would raise for these values")
        made = self.manifest
        return sort_results(results, made.outputs, made.writes, made.masks)


class Program:
    """The native form of a segment.

    Parameters
    ----------
    graph : Graph
        NumPy level.
    steps : sequence of Piece or int
        A piece, or the node that NumPy executes.
    bounds : Bounds, optional
        Of the integers that differ from call to call.
    """

    def __init__(
        self, graph: Graph, steps: Sequence[Piece | int], bounds: Bounds | None = None
    ) -> None:
        self.bounds = bounds or Bounds((), {})
        self._inputs = tuple(node.id for node in graph.inputs)
        self._steps = tuple(steps)
        self._nodes = graph.by_id()
        self._writes = graph.writes
        self._outputs = graph.allocations()
        self._over = self._endings()
        only = self._steps[0] if len(self._steps) == 1 else None
        self._only = only if isinstance(only, Piece) else None

    @property
    def only(self) -> Piece | None:
        """The piece, if there is no other step."""
        return self._only

    def _endings(self) -> list[list[int]]:
        """For each step, the values of which nobody needs anything afterwards."""
        last: dict[int, int] = {}

        def need(id: int, step: int) -> None:
            if last.get(id) != step:
                last[id] = step
                node = self._nodes[id]
                if node.view_of is not None:  # the view may be taken again
                    for other in (node.view_of, *node.references()):
                        need(other, step)

        for number, step in enumerate(self._steps):
            if isinstance(step, Piece):
                made = step.manifest
                for id, _ in (*made.inputs, *made.outputs, *made.writes):
                    need(id, number)
            else:
                for id in (step, *self._nodes[step].references()):
                    need(id, number)
        kept = {*self._inputs, *self._writes}
        for id in self._outputs:
            need(id, len(self._steps))
        over: list[list[int]] = [[] for _ in self._steps]
        for id, number in last.items():
            if number < len(self._steps) and id not in kept:
                over[number].append(id)
        return over

    @property
    def nbytes(self) -> int:
        """Bytes that it allocates at most at a time, its results included."""
        known = {id: size_of(self._nodes[id].types) for id in self._writes}
        if self._only is not None:
            known.clear()  # a piece hands them out
        most = 0
        for step, over in zip(self._steps, self._over, strict=True):
            aside = 0
            if isinstance(step, Piece):
                made = step.manifest
                known |= {id: size_of([kind]) for id, kind in made.outputs}
                aside = made.scratch + size_of(k for _, k in (*made.writes, *made.masks))
            else:
                known[step] = 0 if self._nodes[step].view_of else size_of(self._nodes[step].types)
            most = max(most, sum(known.values()) + aside)
            for id in over:
                known.pop(id, None)
        return most

    def run(self, values: Sequence[Any]) -> tuple[dict[int, Any], dict[int, Array]]:
        """Run on the inputs without changing any of them.

        Parameters
        ----------
        values : sequence
            One ndarray or number for each input of the graph.

        Returns
        -------
        outputs : dict of int to object
            Fresh arrays and numbers by node id.
        written : dict of int to numpy.ndarray
            What must be copied into the written inputs, by input id.

        Raises
        ------
        CheckFailedError
            When NumPy would raise or warn.
        """
        try:
            if self._only is not None:
                return self._only.run(values)
            return self._stepwise(values)
        except ForeignArgumentError:
            raise CheckFailedError("a value of another type") from None

    def _stepwise(self, values: Sequence[Any]) -> tuple[dict[int, Any], dict[int, Array]]:
        known: dict[int, Any] = dict(zip(self._inputs, values, strict=True))
        for id in self._writes:
            known[id] = known[id].copy(order="K")
        for step, over in zip(self._steps, self._over, strict=True):
            interrupts.allow()
            if isinstance(step, Piece):
                fresh, written = step.run(
                    [value_of(id, self._nodes, known) for id, _ in step.manifest.inputs]
                )
                known.update(fresh)
                for id, content in written.items():
                    np.copyto(known[id], content)
                fresh = written = {}
            else:
                self._call(self._nodes[step], known)
            for id in over:
                known.pop(id, None)
        fresh = {id: _owning(value_of(id, self._nodes, known)) for id in self._outputs}
        return fresh, {id: known[id] for id in self._writes}

    def _call(self, node: Node, known: dict[int, Any]) -> None:
        """Have NumPy execute a node; where it would report something, it shall report it itself."""
        for id in dict.fromkeys(node.references()):
            value_of(id, self._nodes, known)
        watched: dict[str, Any] = dict.fromkeys(node.reports, "raise")
        try:
            with np.errstate(**watched):
                run_node(node, known)
        except (ArithmeticError, ValueError) as error:
            raise CheckFailedError(str(error)) from error


def _owning(value: Any) -> Any:
    """The same array with memory of its own; what shares memory is made of these later."""
    if isinstance(value, np.ndarray) and value.base is not None:
        return value.copy(order="K")
    return value


def load(
    graph: Graph,
    manifest: Manifest,
    library: Path,
    constants: bytes,
    dispatch: ModuleType,
    sizes: Sequence[int] | None = None,
    free: Mapping[int, int] | None = None,
) -> Program:
    """Load what was built for a segment.

    Parameters
    ----------
    graph : Graph
        NumPy level.
    manifest : Manifest
        What was built.
    library : Path
        The shared library, where any piece has an entry point.
    constants : bytes
        Arrays that pieces take.
    dispatch : module
        What `load_dispatch` loaded.
    sizes : sequence of int, optional
        What its symbols stand for in this graph.
    free : mapping of int to int, optional
        Inputs that are symbols themselves and change from call to call, and
        which symbol each is.

    Raises
    ------
    OSError
        When the library cannot be loaded.
    OtherLayoutError
        When it does not hold for these sizes.
    """
    bounds = Bounds(sizes or (), free or {})
    code, memory = _library(manifest, library), np.frombuffer(constants, np.uint8)
    steps = [
        step
        if isinstance(step, int)
        else _piece(
            step if sizes is None else fitted(step, graph, code, sizes),
            code,
            memory,
            dispatch,
            bounds,
        )
        for step in manifest.steps
    ]
    return Program(graph, steps, bounds)


def load_steps(
    manifest: Manifest, library: Path, constants: bytes, dispatch: ModuleType
) -> list[Piece | int]:
    """The pieces that were built for one size, and the nodes between them: see `load`."""
    code, memory = _library(manifest, library), np.frombuffer(constants, np.uint8)
    return [
        step if isinstance(step, int) else _piece(step, code, memory, dispatch, Bounds((), {}))
        for step in manifest.steps
    ]


def _library(manifest: Manifest, path: Path) -> ctypes.CDLL | None:
    """The shared library, where any piece has an entry point."""
    if not any(piece.entry for piece in manifest.pieces):
        return None
    torch_symbols.have_threads_wait_idly()
    if manifest.torch:
        torch_symbols.load()
    with checked(path) as name:
        return ctypes.CDLL(name)


def _piece(
    made: PieceManifest,
    code: ctypes.CDLL | None,
    memory: Array,
    dispatch: ModuleType,
    bounds: Bounds,
) -> Piece:
    if not made.entry:
        return Piece(made, None)
    address = ctypes.cast(getattr(code, made.entry), ctypes.c_void_p).value
    constants = tuple(
        np.frombuffer(memory[offset : offset + nbytes(kind)].tobytes(), kind.dtype)
        for kind, offset in made.constants
    )
    outputs = (*made.outputs, *made.writes, *made.masks)
    rest = (
        tuple(_spec(kind) for _, kind in outputs),
        constants,
        made.checks,
        made.scratch,
        np.array(bounds.sizes, np.int64).tobytes(),
        bounds.of_piece(made, code),
        made.elements > RELEASE,
    )

    def bound(writeable: Mapping[int, bool] | None) -> Callable[..., Any]:
        flags = {} if writeable is None else writeable
        inputs = tuple(_spec(kind, flags.get(id, -1)) for id, kind in made.inputs)
        call: Callable[..., Any] = dispatch.Piece(
            address, inputs, *rest, writeable is not None, code
        )
        return call

    return Piece(made, bound(None), bound)


def _spec(kind: ValueType, writeable: int = -1) -> tuple[Any, ...]:
    return _KINDS[kind.kind], np.dtype(kind.dtype), kind.shape, kind.strides, int(writeable)
