"""Functions that have gone through cloudpickle are compiled again where they arrive."""

from __future__ import annotations

import linecache
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.autodiff.errors import GradientError
from jupyter_npcompile.runtime import loop_compile
from jupyter_npcompile.runtime.arrivals import LENT, Arrived
from jupyter_npcompile.runtime.function_content import content_of
from jupyter_npcompile.runtime.functions import handle_of

cloudpickle = pytest.importorskip("cloudpickle")

FILE = "<a cell that is nowhere else>"

SOURCE = """def made(k):
  @compile
  def f(x, n=2):
    y = np.sqrt(x) * k
    return y.sum() * n
  return f
"""


@pytest.fixture
def shipped(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A function that has arrived; its text is gone."""
    monkeypatch.setattr(npc.settings, "tier", "aten")
    monkeypatch.setitem(linecache.cache, FILE, (1, None, SOURCE.splitlines(keepends=True), FILE))
    names = {"np": np, "compile": npc.compile}
    exec(compile(SOURCE, FILE, "exec"), names)
    data = cloudpickle.dumps(names["made"](3.0))  # type: ignore[operator]
    del linecache.cache[FILE]
    return cloudpickle.loads(data)


def behind(function: Any) -> Any:
    return function.__closure__[function.__code__.co_freevars.index("__npcompile__")].cell_contents


def test_it_is_compiled(shipped: Any) -> None:
    x = np.array([1.0, 4.0])
    assert isinstance(behind(shipped), Arrived)
    for _ in range(4):
        assert shipped(x) == 18.0
        assert shipped(x, n=1) == 9.0
    assert not isinstance(behind(shipped), Arrived)
    (region,) = npc.last_report().regions  # type: ignore[union-attr]
    assert region.tier == "aten"


def test_it_travels_on_before_and_after_that(shipped: Any) -> None:
    x = np.array([1.0, 4.0])
    again = cloudpickle.loads(cloudpickle.dumps(shipped))
    assert [again(x) for _ in range(3)] == [18.0] * 3
    assert cloudpickle.loads(cloudpickle.dumps(again))(x) == 18.0


def test_it_is_explained_compared_and_differentiated(shipped: Any) -> None:
    x = np.array([1.0, 4.0])
    fresh = cloudpickle.dumps(shipped)
    assert npc.explain(cloudpickle.loads(fresh), x).summary.startswith("2 of 2 lines")
    assert npc.compare(cloudpickle.loads(fresh), x, tier="aten").equal
    assert npc.grad(cloudpickle.loads(fresh))(x).tolist() == [3.0, 1.5]
    assert npc.compile(cloudpickle.loads(fresh))(x) == 18.0


def test_its_file_is_found_though_cloudpickle_leaves_its_name_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(npc.settings, "tier", "aten")
    file = tmp_path / "script.py"
    file.write_text(SOURCE)
    names = {"np": np, "compile": npc.compile, "__name__": "__main__"}
    exec(compile(SOURCE, str(file), "exec"), names)
    shipped = cloudpickle.loads(cloudpickle.dumps(names["made"](3.0)))  # type: ignore[operator]
    for one in (shipped, shipped.__wrapped__):  # as cloudpickle 3.1.2 and later do
        one.__code__ = one.__code__.replace(co_filename="<dynamic-code>")
    x = np.array([1.0, 4.0])
    assert [shipped(x) for _ in range(3)] == [18.0] * 3
    assert handle_of(shipped) is not None
    assert shipped.__code__.co_filename == str(file)
    assert npc.explain(shipped, x).summary.startswith("2 of 2 lines")
    assert npc.grad(shipped)(x).tolist() == [3.0, 1.5]


def test_without_its_text_it_runs_as_it_was_written(shipped: Any) -> None:
    behind(shipped).texts.clear()
    linecache.cache.pop(FILE, None)
    assert [shipped(np.array([1.0, 4.0])) for _ in range(2)] == [18.0] * 2
    assert handle_of(shipped) is None
    assert shipped.__code__.co_varnames[:2] == ("x", "n")
    with pytest.raises(GradientError, match="has no source"):
        npc.grad(shipped)(np.array([1.0, 4.0]))


LOOP = """
import numpy as np

SCALE = {scale}
{more}

def slope(x):
    return {slope}

@compile
def helper(x, by={default}):
    return by * x

@compile
def f(x, steps=40):
    {binds}
    for k in range(steps):
        x = x + 0.01 * slope(helper(x)) * SCALE
    return x
"""


def sent(**changed: Any) -> bytes:
    """A function of a script, as it goes to another process."""
    given = {"scale": 0.5, "more": "", "slope": "SCALE - x", "default": 2.0, "binds": "pass"}
    text = LOOP.format(**{**given, **changed})
    linecache.cache[FILE] = (1, None, text.splitlines(keepends=True), FILE)
    names = {"compile": npc.compile, "__name__": "__main__"}
    exec(compile(text, FILE, "exec"), names)
    return cloudpickle.dumps(names["f"])  # type: ignore[no-any-return]


def expected(function: Any, x: Any) -> Any:
    """What it gives without us."""
    code = function.__wrapped__
    names = {name: getattr(it, "__wrapped__", it) for name, it in code.__globals__.items()}
    plain = type(code)(code.__code__, names, "f", code.__defaults__, code.__closure__)
    return plain(x)


X = np.linspace(0.0, 1.0, 30)


def test_what_arrives_again_has_been_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop_compile, "WORTH", 0.0)
    data = sent()
    before = npc.stats()
    for _ in range(30):
        function = cloudpickle.loads(data)
        np.testing.assert_array_equal(function(X), expected(function, X))
        assert npc.wait()
    assert npc.stats()["dispatches"] > before["dispatches"]
    assert npc.stats()["artifacts"] <= before["artifacts"] + 4


@pytest.mark.parametrize(
    "changed",
    [
        *({"scale": 0.75}, {"slope": "x - SCALE"}, {"default": 3.0}, {"scale": 1}),
        {"more": "table = [1.0]", "slope": "table[0] - x"},
        {"more": "table = np.ones(30)", "slope": "table - x"},
    ],
)
def test_what_differs_is_not_mistaken(
    monkeypatch: pytest.MonkeyPatch, changed: dict[str, Any]
) -> None:
    monkeypatch.setattr(loop_compile, "WORTH", 0.0)
    both = [sent(), sent(**changed)]
    for data in both * 6:
        function = cloudpickle.loads(data)
        np.testing.assert_array_equal(function(X), expected(function, X))
        assert npc.wait()


def test_each_has_global_names_of_its_own() -> None:
    """Somebody binds one anew between two calls of the same function."""
    data = sent()
    for scale in (0.5, 1.0, 0.25) * 3:
        function = cloudpickle.loads(data)
        function(X)
        function.__globals__["SCALE"] = scale
        np.testing.assert_array_equal(function(X), expected(function, X))


def test_what_it_counts_is_its_own() -> None:
    data = sent(more="count = 0", binds="global count; count += 1")
    for _ in range(4):
        function = cloudpickle.loads(data)
        function(X)
        function(X)
        assert function.__globals__["count"] == 2
    data = sent(binds="f.count = getattr(f, 'count', 0) + 1")
    for _ in range(4):
        function = cloudpickle.loads(data)
        function(X)
        function(X)
        assert function.count == 2
    data = sent(more="seen = []", binds="seen.append(1)")
    for _ in range(4):
        function = cloudpickle.loads(data)
        function(X)
        function(X)
        assert function.__globals__["seen"] == [1, 1]


def test_one_that_is_called_often_is_compiled_itself() -> None:
    data = sent()
    cloudpickle.loads(data)(X)
    function = cloudpickle.loads(data)
    for _ in range(LENT):
        function(X)
        assert isinstance(behind(function), Arrived)
    function(X)
    assert not isinstance(behind(function), Arrived)


def test_generators_run_where_they_are() -> None:
    text = "@compile\ndef f(n):\n    for k in range(n):\n        yield np.sqrt(k)\n    return 5\n"
    linecache.cache[FILE] = (1, None, text.splitlines(keepends=True), FILE)
    names = {"np": np, "compile": npc.compile, "__name__": "__main__"}
    exec(compile(text, FILE, "exec"), names)
    data = cloudpickle.dumps(names["f"])
    for _ in range(3):
        assert list(cloudpickle.loads(data)(3)) == [0.0, 1.0, np.sqrt(2)]


def test_errors_are_the_functions() -> None:
    data = sent(slope="x[:, None][3, 4]")
    for _ in range(3):
        function = cloudpickle.loads(data)
        with pytest.raises(IndexError, match="index 4 is out of bounds"):
            function(X)


def closures(by: Any) -> Any:
    def inner(x: Any) -> Any:
        return by * x

    return inner


class Plain:
    """Something that may change."""


@pytest.mark.parametrize("by", [[2], {1: 2}, Plain(), np.ones(2), (1, [2]), (1, Plain)])
def test_what_may_change_has_no_content(by: Any) -> None:
    assert content_of(closures(by)) is None


def test_contents() -> None:
    values = [
        2,
        2.0,
        True,
        "2",
        None,
        (2,),
        (2.0,),
        np.float32(2),
        np.float64(2),
        np,
        np.sin,
        Plain,
    ]
    values += [np.dtype("f4"), np.dtype("f8"), np.median, len, closures, 0.0, -0.0]
    contents = [content_of(closures(value)) for value in values]
    assert None not in contents
    assert len(set(contents)) == len(values)
    assert contents == [content_of(closures(value)) for value in values]


def test_functions_that_bind_names_around_them_have_none() -> None:
    count = 0

    def counts() -> None:
        nonlocal count
        count += 1

    def has_attributes() -> None:
        pass

    has_attributes.calls = 0  # type: ignore[attr-defined]

    def collects(x: Any, found: Any = []) -> None:  # noqa: B006 - which it changes
        found.append(x)

    def collects_too(x: Any, *, found: Any = []) -> None:  # noqa: B006
        found.append(x)

    for function in (counts, has_attributes, collects, collects_too):
        assert content_of(function) is None

    def unbound() -> Any:
        return later

    assert content_of(unbound) is None
    later = 1


def test_functions_that_call_each_other() -> None:
    def pair(by: int) -> Any:
        def even(n: int) -> Any:
            return n == 0 or odd(n - by)

        def odd(n: int) -> Any:
            return n != 0 and even(n - by)

        return even

    # They are in cells, and their names in the module of the test: seen as somebody else's.
    one, two, three = pair(1), pair(1), pair(2)
    assert content_of(one) == content_of(two) != content_of(three)


RECURSIVE = """
import numpy as np

def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)

@compile
def f(x):
    return np.sum(x) * factorial(4) if len(x) < 2 else f(x[:1]) + np.sum(x)
"""

COMPANIONS = """
import numpy as np

class Counter:
    def add(self, v):
        global N
        N = N + v

N = 0

def configure(value):
    global N
    N = value

@compile
def f(x):
    Counter().add(len(x))
    return np.sum(x) + N

@compile
def g(x):
    return np.sum(x) + N
"""


def script(text: str, *wanted: str) -> bytes:
    """Functions of a script, in one pickle."""
    linecache.cache[FILE] = (1, None, text.splitlines(keepends=True), FILE)
    names: dict[str, Any] = {"compile": npc.compile, "__name__": "__main__"}
    exec(compile(text, FILE, "exec"), names)
    return cloudpickle.dumps([names[name] for name in wanted])  # type: ignore[no-any-return]


def test_functions_may_call_themselves() -> None:
    data = script(RECURSIVE, "f")
    for _ in range(3):
        (function,) = cloudpickle.loads(data)
        assert function(np.ones(3)) == 27.0


def test_a_class_that_came_along_may_bind_names() -> None:
    data = script(COMPANIONS, "f")
    for _ in range(3):
        (function,) = cloudpickle.loads(data)
        assert [function(np.ones(2)), function(np.ones(2))] == [4.0, 6.0]


def test_a_companion_may_bind_names() -> None:
    data = script(COMPANIONS, "g", "configure")
    for value in (50, 70):
        function, configure = cloudpickle.loads(data)
        assert function(np.ones(2)) == 2.0
        configure(value)
        assert function(np.ones(2)) == 2.0 + value
        assert function(np.ones(2)) == 2.0 + value


def test_each_warns_once() -> None:
    text = "import warnings\n@compile\ndef f(x):\n    warnings.warn('so')\n    return x\n"
    data = script(text, "f")
    for _ in range(3):
        (function,) = cloudpickle.loads(data)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            function(1)
            function(1)
        assert len(caught) == 1


def test_scalars_with_fields_and_large_constants_have_no_content() -> None:
    record = np.zeros(1, [("a", "f8")])[0]
    for value in (record, np.dtype(("f8", (3,))), "x" * 200_000, tuple(range(2000))):
        assert content_of(closures(value)) is None
