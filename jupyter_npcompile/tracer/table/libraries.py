"""Operations that NumPy's libraries do best, and compiled code would only call.

Products of matrices, factorisations, Fourier transforms, sorting and searching gain
nothing from being compiled. A segment that does hardly anything else is left to NumPy.
"""

from __future__ import annotations

_PRODUCTS = "dot einsum inner matmul matvec tensordot vdot"
_ORDER = (
    "argsort histogram interp isin lexsort median nanmedian nanpercentile nanquantile percentile "
    "quantile searchsorted sort"
)
_RUNNING = "add.accumulate cumprod cumsum maximum.accumulate nancumsum"
_LINALG = (
    "cholesky cond det eigvalsh inv lstsq matmul matrix_power matrix_rank multi_dot pinv qr "
    "slogdet solve svdvals tensorinv tensorsolve"
)
_FFT = "fft fft2 fftn hfft ifft ifft2 ifftn ihfft irfft irfft2 irfftn rfft rfft2 rfftn"
_METHODS = "argsort dot sort"

LIBRARY_CALLS = frozenset(
    [
        *(f"numpy.{name}" for name in f"{_PRODUCTS} {_ORDER} {_RUNNING}".split()),
        *(f"numpy.linalg.{name}" for name in _LINALG.split()),
        *(f"numpy.fft.{name}" for name in _FFT.split()),
        *(f"ndarray.{name}" for name in _METHODS.split()),
    ]
)
"""Names of operations, as nodes have them."""
