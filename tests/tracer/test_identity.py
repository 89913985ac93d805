"""Which objects values are: what one call has decided is asked again in the next one."""

from __future__ import annotations

import itertools
import linecache
import random
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from tests.support.session.seeds import seeds

VALUES = """
x | y | s | t | b | c | n | m | v | w | flag | np.True_ | np.False_ | True | None | ... | x[0]
x.sum() | x.any() | (x > 0).all() | np.all(y > 0) | x[0] > 0 | x.max() | x[1:] | np.asarray(x)
x.shape[0] | x.dtype | same | same[0] | same[1] | other | text | "a" | 1 | 1.0 | float(s) | int(n)
n + 1 | m - n | max(s, t) | np.isnan(s) | (b and c) | +s | s.real | pair | pair[0] | again | fn
np.sin | np.float64 | np.float64(s) | x.item(0) | sentinel | DEFAULT | x.base | np.bool_(b)
"""
FORMS = (
    *("r = {} is {}", "r = {} is not {}", "r = any(e is {} for e in ({}, x.any()))"),
    *("r = x * 2 if {} is {} else x + 1", "r = ({}, 1 if {} is x.any() else 2)"),
)
FIXED = (
    *("np.all(x > 0) is np.True_", "(x > 0).all() is (y > 0).all()", "b is c", "b is np.True_"),
    *("s is t", "x.any() is True", "x[0] is x[0]", "x.sum() is None", "n is m", "v is w"),
    *("same is other", "same[0] is same[1]", "text is 'a'", "sentinel is DEFAULT", "n is 1"),
    *("pair is again", "x is y", "s.real is s", "m - n is 1"),
)
DEFAULT = object()


def function_of(*statements: str) -> Any:
    """A function with source, of everything that `arguments` gives."""
    names = ", ".join(arguments(0, 0))
    lines = [f"def function({names}):", "z = x + 1", *statements, "return z, r, y * 2"]
    source = "\n    ".join(lines) + "\n"
    filename = f"<identity {statements}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    space: dict[str, Any] = {"np": np, "DEFAULT": DEFAULT}
    exec(compile(source, filename, "exec"), space)
    return space["function"]


def arguments(seed: int, call: int) -> dict[str, Any]:
    """Arguments some of which are one object, others in each call."""
    rng = np.random.default_rng((seed, call))

    def one_of(first: Any, second: Any) -> Any:
        return first if rng.random() < 0.5 else second

    x = rng.normal(size=4)
    y = one_of(one_of(x, -x), np.abs(x))
    s, v, n = np.float64(rng.integers(2)), float(rng.integers(2)), int(rng.integers(3))
    n = one_of(n, 1000 + call)
    same, pair = one_of([x, y], [x, x]), (x, 1)
    return {
        **{"x": x, "y": y, "s": s, "t": one_of(s, np.float64(s)), "n": n, "m": one_of(n, n + 1)},
        **{"b": np.bool_(one_of(0, 1)), "c": np.bool_(one_of(0, 1)), "flag": one_of(True, False)},
        **{"v": v, "w": one_of(v, float(str(v))), "same": same, "other": one_of(same, list(same))},
        **{"text": one_of("a", "ab"[:1]), "fn": one_of(np.sin, np.cos), "pair": pair},
        **{"again": one_of(pair, (x, 1)), "sentinel": one_of(DEFAULT, object())},
    }


def text_of(value: Any) -> Any:
    """What is compared of a result."""
    if isinstance(value, tuple | list):
        return type(value)(text_of(item) for item in value)
    if isinstance(value, np.ndarray):
        return value.dtype, value.tolist()
    return type(value), value if isinstance(value, int | float | np.generic) else None


def compare(statement: str, seed: int) -> None:
    """Call it several times, compiled and as it is."""
    function = function_of(statement)
    made = npc.compile(function, ahead=True)
    for call in range(6):
        expected = text_of(function(**arguments(seed, call)))
        assert text_of(made(**arguments(seed, call))) == expected, (statement, call)


@pytest.fixture(autouse=True)
def _aten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", "aten")
    monkeypatch.setattr(npc.settings, "first_run_check", "raise")


@pytest.mark.filterwarnings("ignore:.*is.* with .* literal:SyntaxWarning")
@pytest.mark.parametrize("test", FIXED)
def test_each_call_decides_for_itself(test: str) -> None:
    for form in ("r = {}", "r = x * 2 if {} else x + 1"):
        compare(form.format(test), len(test))


@pytest.mark.drawn
@pytest.mark.filterwarnings("ignore:.*is.* with .* literal:SyntaxWarning")
def test_drawn_tests_of_identity() -> None:
    values = VALUES.replace("\n", " | ").strip(" |").split(" | ")
    for seed in seeds(60):
        chosen = random.Random(seed)
        compare(chosen.choice(FORMS).format(chosen.choice(values), chosen.choice(values)), seed)


def test_what_types_decide_needs_no_python() -> None:
    """``is None``, ``is True``, and ``is`` of arrays are captured as before."""

    def function(x: Any, y: Any, k: Any = None, option: Any = DEFAULT) -> Any:
        z = x + 1 if k is None else x + k
        z = z * 2 if x.any() is not True else z
        z = z + y if option is DEFAULT else z
        return z - y if x is not y else z

    x = np.arange(3.0)
    for arguments in itertools.product((x,), (x, x + 1), (None, 2.0)):
        assert npc.explain(function, *arguments).breaks == ()


def test_what_the_graph_computes_is_left_to_python() -> None:
    def function(x: Any) -> Any:
        z = x + 1
        found = (z > 0).all() is np.True_
        return z * 2, found

    (found,) = npc.explain(function, np.arange(3.0)).breaks
    assert (found.kind, found.reason[:4]) == ("value", "`is`")
