"""Elements that arrays choose, beside slices and numbers: ``x[:, mask]``, ``x[rows, labels]``.

What the arrays choose is one list of places, each how far it lies from the beginning. At each of
them is an element, or what the slices leave of the other dimensions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.loops import elementwise
from jupyter_npcompile.loops.cuts import Index, as_index, is_given, view
from jupyter_npcompile.loops.kinds import CTYPES, SIZE, ArrayType, Declined, Number
from jupyter_npcompile.loops.values import (
    ALL,
    Applied,
    Cut,
    Gathered,
    Known,
    Lazy,
    Ref,
    Scalar,
    ndim_of,
)
from jupyter_npcompile.loops.writer import Writer

FIRST = Scalar("0", SIZE, const=0)


@dataclass(frozen=True)
class Choice:
    """What arrays among the indices choose.

    Parameters
    ----------
    offsets : Ref
        How far each place lies from the first element, in elements; in the arrays' common shape.
    start : str
        C++ for a pointer to the first element.
    base : Ref, optional
        What lies at a place, for the first one, where there are slices.
    first : int
        How many dimensions of the result come before those of the arrays.
    """

    offsets: Ref
    start: str
    base: Ref | None
    first: int

    @property
    def sizes(self) -> list[str]:
        """C++ for the shape of what lies at one place."""
        base = self.base
        return [] if base is None else [f"{base.code}.n[{d}]" for d in range(base.ndim)]

    @property
    def shape(self) -> list[str]:
        """C++ for the shape of the result."""
        chosen = [f"{self.offsets.code}.n[{d}]" for d in range(self.offsets.ndim)]
        return [*self.sizes[: self.first], *chosen, *self.sizes[self.first :]]


def _chosen(writer: Writer, ref: Ref, full: Sequence[Index]) -> Choice:
    """Find the places; all of them are in bounds, or the run ends here."""
    terms: list[Lazy] = []
    rest: list[Index] = []
    for index in full:
        d = sum(not is_given(i, None) for i in rest)
        if not isinstance(index, Ref | Gathered | Applied):
            rest.append(index)
        elif index.dtype == "bool":
            terms.append(_true_places(writer, ref, index, d))
            rest += [FIRST] * index.ndim
        else:
            if np.dtype(index.dtype).kind not in "iu" or index.dtype == "uint64":
                raise Declined("an array of such numbers as an index")
            held = elementwise.materialise(writer, index)
            if held.ndim > 1:
                writer.emit(f"NEED(!is_unordered({held.code}));")
            place = f"(at((i64){{0}}, {ref.code}.n[{d}]) * {ref.code}.s[{d}])"
            terms.append(elementwise.apply(place, (held,), "int64"))
            rest.append(FIRST)
    total = terms[0]
    for term in terms[1:]:
        total = elementwise.apply("({0} + {1})", (total, term), "int64")
    offsets = elementwise.materialise(writer, total)
    if len(terms) > 1:
        writer.emit(f"NEED({offsets.code}.size() > 0);")  # else NumPy may not look at all of them
    if any(not isinstance(index, Scalar) for index in rest):
        base = view(writer, ref, rest)
        return Choice(offsets, f"{base.code}.p", base, _position(full))
    numbers = [
        f"at({as_index(index)}, {ref.code}.n[{d}]) * {ref.code}.s[{d}]"
        for d, index in enumerate(rest)
        if isinstance(index, Scalar) and index is not FIRST
    ]
    start = writer.name("p")
    writer.emit(f"auto *const {start} = {' + '.join([f'{ref.code}.p', *numbers])};")
    return Choice(offsets, start, None, 0)


def _position(full: Sequence[Index]) -> int:
    """How many dimensions come before those of the arrays, which are first where they are apart."""
    places = [k for k, i in enumerate(full) if not isinstance(i, Cut | Known)]
    return places[0] if places[-1] - places[0] + 1 == len(places) else 0


def _true_places(writer: Writer, ref: Ref, mask: Lazy, dimension: int) -> Ref:
    """How far the places where a mask is true lie from the first element."""
    held = elementwise.materialise(writer, mask)
    dims = [f"{held.code}.n[{d}]" for d in range(held.ndim)]
    for d, n in enumerate(dims):
        writer.emit(f"NEED({n} == {ref.code}.n[{dimension + d}]);")
    counters = [writer.name("k") for _ in dims]
    heads = [f"for (i64 {k} = 0; {k} < {n}; {k}++)" for k, n in zip(counters, dims, strict=True)]
    bit = " + ".join(f"{k} * {held.code}.s[{d}]" for d, k in enumerate(counters))
    far = " + ".join(f"{k} * {ref.code}.s[{dimension + d}]" for d, k in enumerate(counters))
    count, next = writer.name("m"), writer.name("j")
    writer.emit(f"i64 {count} = 0, {next} = 0;")
    writer.emit(*heads, f"{count} += {held.code}.p[{bit}] != 0;")
    made = elementwise.new(writer, "int64", [count], in_memory=True)
    writer.emit(*heads, f"if ({held.code}.p[{bit}]) {made.code}.p[{next}++] = {far};")
    return made


def read(writer: Writer, ref: Ref, full: Sequence[Index]) -> Ref:
    """What ``ref[full]`` gives, where arrays are among the indices."""
    if any(isinstance(index, Known) for index in full):
        raise Declined("such an index with an array as another")
    choice = _chosen(writer, ref, full)
    offsets, base = choice.offsets, choice.base
    chosen = [f"{offsets.code}.n[{d}]" for d in range(offsets.ndim)]
    made = elementwise.new(writer, ref.dtype, [*chosen, *choice.sizes], in_memory=True)
    k = writer.name("k")
    head = f"for (i64 {k} = 0; {k} < {offsets.code}.size(); {k}++)"
    if base is None:
        writer.emit(f"{head} {made.code}.p[{k}] = {choice.start}[{offsets.code}.p[{k}]];")
        return made
    if base.ndim == 1:
        writer.emit(f"rows_from({made.code}.p, {base.code}, {offsets.code});")
    else:
        writer.emit(f"NEED(!is_odd({base.code}));")  # or the result has an order of its own
        with writer.block(head):
            _copy_one(writer, choice, base, made, k)
    if not choice.first:
        return made
    count = offsets.ndim
    order = [*range(count, count + choice.first), *range(count)]
    return _permuted(writer, made, [*order, *range(len(order), made.ndim)])


def _copy_one(writer: Writer, choice: Choice, base: Ref, made: Ref, k: str) -> None:
    """Copy what lies at the place number `k`."""
    sizes = [writer.hold("i64", size, "n") for size in choice.sizes]
    source, target = writer.name("w"), writer.name("w")
    into = ArrayType(base.dtype, base.ndim, True)
    writer.emit(f"{base.type.view} {source} = {base.code};")
    writer.emit(f"{source}.p += {choice.offsets.code}.p[{k}];")
    writer.emit(f"{into.view} {target} = {base.code};")
    writer.emit(f"{target}.p = {made.code}.p + {k} * ({' * '.join(sizes)});")
    for d in range(base.ndim):
        writer.emit(f"{target}.s[{d}] = {' * '.join(['(i64)1', *sizes[d + 1 :]])};")
    from_ = Ref(source, replace(base.type, lengths=(), is_small=False))
    elementwise.fill(writer, Ref(target, into), sizes, from_)


def _permuted(writer: Writer, made: Ref, order: Sequence[int]) -> Ref:
    """What the arrays choose comes first in memory, but not in the result: as in NumPy."""
    name = writer.name("w")
    type = ArrayType(made.dtype, made.ndim, order[-1] == made.ndim - 1)
    writer.emit(f"{type.view} {name} = {made.code}; {name}.id = ++ids_;")
    for d, other in enumerate(order):
        writer.emit(f"{name}.n[{d}] = {made.code}.n[{other}];")
        writer.emit(f"{name}.s[{d}] = {made.code}.s[{other}];")
    return Ref(name, type, is_fresh=True)


def write(writer: Writer, ref: Ref, full: Sequence[Index], value: Lazy | Scalar) -> None:
    """Write ``ref[full] = value``, where arrays are among the indices."""
    stored = elementwise.converted(value, ref.dtype)
    arrays = [i for i in full if isinstance(i, Ref | Gathered | Applied)]
    if isinstance(stored, Scalar):
        code = writer.hold(CTYPES[ref.dtype], stored.code)
        if len(arrays) == 1 and arrays[0].dtype == "bool":
            _put_where(writer, ref, full, Scalar(code, Number("np", ref.dtype)))
            return
    choice = _chosen(writer, ref, full)
    k, base, first = writer.name("k"), choice.base, choice.first
    counters = [writer.name("i") for _ in choice.sizes]
    if not isinstance(stored, Scalar):
        shape = choice.shape
        if ndim_of(stored) > len(shape):
            raise Declined("a value with more dimensions than where it goes")
        held = elementwise.copied(writer, stored, shape)
        count = f"{choice.offsets.code}.size()"
        sizes = [*choice.sizes[:first], count, *choice.sizes[first:]]
        place = ""
        for counter, n in zip([*counters[:first], k, *counters[first:]], sizes, strict=True):
            place = f"({place}) * {n} + {counter}" if place else counter
        code = f"{held.code}.p[{place}]"
    far = f"{choice.offsets.code}.p[{k}]"
    if base is not None:
        far += "".join(f" + {i} * {base.code}.s[{d}]" for d, i in enumerate(counters))
    heads = [f"for (i64 {k} = 0; {k} < {choice.offsets.code}.size(); {k}++)"]
    heads += [
        f"for (i64 {i} = 0; {i} < {n}; {i}++)" for i, n in zip(counters, choice.sizes, strict=True)
    ]
    writer.emit(*heads, f"{choice.start}[{far}] = {code};")


def _put_where(writer: Writer, ref: Ref, full: Sequence[Index], number: Scalar) -> None:
    """Write a number where a mask is true: every element is written, most of them as they are."""
    (place,) = [k for k, i in enumerate(full) if isinstance(i, Ref | Gathered | Applied)]
    mask = full[place]
    assert isinstance(mask, Ref | Gathered | Applied)
    # A mask that shares its memory with what is written into has to be as it was.
    held = elementwise.copied(writer, mask)
    before = sum(not is_given(i, None) for i in full[:place])
    for d in range(held.ndim):
        writer.emit(f"NEED({held.code}.n[{d}] == {ref.code}.n[{before + d}]);")
    target = view(writer, ref, [*full[:place], *[ALL] * held.ndim, *full[place + 1 :]])
    behind = sum(not isinstance(i, Scalar) for i in full[place + 1 :])
    wide = view(writer, held, [*[ALL] * held.ndim, *[Known(None)] * behind]) if behind else held
    dims = [writer.hold("i64", f"{target.code}.n[{d}]", "n") for d in range(target.ndim)]
    chosen = elementwise.apply("({0} ? {1} : {2})", (wide, number, target), ref.dtype)
    elementwise.fill(writer, target, dims, chosen)
