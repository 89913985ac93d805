"""What waiting for compiles says."""

from __future__ import annotations

import threading

import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.runtime import compile_worker
from jupyter_npcompile.runtime.compile_worker import CompileWorker
from jupyter_npcompile.runtime.deaths import MOST
from jupyter_npcompile.runtime.waited import Waited
from jupyter_npcompile.runtime.worker import compiler


def test_all_is_done() -> None:
    assert npc.wait()
    assert npc.wait().reason == "nothing is being compiled"


def test_the_time_was_not_enough() -> None:
    end = threading.Event()

    def compiles() -> None:
        end.wait()

    compiler.submit(compiles)
    try:
        waited = npc.wait(0.01)
        assert not waited
        assert waited.pending >= 1
        assert "the time was not enough" in repr(waited)
    finally:
        end.set()
    assert npc.wait()


@pytest.mark.parametrize("count", [1, 2])
def test_compiles_are_counted(count: int) -> None:
    many = {1: "1 compile is", 2: "2 compiles are"}[count]
    assert Waited(False, count).reason == f"the time was not enough, {many} in progress"


def test_nothing_more_is_compiled() -> None:
    worker = CompileWorker("nowhere")
    for _ in range(MOST):
        worker._deaths.note("it was killed")
    try:
        waited = npc.wait()
        assert waited
        assert "because it was killed; it starts again in 5 minutes" in waited.reason
        assert repr(waited) == f"True: {waited.reason}"
    finally:
        compile_worker.forgive_all()
    assert npc.wait().reason == "nothing is being compiled"
