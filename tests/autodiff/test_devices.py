"""Gradients on a device: the stand-in, and the placement of graphs on one that is not there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

import jupyter_npcompile as npc
from jupyter_npcompile.autodiff import sites
from jupyter_npcompile.autodiff.joint import joint_module
from jupyter_npcompile.autodiff.programs import program_of
from jupyter_npcompile.autodiff.pullbacks import tensors
from jupyter_npcompile.autodiff.replays import Replay, record_call
from jupyter_npcompile.autodiff.trees import flatten
from jupyter_npcompile.runtime.device.cuda import Cuda
from jupyter_npcompile.runtime.device.device import LaunchError
from jupyter_npcompile.runtime.device.placement import placed
from jupyter_npcompile.runtime.device.standin import MEMORY, StandIn, standin
from jupyter_npcompile.runtime.device.traffic import Traffic
from jupyter_npcompile.runtime.selector import thresholds
from tests.autodiff.test_compiled import CASES, M, V
from tests.support.cells.native import assert_same
from tests.support.session.processes import PATIENCE


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(npc.settings, "first_run_check", "raise")
    monkeypatch.setattr(npc.settings, "device", "cpu")
    monkeypatch.setattr(thresholds, "TAPES", 100)  # nothing is compiled for the CPU here
    yield
    standin.memory = MEMORY
    standin.faults.clear()


def demand_same(found: Any, expected: Any) -> None:
    pairs = zip(flatten(found)[0], flatten(expected)[0], strict=True)
    for one, other in pairs:
        assert type(one) is type(other)
        assert np.asarray(one).dtype == np.asarray(other).dtype
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_pure_functions(case: tuple[Callable[..., Any], tuple[Any, ...]]) -> None:
    function, args = case
    expected = npc.value_and_grad(function)(*args)
    gradient = npc.value_and_grad(npc.compile(function, device="standin"))
    for _ in range(3):
        demand_same(gradient(*args), expected)
    (replay,) = gradient._fast.replays.values()
    assert replay.confirmed
    assert gradient.site.reason == ""
    before = gradient.site.traffic.to_device
    gradient(*args)
    sizes = [np.asarray(leaf).nbytes for leaf in flatten(args)[0]]
    assert gradient.site.traffic.to_device - before <= sum(sizes)


def printing(x: Any, y: Any) -> Any:
    z = np.zeros(x.shape)
    z[1:] = x[1:] * y
    z[::-1][0] -= x[0]
    print("here")
    if z.sum() > 1e9:
        return z.sum()
    return np.sum(z**2) + float(y) * np.max(x)


def test_what_prints_runs_on_the_tape(capsys: pytest.CaptureFixture[str]) -> None:
    expected = npc.grad(printing, (0, 1))(V, 3.0)
    capsys.readouterr()
    gradient = npc.grad(npc.compile(printing, device="standin"), (0, 1))
    for k in (1, 2):
        demand_same(gradient(V, 3.0), expected)
        assert capsys.readouterr().out == "here\n"
        assert gradient.site.traffic.runs == k
        assert gradient.site.traffic.to_host == k * (V.nbytes + 8)


def cubed(x: Any) -> Any:
    return np.sum(x**3 * x[::-1])


def test_every_kind_of_derivative() -> None:
    there = npc.compile(cubed, device="standin")
    direction = np.linspace(-1, 1, V.size)
    demand_same(npc.hessian(there)(V), npc.hessian(cubed)(V))
    demand_same(npc.jacobian(npc.grad(there))(V), npc.jacobian(npc.grad(cubed))(V))
    demand_same(npc.jvp(there, (V,), (direction,)), npc.jvp(cubed, (V,), (direction,)))
    demand_same(npc.hvp(there, V, direction), npc.hvp(cubed, V, direction))
    value, pull = npc.vjp(there, V)
    for seed in (1.0, 2.0):
        demand_same((value, pull(seed)), (cubed(V), (seed * npc.grad(cubed)(V),)))
    twice = npc.grad(lambda x: np.sum(npc.grad(there)(x) ** 2))
    demand_same(twice(V), npc.grad(lambda x: np.sum(npc.grad(cubed)(x) ** 2))(V))


def test_derivatives_on_a_device_say_what_they_copy() -> None:
    hessian = npc.hessian(npc.compile(cubed, device="standin"))
    hessian(V)
    assert hessian.site.traffic.to_host == 8 * V.size**2


def outside(x: Any) -> Any:
    return np.array([float(v) ** 2 for v in x])


def test_what_needs_the_host_is_there() -> None:
    npc.register_vjp(outside, lambda g, result, x: 2 * g * x)

    def f(x: Any, k: Any) -> Any:
        for _ in range(40):
            x = np.sin(x) * k
        return np.sum(outside(x))

    there = npc.compile(f, device="standin")
    demand_same(npc.grad(there, (0, 1))(V, 1.01), npc.grad(f, (0, 1))(V, 1.01))


def test_the_setting_counts_for_plain_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "device", "standin")
    gradient = npc.grad(cubed)
    demand_same(gradient(V), npc.grad(npc.compile(cubed, device="cpu"))(V))
    assert gradient.site.traffic.to_host > 0
    assert npc.grad(npc.compile(cubed, device="cpu")).site.device is None


def test_gradients_have_the_precision_of_the_arrays() -> None:
    gradient = npc.grad(npc.compile(cubed, device="standin", dtype="float32"))
    for _ in range(2):
        demand_same(gradient(V), npc.grad(cubed)(V))
    assert gradient.site.name == "standin"


def test_a_compiled_cell_may_differentiate() -> None:
    cell = "g = npc.grad(lambda v: np.sum(np.sin(v) * w))(x)\nx -= 0.1 * g\ny = x * 2\n"
    setup = "import jupyter_npcompile as npc\nx = np.linspace(0, 1, 6) + RUN\nw = np.ones(6)"
    assert_same(cell, setup=setup, captured=False, device="standin")


@pytest.mark.parametrize("function", [cubed, lambda x: print(end="") or cubed(x)])
def test_what_does_not_fit_runs_on_the_cpu(function: Callable[..., Any]) -> None:
    gradient = npc.grad(npc.compile(function, device="standin"))
    expected = npc.grad(cubed)(V)
    standin.memory = 300
    for _ in range(2):
        demand_same(gradient(V), expected)
    assert gradient.site.device is None
    assert "the CPU computes derivatives: it needs " in gradient.site.reason
    assert gradient.site.reason.endswith("too little")


@pytest.mark.parametrize("calls", [0, 1, 3])
def test_a_failing_launch_leaves_it_to_the_cpu(calls: int) -> None:
    gradient = npc.value_and_grad(npc.compile(cubed, device="standin"))
    for _ in range(calls):
        gradient(V)
    expected = npc.value_and_grad(cubed)(V)
    standin.faults.append(LaunchError("standin", "too many threads"))
    for _ in range(2):
        demand_same(gradient(V), expected)
    assert not standin.faults
    assert gradient.site.reason == "the CPU computes derivatives: standin failed: too many threads"


def test_a_device_that_competes_may_lose(monkeypatch: pytest.MonkeyPatch) -> None:
    """The way that CUDA goes: the tape first, then a contest."""
    monkeypatch.setattr(StandIn, "competes", True)
    monkeypatch.setattr(thresholds, "TAPES", 2)
    expected = npc.grad(cubed)(V)
    gradient = npc.grad(npc.compile(cubed, device="standin"))
    for _ in range(5):
        demand_same(gradient(V), expected)
        assert all(replay.wait(PATIENCE) for replay in gradient._fast.replays.values())
    confirmed = [replay.confirmed for replay in gradient._fast.replays.values()]
    assert confirmed == [True] or "the tape is faster" in str(gradient._fast.reasons)


def test_infinite_gradients_are_compared() -> None:
    gradient = npc.grad(npc.compile(lambda x: np.sum(np.sqrt(x)), device="standin"))
    for _ in range(2):
        assert gradient(np.array([0.0, 4.0])).tolist() == [np.inf, 0.25]
    assert not gradient._fast.reasons


def test_wrong_functions_say_what_is_wrong_with_them() -> None:
    there = npc.compile(lambda x: np.sum(x.astype(int) * x), device="standin")
    with pytest.raises(npc.GradientError, match="integer") as found:
        npc.grad(there)(V)
    assert found.value.__context__ is None


@pytest.mark.skipif(torch.cuda.is_available(), reason="tensors without data stand for a GPU")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_a_joint_graph_on_cuda_leaves_nothing_on_the_cpu(
    case: tuple[Callable[..., Any], tuple[Any, ...]],
) -> None:
    made = record_call(case[0], case[1], {}, (0,))
    assert isinstance(made, Replay)
    module = joint_module(made.graph)
    with FakeTensorMode(allow_non_fake_inputs=True), torch.no_grad():
        device = gpu()
        moved = placed(module, device)
        given = [
            device.empty(val.shape, val.stride(), val.dtype)
            for node in module.graph.nodes
            if node.op == "placeholder" and (val := node.meta["val"]) is not None
        ]
        assert {result.device for result in moved(*given)} == {device.place}


def constants(x: Any) -> Any:
    y = np.array([1.0, 2.0, 3.0, 4.0]) * x + np.arange(4.0) + M[0]
    y[np.array([0, 2])] *= 2
    return np.sum(np.where(y > 1, y, np.eye(4)[1]) @ M.T) + np.linalg.norm(np.ones((4, 4)) @ y)


@pytest.mark.skipif(torch.cuda.is_available(), reason="tensors without data stand for a GPU")
def test_a_tape_on_cuda_leaves_nothing_on_the_cpu() -> None:
    """Forward only: where torch was built for the CPU, it cannot differentiate there."""
    program = program_of(constants, (V[:4],), {}, [0])
    with (
        FakeTensorMode(allow_non_fake_inputs=True),
        sites.there(gpu(), Traffic()),
        torch.no_grad(),
    ):
        (result,) = program.function(*tensors(program.leaves))
        assert result.device == torch.device("cuda", 1)


def gpu() -> Cuda:
    """A GPU whose tensors hold no data."""
    device = Cuda("cuda:1")
    device.put = lambda tensor: torch.empty_like(tensor, device=device.place)  # type: ignore[method-assign]
    return device
