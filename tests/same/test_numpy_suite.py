"""NumPy's own test suite, which nobody wrote for us: what passes as it is passes compiled.

Its files come with NumPy. A sample runs each time; ``make fuzz`` draws another one, and runs the
files whole.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.support.session.seeds import SEED
from tests.support.session.summary import tell
from tests.support.suite.suite import Verdict, copied, run

pytestmark = pytest.mark.slow

FILES = tuple(
    f"of_{folder}/test_{name}.py"
    for folder, names in {
        "_core": "einsum half indexing item_selection multiarray nditer numeric "
        "regression scalarmath shape_base ufunc umath umath_complex",
        "fft": "helper pocketfft",
        "lib": "arraypad arraysetops function_base histograms index_tricks nanfunctions polynomial "
        "stride_tricks twodim_base type_check ufunclike",
        "linalg": "linalg regression",
        "polynomial": "polynomial polyutils symbol",
        "random": "generator_mt19937",
    }.items()
    for name in names.split()
)
"""Those whose tests compute with arrays."""

REFERENCES = "counts references to objects"
ROUNDING = "insists that two ways of computing something are rounded alike"
EXCLUDED: dict[str, str] = {
    "of__core/test_indexing.py::TestIndexing::test_small_regressions": REFERENCES,
    "of__core/test_multiarray.py::TestResize::test_check_reference": REFERENCES,
    "of__core/test_nditer.py::test_iter_refcount": REFERENCES,
    "of__core/test_regression.py::TestRegression::test_structured_arrays_with_objects2": REFERENCES,
    "of_lib/test_function_base.py::TestBincount::test_dtype_reference_leaks": REFERENCES,
    "of__core/test_half.py::TestHalf::test_half_conversion_denormal_round_even": ROUNDING,
    "of__core/test_umath.py::TestAVXUfuncs::test_avx_based_ufunc": ROUNDING,
    "of_fft/test_pocketfft.py::TestFFTThreadSafe::test_fft": ROUNDING,
    "of_fft/test_pocketfft.py::TestFFTThreadSafe::test_ifft": ROUNDING,
    "of_fft/test_pocketfft.py::TestFFTThreadSafe::test_rfft": ROUNDING,
    "of_fft/test_pocketfft.py::TestFFTThreadSafe::test_irfft": ROUNDING,
    "of__core/test_ufunc.py::test_addition_reduce_negative_zero": "a sign of zero: docs/limits.md",
    "of__core/test_numeric.py::TestBoolCmp::test_float": "the sign of a NaN: docs/limits.md",
    "of__core/test_numeric.py::TestBoolCmp::test_double": "the sign of a NaN: docs/limits.md",
}
"""Tests that say nothing when they are compiled, and why."""

DRAWN = 4
"""Files of which a sample is taken."""

COUNT = 40
"""Tests in it."""


def judged(verdicts: Iterable[Verdict], name: str) -> None:
    found = list(verdicts)
    compared = [verdict for verdict in found if verdict.is_compared]
    ran = sum(verdict.said.get("counts", {}).get("dispatches", 0) for verdict in compared)
    tell(
        "numpy-suite-" + name.partition(" ")[0].replace("/", "-"),
        f"NumPy's own tests, {name}: {len(compared)} of {len(found)} ran compiled, "
        f"{ran} segments in them",
    )
    wrong = [f"{verdict.name}: {problem}" for verdict in compared for problem in verdict.problems]
    assert not wrong, "\n".join(wrong[:20])
    assert ran


@pytest.mark.drawn
def test_sample(tmp_path: Path) -> None:
    seed = SEED + 1
    files = random.Random(seed).sample(FILES, DRAWN)
    wishes = {"most": 3, "rounds": 2, "seed": seed, "count": COUNT}
    verdicts = run(copied(tmp_path, files), files, list(EXCLUDED), **wishes)
    judged(verdicts, f"sample {seed} of {', '.join(path[3:] for path in files)}")


@pytest.mark.fuzz
@pytest.mark.parametrize("file", FILES)
def test_file(tmp_path: Path, file: str) -> None:
    judged(run(copied(tmp_path, [file]), [file], list(EXCLUDED)), file[3:])
