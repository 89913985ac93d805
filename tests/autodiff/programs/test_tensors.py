"""Tensors of PyTorch and arrays in one function or cell."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch

import jupyter_npcompile as npc
from jupyter_npcompile.autodiff.joint import joint_module
from jupyter_npcompile.autodiff.replays import Replay, record_call
from jupyter_npcompile.autodiff.tensors import TensorHooks
from jupyter_npcompile.graph import Graph
from jupyter_npcompile.runtime.tensor_calls import remember
from jupyter_npcompile.tracer.lowering.program import lower
from tests.magic.test_magic import Shell

RNG = np.random.default_rng(11)


def leaf(*shape: int, dtype: Any = torch.float64) -> torch.Tensor:
    """A tensor of random numbers that requires grad."""
    return torch.from_numpy(RNG.uniform(0.2, 1.5, shape)).to(dtype).requires_grad_()


def gradients(function: Callable[..., Any], *tensors: torch.Tensor) -> list[torch.Tensor]:
    """Value and gradients of the sum of what a function of tensors gives."""
    given = [tensor.detach().clone().requires_grad_() for tensor in tensors]
    result = function(*given)
    result.sum().backward()
    return [result.detach(), *(tensor.grad for tensor in given)]


def same(one: Callable[..., Any], other: Callable[..., Any], *tensors: torch.Tensor) -> None:
    """Two functions of tensors have equal values and gradients."""
    for made, expected in zip(gradients(one, *tensors), gradients(other, *tensors), strict=True):
        assert made.dtype == expected.dtype
        torch.testing.assert_close(made, expected)


@pytest.fixture(autouse=True)
def tier(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", "aten")


@pytest.fixture
def shell() -> Iterator[Shell]:
    made = Shell()
    made.ip.user_ns["torch"] = torch
    yield made
    made.ip.run_line_magic("unload_ext", "jupyter_npcompile")


# -- each sentence of what was promised


def test_numpy_of_a_tensor_keeps_its_gradient() -> None:
    @npc.compile
    def f(x: Any) -> Any:
        a = x.numpy()
        assert type(a) is np.ndarray
        assert np.shares_memory(a, x.detach().numpy())
        return torch.from_numpy(np.tanh(a) * a[::-1])

    same(f, lambda x: torch.tanh(x) * x.flip(0), leaf(6))


def test_numpy_with_force_detaches() -> None:
    @npc.compile
    def f(x: Any) -> Any:
        return (x * torch.from_numpy(np.exp(x.numpy(force=True)))).sum()

    same(f, lambda x: (x * torch.exp(x.detach())).sum(), leaf(4))


@pytest.mark.parametrize("back", [torch.from_numpy, torch.as_tensor, torch.asarray])
def test_back_to_a_tensor(back: Callable[..., Any]) -> None:
    @npc.compile
    def f(x: Any) -> Any:
        return back(np.sqrt(x.numpy())[1:]) ** 2

    same(f, lambda x: torch.sqrt(x)[1:] ** 2, leaf(5))


def test_back_with_a_dtype_and_from_a_list() -> None:
    @npc.compile
    def f(x: Any) -> Any:
        a = x.numpy()
        return torch.as_tensor([a[0], a[1] * 2.0]).sum() + torch.as_tensor(a, dtype=torch.float32)

    same(f, lambda x: x[0] + x[1] * 2 + x.float(), leaf(3))


def test_attributes_stay_arrays() -> None:
    @npc.compile
    def f(x: Any) -> Any:
        a = x.numpy()
        return a.T, a.real, a.flat[0], a.T.shape

    x = leaf(2, 3)
    turned, real, first, shape = f(x)
    assert [type(value) for value in (turned, real, first)] == [np.ndarray, np.ndarray, np.float64]
    np.testing.assert_array_equal(turned, x.detach().numpy().T)
    assert shape == (3, 2)
    assert real.base is not None


def test_a_result_is_an_array_though_the_tensor_requires_grad() -> None:
    f = npc.compile(lambda x: {"sine": np.sin(x.numpy()), "all": [x.numpy()]})
    x = leaf(4)
    result = f(x)
    assert type(result["sine"]) is type(result["all"][0]) is np.ndarray
    np.testing.assert_array_equal(result["sine"], np.sin(x.detach().numpy()))
    assert np.shares_memory(result["all"][0], x.detach().numpy())
    with pytest.raises(RuntimeError, match="requires grad"):
        x.numpy()  # nothing of PyTorch has changed


def test_after_a_break_values_are_real_and_the_rest_goes_on(
    capsys: pytest.CaptureFixture[str],
) -> None:
    seen: list[Any] = []

    @npc.compile
    def f(x: Any) -> Any:
        a = np.sin(x.numpy())
        print("between", a)
        seen.append(a)
        if a[0] > 0:
            a = a * 2.0
        return torch.from_numpy(np.cumsum(a))

    x = leaf(5)
    same(f, lambda x: torch.cumsum(torch.sin(x) * 2.0, 0), x)
    assert type(seen[0]) is np.ndarray
    np.testing.assert_array_equal(seen[0], np.sin(x.detach().numpy()))
    assert capsys.readouterr().out == f"between {seen[0]}\n"


def test_the_twin() -> None:
    def ours(x: Any) -> Any:
        return np.concatenate([np.sin(x) ** 2, np.max(x)[None]]).sum()

    def twin(x: torch.Tensor) -> torch.Tensor:
        return torch.cat([torch.sin(x) ** 2, torch.max(x)[None]]).sum()

    x = leaf(7)
    same(npc.compile(ours), twin, x)
    np.testing.assert_allclose(npc.grad(ours)(x.detach().numpy()), gradients(twin, x)[1])


def test_backward_through_a_compiled_function() -> None:
    @npc.compile
    def f(w: Any, x: Any, *, scale: float = 1.0) -> Any:
        hidden = np.tanh(x @ w)
        return np.mean(hidden**2) * scale

    w, x = leaf(4, 3), RNG.normal(size=(6, 4))
    out = f(w, x, scale=2.0)
    assert out.requires_grad
    assert not out.is_leaf
    out.backward()
    expected = npc.grad(lambda w: np.mean(np.tanh(x @ w) ** 2) * 2.0)(w.detach().numpy())
    np.testing.assert_allclose(w.grad, expected)  # type: ignore[arg-type]


def test_a_training_loop() -> None:
    inputs, truth = RNG.normal(size=(40, 3)), np.array([1.0, -2.0, 0.5])
    target = inputs @ truth

    @npc.compile
    def loss(w: Any, b: Any) -> Any:
        return np.mean((np.dot(inputs, w) + b - target) ** 2)

    w, b = torch.zeros(3, dtype=torch.float64, requires_grad=True), leaf(1)
    optimizer = torch.optim.LBFGS([w, b])

    def closure() -> Any:
        optimizer.zero_grad()
        value = loss(w, b)
        value.backward()
        return value

    optimizer.step(closure)
    np.testing.assert_allclose(w.detach(), truth, atol=1e-4)


def test_numpy_of_tensors_is_captured(monkeypatch: pytest.MonkeyPatch) -> None:
    graphs: list[Graph] = []
    close = TensorHooks.close

    def remembered(self: TensorHooks) -> None:
        graphs.append(Graph("numpy", (), tuple(self.tape.recorder.nodes)))
        close(self)

    monkeypatch.setattr(TensorHooks, "close", remembered)
    same(npc.compile(lambda x, y: np.add(x, y)), torch.add, leaf(3), leaf(3))
    same(npc.compile(np.add), torch.add, leaf(3), leaf(3))
    assert [node.op for graph in graphs for node in graph.nodes] == ["numpy.add"] * 2


def test_without_history_a_function_gives_what_numpy_gives() -> None:
    x = leaf(3).detach()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # torch's __array_wrap__ is old
        for function in (lambda t: np.add(t, t), lambda t: np.concatenate([t, t])):
            made, expected = npc.compile(function)(x), function(x)
            assert type(made) is type(expected)
            np.testing.assert_array_equal(made, expected)


def test_writes_into_a_view_are_functional() -> None:
    def f(x: Any) -> Any:
        y = x * 1.0
        z = y[1:-1]
        z *= 2.0
        z[0] += y[0]
        return np.sum(y**2)

    def twin(x: torch.Tensor) -> torch.Tensor:
        y = x * 1.0
        z = y[1:-1]
        z *= 2.0
        z[0] += y[0]
        return torch.sum(y**2)

    x = leaf(6)
    same(npc.compile(f), twin, x)
    values = x.detach().numpy()
    replay = record_call(f, (values,), {}, (0,))
    assert isinstance(replay, Replay)
    inference = lower(replay.recording.graph).module
    for module in (joint_module(replay.graph), inference):
        targets = [node.target for node in module.graph.nodes if node.op == "call_function"]
        assert targets
        assert not any(
            target._schema.is_mutable
            for target in targets
            if isinstance(target, torch._ops.OpOverload)
        )
    np.testing.assert_allclose(inference(x.detach())[0], twin(x).detach())


def test_requires_grad_and_is_leaf_are_those_of_the_twin() -> None:
    seen: list[tuple[bool, bool]] = []

    def f(x: Any) -> Any:
        a = x.numpy()
        a = a * 2.0
        a[1:] += a[:-1]
        y = torch.from_numpy(a)
        seen.append((x.requires_grad, x.is_leaf))
        seen.append((y.requires_grad, y.is_leaf))
        plain = torch.from_numpy(np.ones(3))
        seen.append((plain.requires_grad, plain.is_leaf))
        return y

    npc.compile(f)(leaf(3))
    assert seen == [(True, True), (True, False), (False, True)]
    with torch.no_grad():
        assert not npc.compile(f)(leaf(3)).requires_grad


# -- what comes with it


def test_in_place_writes_reach_the_tensor_and_the_gradient_is_that_of_its_old_value() -> None:
    @npc.compile
    def f(x: Any) -> Any:
        a = x.numpy()
        first = torch.from_numpy(a**2)
        a *= 3.0
        return first.sum() + torch.from_numpy(a**2).sum()

    x = leaf(4)
    old = x.detach().clone()
    f(x).backward()
    torch.testing.assert_close(x.detach(), 3 * old)
    torch.testing.assert_close(x.grad, 2 * old + 18 * old)


def test_constants_may_be_written_before_backward() -> None:
    weights = RNG.normal(size=3)

    @npc.compile
    def f(x: Any) -> Any:
        return np.sum(np.multiply(x, weights) ** 2)

    x, old = leaf(3), weights.copy()
    out = f(x)
    weights[:] = 0.0
    out.backward()
    torch.testing.assert_close(x.grad, 2 * x.detach() * torch.from_numpy(old**2))


def test_operators_between_tensors_and_arrays() -> None:
    @npc.compile
    def f(x: Any, y: Any) -> Any:
        a = x.numpy()
        s = np.sum(a)
        z = y * np.sin(a) + s * y - a.max()
        z += np.cos(a)
        z[0] = a[1] * 2.0
        return torch.mul(z, a[0])

    def twin(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        z = y * torch.sin(x) + x.sum() * y - x.max()
        z = z + torch.cos(x)
        z = torch.cat([(x[1] * 2.0)[None], z[1:]])
        return torch.mul(z, x[0])

    same(f, twin, leaf(4), leaf(4))


def test_there_and_back_several_times() -> None:
    @npc.compile
    def f(x: Any) -> Any:
        for _ in range(3):
            x = torch.relu(torch.from_numpy(np.sin(x.numpy() * 2.0)) + x)
        return x

    def twin(x: torch.Tensor) -> torch.Tensor:
        for _ in range(3):
            x = torch.relu(torch.sin(x * 2.0) + x)
        return x

    same(f, twin, leaf(5))


def test_second_derivatives() -> None:
    f = npc.compile(lambda x: np.sum(np.sin(x) * x[::-1]))
    x = leaf(4)
    first, second = [], []
    for function in (f, lambda x: torch.sum(torch.sin(x) * x.flip(0))):
        (gradient,) = torch.autograd.grad(function(x), x, create_graph=True)
        first.append(gradient)
        second += torch.autograd.grad((gradient**2).sum(), x)
    torch.testing.assert_close(*first)
    torch.testing.assert_close(*second)
    assert torch.autograd.gradcheck(f, (x,))
    assert torch.autograd.gradgradcheck(f, (x,))


def test_complex_tensors_follow_torch() -> None:
    x = torch.from_numpy(RNG.normal(size=4) + 1j * RNG.normal(size=4)).requires_grad_()
    f = npc.compile(lambda x: np.sum(np.abs(np.fft.fft(x)) ** 2))
    same(f, lambda x: torch.sum(torch.fft.fft(x).abs() ** 2), x)


def test_single_precision_stays() -> None:
    f = npc.compile(lambda x: np.sum(np.exp(x)))
    same(f, lambda x: torch.sum(torch.exp(x)), leaf(4, dtype=torch.float32))


def test_modules_with_numpy_inside() -> None:
    class Layer(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = torch.nn.Linear(3, 3, dtype=torch.float64)

        def forward(self, x: Any) -> Any:
            return torch.from_numpy(np.tanh(self.inner(x).numpy()))

    layer = Layer()
    x = torch.from_numpy(RNG.normal(size=(2, 3)))
    npc.compile(lambda x: layer(x).sum())(x.requires_grad_()).backward()
    made = [p.grad.clone() for p in layer.parameters()]  # type: ignore[union-attr]
    layer.zero_grad()
    torch.tanh(layer.inner(x)).sum().backward()
    for one, p in zip(made, layer.parameters(), strict=True):
        torch.testing.assert_close(one, p.grad)


def test_where_a_gradient_stops_is_an_error() -> None:
    @npc.compile
    def f(x: Any) -> Any:
        return torch.from_numpy(x.numpy().astype(int).astype(float))

    with pytest.raises(npc.GradientError, match="integer"):
        f(leaf(3)).sum().backward()


def test_errors_are_those_of_python() -> None:
    with pytest.raises(IndexError):
        npc.compile(lambda x: x.numpy()[9])(leaf(3))
    with pytest.raises(TypeError, match="unsupported operand"):
        npc.compile(lambda x, y: x.numpy() * y)(leaf(3), leaf(3).detach())


def test_closures_made_several_times_keep_their_own_values() -> None:
    def made(k: float) -> Any:
        return npc.compile(lambda x: np.sum(x * k))

    functions = [made(float(k)) for k in range(3)]
    assert [f(torch.ones(2, requires_grad=True)).item() for f in functions] == [0.0, 2.0, 4.0]


def test_remember() -> None:
    x = leaf(2)
    assert remember([x])
    assert remember([{"w": [x]}])
    assert not remember([x.detach(), np.ones(2), "text"])


# -- cells


CELL = """%%npcompile
a = np.sin(x.numpy())
print("now", a[0] > 0)
b = (a * a[::-1]).T.real
back = torch.from_numpy(b)
forced = x.numpy(force=True)
loss = (torch.as_tensor(a[1:]) ** 2).sum() + back.sum()
b"""


def test_a_cell(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    x = shell.ip.user_ns["x"] = leaf(5)
    result = shell.ip.run_cell(CELL)
    assert result.success
    assert type(result.result) is np.ndarray
    out = capsys.readouterr().out
    assert out.count("now True") == 1
    assert "followed, not compiled" in out
    ns = shell.ip.user_ns
    assert [type(ns[name]) for name in ("a", "b", "forced")] == [np.ndarray] * 3
    assert not [name for name in ns if name.startswith("__npcompile")]
    assert shell.run("loss.backward()") is None
    made, x.grad = x.grad, None
    ((torch.sin(x)[1:] ** 2).sum() + (torch.sin(x) * torch.sin(x).flip(0)).sum()).backward()
    torch.testing.assert_close(made, x.grad)


def test_a_cell_that_trains(shell: Shell) -> None:
    shell.ip.user_ns["data"] = RNG.normal(size=(20, 3))
    cell = """%%npcompile
w = torch.ones(3, dtype=torch.float64, requires_grad=True)
for step in range(60):
    loss = torch.from_numpy(np.mean(np.dot(data, w.numpy()) ** 2)[None]).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.3 * w.grad
        w.grad = None
def later(z):
    return z * 2
twice = later(w.numpy())"""
    assert shell.run(cell) is None
    assert shell.ip.user_ns["loss"].item() < 1e-3
    assert shell.run("later(3)") is None  # what a cell defines outlives its run


@pytest.mark.parametrize(
    "text",
    [
        "y = np.sin(x.detach().numpy())",
        "y = x.detach().cpu().numpy()",
        "y = np.sin(x.numpy(force=True))",
        "l = (x * 2).sum().item()\ny = np.array([l, l])",
        "y = np.sin(plain.numpy())",
    ],
)
def test_cells_that_are_compiled_as_ever(
    shell: Shell, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    shell.ip.user_ns.update(x=leaf(3), plain=leaf(3).detach())
    assert shell.run(f"%%npcompile\n{text}") is None
    assert "followed" not in capsys.readouterr().out
    assert isinstance(shell.ip.user_ns["y"], np.ndarray)


ALONE = """
import torch, numpy as np, jupyter_npcompile as npc
source = "def f(x):\\n    return np.sin(x).sum()\\n"
import linecache
linecache.cache["<f>"] = (len(source), None, source.splitlines(True), "<f>")
exec(compile(source, "<f>", "exec"))
x = torch.ones(3, requires_grad=True)
npc.compile(f)(x).backward()
print(x.grad.tolist() == torch.cos(torch.ones(3)).tolist())
"""


def test_nothing_else_must_have_been_imported() -> None:
    """Public names are imported when somebody asks for them: `compile` alone is enough."""
    made = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True, check=True)
    assert made.stdout == "True\n", made.stderr


@pytest.mark.parametrize("first", ["", "npc.explain(loss, np.ones(3));"])
def test_a_cell_is_given_tensors_before_anything_is_compiled(first: str) -> None:
    """In a new kernel, where nobody has asked for `npc.compile`."""
    code = (
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance()\n"
        "shell.run_line_magic('load_ext', 'jupyter_npcompile')\n"
        "shell.run_cell('import numpy as np, torch, jupyter_npcompile as npc; '\n"
        "    't = torch.arange(5.0, dtype=torch.float64, requires_grad=True)')\n"
        f"shell.run_cell('''def loss(x): return np.sum(x * x)\n{first}''')\n"
        "done = shell.run_cell('%%npcompile --quiet\\n'\n"
        "    'def loss(x): return np.sum(x * x)\\nr = loss(t)\\nr.backward()')\n"
        "assert done.success, done.error_in_exec\n"
        "print(shell.user_ns['t'].grad.tolist())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[0.0, 2.0, 4.0, 6.0, 8.0]"
