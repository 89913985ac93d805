"""Copies on a device from one cell to the next: only if nothing ran in between."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from typing import Any

import comm
import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.runtime.device import residency as residencies
from jupyter_npcompile.runtime.device.standin import standin
from tests.native import Bench
from tests.silent_threads import silent_threads

FIRST = "%%npcompile --device standin\ny = x * 2\nx += 1\n"
SECOND = "%%npcompile --device standin\nz = y + x\n"


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    with Bench(compiled=True) as bench:
        bench.shell.run_cell("x = np.arange(5.0)\nw = np.ones(5)\nlog = []")
        # Those, too, that the shell and tests before this one have started meanwhile.
        monkeypatch.setattr(residencies, "_SILENT", silent_threads())
        # Tests before this one may have left widgets and figures, as a session would.
        monkeypatch.setattr(comm.get_comm_manager(), "comms", {})
        if "matplotlib.pyplot" in sys.modules:
            sys.modules["matplotlib.pyplot"].close("all")
        assert residencies.is_alone(), threading.enumerate()
        assert not getattr(bench.shell, "active_eventloop", None)
        yield bench.shell


def run(shell: Any, source: str, **options: Any) -> None:
    assert shell.run_cell(source, store_history=True, **options).success


def copied() -> int:
    """Bytes that the last cell has copied to the device."""
    report = npc.last_report()
    assert report is not None
    return sum(region.copies.to_device for region in report.regions if region.copies)


def is_right(shell: Any) -> bool:
    space = shell.user_ns
    return bool((space["z"] == space["y"] + space["x"]).all())


def test_the_next_cell_copies_nothing(shell: Any) -> None:
    run(shell, FIRST)
    assert copied() == 40
    assert standin.held >= 80
    run(shell, SECOND)
    assert copied() == 0
    assert is_right(shell)
    run(shell, SECOND.replace("z = y + x", "z = y + x\nw *= 2"))
    assert copied() == 40  # w


@pytest.mark.parametrize(
    "source",
    [
        "x[0] = 7",
        "pass",
        "%%npcompile\nx[0] = 7",
        "%%npcompile --device cpu\nw = w + 1\nlog.append(1)\nx[0] = 7",
        "%%npcompile --check\nx[0] = 7",
        "%%npcompile --grad s\ns = (x * x).sum()",
        "%%timeit -n1 -r1\nx[0] = 7",
        "get_ipython().run_cell('x[0] = 7')",
        "get_ipython().run_line_magic('timeit', '-n1 -r1 x.fill(3)')",
    ],
)
def test_a_cell_in_between_ends_it(shell: Any, source: str) -> None:
    run(shell, FIRST)
    run(shell, source)
    run(shell, SECOND)
    assert copied() == 80
    assert is_right(shell)


def test_a_silent_execution_ends_it(shell: Any) -> None:
    run(shell, FIRST)
    shell.run_cell("x[0] = 7", silent=True)
    run(shell, SECOND)
    assert copied() == 80
    assert is_right(shell)


def test_an_expression_of_the_front_end_ends_it(shell: Any) -> None:
    run(shell, FIRST)
    assert shell.user_expressions({}) == {}
    assert shell.user_expressions({"a": "x.fill(3)"})["a"]["status"] == "ok"
    run(shell, SECOND)
    assert copied() == 80
    assert is_right(shell)


def test_the_magic_called_from_code_finds_nothing(shell: Any) -> None:
    run(shell, FIRST)
    magic = "get_ipython().run_cell_magic('npcompile', '--device standin', 'z = y + x')"
    run(shell, f"x[0] = 7\n{magic}")
    assert copied() == 80
    assert is_right(shell)


def test_a_cell_that_fails_leaves_nothing(shell: Any) -> None:
    error = shell.run_cell(FIRST + "y[9] = 1\n").error_in_exec
    assert isinstance(error, IndexError)
    assert standin.held == 0


@pytest.mark.parametrize(
    ("last", "stays"),
    [
        ("x", True),
        ("x.sum()", True),
        ("[x]", False),
        ("holder", False),
        ("None", True),
    ],
)
def test_what_is_shown_decides(shell: Any, last: str, stays: bool) -> None:
    run(
        shell,
        "class Holder:\n    def __repr__(self):\n        x[0] = 7\n        return 'told'\n"
        "holder = Holder()",
    )
    run(shell, FIRST + last)
    assert (standin.held > 0) is stays
    run(shell, SECOND)
    assert is_right(shell)


def test_a_formatter_of_the_user_ends_it(shell: Any) -> None:
    def shown(array: Any, printer: Any, cycle: bool) -> None:
        array[0] = 7
        printer.text("told")

    shell.display_formatter.formatters["text/plain"].for_type(np.ndarray, shown)
    run(shell, FIRST + "x")
    assert standin.held == 0
    run(shell, SECOND)
    assert is_right(shell)


def test_a_callback_of_the_user_ends_it(shell: Any) -> None:
    def poke(*_: object) -> None:
        shell.user_ns["x"][0] = 7

    shell.events.register("post_run_cell", poke)
    run(shell, FIRST)
    shell.events.unregister("post_run_cell", poke)
    assert standin.held == 0
    run(shell, SECOND)
    assert is_right(shell)


def test_a_thread_of_the_user_ends_it(shell: Any) -> None:
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    try:
        run(shell, FIRST)
        assert standin.held == 0
    finally:
        stop.set()
        thread.join()


def test_a_task_of_the_user_ends_it(shell: Any) -> None:
    """As in a kernel, where cells run inside an event loop."""
    import asyncio

    async def waits() -> None:
        await asyncio.sleep(3600)

    async def cells(with_task: bool) -> int:
        task = asyncio.ensure_future(waits()) if with_task else None
        if with_task:
            await asyncio.sleep(0)
        run(shell, FIRST)
        held = standin.held
        if task is not None:
            task.cancel()
        return held

    assert asyncio.run(cells(with_task=True)) == 0


def test_nothing_is_left_when_the_extension_goes(shell: Any) -> None:
    run(shell, FIRST)
    assert standin.held > 0
    assert "user_expressions" in vars(shell)
    shell.run_line_magic("unload_ext", "jupyter_npcompile")
    assert standin.held == 0
    assert "user_expressions" not in vars(shell)
    shell.run_line_magic("load_ext", "jupyter_npcompile")


@pytest.mark.slow
def test_in_a_kernel_the_next_cell_copies_nothing() -> None:
    import nbclient
    import nbformat

    cells = [
        # The tier before the extension: so no compile worker is started.
        "import numpy as np, jupyter_npcompile as npc\nnpc.settings.tier = 'aten'\n"
        "%load_ext jupyter_npcompile\nx = np.arange(5.0)",
        FIRST,
        SECOND,
        "print(sum(r.copies.to_device for r in npc.last_report().regions))\n"
        "print((z == y + x).all())",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    nbclient.NotebookClient(notebook, timeout=200).execute()
    text = "".join(output.get("text", "") for output in notebook.cells[-1].outputs)
    assert text == "0\nTrue\n"
