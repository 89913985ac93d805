"""What NumPy's libraries do best is left to them, and known by its name."""

from __future__ import annotations

import linecache
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.runtime.function_handle import FunctionHandle
from jupyter_npcompile.runtime.functions import handle_of
from jupyter_npcompile.runtime.native.build import _library_nodes
from jupyter_npcompile.runtime.worker import Compiler
from jupyter_npcompile.tracer.lowering import lower
from jupyter_npcompile.tracer.table.libraries import LIBRARY_CALLS
from tests.support.numpy_names import is_there

CALLS = """
dot(a, b) | einsum("ij,jk", a, b) | inner(a, b) | matmul(a, b) | matvec(a, v) | tensordot(a, b, 1)
vdot(v, v) | argsort(a) | histogram(v) | interp(v, v, v) | isin(i, i) | lexsort((v, v)) | median(a)
nanmedian(a) | nanpercentile(a, 30) | nanquantile(a, 0.3) | percentile(a, 30) | quantile(a, 0.3)
searchsorted(v, v) | sort(a) | add.accumulate(v) | cumprod(v) | cumsum(v) | maximum.accumulate(v)
nancumsum(v) | linalg.cholesky(s) | linalg.cond(a) | linalg.det(s) | linalg.eigvalsh(s)
linalg.inv(s) | linalg.lstsq(a, v) | linalg.matmul(a, b) | linalg.matrix_power(a, 3)
linalg.matrix_rank(a) | linalg.multi_dot([a, b, a]) | linalg.pinv(a) | linalg.qr(a)
linalg.slogdet(s) | linalg.solve(s, v) | linalg.svdvals(a) | linalg.tensorinv(s, 1)
linalg.tensorsolve(s, v) | fft.fft(a) | fft.fft2(a) | fft.fftn(a) | fft.hfft(c) | fft.ifft(c)
fft.ifft2(c) | fft.ifftn(c) | fft.ihfft(a) | fft.irfft(c) | fft.irfft2(c) | fft.irfftn(c)
fft.rfft(a) | fft.rfft2(a) | fft.rfftn(a)
"""
TEXTS = [f"np.{text}" for line in CALLS.split("\n") for text in line.split(" | ") if text]
TEXTS = [text for text in TEXTS if is_there(text.partition("(")[0].replace("np", "numpy", 1))]
TEXTS += ["v.argsort()", "a.dot(b)", "v.sort()"]

LETTERS = "a, b, v, c, i, s"


def arguments() -> list[Any]:
    rng = np.random.default_rng(0)
    a, b = rng.random((2, 6, 6))
    return [
        a,
        b,
        np.sort(rng.random(6)),
        a + 1j * b,
        np.arange(36).reshape(6, 6),
        a @ a.T + np.eye(6),
    ]


def function_of(text: str) -> Any:
    """A function with source that gives the value of an expression."""
    source = f"def function({LETTERS}):\n    return {text}\n"
    filename = f"<library call {text}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    space: dict[str, Any] = {"np": np}
    exec(compile(source, filename, "exec"), space)
    return space["function"]


def plan_of(function: Any, *args: Any) -> Any:
    made = npc.compile(function)
    made(*args)
    handle = handle_of(made)
    assert isinstance(handle, FunctionHandle)
    return handle.states[0].plans[0][0]


def test_they_are_what_compiled_code_would_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", "aten")
    found = set()
    for text in TEXTS:
        graph = plan_of(function_of(text), *arguments()).recording.graph
        called = _library_nodes(lower(graph))
        ops = {node.op for node in graph.nodes if node.id in called}
        assert ops, text
        found |= ops
    assert found >= {*filter(is_there, LIBRARY_CALLS)}


def bound(a: Any) -> Any:
    return np.linalg.eigvalsh(a @ a.T) + 1.0


def mixed(a: Any) -> Any:
    b = a[:8] @ a[:8].T
    for _ in range(4):
        a = np.tanh(a) + np.cos(a)
    return a, b


@pytest.mark.parametrize(("function", "left"), [(bound, True), (mixed, False)])
def test_what_they_do_is_left_to_them(
    function: Any, left: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is compiled for it, and NumPy computes it once."""
    submitted: list[Any] = []
    monkeypatch.setattr(npc.settings, "tier", "auto")
    monkeypatch.setattr(Compiler, "submit", lambda self, job, *rest: submitted.append(job))
    a = np.random.default_rng(1).random((700, 700))
    plan = plan_of(function, a)
    assert (plan.state == "numpy") is left
    assert ("libraries" in plan.note) is left
    assert bool(submitted) is not left
    assert not plan.recording.remembers or not left


def test_it_is_compiled_where_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", "aten")
    a = np.random.default_rng(1).random((300, 300))
    assert plan_of(bound, a).state == "ready"
