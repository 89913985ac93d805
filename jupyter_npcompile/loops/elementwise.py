"""Elementwise work on arrays: gathered into one C++ loop where it is needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.loops import arithmetic, inner_loops, invariants, promotion
from jupyter_npcompile.loops.costs import element_cost, is_wide
from jupyter_npcompile.loops.kinds import (
    CTYPES,
    SIZE,
    ArrayType,
    Declined,
    Number,
    is_few,
    lengths_of,
)
from jupyter_npcompile.loops.lanes import lane_of
from jupyter_npcompile.loops.nests import Element, Loop
from jupyter_npcompile.loops.overlaps import behind
from jupyter_npcompile.loops.quiet import unheard
from jupyter_npcompile.loops.values import (
    Applied,
    Flattened,
    Gathered,
    Lazy,
    Ref,
    Scalar,
    dtype_of,
    ndim_of,
)
from jupyter_npcompile.loops.writer import Writer

MOST = 40
"""Operations that are done in one C++ loop."""

CHOOSING = ("chosen<", "np_max<", "np_min<", "at_least<", "at_most<")
"""How templates begin whose result is one of their operands."""


def kinds_of(value: Lazy | Scalar) -> list[Any]:
    """What an operand may be, as NumPy's rules of promotion see it."""
    if isinstance(value, Scalar):
        return promotion.operands(value.type)
    return [np.dtype(value.dtype)]


def size_of(value: Lazy | Scalar) -> int:
    """How many operations an operand stands for."""
    if isinstance(value, Applied):
        return 1 + sum(size_of(operand) for operand in value.operands)
    return 0


def apply(template: str, operands: Sequence[Lazy | Scalar], dtype: str) -> Applied:
    """An operation on arrays, of which at least one is no number.

    Parameters
    ----------
    template : str
        C++ with ``{0}``, ``{1}``, ... for the elements.
    operands : sequence
        Arrays and arithmetic.
    dtype : str
        Of the result.
    """
    return Applied(template, tuple(operands), dtype, max(map(ndim_of, operands)))


def operands_in(
    dtypes: Sequence[str], operands: Sequence[Lazy | Scalar]
) -> tuple[list[Lazy | Scalar], list[str]]:
    """The operands of a ufunc that computes in certain dtypes, and template text for each."""
    values: list[Lazy | Scalar] = []
    texts = []
    for place, (value, dtype) in enumerate(zip(operands, dtypes, strict=True)):
        if isinstance(value, Scalar):
            code = promotion.as_loop(value, dtype)
            values.append(Scalar(code, Number("np", dtype), const=value.const))
            texts.append(f"{{{place}}}")
        else:
            values.append(value)
            texts.append(promotion.cast(f"{{{place}}}", value.dtype, dtype))
    return values, texts


def chosen(test: Lazy | Scalar, value: Lazy | Scalar, other: Lazy | Scalar, dtype: str) -> Applied:
    """One of two operands in a dtype, by a condition: both are computed, as in NumPy."""
    values, (x, y) = operands_in([dtype, dtype], (value, other))
    x, y = x.replace("{0}", "{1}"), y.replace("{1}", "{2}")
    return apply(f"chosen<{CTYPES[dtype]}>({{0}}, {x}, {y})", [test, *values], dtype)


def binary(name: str, left: Lazy | Scalar, right: Lazy | Scalar) -> Applied:
    """An arithmetic operator, of which at least one side is an array."""
    loop = promotion.common(name, kinds_of(left), kinds_of(right))
    exponent = right.const if isinstance(right, Scalar) else None
    if name == "power" and dtype_of(left) == "bool" and isinstance(right, Scalar):
        raise Declined("a power of truth values")  # whose dtype depends on the exponent
    values, (x, y) = operands_in([loop[0].name, loop[1].name], (left, right))
    code = inner_loops.loop_code(name, loop, x, y, exponent)
    return apply(code, values, loop[-1].name)


def compare(symbol: str, name: str, left: Lazy | Scalar, right: Lazy | Scalar) -> Applied:
    """A comparison, of which at least one side is an array."""
    dtypes = {dtype_of(side) for side in (left, right)}
    kinds = {np.dtype(dtype).kind for dtype in dtypes}
    weak = any(
        isinstance(v, Scalar) and v.type.origin == "py" and not v.type.mixed for v in (left, right)
    )
    if kinds == {"i", "u"} and "uint64" in dtypes and not weak:
        raise Declined("a comparison of signed and unsigned integers")
    loop = promotion.common(name, kinds_of(left), kinds_of(right))
    if loop[0].kind == "c" and symbol not in ("==", "!="):
        raise Declined("an order of complex numbers")
    values, (x, y) = operands_in([loop[0].name, loop[1].name], (left, right))
    if symbol in arithmetic.ORDERS and loop[0].kind == "f":
        c = CTYPES[loop[0].name]
        return apply(f"{arithmetic.ORDERS[symbol]}<{c}>({x}, {y})", values, "bool")
    return apply(f"({x} {symbol} {y})", values, "bool")


def converted(value: Lazy | Scalar, dtype: str, *, same_kind: bool = False) -> Lazy | Scalar:
    """A value as what is stored into an array of a dtype.

    Parameters
    ----------
    value : array or number
        What is stored.
    dtype : str
        Of the array.
    same_kind : bool
        Whether only conversions of the same kind are allowed, as with ``x += y``.

    Raises
    ------
    Declined
        When NumPy would raise, or warn.
    """
    source = dtype_of(value)
    if source == dtype:
        return value
    here, there = np.dtype(source), np.dtype(dtype)
    weak = isinstance(value, Scalar) and value.type.origin != "np"
    if same_kind and not weak and not np.can_cast(here, there, "same_kind"):
        raise Declined(f"{source} into an array of {dtype}")
    c = CTYPES[dtype]
    if isinstance(value, Scalar) and here.kind in "iu" and there.kind in "iu":
        if source == "uint64":
            raise Declined(f"{source} into an array of {dtype}")
        code = f"fitting<{c}>((i64){value.code})"
        return Scalar(code, Number("np", dtype))
    text = value.code if isinstance(value, Scalar) else "{0}"
    if there.kind == "b":
        text = f"({text} != 0)"
    elif here.kind == "c" and there.kind != "c":
        raise Declined("a complex number becomes a real one")
    elif there.kind == "c":
        text = f"Complex((double){text})"
    elif here.kind == "f" and dtype in ("int64", "int32") and not isinstance(value, Scalar):
        text = f"(({c}){text})"  # what does not fit sets a flag, and NumPy warns of it
    elif here.kind == "f" and there.kind in "iu":
        text = f"element<{c}>({text})"
    else:
        text = f"(({c}){text})"
    if isinstance(value, Scalar):
        return Scalar(text, Number("np", dtype))
    return apply(text, (value,), dtype)


@dataclass(frozen=True)
class Fill:
    """How a new array got its elements: lines of a text, what they write, and its shape."""

    begin: int
    end: int
    value: Lazy | Scalar
    dims: tuple[str, ...]


def new_small(writer: Writer, dtype: str, lengths: tuple[int | None, ...]) -> Ref:
    """A new array without memory, whose elements are not set."""
    type = ArrayType(dtype, len(lengths), True, lengths=lengths, is_small=True)
    name = writer.name("a")
    writer.small[name] = ""
    writer.emit(f"{type.c} {name};")
    return Ref(name, type, is_fresh=True, root=name)


def note_order(writer: Writer, ref: Ref) -> None:
    """Note whether an array is in C's order: else what is made of it has an order of its own."""
    if ref.ndim > 1 and not ref.is_fresh and not ref.type.is_small:
        writer.emit(f"if (!LIKELY(!is_unordered({ref.code}))) run.odd = true;")


def leaves_of(value: Lazy | Scalar) -> list[Ref]:
    """The arrays that an expression reads at the same place as it writes."""
    if isinstance(value, Ref):
        return [value]
    if isinstance(value, Applied):
        return [leaf for operand in value.operands for leaf in leaves_of(operand)]
    if isinstance(value, Gathered):
        return leaves_of(value.index)
    return []


def sources_of(value: Lazy | Scalar) -> list[Ref]:
    """The arrays that an expression reads anywhere."""
    if isinstance(value, Applied):
        return [source for operand in value.operands for source in sources_of(operand)]
    if isinstance(value, Gathered):
        return [value.source, *sources_of(value.index)]
    return []


def read_by(value: Lazy | Scalar) -> list[Ref]:
    """All arrays that an expression reads."""
    return [*leaves_of(value), *sources_of(value)]


def length(writer: Writer, ref: Ref, dimension: int) -> str:
    """C++ for the length of a dimension, which stays what it is: a number, or a name."""
    n = ref.n(dimension)
    return n if n.isdigit() else writer.hold("i64", n, "n")


def as_number(length: str) -> Scalar:
    """A length of a dimension as a number of Python's."""
    return arithmetic.constant(int(length)) if length.isdigit() else Scalar(length, SIZE)


def shape_of(writer: Writer, value: Lazy) -> list[str]:
    """C++ names of the dimensions of an expression; shapes that do not fit are NumPy's."""
    leaves = leaves_of(value)
    dims = []
    for d in range(value.ndim):
        sizes = [
            leaf.n(d - (value.ndim - leaf.ndim)) for leaf in leaves if d >= value.ndim - leaf.ndim
        ]
        unique = list(dict.fromkeys(sizes))
        others = [size for size in unique if size != "1"] or unique[:1]
        known = [size for size in others if size.isdigit()]
        code = known[0] if known else others[0]
        for other in others:
            if known and other != code:  # it must be the same, or one
                writer.emit(f"NEED({other} == {code} || {other} == 1);")
            elif other != code:
                code = f"broadcast({code}, {other})"
        dims.append(code if known or code == "1" else writer.hold("i64", code, "n"))
    return dims


def hoisted(writer: Writer, value: Lazy | Scalar, *, is_chosen: bool = False) -> Any:
    """The same expression with its numbers computed beforehand.

    Parameters
    ----------
    writer : Writer
        Where that is written.
    value : array or number
        The expression.
    is_chosen : bool
        Whether it is one of two that elements may have. The compiler must not know such a
        number: where it can compute what becomes of it (``np.maximum(x, 0) * 3``), it makes
        a branch, and no vectors.
    """
    if isinstance(value, Scalar):
        code = value.code
        if is_chosen and value.type.c in ("float", "double"):
            code = f"unknown<{value.type.c}>({code})"
        name = writer.hold(value.type.c, code)
        return Scalar(name, value.type, value.tag, value.const)
    if isinstance(value, Applied):
        chooses = value.template.startswith(CHOOSING)
        return Applied(
            value.template,
            tuple(hoisted(writer, operand, is_chosen=chooses) for operand in value.operands),
            value.dtype,
            value.ndim,
        )
    if isinstance(value, Gathered):
        return Gathered(value.source, hoisted(writer, value.index), value.ndim)
    return value


def lowered(writer: Writer, value: Lazy | Scalar) -> Any:
    """The same expression with all computed beforehand that is the same for many elements."""
    return hoisted(writer, invariants.once(value, lambda part: materialise(writer, part)))


def materialise(writer: Writer, value: Lazy) -> Ref:
    """An array with the elements of an expression."""
    if isinstance(value, Ref):
        return value
    if isinstance(value, Flattened):
        whole = copied(writer, value.whole)
        return reshaped(writer, whole, [writer.hold("i64", f"{whole.code}.size()")])
    return copied(writer, value)


def reshaped(writer: Writer, ref: Ref, dims: Sequence[str]) -> Ref:
    """A view with other lengths, or of a copy where none can be had."""
    name, copy = writer.name("w"), writer.name("a")
    type = ArrayType(ref.dtype, len(dims), False, lengths=lengths_of(dims))
    writer.emit(f"{replace(ref.type, is_small=False).c} {copy};")
    writer.emit(f"{type.view} {name}; {name}.id = ++ids_;")
    writer.emit(" ".join(f"{name}.n[{d}] = {n};" for d, n in enumerate(dims)))
    writer.emit(f"reshape(run, {ref.code}, {name}, {copy}, {np.dtype(ref.dtype).num});")
    return Ref(name, type, root=ref.root)


def copied(
    writer: Writer,
    value: Lazy | Scalar,
    dims: Sequence[str] | None = None,
    *,
    in_memory: bool = False,
) -> Ref:
    """A new array with the elements of an expression, in C order."""
    if dims is None:
        assert not isinstance(value, Scalar)
        dims = shape_of(writer, value)
    value = lowered(writer, value)
    # A small array is in C's order.
    in_order = all(leaf.type.is_small for leaf in leaves_of(value) if leaf.ndim > 1)
    made = new(writer, dtype_of(value), dims, in_memory=in_memory or not in_order)
    wide = [leaf.type for leaf in leaves_of(value) if leaf.ndim == len(dims) > 1]
    if wide and all(type.single or type.thin for type in wide):
        made = replace(made, type=replace(made.type, single=True))
    filled(writer, made, dims, value)
    return made


def filled(writer: Writer, made: Ref, dims: Sequence[str], value: Lazy | Scalar) -> None:
    """Write the elements of an expression into an array of its own, and which order NumPy's has."""
    fill(writer, made, dims, value)
    if made.type.is_small:
        return
    orders = [f"order_of({leaf.code})" for leaf in leaves_of(value) if leaf.ndim > 1]
    if orders:
        code = f"makes_odd({len(dims)}, {{{', '.join(dict.fromkeys(orders))}}})"
        writer.emit(f"if (!LIKELY(!{code})) {made.code}.b->odd = true;")


def new(
    writer: Writer, dtype: str, dims: Sequence[str], name: str = "", *, in_memory: bool = False
) -> Ref:
    """A new array whose elements are not set; in memory where it has a name already."""
    lengths = lengths_of(dims)
    if writer.keeps_small and not name and not in_memory and is_few(lengths):
        return new_small(writer, dtype, lengths)
    name = name or writer.name("a")
    type = ArrayType(dtype, len(dims), True, lengths=lengths)
    shape = writer.name("d")
    writer.emit(f"const i64 {shape}[{len(dims)}] = {{{', '.join(dims)}}};")
    number = np.dtype(dtype).num
    writer.emit(
        f"{type.c} {name} = fresh<{CTYPES[dtype]}, {len(dims)}>(run.spare, {shape}, {number});"
    )
    return Ref(name, type, is_fresh=True)


def fill(writer: Writer, target: Ref, dims: Sequence[str], value: Lazy | Scalar) -> None:
    """Write the elements of an expression into an array that it does not read elsewhere."""
    begin = len(writer.lines)
    with writer.block():
        loop = Loop(writer, dims)
        loop.prepare(value)
        loop.prepare(target)
        unheard(writer, [value])

        def body(element: Element, counters: list[str]) -> None:
            loop.assign(target, element(target), element(value))

        loop.cost = element_cost([value], [*read_by(value), target])
        writer.is_wide |= is_wide([value])
        # Not twice: a new array may come to lie where an operand does (`reuse`).
        loop.run(body, lane_of([value], [target]))
    if target.is_fresh:
        writer.fills[target.code] = Fill(begin, len(writer.lines), value, tuple(dims))


def may_overlap(writer: Writer, one: Ref, other: Ref) -> bool:
    """Whether two arrays may share memory: a small array shares it with its own parts only."""
    return one.root == other.root or not {one.root, other.root} & writer.small.keys()


def store(writer: Writer, target: Ref, value: Lazy | Scalar) -> None:
    """Write an expression into an array, as ``target[...] = value`` does."""
    if ndim_of(value) > target.ndim:
        raise Declined("a value with more dimensions than where it goes")
    value = lowered(writer, value)
    dims = [length(writer, target, d) for d in range(target.ndim)]
    apart = read_by(value)
    near = [ref for ref in leaves_of(value) if may_overlap(writer, target, ref)]
    far = [ref for ref in sources_of(value) if may_overlap(writer, target, ref)]
    tests = [f"clash({target.code}, {leaf.code})" for leaf in near]
    tests += [f"overlaps({target.code}, {source.code})" for source in far]
    if not apart or isinstance(value, Scalar):
        fill(writer, target, dims, value)
        return
    if isinstance(value, Ref) and value.is_fresh:
        tests = []
    tests = list(dict.fromkeys(tests))
    if not tests:
        fill(writer, target, dims, value)
        return
    clash = writer.hold("bool", " || ".join(tests), "c")
    with writer.block(f"if (!{clash})"):
        fill(writer, target, dims, value)
    writer.emit("else")
    # What is in memory may be copied from there; a value would be another one.
    is_far = not {target.root, *(leaf.root for leaf in apart)} & writer.small.keys()
    with writer.function("APART") if is_far else writer.block():
        if target.ndim and not sources_of(value):
            behind(
                *(writer, target, dims, value, leaves_of(value)),
                new=lambda dtype, n: replace(new(writer, dtype, [n]), is_fresh=False),
                fill=lambda part, dims, value: fill(writer, part, dims, value),
            )
        else:
            fill(writer, target, dims, copied(writer, value, dims))
