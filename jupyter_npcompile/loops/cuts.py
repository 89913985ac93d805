"""Elements and views of arrays: numbers and slices in square brackets."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from jupyter_npcompile.loops.kinds import ArrayType, Declined, lengths_of
from jupyter_npcompile.loops.values import Applied, Cut, Gathered, Known, Ref, Scalar
from jupyter_npcompile.loops.writer import Writer

Index = Scalar | Cut | Known | Ref | Gathered | Applied

STEPS = (-1, 2, 3, 4)
"""Steps of slices for which code of its own is faster."""


def as_index(value: Scalar) -> str:
    """C++ for a number that is used as an index."""
    if value.type.mixed or value.type.kind not in "iu" or value.type.dtype == "uint64":
        raise Declined("an index that is no integer")
    return f"(i64){value.code}"


def expand(indices: Sequence[Index], ndim: int) -> list[Index]:
    """The same indices with ``...`` written out, one for each dimension, and ``None`` as it is."""
    given = [i for i in indices if not is_given(i, None) and not is_given(i, Ellipsis)]
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
        if is_given(index, Ellipsis):
            if seen:
                raise Declined("two ellipses")
            if not missing and is_fancy(indices):
                raise Declined("an ellipsis for no dimension, between arrays")
            seen = True
            full += [Cut(None, None, None)] * missing
        else:
            full.append(index)
    if not seen:
        full += [Cut(None, None, None)] * missing
    return full


def is_given(index: Any, value: Any) -> bool:
    """Whether an index is ``None`` or ``...``, as it is written."""
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
            place = f"at({place}, {ref.n(d)})"
        terms.append(f"({place}){step}")
    return f"{ref.code}.p[{' + '.join(terms)}]"


def view(writer: Writer, ref: Ref, full: Sequence[Index]) -> Ref:
    """A view of an array."""
    offsets: list[str] = []
    sizes: list[str] = []
    steps: list[str] = []
    unit, apart = ref.type.unit, 0
    d = 0
    for index in full:
        if is_given(index, None):
            sizes.append("1")
            steps.append("0")
            continue
        n, s = ref.n(d), f"{ref.code}.s[{d}]"
        last = d == ref.ndim - 1
        if isinstance(index, Scalar):
            offsets.append(f"at({as_index(index)}, {n}) * {s}")
            unit = unit and not last
        elif isinstance(index, Cut):
            if index.start is None and index.stop is None and index.step is None:
                sizes.append(n)
                steps.append(s)
            else:
                known = known_slice(index, ref.type.length(d))
                if known is None:
                    cut = writer.name("c")
                    writer.emit(f"const Slice {cut} = slice({cut_code(index)}, {n});")
                    offsets.append(f"({cut}.count ? {cut}.start * {s} : 0)")
                    sizes.append(f"{cut}.count")
                else:
                    offsets.append(f"{known.start} * {s}" if known else "0")
                    sizes.append(str(len(known)))
                by = index.step
                if by is None or by.const == 1:
                    steps.append(s)
                else:
                    steps.append(f"{s} * (i64){by.code}")
                    apart = known_step(by) if unit and last else 0
                    unit = unit and not last
        else:
            raise Declined("this index")
        d += 1
    thin = bool(full) and is_given(full[-1], None)
    name = writer.name("w")
    lengths = lengths_of(sizes)
    single = len(sizes) > 1 and _is_single(ref, full[-1])
    apart = 0 if thin else apart
    type = ArrayType(
        ref.dtype, len(sizes), unit and not thin, thin, apart, single=single, lengths=lengths
    )
    writer.emit(f"{type.view} {name};")
    writer.emit(f"{name}.p = {ref.code}.p{''.join(' + ' + o for o in offsets)};")
    for k, (size, step) in enumerate(zip(sizes, steps, strict=True)):
        writer.emit(f"{name}.n[{k}] = {size}; {name}.s[{k}] = {step};")
    writer.emit(f"{name}.b = {ref.code}.b; {name}.id = ++ids_;")
    return Ref(name, type, root=ref.root, column=_column(ref, full))


def turned(writer: Writer, ref: Ref, order: Sequence[int], type: ArrayType) -> Ref:
    """A view with its axes in another order, and its type."""
    name = writer.name("w")
    writer.emit(f"{type.view} {name} = {ref.code}; {name}.id = ++ids_;")
    for d, other in enumerate(order):
        code = ref.code
        writer.emit(f"{name}.n[{d}] = {code}.n[{other}]; {name}.s[{d}] = {code}.s[{other}];")
    return Ref(name, type, ref.is_fresh, ref.root)


def _is_single(ref: Ref, last: Index) -> bool:
    """Whether an index of the last dimension probably leaves one element of it."""
    if not isinstance(last, Cut):
        return False
    return last.single or (ref.type.single and last.start is None and last.stop is None)


def _column(ref: Ref, full: Sequence[Index]) -> tuple[str, int] | None:
    """Where a view begins, as far as it is written: its ``column``."""
    last = full[-1] if full and ref.type.unit else None
    begin = _beginning(last) if isinstance(last, Cut) else None
    if begin is None or not begin.isdigit():
        return None
    rows = [
        _beginning(index)
        if isinstance(index, Cut)
        else index.code
        if isinstance(index, Scalar)
        else None
        for index in full[:-1]
    ]
    return None if None in rows else (f"{ref.code}{rows}", int(begin))


def _beginning(cut: Cut) -> str | None:
    """Where a slice without steps begins: a number if that is known, else C++."""
    if cut.step is not None and cut.step.const != 1:
        return None
    if cut.start is None:
        return "0"
    return str(cut.start.const) if type(cut.start.const) is int else cut.start.code


def known_slice(cut: Cut, length: int | None) -> range | None:
    """The places of a slice of a dimension, if they are known."""
    bounds = (cut.start, cut.stop, cut.step)
    given = [bound for bound in bounds if bound is not None]
    if length is None or any(type(bound.const) is not int for bound in given):
        return None
    start, stop, step = (None if bound is None else bound.const for bound in bounds)
    return None if step == 0 else range(*slice(start, stop, step).indices(length))


def known_step(step: Scalar) -> int:
    """The step of a slice, if code that is made for it is worth it; or else 0."""
    return step.const if isinstance(step.const, int) and step.const in STEPS else 0


def is_single(node: ast.Slice) -> bool:
    """Whether a slice is written as one for a single element.

    Examples
    --------
    >>> [is_single(ast.parse(f"a[{text}]").body[0].value.slice) for text in ("k:k+1", ":1", "k:")]
    [True, True, False]
    """
    lower, upper = (
        None if part is None else ast.unparse(part) for part in (node.lower, node.upper)
    )
    if node.step is not None:
        return False
    if lower is None or upper is None:
        return (lower, upper) in ((None, "1"), ("-1", None))
    if lower.isdigit() and upper.isdigit():
        return int(upper) == int(lower) + 1
    return upper in (f"{lower} + 1", f"1 + {lower}")


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
