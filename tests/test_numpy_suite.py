"""NumPy's own test suite, which nobody wrote for us: what passes as it is passes compiled.

Its files come with NumPy. A drawn sample runs here, within seconds; all of it with
``NPCOMPILE_NUMPY_SUITE=all`` in the environment, which takes an hour or so.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.suite import Verdict, copied, run
from tests.summary import tell

pytestmark = pytest.mark.slow

ALL = os.environ.get("NPCOMPILE_NUMPY_SUITE") == "all"

FILES = tuple(
    f"of_{folder}/test_{name}.py"
    for folder, names in {
        "_core": "einsum errstate function_base item_selection shape_base",
        "lib": "index_tricks polynomial stride_tricks twodim_base type_check ufunclike",
    }.items()
    for name in names.split()
)
"""Those whose tests compute with arrays."""

EXCLUDED: dict[str, str] = {}
"""Tests that say nothing when they are compiled, and why."""

DRAWN = 4
"""Files of which a sample is taken."""

SECONDS = 10.0
"""After which no test of the sample begins."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copied(tmp_path_factory.mktemp("suite"))


def judged(verdicts: Iterable[Verdict], name: str) -> None:
    found = list(verdicts)
    compared = [verdict for verdict in found if verdict.is_compared]
    ran = sum(verdict.said.get("counts", {}).get("dispatches", 0) for verdict in compared)
    tell(
        f"numpy-suite-{name}",
        f"NumPy's own tests, {name}: {len(compared)} of {len(found)} ran compiled, "
        f"{ran} segments in them",
    )
    wrong = [f"{verdict.name}: {problem}" for verdict in compared for problem in verdict.problems]
    assert not wrong, "\n".join(wrong[:20])
    assert ran


@pytest.mark.skipif(ALL, reason="all of it runs")
def test_sample(folder: Path) -> None:
    # The same one on every landing: what it has to do with luck, it does elsewhere.
    seed = 1 if os.environ.get("CI") else random.randrange(1000)
    files = random.Random(seed).sample(FILES, DRAWN)
    wishes = {"most": 3, "rounds": 2, "seed": seed, "budget": SECONDS}
    judged(run(folder, files, list(EXCLUDED), **wishes), f"sample {seed} of {' '.join(files)}")


@pytest.mark.skipif(not ALL, reason="NPCOMPILE_NUMPY_SUITE=all runs all of it")
@pytest.mark.parametrize("file", FILES)
def test_file(folder: Path, file: str) -> None:
    judged(run(folder, [file], list(EXCLUDED), limit=3000.0), Path(file).stem)
