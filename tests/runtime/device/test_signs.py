"""Signs of zeros said in other words: what a graph gives stays the same."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

from jupyter_npcompile.runtime.device.signs import with_signs

ZEROS = torch.tensor([1.0, -0.0, 0.0])


def constants(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return x * ZEROS, torch.full((2,), -0.0, dtype=x.dtype), torch.tensor(-0.0)


def others(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    whole = torch.full((2,), -0.0, dtype=torch.int64)
    return -x, x.signbit(), -whole, torch.full((2,), -0.0, dtype=torch.complex64)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.int64])
@pytest.mark.parametrize("function", [constants, others])
def test_results_are_the_same(function: Any, dtype: torch.dtype) -> None:
    x = torch.tensor([-1.0, 0.0, -0.0]).to(dtype)
    module = make_fx(function)(x)
    before = module.code
    for one, other in zip(with_signs(module)(x), function(x), strict=True):
        assert one.dtype == other.dtype
        assert torch.equal(one, other)
        if one.dtype.is_floating_point:
            assert torch.equal(one.signbit(), other.signbit())
    assert module.code == before
