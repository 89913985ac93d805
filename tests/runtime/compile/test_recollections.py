"""A kernel that sees a loop for the first time knows what earlier kernels have compiled."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.runtime import cache as caches
from jupyter_npcompile.runtime import loop_compile, loop_store, notices, recollections, translations
from jupyter_npcompile.runtime.native import torch_symbols
from jupyter_npcompile.runtime.recollections import Note, Recollection, recall, remember
from jupyter_npcompile.runtime.whole_function import WholeFunction
from tests.benchmarks.programs import FOLDER, Program, load, names
from tests.support.compiling.kept import nothing_is_kept
from tests.support.loops.native_loops import Function, define, differences, how, outcome, top_loops
from tests.support.paths import CHECKOUT
from tests.support.session.processes import PATIENCE

WAVE = """
def f(x, n):
    for k in range(n):
        x = x + 0.1 * np.sin(x) * (k % 3)
    return x
"""

NESTED = """
def f(x, n):
    found = []
    for k in range(n):
        y = x * k
        for i in range(1, len(y)):
            y[i] = y[i - 1] * 0.5 + y[i]
        found.append(str(y.sum()))
    return found
"""


@pytest.fixture(autouse=True)
def _own_cache(recollections_count: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test begins without notes; the code that they are about is that of all tests."""
    nothing_is_kept(tmp_path, monkeypatch)
    monkeypatch.setattr(loop_compile, "WORTH", 0.0)
    monkeypatch.setattr(WholeFunction, "of", lambda *_, **__: None)  # it would come first


def notes() -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in caches.cache().loops.glob("*.json")]


def ran(text: str, args: tuple[Any, ...], calls: int = 3) -> Function:
    """A function that a kernel has compiled, and called until its loops are native."""
    made = npc.compile(define(text))
    for _ in range(calls):
        made(*args)
        assert npc.wait()
    return made


def restarted() -> None:
    """A new kernel begins: it has loaded nothing."""
    loop_store.store.clear()


ARGS = (np.linspace(0.0, 1.0, 50), 4000)


def test_the_first_run_of_another_kernel_is_native() -> None:
    ran(WAVE, ARGS)
    assert {note["is_declined"] for note in notes()} == {False}
    restarted()
    before = npc.stats()["recalled"]
    function = define(WAVE)
    made = npc.compile(function)
    wrong = differences(outcome(function, ARGS), outcome(made, ARGS))
    assert not wrong, wrong
    assert how(made) == "native"
    assert npc.stats()["recalled"] == before + 1


def test_what_native_code_gains_is_noted_once_it_has_run() -> None:
    ran(WAVE, ARGS, calls=1)
    assert [note["gain"] for note in notes()] == [None]
    ran(WAVE, ARGS)
    (note,) = notes()
    assert note["gain"] > 0


@pytest.mark.parametrize(
    ("found", "gains"),
    [
        (Recollection(1.0), True),
        (Recollection(1.0, gain=1.2), True),
        (Recollection(1.0, gain=0.5), False),
        (Recollection(1.0, is_declined=True), False),
    ],
)
def test_what_gains(found: Recollection, gains: bool) -> None:
    assert found.gains is gains


def test_what_has_lost_is_left_to_python() -> None:
    made = ran(WAVE, ARGS)
    form = top_loops(made)[0].best
    assert form is not None
    assert form.note is not None
    recollections.remember(form.note.name, Recollection(1.0, gain=0.5))
    restarted()
    made = npc.compile(define(WAVE))
    made(*ARGS)
    assert how(made) == "python"
    assert npc.wait()


@pytest.mark.parametrize("other", [(np.ones(5), 400), (ARGS[0] + 1, 5000)])
def test_other_sizes_and_values_are_the_same_loop(other: tuple[Any, ...]) -> None:
    ran(WAVE, ARGS)
    restarted()
    function = define(WAVE)
    made = npc.compile(function)
    wrong = differences(outcome(function, other), outcome(made, other))
    assert not wrong, wrong
    assert how(made) == "native"


def test_other_types_are_another_loop() -> None:
    ran(WAVE, ARGS)
    restarted()
    made = npc.compile(define(WAVE))
    made(ARGS[0].astype("f4"), 400)
    assert how(made) == "python"
    assert npc.wait()


BOUND_BEFORE = """
def f(x, n, before):
    if before:
        k, y = "a text", None
    s = 0.0
    for k in range(n):
        y = x * k
        s += y[k % 5]
    return s, k, y
"""


def test_what_names_were_that_are_bound_first_does_not_matter() -> None:
    """As in a cell that runs again, or a loop in a loop."""
    ran(BOUND_BEFORE, (*ARGS, True))
    restarted()
    function = define(BOUND_BEFORE)
    made = npc.compile(function)
    args = (*ARGS, False)
    wrong = differences(outcome(function, args), outcome(made, args))
    assert not wrong, wrong
    assert how(made) == "native"


def test_inner_loops_need_not_wait_for_the_outer_one_to_be_declined() -> None:
    ran(NESTED, ARGS)
    assert {note["is_declined"] for note in notes()} == {False, True}
    restarted()
    function = define(NESTED)
    made = npc.compile(function)
    wrong = differences(outcome(function, ARGS), outcome(made, ARGS))
    assert not wrong, wrong
    (inner,) = top_loops(made)[0].inner
    assert inner.forms
    assert inner.forms[0].iterations > 0
    assert npc.wait()
    assert top_loops(made)[0].closed


def test_code_that_is_gone_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    ran(WAVE, ARGS)
    restarted()
    cache = caches.cache()
    with monkeypatch.context() as patch:
        patch.setattr(cache, "entries", cache.loops / "none")
        made = npc.compile(define(WAVE))
        made(*ARGS)
        assert how(made) == "python"
    assert npc.wait()
    made(*ARGS)
    made(*ARGS)
    assert how(made) == "native"


def test_a_library_that_is_being_loaded_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    ran(WAVE, ARGS)
    restarted()
    monkeypatch.setattr(torch_symbols, "are_being_loaded", lambda: True)
    made = npc.compile(define(WAVE))
    made(*ARGS)
    assert how(made) == "python"
    assert npc.wait()


@pytest.mark.parametrize("where", ["read", "find"])
def test_an_interrupt_is_the_users(monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    """It ends the cell as it would have ended the loop; later runs go on as ever."""
    ran(WAVE, ARGS)
    restarted()

    def interrupted(*args: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    made = npc.compile(define(WAVE))
    with monkeypatch.context() as patch:
        if where == "read":
            patch.setattr(translations, "read_again", interrupted)
        else:
            patch.setattr(loop_store.LoopStore, "find", interrupted)
        with pytest.raises(KeyboardInterrupt):
            made(*ARGS)
    assert not top_loops(made)[0].is_compiling
    for _ in range(6):
        np.testing.assert_allclose(made(*ARGS), define(WAVE)(*ARGS))
        assert npc.wait()
    assert how(made) == "native"


def test_code_that_python_cannot_write_down_is_not_remembered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is nested too deeply: how deep that is depends on what a process has set."""

    def nested(tree: object) -> str:
        raise RecursionError

    monkeypatch.setattr(loop_compile, "unparse", nested)
    function = define(WAVE)
    made = npc.compile(function)
    for _ in range(3):
        np.testing.assert_allclose(made(*ARGS), function(*ARGS))
        assert npc.wait()
    assert how(made) == "native"
    assert notes() == []


def test_without_any_cache_nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    def full() -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(caches, "cache", full)
    assert recall("a") is None
    remember("a", Recollection(1.0))


@pytest.mark.parametrize(
    "text",
    [
        *("", "[]", "null", '"python"', "{", '{"python": 1}'),
        *('{"python": "x", "is_declined": false, "gain": null}', "x" * 5000),
    ],
)
def test_notes_that_make_no_sense_are_removed(text: str) -> None:
    remember("a", Recollection(1.0))
    assert recall("a") == Recollection(1.0)
    path = caches.cache().loops / "a.json"
    path.write_text(text)
    assert recall("a") is None
    assert not path.exists()


def test_notes_that_are_used_are_kept() -> None:
    cache = caches.cache()
    for name in ("a", "b"):
        remember(name, Recollection(1.0))
        os.utime(cache.loops / f"{name}.json", (0, 0))
    assert recall("a") is not None
    cache.trim(1 << 30)
    assert recall("a") is not None
    assert recall("b") is None


def test_notes_of_others_are_not_read() -> None:
    remember("a", Recollection(1.0))
    path = caches.cache().loops / "a.json"
    path.chmod(0o622)
    assert recall("a") is None
    remember("a", Recollection(1.0))
    path.rename(path.with_name("b"))
    path.symlink_to(path.with_name("b"))
    assert recall("a") is None


def test_a_cache_that_cannot_be_written_costs_a_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full(*args: Any) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(recollections, "write_atomically", full)
    Note("a", Recollection(1.0)).tell(3.0)
    told = [line for line in notices.take() if "No space left on device" in line]
    assert told == ["what was found out about a loop is not remembered: No space left on device"]
    assert recall("a") is None


def test_the_gain_is_told_once() -> None:
    note = Note("a", Recollection(1.0))
    note.tell(float("inf"))
    assert recall("a") is None
    note.tell(3.0)
    note.tell(9.0)
    assert recall("a") == Recollection(1.0, gain=3.0)


def test_notes_go_with_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPCOMPILE_CACHE_DIR")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    one = caches.Cache(tmp_path / "one")
    one.prepare()
    for name in ("a.json", "b.json"):
        (one.loops / name).write_text("{}")
    two = one.move(tmp_path / "two")
    assert not list(one.loops.iterdir())
    assert len(list(two.loops.iterdir())) == 2
    os.utime(two.loops / "a.json", (0, 0))
    two.trim(1 << 30)
    assert [path.name for path in two.loops.iterdir()] == ["b.json"]
    two.clear()
    assert not list(two.loops.iterdir())


def run_of(program: Program) -> Function:
    """The program as another kernel has it."""
    text = (FOLDER / program.name / "program.py").read_text()
    found: Function = define(text + "\n\ndef last(*args):\n    return run(*args)\n")
    run: Function = found.__globals__["run"]
    return run


@pytest.mark.slow
@pytest.mark.parametrize("name", names()[::4])
def test_programs_are_right_in_another_kernel(name: str) -> None:
    program = load(name)

    def args() -> tuple[Any, ...]:
        return program.make(**program.sizes["small"])

    expected = program.run(*args())
    made = npc.compile(run_of(program))
    for _ in range(2):
        assert program.agrees(made(*args()), expected)
        assert npc.wait()
    restarted()
    made = npc.compile(run_of(program))
    for _ in range(3):
        assert program.agrees(made(*args()), expected)
    assert npc.wait()


KERNEL = """
import sys
import numpy as np
import jupyter_npcompile as npc
from tests.support.loops.native_loops import define, ran_natively

text = '''
def f(n):
    field = np.zeros(500)
    field[250] = 1.0
    for step in range(n):
        old = field.copy()
        field[1:-1] = old[1:-1] + 0.2 * (old[2:] - 2 * old[1:-1] + old[:-2])
    return field
'''
function = define(text)
made = npc.compile(function)
for call in range(int(sys.argv[1])):
    if call and sys.argv[2] == "waits":
        assert npc.wait()
    result = made(30_000)
np.testing.assert_allclose(result, function(30_000))
print(ran_natively(made))
"""


@pytest.mark.slow
def test_two_kernels(tmp_path: Path) -> None:
    """As they are: nothing is set for a test."""
    cache = tmp_path / "cache"
    environment = {**os.environ, "NPCOMPILE_CACHE_DIR": str(cache)}

    def kernel(calls: int, how: str) -> int:
        command = [sys.executable, "-c", KERNEL, str(calls), how]
        done = subprocess.run(
            command, capture_output=True, env=environment, cwd=CHECKOUT, timeout=PATIENCE
        )
        assert done.returncode == 0, done.stderr.decode()
        return int(done.stdout)

    assert kernel(4, "waits")
    notes = [json.loads(path.read_text()) for path in (cache / "loops").glob("*.json")]
    assert any(note["gain"] and note["gain"] > 2 for note in notes)
    assert kernel(2, "does not")  # the first call is compared, if all of the function is there
