"""``np.einsum`` of two arrays, where it is a product of matrices, or a sum of products."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from jupyter_npcompile.loops import cuts, elementwise
from jupyter_npcompile.loops.arithmetic import constant
from jupyter_npcompile.loops.calls import elements, of
from jupyter_npcompile.loops.kinds import Declined
from jupyter_npcompile.loops.library import reductions
from jupyter_npcompile.loops.library.products import product
from jupyter_npcompile.loops.library.rearranging import permuted, transposed
from jupyter_npcompile.loops.library.row_sums import RowSums
from jupyter_npcompile.loops.values import Cut, Known, Lazy, Ref, Value

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names


def parsed(text: str) -> tuple[str, str, str]:
    """The letters of two operands and of the result.

    Raises
    ------
    Declined
        When it says something else.

    Examples
    --------
    >>> parsed("ij, jk -> ik")
    ('ij', 'jk', 'ik')
    """
    operands, arrow, result = text.replace(" ", "").partition("->")
    parts = operands.split(",")
    known = all(part.isalpha() and len(set(part)) == len(part) for part in parts)
    if len(parts) != 2 or not arrow or not known or len(set(result)) != len(result):
        raise Declined("np.einsum of such subscripts")
    if not set(result) <= set("".join(parts)):
        raise Declined("np.einsum of such subscripts")
    return parts[0], parts[1], result


@of(np.einsum)
def _einsum(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    text = args[0] if args else None
    if kwargs or len(args) != 3 or not isinstance(text, Known) or not isinstance(text.value, str):
        raise Declined("np.einsum with these arguments")
    left, right, result = parsed(text.value)
    a, b = (elementwise.materialise(t.writer, elements(arg)) for arg in args[1:])
    if (a.ndim, b.ndim) != (len(left), len(right)) or {a.dtype, b.dtype} != {"float64"}:
        raise Declined("np.einsum of these")
    for d, letter in enumerate(left):
        if letter in right:  # NumPy would stretch an axis of length one
            n = f"{b.code}.n[{right.index(letter)}]"
            t.writer.emit(f"NEED({a.code}.n[{d}] == {n});")
    shared = set(left) & set(right)
    if len(shared - set(result)) == len(shared) == 1 and max(a.ndim, b.ndim) <= 2:
        return _product(t, a, b, (left, right, result))
    if set(right) <= set(left) and left.startswith(result):
        return _sum(t, a, b, (left, right, result))
    if set(left) <= set(right) and right.startswith(result):
        return _sum(t, b, a, (right, left, result))
    if left + right == result and not shared:
        all = [Cut(None, None, None)] * a.ndim
        full: list[cuts.Index] = [*all, *([Known(None)] * b.ndim)]
        wide = cuts.view(t.writer, a, full)
        return elementwise.materialise(t.writer, elementwise.binary("multiply", wide, b))
    if not _lies_in_rows(left, right, result):
        raise Declined("np.einsum of such subscripts")
    for letter in result[1:]:  # or NumPy puts it elsewhere
        ref, letters = (a, left) if letter in left else (b, right)
        t.writer.emit(f"NEED({ref.code}.n[{letters.index(letter)}] > 1);")
    if a.ndim == b.ndim > 2 and left[:-2] == right[:-2] == result[:-2]:
        stacked = _product_of_stacks(t, a, b, (left, right, result))
        if stacked is not None:
            return stacked
    return _by_loops(t, a, b, (left, right, result))


def _product(t: Names, a: Ref, b: Ref, letters: tuple[str, str, str]) -> Value:
    """One axis in common, which is summed up."""
    left, right, result = letters
    (common,) = set(left) & set(right)
    if result != left.replace(common, "") + right.replace(common, ""):
        raise Declined("np.einsum of such subscripts")
    if a.ndim == 2 and left[0] == common:
        a = transposed(t, a)
    if b.ndim == 2 and right[1] == common:
        b = transposed(t, b)
    return product(t, a, b)


def _lies_in_rows(left: str, right: str, result: str) -> bool:
    """Whether NumPy puts the result in C's order, as it does where no operand says otherwise.

    Examples
    --------
    >>> _lies_in_rows("bij", "bjk", "bik")
    True
    >>> _lies_in_rows("bji", "bkj", "bik")  # j before i, and k before j
    False
    """
    before = {pair for text in (left, right) for pair in itertools.combinations(text, 2)}
    for x, y in itertools.combinations(result, 2):
        if (y, x) in before or any((y, c) in before and (c, x) in before for c in left + right):
            return False
    return True


def _product_of_stacks(t: Names, a: Ref, b: Ref, letters: tuple[str, str, str]) -> Value | None:
    """One axis in common, which is summed up, of all matrices in two stacks."""
    left, right, result = (text[-2:] for text in letters)
    shared = set(left) & set(right)
    if len(shared) != 1 or result != left.strip(*shared) + right.strip(*shared):
        return None
    (common,) = shared
    return product(
        t,
        a if left[1] == common else _turned(t, a),
        b if right[0] == common else _turned(t, b),
    )


def _turned(t: Names, stack: Ref) -> Ref:
    """Each matrix of a stack, with rows for columns."""
    order = [*range(stack.ndim - 2), stack.ndim - 1, stack.ndim - 2]
    return permuted(t, stack, [constant(axis) for axis in order])


def _by_loops(t: Names, a: Ref, b: Ref, letters: tuple[str, str, str]) -> Ref:
    """A row of the result at a time, to which rows of an operand are added."""
    left, right, result = letters
    w = t.writer
    for ref in (a, b):
        if ref.ndim > 1:
            w.emit(f"NEED(!is_unordered({ref.code}));")
    if not result or result[-1] not in (left[-1], right[-1]) or set(result) == set(left + right):
        raise Declined("np.einsum of such subscripts")
    sizes = {letter: f"{b.code}.n[{d}]" for d, letter in enumerate(right)}
    sizes |= {letter: f"{a.code}.n[{d}]" for d, letter in enumerate(left)}
    sizes = {letter: w.hold("i64", size, "n") for letter, size in sizes.items()}
    made = elementwise.new(w, a.dtype, [sizes[letter] for letter in result])
    RowSums(w, (a, b), letters, sizes).into(made)
    return made


def _sum(t: Names, a: Ref, b: Ref, letters: tuple[str, str, str]) -> Value:
    """All axes of one are axes of the other; the last ones are summed up."""
    left, right, result = letters
    w = t.writer
    if [letter for letter in left if letter in right] != list(right):
        raise Declined("np.einsum of such subscripts")
    w.emit(f"NEED(lies_in_rows({a.code}));")
    places = [Cut(None, None, None) if letter in right else Known(None) for letter in left]
    value: Lazy = elementwise.binary("multiply", a, cuts.view(w, b, places))
    if not result:
        return reductions.total(w, value)
    for place in range(len(left) - 1, len(result) - 1, -1):
        value = reductions.along(w, value, place, "sum")
    return elementwise.materialise(w, value)
