"""A function that `compile` returns has the defaults that the one it was made from has now."""

from __future__ import annotations

import linecache
import random
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc

cloudpickle = pytest.importorskip("cloudpickle")

BODIES = {
    "a segment": "    return np.sqrt(x * x + 1) + {sum}\n",
    "a loop": "    s = 0.0\n    for v in x:\n        s += v\n    return s + {sum}\n",
    "itself": "    if len(x) > 2:\n        return f(x[1:]) + {sum}\n    return x.sum() + {sum}\n",
}


def _defined(text: str, name: str) -> types.FunctionType:
    filename = f"<defaults {name}>"
    linecache.cache[filename] = len(text), None, text.splitlines(keepends=True), filename
    space: dict[str, Any] = {"np": np}
    exec(compile(text, filename, "exec"), space)
    function: types.FunctionType = space["f"]
    return function


def _drawn(seed: int) -> tuple[str, list[str], list[str], bool]:
    """A function, its parameters with defaults (by place, by name), and whether it has a star."""
    draw = random.Random(f"defaults {seed}")
    only, free, named = draw.randint(0, 2), draw.randint(0, 2), draw.randint(0, 2)
    only, free = (only, free) if only + free + named else (1, 1)
    star = draw.random() < 0.4
    places = [f"p{i}" for i in range(only)] + [f"q{i}" for i in range(free)]
    names = [f"k{i}" for i in range(named)]
    parts = ["x", *(f"{it}={n + 1}.0" for n, it in enumerate(places))]
    if only:
        parts.insert(only + 1, "/")
    parts += ["*rest"] if star else ["*"] if names else []
    parts += [f"{it}={n + 7}.0" for n, it in enumerate(names)]
    parts += ["**more"] if draw.random() < 0.3 else []
    total = " + ".join([*places, *names, *(["sum(rest)"] if star else []), "0.0"])
    body = draw.choice(list(BODIES.values())).format(sum=f"({total})")
    return f"def f({', '.join(parts)}):\n{body}", places, names, star


def _outcome(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    try:
        return function(*args, **kwargs)
    except TypeError as error:
        return str(error)


@pytest.mark.parametrize("ahead", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_defaults_that_change_are_those_of_the_next_call(seed: int, ahead: bool) -> None:
    text, places, names, star = _drawn(seed)
    draw = random.Random(f"calls {seed}")
    f = _defined(text, f"{seed} {ahead}")
    made = npc.compile(f, ahead=ahead)
    x = np.arange(3.0)
    for round_ in range(40):
        if draw.random() < 0.3:
            f.__defaults__ = tuple(draw.random() for _ in places)
        if draw.random() < 0.3:
            f.__kwdefaults__ = {name: draw.random() for name in names} or None
        if round_ in (5, 20):
            npc.wait()
        args = tuple(draw.random() for _ in range(draw.randint(0, len(places) + 2 * star)))
        free = [it for it in places[len(args) :] if it.startswith("q")] + names
        kwargs = {name: draw.random() for name in free if draw.random() < 0.3}
        want, got = _outcome(f, x, *args, **kwargs), _outcome(made, x, *args, **kwargs)
        assert type(got) is type(want)
        if isinstance(want, str):
            assert got == want
        else:
            np.testing.assert_allclose(got, want, rtol=1e-12)
            assert (made.__defaults__, made.__kwdefaults__) == (f.__defaults__, f.__kwdefaults__)


def test_a_default_that_is_taken_away_is_missed() -> None:
    f = _defined("def f(x, k=1.0, *, p=2.0):\n    return np.sqrt(x * x) + k + p\n", "taken")
    made = npc.compile(f)
    x = np.ones(3)
    np.testing.assert_array_equal(made(x), f(x))
    f.__kwdefaults__ = None
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'p'"):
        made(x)
    np.testing.assert_array_equal(made(x, p=3.0), f(x, p=3.0))
    f.__defaults__ = None
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'k'"):
        made(x, p=3.0)


def test_one_that_came_from_another_process_follows_its_own_source() -> None:
    f = _defined("def f(x, k=1.0):\n    return np.sqrt(x * x) + k\n", "shipped")
    came = cloudpickle.loads(cloudpickle.dumps(npc.compile(f)))
    x = np.ones(3)
    for k in (1.0, 5.0, 6.0):
        came.__wrapped__.__defaults__ = (k,)
        for _ in range(3):
            np.testing.assert_array_equal(came(x), 1.0 + k)
    assert f(x)[0] == 2.0


def test_defaults_of_the_compiled_function_are_its_own_where_they_are_set() -> None:
    f = _defined("def f(x, k=1.0):\n    return np.sqrt(x * x) + k\n", "own")
    made = npc.compile(f)
    x = np.ones(3)
    made.__defaults__ = (9.0,)
    np.testing.assert_array_equal([made(x), f(x)], [[10.0] * 3, [2.0] * 3])
    f.__defaults__ = (4.0,)
    np.testing.assert_array_equal(made(x), [5.0] * 3)


def test_a_function_below_the_decorator_asks_nothing() -> None:
    text = "def f(x, k=1.0):\n    return np.sqrt(x * x) + k\n"
    plain = npc.compile(_defined(text, "plain"))
    decorated = npc.compile(_defined("@(lambda f: f)\n" + text, "decorated"))
    assert "renewed" in plain.__code__.co_names
    assert "renewed" not in decorated.__code__.co_names


def test_what_was_given_before_it_travels_arrives() -> None:
    f = _defined("def f(x, k=1.0):\n    return np.sqrt(x * x) + k\n", "before")
    made = npc.compile(f)
    f.__defaults__ = (3.0,)
    x = np.ones(3)
    came = cloudpickle.loads(cloudpickle.dumps(made))
    again = cloudpickle.loads(cloudpickle.dumps(came))
    for one in (came, again):
        np.testing.assert_array_equal([one(x), one(x)], [[4.0] * 3] * 2)


def test_what_is_given_to_its_source_where_it_arrived_counts_at_once() -> None:
    f = _defined("def f(x, k=1.0):\n    return np.sqrt(x * x) + k\n", "pair")
    made, source = cloudpickle.loads(cloudpickle.dumps((npc.compile(f), f)))
    assert made.__wrapped__ is source
    source.__defaults__ = (9.0,)
    np.testing.assert_array_equal(made(np.ones(3)), [10.0] * 3)


def test_gradients_of_it_follow_too() -> None:
    f = _defined("def f(x, k=1.0):\n    y = x * k\n    return np.sum(y * y)\n", "gradient")
    made = npc.compile(f)
    f.__defaults__ = (3.0,)
    np.testing.assert_array_equal(npc.grad(made)(np.ones(2)), [18.0, 18.0])


def test_a_static_method_follows() -> None:
    f = _defined(
        "class f:\n    @staticmethod\n    def s(x, k=1.0):\n        return x * k + 1\n", "s"
    )
    made = npc.compile(f.s)  # type: ignore[attr-defined]
    f.s.__defaults__ = (9.0,)  # type: ignore[attr-defined]
    np.testing.assert_array_equal(made(np.ones(2)), [10.0, 10.0])
