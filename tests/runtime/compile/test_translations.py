"""A translation is taken over where the same would be made again, and nowhere else."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.loops.loop_code import Assumption, LoopCode
from jupyter_npcompile.loops.records import FreeVariable, Step
from jupyter_npcompile.runtime import cache as caches
from jupyter_npcompile.runtime import loop_compile, loop_store, notices, translations
from jupyter_npcompile.runtime.background import BackgroundCompile
from jupyter_npcompile.runtime.compile_errors import CompileFailedError
from jupyter_npcompile.runtime.kept_code import KeptCodeError, digest_of, read_again, written_down
from jupyter_npcompile.runtime.loop_state import LoopState
from jupyter_npcompile.runtime.recollections import Note
from jupyter_npcompile.runtime.whole_function import WholeFunction
from tests.benchmarks.programs import load, names
from tests.support.compiling.kept import nothing_is_kept
from tests.support.loops.native_loops import (
    Function,
    define,
    differences,
    outcome,
    ran_natively,
    top_loops,
)
from tests.support.paths import CHECKOUT
from tests.support.session.processes import PATIENCE

ARGS = (np.linspace(0.0, 1.0, 50), 400)


@pytest.fixture(autouse=True)
def _own_cache(recollections_count: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test begins without translations; compiled code is that of all tests.

    What native code gains here, by a clock, decides nothing: what has lost is not read again.
    """
    nothing_is_kept(tmp_path, monkeypatch)
    monkeypatch.setattr(loop_compile, "WORTH", 0.0)
    monkeypatch.setattr(Note, "tell", lambda *_: None)


@pytest.fixture(params=["loop", "function"])
def part(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is compiled: one of both is, so that it does not depend on the time which is first."""
    if request.param == "loop":
        monkeypatch.setattr(WholeFunction, "of", lambda *_, **__: None)
    else:
        monkeypatch.setattr(LoopState, "_needs_form", lambda _: False)


@pytest.fixture
def translated(monkeypatch: pytest.MonkeyPatch) -> list[LoopCode]:
    """What is translated in a test."""
    found: list[LoopCode] = []
    translate = loop_compile.Job.translate

    def noted(job: loop_compile.Job) -> LoopCode:
        found.append(translate(job))
        return found[-1]

    monkeypatch.setattr(loop_compile.Job, "translate", noted)
    return found


def used(function: Function, args: tuple[Any, ...] = ARGS) -> Function:
    """A function that a kernel has compiled, and called until it is native; all is right."""
    made = npc.compile(function)
    for _ in range(3):
        wrong = differences(outcome(function, args), outcome(made, args))
        assert not wrong, wrong
        assert npc.wait()
    loop_store.store.clear()  # and then it ends
    return made


HELPED = """
import numpy as np
import math

SHIFT = {shift}
table = ({shift}, 2.0)

def slope(x, by={default}):
    return by * (x - {body}) + SHIFT

def made(by):
    def inner(x):
        return by * x + table[0]
    return inner

curve = made({closed})

def f(x, n):
    for k in range(n):
        x = x + 0.01 * slope(x) + {called}(0.5) * curve(x) * 1e-3
    return x
"""

SAME: dict[str, Any] = {
    **{"shift": 0.5, "default": 0.25, "body": "1.0", "closed": 2.0},
    "called": "math.sin",
}


def helped(**changed: Any) -> Function:
    return define(HELPED.format(**{**SAME, **changed}))


def test_another_kernel_translates_nothing(part: None, translated: list[LoopCode]) -> None:
    used(helped())
    assert translated
    translated.clear()
    made = npc.compile(helped())
    for _ in range(20):  # the first call is compared, and a race may give others to Python
        assert not differences(outcome(helped(), ARGS), outcome(made, ARGS))
        if ran_natively(made):
            break
    assert ran_natively(made)
    assert not translated


@pytest.mark.parametrize(
    "changed",
    [
        *({"shift": 0.75}, {"default": 0.5}, {"body": "2.0"}, {"body": "x"}),
        *({"closed": 3.0}, {"called": "math.cos"}, {"default": 1}),
        *({"called": "(lambda x: x)"}, {"shift": 1}, {"closed": "np.arange(50.0)"}),
    ],
)
def test_what_has_changed_is_translated_again(
    part: None, translated: list[LoopCode], changed: dict[str, Any]
) -> None:
    used(helped())
    translated.clear()
    used(helped(**changed))
    assert translated
    translated.clear()
    used(helped(**changed))
    assert not translated


def test_what_numpy_is_called_with_is_found_again(part: None, translated: list[LoopCode]) -> None:
    text = """
def f(x, n):
    a = np.outer(x, x) + 10 * np.eye(len(x))
    for k in range(n // 100):
        x = np.linalg.solve(a, x) + np.fft.ifft(np.fft.fft(x)).real + np.median(x, axis=0)
        x = x / np.linalg.norm(x, ord=2)
        print(f"{k}: {x[0]:.3f}")
    return x
"""
    used(define(text))
    assert translated
    translated.clear()
    used(define(text))
    assert not translated


def test_what_an_object_holds(part: None, translated: list[LoopCode]) -> None:
    text = """
import types

params = types.SimpleNamespace(dt={dt}, method=np.{method})

def f(x, n):
    for k in range(n):
        x = x + params.dt * params.method(x)
    return x
"""
    used(define(text.format(dt=0.5, method="sin")))
    translated.clear()
    used(define(text.format(dt=0.25, method="sin")))  # an input
    assert not translated
    used(define(text.format(dt=0.5, method="cos")))
    assert translated


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if k % 6 == 0 else pytest.mark.slow)
        for k, name in enumerate(names())
    ],
)
def test_programs_can_be_written_down(
    name: str, translated: list[LoopCode], monkeypatch: pytest.MonkeyPatch
) -> None:
    def declines(*_: Any) -> None:
        raise CompileFailedError("it is enough to translate it")

    monkeypatch.setattr(loop_store.LoopStore, "make", declines)
    monkeypatch.setattr(BackgroundCompile, "submit", lambda compile: compile.ticket.cancel())
    program = load(name)
    made = npc.compile(program.run)
    for _ in range(4):
        made(*program.make(**program.sizes["small"]))
        assert npc.wait()
    for code in translated:
        written_down(code)


def code_of(**assumed: Any) -> LoopCode:
    assumptions = tuple(Assumption((name,), value) for name, value in assumed.items())
    return LoopCode("int x;", ("x",), (), {}, assumptions, (), ())


@pytest.mark.parametrize(
    "value",
    [
        *(
            None,
            ...,
            True,
            3,
            -0.0,
            math.nan,
            1j,
            "text",
            (1, "a", None),
            [1.0, 2.0],
            np.float32(2),
        ),
        *(np, np.linalg, np.sin, np.median, math.sin, len, float, np.float64, np.dtype("f4")),
        *(math.hypot, np.ndarray.sum),
    ],
)
def test_values(value: Any) -> None:
    data = written_down(code_of(a=value))
    read_again(data, {"a": value})
    for other in (object(), 17, -value if isinstance(value, float) and value == 0 else "other"):
        with pytest.raises(KeptCodeError, match="something else"):
            read_again(data, {"a": other})
    with pytest.raises(KeptCodeError):
        read_again(data, {})


def test_functions_that_are_found_from_functions() -> None:
    def made(by: float) -> Any:
        def inner(x: float) -> float:
            return by * x

        def outer(x: float) -> float:
            return inner(x) + 1

        return outer

    one, two = made(1.0), made(2.0)
    inner = one.__closure__[0].cell_contents
    code = LoopCode(
        *("", (), (), {}),
        (Assumption((FreeVariable(one, "inner"),), inner), Assumption(("f",), one)),
        ((inner, inner.__code__, None), (one, one.__code__, None)),
        (),
    )
    found = read_again(written_down(code), {"f": two})
    assert found.assumptions[1].value is two
    assert found.assumptions[0].value is two.__closure__[0].cell_contents
    assert found.assumptions[0].path[0].value() is found.assumptions[0].value  # type: ignore[union-attr]
    assert found.codes[0][0] is found.assumptions[0].value
    with pytest.raises(KeptCodeError):
        read_again(written_down(code), {"f": lambda x: x})


@pytest.mark.parametrize("value", [lambda: 0, threading.Lock(), np.frompyfunc(abs, 1, 1)])
def test_what_nobody_finds_again_is_not_kept(value: Any) -> None:
    code = LoopCode("", (), (), {}, (), (), (), hosts=(value,))
    with pytest.raises(KeptCodeError):
        written_down(code)
    translations.keep("a", code)
    assert translations.find("a", {}) is None


def test_digests_are_of_what_a_function_does() -> None:
    texts = [
        *("lambda x: x + 1", "lambda x: x + 1.0", "lambda x: x + True", "lambda x: x - 1"),
        *("lambda x, y=1: x + y", "lambda x, y=1.0: x + y", "lambda x, *, y=1: x + y"),
        *(
            "lambda x: a",
            "lambda x: b",
            "lambda x: (lambda: x + 1)()",
            "lambda x: (lambda: x + 2)()",
        ),
        *("lambda x: x in {1, 2}", "lambda x: x in {1, 3}", "lambda x: -0.0", "lambda x: 0.0"),
    ]
    digests = [digest_of(eval(text)) for text in texts]
    assert len(set(digests)) == len(texts)
    assert digests == [digest_of(eval(f"\n\n{text}")) for text in texts]


@pytest.mark.parametrize("damage", ["cut", "changed", "empty", "large"])
def test_what_is_damaged_is_removed(damage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    translations.keep("a", code_of(a=1))
    path = caches.cache().loops / "a.code"
    assert translations.find("a", {"a": 1}) is not None
    data = path.read_bytes()
    changed = {"cut": data[:-3], "changed": data[:-1] + b"x", "empty": b"", "large": data}
    path.write_bytes(changed[damage])
    if damage == "large":
        monkeypatch.setattr(translations, "LARGEST", 10)
    assert translations.find("a", {"a": 1}) is None
    assert not path.exists()


def test_what_others_may_have_written_is_not_read() -> None:
    translations.keep("a", code_of(a=1))
    path = caches.cache().loops / "a.code"
    path.chmod(0o666)
    assert translations.find("a", {"a": 1}) is None
    path.chmod(0o600)
    assert translations.find("a", {"a": 1}) is not None


def test_a_cache_that_cannot_be_written_costs_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: Any) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(translations, "write_atomically", full)
    translations.keep("a", code_of(a=1))
    told = "the translation of a loop is not kept: No space left on device"
    assert told in notices.take()


def test_a_class_of_another_kernel_is_not_imported() -> None:
    """Nothing is imported to find out what a loop was about."""
    code = LoopCode("", (), (), {}, (), (), (), stored=((0, Step(Path, "a")),))
    data = written_down(code)
    assert read_again(data, {}).stored == code.stored
    with pytest.raises(KeptCodeError, match="not imported"):
        read_again(data.replace(b"pathlib", b"pathlic"), {})


def test_what_was_brief_is_read_when_it_has_run_for_a_while(
    translated: list[LoopCode], monkeypatch: pytest.MonkeyPatch
) -> None:
    """To read it takes as long as some calls, which may never be made."""
    monkeypatch.setattr(WholeFunction, "of", lambda *_, **__: None)
    monkeypatch.setattr(LoopState, "_needs_form", lambda _: False)
    monkeypatch.setattr(translations, "LONG", 1e9)
    monkeypatch.setattr(translations, "WORTH", 1e9)
    name = "a"
    made = npc.compile(helped())
    made(*ARGS)
    (state,) = top_loops(made)
    translations.leave(state.mark, 0.001)
    assert translations.marked(state.mark) == 0.001
    looks: list[str] = []
    monkeypatch.setattr(translations, "find", lambda *_: looks.append(name))
    made = npc.compile(helped())
    for _ in range(3):
        made(*ARGS)
    assert not looks
    monkeypatch.setattr(translations, "WORTH", 0.0)
    for _ in range(3):
        made(*ARGS)
    assert looks == [name]


@pytest.mark.parametrize("content", [b"", b"text", b"\xff", None])
def test_a_mark_that_makes_no_sense_is_none(content: bytes | None) -> None:
    translations.leave("a", 0.5)
    path = caches.cache().loops / "a.mark"
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    assert translations.marked("a") is None


SHARED = """
def made(by):
    def rise(x):
        return x + by
    def fall(x):
        return x - by
    return rise, fall

{pair}

def f(x, n):
    for k in range(n):
        x = x + 0.01 * rise(x)
        if k > 350:
            x = fall(x)
    return x
"""


def test_variables_that_two_functions_shared_may_be_two(part: None) -> None:
    used(define(SHARED.format(pair="rise, fall = made(2.0)")))
    used(define(SHARED.format(pair="rise = made(2.0)[0]; fall = made(3.0)[1]")))


@pytest.mark.parametrize("name", ["sqrt", "mean", "exp"])
def test_what_somebody_puts_in_the_place_of_a_function_is_called(
    part: None, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module: Any = math if name == "sqrt" else np
    text = f"""
import math

def f(x, n):
    s = 0.0
    for k in range(n):
        s = s + {module.__name__.replace("numpy", "np")}.{name}(x[k % 50])
    return s
"""
    used(define(text))
    original, calls = getattr(module, name), [0]

    def other(value: Any) -> Any:
        calls[0] += 1
        return original(value) if calls[0] % 1000 < 350 else value

    monkeypatch.setattr(module, name, other)
    calls[0] = 0
    expected = define(text)(*ARGS)
    made = npc.compile(define(text))
    for _ in range(4):
        calls[0] = 0
        assert made(*ARGS) == expected
        assert npc.wait()


def test_numbers_of_other_types_are_other_loops(translated: list[LoopCode], part: None) -> None:
    """Otherwise what was read would fit nothing, and be waited for for ever."""
    text = "def f(x, by, n):\n    for k in range(n):\n        x = x + by\n    return x\n"
    for by in (2.5, np.float64(2.5), np.float32(2.5), 3, 2**40, 2.5j):
        translated.clear()
        used(define(text), (ARGS[0].astype(complex), by, 400))
        assert translated


def test_arrays_that_functions_read_may_have_other_types(part: None) -> None:
    text = """
table = np.{table}

def look(k):
    return table[k]

def f(n):
    s = 0.0
    for k in range(n):
        s = s + look(k % 5)
    return s
"""
    for table in ("arange(5.0)", "arange(5)", "arange(10.0)[::2]"):
        plain = define(text.format(table=table))
        made = used(plain, (400,))
        for _ in range(20):
            assert made(400) == plain(400)
            if ran_natively(made):
                break
        assert ran_natively(made), table


@pytest.mark.parametrize("whose", ["the compiled one's", "the written one's"])
def test_defaults_of_a_compiled_helper_may_be_replaced(part: None, whose: str) -> None:
    text = "def helper(x, by=2.0):\n    return by * x\n"
    helper = npc.compile(define(text))
    loop = "def f(x, n):\n    for k in range(n):\n        x = 0.5 * helper(x)\n    return x\n"
    function = define(loop, {"helper": helper})
    made = used(function)
    target: Any = helper if whose == "the compiled one's" else helper.__wrapped__
    target.__defaults__ = (1.5,)
    for _ in range(3):
        assert not differences(outcome(function, ARGS), outcome(made, ARGS))
        assert npc.wait()
    used(define(loop, {"helper": helper}))


def test_marks_are_the_same_in_every_process() -> None:
    code = "from jupyter_npcompile.runtime.translations import mark_of\n"
    code += "print(mark_of((lambda x: x in {'a', 'b', 'c', 'd'} or x == 2).__code__, 0))"
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=CHECKOUT,
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            check=True,
            timeout=PATIENCE,
        ).stdout
        for seed in (1, 2)
    }
    assert len(found) == 1


def test_large_constants_are_not_compared() -> None:
    for value in (b"x" * 200_000, tuple(range(2000))):
        with pytest.raises(KeptCodeError, match="large"):
            digest_of(eval(f"lambda: {value!r}"))


def test_a_loop_that_still_runs_has_run_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its first run may be the only one, so the next kernel must not wait for another."""
    monkeypatch.setattr(WholeFunction, "of", lambda *_, **__: None)
    text = """
def f(x, n):
    for k in range(n):
        x = np.sin(x) + 0.01 * x
    return x
"""
    made = npc.compile(define(text))
    (state,) = top_loops(made)
    made(ARGS[0], 300_000)
    assert npc.wait()
    seconds = translations.marked(state.mark)
    assert seconds is not None
    assert seconds >= 0.01  # it takes longer until it is translated
