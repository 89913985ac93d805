"""Linear algebra, scattered sums and pairs of numbers between kernels, in C++. Imports torch.

The library is called that NumPy brings along, so that what comes out is NumPy's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.fx import Node

from jupyter_npcompile.autodiff.chains import (
    Layouts,
    Link,
    NotNativeError,
    copied,
    ctype,
    demand,
    nbytes,
    over,
)
from jupyter_npcompile.autodiff.fourier_calls import (
    complex_transform,
    real_transform,
    transform_to_real,
)
from jupyter_npcompile.autodiff.matrix_products import (
    PLAIN,
    TURNED,
    demand_library,
    matrix_product,
)
from jupyter_npcompile.autodiff.stages import name_of
from jupyter_npcompile.runtime.native.scratch import aligned

_UPPER, _LOWER, _ANY, _UNIT, _LEFT, _RIGHT = 121, 122, 131, 132, 141, 142


def helpers() -> str:
    """What the statements call."""
    return Path(__file__).with_name("library_calls.hpp").read_text()


def library_link(node: Node, layouts: Layouts) -> Link:
    """A call of a library as a step of a chain.

    Raises
    ------
    NotNativeError
        When it has no form in C++.
    """
    write = _WRITERS.get(name_of(node))
    if write is None:
        raise NotNativeError(f"{name_of(node)} has no form in C++")
    return write(node, layouts)


def _given(node: Node) -> dict[str, Any]:
    """The arguments of a call, by name."""
    target: Any = node.target
    found = {arg.name: arg.default_value for arg in target._schema.arguments}
    names = [arg.name for arg in target._schema.arguments]
    return {**found, **dict(zip(names, node.args, strict=False)), **node.kwargs}


def _results(node: Node, count: int) -> tuple[list[Node | None], list[Tensor]]:
    """The nodes of several results, where they are used, and their layouts."""
    users: dict[int, Node] = {}
    for user in node.users:
        users.setdefault(int(str(user.args[1])), user)
    demand(all(users[int(str(u.args[1]))] is u for u in node.users))
    kinds = [torch.empty_strided(v.shape, v.stride(), dtype=v.dtype, device="meta")
             for v in node.meta["val"]]  # fmt: skip
    return [users.get(k) for k in range(count)], kinds[:count]


# ---- linear algebra


def _stacked(layout: Tensor, batch: Sequence[int], dims: int) -> Tensor:
    """With these dimensions in front."""
    return layout.expand(*batch, *layout.shape[layout.ndim - dims :])


def _fronts(layouts: Sequence[tuple[Tensor, int]]) -> list[tuple[int, ...]]:
    return [tuple(layout.stride()[: layout.ndim - dims]) for layout, dims in layouts]


def _by_columns(layout: Tensor) -> bool:
    """Whether the elements of each matrix lie column by column."""
    rows, columns = layout.shape[-2:]
    down, right = layout.stride()[-2:]
    return (down == 1 or rows == 1) and (right == rows or columns == 1)


def _gathered(layout: Tensor, source: str, to: str) -> str:
    """A matrix, column by column, from where it lies."""
    return _moved(layout, f"({to})[dense] = ({source})[place];")


def _spread(layout: Tensor, source: str, to: str) -> str:
    """A matrix that lies column by column goes to where it belongs."""
    return _moved(layout, f"({to})[place] = ({source})[dense];")


def _moved(layout: Tensor, move: str) -> str:
    """A statement for each element: it lies at ``place``, and column by column at ``dense``."""
    (rows, columns), (down, right) = layout.shape[-2:], layout.stride()[-2:]
    return (
        f"for (int64_t j = 0; j < {columns}; ++j) for (int64_t i = 0; i < {rows}; ++i) "
        f"{{ const int64_t place = i * {down} + j * {right}, dense = j * {rows} + i; {move} }}"
    )


def _doubles(*layouts: Tensor) -> None:
    demand_library()
    demand(all(layout.dtype == torch.float64 and layout.numel() > 0 for layout in layouts))


def _lu_factor(node: Node, layouts: Layouts) -> Link:
    """``lu, pivots, info`` of a matrix."""
    call = _given(node)
    a = layouts.of(call["A"])
    makes, (lu, pivots, info) = _results(node, 3)
    _doubles(a, lu)
    demand(call["pivot"] is True and _by_columns(lu) and info.is_contiguous())
    size = a.shape[-1]
    demand(pivots.dtype == info.dtype == torch.int32 and a.shape[-2] == size)
    batch = a.shape[:-2]
    fronts = _fronts([(a, 2), (lu, 2), (pivots, 1), (info, 0)])

    def write(given: Sequence[str], made: Sequence[str], own: str) -> list[str]:
        factors, places, flag = made
        statement = (
            f"double* lu = (double*)({factors}) + o1; "
            f"{_gathered(a, f'(const double*)({given[0]}) + o0', 'lu')} "
            f"npcompile_factor(lu, {size}, (int32_t*)({places}) + o2, (int64_t*)({own}), "
            f"(int32_t*)({flag}) + o3);"
        )
        return [over(batch, fronts, statement)]

    sizes = [nbytes(lu), nbytes(pivots), nbytes(info)]
    return Link([call["A"]], makes, sizes, write, size * 8)


def _lu_solve(node: Node, layouts: Layouts) -> Link:
    """``x`` of ``a @ x == b``, or of the transposed matrix, from the factors of ``a``."""
    call = _given(node)
    x = layouts.of(node)
    batch = x.shape[:-2]
    takes = [call["LU"], call["pivots"], call["B"]]
    lu, pivots, b = (layouts.of(value) for value in takes)
    _doubles(lu, b, x)
    demand(bool(call["left"]) and pivots.dtype == torch.int32 and _by_columns(lu))
    size, columns = x.shape[-2:]
    lu, b = (_stacked(value, batch, 2) for value in (lu, b))
    pivots = _stacked(pivots, batch, 1)
    demand(pivots.stride(-1) == 1 or size == 1)
    fronts = _fronts([(lu, 2), (pivots, 1), (b, 2), (x, 2)])
    turned = '"T"' if call["adjoint"] else '"N"'
    direct = _by_columns(x)
    room = aligned(size * 8)

    def write(given: Sequence[str], made: Sequence[str], own: str) -> list[str]:
        end = f"(double*)({made[0]}) + o3"
        spread = "" if direct else _spread(x, "x", end)
        statement = (
            f"double* x = {end if direct else f'(double*)({own} + {room})'}; "
            f"{_gathered(b, f'((const double*)({given[2]}) + o2)', 'x')} "
            f"npcompile_resolve({turned}, (const double*)({given[0]}) + o0, "
            f"(const int32_t*)({given[1]}) + o1, {size}, x, {columns}, (int64_t*)({own})); {spread}"
        )
        return [over(batch, fronts, statement)]

    return Link(takes, [node], [nbytes(x)], write, room + size * columns * 8)


def _cholesky(node: Node, layouts: Layouts) -> Link:
    """``lower, info`` of a symmetric matrix."""
    call = _given(node)
    a = layouts.of(call["self"])
    makes, (lower, info) = _results(node, 2)
    _doubles(a, lower)
    demand(not call["upper"] and info.dtype == torch.int32 and info.is_contiguous())
    size = a.shape[-1]
    fronts = _fronts([(a, 2), (lower, 2), (info, 0)])

    def write(given: Sequence[str], made: Sequence[str], own: str) -> list[str]:
        statement = (
            f"double* l = (double*)({own}); "
            f"{_gathered(a, f'((const double*)({given[0]}) + o0)', 'l')} "
            f"npcompile_cholesky(l, {size}, (int32_t*)({made[1]}) + o2); "
            f"{_spread(lower, 'l', f'((double*)({made[0]}) + o1)')}"
        )
        return [over(a.shape[:-2], fronts, statement)]

    sizes = [nbytes(lower), nbytes(info)]
    return Link([call["self"]], makes, sizes, write, size * size * 8)


def _solve_triangular(node: Node, layouts: Layouts) -> Link:
    """``x`` of ``a @ x == b``, or of ``x @ a == b``, with a triangular ``a``."""
    call = _given(node)
    x = layouts.of(node)
    batch = x.shape[:-2]
    takes = [call["self"], call["B"]]
    a, b = (_stacked(layouts.of(value), batch, 2) for value in takes)
    _doubles(a, b, x)
    size = a.shape[-1]
    down, right = a.stride()[-2:]
    if (down == 1 and right >= size) or size == 1:
        turned, lead, upper = PLAIN, max(right, size), bool(call["upper"])
    else:
        demand(right == 1 and down >= size)
        turned, lead, upper = TURNED, down, not call["upper"]
    options = (
        _LEFT if call["left"] else _RIGHT,
        _UPPER if upper else _LOWER,
        turned,
        _UNIT if call["unitriangular"] else _ANY,
        *x.shape[-2:],
    )
    fronts = _fronts([(a, 2), (b, 2), (x, 2)])

    def write(given: Sequence[str], made: Sequence[str], own: str) -> list[str]:
        statement = (
            f"double* x = (double*)({own}); "
            f"{_gathered(b, f'((const double*)({given[1]}) + o1)', 'x')} "
            f"npcompile_triangular({', '.join(map(str, options))}, "
            f"(const double*)({given[0]}) + o0, {lead}, x); "
            f"{_spread(x, 'x', f'((double*)({made[0]}) + o2)')}"
        )
        return [over(batch, fronts, statement)]

    return Link(takes, [node], [nbytes(x)], write, math.prod(x.shape[-2:]) * 8)


# ---- scattered sums

_REDUCED = {
    "sum": "to += from;",
    "amax": "to = from > to || from != from ? from : to;",
    "amin": "to = from < to || from != from ? from : to;",
}


def _scatter(node: Node, layouts: Layouts) -> Link:
    """Elements are added to, or compared with, those at the places that an index tells."""
    call = _given(node)
    takes = [call["self"], call["index"], call["src"]]
    demand(all(isinstance(value, Node) for value in takes))
    base, index, source = (layouts.of(value) for value in takes)
    made = layouts.of(node)
    reduce = call.get("reduce", "sum")
    demand(reduce in _REDUCED and call.get("include_self", True) is True and made.is_contiguous())
    demand(index.dtype == torch.int64 and base.ndim > 0 and base.dtype == source.dtype)
    kind, axis = ctype(made), int(call["dim"]) % base.ndim
    along = [0 if d == axis else s for d, s in enumerate(made.stride())]

    def write(given: Sequence[str], results: Sequence[str], own: str) -> list[str]:
        place = f"o2 + place * {made.stride(axis)}"
        statement = (
            f"const int64_t place = ((const int64_t*)({given[1]}))[o0]; "
            f"if (place < 0 || place >= {made.shape[axis]}) return 1; "
            f"const {kind} from = ((const {kind}*)({given[2]}))[o1]; "
            f"{kind}& to = (({kind}*)({results[0]}))[{place}]; {_REDUCED[reduce]}"
        )
        strides = [index.stride(), source.stride(), along]
        return [copied(base, given[0], results[0]), over(index.shape, strides, statement)]

    return Link(takes, [node], [nbytes(made)], write)


# ---- complex numbers and pairs of real ones


def _paired(node: Node, layouts: Layouts) -> Link:
    """The same numbers, seen as pairs or as complex ones."""
    source = node.args[0]
    assert isinstance(source, Node)
    seen = node.meta["val"]
    if torch.empty_like(seen).stride() != seen.stride():  # it has gaps, as no array of ours has
        demand(not any(name_of(user) == "as_strided" for user in node.users))
        node.meta["val"] = seen.contiguous()
    whole = [layouts.of(source), layouts.of(node)]
    given, made = (torch.view_as_real(t) if t.is_complex() else t for t in whole)
    ctype(given)

    def write(places: Sequence[str], results: Sequence[str], own: str) -> list[str]:
        return [copied(given, places[0], results[0], made)]

    same = given.stride() == made.stride()
    return Link([source], [node], [nbytes(whole[1])], write, is_alias=same)


_WRITERS: Mapping[str, Callable[[Node, Layouts], Link]] = {
    **dict.fromkeys(("mm", "bmm", "mv", "dot", "vdot"), matrix_product),
    "linalg_lu_factor_ex": _lu_factor,
    "linalg_lu_solve": _lu_solve,
    "linalg_cholesky_ex": _cholesky,
    "linalg_solve_triangular": _solve_triangular,
    "scatter_reduce": _scatter,
    "scatter_add": _scatter,
    **dict.fromkeys(("view_as_real", "view_as_complex"), _paired),
    "_fft_c2c": complex_transform,
    "_fft_r2c": real_transform,
    "_fft_c2r": transform_to_real,
}
