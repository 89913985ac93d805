"""Sums of rows of an array, each times a number of another: the inner loops of ``np.einsum``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jupyter_npcompile.loops.costs import OPERATION
from jupyter_npcompile.loops.sharing import Part, Size, shared
from jupyter_npcompile.loops.values import Ref
from jupyter_npcompile.loops.writer import Writer

TOGETHER = 4
"""Rows that are added to one while it is in registers."""

SIDE_BY_SIDE = 4
"""Rows of the result to which they are added while they are."""


class RowSums:
    """Writes a result row by row.

    Every element is added up in NumPy's order; which row comes first is free, and
    rows that are added stay in the nearest memory while they are needed again.

    Parameters
    ----------
    w : Writer
        The text.
    operands : tuple of Ref
        Both operands.
    letters : tuple of str
        Names of the axes of the operands, and of the result: its last one is the
        last one of an operand.
    sizes : mapping of str to str
        C++ for the length of each axis.
    """

    def __init__(
        self,
        w: Writer,
        operands: tuple[Ref, Ref],
        letters: tuple[str, str, str],
        sizes: Mapping[str, str],
    ) -> None:
        left, right, result = letters
        self.w = w
        self.operands = operands
        self.letters = letters
        self.sizes = sizes
        self.result = result
        self.last = result[-1]
        self.counters = {x: w.name("k") for x in dict.fromkeys(result + left + right)}
        self.summed = [x for x in self.counters if x not in result]
        self._rows = left if left.endswith(self.last) else right

    def into(self, target: Ref) -> None:
        """Write the loops: the result goes into an array that lies in C's order."""
        outer = sorted(self.result[:-1], key=lambda x: x not in self._rows)
        tiled = outer.pop() if outer and outer[-1] not in self._rows else ""
        if outer and self._shared(target, outer, tiled):
            return
        with self.w.block(" ".join(self._head(x) for x in outer)):
            self._tiled(target, tiled)

    def _shared(self, target: Ref, outer: Sequence[str], tiled: str) -> bool:
        """Write loops that several threads share; whether that may be done."""
        w, sizes = self.w, self.sizes
        rows = w.hold("i64", " * ".join(sizes[x] for x in outer), "n")
        within = [f"(double){sizes[x]}" for x in (*tiled, *self.summed, self.last)]

        def write(part: Part) -> None:
            row, rest = w.name("k"), w.name("k")
            with w.block(f"for (i64 {row} = {part.first}; {row} < {part.last}; {row}++)"):
                w.emit(f"i64 {rest} = {row};")
                for x in reversed(outer):
                    w.emit(f"const i64 {self.counters[x]} = {rest} % {sizes[x]};")
                    w.emit(f"{rest} /= {sizes[x]};")
                self._tiled(target, tiled)

        size = Size(rows, "1", "1", " * ".join((f"{OPERATION}", *within)))
        return shared(w, size, write, [*self.operands, target])

    def _tiled(self, target: Ref, tiled: str) -> None:
        """Rows of the result, along one more axis: several at a time."""
        if not tiled:
            self._write(target, [{}])
            return
        w, k, n = self.w, self.counters[tiled], self.sizes[tiled]
        w.emit(f"i64 {k} = 0;")
        for count in (SIDE_BY_SIDE, 1):
            with w.block(f"for (; {k} + {count} <= {n}; {k} += {count})"):
                self._write(target, [{tiled: f"({k} + {more})"} for more in range(count)])

    def _head(self, x: str) -> str:
        k = self.counters[x]
        return f"for (i64 {k} = 0; {k} < {self.sizes[x]}; {k}++)"

    def _write(self, target: Ref, places: Sequence[Mapping[str, str]]) -> None:
        """Some rows of the result, at places along one axis."""
        w, k = self.w, self.counters[self.last]
        rows = [w.name("out") for _ in places]
        for row, place in zip(rows, places, strict=True):
            where = {**self.counters, **place}
            steps = [f"{where[x]} * {target.code}.s[{d}]" for d, x in enumerate(self.result[:-1])]
            w.emit(f"double *const {row} = {target.code}.p + {' + '.join(steps) or '0'};")
            w.emit(f"{self._head(self.last)} {row}[{k}] = 0.0;")
        with w.block(" ".join(self._head(x) for x in self.summed[:-1])):
            self._add(rows, places)

    def _add(self, rows: Sequence[str], places: Sequence[Mapping[str, str]]) -> None:
        """Add products to rows of the result, along the last axis that is summed up."""
        w, along, j = self.w, self.summed[-1], self.counters[self.last]
        k = self.counters[along]
        w.emit(f"i64 {k} = 0;")
        for count in (TOGETHER, 1):
            with w.block(f"for (; {k} + {count} <= {self.sizes[along]}; {k} += {count})"):
                held: dict[str, str] = {}
                sums = []
                for row, place in zip(rows, places, strict=True):
                    products = []
                    for more in range(count):
                        where = {**self.counters, **place, along: f"({k} + {more})"}
                        pairs = zip(self.operands, self.letters, strict=False)
                        factors = [self._factor(ref, text, where, held) for ref, text in pairs]
                        products.append(" * ".join(factors))
                    sums.append(f"{row}[{j}] = {' + '.join([f'{row}[{j}]', *products])};")
                w.emit("#pragma GCC ivdep")
                with w.block(self._head(self.last)):
                    w.emit(*sums)

    def _factor(self, ref: Ref, text: str, where: Mapping[str, str], held: dict[str, str]) -> str:
        """C++ for an element of an operand, in a loop along the last axis of the result."""
        last = self.last
        steps = [f"{where[x]} * {ref.code}.s[{d}]" for d, x in enumerate(text) if x != last]
        pointer = f"{ref.code}.p + {' + '.join(steps) or '0'}"
        if pointer not in held:
            held[pointer] = (
                self.w.hold("double *", pointer, "r")
                if last in text
                else self.w.hold("double", f"*({pointer})", "x")
            )
        if last not in text:
            return held[pointer]
        d = text.index(last)
        step = "" if d == ref.ndim - 1 and ref.type.unit else f" * {ref.code}.s[{d}]"
        return f"{held[pointer]}[{where[last]}{step}]"
