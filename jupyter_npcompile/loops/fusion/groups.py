"""Statements on arrays of one shape, which are done in one C++ loop, element by element."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field, replace

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.loops import elementwise
from jupyter_npcompile.loops.costs import element_cost, is_wide
from jupyter_npcompile.loops.fusion.fusible import NotFusible
from jupyter_npcompile.loops.kinds import CTYPES, ArrayType
from jupyter_npcompile.loops.lanes import lane_of
from jupyter_npcompile.loops.leaves import columns
from jupyter_npcompile.loops.nests import Element, Loop
from jupyter_npcompile.loops.quiet import unheard
from jupyter_npcompile.loops.values import Applied, Lazy, Ref, Scalar, dtype_of, ndim_of
from jupyter_npcompile.loops.writer import Writer

MOST_ARRAYS, MOST_OPERATIONS = 32, 96
"""Arrays, and operations on their elements, in one loop."""

_ALONE = re.compile(
    r"\b(fitting|element|floor_mod|floor_div|checked_\w+|wrapping_pow|np_heaviside"
    r"|logaddexp|complex_\w+|exactly|Complex|math::fm(od|ax|in))\b"
)
"""What GCC does for one element at a time: all else in the loop would be done so, too."""

_BRANCH = re.compile(r"\?|&&|\|\|")
"""Behind this place in its C++ an operand may not be computed."""


@dataclass(frozen=True)
class Step:
    """One statement.

    Parameters
    ----------
    target : Ref
        Where its elements go.
    value : array or number
        What they are.
    """

    target: Ref
    value: Lazy | Scalar


@dataclass
class Group:
    """Statements that have been found to go together.

    Attributes
    ----------
    dims : list of str
        C++ names of the shape.
    steps : list of Step
        The statements.
    fresh : dict of str to Ref
        New arrays, by their names in C++.
    allocated : frozenset of str
        Those of them that have memory already.
    targets : dict of str to Ref
        Arrays from outside that are written into.
    arrays : dict of str to Ref
        Arrays from outside that are read or written, each element in its turn.
    elsewhere : dict of str to Ref
        Arrays that are read at other places, before the loop begins.
    extents : set of str
        What is said of the shape.
    tests : list of str
        C++ conditions for all of it, which are looked at before the loop.
    operations : int
        On each element.
    sliced : dict of str to str
        Views that are slices of all dimensions, and their extents.
    firsts : list of Ref
        Arrays that give the shape, together.
    views : set of str
        Names of new arrays that are views in NumPy, so nothing outside the group may see them.
    """

    dims: list[str] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    fresh: dict[str, Ref] = field(default_factory=dict)
    allocated: frozenset[str] = frozenset()
    targets: dict[str, Ref] = field(default_factory=dict)
    arrays: dict[str, Ref] = field(default_factory=dict)
    elsewhere: dict[str, Ref] = field(default_factory=dict)
    extents: set[str] = field(default_factory=set)
    tests: list[str] = field(default_factory=list)
    operations: int = 0
    sliced: dict[str, str] = field(default_factory=dict)
    firsts: list[Ref] = field(default_factory=list)
    views: set[str] = field(default_factory=set)

    def copy(self) -> Group:
        """The same group, to which something may be added that is taken back again."""
        return replace(
            self,
            steps=[*self.steps],
            fresh={**self.fresh},
            targets={**self.targets},
            arrays={**self.arrays},
            elsewhere={**self.elsewhere},
            extents={*self.extents},
            tests=[*self.tests],
            sliced={**self.sliced},
            views={*self.views},
        )

    def bind(self, writer: Writer, value: Lazy, extents: set[str]) -> Ref:
        """A new array with the elements of an expression; returns what stands for it.

        Raises
        ------
        NotFusible
            When it needs a loop of its own.
        """
        self.admit(value, extents)
        if not self.dims:
            self.dims = elementwise.shape_of(writer, value)
            self.begin(value)
        elif value.ndim != len(self.dims):
            raise NotFusible
        else:
            self.fit(value)
            self.reach(value)
        target = Ref(writer.name("a"), ArrayType(value.dtype, len(self.dims), True), is_fresh=True)
        self.fresh[target.code] = target
        self.add(writer, target, value)
        return target

    def start(self, target: Ref, dims: Sequence[str], value: Lazy | Scalar) -> Ref:
        """A new array that has memory, and whose elements have not been written yet."""
        self.admit(value, set())
        if not self.dims:
            self.dims = list(dims)
            self.begin(value)
        elif len(dims) != len(self.dims):
            raise NotFusible
        else:
            self.tests += [f"{n} == {own}" for n, own in zip(dims, self.dims, strict=True)]
        self.fit(value)
        target = replace(target, is_fresh=True)
        self.fresh[target.code] = target
        self.allocated |= {target.code}
        self.steps.append(Step(target, value))
        return target

    def write(self, writer: Writer, target: Ref, value: Lazy | Scalar, extents: set[str]) -> None:
        """Write an expression into an array."""
        self.admit(value, extents, target)
        sizes = [f"{target.code}.n[{d}]" for d in range(target.ndim)]
        is_first = not self.dims
        if is_first:
            self.dims = [writer.hold("i64", size, "n") for size in sizes]
        elif target.ndim != len(self.dims):
            raise NotFusible
        if ndim_of(value) > target.ndim:
            raise NotFusible
        if target.code not in self.fresh and target.code not in self.targets:
            if not is_first:
                self.tests += [f"{n} == {own}" for n, own in zip(sizes, self.dims, strict=True)]
            self.targets[target.code] = self.arrays[target.code] = target
        self.fit(value)
        self.add(writer, target, value)

    def begin(self, value: Lazy | Scalar) -> None:
        """The shape is that of an expression, whose arrays may all be broadcast to it."""
        self.firsts = elementwise.leaves_of(value)
        self.arrays.update({leaf.code: leaf for leaf in self.firsts})

    def admit(self, value: Lazy | Scalar, extents: set[str], target: Ref | None = None) -> None:
        """Look whether a value may be computed in the loop.

        Raises
        ------
        NotFusible
            When it may not.
        """
        if elementwise.sources_of(value) or dtype_of(value) == "complex128":
            raise NotFusible
        if any(_ALONE.search(template) for template in _templates(value)):
            raise NotFusible
        leaves = elementwise.leaves_of(value)
        if target is not None:
            leaves.append(target)
        if any(leaf.dtype == "complex128" for leaf in leaves):
            raise NotFusible
        known = {leaf.code for leaf in leaves}
        near = known & {*self.fresh, *(k for k, a in self.arrays.items() if a.ndim == self.ndim)}
        if self.steps and not near and not extents & self.extents:
            raise NotFusible  # nothing says that it has the same shape
        self.extents |= extents
        self.operations += elementwise.size_of(value)
        arrays = {*self.arrays, *known} - set(self.fresh)
        if self.operations > MOST_OPERATIONS or len(arrays) + len(self.fresh) > MOST_ARRAYS:
            raise NotFusible

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.dims)

    def fit(self, value: Lazy | Scalar) -> None:
        """Test whether arrays that are new to the group may be broadcast to its shape."""
        for leaf in elementwise.leaves_of(value):
            if leaf.code in self.fresh or leaf.code in self.arrays:
                continue
            if leaf.ndim > self.ndim:
                raise NotFusible
            self.arrays[leaf.code] = leaf
            for d, own in enumerate(self.dims[self.ndim - leaf.ndim :]):
                if not leaf.type.single or d < leaf.ndim - 1:  # which depends on the others
                    self.tests.append(_fits(leaf, d, own))

    def reach(self, value: Lazy) -> None:
        """Test whether the result has the shape of the group, and not a smaller one."""
        leaves = elementwise.leaves_of(value)
        exact = {*self.fresh, *self.targets}
        if any(leaf.code in exact for leaf in leaves):
            return
        for d, own in enumerate(self.dims):
            first = [(leaf, d - (self.ndim - leaf.ndim)) for leaf in leaves]
            sizes = [f"{leaf.code}.n[{k}] == {own}" for leaf, k in first if k >= 0]
            self.tests.append(f"({' || '.join(dict.fromkeys(sizes))})")

    def add(self, writer: Writer, target: Ref, value: Lazy | Scalar) -> None:
        """Add a statement."""
        self.steps.append(Step(target, elementwise.hoisted(writer, value)))

    def conditions(self) -> list[str]:
        """C++ for what must hold, so that the order of the statements does not matter."""
        tests = [*self.tests]
        for target in self.targets.values():
            tests.append(f"apart({target.code})")
            others = [a for code, a in self.arrays.items() if code != target.code]
            others += [other for other in self.elsewhere.values() if not other.type.is_small]
            tests += [f"!overlaps({target.code}, {other.code})" for other in others]
        thin = self.columns
        first = {leaf.code for leaf in self.firsts}
        tests += [
            _fits_last(leaf, self.dims[-1], thin)
            for code, leaf in self.arrays.items()
            if leaf.type.single and code not in first
        ]
        if self.fresh:  # they are in C's order here
            tests += [f"!is_odd({leaf.code})" for leaf in self.arrays.values() if leaf.ndim > 1]
        if tests:
            # The statements are also written as they stand; so here is one loop, and not two.
            tests += [
                _fits_last(leaf, self.dims[-1], thin)
                for leaf in self.firsts
                if leaf.type.unit or leaf.code in thin
            ]
        return list(dict.fromkeys(tests))

    @property
    def columns(self) -> frozenset[str]:
        """Arrays of which a row has one element."""
        return columns(self.arrays.values())

    def look(self) -> None:
        """Look whether what is written may be apart from what is read elsewhere.

        Raises
        ------
        NotFusible
            When it never is.
        """
        for target in self.targets.values():
            for other in [*self.arrays.values(), *self.elsewhere.values()]:
                if self.surely_overlap(target, other):
                    raise NotFusible

    def surely_overlap(self, target: Ref, other: Ref) -> bool:
        """Whether an array is another part of what is written into, which overlaps it."""
        if not target.root or target.root != other.root:
            return False
        if other.code in self.elsewhere:
            return True
        slices = all(ref.code in self.sliced or ref.code == ref.root for ref in (target, other))
        return slices and target.code != other.code

    def stored(self, wanted: set[str]) -> set[str] | None:
        """New arrays that need memory; None when nobody would notice that NumPy warns.

        A value that nothing depends on, or only in some cases, would not be computed.

        Parameters
        ----------
        wanted : set of str
            Those that are needed afterwards.
        """
        kept = {*wanted, *self.allocated}
        while True:
            needed = {*kept, *self.targets}
            lost = None
            for step in reversed(self.steps):
                code = step.target.code
                if code not in needed:
                    lost = code
                    break
                needed.discard(code)
                needed |= _always_read(step.value)
            if lost is None:
                return kept
            if lost not in self.fresh or lost in kept:
                return None
            kept.add(lost)

    def emit(self, writer: Writer, stored: set[str], *, is_tested: bool) -> None:
        """Write the loop.

        Parameters
        ----------
        writer : Writer
            Where it goes.
        stored : set of str
            New arrays that need memory.
        is_tested : bool
            Whether the conditions have been tested.
        """
        for code in self.fresh:
            if code in stored and code not in self.allocated:
                elementwise.new(writer, self.fresh[code].dtype, self.dims, code)
        with writer.block():
            loop = Loop(writer, self.dims)
            loop.is_tested = is_tested
            loop.columns = self.columns
            written = [self.fresh[code] for code in self.fresh if code in stored]
            written += self.targets.values()
            moved = list(dict.fromkeys([*self._read(), *written]))
            for ref in moved:
                loop.prepare(ref)
            unheard(writer, [step.value for step in self.steps])

            def body(element: Element, counters: list[str]) -> None:
                loop.locals = {}
                for step in self.steps:
                    name = writer.name("x")
                    c = CTYPES[step.target.dtype]
                    code = element(step.value)
                    writer.emit(f"const {loop.lane or c} {name} = {code};")
                    loop.locals[step.target.code] = name
                last, loop.locals = loop.locals, {}
                for ref in written:
                    loop.assign(ref, element(ref), last[ref.code])

            values = [step.value for step in self.steps]
            lane, loop.cost = lane_of(values, written), element_cost(values, moved)
            writer.is_wide |= is_wide(values)
            read = {ref.code for ref in self._read()}
            loop.run(body, lane, again=is_tested and read.isdisjoint(ref.code for ref in written))

    def _read(self) -> list[Ref]:
        """Arrays from outside whose elements are read."""
        read = {leaf.code for step in self.steps for leaf in elementwise.leaves_of(step.value)}
        return [array for code, array in self.arrays.items() if code in read]


def _fits(array: Ref, dimension: int, own: str) -> str:
    """C++ for whether an array fits; in the last dimension, one step must be one element."""
    n = f"{array.code}.n[{dimension}]"
    if array.type.unit and dimension == array.ndim - 1:
        return f"{n} == {own}"
    return f"({n} == {own} || {n} == 1)"


def _fits_last(array: Ref, own: str, thin: frozenset[str]) -> str:
    """C++ for whether an array fits in the last dimension."""
    if array.code in thin:
        return f"{array.code}.n[{array.ndim - 1}] == 1"
    return _fits(array, array.ndim - 1, own)


def _templates(value: Lazy | Scalar) -> list[str]:
    if not isinstance(value, Applied):
        return []
    below = [text for operand in value.operands for text in _templates(operand)]
    return [value.template, *below]


def _always_read(value: Lazy | Scalar) -> set[str]:
    """The arrays whose elements an expression needs whatever they are."""
    if isinstance(value, Ref):
        return {value.code}
    if not isinstance(value, Applied):
        return set()
    branch = _BRANCH.search(value.template)
    surely = value.template
    if branch is not None:
        surely = surely[: branch.start()]
    found: set[str] = set()
    for place, operand in enumerate(value.operands):
        if f"{{{place}}}" in surely:
            found |= _always_read(operand)
    return found
