"""Complex arithmetic as arithmetic of pairs of real numbers, which a compiler can compile.

What only transforms and libraries take as complex numbers is put together for
them. Imports torch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch._functorch.compile_utils import fx_graph_cse
from torch.fx import GraphModule, Node
from torch.fx.experimental.proxy_tensor import make_fx

from jupyter_npcompile.autodiff.stages import name_of

_aten = torch.ops.aten

Parts = tuple[Any, Any]
"""Real and imaginary part; None for one that is zero."""


def in_pairs(module: GraphModule, inputs: list[Tensor]) -> GraphModule:
    """The same graph with complex arithmetic taken apart.

    Parameters
    ----------
    module : GraphModule
        A functional graph.
    inputs : list of Tensor
        Stand for its arguments.
    """
    values = [node.meta.get("val") for node in module.graph.nodes]
    if not any(isinstance(value, Tensor) and value.is_complex() for value in values):
        return module
    made: GraphModule = make_fx(module, decomposition_table={**PAIRS})(*inputs)
    _simplified(made)
    return made


def _simplified(module: GraphModule) -> None:
    """Take out what puts pairs together only to take them apart again."""
    for node in module.graph.nodes:
        if node.op != "call_function":
            continue
        found: Any = None
        if name_of(node) == "view_as_real":
            (source,) = node.all_input_nodes
            found = source.args[0] if name_of(source) == "view_as_complex" else None
        elif name_of(node) == "select":
            source, axis, place = node.args
            pair = isinstance(source, Node) and name_of(source) == "stack"
            if pair and axis in (-1, node.meta["val"].ndim) and source.args[1:] == (-1,):
                found = source.args[0][place]
        elif name_of(node) == "clone":
            (source,) = node.all_input_nodes
            same = source.meta["val"].stride() == node.meta["val"].stride()
            ends = any(user.op == "output" for user in node.users)
            found = source if same and not ends else None  # nothing is written
        if isinstance(found, Node):
            node.replace_all_uses_with(found)
    module.graph = fx_graph_cse(module.graph)
    module.graph.eliminate_dead_code()
    module.recompile()


def _parts(value: Any) -> Parts:
    if isinstance(value, complex):
        return value.real, value.imag or None
    if not isinstance(value, Tensor) or not value.is_complex():
        return value, None
    pair = torch.view_as_real(value)
    return pair.select(-1, 0), pair.select(-1, 1)


def _joined(re: Any, im: Any, *operands: Any) -> Tensor:
    """One complex number of two real ones, with the shape that operands give it."""
    if not isinstance(im, Tensor):
        im = torch.full_like(re, im or 0.0)
    shapes = [value.shape for value in operands if isinstance(value, Tensor)]
    if shapes:
        shape: Any = torch.broadcast_shapes(*shapes)  # type: ignore[no-untyped-call]
        re, im = re.expand(shape), im.expand(shape)
    return torch.view_as_complex(torch.stack([re, im.to(re.dtype)], -1))


def _is_complex(*values: Any) -> bool:
    return any(isinstance(v, Tensor) and v.is_complex() for v in values)


def _sum(x: Any, y: Any) -> Any:
    return y if x is None else x if y is None else x + y


def _difference(x: Any, y: Any) -> Any:
    return x if y is None else -y if x is None else x - y


def _times(x: Any, y: Any) -> Any:
    return None if x is None or y is None else x * y


Function = Callable[..., Any]


def _where_complex(function: Function) -> Function:
    """Leave real arithmetic alone."""

    def decomposed(*args: Any, **kwargs: Any) -> Any:
        given = [part for arg in args for part in (arg if isinstance(arg, list | tuple) else [arg])]
        if not _is_complex(*given) and not any(isinstance(part, complex) for part in given):
            return NotImplemented
        return function(*args, **kwargs)

    return decomposed


@_where_complex
def _add(x: Any, y: Any, *, alpha: Any = 1) -> Any:
    if alpha != 1:
        return NotImplemented
    (a, b), (c, d) = _parts(x), _parts(y)
    return _joined(a + c, _sum(b, d), x, y)


@_where_complex
def _subtract(x: Any, y: Any, *, alpha: Any = 1) -> Any:
    if alpha != 1:
        return NotImplemented
    (a, b), (c, d) = _parts(x), _parts(y)
    return _joined(a - c, _difference(b, d), x, y)


@_where_complex
def _multiply(x: Any, y: Any) -> Any:
    (a, b), (c, d) = _parts(x), _parts(y)
    re = _difference(a * c, _times(b, d))
    im = _sum(_times(a, d), _times(b, c))
    return _joined(re, im, x, y)


@_where_complex
def _divide(x: Any, y: Any) -> Any:
    (a, b), (c, d) = _parts(x), _parts(y)
    if d is None:
        return _joined(a / c, b / c, x, y)
    if not isinstance(y, Tensor):
        return _multiply(x, 1.0 / y) if y else NotImplemented
    scale = torch.maximum(c.abs(), d.abs())  # a square might be too large
    c, d = c / scale, d / scale
    size = (c * c + d * d) * scale
    re = _sum(a * c, _times(b, d)) / size
    im = _difference(_times(b, c), a * d) / size
    return _joined(re, im, x, y)


@_where_complex
def _reciprocal(x: Any) -> Any:
    return _divide(1.0, x)


@_where_complex
def _conjugate(x: Any) -> Any:
    a, b = _parts(x)
    return _joined(a, -b)


@_where_complex
def _absolute(x: Any) -> Any:
    return torch.hypot(*_parts(x))


@_where_complex
def _sign(x: Any) -> Any:
    a, b = _parts(x)
    size = torch.hypot(a, b)
    zero = size == 0
    safe = torch.where(zero, 1.0, size)
    return _joined(torch.where(zero, 0.0, a / safe), torch.where(zero, 0.0, b / safe))


@_where_complex
def _exponential(x: Any) -> Any:
    a, b = _parts(x)
    size = a.exp()
    return _joined(size * b.cos(), size * b.sin())


@_where_complex
def _angle(x: Any) -> Any:
    a, b = _parts(x)
    return torch.atan2(b, a)


@_where_complex
def _logarithm(x: Any) -> Any:
    a, b = _parts(x)
    return _joined(torch.hypot(a, b).log(), torch.atan2(b, a))


def _complex(re: Tensor, im: Tensor) -> Any:
    return _joined(re, im, re, im)


def _converted(x: Tensor, *, dtype: Any = None, **options: Any) -> Any:
    a, b = _parts(x)
    if dtype is not None and not dtype.is_complex and b is not None:
        return a.to(dtype)
    if dtype is None or not dtype.is_complex:
        return NotImplemented
    kind = dtype.to_real()
    return _joined(a.to(kind), None if b is None else b.to(kind))


def _each(overload: Any) -> Function:
    """What moves elements, or is linear with real coefficients: it is done with each part."""

    @_where_complex
    def decomposed(x: Any, *args: Any, **kwargs: Any) -> Any:
        if kwargs.get("dtype") is not None or any(isinstance(arg, complex) for arg in args):
            return NotImplemented
        a, b = _parts(x)
        return _joined(overload(a, *args, **kwargs), overload(b, *args, **kwargs))

    return decomposed


def _both(overload: Any, other: int) -> Function:
    """The same for two operands, the first and another, of which one may be real."""

    @_where_complex
    def decomposed(*args: Any, **kwargs: Any) -> Any:
        if not (_is_complex(args[0]) and isinstance(args[other], Tensor)):
            return NotImplemented
        (a, b), (c, d) = _parts(args[0]), _parts(args[other])
        middle, rest = args[1:other], args[other + 1 :]
        b = torch.zeros_like(a) if b is None else b
        d = torch.zeros_like(c) if d is None else d
        return _joined(
            overload(a, *middle, c, *rest, **kwargs), overload(b, *middle, d, *rest, **kwargs)
        )

    return decomposed


def _several(overload: Any) -> Function:
    """The same for a list of operands."""

    @_where_complex
    def decomposed(values: Any, *args: Any, **kwargs: Any) -> Any:
        pairs = [_parts(value) for value in values]
        ends = [torch.zeros_like(re) if im is None else im for re, im in pairs]
        return _joined(overload([re for re, _ in pairs], *args), overload(ends, *args))

    return decomposed


@_where_complex
def _chosen(condition: Any, x: Any, y: Any) -> Any:
    (a, b), (c, d) = _parts(x), _parts(y)
    b = torch.zeros_like(a) if b is None else b
    d = torch.zeros_like(c) if d is None else d
    return _joined(torch.where(condition, a, c), torch.where(condition, b, d))


def _product(overload: Any) -> Function:
    @_where_complex
    def decomposed(x: Any, y: Any) -> Any:
        (a, b), (c, d) = _parts(x), _parts(y)

        def times(p: Any, q: Any) -> Any:
            return None if p is None or q is None else overload(p, q)

        return _joined(_difference(overload(a, c), times(b, d)), _sum(times(a, d), times(b, c)))

    return decomposed


@_where_complex
def _padded(x: Any, pad: Any, value: Any = 0) -> Any:
    if value != 0:
        return NotImplemented
    a, b = _parts(x)
    return _joined(*(_aten.constant_pad_nd.default(part, pad) for part in (a, b)))


@_where_complex
def _filled(x: Any, axis: Any, index: Any, value: Any) -> Any:
    if not isinstance(value, int | float | complex):
        return NotImplemented
    a, b = _parts(x)
    re, im = complex(value).real, complex(value).imag
    fill = _aten.index_fill.int_Scalar
    return _joined(fill(a, axis, index, re), fill(b, axis, index, im))


@_where_complex
def _power(x: Any, exponent: Any) -> Any:
    return _multiply(x, x) if exponent == 2 else NotImplemented


_MOVING = (
    *("permute.default", "transpose.int", "t.default", "view.default", "_unsafe_view.default"),
    *("expand.default", "unsqueeze.default", "squeeze.default", "squeeze.dim", "squeeze.dims"),
    *("select.int", "slice.Tensor", "alias.default", "detach.default", "clone.default"),
    *("flip.default", "roll.default", "index_select.default", "select_backward.default"),
    *("slice_backward.default", "diagonal.default", "diagonal_backward.default", "neg.default"),
    *("diag_embed.default", "tril.default", "triu.default", "sum.default", "sum.dim_IntList"),
    *("mean.default", "mean.dim", "cumsum.default", "index.Tensor", "repeat.default"),
)

PAIRS: Mapping[Any, Function] = {
    _aten.add.Tensor: _add,
    _aten.sub.Tensor: _subtract,
    _aten.mul.Tensor: _multiply,
    _aten.mul.Scalar: _multiply,
    _aten.div.Tensor: _divide,
    _aten.div.Scalar: _divide,
    _aten.pow.Tensor_Scalar: _power,
    _aten.constant_pad_nd.default: _padded,
    _aten.index_fill.int_Scalar: _filled,
    _aten._neg_view.default: _each(_aten.neg.default),
    _aten.index_put.default: _both(_aten.index_put.default, 2),
    _aten.reciprocal.default: _reciprocal,
    _aten._conj.default: _conjugate,
    _aten.conj_physical.default: _conjugate,
    _aten._conj_physical.default: _conjugate,
    _aten.abs.default: _absolute,
    _aten.sgn.default: _sign,
    _aten.exp.default: _exponential,
    _aten.log.default: _logarithm,
    _aten.angle.default: _angle,
    _aten.complex.default: _complex,
    _aten._to_copy.default: _converted,
    _aten.where.self: _chosen,
    _aten.cat.default: _several(_aten.cat.default),
    _aten.slice_scatter.default: _both(_aten.slice_scatter.default, 1),
    _aten.select_scatter.default: _both(_aten.select_scatter.default, 1),
    _aten.diagonal_scatter.default: _both(_aten.diagonal_scatter.default, 1),
    _aten.copy.default: _both(_aten.copy.default, 1),
    _aten.index_copy.default: _both(_aten.index_copy.default, 3),
    _aten.index_add.default: _both(_aten.index_add.default, 3),
    **{
        getattr(getattr(_aten, name), overload): _each(getattr(getattr(_aten, name), overload))
        for name, overload in (text.split(".") for text in _MOVING)
    },
    **{
        overload: _product(overload)
        for overload in (_aten.mm.default, _aten.bmm.default, _aten.mv.default, _aten.dot.default)
    },
}
"""Decompositions, by operation."""
