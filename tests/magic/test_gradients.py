"""``%%npcompile --grad``: gradients of cells."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from jupyter_npcompile.api import last_report
from jupyter_npcompile.graph.gradients import GradientReport
from jupyter_npcompile.magic.options import CellOptions, OptionError
from jupyter_npcompile.runtime.device.standin import standin
from tests.magic.test_magic import Shell


@pytest.fixture
def shell() -> Iterator[Shell]:
    made = Shell()
    rng = np.random.default_rng(0)
    made.ip.user_ns.update(x=rng.normal(size=(6, 3)), y=rng.normal(size=6))
    made.ip.user_ns.update(w=np.array([1.0, -2.0, 0.5]), b=np.float32(0.25))
    yield made
    made.ip.run_line_magic("unload_ext", "jupyter_npcompile")


LOSS = """
prediction = x @ w + b
print("loss", float(np.mean((prediction - y) ** 2)))
loss = np.mean((prediction - y) ** 2)
"""


def expected(ns: dict[str, object]) -> tuple[np.ndarray, float]:
    x, y, w, b = (np.asarray(ns[name], float) for name in "xywb")
    rest = x @ w + b - y
    return 2 * x.T @ rest / 6, float(2 * rest.mean())


def test_grads_are_bound_and_shown(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    w, b = shell.ip.user_ns["w"], shell.ip.user_ns["b"]
    assert shell.run("%%npcompile --grad loss --wrt w,b" + LOSS) is None
    grads = shell.ip.user_ns["grads"]
    dw, db = expected(shell.ip.user_ns)
    np.testing.assert_allclose(grads["w"], dw)
    np.testing.assert_allclose(grads["b"], db, rtol=1e-5)
    assert list(grads) == ["w", "b"]
    assert grads["w"].dtype == np.float64
    assert grads["b"].dtype == np.float32
    assert shell.ip.user_ns["w"] is w
    assert shell.ip.user_ns["b"] is b
    assert capsys.readouterr().out.count("loss") == 1
    (bundle,) = shell.shown
    assert "gradient of loss" in str(bundle["text/plain"])
    assert "<svg" in str(bundle["text/html"])
    assert not [name for name in shell.ip.user_ns if name.startswith("__npcompile")]


def test_in_place_writes_reach_the_variable(shell: Shell) -> None:
    w = shell.ip.user_ns["w"]
    before = w.copy()
    assert shell.run("%%npcompile --grad s --wrt w\ns = np.sum(w ** 2)\nw -= 0.5") is None
    assert shell.ip.user_ns["w"] is w
    np.testing.assert_array_equal(w, before - 0.5)
    np.testing.assert_allclose(shell.ip.user_ns["grads"]["w"], 2 * before)


def test_variables_that_the_cell_binds_and_patterns(shell: Shell) -> None:
    cell = "%%npcompile --grad s --wrt u*\nu1 = np.ones(2)\nu2 = 3.0\ns = np.sum(u1 * u2)\ns"
    assert shell.run(cell) is None
    grads = shell.ip.user_ns["grads"]
    np.testing.assert_allclose(grads["u1"], [3.0, 3.0])
    assert grads["u2"] == 2.0


def test_several_outputs(shell: Shell) -> None:
    cell = "%%npcompile --grad s,t --wrt w\ns = np.sum(w)\nt = np.sum(w ** 2)"
    assert shell.run(cell) is None
    grads = shell.ip.user_ns["grads"]
    np.testing.assert_allclose(grads["s"]["w"], np.ones(3))
    np.testing.assert_allclose(grads["t"]["w"], 2 * shell.ip.user_ns["w"])


def test_what_is_no_scalar_asks_for_a_seed(shell: Shell) -> None:
    error = shell.run("%%npcompile --grad v --wrt w\nv = w ** 2")
    assert "--seed" in str(error)
    assert shell.ip.user_ns["w"].flags.writeable
    assert shell.run("%%npcompile --grad v --wrt w --seed np.arange(3.0)\nv = w ** 2") is None
    np.testing.assert_allclose(
        shell.ip.user_ns["grads"]["w"], 2 * shell.ip.user_ns["w"] * np.arange(3.0)
    )


def test_a_failing_cell_leaves_the_names(shell: Shell) -> None:
    w = shell.ip.user_ns["w"]
    error = shell.run("%%npcompile --grad s --wrt w\ns = np.sum(w) + missing")
    assert isinstance(error, NameError)
    assert shell.ip.user_ns["w"] is w
    assert "grads" not in shell.ip.user_ns


def test_a_cut_gradient_is_an_error_with_its_place(shell: Shell) -> None:
    error = shell.run("%%npcompile --grad s --wrt w\ns = np.sum(w) * int(w[0])")
    assert type(error).__name__ == "GradientError"
    assert (error.line, error.column) == (2, 16)  # type: ignore[union-attr]


def test_functions_of_other_cells_are_followed(shell: Shell) -> None:
    assert shell.run("def model(v):\n    return [np.tanh(a) for a in v]") is None
    assert shell.run("%%npcompile --grad s --wrt w\ns = sum(model(w))") is None
    np.testing.assert_allclose(
        shell.ip.user_ns["grads"]["w"], 1 - np.tanh(shell.ip.user_ns["w"]) ** 2
    )


def test_the_last_expression_is_displayed(shell: Shell) -> None:
    result = shell.ip.run_cell("%%npcompile --grad s --wrt w --quiet\ns = np.sum(w)\ns + 1")
    assert result.result == np.sum(shell.ip.user_ns["w"]) + 1


def test_integers_are_refused(shell: Shell) -> None:
    shell.ip.user_ns["n"] = np.arange(3)
    assert isinstance(shell.run("%%npcompile --grad s --wrt n\ns = np.sum(n * 2.0)"), TypeError)


@pytest.mark.parametrize("line", ["--wrt w", "--grad", "--grad s --check"])
def test_options_that_do_not_fit(line: str) -> None:
    with pytest.raises(OptionError):
        CellOptions.parse(line)


def test_functions_that_the_cell_defines_are_followed_and_outlive_it(shell: Shell) -> None:
    cell = """%%npcompile --grad s --wrt w
def square(v):
    return v * v
double = lambda v, k=w[0]: 2 * v * k
s = np.sum(square(w)) + np.sum(double(w))"""
    assert shell.run(cell) is None
    w = shell.ip.user_ns["w"]
    expected = 2 * w + 2 * w[0]
    expected[0] += 2 * np.sum(w)
    np.testing.assert_allclose(shell.ip.user_ns["grads"]["w"], expected)
    assert shell.run("later = square(3.0) + double(1.0)") is None
    assert shell.ip.user_ns["later"] == 9.0 + 2 * w[0]


def verdict(shell: Shell) -> str:
    """What the view of the last cell says of the check."""
    (bundle,) = shell.shown
    text = str(bundle["text/plain"])
    return next(word for word in ("agrees", "unchecked", "inconclusive") if word in text)


@pytest.mark.parametrize(
    "cell",
    [
        LOSS,
        "\nloss = np.sum(w ** 2)\nw -= 0.5",
        "\nu = w * 1.0\nfor k in range(3):\n    u[1:] += u[:-1] * k\nloss = np.sum(u ** 2)",
        "\ndef f(v):\n    return np.sum(np.sin(v))\nloss = f(w) + b",
        "\nrng = np.random.default_rng(3)\nloss = np.sum(w * rng.normal(size=3))",
        "\nimport jupyter_npcompile as npc\nloss = np.sum(w * npc.stop_gradient(w))",
    ],
)
def test_one_directional_derivative_is_checked(shell: Shell, cell: str) -> None:
    shell.ip.user_ns["b"] = 0.25
    w, before = shell.ip.user_ns["w"], shell.ip.user_ns["w"].copy()
    assert shell.run(f"%%npcompile --grad loss --wrt w,b,u{cell}") is None
    assert verdict(shell) == "agrees"
    assert shell.ip.user_ns["w"] is w
    if "w -=" not in cell:
        np.testing.assert_array_equal(w, before)
    assert not [name for name in shell.ip.user_ns if name.startswith("__npcompile")]


def test_variables_that_the_cell_binds_are_checked_too(shell: Shell) -> None:
    cell = "u = np.ones(2)\nv, k = 3.0, 4.0\nv = v * 2.0\nloss = np.sum(u) * v * k"
    assert shell.run(f"%%npcompile --grad loss --wrt u,v,k\n{cell}") is None
    assert verdict(shell) == "agrees"
    assert shell.ip.user_ns["grads"]["v"] == 16.0


@pytest.mark.parametrize(
    ("text", "reason"),
    [("str(float(w[0]))", "makes text of numbers"), ("f'{float(w[0])}'", "makes text of numbers")],
)
def test_what_is_lost_in_a_cell_is_an_error(shell: Shell, text: str, reason: str) -> None:
    cell = f"%%npcompile --grad loss --wrt w\nloss = np.sum(w) * float({text})"
    assert reason in str(shell.run(cell))


@pytest.mark.parametrize(
    "line",
    [
        "import json, io; json.dump([1], sink)",
        "seen.append(1)",
        "holder.value = 1",
    ],
)
def test_cells_with_effects_are_not_run_again(shell: Shell, line: str) -> None:
    import io
    import types

    sink, seen = io.StringIO(), list[int]()
    shell.ip.user_ns.update(sink=sink, seen=seen, holder=types.SimpleNamespace())
    assert shell.run(f"%%npcompile --grad loss --wrt w\n{line}\nloss = np.sum(w ** 2)") is None
    assert verdict(shell) == "unchecked"
    assert sink.getvalue() in ("", "[1]")
    assert len(seen) <= 1


def test_a_device_computes_them(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    assert shell.run("%%npcompile --grad loss --wrt w,b --device standin" + LOSS) is None
    dw, db = expected(shell.ip.user_ns)
    np.testing.assert_allclose(shell.ip.user_ns["grads"]["w"], dw)
    np.testing.assert_allclose(shell.ip.user_ns["grads"]["b"], db, rtol=1e-5)
    (bundle,) = shell.shown
    assert "computed on standin: " in str(bundle["text/plain"])
    assert "28 B back" in str(bundle["text/plain"])
    assert "computed on standin: " in str(bundle["text/html"])


def test_what_does_not_fit_on_a_device_is_said(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(standin, "memory", 200)
    assert shell.run("%%npcompile --grad loss --wrt w,b --device standin" + LOSS) is None
    np.testing.assert_allclose(shell.ip.user_ns["grads"]["w"], expected(shell.ip.user_ns)[0])
    (bundle,) = shell.shown
    assert "the CPU computes derivatives: it needs " in str(bundle["text/plain"])


def test_the_graph_has_a_way_back(shell: Shell) -> None:
    cell = "%%npcompile --grad loss --wrt w,b --quiet\nh = np.tanh(x @ w + b)\nh[1:3] *= 2.0\n"
    assert shell.run(cell + "loss = np.mean((h - y) ** 2)") is None
    report = last_report()
    assert report is not None
    assert report.summary == "3 of 3 lines captured · no break points · tape, cpu"
    (numpy,), (forward,), (backward,) = (
        report.graph.level(level) for level in ("numpy", "aten", "backward")
    )
    assert [output.name for output in numpy.outputs] == ["loss"]
    assert {node.name for node in numpy.inputs} == {"x", "y", "w", "b"}
    assert "aten.tanh.default" in {node.op for node in forward.nodes}
    assert [output.name for output in backward.outputs] == ["d loss / d w", "d loss / d b"]
    shapes = [backward.by_id()[output.value.id].type.shape for output in backward.outputs]
    assert shapes == [(3,), ()]
    # Each operation of the way back stands at the line whose derivative it is.
    (tanh,) = (node for node in backward.nodes if node.op == "aten.tanh_backward.default")
    assert tanh.position.line == 2
    # What it takes of the way forward is an output there, under the same name.
    saved = {node.name for node in backward.inputs} - {"x", "y", "w", "b"}
    assert saved <= {output.name for output in forward.outputs}
    assert "d loss / d w" in str(report)


def test_what_cannot_be_lowered_is_said(shell: Shell) -> None:
    cell = (
        "%%npcompile --grad loss --wrt w --quiet\nr, v = np.linalg.eig(np.outer(w, w) + np.eye(3))"
    )
    assert shell.run(cell + "\nloss = np.sum(r.real)") is None
    report = last_report()
    assert report is not None
    assert report.graph.backward == ()
    assert "not lowered" in report.regions[0].note
    assert "linalg.eig" in report.graph.to_text()


def test_helper_functions_stand_where_the_cell_calls_them(shell: Shell) -> None:
    shell.run(
        "# one\n# two\ndef inner(v):\n    return v * v\ndef outer(v):\n    return inner(v) + 1"
    )
    assert shell.run("%%npcompile --grad s --wrt w\nh = outer(w)\nk = 3\n\ns = np.sum(h)") is None
    report = last_report()
    assert report is not None
    assert [(node.position.line, node.scope) for node in report.graph.numpy[0].nodes] == [
        (2, "outer/inner"), (2, "outer"), (5, "")
    ]  # fmt: skip
    assert [(line.line, line.status) for line in report.lines] == [
        (2, "compiled"), (3, "python"), (5, "compiled")
    ]  # fmt: skip
    assert report.gradients is not None
    assert [node.position.line for node in report.gradients.nodes] == [2, 2, 5]


LONG = """
u, total = np.array(w), 0.0
for step in range(90):
    u = u * 0.9
    if step == {at}:
        u = u * {factor}
    total = total + np.sum(np.sqrt(u * u))
loss = total
"""


def looked_at() -> GradientReport:
    report = last_report()
    assert report is not None
    assert report.gradients is not None
    return report.gradients


def test_a_gradient_that_breaks_early_in_a_long_loop_is_found(shell: Shell) -> None:
    # All of u is zero from run 6 on: what the root hands back there is infinite.
    with np.errstate(all="ignore"):
        shell.run("%%npcompile --grad loss --wrt w" + LONG.format(at=5, factor=0.0))
    report = looked_at()
    first = report.nonfinite
    assert first is not None
    assert (first.op, first.position.line, first.in_value) == ("numpy.multiply", 7, False)
    assert first.run == 90
    roots = [node for node in report.nodes if node.op == "numpy.sqrt"]
    assert [(node.times, node.finite_value) for node in roots] == [(90, True)]


def test_a_value_that_breaks_early_in_a_long_loop_is_found(shell: Shell) -> None:
    with np.errstate(all="ignore"):
        shell.run("%%npcompile --grad loss --wrt w" + LONG.format(at=5, factor="np.inf"))
    first = looked_at().nonfinite
    assert first is not None
    assert (first.op, first.position.line, first.in_value) == ("numpy.multiply", 6, True)
    assert first.run == 0
    (bundle,) = shell.shown
    assert "first in the result of numpy.multiply, line 6" in str(bundle["text/plain"])


def test_operations_of_a_loop_stand_once_with_the_range_of_their_norms(shell: Shell) -> None:
    shell.run("%%npcompile --grad loss --wrt w" + LONG.format(at=-1, factor=1))
    ones = [n for n in looked_at().nodes if n.position.line == 4]
    assert [(node.op, node.times) for node in ones] == [("numpy.multiply", 90)]
    sums = np.cumsum(0.9 ** np.arange(90))  # what comes back to u of each run, backwards
    assert ones[0].norm == pytest.approx(np.sqrt(3) * sums[-1])
    assert ones[0].least == pytest.approx(np.sqrt(3) * sums[0])
    (bundle,) = shell.shown
    assert "numpy.multiply \N{MULTIPLICATION SIGN}90" in str(bundle["text/html"])
