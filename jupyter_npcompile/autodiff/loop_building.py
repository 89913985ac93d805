"""What is compiled for a loop: the kernels of an iteration, and a driver. Imports torch."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import torch

from jupyter_npcompile.autodiff.chains import Chain
from jupyter_npcompile.autodiff.graph_loops import Window
from jupyter_npcompile.autodiff.loop_drivers import (
    Driver,
    Part,
    accumulated,
    added,
    cleared,
    copied,
    loaded,
    offsets,
    stored,
)
from jupyter_npcompile.autodiff.loop_iterations import Iteration
from jupyter_npcompile.autodiff.loop_operations import Kind, LoopPlan
from jupyter_npcompile.autodiff.regions import Region

_TYPES = {
    torch.float64: "double",
    torch.float32: "float",
    torch.complex128: "npcompile_complex",
}


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


Compile = Callable[[torch.fx.GraphModule, list[int]], Chain]
"""Compiles an iteration; the numbers are of arguments that are the same in all iterations."""


Put = Callable[[Part, str, str], str]
"""From a box of an array, where it begins, and what goes there, to a statement."""


class _Writer:
    """What both directions have in common."""

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

    def call(self, sizes: Sequence[int]) -> None:
        """The iteration, with results of these sizes; what it computes once goes to all places."""
        places, body = self.iteration.places, self.driver.body
        firsts = {n: places.index(n) for n in places if n is not None}
        self.made = [
            f"out[{firsts[n]}]" if n in firsts else self.driver.room(nbytes)
            for n, nbytes in enumerate(self.iteration.sizes)
        ]
        copies = len(self.iteration.copies)
        self.driver.call(self.made[: len(self.made) - copies])
        ends = self.made[len(self.made) - copies :], self.iteration.sizes[len(self.made) - copies :]
        for k, place, nbytes in zip(self.iteration.copies, *ends, strict=True):
            body.append(copied(place, f"in[{k}]", nbytes))
        for k, n in enumerate(places):
            if n is not None and k != firsts[n]:
                body.append(copied(f"out[{k}]", f"out[{firsts[n]}]", sizes[k]))

    def put(self, k: int, part: Part, array: str, put: Put) -> None:
        """Store or add a result, or the boxes that it is made of."""
        if k not in self.iteration.placed:
            self.driver.body.append(put(part, array, f"out[{k}]"))
            return
        self.driver.body += self.boxes(k, part, array, put)

    def boxes(self, k: int, part: Part, array: str, put: Put) -> list[str]:
        """The boxes that a result is made of."""
        found = []
        for n, piece in self.iteration.placed[k].parts:
            shape = self.iteration.shapes[n]
            box, place = _inside(part, array, piece.region)
            offset = offsets(shape, [piece.first], part.size)[0]
            found.append(put(replace(box, near=shape), place, f"({self.made[n]} + {offset})"))
        return found

    def clear(self, k: int, part: Part, array: str) -> None:
        """Make zero what a result that is made of boxes leaves out."""
        for region in self.iteration.placed[k].holes:
            self.driver.body.append(cleared(*_inside(part, array, region)))

    def built(self, inputs: int, outputs: int, order: str) -> BuiltLoop:
        """The driver."""
        if self.chain.before:
            self.driver.before.append(
                f"if ({self.chain.before}(in, out, scratch, sizes)) return 1;"
            )
        text = self.driver.text(inputs + len(self.own), outputs, order)
        return BuiltLoop(text, self.driver.scratch, self.constants)


def _inside(part: Part, array: str, region: Region) -> tuple[Part, str]:
    """A box in a box of an array, and where it begins."""
    start, spans = region
    offset = offsets(part.shape, [start], part.size)[0]
    return Part(part.shape, spans, part.size), f"({array} + {offset})"


def forward(plan: LoopPlan, name: str, compile: Compile) -> BuiltLoop:
    """All iterations."""
    loop = plan.loop
    writer = _Writer(plan, name, len(plan.operands), plan.body, compile)
    driver, before, body = writer.driver, writer.driver.before, writer.driver.body
    given = {id: f"inputs[{k}]" for k, id in enumerate(loop.operands)}
    changed = {id: f"outputs[{len(plan.results) + k}]" for k, id in enumerate(loop.changed)}
    check = len(plan.results) + len(changed)
    kept = {k: f"outputs[{check + 1 + n}]" for n, k in enumerate(plan.kept)}
    sizes = [kind.nbytes for kind in plan.inputs]
    before.append("bool good = true;")
    for id, place in changed.items():
        before.append(copied(place, given[id], writer.kinds[id].nbytes))
    first_of: dict[int, int] = {}
    copies: list[str] = []
    for carry in loop.carries:
        k = writer.position[carry.input]
        before.append(copied(kept[k], given[carry.first], sizes[k]))
        body.append(f"in[{k}] = {kept[k]} + i * {sizes[k]};")
        source = loop.results.index(carry.source)
        if source in first_of:
            copies.append(copied(f"{kept[k]} + (i + 1) * {sizes[k]}", f"out[{source}]", sizes[k]))
        first_of.setdefault(source, k)
    for made, id in loop.invariants:
        before.append(f"in[{writer.position[made]}] = {given[id]};")
    stores: list[tuple[int, Part, str]] = []
    for window in loop.windows:
        k = writer.position[window.input]
        part, start = writer.part(window)
        array = f"({changed.get(window.array, given[window.array])} + {start})"
        if k in kept:
            body.append(f"in[{k}] = {kept[k]} + i * {sizes[k]};")
            body.append(loaded(part, f"in[{k}]", array))
        elif part.is_dense:
            body.append(f"in[{k}] = {array};")
        else:
            before.append(f"in[{k}] = {driver.room(part.nbytes)};")
            body.append(loaded(part, f"in[{k}]", array))
        if window.input in loop.written:
            o = len(plan.results) + plan.changes.index(window.input)
            if o not in plan.body.placed:
                before.append(f"out[{o}] = {driver.room(part.nbytes)};")
            stores.append((o, part, array))
    writer.tables()
    for o, kind in enumerate(plan.results):
        if o in first_of:
            following = f"{kept[first_of[o]]} + (i + 1) * {kind.nbytes}"
            body.append(f"out[{o}] = i + 1 < {loop.count} ? {following} : outputs[{o}];")
        else:
            before.append(f"out[{o}] = outputs[{o}];")
    flag = len(plan.results) + len(plan.changes)
    before.append(f"out[{flag}] = {driver.room(1)};")
    writer.arguments(len(plan.ids))
    outs = [plan.out(k).nbytes for k in range(flag)]
    writer.call([*outs, 1])
    body.append(f"good = good && *(bool*)out[{flag}];")
    stores += [(o, _whole(plan.results[o]), f"out[{o}]") for o in range(len(plan.results))]
    for o, part, array in stores:
        if o in plan.body.placed:
            writer.clear(o, part, array)
        if o in plan.body.placed or o >= len(plan.results):
            writer.put(o, part, array, stored)
    if copies:
        body.append(f"if (i + 1 < {loop.count}) {{ {' '.join(copies)} }}")
    driver.after.append(f"*(bool*)outputs[{check}] = good;")
    return writer.built(len(plan.ids), flag + 1, f"int64_t i = 0; i < {loop.count}; ++i")


def backward(plan: LoopPlan, asked: list[bool], name: str, compile: Compile) -> BuiltLoop:
    """The gradients of the operands that are asked for, from the last iteration to the first."""
    loop = plan.loop
    active, made = plan.active(asked)
    held = loop.shared
    ends = len(plan.results) + len(loop.changed)
    taken = len(held) + len(plan.kept) + ends
    iteration = plan.derivative(asked)
    writer = _Writer(plan, name, taken, iteration, compile)
    driver, before, body = writer.driver, writer.driver.before, writer.driver.body
    given = {id: f"inputs[{k}]" for k, id in enumerate(held)}
    kept = {k: f"inputs[{len(held) + n}]" for n, k in enumerate(plan.kept)}
    cotangents = [f"inputs[{len(held) + len(kept) + n}]" for n in range(ends)]
    totals: dict[int, str] = {}
    firsts: list[tuple[int, str]] = []
    for n, (id, flag) in enumerate(zip(loop.operands, asked, strict=True)):
        if flag and n < len(loop.carries):
            firsts.append((n, f"outputs[{len(firsts)}]"))
        elif flag:
            totals[id] = f"outputs[{len(firsts) + len(totals)}]"
    sizes = [kind.nbytes for kind in plan.inputs]
    for id, place in totals.items():
        if id not in loop.changed:
            before.append(f"memset({place}, 0, {writer.kinds[id].nbytes});")
    for n, id in enumerate(loop.changed):
        nbytes = writer.kinds[id].nbytes
        moving = any(plan.ids[k] == w.input for k in active for w in loop.windows if w.array == id)
        if moving:
            totals.setdefault(id, driver.room(nbytes))
        if id in totals:
            before.append(copied(totals[id], cotangents[len(plan.results) + n], nbytes))
    for k, place in kept.items():
        body.append(f"in[{k}] = {place} + i * {sizes[k]};")
    for input, id in loop.invariants:
        before.append(f"in[{writer.position[input]}] = {given[id]};")
    parts = {window.input: (window, *writer.part(window)) for window in loop.windows}
    for input, (window, part, start) in parts.items():
        k = writer.position[input]
        if k in kept:
            continue
        array = f"({given[window.array]} + {start})"
        if part.is_dense or input in loop.written:  # what was written and is not kept is not read
            body.append(f"in[{k}] = {array};")
        else:
            before.append(f"in[{k}] = {driver.room(part.nbytes)};")
            body.append(loaded(part, f"in[{k}]", array))
    writer.tables()
    places: dict[int, str] = {}
    for n, k in enumerate(made):
        kind = plan.out(k)
        place = f"in[{len(plan.ids) + n}]"
        before.append(f"{place} = {driver.room(kind.nbytes)};")
        if k < len(plan.results):
            places[k] = place
            before.append(copied(place, cotangents[k], kind.nbytes))
        else:
            window, part, start = parts[plan.changes[k - len(plan.results)]]
            total = f"({totals[window.array]} + {start})"
            body.append(f"{place} = {total};" if part.is_dense else loaded(part, place, total))
    writer.arguments(len(plan.ids) + len(made))
    for n, k in enumerate(active):
        if n not in iteration.placed:
            before.append(f"out[{n}] = {driver.room(sizes[k])};")
    writer.call([sizes[k] for k in active])
    for k, place in places.items():
        body.append(f"memset({place}, 0, {plan.out(k).nbytes});")
    handed = {plan.ids[k]: n for n, k in enumerate(active)}
    dense = set(range(len(active))) - set(iteration.placed)
    for carry in loop.carries:
        source = loop.results.index(carry.source)
        if carry.input in handed and source in places:
            kind = plan.results[source]
            writer.put(handed[carry.input], _whole(kind), places[source], _adding(kind))
    for input, id in loop.invariants:
        if input in handed and id in totals:
            body.append(_sum(writer.kinds[id], totals[id], f"out[{handed[input]}]"))
    for input, (window, part, start) in parts.items():
        if input in handed and window.array in totals:
            total = f"({totals[window.array]} + {start})"
            n = handed[input]
            if input in loop.written and n not in iteration.placed:
                writer.put(n, part, total, stored)
                continue
            if input in loop.written:
                writer.clear(n, part, total)
            writer.put(n, part, total, _adding(writer.kinds[window.array]))
    for n, place in firsts:
        carry = loop.carries[n]
        k = writer.position[carry.input]
        if handed.get(carry.input) in dense:
            driver.after.append(copied(place, f"out[{handed[carry.input]}]", sizes[k]))
            continue
        driver.after.append(f"memset({place}, 0, {sizes[k]});")
        if carry.input in handed:
            kind = plan.inputs[k]
            lines = writer.boxes(handed[carry.input], _whole(kind), place, _adding(kind))
            driver.after += lines
    inputs = len(plan.ids) + len(made)
    return writer.built(inputs, len(active), f"int64_t i = {loop.count - 1}; i >= 0; --i")


def _whole(kind: Kind) -> Part:
    return Part(kind.shape, kind.shape, kind.dtype.itemsize)


def _adding(kind: Kind) -> Put:
    return functools.partial(accumulated, ctype=_TYPES[kind.dtype])


def _sum(kind: Kind, to: str, source: str) -> str:
    return added(to, source, _TYPES[kind.dtype], kind.nbytes // kind.dtype.itemsize)
