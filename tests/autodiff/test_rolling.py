"""Loops that are found in recordings: run iteration by iteration in NumPy, and compiled."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.autodiff.graph_loops import Loop
from jupyter_npcompile.autodiff.replays import LONGEST, Replay, record_call
from jupyter_npcompile.autodiff.rolling import SHORTEST, rolled, size_of
from jupyter_npcompile.graph.nodes import Graph, Node
from jupyter_npcompile.runtime.anonymous import anonymous
from jupyter_npcompile.runtime.selector import thresholds
from jupyter_npcompile.tracer.interpret import run_node

RNG = np.random.default_rng(5)
V = RNG.uniform(0.5, 1.5, 24)
W = RNG.uniform(-0.4, 0.4, (5, 5))
C = RNG.uniform(0.0, 1.0, (9, 8))
STEP = 0.2


def orbit(q: Any, p: Any) -> Any:
    q, p = q * 1.0, p * 1.0
    for _ in range(40):
        p = p - 0.01 * q / np.sqrt(np.sum(q * q)) ** 3
        q = q + 0.01 * p
    return np.sum(q * q) + np.sum(p)


def numbers_of_python(x: Any) -> Any:
    """Python computes the same number in each iteration again, and twice in one."""
    for _ in range(20):
        slope = np.sin(x + STEP / 2 * np.cos(x))
        x = x + STEP / 2 * slope - STEP / 6 * x
    return np.sum(x)


def recurrence(x: Any) -> Any:
    y = np.zeros(24)
    y[0] = x[0]
    for i in range(1, 24):
        y[i] = 0.9 * y[i - 1] + np.sin(x[i]) * i
    return np.sum(y**2)


def steps_in_place(x: Any, k: Any) -> Any:
    u = x.copy()
    for _ in range(20):
        u[1:-1] += k * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(u**2)


def steps_in_the_plane(a: Any) -> Any:
    u = a.copy()
    for _ in range(9):
        u[1:-1, 1:-1] = u[1:-1, 1:-1] + 0.1 * (u[2:, 1:-1] * u[:-2, 1:-1] - u[1:-1, 2:])
    return np.sum(u**2)


def two_buffers(x: Any) -> Any:
    u, w = x.copy(), x.copy()
    for _ in range(20):
        w[1:-1] = 0.5 * (u[2:] + u[:-2])
        u, w = w, u
    return np.sum(u**2) + w[3]


def table(c: Any) -> Any:
    best = np.zeros((9, 8))
    for i in range(1, 9):
        for j in range(1, 8):
            best[i, j] = np.maximum(
                best[i - 1, j - 1] + c[i, j], np.maximum(best[i - 1, j], best[i, j - 1])
            )
    return best[-1, -1] + np.sum(best)


def state(w: Any, xs: Any) -> Any:
    h = np.zeros(5)
    for x in xs:
        h = np.tanh(w @ h + x)
    return np.sum(h**2)


def two_before(x: Any) -> Any:
    a, b = x[:4], x[4:8]
    for _ in range(30):
        a, b = b, 0.5 * np.sin(a) + 0.4 * b
    return np.sum(a * b)


def one_after_the_other(x: Any) -> Any:
    for _ in range(20):
        x = x - 0.1 * (x**3 - 1) / (3 * x**2)
    y = np.cumsum(x)
    total = 0.0
    for k in range(1, 23):
        total = total + y[k] * y[k + 1] / k
    return total


def rows(c: Any) -> Any:
    made = c.copy()
    for k in range(1, 9):
        made[k, 1:] -= 0.3 * made[k - 1, :-1] * made[k, :-1]
    return np.sum(made**2)


def same_gradient(x: Any) -> Any:
    a, b = x * 2, x * 3
    for _ in range(20):
        a, b = a + 0.1 * b, 0.1 * b + 0.5 * a
    return np.sum(a) + np.sum(b * x)


def waves(c: Any) -> Any:
    before, now = c.copy(), c.copy()
    for _ in range(12):
        after = np.zeros_like(now)
        after[1:-1, 1:-1] = 2 * now[1:-1, 1:-1] - before[1:-1, 1:-1] + 0.1 * now[2:, 1:-1]
        after[0] = now[1] * now[0]
        before, now = now, after
    return np.sum(before**2) + np.sum(now**3)


def names_move_on(x: Any) -> Any:
    """What an iteration starts from is not kept: the derivative does not look at it."""
    a, b, c = x[:6], x[6:12], x[12:18]
    for _ in range(15):
        a, b, c = b, c, 0.3 * a - 0.2 * c + 0.1 * x[:6]
    return np.sum(a * b) + np.sum(c * x[:6])


def turns(x: Any) -> Any:
    z, y = x[:8] + 1j * x[8:16], 1j * x[16:]
    for _ in range(15):
        z, y = z * (0.9 + 0.1j) + np.fft.ifft(y), z
    return np.sum(np.abs(z) ** 2) + np.sum((y * z).imag)


CASES: list[tuple[Callable[..., Any], tuple[Any, ...], int]] = [
    (orbit, (V[:2], V[2:4]), 1),
    (numbers_of_python, (V,), 1),
    (recurrence, (V,), 1),
    (steps_in_place, (V, 0.1), 1),
    (steps_in_the_plane, (C,), 1),
    (two_buffers, (V,), 1),
    (table, (C,), 1),
    (state, (W, RNG.normal(size=(12, 5))), 1),
    (two_before, (V,), 1),
    (one_after_the_other, (V,), 2),
    (rows, (C,), 1),
    (same_gradient, (V,), 1),
    (waves, (C,), 1),
    (names_move_on, (V,), 1),
    (turns, (V,), 1),
]


def named(value: Any) -> str:
    return getattr(value, "__name__", "")


def executed(graph: Graph, steps: list[Node | Loop], inputs: list[Any]) -> dict[int, Any]:
    """The values of a graph, its loops run iteration by iteration."""
    values: dict[int, Any] = dict(zip([node.id for node in graph.inputs], inputs, strict=True))
    for step in steps:
        if isinstance(step, Node):
            run_node(step, values)
        else:
            iterate(step, values)
    return values


def iterate(loop: Loop, values: dict[int, Any]) -> None:
    carried = {carry.input: np.copy(values[carry.first])[()] for carry in loop.carries}
    for i in range(loop.count):
        inner: dict[int, Any] = dict(carried)
        inner |= {made: values[id] for made, id in loop.invariants}
        inner |= {id: numbers[i].item() for id, numbers in loop.tables}
        for window in loop.windows:
            start = window.box.starts[i]
            box = tuple(slice(s, s + n) for s, n in zip(start, window.box.spans, strict=True))
            part = values[window.array][box]
            inner[window.input] = part if window.input in loop.written else part.copy()
        for node in loop.body.nodes:
            run_node(node, inner)
        carried = {carry.input: np.copy(inner[carry.source])[()] for carry in loop.carries}
    for id, source in loop.finals.items():
        values[id] = inner[source]


@pytest.mark.parametrize(("f", "args", "loops"), CASES, ids=named)
def test_iterations_are_found(f: Callable[..., Any], args: tuple[Any, ...], loops: int) -> None:
    replay = record_call(f, args, {}, (0,), rolls=True)
    assert isinstance(replay, Replay), replay
    steps = rolled(replay.graph)
    assert sum(isinstance(step, Loop) for step in steps) == loops
    assert replay.operations == size_of(steps) < len(replay.graph.nodes) / 2
    assert size_of(rolled(anonymous(replay.graph))) == replay.operations  # as the worker sees it
    values = executed(replay.graph, steps, [np.copy(v) for v in replay.values(args, {})])
    np.testing.assert_allclose(values[replay.target], f(*args), rtol=1e-14)


def different_starts(x: Any) -> Any:
    """Each iteration reads another array."""
    parts = [np.sin(x + k) for k in range(30)]
    total = np.zeros_like(x)
    for part in parts:
        total = total * 0.5 + part
    return np.sum(total)


def all_states(x: Any) -> Any:
    found = []
    for _ in range(30):
        x = x + 0.1 * np.sin(x)
        found.append(x)
    return np.sum(np.stack(found) ** 2)


def reads_what_moves_away(x: Any) -> Any:
    """What is written meets what is read in some iterations only."""
    y = x.copy()
    for i in range(1, 24):
        y[i] = y[23 - i] * 0.5 + y[i - 1]
    return np.sum(y**2)


@pytest.mark.parametrize("f", [different_starts, all_states, reads_what_moves_away])
def test_what_is_no_loop_stays_as_it_is(f: Callable[..., Any]) -> None:
    replay = record_call(f, (V,), {}, (0,), 10_000)
    assert isinstance(replay, Replay), replay
    steps = rolled(replay.graph)
    values = executed(replay.graph, steps, [np.copy(v) for v in replay.values((V,), {})])
    np.testing.assert_allclose(values[replay.target], f(V), rtol=1e-14)
    assert not any(isinstance(step, Loop) and step.finals for step in steps)


def polynomials(x: Any) -> Any:
    """Horner's rule repeats two operations a few times: one loop over elements does it all."""
    y = x
    for function in (np.sin, np.cos, np.tanh, np.arctan):
        inner = 1.0 / (1.0 + function(x))
        sums = np.zeros_like(x)
        for factor in (0.3, -0.4, 1.8, -1.8, 1.3):
            sums = inner * (factor + sums)
        y = y * np.exp(-sums)
    return np.sum(y)


def test_few_repeated_operations_are_no_loop() -> None:
    replay = record_call(polynomials, (V,), {}, (0,), rolls=True)
    assert isinstance(replay, Replay), replay
    assert len(replay.graph.nodes) > SHORTEST
    assert rolled(replay.graph) == list(replay.graph.nodes)


def program(seed: int) -> str:
    """A random function of a matrix, with a loop that carries, reads and writes."""
    rng = np.random.default_rng(seed)
    lines = ["a, b, s = x[0] * 1.0, x[1].copy(), 0.0", "m = x.copy()"]
    choices = [
        "a = a + 0.1 * np.sin(b)",
        "b = 0.5 * b + 0.2 * a",
        "a, b = b, a",
        "s = s + m[i, 2] * x[i - 1, 3]",
        "m[i] = m[i - 1] * 0.5 + a",
        "m[i, 1:] += 0.1 * m[i, :-1]",
        "m[:, 2:] *= 0.9",
        "b[1:-1] -= 0.1 * (b[2:] - b[:-2])",
        "b = np.where(b > a, b * 0.5, a * i)",
        "c = b\n    b = np.tanh(a)\n    a = c",
        "s = 0.9 * s + np.sum(x[i] * a)",
    ]
    picked = rng.choice(len(choices), 4, replace=False)
    lines.append("for i in range(1, 9):")
    lines += [f"    {choices[k]}" for k in picked]
    lines.append("return np.sum(a * a) + np.sum(b) + s + np.sum(m**2)")
    return "def f(x):\n" + textwrap.indent("\n".join(lines), "    ") + "\n"


def test_random_programs(tmp_path: Path) -> None:
    loops = 0
    for seed in range(60):
        text = program(seed)
        path = tmp_path / f"program_{seed}.py"
        path.write_text(text)
        scope: dict[str, Any] = {"np": np}
        exec(compile(text, str(path), "exec"), scope)
        x = np.random.default_rng(seed).uniform(0.2, 1.0, (9, 8))
        replay = record_call(scope["f"], (x,), {}, (0,), 10_000)
        assert isinstance(replay, Replay), text
        steps = rolled(replay.graph)
        loops += any(isinstance(step, Loop) for step in steps)
        values = executed(replay.graph, steps, [np.copy(v) for v in replay.values((x,), {})])
        np.testing.assert_allclose(values[replay.target], scope["f"](x), rtol=1e-12, err_msg=text)
    assert loops > 30


@pytest.mark.usefixtures("on_the_cpu")
def test_a_long_loop_is_compiled_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[Replay] = []
    monkeypatch.setattr(npc.settings, "tier", "auto")
    monkeypatch.setattr(Replay, "begin", lambda replay, waits=False: begun.append(replay))

    def f(x: Any) -> Any:
        for _ in range(120):
            x = x + 0.01 * np.sin(x)
        return np.sum(x)

    gradient = npc.grad(f)
    for _ in range(thresholds.TAPES):
        gradient(V)
    whole = [replay for replay in begun if len(replay.graph.nodes) > LONGEST]
    assert [replay.operations for replay in whole] == [4]


def test_memory_limits_what_is_kept() -> None:
    def f(x: Any) -> Any:
        for _ in range(100):
            x = x + 0.01 * np.sin(x)
        return np.sum(x)

    found = record_call(f, (np.ones(200_000),), {}, (0,), rolls=True)
    assert "operations are too many" in str(found)


@pytest.mark.slow
def test_compiled_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    """In one function, which takes much less time than one by one."""
    monkeypatch.setattr(npc.settings, "first_run_check", "raise")

    def total(every: Any) -> Any:
        return sum(f(*given) for f, given in zip(functions, every, strict=True))

    names = ("table", "state", "two_before", "same_gradient", "steps_in_the_plane", "waves")
    names += ("names_move_on", "turns")
    chosen = [case for case in CASES if case[0].__name__ in names]
    functions, every = (
        [f for f, _, _ in chosen],
        [tuple(map(np.copy, args)) for _, args, _ in chosen],
    )
    monkeypatch.setattr(npc.settings, "tier", "aten")
    value, wanted = npc.value_and_grad(total)(every)
    monkeypatch.setattr(npc.settings, "tier", "inductor")
    gradient = npc.value_and_grad(total)
    gradient(every)
    assert gradient._fast.reasons == {}
    (replay,) = gradient._fast.replays.values()
    assert replay.confirmed
    for _ in range(2):
        found, gradients = gradient(every)
        np.testing.assert_allclose(found, value, rtol=1e-12)
        for given, others in zip(gradients, wanted, strict=True):
            for one, other in zip(given, others, strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


@pytest.mark.slow
def test_compiled_loops_notice_what_numpy_would_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", "inductor")

    def f(x: Any) -> Any:
        for _ in range(60):
            x = x + 0.1 * np.log(x)
        return np.sum(x)

    gradient = npc.value_and_grad(f)
    gradient(V + 1)
    assert gradient._fast.reasons == {}
    with pytest.warns(RuntimeWarning, match="invalid value"):
        value, _ = gradient(V - 1)
    assert np.isnan(value)
