"""What tracing means: the captured graph of a handful of functions, as text."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.graph import to_text
from jupyter_npcompile.runtime.call_handle import CallCode
from jupyter_npcompile.runtime.namespace import ArgumentNamespace
from jupyter_npcompile.tracer.breaks import Break
from jupyter_npcompile.tracer.recording import Recording, record


def recorded(function: Callable[..., Any], *args: Any) -> Recording:
    """Record one call, with arguments named args[0], args[1], ..."""
    code, parameters = CallCode(function).code(0)
    namespace = ArgumentNamespace({"args": args, "kwargs": {}})
    return record(code, parameters, namespace, 0, 1, lambda start, stop: ())


def captured(function: Callable[..., Any], *args: Any) -> str:
    """The captured graph without its comments, whose columns depend on this file."""
    lines = to_text(recorded(function, *args).graph).splitlines()
    return "\n".join(line.partition("#")[0].rstrip().replace("args", "a") for line in lines)


def stop_of(function: Callable[..., Any], *args: Any) -> Break:
    """Why a call breaks."""
    end = recorded(function, *args).end
    assert end is not None
    return end.cause


def expect(text: str) -> str:
    return dedent(text).strip()


def test_the_same_arithmetic_of_python_is_one_input() -> None:
    def f(x: Any, dt: float) -> Any:
        y = x * (dt / 2)
        for _ in range(3):
            y = y + x * (dt / 2) - x * (dt * 0.0) + x * (dt * -0.0)
        return y

    names = [node.name for node in recorded(f, np.ones(3), 0.5).graph.inputs]
    assert names == ["args[0]", "args[1] / 2", "args[1] * 0.0", "args[1] * -0.0"]


def test_operators_and_functions_are_ufunc_nodes() -> None:
    def hypotenuse(x: Any, y: Any) -> Any:
        return np.sqrt(x**2 + y * y)

    assert captured(hypotenuse, np.ones(3), np.ones(3)) == expect(
        """
        numpy (a[0]: float64[3], a[1]: float64[3]):
          %0: float64[3] = square(a[0])
          %1: float64[3] = multiply(a[1], a[1])
          %2: float64[3] = add(%0, %1)
          %3: float64[3] = sqrt(%2)
          return return=%3
        """
    )


def test_stores_and_views_are_recorded_as_numpy_ran_them() -> None:
    def smooth(u: Any) -> Any:
        v = np.empty(u.shape, dtype=u.dtype)
        v[:] = u
        inner = v[1:-1]
        inner += 1
        return v

    assert captured(smooth, np.ones(4, np.float32)) == expect(
        """
        numpy (a[0]: float32[4]):
          %0: float32[4] = empty((4,), dtype=float32)
          setitem(%0, :, a[0])
          %1: float32[2] = getitem(%0, 1:-1)
          %2: float32[2] = add(%1, 1, out=%1)
          return return=%0
        """
    )


def test_a_written_input_is_named() -> None:
    def clear(x: Any) -> None:
        x[::2] = 0

    x = np.ones(4)
    text = captured(clear, x)
    assert text.endswith("return return=None\n  writes a[0]")
    assert x.tolist() == [1, 1, 1, 1], "a recording changes nothing"


def test_reductions_give_scalars_and_float_stays_captured() -> None:
    def mean_square(x: Any) -> Any:
        return float((x * x).mean()) * 0.5

    assert captured(mean_square, np.ones(3)) == expect(
        """
        numpy (a[0]: float64[3]):
          %0: float64[3] = multiply(a[0], a[0])
          %1: float64 = .mean(%0)
          %2: python float = python.float(%1)
          %3: python float = python.mul(%2, 0.5)
          return return=%3
        """
    )


def test_numpy_functions_written_in_python_are_inlined() -> None:
    text = captured(lambda x: np.gradient(x), np.ones(5))
    assert "gradient(" not in text
    assert "setitem(" in text


def test_python_numbers_are_inputs_whose_arithmetic_python_repeats() -> None:
    def step(u: Any, dt: float, n: int) -> Any:
        return u + dt / (n + 1) * u

    recording = recorded(step, np.ones(2), 0.5, 3)
    assert [node.name for node in recording.graph.inputs] == ["args[0]", "args[1] / (args[2] + 1)"]
    assert not [g for g in recording.guards if type(g).__name__ == "ValueGuard"]


def test_quotient_and_remainder_are_two_numbers() -> None:
    def f(x: Any, n: int) -> Any:
        q, r = divmod(n, 3)
        return x * q + divmod(n, 4)[1] - r

    names = [node.name for node in recorded(f, np.arange(3.0), 7).graph.inputs]
    assert names == ["args[0]", "args[1] // 3", "args[1] % 4", "args[1] % 3"]


def test_a_number_that_decides_the_shape_is_guarded() -> None:
    recording = recorded(lambda n: np.zeros(n), 3)
    assert "args[0] = 3" in [str(guard) for guard in recording.guards]


def test_branches_on_plain_values_are_guarded() -> None:
    def scale(x: Any, twice: bool, k: float) -> Any:
        if twice and k > 1:
            return x * 2
        return x

    recording = recorded(scale, np.ones(2), True, 3.0)
    assert "args[1] = True" in [str(guard) for guard in recording.guards]
    assert "args[2] > 1 = True" in [str(guard) for guard in recording.guards]


class Model:
    """A plain object with arrays in it."""

    def __init__(self) -> None:
        self.weights = np.ones(3)

    def apply(self, x: Any) -> Any:
        return self.weights * x


def test_methods_and_attributes_of_plain_objects_are_traced() -> None:
    recording = recorded(Model().apply, np.ones(3))
    assert [node.name for node in recording.graph.inputs] == ["args[0]", "self.weights"]


@pytest.mark.parametrize(
    ("function", "kind", "words"),
    [
        (lambda x: npc.graph_break(), "explicit", "graph_break"),
        (lambda x: len(x[x > 0]), "value", "the size of a selection"),
        (lambda x: int(x.sum()) + 1, "value", "int()"),
        (lambda x: 1 if x.sum() > 0 else 2, "value", "depends on a value"),
        (lambda x: np.random.default_rng(3).normal(size=3) + x, "host", "random"),
        (lambda x: x @ np.ones(5), "error", "ValueError"),
        (lambda x: 1 / (x - x), "error", "warns"),
        (lambda x: f"{x.sum():.2f}", "value", "text"),
        (lambda x: x.tolist(), "value", "tolist"),
        (lambda x: print(x), "call", "print"),
        (lambda x: np.array([x, None], dtype=object), "input", "object"),
        (lambda x: np.where(x > 0, "yes", "no"), "input", "`np.where` gives text, which is not"),
        (lambda x: [k for k in range(3000) if (x + k) is None], "limit", "unrolled"),
        (lambda x: x + np.array([1.0] * 10_001), "limit", "more than 1000 Python objects"),
        (lambda x: x[[0, 1] * 6000], "limit", "more than 1000 Python objects"),
        (lambda x: np.sum([[1.0] * 6000] * 2), "limit", "more than 1000 Python objects"),
        (lambda x: x + sum([k % 3 for k in range(5000)]), "limit", "4000 operations of Python"),
        (lambda x: hash(x), "value", "hash()"),
    ],
)
def test_breaks_say_what_they_are(function: Any, kind: str, words: str) -> None:
    cause = stop_of(function, np.ones(3))
    assert cause.kind == kind, cause
    assert words in cause.reason


@pytest.mark.parametrize(
    ("broken", "name", "taken"),
    [
        (lambda x: x + int(x.max()), "np.trunc", lambda x: x + np.trunc(x.max())),
        (lambda x: x + round(x.max()), "np.round", lambda x: x + np.round(x.max())),
    ],
)
def test_what_a_hint_names_is_captured(broken: Any, name: str, taken: Any) -> None:
    assert name in stop_of(broken, np.ones(3)).hint
    assert recorded(taken, np.ones(3)).end is None


def test_what_a_module_imports_when_it_is_asked_for_is_traced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(vars(npc), "graph_break", raising=False)
    assert stop_of(lambda x: npc.graph_break(), np.ones(3)).kind == "explicit"
    lazy = ModuleType("lazy")
    lazy.__getattr__ = lambda name: 2.0  # type: ignore[method-assign]
    assert "made on access" in stop_of(lambda x: x * lazy.k, np.ones(3)).reason


def test_input_lists_may_be_read_but_not_changed() -> None:
    assert stop_of(lambda items: items.append(1), [np.ones(2)]).kind == "effect"
    text = captured(lambda items: items[0] + items[1], [np.ones(2), 2.0])
    assert "add(a[0][0], a[0][1])" in text


def test_local_lists_may_be_changed() -> None:
    def columns(x: Any) -> Any:
        found = []
        for k in range(2):
            found.append(x[:, k])
        return np.stack(found)

    assert "stack([%0, %1])" in captured(columns, np.ones((3, 2)))


def test_the_same_array_twice_is_one_input() -> None:
    x = np.ones(3)
    recording = recorded(lambda a, b: a + b, x, x)
    assert len(recording.graph.inputs) == 1
    assert recording.aliasing[1] == ((0, 0, 0), (0, 0, 0))


def test_overlapping_inputs_of_which_one_is_written_are_refused() -> None:
    def shift(a: Any, b: Any) -> Any:
        a += b

    x = np.ones(4)
    assert "shares memory" in stop_of(shift, x[1:], x[:-1]).reason


def test_read_only_inputs_are_numpys_business() -> None:
    x = np.ones(3)
    x.flags.writeable = False

    def write(a: Any) -> None:
        a[0] = 1

    assert "read-only" in stop_of(write, x).reason
