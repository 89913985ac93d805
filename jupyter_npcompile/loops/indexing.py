"""Elements, views and selections of arrays: what stands in square brackets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jupyter_npcompile.loops import elementwise
from jupyter_npcompile.loops.kinds import CTYPES, ArrayType, Declined, Number
from jupyter_npcompile.loops.values import (
    Applied,
    Cut,
    Gathered,
    Known,
    Lazy,
    Ref,
    Scalar,
    Value,
    ndim_of,
)
from jupyter_npcompile.loops.writer import Writer

Index = Scalar | Cut | Known | Ref | Gathered | Applied


def as_index(value: Scalar) -> str:
    """C++ for a number that is used as an index."""
    if value.type.mixed or value.type.kind not in "iu" or value.type.dtype == "uint64":
        raise Declined("an index that is no integer")
    return f"(i64){value.code}"


def expand(indices: Sequence[Index], ndim: int) -> list[Index]:
    """The same indices with ``...`` written out, one for each dimension, and ``None`` as it is."""
    given = [i for i in indices if not _is(i, None) and not _is(i, Ellipsis)]
    used = sum(
        i.ndim if isinstance(i, (Ref, Gathered, Applied)) and i.dtype == "bool" else 1
        for i in given
    )
    missing = ndim - used
    if missing < 0:
        raise Declined("more indices than dimensions")
    full: list[Index] = []
    seen = False
    for index in indices:
        if _is(index, Ellipsis):
            if seen:
                raise Declined("two ellipses")
            seen = True
            full += [Cut(None, None, None)] * missing
        else:
            full.append(index)
    if not seen:
        full += [Cut(None, None, None)] * missing
    return full


def _is(index: Any, value: Any) -> bool:
    return isinstance(index, Known) and index.value is value


def is_fancy(indices: Sequence[Index]) -> bool:
    """Whether an array is among the indices."""
    return any(isinstance(index, (Ref, Gathered, Applied)) for index in indices)


def element(ref: Ref, indices: Sequence[Scalar]) -> str:
    """C++ for an element, which may be assigned to."""
    terms = []
    for d, index in enumerate(indices):
        step = "" if d == ref.ndim - 1 and ref.type.unit else f" * {ref.code}.s[{d}]"
        place = as_index(index)
        if not index.proven:
            place = f"at({place}, {ref.code}.n[{d}])"
        terms.append(f"({place}){step}")
    return f"{ref.code}.p[{' + '.join(terms)}]"


def read(writer: Writer, ref: Ref, indices: Sequence[Index]) -> Value:
    """What ``ref[indices]`` gives."""
    full = expand(indices, ref.ndim)
    if is_fancy(full):
        return _select(writer, ref, full)
    if len(full) == ref.ndim and all(isinstance(index, Scalar) for index in full):
        scalars = [index for index in full if isinstance(index, Scalar)]
        type = Number("np", ref.dtype, 1 if ref.dtype == "bool" else 63)
        return Scalar(writer.hold(type.c, element(ref, scalars), "e"), type)
    return view(writer, ref, full)


def view(writer: Writer, ref: Ref, full: Sequence[Index]) -> Ref:
    """A view of an array."""
    offsets: list[str] = []
    sizes: list[str] = []
    steps: list[str] = []
    unit = ref.type.unit
    d = 0
    for index in full:
        if _is(index, None):
            sizes.append("1")
            steps.append("0")
            continue
        n, s = f"{ref.code}.n[{d}]", f"{ref.code}.s[{d}]"
        last = d == ref.ndim - 1
        if isinstance(index, Scalar):
            offsets.append(f"at({as_index(index)}, {n}) * {s}")
            unit = unit and not last
        elif isinstance(index, Cut):
            if index.start is None and index.stop is None and index.step is None:
                sizes.append(n)
                steps.append(s)
            else:
                cut = writer.name("c")
                writer.emit(f"const Slice {cut} = slice({cut_code(index)}, {n});")
                offsets.append(f"({cut}.count ? {cut}.start * {s} : 0)")
                sizes.append(f"{cut}.count")
                by = index.step
                if by is None or by.const == 1:
                    steps.append(s)
                else:
                    steps.append(f"{s} * (i64){by.code}")
                    unit = unit and not last
        else:
            raise Declined("this index")
        d += 1
    thin = bool(full) and _is(full[-1], None)
    name = writer.name("w")
    type = ArrayType(ref.dtype, len(sizes), unit and not thin, thin)
    writer.emit(f"{type.view} {name};")
    writer.emit(f"{name}.p = {ref.code}.p{''.join(' + ' + o for o in offsets)};")
    for k, (size, step) in enumerate(zip(sizes, steps, strict=True)):
        writer.emit(f"{name}.n[{k}] = {size}; {name}.s[{k}] = {step};")
    writer.emit(f"{name}.b = {ref.code}.b; {name}.id = ++ids_;")
    return Ref(name, type, root=ref.root)


def cut_code(cut: Cut) -> str:
    """C++ for the bounds and the step of a slice, as the function `slice` takes them."""
    parts = []
    for bound in (cut.start, cut.stop):
        parts += ["0, false"] if bound is None else [f"{as_index(bound)}, true"]
    parts.append(step_of(cut))
    return ", ".join(parts)


def step_of(cut: Cut) -> str:
    """C++ for the step of a slice."""
    return "1" if cut.step is None else as_index(cut.step)


def _select(writer: Writer, ref: Ref, full: Sequence[Index]) -> Lazy:
    """Elements chosen by an array: of integers, or of truth values."""
    arrays = [(k, i) for k, i in enumerate(full) if isinstance(i, (Ref, Gathered, Applied))]
    if len(arrays) != 1:
        count, target = _points(writer, ref, full)
        made = elementwise.new(writer, ref.dtype, [count])
        k = writer.name("k")
        moved = f"{made.code}.p[{k}] = {target(k)};"
        writer.emit(f"for (i64 {k} = 0; {k} < {count}; {k}++) {moved}")
        return made
    place, index = arrays[0]
    if index.dtype == "bool":
        if len(full) == 1 and index.ndim == ref.ndim == 1:
            return compressed(writer, ref, index)
        if len(full) == 1 and index.ndim == ref.ndim:
            return _where_true(writer, ref, index)
        if index.ndim != 1:
            raise Declined("a mask of several dimensions")
        index = places(writer, index, f"{ref.code}.n[{place}]")
    if np.dtype(index.dtype).kind not in "iu" or index.dtype == "uint64":
        raise Declined("an array of such numbers as an index")
    if ref.ndim > 1:
        ref, axis = _around(writer, ref, full, place)
        if ref.ndim > 1:
            return _gathered_parts(writer, ref, index, axis)
    return Gathered(ref, index, index.ndim)


def _points(writer: Writer, ref: Ref, full: Sequence[Index]) -> tuple[str, Callable[[str], str]]:
    """Elements that are chosen by arrays of one dimension, together: ``x[rows, columns]``.

    Returns
    -------
    count : str
        C++ for how many there are.
    element : callable
        C++ for one of them, by its position; an index out of bounds is NumPy's.
    """
    arrays: list[Ref] = []
    terms: list[Callable[[str], str]] = []
    for d, index in enumerate(full):
        n, s = f"{ref.code}.n[{d}]", f"{ref.code}.s[{d}]"
        if isinstance(index, Scalar):
            place = writer.hold("i64", f"at({as_index(index)}, {n}) * {s}")
            terms.append(lambda k, place=place: place)  # type: ignore[misc]
        elif isinstance(index, (Ref, Gathered, Applied)):
            if index.ndim != 1 or np.dtype(index.dtype).kind not in "iu" or index.dtype == "uint64":
                raise Declined("such arrays as indices")
            held = elementwise.materialise(writer, index)
            arrays.append(held)
            terms.append(
                lambda k, held=held, n=n, s=s: (  # type: ignore[misc]
                    f"at((i64){held.code}.p[{held.code}.n[0] == 1 ? 0 : "
                    f"{k} * {held.code}.s[0]], {n}) * {s}"
                )
            )
        else:
            raise Declined("several arrays and slices as indices")
    count = f"{arrays[0].code}.n[0]"
    for other in arrays[1:]:
        count = f"broadcast({count}, {other.code}.n[0])"

    def element(k: str) -> str:
        return f"{ref.code}.p[{' + '.join(term(k) for term in terms)}]"

    return writer.hold("i64", count, "n"), element


def _around(writer: Writer, ref: Ref, full: Sequence[Index], place: int) -> tuple[Ref, int]:
    """The view that an array as an index chooses from, and along which axis."""
    if any(not isinstance(i, Scalar | Cut) for k, i in enumerate(full) if k != place):
        raise Declined("such an index with an array as another")
    if any(isinstance(i, Scalar) for i in full[:place]) and any(isinstance(i, Cut) for i in full):
        raise Declined("numbers, slices and an array as indices")
    axis = sum(isinstance(i, Cut) for i in full[:place])
    return view(writer, ref, [*full[:place], Cut(None, None, None), *full[place + 1 :]]), axis


def _part(writer: Writer, ref: Ref, axis: int, position: str) -> Ref:
    """A view at one place of an axis."""
    full: list[Index] = [Cut(None, None, None)] * ref.ndim
    full[axis] = Scalar(position, Number("py", "int64", 40))
    return view(writer, ref, full)


def _gathered_parts(writer: Writer, ref: Ref, index: Lazy, axis: int) -> Ref:
    """``np.take(ref, index, axis)`` for an index of one dimension."""
    if index.ndim != 1:
        raise Declined("an array of several dimensions as an index")
    held = elementwise.materialise(writer, index)
    dims = [f"{ref.code}.n[{d}]" for d in range(ref.ndim)]
    dims[axis] = f"{held.code}.n[0]"
    made = elementwise.new(writer, ref.dtype, dims)
    k = writer.name("k")
    with writer.block(f"for (i64 {k} = 0; {k} < {held.code}.n[0]; {k}++)"):
        where = writer.hold("i64", f"(i64){held.code}.p[{k} * {held.code}.s[0]]")
        target, source = _part(writer, made, axis, k), _part(writer, ref, axis, where)
        sizes = [writer.hold("i64", f"{target.code}.n[{d}]", "n") for d in range(target.ndim)]
        elementwise.fill(writer, target, sizes, source)
    return made


def places(writer: Writer, mask: Lazy, size: str) -> Ref:
    """Where a mask of one dimension is true."""
    held = elementwise.materialise(writer, mask)
    writer.emit(f"NEED({held.code}.n[0] == {size});")
    bits = f"{held.code}.p, {held.code}.s[0], {size}"
    count = writer.hold("i64", f"count_true({bits})", "m")
    made = elementwise.new(writer, "int64", [count])
    writer.emit(f"places_true({made.code}.p, {bits}, {count});")
    return made


def compressed(writer: Writer, ref: Ref, mask: Lazy) -> Ref:
    """The elements where a mask is true: ``x[mask]``."""
    held = elementwise.materialise(writer, mask)
    n = f"{ref.code}.n[0]"
    writer.emit(f"NEED({held.code}.n[0] == {n});")
    bits = f"{held.code}.p, {held.code}.s[0], {n}"
    count = writer.hold("i64", f"count_true({bits})", "m")
    made = elementwise.new(writer, ref.dtype, [count])
    writer.emit(f"take_true({made.code}.p, {ref.code}.p, {ref.code}.s[0], {bits}, {count});")
    return made


def _where_true(writer: Writer, ref: Ref, mask: Lazy, value: Lazy | None = None) -> Ref:
    """Take the elements where a mask of several dimensions is true, or put a value there."""
    held = elementwise.copied(writer, mask)
    for d in range(ref.ndim):
        writer.emit(f"NEED({held.code}.n[{d}] == {ref.code}.n[{d}]);")
    count, k, next = writer.name("m"), writer.name("k"), writer.name("j")
    writer.emit(f"i64 {count} = 0, {k} = 0, {next} = 0;")
    places = writer.name("k")
    writer.emit(
        f"for (i64 {places} = 0; {places} < {held.code}.size(); {places}++) "
        f"{count} += {held.code}.p[{places}] != 0;"
    )
    if value is None:
        made = elementwise.new(writer, ref.dtype, [count])
    else:
        stored = elementwise.converted(value, ref.dtype)
        made = elementwise.copied(writer, stored, [count])
    position = []
    for d in range(ref.ndim):
        index = writer.name("i")
        writer.emit(f"for (i64 {index} = 0; {index} < {ref.code}.n[{d}]; {index}++)")
        position.append(Scalar(index, Number("py", "int64", 40), proven=True))
    one, other = element(ref, position), f"{made.code}.p[{next}++]"
    moved = f"{other} = {one}" if value is None else f"{one} = {other}"
    writer.emit(f"if ({held.code}.p[{k}++]) {moved};")
    return made


def write(writer: Writer, ref: Ref, indices: Sequence[Index], value: Lazy | Scalar) -> str:
    """Write a value: ``ref[indices] = value``; returns C++ for it where it is one element."""
    full = expand(indices, ref.ndim)
    if is_fancy(full):
        _scatter(writer, ref, full, value)
        return ""
    if len(full) == ref.ndim and all(isinstance(index, Scalar) for index in full):
        if not isinstance(value, Scalar):
            raise Declined("an array into one element")
        scalars = [index for index in full if isinstance(index, Scalar)]
        stored = elementwise.converted(value, ref.dtype)
        assert isinstance(stored, Scalar)
        held = writer.hold(CTYPES[ref.dtype], stored.code, "x")
        writer.emit(f"{element(ref, scalars)} = {held};")
        return held
    target = view(writer, ref, full)
    elementwise.store(writer, target, elementwise.converted(value, ref.dtype))
    return ""


def _scatter(writer: Writer, ref: Ref, full: Sequence[Index], value: Lazy | Scalar) -> None:
    if len(full) != 1 or ref.ndim != 1 or not isinstance(full[0], (Ref, Gathered, Applied)):
        if len(full) == 1 and ref.ndim == ndim_of(full[0]) and full[0].dtype == "bool":  # type: ignore[union-attr,arg-type]
            _masked(writer, ref, full[0], value)  # type: ignore[arg-type]
            return
        _scatter_parts(writer, ref, full, value)
        return
    index = full[0]
    if index.dtype == "bool":
        _masked(writer, ref, index, value)
        return
    if np.dtype(index.dtype).kind not in "iu" or index.dtype == "uint64" or index.ndim != 1:
        raise Declined("an array of such numbers as an index")
    where = elementwise.copied(writer, index)
    n = f"{where.code}.n[0]"
    k = writer.name("k")
    place = f"at((i64){where.code}.p[{k}], {ref.code}.n[0])"
    writer.emit(f"for (i64 {k} = 0; {k} < {n}; {k}++) (void){place};")
    stored = elementwise.converted(value, ref.dtype)
    if isinstance(stored, Scalar):
        code = writer.hold(CTYPES[ref.dtype], stored.code)
    else:
        held = elementwise.copied(writer, stored, [n])
        code = f"{held.code}.p[{k}]"
    writer.emit(
        f"for (i64 {k} = 0; {k} < {n}; {k}++) {ref.code}.p[{place} * {ref.code}.s[0]] = {code};"
    )


def _scatter_parts(writer: Writer, ref: Ref, full: Sequence[Index], value: Lazy | Scalar) -> None:
    """Write through an array of integers as one index of several."""
    arrays = [(k, i) for k, i in enumerate(full) if isinstance(i, (Ref, Gathered, Applied))]
    if len(arrays) > 1:
        _scatter_points(writer, ref, full, value)
        return
    if len(arrays) != 1 or np.dtype(arrays[0][1].dtype).kind not in "iu":
        raise Declined("a store through such arrays")
    place, index = arrays[0]
    if index.ndim != 1:
        raise Declined("an array of several dimensions as an index")
    around, axis = _around(writer, ref, full, place)
    if around.ndim == 1:
        _scatter(writer, around, [index], value)
        return
    held = elementwise.copied(writer, index)
    stored = elementwise.converted(value, ref.dtype)
    if not isinstance(stored, Scalar):
        if stored.ndim != around.ndim:
            raise Declined("a store that is broadcast through an array")
        stored = elementwise.copied(writer, stored)
        writer.emit(f"NEED({stored.code}.n[{axis}] == {held.code}.n[0]);")
    k, n = writer.name("k"), f"{around.code}.n[{axis}]"
    writer.emit(
        f"for (i64 {k} = 0; {k} < {held.code}.n[0]; {k}++) (void)at((i64){held.code}.p[{k}], {n});"
    )
    with writer.block(f"for (i64 {k} = 0; {k} < {held.code}.n[0]; {k}++)"):
        where = writer.hold("i64", f"(i64){held.code}.p[{k}]")
        target = _part(writer, around, axis, where)
        source = stored if isinstance(stored, Scalar) else _part(writer, stored, axis, k)
        sizes = [writer.hold("i64", f"{target.code}.n[{d}]", "n") for d in range(target.ndim)]
        elementwise.fill(writer, target, sizes, source)


def _scatter_points(writer: Writer, ref: Ref, full: Sequence[Index], value: Lazy | Scalar) -> None:
    """Write through several arrays of integers together: ``x[rows, columns] = value``."""
    copies = [
        elementwise.copied(writer, i) if isinstance(i, (Ref, Gathered, Applied)) else i
        for i in full
    ]
    count, target = _points(writer, ref, copies)
    k = writer.name("k")
    stored = elementwise.converted(value, ref.dtype)
    if isinstance(stored, Scalar):
        code = writer.hold(CTYPES[ref.dtype], stored.code)
    else:
        if stored.ndim != 1:
            raise Declined("a store of several dimensions through arrays")
        code = f"{elementwise.copied(writer, stored, [count]).code}.p[{k}]"
    # All indices are in bounds before anything is written.
    writer.emit(f"for (i64 {k} = 0; {k} < {count}; {k}++) (void){target(k)};")
    writer.emit(f"for (i64 {k} = 0; {k} < {count}; {k}++) {target(k)} = {code};")


def _masked(writer: Writer, ref: Ref, mask: Lazy, value: Lazy | Scalar) -> None:
    if not isinstance(value, Scalar):
        if ref.ndim != 1:
            _where_true(writer, ref, mask, value)
            return
        where = places(writer, mask, f"{ref.code}.n[0]")
        _scatter(writer, ref, [where], value)
        return
    stored = elementwise.converted(value, ref.dtype)
    held = elementwise.copied(writer, mask)
    for d in range(ref.ndim):
        writer.emit(f"NEED({held.code}.n[{d}] == {ref.code}.n[{d}]);")
    assert isinstance(stored, Scalar)
    number = Scalar(
        writer.hold(CTYPES[ref.dtype], stored.code), Number("np", ref.dtype), const=None
    )
    dims = [f"{ref.code}.n[{d}]" for d in range(ref.ndim)]
    chosen = elementwise.apply("({0} ? {1} : {2})", (held, number, ref), ref.dtype)
    elementwise.fill(writer, ref, dims, chosen)
