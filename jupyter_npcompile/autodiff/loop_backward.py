"""The driver of the derivative of a loop. Imports torch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from jupyter_npcompile.autodiff.loop_drivers import Part, added, copied, loaded
from jupyter_npcompile.autodiff.loop_operations import Kind, LoopPlan
from jupyter_npcompile.autodiff.loop_sums import Term, summed
from jupyter_npcompile.autodiff.loop_writing import CTYPES, BuiltLoop, Compile, LoopWriter, whole
from jupyter_npcompile.dataclass import dataclass


def backward(plan: LoopPlan, asked: list[bool], name: str, compile: Compile) -> BuiltLoop:
    """The gradients of the operands that are asked for, from the last iteration to the first.

    Parameters
    ----------
    plan : LoopPlan
        The loop.
    asked : list of bool
        For each operand, whether its gradient is wanted.
    name : str
        Of the driver.
    compile : callable
        Compiles the derivative of an iteration.
    """
    return _Backward(plan, asked, name, compile).built_loop()


@dataclass(frozen=True)
class _Share:
    """What a cotangent of an iteration adds to one of the iteration before.

    Parameters
    ----------
    term : Term
        Its elements.
    argument : int or None
        The argument of the derivative whose elements they are; None where they are computed.
    is_all : bool
        Whether it is all of the argument, or of what is computed, and of the sum.
    """

    term: Term
    argument: int | None
    is_all: bool


class _Backward:
    def __init__(self, plan: LoopPlan, asked: list[bool], name: str, compile: Compile) -> None:
        self._plan, self._loop = plan, plan.loop
        self._active, self._made = plan.active(asked)
        self._iteration = plan.derivative(asked)
        held, ends = plan.loop.shared, len(plan.results) + len(plan.loop.changed)
        taken = len(held) + len(plan.kept) + ends
        self._writer = LoopWriter(plan, name, taken, self._iteration, compile)
        self._driver = self._writer.driver
        self._given = {id: f"inputs[{k}]" for k, id in enumerate(held)}
        self._kept = {k: f"inputs[{len(held) + n}]" for n, k in enumerate(plan.kept)}
        first = len(held) + len(plan.kept)
        self._cotangents = [f"inputs[{first + n}]" for n in range(ends)]
        self._sizes = [kind.nbytes for kind in plan.inputs]
        self._handed = {plan.ids[k]: n for n, k in enumerate(self._active)}
        self._firsts: list[tuple[int, str]] = []
        self._totals: dict[int, str] = {}
        for n, (id, flag) in enumerate(zip(plan.loop.operands, asked, strict=True)):
            if flag and n < len(plan.loop.carries):
                self._firsts.append((n, f"outputs[{len(self._firsts)}]"))
            elif flag:
                self._totals[id] = f"outputs[{len(self._firsts) + len(self._totals)}]"
        self._windows = {w.input: (w, *self._writer.part(w)) for w in plan.loop.windows}
        self._places: dict[int, int] = {}  # of results: which arguments their cotangents are

    def built_loop(self) -> BuiltLoop:
        plan, loop, writer, driver = self._plan, self._loop, self._writer, self._driver
        self._begin()
        self._arguments()
        writer.tables()
        self._begin_cotangents()
        inputs = len(plan.ids) + len(self._made)
        writer.arguments(inputs)
        for n, k in enumerate(self._active):
            if n not in self._iteration.placed:
                driver.before.append(f"out[{n}] = {driver.room(self._sizes[k])};")
        steady = {*range(len(plan.ids)), *self._places.values()}
        writer.call([self._sizes[k] for k in self._active], steady)
        shares = {o: self._shares(o) for o in self._places}
        for input, id in loop.invariants:
            if input in self._handed and id in self._totals:
                source = f"out[{self._handed[input]}]"
                driver.body.append(_added(writer.kinds[id], self._totals[id], source))
        for input, (window, part, start) in self._windows.items():
            if input in self._handed and window.array in self._totals:
                self._window(input, part, f"({self._totals[window.array]} + {start})")
        self._exchange(shares)
        for n, place in self._firsts:
            self._first(n, place)
        return writer.built(inputs, len(self._active), f"int64_t i = {loop.count - 1}; i >= 0; --i")

    def _begin(self) -> None:
        """Gradients of arrays, of which each iteration sees a part, and of what never changes."""
        writer, before = self._writer, self._driver.before
        for id, place in self._totals.items():
            if id not in self._loop.changed:
                before.append(f"memset({place}, 0, {writer.kinds[id].nbytes});")
        looked_at = {self._plan.ids[k] for k in self._active}
        for n, id in enumerate(self._loop.changed):
            nbytes = writer.kinds[id].nbytes
            if any(w.input in looked_at for w in self._loop.windows if w.array == id):
                self._totals.setdefault(id, self._driver.room(nbytes))
            if id in self._totals:
                source = self._cotangents[len(self._plan.results) + n]
                before.append(copied(self._totals[id], source, nbytes))

    def _arguments(self) -> None:
        """What an iteration started from."""
        writer, driver = self._writer, self._driver
        for k, place in self._kept.items():
            driver.body.append(f"in[{k}] = {place} + i * {self._sizes[k]};")
        for input, id in self._loop.invariants:
            driver.before.append(f"in[{writer.position[input]}] = {self._given[id]};")
        for input, (window, part, start) in self._windows.items():
            k = writer.position[input]
            if k in self._kept:
                continue
            array = f"({self._given[window.array]} + {start})"
            # What was written and is not kept is not read.
            if part.is_dense or input in self._loop.written:
                driver.body.append(f"in[{k}] = {array};")
            else:
                driver.before.append(f"in[{k}] = {driver.room(part.nbytes)};")
                driver.body.append(loaded(part, f"in[{k}]", array))

    def _begin_cotangents(self) -> None:
        """Those of the last iteration's results."""
        plan, driver = self._plan, self._driver
        for n, o in enumerate(self._made):
            kind, argument = plan.out(o), len(plan.ids) + n
            driver.before.append(f"in[{argument}] = {driver.room(kind.nbytes)};")
            if o < len(plan.results):
                self._places[o] = argument
                driver.before.append(copied(f"in[{argument}]", self._cotangents[o], kind.nbytes))
                continue
            window, part, start = self._windows[plan.changes[o - len(plan.results)]]
            total = f"({self._totals[window.array]} + {start})"
            dense = f"in[{argument}] = {total};"
            driver.body.append(dense if part.is_dense else loaded(part, f"in[{argument}]", total))

    def _window(self, input: int, part: Part, total: str) -> None:
        """Add to, or replace, the gradient of what an iteration sees of an array."""
        writer, n = self._writer, self._handed[input]
        placed = n in self._iteration.placed
        if input in self._loop.written and not placed:
            writer.store(n, part, total)
            return
        if input in self._loop.written:
            writer.clear(n, part, total)
        kind = self._plan.inputs[writer.position[input]]
        terms = (
            writer.terms(n, part.size)
            if placed
            else [Term(f"out[{n}]", ((0,) * len(part.spans), part.spans), part.spans)]
        )
        self._driver.body += summed(part, total, terms, CTYPES[kind.dtype], is_added=True)

    # -- from one iteration to the one before

    def _shares(self, o: int) -> list[_Share]:
        """What the cotangent of a result consists of in the iteration before."""
        source = self._loop.results[o]
        inputs = [carry.input for carry in self._loop.carries if carry.source == source]
        return [share for id in inputs if id in self._handed for share in self._of_input(id)]

    def _of_input(self, id: int) -> list[_Share]:
        n = self._handed[id]
        kind = self._plan.inputs[self._writer.position[id]]
        zeros = (0,) * len(kind.shape)
        if n not in self._iteration.placed:
            return [_Share(Term(f"out[{n}]", (zeros, kind.shape), kind.shape), None, True)]
        terms = self._writer.terms(n, kind.dtype.itemsize)
        copies = self._iteration.copies
        return [
            _Share(term, copies[m] if m < 0 else None, m < 0 and piece.is_all_of(kind.shape))
            for term, (m, piece) in zip(terms, self._iteration.placed[n].parts, strict=True)
        ]

    def _exchange(self, shares: dict[int, list[_Share]]) -> None:
        """Let arguments that are cotangents be those of the iteration before.

        A sum that begins with a whole cotangent is made where that is, if nobody else reads it;
        one that is computed as a whole stays where it was computed. What has become free is where
        others are made in the next iteration.
        """
        arguments = set(self._places.values())
        readers = Counter(
            copies[m]
            for placed in self._iteration.placed.values()
            if (copies := self._iteration.copies)
            for m, _ in placed.parts
            if m < 0
        )
        moved: dict[int, str] = {}
        spare: list[tuple[int, str]] = []
        sums: list[str] = []
        for o, argument in self._places.items():
            kind, found = self._plan.results[o], shares[o]
            begin = next(
                (
                    share
                    for share in found
                    if share.is_all and share.argument in arguments and readers[share.argument] == 1
                ),
                None,
            )
            if begin is not None:
                to, rest = f"in[{begin.argument}]", [s.term for s in found if s is not begin]
                sums += summed(whole(kind), to, rest, CTYPES[kind.dtype], is_added=True)
            elif len(found) == 1 and found[0].is_all and found[0].argument is None:
                to = found[0].term.source
                spare.append((kind.nbytes, to))
            else:
                to = f"free{argument}"
                self._driver.before.append(f"char* {to} = {self._driver.room(kind.nbytes)};")
                spare.append((kind.nbytes, to))
                terms = [share.term for share in found]
                sums += summed(whole(kind), to, terms, CTYPES[kind.dtype])
            moved[argument] = to
        body = [*sums, *self._moves(moved, spare)]
        if body:
            self._driver.body.append("if (i) {")
            self._driver.body += [f"  {line}" for line in body]
            self._driver.body.append("}")

    def _moves(self, moved: dict[int, str], spare: Sequence[tuple[int, str]]) -> list[str]:
        """Pointers change places: each argument gets one, and each spare one is another's."""
        names = [f"in[{argument}]" for argument in moved]
        sizes = dict(zip(moved, [self._plan.results[o].nbytes for o in self._places], strict=True))
        unused = [
            (sizes[argument], f"was{argument}")
            for argument, name in zip(moved, names, strict=True)
            if name not in moved.values()
        ]
        lines = [f"char* was{argument} = in[{argument}];" for argument in moved]
        lines += [f"char* new{argument} = {to};" for argument, to in moved.items()]
        for nbytes, to in spare:
            free = next(pair for pair in unused if pair[0] == nbytes)
            unused.remove(free)
            lines.append(f"{to} = {free[1]};")
        return [*lines, *(f"in[{argument}] = new{argument};" for argument in moved)]

    def _first(self, n: int, place: str) -> None:
        """The gradient of what the first iteration starts from."""
        carry = self._loop.carries[n]
        kind = self._plan.inputs[self._writer.position[carry.input]]
        found = self._of_input(carry.input) if carry.input in self._handed else []
        terms = [share.term for share in found]
        self._driver.after += summed(whole(kind), place, terms, CTYPES[kind.dtype])


def _added(kind: Kind, to: str, source: str) -> str:
    return added(to, source, CTYPES[kind.dtype], kind.nbytes // kind.dtype.itemsize)
