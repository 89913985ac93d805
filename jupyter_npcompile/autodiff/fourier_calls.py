"""Fourier transforms between kernels: the loops that NumPy itself runs. Imports torch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.fx import Node

from jupyter_npcompile.autodiff.chains import Layouts, Link, demand, nbytes, over
from jupyter_npcompile.loops.library.transforms import ufuncs

_REAL, _COMPLEX = torch.float64, torch.complex128


def _factor(mode: int, count: int) -> float:
    """What results are multiplied by."""
    return (1.0, 1.0 / math.sqrt(count), 1.0 / count)[mode]


def _lines(
    loop: str, axis: int, factor: float, layouts: tuple[Tensor, Tensor], places: tuple[str, str]
) -> str:
    """A statement that transforms all lines along an axis."""
    given, made = layouts
    strides = [[s * t.element_size() for s in t.stride()] for t in layouts]
    others = sorted((d for d in range(given.ndim) if d != axis), key=lambda d: given.shape[d])
    most, rest = (others[-1], others[:-1]) if others else (None, [])
    count = 1 if most is None else given.shape[most]
    steps = [0 if most is None else row[most] for row in strides]
    numbers = (count, given.shape[axis], made.shape[axis], *steps, *(row[axis] for row in strides))
    call = (
        f"npcompile_lines({[*ufuncs()].index(loop)}, ({places[0]}) + o0, ({places[1]}) + o1, "
        f"{factor!r}, {', '.join(map(str, numbers))});"
    )
    return over([given.shape[d] for d in rest], [[row[d] for d in rest] for row in strides], call)


def _arguments(node: Node, layouts: Layouts) -> tuple[Tensor, Tensor, list[int], int, Any]:
    source, axes, mode, last = node.args
    demand(bool(ufuncs()) and not node.kwargs)
    assert isinstance(source, Node)
    given, made = layouts.of(source), layouts.of(node)
    demand(given.numel() > 0 and made.numel() > 0 and bool(axes))
    found = [int(axis) % given.ndim for axis in axes]  # type: ignore[union-attr, arg-type]
    return given, made, found, int(mode), last  # type: ignore[arg-type]


def complex_transform(node: Node, layouts: Layouts) -> Link:
    """Of complex numbers, along some axes."""
    given, made, axes, mode, forward = _arguments(node, layouts)
    demand(given.dtype == made.dtype == _COMPLEX)
    loop = "fft" if forward else "ifft"
    factor = _factor(mode, math.prod(given.shape[axis] for axis in axes))

    def write(places: Sequence[str], results: Sequence[str], own: str) -> list[str]:
        first = _lines(loop, axes[-1], factor, (given, made), (places[0], results[0]))
        return [first, *_further(loop, axes[:-1], made, results[0])]

    return Link([node.args[0]], [node], [nbytes(made)], write)  # type: ignore[list-item]


def _further(loop: str, axes: Sequence[int], layout: Tensor, place: str) -> list[str]:
    """The other axes, in place."""
    return [_lines(loop, axis, 1.0, (layout, layout), (place, place)) for axis in reversed(axes)]


def real_transform(node: Node, layouts: Layouts) -> Link:
    """Of real numbers: half of what comes out, or all."""
    given, made, axes, mode, half = _arguments(node, layouts)
    demand(given.dtype == _REAL and made.dtype == _COMPLEX)
    factor = _factor(mode, math.prod(given.shape[axis] for axis in axes))
    loop = "rfft_n_odd" if given.shape[axes[-1]] % 2 else "rfft_n_even"

    def write(places: Sequence[str], results: Sequence[str], own: str) -> list[str]:
        if not half:
            number = f"{{((const double*)({places[0]}))[o0], 0.0}}"
            move = f"((npcompile_complex*)({results[0]}))[o1] = {number};"
            line = _lines("fft", axes[-1], factor, (made, made), (results[0], results[0]))
            copy = over(given.shape, [given.stride(), made.stride()], move)
            return [copy, line, *_further("fft", axes[:-1], made, results[0])]
        first = _lines(loop, axes[-1], factor, (given, made), (places[0], results[0]))
        return [first, *_further("fft", axes[:-1], made, results[0])]

    return Link([node.args[0]], [node], [nbytes(made)], write)  # type: ignore[list-item]


def transform_to_real(node: Node, layouts: Layouts) -> Link:
    """Back from half of the complex numbers to real ones."""
    given, made, axes, mode, _ = _arguments(node, layouts)
    demand(given.dtype == _COMPLEX and made.dtype == _REAL)
    factor = _factor(mode, math.prod(made.shape[axis] for axis in axes))
    aside = torch.empty(given.shape, dtype=_COMPLEX, device="meta")
    room = nbytes(aside) if axes[:-1] else 0

    def write(places: Sequence[str], results: Sequence[str], own: str) -> list[str]:
        lines, source, place = [], given, places[0]
        for axis in axes[:-1]:
            lines.append(_lines("ifft", axis, 1.0, (source, aside), (place, own)))
            source, place = aside, own
        end = _lines("irfft", axes[-1], factor, (source, made), (place, results[0]))
        return [*lines, end]

    return Link([node.args[0]], [node], [nbytes(made)], write, room)  # type: ignore[list-item]
