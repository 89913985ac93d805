"""``%npcompile grad`` after ``grad(f)(x)``: the view of a function's gradient."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.autodiff import call_norms, latest
from jupyter_npcompile.autodiff.function_reports import report_of_call
from tests.magic.test_magic import Shell


@pytest.fixture
def shell() -> Iterator[Shell]:
    made = Shell()
    made.ip.user_ns.update(npc=npc, x=np.arange(6.0).reshape(2, 3), w=np.array([3.0, 0.0, 4.0]))
    made.run(LOSS)
    yield made
    made.ip.run_line_magic("unload_ext", "jupyter_npcompile")


LOSS = """calls = []
def loss(w, rate=1.0):
    print("called")
    hidden = np.tanh(w)
    return np.sum(hidden * w) * rate
def counted(w):
    calls.append(1)
    return np.sum(w * w)
"""


def shown(shell: Shell, capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    shell.ip.run_line_magic("npcompile", "grad")
    return capsys.readouterr().out


def test_the_function_that_was_called_is_shown(
    shell: Shell, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shell.run("g = npc.grad(loss)(w, rate=2.0)") is None
    text = shown(shell, capsys)
    assert "called" not in text
    norm = np.linalg.norm(shell.ip.user_ns["g"])
    assert f"w  float64[3]  norm {norm:.4g}, " in text
    assert text.startswith("gradient of loss · check against NumPy: agrees\n")
    assert "computed once more for this view" in text
    assert shell.run("w[:] = 1.0") is None  # the view has the values of now
    slope = np.tanh(1.0) + 1 - np.tanh(1.0) ** 2
    assert f"norm {2 * np.sqrt(3) * slope:.4g}, " in shown(shell, capsys)


def test_the_way_along_the_lines_and_the_parts_of_arguments(shell: Shell) -> None:
    made = "npc.value_and_grad(lambda p: np.sum(np.exp(p['a'] * p['b'][0])))"
    assert shell.run(made + "({'a': w, 'b': [2.0]})") is None
    call = latest.last()
    assert call is not None
    report = report_of_call(call)
    assert [(one.output, one.name) for one in report.variables] == [
        ("value", "p['a']"), ("value", "p['b'][0]")
    ]  # fmt: skip
    assert [node.op for node in report.nodes] == ["numpy.multiply", "numpy.exp", "numpy.sum"]
    (exp,) = (node for node in report.nodes if node.op == "numpy.exp")
    assert exp.norm == pytest.approx(np.sqrt(3))


def test_the_last_of_cell_and_function_is_shown(
    shell: Shell, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shell.run("%%npcompile --grad s --wrt w --quiet\ns = np.sum(w * w)") is None
    assert "gradient of s " in shown(shell, capsys)
    shell.run("npc.grad(loss)(w)")
    assert "gradient of loss " in shown(shell, capsys)
    assert shell.run("%%npcompile --grad s --wrt w --quiet\ns = np.sum(w * w)") is None
    assert "gradient of s " in shown(shell, capsys)


def test_what_does_more_than_compute_runs_again_only_when_asked(
    shell: Shell, capsys: pytest.CaptureFixture[str]
) -> None:
    calls = shell.ip.user_ns["calls"]
    assert shell.run("npc.grad(counted)(w)") is None
    assert len(calls) == 1
    text = shown(shell, capsys)
    assert "counted is not run again" in text
    assert "npc.explain(npc.grad(counted), ...)" in text
    assert len(calls) == 1
    assert shell.run("npc.explain(npc.grad(counted), w)") is None
    assert "norm 10, " in shown(shell, capsys)
    assert len(calls) >= 2


def test_random_numbers_are_as_if_nobody_had_looked(
    shell: Shell, capsys: pytest.CaptureFixture[str]
) -> None:
    shell.run("rng = np.random.default_rng(0)\ndef noisy(w):\n    return np.sum(w * rng.random(3))")
    shell.run("npc.grad(noisy)(w)")
    rng = shell.ip.user_ns["rng"]
    before = rng.bit_generator.state
    assert "gradient of noisy" in shown(shell, capsys)
    assert rng.bit_generator.state == before


def test_large_arguments_are_not_kept(
    shell: Shell, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(latest, "MOST_BYTES", 100)
    assert shell.run("npc.grad(loss)(np.ones(50))\n%npcompile grad") is None
    assert "gradient of loss" in capsys.readouterr().out  # the cell is not over
    call = latest.last()
    assert call is not None
    assert call.args is None
    assert "the arguments of loss were not kept" in shown(shell, capsys)
    assert shell.run("npc.explain(npc.grad(loss), np.ones(50))") is None
    assert "float64[50]" in shown(shell, capsys)


def test_second_derivatives_sums_and_devices(
    shell: Shell, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shell.run("npc.grad(npc.grad(lambda t: t**3))(2.0)") is None
    assert "norm 12\n" in shown(shell, capsys)
    assert shell.run("npc.elementwise_grad(np.square)(w)") is None
    assert "gradient of sum of square" in shown(shell, capsys)
    assert shell.run("npc.grad(npc.compile(loss, device='standin'))(w)") is None
    assert "computed on standin: " in shown(shell, capsys)


def test_nothing_is_noted_without_the_extension() -> None:
    latest.watch(False)  # a test before may have left it loaded, as a kernel does
    npc.grad(np.sum)(np.ones(2))
    assert latest.last() is None


def test_long_loops_are_looked_at_without_recording_them(
    shell: Shell, capsys: pytest.CaptureFixture[str]
) -> None:
    shell.run(
        "def steps(u):\n    for k in range(1500):\n"
        "        u = u - 0.001 * np.sin(u)\n    return np.sum(u)"
    )
    shell.run("g = npc.grad(steps)(w)")
    norm = np.linalg.norm(shell.ip.user_ns["g"])
    assert f"norm {norm:.4g}, " in shown(shell, capsys)


def history(shell: Shell) -> list[dict[str, float | None]]:
    magics = shell.ip.magics_manager.magics["line"]["npcompile"].__self__
    found = magics.session.gradients.shown()
    assert found is not None
    report, before = found
    return [*before, report.norms()]


@pytest.mark.parametrize("step", ["w = w - 0.1 * g", "w -= 0.1 * g"])
def test_a_training_loop_has_a_history(shell: Shell, step: str) -> None:
    code = "norms = []\nfor k in range(5):\n    g = npc.grad(loss)(w)\n"
    assert shell.run(f"{code}    norms.append(np.linalg.norm(g))\n    {step}") is None
    norms = shell.ip.user_ns["norms"]
    found = [one["loss/w"] for one in history(shell)]
    assert found[:5] == pytest.approx(norms)
    # An array that was written since shows the gradient of now, one step more.
    assert len(found) == (5 if "w = w" in step else 6)
    shell.run("npc.grad(counted)(w)\nnpc.grad(loss)(w)")
    assert len(history(shell)) == 1


def test_arguments_in_another_order_keep_their_names(shell: Shell) -> None:
    shell.run("npc.grad(lambda a, b: np.sum(a) * b * 2, (1, 0))(w, 5.0)")
    (norms,) = history(shell)
    assert norms == pytest.approx({"value/a": 10 * np.sqrt(3), "value/b": 14.0})


def test_of_many_calls_some_are_remembered(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(call_norms, "MOST", 8)
    shell.run("square = lambda t: t * t\nfor t in range(21):\n    npc.grad(square)(float(t))")
    found = [one["value/t"] for one in history(shell)]
    assert found == [0.0, 8.0, 16.0, 24.0, 32.0, 40.0]
    assert "of 21 calls the history shows one in 4" in shown(shell, capsys)


def test_what_jacobian_and_hessian_returned_is_shown(
    shell: Shell, capsys: pytest.CaptureFixture[str]
) -> None:
    shell.run(
        "def pair(w, p):\n    calls.append(1)\n    return np.outer(w, w)[0] * p['k'], w.sum()"
    )
    assert shell.run("J = npc.jacobian(pair, (0, 1))(w, {'k': 2.0})") is None
    calls = list(shell.ip.user_ns["calls"])
    text = shown(shell, capsys)
    assert shell.ip.user_ns["calls"] == calls  # nothing runs again
    (row, _), (total, _) = shell.ip.user_ns["J"]
    assert f"w       float64[3,3]  norm {np.linalg.norm(row):.4g}, " in text
    assert f"w       float64[3]  norm {np.linalg.norm(total):.4g}, " in text
    assert "p['k']  float64[3]" in text
    assert "gradient of pair[0] " in text
    assert "each has the axes of the result, then those of the variable" in text
    assert shell.run("H = npc.hessian(lambda t: np.sum(t**3))(w)") is None
    text = shown(shell, capsys)
    assert "gradient of (d value / d t) " in text
    assert f"t  float64[3,3]  norm {np.linalg.norm(shell.ip.user_ns['H']):.4g}, " in text
    shell.run("npc.grad(loss)(w)")
    assert "gradient of loss " in shown(shell, capsys)


def test_the_report_of_a_jacobian_has_its_arrays(
    shell: Shell, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = shell.ip.user_ns["rng"] = np.random.default_rng(0)
    shell.run("def noisy(w):\n    print('x')\n    return np.cumsum(w) * rng.random(3)")
    before = rng.bit_generator.state
    assert shell.run("r = npc.explain(npc.jacobian(noisy), w)\ng = npc.GradientWidget(r)") is None
    assert "x" not in capsys.readouterr().out
    assert rng.bit_generator.state != before  # explain calls the function itself, as ever
    (one,) = shell.ip.user_ns["r"].gradients.variables
    rng.bit_generator.state = before
    expected = np.tril(np.ones((3, 3))) * rng.random(3)[:, None]
    assert one.gradient.rows == tuple(map(tuple, expected))
    assert shell.ip.user_ns["g"].variables == ("noisy/w",)
    assert "float64[3,3]" in shown(shell, capsys)


def test_a_large_jacobian_is_not_kept(
    shell: Shell, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(latest, "MOST_BYTES", 100)
    assert shell.run("npc.jacobian(np.cumsum)(np.ones(5))\n%npcompile grad") is None
    assert "float64[5,5]" in capsys.readouterr().out
    text = shown(shell, capsys)
    assert "the derivatives of cumsum were not kept" in text
    assert "put %npcompile grad into the cell of the call" in text


@pytest.mark.parametrize(
    "made", ["npc.grad(noisy)", "npc.grad(lambda t: npc.grad(noisy)(t).sum())"]
)
def test_an_error_leaves_random_numbers_as_they_were(shell: Shell, made: str) -> None:
    rng = shell.ip.user_ns["rng"] = np.random.default_rng(0)
    shell.run(
        "def noisy(w):\n    scale = rng.random() + np.random.rand()\n"
        "    if w[0] < 0:\n        raise ValueError('negative')\n    return np.sum(w**3) * scale"
    )
    assert shell.run(f"{made}(w)") is None
    shell.run("w[:] = -1.0")
    before = rng.bit_generator.state, str(np.random.get_state())
    call = latest.last()
    assert call is not None
    with pytest.raises(ValueError, match="negative"):
        report_of_call(call)
    assert (rng.bit_generator.state, str(np.random.get_state())) == before
