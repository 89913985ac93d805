"""A ``dot`` that is kept running, and programs that only have its name."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from jupyter_npcompile.graph import dot_process
from jupyter_npcompile.graph.dot_process import DotError, DotProcess
from tests.support.session.processes import PATIENCE

needs_dot = pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")

ANSWERS = 'while read line; do echo "<svg>$$ $line</svg>"; done'
"""Draws each line, and says which process did."""


@pytest.fixture
def dot() -> Iterator[DotProcess]:
    process = DotProcess()
    yield process
    process.close()


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Puts a script where ``dot`` would be."""

    def written(script: str) -> None:
        program = tmp_path / "dot"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)

    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    return written


@needs_dot
def test_draws_what_it_is_given(dot: DotProcess) -> None:
    first, second = dot.draw(["digraph { alpha }", "digraph { beta -> gamma }"])
    assert "alpha" in first
    assert "beta" not in first
    assert "gamma" in second
    assert second.count("<svg") == 1


@needs_dot
def test_an_error_does_not_spoil_the_next_drawing(dot: DotProcess) -> None:
    with pytest.raises(DotError):
        dot.draw(["digraph { a -> -> b }"])
    assert "alpha" in dot.draw(["digraph { alpha }"])[0]


@needs_dot
def test_a_graph_that_does_not_fit_into_a_pipe(dot: DotProcess) -> None:
    label = "x" * 3000
    text = " ".join(f'n{place} [label="{label}"];' for place in range(60))
    assert dot.draw([f"digraph {{ {text} }}"])[0].count(label) == 60


def test_one_process_draws_everything(dot: DotProcess, install: Callable[[str], None]) -> None:
    install(ANSWERS)
    dot.start()
    assert len({answer.split()[0] for _ in range(5) for answer in dot.draw(["a", "b"])}) == 1


def test_threads_get_what_they_asked_for(dot: DotProcess, install: Callable[[str], None]) -> None:
    install(ANSWERS)

    def ask(number: int) -> bool:
        return f" {number}</svg>" in dot.draw([str(number)])[0]

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(ask, range(200)))


def test_a_process_that_was_killed_is_replaced(
    dot: DotProcess, install: Callable[[str], None]
) -> None:
    install(ANSWERS)
    pid = int(dot.draw(["a"])[0].removeprefix("<svg>").split()[0])
    os.kill(pid, signal.SIGKILL)
    with suppress(DotError):  # it was not over when it was asked
        dot.draw(["b"])
    assert " c</svg>" in dot.draw(["c"])[0]


def test_one_that_was_closed_begins_again(dot: DotProcess, install: Callable[[str], None]) -> None:
    install(ANSWERS)
    before = dot.draw(["a"])[0].split()[0]
    dot.close()
    dot.close()
    assert dot.draw(["b"])[0].split()[0] != before


def test_an_interrupt_leaves_no_half_answer(
    dot: DotProcess, install: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(source: int, seconds: float) -> bytes:
        raise KeyboardInterrupt

    install(ANSWERS)
    with monkeypatch.context() as patch:
        patch.setattr(dot_process, "_read", interrupted)
        with pytest.raises(KeyboardInterrupt):
            dot.draw(["a"])
    assert " b</svg>" in dot.draw(["b"])[0]


def _in_child(dot: DotProcess, answers: multiprocessing.Queue[str]) -> None:
    answers.put(dot.draw(["child"])[0])
    dot.close()


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_process_starts_its_own(dot: DotProcess, install: Callable[[str], None]) -> None:
    install(ANSWERS)
    mine = dot.draw(["a"])[0].split()[0]
    context = multiprocessing.get_context("fork")
    answers: multiprocessing.Queue[str] = context.Queue()
    child = context.Process(target=_in_child, args=(dot, answers))
    child.start()
    own, said = answers.get(timeout=PATIENCE).split()
    child.join()
    assert said == "child</svg>"
    assert own != mine
    assert dot.draw(["b"])[0].split()[0] == mine


def test_one_that_reads_everything_first(
    dot: DotProcess, install: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dot_process, "PATIENCE", 0.2)
    install('text=$(cat); echo "<svg>$text</svg>"')
    for text in ("a", "b"):
        assert dot.draw([text]) == [f"<svg>{text}</svg>\n"]


@pytest.mark.parametrize("script", ["exit 1", "echo nothing", "read line; printf '\\377'"])
def test_one_that_fails(script: str, dot: DotProcess, install: Callable[[str], None]) -> None:
    install(script)
    with pytest.raises(DotError):
        dot.draw(["a"])


@pytest.mark.parametrize(
    "script", ["sleep infinity", "read line; echo '<svg></svg>'; sleep infinity"]
)
def test_one_that_hangs_is_not_asked_again(
    script: str, dot: DotProcess, install: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dot_process, "PATIENCE", 0.2)
    monkeypatch.setattr(dot_process, "TIMEOUT", 0.2)
    install(script)
    with pytest.raises(DotError):
        dot.draw(["a", "b"])
    monkeypatch.setattr(dot_process, "PATIENCE", PATIENCE * 2)  # nobody waits for it
    with pytest.raises(DotError):
        dot.draw(["a"])


def test_one_that_is_not_there(dot: DotProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    dot.start()
    with pytest.raises(DotError):
        dot.draw(["a"])


def test_one_that_cannot_start(
    dot: DotProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: str(tmp_path))
    dot.start()
    with pytest.raises(DotError):
        dot.draw(["a"])
