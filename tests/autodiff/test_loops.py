"""Long loops, whose iterations run again for their gradient: against recording all of them."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.autodiff import chunks, loops
from jupyter_npcompile.autodiff import reruns as reruns_of_loops
from jupyter_npcompile.autodiff.reruns import Rerun
from jupyter_npcompile.autodiff.stepwise import Stepwise
from tests.support.session.processes import PATIENCE

RNG = np.random.default_rng(11)
X = RNG.uniform(0.5, 1.5, 6)
history: list[Any] = []
table = np.zeros(3)


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops of a few iterations count as long, and there is room for a few snapshots only."""
    monkeypatch.setattr(npc.settings, "tier", "aten")
    monkeypatch.setattr(loops, "NODES", 4)
    monkeypatch.setattr(chunks, "ROOM", 5 * chunks.OBJECTS)
    monkeypatch.setattr(chunks, "TAPE", 0)
    monkeypatch.setattr(reruns_of_loops, "AT_ONCE", 3)


@pytest.fixture
def reruns(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many iterations each rerun stands for."""
    found: list[int] = []
    gradients = Rerun.gradients

    def counted(self: Rerun, cotangent: Any) -> list[Any]:
        found.append(len(self._chunk.items))
        return gradients(self, cotangent)

    monkeypatch.setattr(Rerun, "gradients", counted)
    return found


def recorded(f: Callable[..., Any], *args: Any) -> Any:
    """Value and gradients when every iteration is recorded."""
    nodes, size = loops.NODES, loops.BYTES
    loops.NODES = loops.BYTES = 1 << 60
    try:
        return npc.value_and_grad(f, (0, 1))(*args)
    finally:
        loops.NODES, loops.BYTES = nodes, size


def agree(f: Callable[..., Any], *, status: str = "agrees") -> Any:
    """Compare with the tape, and with NumPy."""
    expected = recorded(f, X.copy(), 0.7)
    gradient = npc.value_and_grad(f, (0, 1))
    x = X.copy()
    found = gradient(x, 0.7)
    assert found[0] == expected[0] == f(X.copy(), 0.7)
    np.testing.assert_allclose(found[1][0], expected[1][0], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(found[1][1], expected[1][1], rtol=1e-10, atol=1e-12)
    (check,) = gradient.checks.values()
    assert check.status == status, check
    return found


def in_place(x: Any, k: Any) -> Any:
    u = x.copy()
    for _ in range(20):
        middle = u[1:-1]
        middle += k * 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
        u[0], u[-1] = u[1], u[-2]
    return np.sum(u**2) + middle[0]


def fresh_arrays(x: Any, k: Any) -> Any:
    u, t, n = x, 0.0, 0
    for i in range(21):
        u = u + 0.01 * np.sin(u) * k
        t += float(u[0]) * 0.01
        n += i
    return np.sum(u**2) * t + n


def swapped(x: Any, k: Any) -> Any:
    u, v, w = x.copy(), np.zeros_like(x), np.empty_like(x)
    n = 0
    while n < 20:
        w[:] = u + 0.1 * v
        v *= 0.999
        v -= 0.1 * np.sin(u) * k
        u, w = w, u
        n += 1
        if n % 5 == 0:
            continue
        if np.abs(u).max() > 1e9:
            break
    return np.sum(u * v) + n


def leaves_early(x: Any, k: Any) -> Any:
    best = x[0]
    for i in range(100):
        x = x * (1 + 0.1 * k)
        best = max(best, x[i % 3])
        if x.sum() > 50:
            break
    return best * x[1] * i


def over_values(x: Any, k: Any) -> Any:
    total, last = 0.0, None
    for row, factor in zip(np.outer(x, x), x, strict=True):
        total = total + np.sum(row * factor) * k
        last = row
    for j, value in enumerate(x):
        total = total + j * value**2
    return total + last[1]


def helpers(x: Any, k: Any) -> Any:
    weights = np.outer(x, x) * 0.1
    scale = {"k": k * 1.0, "pair": (x * 2, 3.0)}

    def force(u: Any) -> Any:
        y = u.copy()
        y[1:] -= k * np.tanh(weights[1:] @ u)
        return y

    state = (x, x * 0.5)
    for _ in range(16):
        a, b = state
        state = (a + 0.05 * b * scale["k"], force(a) * scale["pair"][0])
    return np.sum(state[0]) + np.sum(state[1] ** 2)


def nested(x: Any, k: Any) -> Any:
    u = x.copy()
    for i in range(6):
        for j in range(5):
            u[j] = u[j] * 0.9 + k * u[(i + j) % 6]
        while u[0] > 0.5:
            u = u * 0.8
    return np.sum(u * np.arange(6))


def with_complex_numbers(x: Any, k: Any) -> Any:
    z = x + 0j
    for _ in range(12):
        z = z * np.exp(1j * k * 0.1) + 0.01 * np.conj(z)
    return np.sum(np.abs(z) ** 2) + z[0].imag


def across_dtypes(x: Any, k: Any) -> Any:
    u, small, count, on = x.copy(), np.float32(0.5), 0, np.zeros(6, bool)
    for i in range(14):
        u += k * 0.01 * small
        on |= u > 1.2
        count += int(on.sum() > 3) + i % 2
        small = np.float32(small * np.float32(0.9))
    return np.sum(u[on]) + count + np.sum(u)


def changed_later(x: Any, k: Any) -> Any:
    coefficients = x * k
    u = x.copy()
    for _ in range(12):
        u = np.sin(u * coefficients)
    coefficients[:] = 0.0
    u[0] = 2.0
    return np.sum(u) + coefficients[0]


def pulled_back(x: Any, k: Any) -> Any:
    u = x
    for _ in range(12):
        u = u * 0.9 + 0.1 * x * np.sin(u) * k
    return np.sum(u**2)


WHOLE = [
    pulled_back,
    in_place, fresh_arrays, swapped, leaves_early, over_values, helpers, nested,
    with_complex_numbers, across_dtypes, changed_later,
]  # fmt: skip


@pytest.mark.parametrize("f", WHOLE, ids=lambda f: f.__name__)
def test_gradients(f: Callable[..., Any], reruns: list[int]) -> None:
    agree(f)
    assert max(reruns) >= 3


# -- what happens once


def prints(x: Any, k: Any) -> Any:
    for i in range(30):
        x = x * (1 + 0.01 * k)
        if i % 10 == 5:
            print("step", i, x[0])
    return np.sum(x)


def test_what_is_printed_appears_once(
    reruns: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    prints(X.copy(), 0.7)
    expected = capsys.readouterr().out
    recorded(prints, X.copy(), 0.7)
    capsys.readouterr()
    npc.grad(prints, (0, 1))(X.copy(), 0.7)
    assert capsys.readouterr().out == expected
    assert len(reruns) == 4
    agree(prints)


def appends(x: Any, k: Any) -> Any:
    for _ in range(12):
        x = x + 0.1 * k * x
        history.append(x[0])
    return np.sum(x**2)


def counts(x: Any, k: Any) -> Any:
    for i in range(12):
        x = x + 0.1 * k * x
        table[i % 3] += 1
    return np.sum(x**2)


def collects(x: Any, k: Any) -> Any:
    found = []
    for _ in range(12):
        x = x + 0.1 * k * x
        found.append(x[:2] * 1.0)
    return np.sum(np.stack(found) ** 2)


def draws(x: Any, k: Any) -> Any:
    rng = np.random.default_rng(3)
    for _ in range(12):
        x = x + 0.1 * k * rng.normal(size=6)
    return np.sum(x**2)


def hidden_state(x: Any, k: Any) -> Any:
    u = x.copy()

    def grow() -> Any:
        return 0.1 * k * u

    for _ in range(12):
        u[1:] += grow()[:-1]
    return np.sum(u**2)


@pytest.mark.parametrize(
    "f", [appends, counts, collects, draws, hidden_state], ids=lambda f: f.__name__
)
def test_what_must_happen_once_is_recorded(f: Callable[..., Any], reruns: list[int]) -> None:
    expected = recorded(f, X.copy(), 0.7)
    history.clear()
    table[:] = 0
    value, found = npc.value_and_grad(f, (0, 1))(X.copy(), 0.7)
    assert value == expected[0]
    np.testing.assert_allclose(found[0], expected[1][0], rtol=1e-12)
    np.testing.assert_allclose(found[1], expected[1][1], rtol=1e-12)
    assert sum(reruns) == 0
    assert len(history) == (12 if f is appends else 0)
    if f is counts:  # the check runs it twice again
        assert set(table) <= {4.0, 12.0}


def test_in_place_writes_reach_the_caller(reruns: list[int]) -> None:
    def f(x: Any, k: Any) -> Any:
        for _ in range(12):
            x *= 1 + 0.1 * k
        return np.sum(x)

    x, y = X.copy(), X.copy()
    npc.grad(f)(x, 0.7)
    f(y, 0.7)
    np.testing.assert_array_equal(x, y)
    assert reruns


def test_errors_are_those_of_numpy() -> None:
    def f(x: Any) -> Any:
        for i in range(30):
            x = x + np.ones(6 if i < 20 else 5)
        return np.sum(x)

    with pytest.raises(ValueError, match="could not be broadcast"):
        npc.grad(f)(X)


def test_a_gradient_that_would_be_lost_is_an_error() -> None:
    def cast(x: Any) -> Any:
        total = 0.0
        for _ in range(12):
            x = x * 1.01
            total = total + int(x[0] * 10) * x[1]
        return total

    def carried(x: Any) -> Any:
        count = 0
        for i in range(12):
            x = x * 1.01
            count = count + i if i < 8 else int(x[0] * 10)
        return np.sum(x) * count

    for f in (cast, carried):
        with pytest.raises(npc.GradientError, match="integer") as caught:
            npc.grad(f)(X)
        assert caught.value.line > 0


def test_what_changed_between_the_runs_is_an_error() -> None:
    factors = [1.1]

    def factor() -> float:
        return factors[0]

    def f(x: Any) -> Any:
        for _ in range(12):
            x = x * factor()
        factors[0] = 3.0
        return np.sum(x)

    with pytest.raises(npc.GradientError, match="other values when they run again"):
        npc.grad(f)(X)


LATER = np.ones(6)


def changes_a_global(x: Any, k: Any) -> Any:
    LATER[:] = 1.1
    for _ in range(12):
        x = x * LATER + 0.01 * k
    LATER[:] = 0.3
    return np.sum(x)


def test_an_array_that_changes_after_the_loop_is_an_error() -> None:
    with pytest.raises(npc.GradientError, match="other values when they run again"):
        npc.grad(changes_a_global)(X, 0.7)


def writers(x: Any, k: Any) -> Any:
    a, b = np.outer(x, x), x.copy()
    for i in range(12):
        np.fill_diagonal(a, 0.5 * k)
        a.flat[1::7] *= 0.9
        np.put(b, [0, 2], b[1])
        np.copyto(b[3:], b[:3] * 0.99)
        np.add.at(b, [1, 1], 0.01 * k)
        np.putmask(b, b > 1.4, 1.0)
        b.fill(b[0] * 1.01) if i == 3 else b.sort()
        a = a + 0.1 * np.outer(b, b)
    return np.sum(a) + np.sum(b**2)


def test_functions_that_write_are_seen() -> None:
    expected = recorded(writers, X.copy(), 0.7)
    found = npc.value_and_grad(writers, (0, 1))(X.copy(), 0.7)
    np.testing.assert_allclose(found[0], expected[0])
    np.testing.assert_allclose(found[1][0], expected[1][0], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(found[1][1], expected[1][1], rtol=1e-10)


def test_second_derivatives_are_recorded(reruns: list[int]) -> None:
    def f(x: Any) -> Any:
        for _ in range(12):
            x = x * 1.01 + 0.01 * x**2
        return np.sum(x)

    step = 1e-5
    first = npc.grad(f)
    hessian = npc.hessian(f)(X)
    moved = X + step * np.eye(6)[2]
    np.testing.assert_allclose(hessian[2], (first(moved) - first(X)) / step, rtol=1e-3, atol=1e-3)


# -- compiled


def diffusion(x: Any, k: Any) -> Any:
    u, t = x.copy(), 0.0
    for i in range(40):
        u[1:-1] += k * 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2]) + 0.001 * i
        u = np.sin(u) * x
        t = t + np.mean(u) * k
    return np.sum(u**2) + t


def coupled(x: Any, k: Any) -> Any:
    n, state, rates = 0, {"q": x, "p": x * 0.5}, [k * 2.0, 0.1]

    def force(q: Any) -> Any:
        return -q * np.exp(-q)

    while n < 40:
        p = state["p"] + rates[1] * force(state["q"])
        state = {"q": state["q"] + rates[0] * 0.1 * p, "p": p * 0.99}
        n += 1
    return np.sum(state["q"] * state["p"]) + n


@pytest.mark.slow
@pytest.mark.parametrize("f", [diffusion, coupled], ids=lambda f: f.__name__)
def test_compiled_iterations(
    f: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, reruns: list[int]
) -> None:
    expected = recorded(f, X.copy(), 0.7)
    judged = []
    judge = Stepwise.judge

    def seen(self: Stepwise, *args: Any) -> None:
        judge(self, *args)
        judged.append((self.is_faster(), self.reason))

    monkeypatch.setattr(Stepwise, "judge", seen)
    monkeypatch.setattr(npc.settings, "tier", "inductor")
    monkeypatch.setattr(npc.settings, "first_run_check", "raise")
    value, found = npc.value_and_grad(f, (0, 1))(X.copy(), 0.7)
    assert judged == [(True, "")]
    assert value == expected[0]
    np.testing.assert_allclose(found[0], expected[1][0], rtol=1e-9)
    np.testing.assert_allclose(found[1], expected[1][1], rtol=1e-9)


# -- random programs


BINDINGS = (
    "u = u + 0.05 * {f}(v) * k",
    "v = 0.9 * v + 0.1 * u",
    "u[1:] += 0.1 * v[:-1]",
    "u[::2] *= 0.95",
    "v[{i}] = u[{j}] * s",
    "s = 0.5 * s + 0.1 * float(u[{i}])",
    "s = np.tanh(s + u.mean())",
    "t = u[::-1]\nv = v + 0.1 * t",
    "u, v = v, u",
    "np.multiply(u, 0.9, out=v)",
    "w = np.where(u > v, u, v)\nu = 0.5 * (u + w)",
    "if u[{i}] > v[{j}]:\n    u = u - 0.1 * s\nelse:\n    v[{i}] += 0.1",
    "for j in range(3):\n    v[j] = v[j] + 0.1 * u[j + 1]",
    "if n % 4 == 3:\n    continue",
    "p = (u, s)\nu = p[0] * 0.99 + 0.01 * p[1]",
    "u = helper(u, k)",
    "u = 0.9 * u + 0.1 * x",
    "view = u[2:4]\nview += 0.05 * s",
)
HELPER = "def helper(a, k):\n    b = a.copy()\n    b[0] = b[1] * k + 0.1\n    return b\n"


def random_program(seed: int) -> str:
    """A loop over arrays, numbers and views."""
    chance = random.Random(seed)
    parts = [
        chance.choice(BINDINGS).format(
            f=chance.choice(["np.sin", "np.tanh"]), i=chance.randrange(6), j=chance.randrange(6)
        )
        for _ in range(chance.randint(2, 6))
    ]
    count = chance.randint(6, 25)
    head = chance.choice([f"for n in range({count}):", f"while n < {count}:\n    n += 1"])
    start = chance.choice(["u, v = x.copy(), x * 0.5", "u, v = x, x", "u = v = x.copy()"])
    body = textwrap.indent("\n".join(parts), "    ")
    loop = f"{start}\ns, n, p = k * 1.0, 0, None\n{head}\n{body}"
    return (
        f"import numpy as np\n\n{HELPER}\ndef f(x, k):\n{textwrap.indent(loop, '    ')}\n"
        "    return np.sum(u * np.arange(6)) + np.sum(v**2) + s + n\n"
    )


@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed: int, tmp_path: Path, reruns: list[int]) -> None:
    text = random_program(seed)
    path = tmp_path / "program.py"
    path.write_text(text)
    scope: dict[str, Any] = {}
    exec(compile(text, str(path), "exec"), scope)
    f = scope["f"]
    expected = recorded(f, X.copy(), 0.7)
    found = npc.value_and_grad(f, (0, 1))(X.copy(), 0.7)
    assert found[0] == expected[0]
    np.testing.assert_allclose(found[1][0], expected[1][0], rtol=1e-9, atol=1e-11, err_msg=text)
    np.testing.assert_allclose(found[1][1], expected[1][1], rtol=1e-9, atol=1e-11, err_msg=text)


# -- memory


MEMORY = """
import json, resource
import numpy as np
import jupyter_npcompile as npc

npc.settings.tier = "aten"

def f(x, k):
    u = x.copy()
    for _ in range(1200):
        u[1:-1] += k * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(u**2)

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

npc.grad(lambda x: np.sum(x))(np.ones(3))
before = peak()
npc.grad(f, (0, 1))(np.linspace(0, 1, 10_000), 0.1)
print(json.dumps(peak() - before))
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "memory.py"
    path.write_text(MEMORY)
    return path


def test_memory_grows_with_the_square_root(script: Path) -> None:
    """To record it all would take more than 400 MB."""
    made = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=True, timeout=PATIENCE
    )
    assert json.loads(made.stdout) < 160
