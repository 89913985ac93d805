"""Matrix factors in compiled gradients: NumPy computes them, so the signs are its own.

The derivative of factors is a formula of the factors, whatever their signs. So
it is torch's, and only the call between two compiled pieces is NumPy's.
Imports torch when something is called.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np


def _eigh(a: Any, lower: Any = "L", vectors: bool = True) -> Any:
    if not vectors:
        values = np.linalg.eigvalsh(_array(a), lower)
        return _tensor(values), _tensor(np.empty((0,), values.dtype))
    values, factors = np.linalg.eigh(_array(a), lower)
    return _tensor(values), _tensor(factors)


def _qr(a: Any, mode: Any = "reduced") -> Any:
    made: Any = np.linalg.qr(_array(a), mode)
    if mode == "r":
        return _tensor(np.empty((0,), made.dtype)), _tensor(made)
    return _tensor(made[0]), _tensor(made[1])


def _svd(a: Any, full_matrices: bool = False, vectors: bool = True, driver: Any = None) -> Any:
    if not vectors:
        values = np.linalg.svd(_array(a), compute_uv=False)
        return _tensor(np.empty((0,))), _tensor(values), _tensor(np.empty((0,)))
    return tuple(map(_tensor, np.linalg.svd(_array(a), full_matrices)))


def _array(tensor: Any) -> Any:
    return tensor.resolve_conj().resolve_neg().numpy()


def _tensor(array: Any) -> Any:
    import torch

    return torch.from_numpy(np.ascontiguousarray(array))


FACTORIZATIONS: Mapping[str, Callable[..., Any]] = {
    "_linalg_eigh": _eigh,
    "_linalg_svd": _svd,
    "linalg_qr": _qr,
}
"""By the name of the ATen operation, on tensors.

Examples
--------
>>> import torch
>>> [part.shape for part in FACTORIZATIONS["linalg_qr"](torch.ones(3, 2))]
[torch.Size([3, 2]), torch.Size([2, 2])]
"""
