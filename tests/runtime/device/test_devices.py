"""Devices by name, the stand-in, and what becomes of a graph that is moved to a device."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch._subclasses.fake_tensor import FakeTensorMode

from jupyter_npcompile.runtime import notices
from jupyter_npcompile.runtime.device.copying import copied, extent_bytes
from jupyter_npcompile.runtime.device.cuda import Cuda
from jupyter_npcompile.runtime.device.device import DeviceMemoryError, LaunchError
from jupyter_npcompile.runtime.device.placement import placed, working_bytes
from jupyter_npcompile.runtime.device.standin import StandIn
from jupyter_npcompile.runtime.devices import device_of, require
from jupyter_npcompile.runtime.settings import Settings


@pytest.mark.parametrize("name", ["cpu", "standin"])
def test_devices_that_are_always_there(name: str) -> None:
    require(name)


@pytest.mark.parametrize("name", ["gpu", "cuda:", "cuda:x", "standin:1", "", "CUDA"])
def test_unknown_devices(name: str) -> None:
    with pytest.raises(ValueError, match="is not known: use 'cpu', 'cuda', 'cuda:1' or 'standin'"):
        require(name)


def test_no_cuda_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    monkeypatch.setattr("torch.version.cuda", None)
    with pytest.raises(ValueError, match=r"no CUDA device \(this build of it is for the CPU only"):
        require("cuda")
    monkeypatch.setattr("torch.version.cuda", "12.8")
    with pytest.raises(ValueError, match=r"no CUDA device \(look whether nvidia-smi shows one"):
        require("cuda:1")


def test_a_wrong_index_says_how_many_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    monkeypatch.setattr("torch.cuda.device_count", lambda: 2)
    require("cuda")
    require("cuda:1")
    with pytest.raises(ValueError, match="has 2 CUDA devices, 'cuda:0' to 'cuda:1'"):
        require("cuda:2")
    monkeypatch.setattr("torch.cuda.device_count", lambda: 1)
    with pytest.raises(ValueError, match="has 1 CUDA device, 'cuda:0'; nothing was run"):
        require("cuda:1")


def test_each_device_is_one_object() -> None:
    assert device_of("cpu") is None
    assert device_of("standin") is device_of("standin")
    second = device_of("cuda:1")
    assert isinstance(second, Cuda)
    assert (second.place, second.competes) == (torch.device("cuda", 1), True)
    assert second is device_of("cuda:1")


def test_the_setting_knows_devices() -> None:
    assert Settings(device="standin").device == "standin"
    with pytest.raises(ValueError, match="device 'tpu' is not known"):
        Settings(device="tpu")


VIEWS: list[Any] = [
    np.arange(12.0).reshape(3, 4),
    np.arange(12.0).reshape(3, 4).T,
    np.arange(1000.0)[::100],
    np.arange(24.0).reshape(2, 3, 4)[:, 1:, ::2],
    np.broadcast_to(np.arange(3.0), (4, 3)),
    np.lib.stride_tricks.sliding_window_view(np.arange(6), 3),
    np.zeros((0, 3)),
    np.array(5.0),
    np.arange(40.0)[::13].reshape(2, 2),
]


@pytest.mark.parametrize("array", VIEWS, ids=lambda array: f"{array.shape} {array.strides}")
def test_a_copy_has_the_same_strides_and_other_memory(array: Any) -> None:
    array = array if array.flags.writeable else np.asarray(array).view()
    tensor = torch.as_strided(
        torch.from_numpy(np.array(array.base if array.base is not None else array).ravel()),
        array.shape,
        [step // array.itemsize for step in array.strides],
    )
    made = copied(tensor, StandIn())
    assert (made.shape, made.stride()) == (tensor.shape, tensor.stride())
    assert torch.equal(made, tensor)
    before = made.clone()
    if tensor.numel():
        tensor.as_strided((1,), (1,))[0] = -1.0
    assert torch.equal(made, before)


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 7)), max_size=3),
)
def test_copies_of_any_strides(axes: list[tuple[int, int]]) -> None:
    shape, strides = [n for n, _ in axes], [step for _, step in axes]
    extent = 1 + sum((n - 1) * step for n, step in axes if n)
    tensor = torch.as_strided(torch.arange(max(extent, 1)), shape, strides)
    made = copied(tensor, StandIn())
    assert made.stride() == tensor.stride()
    assert torch.equal(made, tensor)
    assert extent_bytes(tensor) == (8 * extent if tensor.numel() else 0)


def lowered(function: Any, *values: Any) -> Any:
    """What the recording of a function becomes for the CPU."""
    from jupyter_npcompile.runtime.functions import compile_callable, handle_of
    from jupyter_npcompile.runtime.policy import Options
    from jupyter_npcompile.tracer.lowering import lower

    compiled = compile_callable(function, Options("standin"))
    compiled(*values)
    handle = handle_of(compiled)
    assert handle is not None
    (state,) = handle.states  # type: ignore[union-attr]
    (plan,) = state.every_plan()
    return lower(plan.recording.graph).module


def varied(x: Any, k: Any) -> Any:
    y = np.zeros(3) + np.arange(3)
    x[1:] *= k
    z = x * y[:, None] + np.array([1.0, 2, 3, 4])
    order = np.argsort(z, axis=1)
    picked = np.where(x > k, np.take_along_axis(z, order, 1), np.linspace(0, 1, 4))
    return picked, np.cumsum(picked, 0), picked.std(), np.pad(picked, 1), x @ x.T, np.eye(3) * k


@pytest.mark.skipif(torch.cuda.is_available(), reason="tensors without data stand for a GPU")
def test_a_graph_on_cuda_leaves_nothing_on_the_cpu() -> None:
    module = lowered(varied, np.linspace(0, 1, 12).reshape(3, 4), 2.0)
    with FakeTensorMode(allow_non_fake_inputs=True):
        device = Cuda("cuda:1")
        device.put = lambda tensor: torch.empty_like(tensor, device=device.place)  # type: ignore[method-assign]
        moved = placed(module, device)
        given = [
            device.empty(val.shape, val.stride(), val.dtype)
            for node in module.graph.nodes
            if node.op == "placeholder" and (val := node.meta["val"]) is not None
        ]
        results = moved(*given)  # mixed devices raise
    assert {result.device for result in results} == {torch.device("cuda", 1)}


def test_the_graph_that_was_moved_is_not_changed() -> None:
    module = lowered(varied, np.linspace(0, 1, 12).reshape(3, 4), 2.0)
    before = module.code
    moved = placed(module, StandIn())
    assert module.code == before
    for node in moved.graph.nodes:
        if node.op == "get_attr":
            kept = getattr(module, node.target)
            assert getattr(moved, node.target).data_ptr() != kept.data_ptr()


def test_the_memory_that_a_graph_works_in() -> None:
    n = 1000

    def chain(x: Any) -> Any:
        a = x + 1
        b = np.sqrt(a)
        return b * 2

    module = lowered(chain, np.ones(n))
    # Two arrays at a time: the operand and the result, besides what checks take.
    assert 2 * 8 * n <= working_bytes(module) <= 4 * 8 * n


class Gpu(Cuda):
    """A GPU that can be asked without one being there."""

    free = 1000


def test_what_torch_raises_on_a_gpu_is_told_apart() -> None:
    gpu = Gpu("cuda")
    too_little = r"3\.0 kB of memory on cuda, where 1\.0 kB is free: 2\.0 kB too little"
    with pytest.raises(DeviceMemoryError, match=too_little), gpu.guarded(3000):
        raise torch.cuda.OutOfMemoryError("CUDA out of memory")
    failed = "cuda failed: CUDA error: invalid argument"
    with pytest.raises(LaunchError, match=failed), gpu.guarded(0):
        raise RuntimeError("CUDA error: invalid argument\nCompile with ...")
    with pytest.raises(KeyError), gpu.guarded(0):
        raise KeyError


def test_what_inductor_cannot_compile_runs_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any, **__: Any) -> Any:
        raise ImportError("no module named triton")

    monkeypatch.setattr("torch._inductor.standalone_compile", fails)
    monkeypatch.setattr(
        Gpu, "empty", lambda self, shape, strides, dtype: torch.empty_strided(shape, strides)
    )
    module = lowered(lambda x: x + 1, np.ones(3))
    notices.take()
    made, kernels = Gpu("cuda").prepare(module, one_by_one=False)
    assert (made, kernels) == (module, "aten")
    (line,) = notices.take()
    assert "for cuda, operations run one by one: ImportError: no module named triton" in line
    assert Gpu("cuda").prepare(module, one_by_one=True) == (module, "aten")
