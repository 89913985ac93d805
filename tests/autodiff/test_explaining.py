"""The report of a gradient of a function: what computes it, at the lines it comes from."""

from __future__ import annotations

import linecache
from collections.abc import Iterator

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.graph.outline import outline
from jupyter_npcompile.runtime import history
from tests.magic.test_magic import Shell


def loss(w: np.ndarray, x: np.ndarray) -> float:
    hidden = np.tanh(x * w)
    print("computed")
    w *= 2
    return np.mean(hidden**2)


FIRST = loss.__code__.co_firstlineno


def test_it_has_the_way_back(capsys: pytest.CaptureFixture[str]) -> None:
    w = np.ones(3)
    report = npc.explain(npc.grad(loss), w, np.arange(3.0))
    assert capsys.readouterr().out == ""
    assert (w == 1).all()
    (numpy,), (backward,) = report.graph.numpy, report.graph.backward
    assert [node.name for node in numpy.inputs] == ["w", "x"]
    assert [output.name for output in backward.outputs] == ["d loss / d w"]
    lines = {node.position.line - FIRST for node in backward.nodes} - {-FIRST}
    assert lines <= {1, 4}
    assert {line.line - FIRST: line.status for line in report.lines} == {
        0: "python", 1: "compiled", 2: "python", 3: "python", 4: "compiled"
    }  # fmt: skip
    assert report.lines[1].source.strip() == "hidden = np.tanh(x * w)"
    assert [level["key"] for level in outline(report)["levels"]] == ["numpy", "aten", "backward"]


def test_nested_arguments_and_functions_without_a_text() -> None:
    made = eval("lambda p, k=2: np.sum(p[0] * p[1]) * k", {"np": np})
    report = npc.explain(npc.value_and_grad(made), [np.ones(3), np.arange(3.0)])
    (backward,) = report.graph.backward
    names = [output.name for output in backward.outputs]
    assert names == ["d value / d p[0]", "d value / d p[1]"]
    assert report.source == ""


def test_a_text_that_has_only_its_name_is_not_that_of_a_function(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """``python -c`` of Python 3.13 keeps its text by the name that `eval` gives, too."""
    text = "import sys\n"
    monkeypatch.setitem(linecache.cache, "<string>", (len(text), None, [text], "<string>"))
    made = eval("lambda x: np.sum(x * x)", {"np": np})
    assert npc.explain(npc.grad(made), np.ones(3)).source == ""


def test_a_value_that_depends_on_nothing_is_refused() -> None:
    with pytest.raises(npc.GradientError, match="depends on no argument"):
        npc.explain(npc.grad(lambda x: 1.0), 2.0)
    with pytest.raises(npc.GradientError, match="no graph"):
        npc.explain(npc.grad(npc.grad(lambda x: x**2)), 2.0)


@pytest.fixture
def shell() -> Iterator[Shell]:
    made = Shell()
    yield made
    made.ip.run_line_magic("unload_ext", "jupyter_npcompile")
    history.remember(None)


def test_the_graph_is_that_of_what_was_explained(
    shell: Shell, capsys: pytest.CaptureFixture[str]
) -> None:
    history.remember(None)
    npc.explain(npc.grad(loss), np.ones(3), np.arange(3.0))
    shell.ip.run_line_magic("npcompile", "graph")
    assert "tanh" in capsys.readouterr().out
    assert npc.last_report() is None
    npc.compile(np.cos)(np.ones(3))
    shell.ip.run_line_magic("npcompile", "graph")
    shown = capsys.readouterr().out
    assert "cos" in shown
    assert "tanh" not in shown
