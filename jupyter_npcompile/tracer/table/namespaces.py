"""``numpy.linalg``, ``numpy.fft`` and ``numpy.random``, and whole namespaces that stay in NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from jupyter_npcompile.tracer.table.rows import (
    Row,
    Section,
    constants,
    host,
    lowered,
    lowered_as,
    skeleton,
)

_SIGNS = "the signs of the vectors depend on the linear algebra library"

LINALG = Section(
    "numpy.linalg",
    (
        *lowered_as("products:vecdot", "vecdot", "numpy.linalg."),
        *lowered_as("products:outer", "outer", "numpy.linalg."),
        *lowered_as("products:linalg_cross", "cross", "numpy.linalg."),
        *lowered_as("products:tensordot", "tensordot", "numpy.linalg."),
        *lowered_as("products:matmul", "matmul", "numpy.linalg."),
        *lowered_as("products:multi_dot", "multi_dot", "numpy.linalg."),
        *lowered(
            "linear_algebra",
            "solve inv det slogdet cholesky svd svdvals eigvalsh pinv lstsq norm vector_norm "
            "matrix_norm matrix_power cond qr tensorsolve tensorinv trace diagonal "
            "matrix_transpose",
            "numpy.linalg.",
        ),
        *lowered("linear_algebra", "matrix_rank", "numpy.linalg.", smooth=False),
        *host(_SIGNS, "eig eigh", "numpy.linalg."),
        *host(
            "the order of the eigenvalues is the linear algebra library's",
            "eigvals",
            "numpy.linalg.",
        ),
        *constants("LinAlgError", "numpy.linalg."),
        *skeleton("it prints", "test", "numpy.linalg."),
    ),
)

FFT = Section(
    "numpy.fft",
    (
        *lowered(
            "spectral",
            "fft ifft rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn "
            "fftshift ifftshift",
            "numpy.fft.",
        ),
        *lowered_as("creation:known", "fftfreq rfftfreq", "numpy.fft.", smooth=False),
        *skeleton("it prints", "test", "numpy.fft."),
    ),
)

_STREAM = "random numbers come from NumPy's own stream"
_DRAWN = """
    beta binomial bytes chisquare choice dirichlet exponential f gamma geometric gumbel
    hypergeometric laplace logistic lognormal logseries multinomial multivariate_normal
    negative_binomial noncentral_chisquare noncentral_f normal pareto permutation poisson power
    random rayleigh shuffle standard_cauchy standard_exponential standard_gamma standard_normal
    standard_t triangular uniform vonmises wald weibull zipf
"""
_LEGACY = "rand randint randn random_integers random_sample ranf sample"

RANDOM = Section(
    "numpy.random",
    (
        *host(_STREAM, _DRAWN + _LEGACY, "numpy.random."),
        *host(
            _STREAM,
            _DRAWN + "integers permuted multivariate_hypergeometric",
            "numpy.random.Generator.",
        ),
        *host("it makes generators", "spawn bit_generator", "numpy.random.Generator."),
        *host(
            "it makes a generator",
            "default_rng BitGenerator Generator MT19937 PCG64 PCG64DXSM Philox RandomState SFC64 "
            "SeedSequence",
            "numpy.random.",
        ),
        *host(
            "it reads or changes the state of NumPy's generator",
            "seed get_state set_state get_bit_generator set_bit_generator",
            "numpy.random.",
        ),
        *skeleton("it prints", "test", "numpy.random."),
    ),
)

NAMESPACES: Mapping[str, Row] = MappingProxyType(
    {
        prefix: Row(prefix, "host", reason=reason)
        for prefix, reason in {
            "numpy.random.": _STREAM,
            "numpy.char.": "it works on strings",
            "numpy.strings.": "it works on strings",
            "numpy.rec.": "it works on structured arrays",
            "numpy.ma.": "it works on masked arrays",
            "numpy.testing.": "it is a test helper",
        }.items()
    }
)
"""Whole namespaces that run in NumPy, by prefix."""
