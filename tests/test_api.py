"""The public functions."""

from __future__ import annotations

import functools
import inspect
import math
import pickle
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.runtime import history
from tests.support.loops.native_loops import define


@pytest.fixture(autouse=True)
def _forced(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(npc.settings, "tier", "aten")
    monkeypatch.setattr(npc.settings, "first_run_check", "raise")
    before = npc.stats()
    yield
    after = npc.stats()
    assert after["replaced"] == before["replaced"]


@npc.compile
def poly(x: Any, *coefficients: float, scale: float = 1.0) -> Any:
    """Evaluate a polynomial."""
    total = np.zeros_like(x)
    for c in coefficients:
        total = total * x + c
    return scale * total


def broken_up(x: Any, y: Any) -> Any:
    a, b = x.real, y.real
    npc.graph_break()
    return np.add(a, 1), np.add(b, 1)


def test_compile_keeps_what_a_function_is() -> None:
    x = np.linspace(0, 1, 5)
    assert np.allclose(poly(x, 1.0, 2.0, scale=3.0), 3 * (x + 2))
    assert poly.__doc__ == "Evaluate a polynomial."
    assert list(inspect.signature(poly).parameters) == ["x", "coefficients", "scale"]
    assert "total * x + c" in inspect.getsource(poly)
    assert pickle.loads(pickle.dumps(poly)) is poly
    assert poly.__wrapped__ is not poly  # type: ignore[attr-defined]


def test_compile_with_arguments_and_of_compiled_functions() -> None:
    @npc.compile(ahead=True)
    def double(x: Any) -> Any:
        return x * 2

    again = npc.compile(double)
    assert again(np.ones(2)).tolist() == double(np.ones(2)).tolist() == [2, 2]


def test_compile_refuses_what_cannot_be_called() -> None:
    with pytest.raises(TypeError, match="can be called"):
        npc.compile(3)  # type: ignore[call-overload]


def test_compile_knows_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    with pytest.raises(ValueError, match="no CUDA device"):
        npc.compile(poly, device="cuda")
    with pytest.raises(ValueError, match="not known"):
        npc.compile(poly, device="tpu")


def test_a_break_on_purpose_gives_two_segments() -> None:
    x, y = np.arange(3.0), np.arange(2.0)
    report = npc.explain(broken_up, x, y)
    assert [region.segments for region in report.regions] == [2]
    (point,) = report.breaks
    assert (point.kind, report.source.splitlines()[point.line - report.first_line].strip()) == (
        "explicit",
        "npc.graph_break()",
    )
    assert point.column == 4
    compiled = npc.compile(broken_up)
    for result, expected in zip(compiled(x, y), broken_up(x, y), strict=True):
        assert type(result) is np.ndarray
        assert result.tolist() == expected.tolist()


def test_explain_leaves_its_arguments_alone(capsys: pytest.CaptureFixture[str]) -> None:
    def fill(x: Any) -> None:
        print("filling")
        x[:] = 7

    x = np.zeros(3)
    report = npc.explain(fill, x)
    assert x.tolist() == [0, 0, 0]
    assert capsys.readouterr().out == ""
    assert "compiled" in [line.status for line in report.lines]


def test_explain_raises_what_the_function_raises() -> None:
    with pytest.raises(ValueError, match="mismatch"):
        npc.explain(lambda x: x @ np.ones(4), np.ones(3))


NAMESPACE: dict[str, Any] = {"np": np}
exec("def no_source(x):\n    return np.sqrt(x) + 1", NAMESPACE)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (np.add, (np.ones(3), 2)),
        (np.add.reduce, (np.ones(3),)),
        (np.fft.fft, (np.arange(4.0),)),
        (np.linalg.norm, (np.arange(4.0),)),
        (NAMESPACE["no_source"], (np.arange(4.0),)),
        (lambda x: x * 2 + 1, (np.ones(3),)),
        (functools.partial(np.sum, axis=0), (np.ones((2, 3)),)),
        (len, ([1, 2],)),
        (math.sqrt, (2.0,)),
        (sorted, ([2, 1],)),
        (np.ones(3).sum, ()),
        (dict, ([("a", 1)],)),
    ],
)
def test_any_callable_can_be_compiled_and_explained(function: Any, args: Any) -> None:
    compiled = npc.compile(function)
    assert np.array_equal(compiled(*args), function(*args))
    report = npc.explain(function, *args)
    assert len(report.lines) >= 1
    assert report.to_dict()["schema"] == 1


def drawn_out(x: Any) -> Iterator[Any]:
    yield np.sin(x) * 2


def kept(x: Any) -> Any:
    global _KEPT
    _KEPT = np.sin(x)
    return _KEPT


exec("def loud(x):\n    print(x.sum())\n    return np.sqrt(x) + 1", NAMESPACE)


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (drawn_out, "`drawn_out` does not run when it is called"),
        (kept, "`kept` is not traced: global or nonlocal"),
        (NAMESPACE["loud"], "`loud` has no source and uses `print`"),
    ],
)
def test_a_callable_that_cannot_be_traced_says_why(function: Any, reason: str) -> None:
    report = npc.explain(function, np.arange(3.0))
    (line,), (point,) = report.lines, report.breaks
    assert line.status == "host"
    assert (point.reason, point.hint) == (reason, "")
    assert "0 of 1 line compiled" in report.summary


def test_a_callable_without_numpy_has_nothing_to_compile() -> None:
    for function in (len, sorted):
        assert "nothing to compile" in npc.explain(function, [1, 2]).summary


PUBLIC = {
    name: found
    for name in npc.__all__
    if inspect.isfunction(found := getattr(npc, name)) or inspect.isbuiltin(found)
}


@pytest.mark.parametrize("name", PUBLIC)
def test_public_functions_say_what_they_take_and_give(name: str) -> None:
    """In numpydoc's sections; the examples are doctests."""
    text = inspect.getdoc(PUBLIC[name]) or ""
    signature = inspect.signature(PUBLIC[name])
    for parameter in signature.parameters:
        assert re.search(rf"^\W*(\w+, \W*)*{parameter}\b", text, re.MULTILINE), parameter
    sections = {
        *({"Parameters"} if signature.parameters else ()),
        *({"Returns"} if signature.return_annotation not in (None, "None") else ()),
        *(() if name.endswith("ipython_extension") else {"Examples"}),
    }
    assert {word for word in sections if f"\n{word}\n---" not in text} == set()


def test_last_report_is_of_what_ran_last() -> None:
    history._last.clear()
    assert npc.last_report() is None
    poly(np.ones(2), 1.0)
    report = npc.last_report()
    assert report is not None
    assert "Evaluate a polynomial." in report.source


def test_reports_survive_json() -> None:
    report = npc.explain(broken_up, np.ones(2), np.ones(2))
    data = report.to_dict()
    assert npc.Report.from_dict(data).to_dict() == data


def test_graphs_have_text_json_and_dot() -> None:
    graph = npc.explain(broken_up, np.ones(2), np.ones(2)).graph
    assert "add(a, 1)" in graph.to_text()
    assert "aten.add.Tensor" in graph.to_text("aten")
    assert graph.to_dot().startswith("digraph") or "digraph" in graph.to_dot()
    assert '"segments"' in graph.to_json()
    with pytest.raises(ValueError, match="'numpy', 'aten', 'backward', 'kernels'"):
        graph.to_text("assembly")


def test_settings_are_checked() -> None:
    with pytest.raises(ValueError, match="'auto'"):
        npc.settings.tier = "fast"  # type: ignore[assignment]
    with pytest.raises(AttributeError, match="settings are"):
        npc.settings.speed = 3  # type: ignore[attr-defined]


def test_lambda_without_source() -> None:
    """Its name is no identifier, so the report calls it something else."""
    function = eval("lambda v: v * 2 + 1", {})
    assert npc.compare(function, np.ones(3)).equal
    assert npc.explain(function, np.ones(3)).lines[0].source == "function(*args, **kwargs)"


def test_work_on_locals_of_a_function_is_seen() -> None:
    def smooth(a: np.ndarray) -> np.ndarray:
        b = a * 2
        print("sum", b.sum())
        c = b + 1
        print(str(c[1:] - 1))
        return c

    report = npc.explain(smooth, np.arange(4.0))
    first = smooth.__code__.co_firstlineno
    assert [point.line - first for point in report.breaks] == [2]
    assert {line.line - first for line in report.lines if line.status == "host"} == {2, 4}


def test_what_to_do_about_int_of_a_float() -> None:
    def counted(a: np.ndarray) -> np.ndarray:
        n = int(a.max())
        return a + n

    def followed(hint: np.ndarray) -> np.ndarray:
        n = hint.max().astype(int)
        return hint + n

    (point,) = npc.explain(counted, np.arange(4.0)).breaks
    assert "`.astype(int)`" in point.hint
    assert npc.explain(followed, np.arange(4.0)).breaks == ()


@pytest.mark.parametrize("terms", [200, 600, 900])
def test_a_function_that_is_nested_too_deeply_is_no_error(terms: int) -> None:
    text = f"def f(x):\n    y = x{' + x' * terms}\n    return y - x\n"
    made = npc.compile(define(text))
    np.testing.assert_array_equal(made(np.ones(3)), np.full(3, float(terms)))
