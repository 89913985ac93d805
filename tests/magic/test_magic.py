"""The magics: options, errors, what is shown, and switching everything on and off."""

from __future__ import annotations

import ast
import inspect
import threading
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from IPython.core.displaypub import CapturingDisplayPublisher
from IPython.core.interactiveshell import ExecutionInfo, InteractiveShell
from traitlets.config import Config

import jupyter_npcompile as npc
from jupyter_npcompile.graph.prediction import Prediction, Rates
from jupyter_npcompile.magic import session
from jupyter_npcompile.magic.options import CellOptions, OptionError
from jupyter_npcompile.runtime import artifacts, cells, loop_store
from jupyter_npcompile.runtime.compile_worker import CompileWorker
from jupyter_npcompile.runtime.deaths import MOST
from jupyter_npcompile.runtime.worker import Compiler, compiler
from jupyter_npcompile.views import MIME_TYPE
from jupyter_npcompile.views.prediction import prediction_text


class Shell:
    """A fresh IPython with the extension loaded."""

    def __init__(self) -> None:
        config = Config()
        config.HistoryManager.enabled = False
        InteractiveShell.clear_instance()
        self.ip = InteractiveShell.instance(config=config, colors="nocolor")
        self.published = CapturingDisplayPublisher()
        self.ip.display_pub = self.published
        self.ip.run_line_magic("load_ext", "jupyter_npcompile")
        self.ip.user_ns["np"] = np

    def run(self, source: str) -> object:
        """Run a cell; returns the error it raised, or None."""
        self.published.outputs.clear()
        result = self.ip.run_cell(source)
        return result.error_before_exec or result.error_in_exec

    @property
    def shown(self) -> list[dict[str, object]]:
        """MIME bundles shown by the last cell."""
        return [output["data"] for output in self.published.outputs]


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    monkeypatch.setattr(npc.settings, "tier", "aten")
    monkeypatch.setattr(npc.settings, "first_run_check", "raise")
    made = Shell()
    yield made
    made.ip.run_line_magic("unload_ext", "jupyter_npcompile")


def test_loading_starts_no_process_with_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one for segments takes seconds and 400 MB: it starts with the first that needs it."""
    started: list[str] = []
    monkeypatch.setattr(CompileWorker, "start", lambda self, cache: started.append(self.module))
    monkeypatch.setattr(npc.settings, "tier", "auto")
    made = Shell()
    for thread in threading.enumerate():
        if thread.name == "npcompile-start":
            thread.join()
    assert started == [loop_store.worker.module]
    submitted: list[object] = []
    monkeypatch.setattr(Compiler, "submit", lambda self, job, *_: submitted.append(job))
    monkeypatch.setattr(CompileWorker, "is_running", False)
    assert (
        made.run("%%npcompile --quiet\nfor k in range(3):\n    x = np.sin(k) * np.ones(3)") is None
    )
    assert started == [loop_store.worker.module]
    assert made.run("%%npcompile --quiet\nx = np.sin(np.arange(9.0)) * 2") is None
    for thread in threading.enumerate():
        if thread.name == "npcompile-start":
            thread.join()
    assert started == [loop_store.worker.module, artifacts.store.worker.module]
    assert submitted
    made.ip.run_line_magic("unload_ext", "jupyter_npcompile")


def test_what_is_changed_in_place_is_no_new_result(shell: Shell) -> None:
    shell.ip.user_ns["x"] = np.arange(4.0)
    assert shell.run("%%npcompile\nx += 1\ny = x * 2") is None
    report = npc.last_report()
    assert report is not None
    (graph,) = report.graph.numpy
    assert [output.name for output in graph.outputs] == ["y"]
    assert "writes x" in report.graph.to_text()


def test_a_cell_shows_its_summary_in_one_bundle(shell: Shell) -> None:
    assert shell.run("%%npcompile\nx = np.arange(4.0) * 2") is None
    (bundle,) = shell.shown
    assert set(bundle) == {"text/plain", "text/html", MIME_TYPE}
    summary = str(bundle["text/plain"]).splitlines()[0]
    assert summary.startswith("1 of 1 line compiled · no break points · ")
    assert summary.endswith("x NumPy · aten, cpu")
    assert "<script" not in str(bundle["text/html"])


def test_quiet_shows_nothing(shell: Shell) -> None:
    assert shell.run("%%npcompile --quiet\nx = np.arange(4.0) * 2") is None
    assert shell.shown == []
    assert shell.ip.user_ns["x"].tolist() == [0, 2, 4, 6]


def test_the_namespace_holds_nothing_of_ours(shell: Shell) -> None:
    before = set(shell.ip.user_ns)
    shell.run("%%npcompile --quiet\nx = np.ones(3) + 1\ndef f(a):\n    return a * 2")
    new = {name for name in set(shell.ip.user_ns) - before if not name.startswith("_i")}
    assert new - {"_", "__", "___"} == {"x", "f"}


def test_an_unknown_option_names_the_valid_ones(
    shell: Shell, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shell.run("%%npcompile --fast\nx = 1") is not None
    text = "".join(capsys.readouterr())
    assert "--fast" in text
    assert "--device cpu|cuda[:n]|standin, --dtype float64|float32, --ahead, --quiet" in text
    assert "Traceback" not in text
    assert "x" not in shell.ip.user_ns


def test_cuda_without_cuda_leaves_the_namespace_untouched(
    shell: Shell, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    shell.ip.user_ns["x"] = 7
    assert shell.run("%%npcompile --device cuda\nx = 1") is not None
    assert "no CUDA device" in "".join(capsys.readouterr())
    assert shell.ip.user_ns["x"] == 7


def test_a_cell_on_the_stand_in(shell: Shell) -> None:
    assert shell.run("x = np.arange(4.0)") is None
    assert shell.run("%%npcompile --device standin\nx += 1\ny = x * 2") is None
    (bundle,) = shell.shown
    assert str(bundle["text/plain"]).splitlines()[0].endswith(" · standin")
    assert shell.ip.user_ns["x"].tolist() == [1, 2, 3, 4]
    assert shell.ip.user_ns["y"].tolist() == [2, 4, 6, 8]


def test_the_default_device(
    shell: Shell, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(npc.settings, "device", "cpu")
    assert shell.run("%npcompile device") is None
    assert capsys.readouterr().out == "cells run on cpu unless they say something else\n"
    assert shell.run("%npcompile device standin") is None
    assert capsys.readouterr().out == "cells run on standin unless they say something else\n"
    shell.run("%%npcompile\nx = np.ones(3) * 2")
    assert " · standin\n" in str(shell.shown[0]["text/plain"])
    shell.run("%%npcompile --device cpu\nx = np.ones(3) * 2")
    assert " · aten, cpu\n" in str(shell.shown[0]["text/plain"])
    assert shell.run("%npcompile device tpu") is not None
    assert "device 'tpu' is not known" in "".join(capsys.readouterr())
    assert CellOptions.parse("--grad loss").device == "standin"
    assert CellOptions.parse("--grad loss --device cpu").device == "cpu"


def test_what_if(
    shell: Shell, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    shell.run("x = np.arange(1000.0)")
    shell.run("%%npcompile --quiet\ny = np.sqrt(x) + 1")
    assert shell.run("%npcompile whatif cuda") is None
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("what if this ran on cuda? A prediction, not a measurement; rates")
    assert all(len(line) < 115 for line in lines), "a page breaks longer ones in a word"
    assert "8.0 kB there, 8.0 kB back" in lines[2]
    assert lines[2].startswith("line 2: aten now, ")
    assert shell.run("%npcompile whatif tpu") is not None
    assert "'tpu' is not known" in "".join(capsys.readouterr())


def test_a_check_on_the_stand_in(shell: Shell) -> None:
    shell.run("x = np.arange(4.0)")
    assert shell.run("%%npcompile --check --device standin\nx += 1\ny = x * 2") is None
    (bundle,) = shell.shown
    text = str(bundle["text/plain"])
    assert text.startswith("cell: the same as NumPy")
    assert text.splitlines()[0].endswith("2 of 2 lines with NumPy work checked · standin")


def test_an_empty_cell_does_nothing(shell: Shell) -> None:
    assert shell.run("%%npcompile") is None
    assert shell.run("%%npcompile\n\n# only a comment\n") is None
    assert shell.shown == []


def test_a_syntax_error_is_the_normal_one(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    error = shell.run("%%npcompile\nx = 1\ny = = 2")
    assert isinstance(error, SyntaxError)
    assert error.lineno == 3
    assert "SyntaxError" in "".join(capsys.readouterr())


def test_a_failing_line_has_numpys_error_and_its_own_line(
    shell: Shell, capsys: pytest.CaptureFixture[str]
) -> None:
    source = "%%npcompile\na = np.ones(3)\nb = np.ones(4)\nc = a * 2\nd = np.ones(3) @ np.ones(4)"
    error = shell.run(source)
    assert isinstance(error, ValueError)
    traceback = error.__traceback__
    lines = []
    while traceback is not None:
        lines.append((traceback.tb_frame.f_code.co_filename, traceback.tb_lineno))
        traceback = traceback.tb_next
    assert [line for name, line in lines if "jupyter_npcompile" in name] == []
    assert lines[-1][1] == 5
    assert "----> 5" in "".join(capsys.readouterr())
    assert shell.ip.user_ns["c"].tolist() == [2, 2, 2]


def test_run_cell_magic_runs_and_raises(shell: Shell) -> None:
    shell.ip.run_cell_magic("npcompile", "--quiet", "z = np.ones(2) * 3\nz.sum()")
    assert shell.ip.user_ns["z"].tolist() == [3, 3]
    with pytest.raises(ZeroDivisionError):
        shell.ip.run_cell_magic("npcompile", "", "1 / 0")
    with pytest.raises(Exception, match="Valid options"):
        shell.ip.run_cell_magic("npcompile", "--nope", "1")


def test_on_and_off(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    shell.run("%npcompile on")
    shell.run("x = np.ones(3) * 2")
    assert len(shell.shown) == 1
    shell.run("%npcompile off")
    shell.run("x = np.ones(3) * 2")
    assert shell.shown == []
    assert "not compiled from now on" in capsys.readouterr().out


def test_status_says_why_nothing_is_compiled_and_clear_goes_on(
    shell: Shell, capsys: pytest.CaptureFixture[str]
) -> None:
    worker = CompileWorker("nowhere")
    for _ in range(MOST):
        worker._deaths.note("it was killed by signal 9 (Killed)")
    shell.run("%npcompile status")
    said = capsys.readouterr().out
    assert "because it was killed by signal 9 (Killed); it starts again in 5 minutes" in said
    assert "at once after `%npcompile clear`" in said
    shell.run("%npcompile clear")
    capsys.readouterr()
    shell.run("%npcompile status")
    assert "because" not in capsys.readouterr().out


def test_status_clear_and_report(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    shell.run("%%npcompile --quiet\nx = np.arange(5.0) * 3")
    shell.run("%npcompile status")
    assert "tier aten" in capsys.readouterr().out
    shell.run("%npcompile report")
    assert "compiled" in str(shell.shown[0]["text/plain"])
    shell.run("%npcompile clear")
    assert "forgot" in capsys.readouterr().out
    assert npc.stats()["artifacts"] == 0
    shell.run("%npcompile unknown")
    commands = "report, graph, timing, grad, fix, status, clear, cache, device, whatif, on, off"
    assert f"Valid commands: {commands}" in "".join(capsys.readouterr())


def test_the_environment_switches_everything_off(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NPCOMPILE_DISABLE", "1")
    before = npc.stats()["recordings"]
    assert shell.run("%%npcompile\nx = np.ones(3) * 2") is None
    assert shell.shown == []
    assert npc.stats()["recordings"] == before
    assert shell.ip.user_ns["x"].tolist() == [2, 2, 2]


def test_a_fault_of_ours_leaves_the_cell_as_plain_python(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*args: object, **kwargs: object) -> None:
        raise RuntimeError("broken on purpose")

    monkeypatch.setattr("jupyter_npcompile.magic.session.compile_cell", broken)
    assert shell.run("%%npcompile\nx = np.ones(3) * 2") is None
    assert shell.ip.user_ns["x"].tolist() == [2, 2, 2]
    assert "runs as plain Python: RuntimeError: broken on purpose" in capsys.readouterr().out


def test_a_cell_that_runs_again_uses_what_was_compiled(shell: Shell) -> None:
    source = "%%npcompile --quiet\nr = np.linspace(0, 1, 7) ** 3"
    shell.run(source)
    before = npc.stats()
    shell.run(source)
    after = npc.stats()
    assert after["recordings"] == before["recordings"]
    assert after["dispatches"] == before["dispatches"] + 1


def test_statements_are_compared_by_their_text(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tree takes a millisecond to compare, and another to copy."""
    if "transformed_cell" not in inspect.signature(ExecutionInfo).parameters:
        pytest.skip("this IPython does not say what it has parsed")
    source = "%%npcompile --quiet\nb = np.sqrt(a)"
    shell.ip.user_ns["a"] = np.arange(4.0)
    shell.run(source)
    skeletons = []
    monkeypatch.setattr(cells, "clone", lambda tree: skeletons.append(tree))
    monkeypatch.setattr("ast.dump", lambda *args, **kwargs: skeletons.append(args))
    assert shell.run(source) is None
    assert shell.run("%%npcompile --quiet\nb = np.sqrt(a) + 1") is None
    assert not skeletons
    np.testing.assert_array_equal(shell.ip.user_ns["b"], np.sqrt(np.arange(4.0)) + 1)


class Counting(ast.NodeTransformer):
    """Makes each number of a cell larger, by what it is told."""

    step = 1

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        if type(node.value) is float:
            node.value += self.step
        return node


@pytest.mark.parametrize("place", [0, 1])
def test_a_tree_that_others_change_is_compared_and_copied(shell: Shell, place: int) -> None:
    """Before ours, the same text means something else each time; after it, the skeleton changes."""
    others = Counting()
    shell.ip.ast_transformers.insert(place, others)
    try:
        for step in (1, 2, 3):
            others.step = step
            shell.ip.user_ns["a"] = np.arange(4.0)
            assert shell.run("%%npcompile --quiet\nk = [10.0]\nb = a * k[0]") is None
            np.testing.assert_array_equal(shell.ip.user_ns["b"], np.arange(4.0) * (10 + step))
    finally:
        shell.ip.ast_transformers.remove(others)


def test_what_is_read_in_a_cell_is_not_the_cell(shell: Shell) -> None:
    """``%timeit`` and others have trees of their own, and so do cells that run in a cell."""
    shell.ip.user_ns["a"] = np.arange(4.0)
    inner = "%%npcompile --quiet\nc = a + 2"
    shell.ip.user_ns["inner"] = inner
    outer = "%%npcompile --quiet\nb = a + 1\nget_ipython().run_cell(inner)\nd = b + c"
    for _ in range(2):
        assert shell.run(outer) is None
        assert shell.run(inner) is None
        np.testing.assert_array_equal(shell.ip.user_ns["d"], 2 * np.arange(4.0) + 3)


def test_compiled_definitions_look_like_functions(shell: Shell) -> None:
    shell.run('%%npcompile --quiet\ndef scale(x, k=2.0):\n    """Scale it."""\n    return x * k')
    scale = shell.ip.user_ns["scale"]
    assert scale.__wrapped__ is not scale
    assert shell.ip.object_inspect("scale")["docstring"] == "Scale it."
    assert "return x * k" in shell.ip.object_inspect("scale", detail_level=1)["source"]
    assert scale(np.ones(2)).tolist() == [2, 2]


@pytest.mark.parametrize("line", ["--device", "--device=tpu", "--quiet=1", "'unclosed"])
def test_bad_option_lines(line: str) -> None:
    with pytest.raises(OptionError, match=r"npcompile|needs a value"):
        CellOptions.parse(line)


@pytest.mark.slow
def test_the_summary_is_updated_when_the_compile_is_done(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(npc.settings, "tier", "auto")
    source = "%%npcompile\nxs = np.linspace(0, 1, 300_000)\nys = np.exp(np.sin(xs)) * xs"
    assert shell.run(source) is None
    first = str(shell.shown[0]["text/plain"]).splitlines()[0]
    assert first.startswith("2 of 2 lines captured")
    assert "compiling" in first
    assert npc.wait()
    last = str(shell.shown[-1]["text/plain"]).splitlines()[0]
    assert len(shell.shown) == 2
    assert last.startswith("2 of 2 lines ")
    assert "compiling" not in last
    shell.run(source)
    assert np.allclose(
        shell.ip.user_ns["ys"], np.exp(np.sin(shell.ip.user_ns["xs"])) * shell.ip.user_ns["xs"]
    )


def test_of_a_cell_that_runs_often_the_last_report_is_updated(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    later: list[Callable[[], None]] = []
    monkeypatch.setattr(compiler, "after", later.append)
    monkeypatch.setattr(session, "COMPILING", "")  # part of every note
    source = "%%npcompile\nys = np.linspace(0, 1, 300) + k"
    for k in range(5):
        shell.ip.user_ns["k"] = k
        assert shell.run(source) is None
    assert (len(later), len(shell.shown)) == (5, 1)  # what the last run has shown
    for update in later:
        update()
    assert len(shell.shown) == 2


def test_what_if_of_a_native_loop_says_that_it_was_not_looked_into() -> None:
    rates = Rates(1e9, 1e9, 1e10, 1e-5, 1e11, "assumed")
    segment = Prediction((5, 5), "numpy", 5000.0, 8000, 8000, 16.0, 50.0)
    alone = prediction_text("cuda", [], rates, [(3, 3), (2, 3)])
    assert alone.startswith("lines 2-3: a native loop ran, which a device runs statement by")
    both = prediction_text("cuda", [segment], rates, [(2, 3)]).splitlines()
    assert both[-1] == alone
    assert both[-2].startswith("all of it, once: ")
