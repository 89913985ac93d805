"""Cells on the stand-in device: everything is copied there and back, and nothing differs.

Every cell of `test_as_native` that writes in place or takes a view, and a sample
of the others. The whole suite runs on it with ``NPCOMPILE_TEST_DEVICE=standin`` in
the environment: see `tests.support.cells.native`.
"""

from __future__ import annotations

import ast
import asyncio
import sys
from collections.abc import Iterator
from typing import Any

import comm
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.magic import between, quiet
from jupyter_npcompile.runtime.device import observers
from tests.same import test_as_native as test_same_as_native
from tests.same import test_programs as test_same_programs
from tests.same.test_as_native import ACCEPTANCE, HELPER
from tests.same.test_programs import Program
from tests.support.cells import native
from tests.support.cells.native import Bench, assert_same
from tests.support.session.silent_threads import only_tests_run

WRITING = frozenset({"sort", "fill", "resize", "put", "partition", "shape", "strides", "dtype"})
VIEWING = frozenset(
    {"T", "reshape", "ravel", "transpose", "view", "swapaxes", "diagonal", "real", "imag", "flat"}
    | {"squeeze", "broadcast_to", "moveaxis", "rot90", "flip"}
)


def writes_or_views(source: str) -> bool:
    """Whether a cell writes in place, or takes a view, as far as its text tells."""
    return any(
        isinstance(node, ast.AugAssign | ast.Slice)
        or (isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store))
        or (isinstance(node, ast.keyword) and node.arg == "out")
        or (isinstance(node, ast.Attribute) and node.attr in WRITING | VIEWING)
        for node in ast.walk(ast.parse(source))
    )


CELLS = [
    case
    for number, case in enumerate(test_same_as_native.CASES)
    if number % 12 == 0 or writes_or_views(case.source.strip("\n"))
]


def test_every_write_and_view_is_there() -> None:
    assert len(CELLS) > 150
    names = {case.name for case in CELLS}
    found = [case.name for case in test_same_as_native.CASES if "view" in case.name]
    assert set(found) <= names


def assert_same_there(case: test_same_as_native.Case) -> None:
    """Run a cell natively, and on the stand-in."""
    assert_same(
        case.source.strip("\n"),
        setup=case.setup,
        captured=case.captured,
        fallbacks=case.fallbacks,
        device="standin",
    )


@pytest.mark.parametrize("case", CELLS, ids=lambda case: case.name)
def test_cell(case: test_same_as_native.Case) -> None:
    assert_same_there(case)


WAITING = [case for case in CELLS if "await" not in case.source]


@pytest.fixture
def results_wait(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Cells run in an event loop, as in a kernel, which has nothing else to do.

    Lists the cells whose results have waited until they were over.
    """
    waited: list[str] = []

    def run_cell(bench: Bench, text: str) -> Any:
        loop = asyncio.new_event_loop()
        results: list[Any] = []

        def run() -> None:
            results.append(bench.shell.run_cell(text, store_history=True))
            report = npc.last_report() if bench.compiled else None
            if report is not None:
                copies = [region.copies for region in report.regions if region.copies]
                waited.extend(text for _ in copies[:1] if any(one.waiting for one in copies))
            loop.call_later(0, loop.stop)  # later than what waits

        loop.call_soon(run)
        try:
            loop.run_forever()
        finally:
            loop.close()
        return results[0]

    monkeypatch.setattr(Bench, "run_cell", run_cell)
    monkeypatch.setattr(between, "PATIENCE", 0)
    monkeypatch.setattr(quiet, "_KNOWN", (*quiet._KNOWN, f"{native.__name__}."))
    for name in ("comms", "targets"):  # of tests before this one, as are handlers of signals
        monkeypatch.setattr(comm.get_comm_manager(), name, {})
    monkeypatch.setattr(observers, "_SIGNALS", ())
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
    with only_tests_run():
        yield waited


@pytest.mark.usefixtures("results_wait")
@pytest.mark.parametrize("case", WAITING, ids=lambda case: case.name)
def test_cell_whose_results_wait(case: test_same_as_native.Case) -> None:
    assert_same_there(case)


def test_many_results_have_waited(results_wait: list[str]) -> None:
    cells = WAITING[::12]
    for case in cells:
        assert_same_there(case)
    assert len(results_wait) > len(cells) / 3


@pytest.mark.parametrize(
    "program", test_same_programs.PROGRAMS[::5], ids=lambda program: program.name
)
def test_program(program: Program) -> None:
    assert_same(
        program.source.strip("\n"),
        setup=program.setup,
        ulps=program.ulps,
        fallbacks=program.fallbacks,
        device="standin",
    )


def test_acceptance_cell() -> None:
    setup = "import matplotlib; matplotlib.use('Agg'); u = np.sin(np.linspace(0, 4, 24)) + RUN"
    assert_same(ACCEPTANCE, setup=setup, earlier=[HELPER], device="standin")


CONSUMERS = {
    "the buffer protocol": "m = memoryview(y).tolist(), bytes(y), y.tobytes()",
    "asarray": "m = np.asarray(y), np.array(y, copy=True), type(y), y.__array_interface__['shape']",
    "pickle": "import pickle\nm = pickle.loads(pickle.dumps(y))",
    "copies": "import copy\nm = copy.deepcopy(y), copy.copy(y)",
    "torch": "import torch\nm = torch.from_numpy(y).sum().item()",
    "a file": "import io\nf = io.BytesIO()\nnp.save(f, y)\nm = f.getvalue()\ndel f",
    "ctypes": "import ctypes\nm = ctypes.c_double.from_address(y.ctypes.data).value",
    "matplotlib": "import matplotlib.pyplot as plt\nf, a = plt.subplots()\n"
    "m = a.plot(y)[0].get_ydata().copy()\nplt.close(f)\ndel f, a",
    "pandas": "import pandas\nm = pandas.Series(y).sum(), str(pandas.DataFrame({'y': y}))",
    "a thread": "import threading\nm = []\nt = threading.Thread(target=lambda: m.append(y.sum()))\n"
    "t.start()\nt.join()\ndel t",
    "a thread that writes": "import threading\n"
    "t = threading.Thread(target=lambda: (y.fill(3), x.fill(4)))\nt.start()\nt.join()\ndel t",
    "a view that writes": "m = memoryview(x)\nm[1] = 40.0\ndel m",
}


@pytest.mark.parametrize("name", CONSUMERS)
def test_whoever_looks_at_results_sees_them(name: str) -> None:
    if name == "pandas":
        pytest.importorskip("pandas")
    setup = "import matplotlib; matplotlib.use('Agg')\nx = np.arange(6.0) + RUN"
    cell = f"y = x * 2\nx += 1\n{CONSUMERS[name]}\nz = y + x\nx *= 2\n"
    assert_same(cell, setup=setup, captured=False, device="standin")
