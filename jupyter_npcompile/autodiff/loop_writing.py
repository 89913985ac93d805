"""What the drivers of a loop have in common, forwards and backwards. Imports torch."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import field

import numpy as np
import torch

from jupyter_npcompile.autodiff.chains import Chain
from jupyter_npcompile.autodiff.graph_loops import Window
from jupyter_npcompile.autodiff.loop_drivers import (
    Driver,
    Part,
    cleared,
    copied,
    inside,
    offsets,
    stored,
)
from jupyter_npcompile.autodiff.loop_iterations import Iteration
from jupyter_npcompile.autodiff.loop_operations import Kind, LoopPlan
from jupyter_npcompile.autodiff.loop_sums import Term
from jupyter_npcompile.autodiff.placements import Piece
from jupyter_npcompile.dataclass import dataclass

CTYPES = {
    torch.float64: "double",
    torch.float32: "float",
    torch.complex128: "npcompile_complex",
}
"""What an element is called in C++."""

Compile = Callable[[torch.fx.GraphModule, list[int]], Chain]
"""Compiles an iteration; the numbers are of arguments that are the same in all iterations."""


@dataclass
class BuiltLoop:
    """A driver.

    Parameters
    ----------
    text : str
        C++.
    scratch : int
        Bytes of scratch memory.
    constants : list of numpy.ndarray
        Arrays that it takes after its other inputs.
    """

    text: str
    scratch: int
    constants: list[np.ndarray] = field(default_factory=list)


class LoopWriter:
    """Writes a driver down.

    Parameters
    ----------
    plan : LoopPlan
        The loop.
    name : str
        Of the driver.
    taken : int
        How many inputs the driver has besides constants.
    iteration : Iteration
        What is called for each iteration.
    compile : callable
        Compiles it.

    Attributes
    ----------
    made : list of str
        Where the results of the iteration's module lie, and after them its copies of arguments.
    """

    def __init__(
        self, plan: LoopPlan, name: str, taken: int, iteration: Iteration, compile: Compile
    ) -> None:
        self.plan, self.loop = plan, plan.loop
        self.iteration = iteration
        self.made: list[str] = []
        self.position = {id: k for k, id in enumerate(plan.ids)}
        same = [self.position[made] for made, _ in self.loop.invariants]
        self.chain = compile(iteration.module, same)
        self.driver = Driver(name, self.chain.name, self.chain.scratch)
        self.taken = taken
        self.constants: list[np.ndarray] = []
        self.own = [self.constant(array) for array in self.chain.constants]
        self.kinds = dict(zip(self.loop.operands, plan.operands, strict=True))

    def constant(self, array: np.ndarray) -> str:
        """An input with elements that are known."""
        self.constants.append(np.ascontiguousarray(array))
        return f"inputs[{self.taken + len(self.constants) - 1}]"

    def part(self, window: Window) -> tuple[Part, str]:
        """The box of a window, and where it begins in iteration ``i``."""
        kind = self.kinds[window.array]
        part = Part(kind.shape, window.box.spans, kind.dtype.itemsize)
        if not (window.box.starts != window.box.starts[0]).any():
            first = offsets(kind.shape, window.box.starts[:1], kind.dtype.itemsize)[0]
            return part, str(first)
        found = offsets(kind.shape, window.box.starts, kind.dtype.itemsize)
        table = self.constant(np.array(found, np.int64))
        return part, f"((const int64_t*){table})[i]"

    def tables(self) -> None:
        """Numbers that differ from iteration to iteration."""
        for id, table in self.loop.tables:
            k = self.position[id]
            place = self.constant(np.asarray(table))
            self.driver.body.append(f"in[{k}] = {place} + i * {self.plan.inputs[k].nbytes};")

    def arguments(self, first: int) -> None:
        """The constants of the kernels."""
        for k, place in enumerate(self.own):
            self.driver.before.append(f"in[{first + k}] = {place};")

    def call(self, sizes: Sequence[int], steady: Collection[int]) -> None:
        """The iteration, with results of these sizes; what it computes once goes to all places.

        Of arguments that are not `steady` boxes are copied, because they are written afterwards.
        """
        places, body = self.iteration.places, self.driver.body
        firsts = {n: places.index(n) for n in places if n is not None}
        count = len(self.iteration.sizes) - len(self.iteration.copies)
        self.made = [
            f"out[{firsts[n]}]" if n in firsts else self.driver.room(nbytes)
            for n, nbytes in enumerate(self.iteration.sizes[:count])
        ]
        self.driver.call(self.made)
        for k, nbytes in zip(self.iteration.copies, self.iteration.sizes[count:], strict=True):
            if k in steady:
                self.made.append(f"in[{k}]")
                continue
            self.made.append(self.driver.room(nbytes))
            body.append(copied(self.made[-1], f"in[{k}]", nbytes))
        for k, n in enumerate(places):
            if n is not None and k != firsts[n]:
                body.append(copied(f"out[{k}]", f"out[{firsts[n]}]", sizes[k]))

    def source(self, n: int, piece: Piece, size: int) -> str:
        """Where a box of what was made begins."""
        return inside(self.iteration.shapes[n], size, self.made[n], piece.first)

    def terms(self, k: int, size: int) -> list[Term]:
        """The boxes that a result is the sum of."""
        return [
            Term(self.source(n, piece, size), piece.region, self.iteration.shapes[n])
            for n, piece in self.iteration.placed[k].parts
        ]

    def store(self, k: int, part: Part, array: str) -> None:
        """Store a result, or the boxes that it is put together from."""
        if k not in self.iteration.placed:
            self.driver.body.append(stored(part, array, f"out[{k}]"))
            return
        for n, piece in self.iteration.placed[k].parts:
            start, spans = piece.region
            box = Part(part.shape, spans, part.size, self.iteration.shapes[n])
            place = inside(part.shape, part.size, array, start)
            self.driver.body.append(stored(box, place, self.source(n, piece, part.size)))

    def clear(self, k: int, part: Part, array: str) -> None:
        """Make zero what a result that is put together from boxes leaves out."""
        for start, spans in self.iteration.placed[k].holes:
            box = Part(part.shape, spans, part.size)
            place = inside(part.shape, part.size, array, start)
            self.driver.body.append(cleared(box, place))

    def built(self, inputs: int, outputs: int, order: str) -> BuiltLoop:
        """The driver."""
        if self.chain.before:
            self.driver.before.append(
                f"if ({self.chain.before}(in, out, scratch, sizes)) return 1;"
            )
        text = self.driver.text(inputs + len(self.own), outputs, order)
        return BuiltLoop(text, self.driver.scratch, self.constants)


def whole(kind: Kind) -> Part:
    """All of an array."""
    return Part(kind.shape, kind.shape, kind.dtype.itemsize)


def passed(iteration: Iteration, result: int, shape: tuple[int, ...]) -> int | None:
    """The argument of which a result of this shape is a copy, if it is one."""
    placed = iteration.placed.get(result)
    if placed is None or len(placed.parts) != 1:
        return None
    n, piece = placed.parts[0]
    return iteration.copies[n] if n < 0 and piece.is_all_of(shape) else None
