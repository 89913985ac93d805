"""C++ loop nests over the elements of arrays."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from jupyter_npcompile.loops.kinds import CTYPES
from jupyter_npcompile.loops.leaves import Leaf, Leaves
from jupyter_npcompile.loops.sharing import Part, Size, shared
from jupyter_npcompile.loops.tiles import tile
from jupyter_npcompile.loops.values import Applied, Gathered, Lazy, Ref, Scalar
from jupyter_npcompile.loops.writer import Writer

Element = Callable[[Lazy | Scalar], str]
Body = Callable[[Element, list[str]], None]
ShortBody = Callable[[Element, list[str], int], None]

_NAME = re.compile(r"\w+")


class Loop(Leaves):
    """One C++ loop nest over the elements of an array.

    Attributes
    ----------
    locals : dict of str to str
        C++ variables that hold the present elements of arrays.
    lane : str
        The C++ type of some elements beside each other, where they are written as such; else
        empty.
    cuts_rows, cuts_columns : bool
        Whether each thread may do some of the rows, or a part of all rows.
    made : list of Ref
        Arrays that the body of a shared loop writes of its own accord.
    part : Part, optional
        What a thread does, while that is written.
    limit, wide : str
        C++ for how many elements there are, and how many a row has, where the last one may have
        less than the others; else empty.
    """

    def __init__(self, writer: Writer, dims: Sequence[str]) -> None:
        super().__init__(writer, dims)
        self.locals: dict[str, str] = {}
        self.lane = ""
        self.cuts_rows = self.cuts_columns = True
        self.made: list[Ref] = []
        self.part: Part | None = None
        self.bases: dict[str, str] = {}
        self.limit = self.wide = ""
        self.counters = [writer.name("k") for _ in dims]

    def run(self, body: Body, lane: str = "", *, again: bool = False) -> None:
        """Write the loop nest.

        Parameters
        ----------
        body : callable
            ``body(element, counters)`` writes the innermost statements;
            ``element(value)`` is the C++ for an element of a value.
        lane : str
            The C++ type of some elements beside each other, where such are to be written: see
            `lanes.lane_of`.
        again : bool
            Whether elements may be computed twice, for nothing reads what is written.
        """
        if not tile(self):
            self.merge()

        def inner(element: Element, counters: list[str]) -> None:
            if self.is_short:
                k = counters[-1]
                for place in range(int(self.dims[-1])):
                    with self.writer.block():
                        self.writer.emit(f"constexpr i64 {k} = {place};")
                        body(element, counters)
                return
            if not lane or not self._is_known:
                self._one_by_one(body, element)
                return
            n = self.dims[-1]
            with self.writer.block(f"if (has_lanes && {n} >= {lane}::count)"):
                self._by_lanes(body, element, lane, again=again)
            with self.writer.block("else"):
                self._one_by_one(body, element)

        self.rows(inner)

    def _one_by_one(self, body: Body, element: Element) -> None:
        k = self.counters[-1]
        self.writer.emit("#pragma GCC ivdep")
        self.writer.emit(f"for (i64 {k} = 0; {k} < {self.dims[-1]}; {k}++) {{")
        body(element, self.counters)
        self.writer.emit("}")

    def _by_lanes(self, body: Body, element: Element, lane: str, *, again: bool) -> None:
        """A row by vectors: the last ones once more, or what is left one by one."""
        w, k, n, count = self.writer, self.counters[-1], self.dims[-1], f"{lane}::count"
        if again:
            begin = w.name("k")
            w.emit(f"for (i64 {begin} = 0; {begin} < {n}; {begin} += {count}) {{")
            w.emit(f"const i64 {k} = math::min<i64>({begin}, {n} - {count});")
        else:
            w.emit(f"i64 {k} = 0;")
            w.emit(f"for (; {k} + {count} <= {n}; {k} += {count}) {{")
        self.lane = lane
        body(element, self.counters)
        self.lane = ""
        w.emit("}")
        if not again:
            w.emit(f"for (; {k} < {n}; {k}++) {{")
            body(element, self.counters)
            w.emit("}")

    def rows(self, body: Body) -> None:
        """Write the loops over all dimensions but the last.

        Parameters
        ----------
        body : callable
            As in `run`, for one row; it counts the elements itself.
        """
        self.variants(lambda unit: self._nest(body, unit=unit))

    def short_rows(self, lengths: Sequence[int], short: ShortBody, body: Body) -> None:
        """Write the loops over all dimensions but the last, with forms for rows of few elements.

        Rows of a known length need no loop, and the compiler goes through many of them at once.

        Parameters
        ----------
        lengths : sequence of int
            Of rows that have a form.
        short : callable
            ``short(element, counters, length)`` writes what is done with such a row; the last
            counter is no variable there.
        body : callable
            As in `rows`, for the others.
        """

        def write(unit: bool) -> None:
            if not unit:
                self._nest(body, unit=unit)
                return
            n = self.dims[-1]
            if n.isdigit() and int(n) in lengths:
                with self.writer.block():
                    self._short(short, int(n))
                return
            for length in lengths if not n.isdigit() else ():
                with self.writer.block(f"if ({n} == {length})"):
                    self._short(short, length)
                self.writer.emit("else")
            with self.writer.block():
                self._nest(body, unit=unit)

        self.variants(write)

    def _short(self, short: ShortBody, length: int) -> None:
        """Rows of one length; where each follows the one before, the compiler is told."""
        w = self.writer

        def body(element: Element, counters: list[str]) -> None:
            short(element, counters, length)

        found = [leaf.steps[-2] for leaf in self.leaves.values()]
        steps = [step for step in found if step.isidentifier()]  # others are not asked for
        columns, self.cuts_columns = self.cuts_columns, False
        if steps:
            with w.block(f"if ({' && '.join(f'{step} == {length}' for step in steps)})"):
                w.emit(*(f"const i64 {step} = {length};" for step in steps))
                self._nest(body, unit=True)
            w.emit("else")
        with w.block():
            self._nest(body, unit=True)
        self.cuts_columns = columns

    def _nest(self, body: Body, *, unit: bool) -> None:
        def write() -> None:
            self._rows(body, unit=unit)

        w, mark = self.writer, self.writer.mark()
        if self.cost and self._is_known and not w.is_rare and (self.ndim > 1 or self.cuts_columns):
            if self._shared(write):
                return
            w.back(mark)
        write()

    def _shared(self, write: Callable[[], None]) -> bool:
        """Write rows so that threads may share them; whether that may be done."""
        w, dims, bases = self.writer, self.dims, self.bases
        steps = [leaf.steps for leaf in self.leaves.values()]
        self._named()

        def write_part(part: Part) -> None:
            self.part = part
            if self.cuts_columns:
                self.dims = [*self.dims[:-1], w.hold("i64", f"{part.end} - {part.begin}", "m")]
            write()

        is_shared = shared(w, self._size(), write_part, self.made)
        self.dims, self.part, self.bases = dims, None, bases
        for leaf, known in zip(self.leaves.values(), steps, strict=True):
            leaf.steps = known
        return is_shared

    def _size(self) -> Size:
        """What there is to share: rows that are not cut are a part of what is between."""
        cost, row = f"{self.cost:.2f}", self.dims[-1]
        above, between = self.dims[:-1], "1"
        if above and self.cuts_rows:
            between, above = above[0], above[1:]
        inner = " * ".join(above) or "1"
        if not self.cuts_columns:
            return Size(between, inner, "1", f"{cost} * (double){row}")
        return Size(between, inner, row, cost)

    def _named(self) -> None:
        """Give all that rows need a name: threads get copies of numbers, and no arrays."""
        w = self.writer
        self.dims = [n if _NAME.fullmatch(n) else w.hold("i64", n, "n") for n in self.dims]
        self.bases = {}
        for code, leaf in self.leaves.items():
            if leaf.beside is None:
                base = self.bases[code] = w.name("b")
                row = leaf.base or f"{leaf.ref.code}.p"
                w.emit(f"const {CTYPES[leaf.ref.dtype]} *{base} = {row};")
            leaf.steps = [
                step if _NAME.fullmatch(step) else w.hold("i64", step, "s") for step in leaf.steps
            ]

    def _rows(self, body: Body, *, unit: bool) -> None:
        w = self.writer
        last = self.ndim - 1
        for d in range(last):
            k, begin, end = self.counters[d], "0", self.dims[d]
            if self.part is not None and self.cuts_rows and d == 0:
                begin, end = self.part.first, self.part.last
            w.emit(f"for (i64 {k} = {begin}; {k} < {end}; {k}++) {{")
        self.begin_row()
        dims = self.dims
        if self.limit:
            left = f"{self.limit} - {self.counters[0]} * {self.wide} - {self.first_column}"
            self.dims = [*dims[:-1], w.hold("i64", f"math::min<i64>({dims[-1]}, {left})", "m")]

        def element(value: Lazy | Scalar) -> str:
            return self.element(value, unit=unit)

        body(element, self.counters)
        self.dims = dims
        for _ in range(last):
            w.emit("}")

    @property
    def first_column(self) -> str:
        """C++ for where a row begins: a thread may do a part of each."""
        return self.part.begin if self.part is not None and self.cuts_columns else "0"

    def begin_row(self) -> None:
        """Write where the arrays have the present row; the counters say which that is."""
        w, last = self.writer, self.ndim - 1
        counters = [*self.counters[:last], self.first_column]
        for code, leaf in self.leaves.items():
            if leaf.beside is not None:
                row, away = leaf.beside
                w.emit(f"const {CTYPES[leaf.ref.dtype]} *{leaf.row} = {row} + {away};")
                continue
            base = self.bases.get(code, leaf.base or f"{leaf.ref.code}.p")
            offsets = [
                f" + {counter} * {step}"
                for counter, step in zip(counters, leaf.steps, strict=True)
                if "0" not in (counter, step)
            ]
            w.emit(f"const {CTYPES[leaf.ref.dtype]} *{leaf.row} = {base}{''.join(offsets)};")

    def assign(self, ref: Ref, place: str, code: str) -> None:
        """Write that an element of an array becomes something.

        Parameters
        ----------
        ref : Ref
            The array.
        place : str
            C++ for its element, as it is read.
        code : str
            C++ for what it becomes.
        """
        if self.lane:
            c = CTYPES[ref.dtype]
            row = f"({c} *){self.leaves[ref.code].row}"
            # A statement that began with a type could be taken for a declaration.
            self.writer.emit(f"static_cast<{self.lane}>({code}).put({row} + {self.counters[-1]});")
        else:
            self.writer.emit(f"{self.target(place, ref)} = {code};")

    def target(self, element: str, ref: Ref) -> str:
        """C++ for an element of an array, as it may be assigned to."""
        row = self.leaves[ref.code].row
        return element.replace(row, f"(({CTYPES[ref.dtype]} *){row})", 1)

    def element(self, value: Lazy | Scalar, *, unit: bool) -> str:
        """C++ for an element of a value in the present row."""
        if isinstance(value, Scalar):
            return value.code
        if isinstance(value, Applied):
            return value.template.format(
                *(self.element(operand, unit=unit) for operand in value.operands)
            )
        if isinstance(value, Gathered):
            index = self.element(value.index, unit=unit)
            source = value.source.code
            return f"{source}.p[at((i64){index}, {source}.n[0]) * {source}.s[0]]"
        if value.code in self.locals:
            return self.locals[value.code]
        leaf = self.leaves[value.code]
        k, step = self.counters[-1], leaf.steps[-1]
        if self.lane:
            return self._lanes_of(leaf, f"{leaf.row} + {k}")
        if step == "0":
            return f"{leaf.row}[0]"
        if unit and value.type.unit:
            return f"{leaf.row}[{k}]"
        return f"{leaf.row}[{k} * {step}]"

    def _lanes_of(self, leaf: Leaf, pointer: str) -> str:
        """C++ for as many elements of the present row as a vector has."""
        step = leaf.steps[-1]
        if step == "0":
            return f"{self.lane}({leaf.row}[0])"
        if leaf.ref.type.unit:
            return f"{self.lane}::at({pointer})"
        return f"{self.lane}::at({pointer} * {step}, {step})"
