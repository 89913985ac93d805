"""pandas and SciPy under the magic, where they are installed."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.support.cells.libraries import PANDAS, SCIPY
from tests.support.cells.native import Bench, assert_same
from tests.support.cells.python_cells import Cell


def check(cell: Cell) -> None:
    run = assert_same(cell.source.strip("\n"), setup=cell.setup)
    for line in run.reports[-1].lines:
        assert line.reason or line.status == "compiled", line


@pytest.mark.parametrize("cell", PANDAS, ids=lambda cell: cell.name)
def test_pandas(cell: Cell) -> None:
    pytest.importorskip("pandas")
    check(cell)


def test_functions_in_another_process() -> None:
    """joblib, Dask and Ray send the code of a notebook's functions, closure and all."""
    cloudpickle = pytest.importorskip("cloudpickle")
    with Bench(compiled=True) as bench:
        bench.setup("x = np.arange(3.0)")
        seen = bench.cell("k = 3\ndef f(v):\n    w = v * k\n    return w + 1\ny = f(x)")
        assert seen.error is None
        code = cloudpickle.dumps(bench.shell.user_ns["f"])
    script = "import pickle, sys; print(pickle.load(sys.stdin.buffer)(2.0))"
    found = subprocess.run([sys.executable, "-c", script], input=code, capture_output=True)
    assert found.stdout.split() == [b"7.0"], found.stderr


@pytest.mark.parametrize("cell", SCIPY, ids=lambda cell: cell.name)
def test_scipy(cell: Cell) -> None:
    pytest.importorskip("scipy")
    check(cell)
