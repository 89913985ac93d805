"""The arrays that a loop nest reads, and how their elements lie."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.loops.values import Applied, Gathered, Lazy, Ref, Scalar
from jupyter_npcompile.loops.writer import Writer

SHORT = 16
"""Elements for each of which there are lines of its own, at most."""

ALIKE = 4
"""So many operands more than one are slices of one array, for code of their own."""


def columns(refs: Iterable[Ref]) -> frozenset[str]:
    """The arrays that are probably broadcast in the last dimension: of one element, unlike others.

    Examples
    --------
    >>> from jupyter_npcompile.loops.kinds import ArrayType
    >>> a = Ref("a", ArrayType("float64", 2, True))
    >>> b = Ref("b", ArrayType("float64", 2, True, single=True))
    >>> sorted(columns([a, b])), sorted(columns([b]))
    (['b'], [])
    """
    refs = list(refs)
    single = frozenset(ref.code for ref in refs if ref.type.single)
    return single if any(not ref.type.single and not ref.type.thin for ref in refs) else NONE


NONE: frozenset[str] = frozenset()


@dataclass
class Leaf:
    """An array that a loop reads."""

    ref: Ref
    row: str  # pointer to the present row
    steps: list[str]  # one C++ name a dimension: the strides, 0 where it is broadcast
    beside: tuple[str, int] | None = None  # a row, and how many elements further this one begins
    base: str = ""  # pointer to the first row, where that is a copy


class Leaves:
    """The arrays that a loop nest over the elements of an array reads.

    Parameters
    ----------
    writer : Writer
        Where it goes.
    dims : sequence of str
        C++ expressions: the shape.

    Attributes
    ----------
    is_tested : bool
        Whether all shapes are known to fit, and arrays whose elements lie beside each other are
        not broadcast in the last dimension.
    leaves : dict of str to Leaf
        By the C++ for the array.
    columns : frozenset of str
        Those that probably have one column. Rows of which each has one element of theirs are
        written for them; if the shapes are known to fit, so is this.
    cost : float
        Nanoseconds that an element takes, where several threads may share the loop; else 0.
    """

    def __init__(self, writer: Writer, dims: Sequence[str]) -> None:
        self.writer = writer
        self.dims = list(dims)
        self.ndim = len(dims)
        self.is_tested = False
        self.leaves: dict[str, Leaf] = {}
        self.cost = 0.0
        self.columns: frozenset[str] | None = None
        self._is_known = False

    def prepare(self, value: Lazy | Scalar) -> None:
        """Check the shapes of all arrays in an expression, and name their strides."""
        if isinstance(value, Scalar):
            return
        if isinstance(value, Applied):
            for operand in value.operands:
                self.prepare(operand)
            return
        if isinstance(value, Gathered):
            self.prepare(value.index)
            return
        if value.code not in self.leaves:
            self._leaf(value)

    def _leaf(self, ref: Ref) -> None:
        w = self.writer
        row = w.name("r")
        steps = []
        for d in range(self.ndim):
            own = d - (self.ndim - ref.ndim)
            if own < 0:
                steps.append("0")
                continue
            n = ref.n(own)
            if n == self.dims[d] and n.isdigit():
                unit = own == ref.ndim - 1 and ref.type.unit
                steps.append("1" if unit else f"{ref.code}.s[{own}]")
                continue
            if not self.is_tested:
                w.emit(f"NEED({n} == {self.dims[d]} || {n} == 1);")
            if n == "1" or (ref.type.thin and own == ref.ndim - 1):
                steps.append("0")
                continue
            steps.append(
                w.hold("i64", f"{n} == {self.dims[d]} ? {ref.code}.s[{own}] : (i64)0", "s")
            )
        self.leaves[ref.code] = Leaf(ref, row, steps)

    @property
    def is_short(self) -> bool:
        """Whether all dimensions are known, and the elements few."""
        return all(n.isdigit() for n in self.dims) and math.prod(map(int, self.dims)) <= SHORT

    def merge(self) -> None:
        """Take all rows for one where they lie so: for loops that ask for no positions."""
        steps = [leaf.steps for leaf in self.leaves.values()]
        if self.is_short or self._columns:
            return
        if self.ndim < 2 or not steps or any("0" in some for some in steps):
            return
        w, sizes = self.writer, self.dims
        tests = [
            f"{some[d]} == {some[d + 1]} * {sizes[d + 1]}"
            for some in steps
            for d in range(self.ndim - 1)
        ]
        one = w.hold("bool", " && ".join(tests), "one")
        self.dims = [w.hold("i64", f"{one} ? 1 : {n}", "n") for n in sizes[:-1]]
        self.dims.append(w.hold("i64", f"{one} ? {' * '.join(sizes)} : {sizes[-1]}", "n"))

    def variants(self, write: Callable[[bool], None]) -> None:
        """Write something for rows whose elements lie beside each other, and for others.

        Parameters
        ----------
        write : callable
            ``write(unit)``; for others alone where no row is known to lie so.
        """
        if self.is_tested:
            with self._broadcast():
                self._by_steps(write)
            return
        w, wide = self.writer, {leaf.ref.code for leaf in self._columns}
        units = [
            f"({leaf.steps[-1]} == {0 if code in wide else 1} || {self.dims[-1]} <= 1)"
            for code, leaf in self.leaves.items()
            if code in wide or (leaf.ref.type.unit and leaf.steps[-1] not in ("0", "1"))
        ]
        is_unit = any(leaf.ref.type.unit and leaf.steps[-1] == "1" for leaf in self.leaves.values())
        if units:
            with w.block(f"if ({' && '.join(units)})"), self._broadcast():
                self._by_steps(write)
            with w.block("else"):
                write(False)
        elif is_unit:
            self._by_steps(write)
        else:
            write(False)

    @property
    def _columns(self) -> list[Leaf]:
        """Arrays that are broadcast in the last dimension, if a test says so."""
        leaves = self.leaves.values()
        found = columns(leaf.ref for leaf in leaves) if self.columns is None else self.columns
        return [leaf for leaf in leaves if leaf.ref.code in found and leaf.steps[-1].isidentifier()]

    @contextmanager
    def _broadcast(self) -> Iterator[None]:
        """Write what is for rows of which each has one element of those arrays."""
        before = [(leaf, leaf.steps[-1]) for leaf in self._columns]
        for leaf, _ in before:
            leaf.steps[-1] = "0"
        yield
        for leaf, step in before:
            leaf.steps[-1] = step

    def _by_steps(self, write: Callable[[bool], None]) -> None:
        """Write something for rows that lie beside each other but for slices with steps.

        Compilers know how to read every second element of a row, where they know that it is every
        second.
        """
        w = self.writer
        steps = {
            leaf.steps[-1]: leaf.ref.type.apart
            for leaf in self.leaves.values()
            if not leaf.ref.type.unit and leaf.steps[-1].isidentifier()
        }
        if not steps:
            self._known(write)
            return
        if 0 in steps.values():
            write(True)
            return
        with w.block(f"if ({' && '.join(f'{name} == {by}' for name, by in steps.items())})"):
            for name, by in steps.items():
                w.emit(f"const i64 {name} = {by};")
            self._known(write)
        with w.block("else"):
            write(True)

    def _alike(self, write: Callable[[], None]) -> None:
        """Write something twice where many operands are slices of one array.

        Then all of them are as many elements further in each row, which is computed once, and
        those that differ in the last dimension need one pointer together: processors have few.
        """
        groups: dict[str, list[Leaf]] = {}
        for leaf in self.leaves.values():
            if leaf.ref.root and "0" not in leaf.steps:
                groups.setdefault(leaf.ref.root, []).append(leaf)
        pairs = [
            (leaf.steps[d], first.steps[d])
            for first, *others in groups.values()
            if len(others) >= ALIKE
            for leaf in others
            for d in range(self.ndim - 1)
        ]
        if not pairs:
            write()
            return
        w = self.writer
        tests = [f"{one} == {other}" for one, other in pairs]
        for group in groups.values():
            tests += self._put_beside(group) if len(group) > ALIKE else []
        with w.block(f"if ({' && '.join(tests)})"):
            w.emit(*(f"const i64 {one} = {other};" for one, other in pairs))
            write()
        for leaf in self.leaves.values():
            leaf.beside = None
        cost, self.cost = self.cost, 0.0  # once is enough
        with w.block("else"):
            write()
        self.cost = cost

    def _put_beside(self, group: list[Leaf]) -> list[str]:
        """Have rows found by those of which they are a few elements away; what must be so."""
        tests: list[str] = []
        firsts: dict[str, tuple[Leaf, int]] = {}
        for leaf in group:
            if leaf.ref.column is None:
                continue
            rows, begin = leaf.ref.column
            first, start = firsts.setdefault(rows, (leaf, begin))
            if first is not leaf:
                leaf.beside = first.row, begin - start
                tests.append(f"{leaf.ref.code}.p == {first.ref.code}.p + {begin - start}")
        return tests

    def _known(self, write: Callable[[bool], None]) -> None:
        """Write something for rows of which the compiler knows how their elements lie."""
        self._is_known = True
        self._alike(lambda: write(True))
        self._is_known = False
