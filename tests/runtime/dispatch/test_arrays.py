"""Between ndarrays and tensors."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from jupyter_npcompile.graph import ValueType
from jupyter_npcompile.runtime.arrays import allocate, inside, number, to_tensor
from jupyter_npcompile.runtime.copies import Copier
from jupyter_npcompile.tracer.interpret import value_type


@pytest.mark.parametrize(
    "like",
    [
        np.zeros((2, 3)),
        np.zeros((2, 3), order="F"),
        np.zeros((2, 3, 4)).transpose(2, 0, 1).copy(order="K"),
        np.zeros((1, 3)),
        np.zeros((0, 3)),
        np.zeros(()),
        np.zeros(4, np.complex64),
    ],
    ids=lambda array: str((array.shape, array.strides)),
)
def test_allocations_are_laid_out_as_numpy_laid_them_out(like: Any) -> None:
    made = allocate(value_type(like))
    assert made.base is None
    assert (made.dtype, made.shape) == (like.dtype, like.shape)
    if made.size:
        assert made.strides == like.strides


def test_tensors_share_memory_and_read_only_arrays_give_no_warning() -> None:
    x = np.arange(6.0)
    tensor = to_tensor(x, value_type(x))
    tensor[0] = 7
    assert x[0] == 7
    x.flags.writeable = False
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert to_tensor(x, value_type(x))[0] == 7
    assert not x.flags.writeable


def test_numbers_come_back_as_what_they_were() -> None:
    assert type(number(np.array(1.5), ValueType("scalar", "float64"))) is np.float64
    assert type(number(np.array(1.5), ValueType("python", "float64"))) is float


def test_a_result_can_lie_in_a_larger_array() -> None:
    content = np.arange(3.0)
    view = inside(allocate(ValueType("array", "float64", (3, 2), (16, 8))), 8, content, (16,))
    assert view.tolist() == [0, 1, 2]
    assert view.base.shape == (3, 2)
    assert view.strides == (16,)


def test_copies_keep_views_layout_and_flags() -> None:
    x = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    row = x[1]
    frozen = np.ones(2)
    frozen.flags.writeable = False
    copier = Copier()
    a, items, options = copier.copy((x, [row, frozen], {"k": row}))
    assert a.flags.f_contiguous
    assert items[0].base is a
    assert np.shares_memory(options["k"], a)
    assert not items[1].flags.writeable
    items[0][:] = -1
    assert x[1].tolist() == [3, 4, 5]
