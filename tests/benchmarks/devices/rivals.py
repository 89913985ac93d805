"""The same step with CuPy, JAX and torch in NumPy's place, and in NumPy."""

from __future__ import annotations

import types
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tests.benchmarks.devices.figures import Figure, best, difference
from tests.benchmarks.devices.programs import Arrays, Program


def with_module(step: Callable[..., Any], module: Any) -> Callable[..., Any]:
    """A step that finds another module in NumPy's place."""
    assert isinstance(step, types.FunctionType)
    return types.FunctionType(step.__code__, {**step.__globals__, "np": module}, step.__name__)


def in_precision(arrays: Arrays, dtype: str) -> Arrays:
    """Arrays whose floats have a precision."""
    return tuple(array.astype(dtype) if array.dtype.kind == "f" else array for array in arrays)


class Rival(ABC):
    """Another way to run NumPy's code on a GPU.

    Attributes
    ----------
    name : str
        In the table.
    module : str
        What must be installed.
    """

    name: str
    module: str

    @abstractmethod
    def to_device(self, array: Any) -> Any:
        """A copy on the device."""

    @abstractmethod
    def to_host(self, array: Any) -> Any:
        """A copy of a result in an ndarray."""

    @abstractmethod
    def wait(self, array: Any) -> None:
        """Wait until a result is there."""

    @abstractmethod
    def on_device(self, step: Callable[..., Any]) -> Callable[..., Any]:
        """A step on arrays of the device."""

    def on_host(self, step: Callable[..., Any]) -> Callable[..., Any]:
        """A step on ndarrays that gives one."""
        there = self.on_device(step)
        return lambda *arrays: self.to_host(there(*map(self.to_device, arrays)))

    def figures(
        self, program: Program, arrays: Arrays, dtype: str, expected: list[float]
    ) -> Iterator[Figure]:
        """Measure both ways."""
        given = in_precision(arrays, dtype)
        run = self.on_host(program.step)
        error = difference(run(*given), expected)
        run(*given)
        seconds = best(lambda: run(*given))
        yield Figure(program.name, self.name, dtype, "copied", seconds, None, error)

        step = self.on_device(program.step)
        first, *constants = map(self.to_device, given)
        error = difference(self.to_host(step(first, *constants)), expected)

        def iterate() -> None:
            state = first
            for _ in range(program.rounds):
                state = step(state, *constants)
            self.wait(state)

        iterate()
        seconds = best(iterate) / program.rounds
        yield Figure(program.name, self.name, dtype, "stays", seconds, None, error)


class CuPy(Rival):
    """Arrays of its own, an operation at a time."""

    name = "CuPy"
    module = "cupy"

    def __init__(self) -> None:
        import cupy

        self.cupy: Any = cupy

    def to_device(self, array: Any) -> Any:
        """A copy on the device."""
        return self.cupy.asarray(array)

    def to_host(self, array: Any) -> Any:
        """A copy of a result in an ndarray."""
        return self.cupy.asnumpy(array)

    def wait(self, array: Any) -> None:
        """Wait until a result is there."""
        self.cupy.cuda.Device().synchronize()

    def on_device(self, step: Callable[..., Any]) -> Callable[..., Any]:
        """A step on arrays of the device."""
        return with_module(step, self.cupy)


class Jax(Rival):
    """Compiled by XLA; double precision is asked for."""

    name = "JAX"
    module = "jax"

    def __init__(self) -> None:
        import jax

        jax.config.update("jax_enable_x64", True)
        self.jax: Any = jax

    def to_device(self, array: Any) -> Any:
        """A copy on the device."""
        return self.jax.device_put(array)

    def to_host(self, array: Any) -> Any:
        """A copy of a result in an ndarray."""
        return np.asarray(array)

    def wait(self, array: Any) -> None:
        """Wait until a result is there."""
        array.block_until_ready()

    def on_device(self, step: Callable[..., Any]) -> Callable[..., Any]:
        """A step on arrays of the device."""
        made: Callable[..., Any] = self.jax.jit(with_module(step, self.jax.numpy))
        return made


class TorchCompile(Rival):
    """`torch.compile` of the NumPy code as it is, on tensors, by `wrap_numpy`.

    The way for ndarrays that its documentation shows, a call in ``with torch.device("cuda")``,
    fails in torch 2.11 wherever two arrays are added; so tensors are copied around it here.
    """

    name = "torch.compile"
    module = "torch"

    def __init__(self) -> None:
        import torch

        torch._dynamo.reset()  # what it compiled of other programs counts against its limit
        self.torch: Any = torch

    def to_device(self, array: Any) -> Any:
        """A copy on the device."""
        return self.torch.from_numpy(array).to("cuda")

    def to_host(self, array: Any) -> Any:
        """A copy of a result in an ndarray."""
        return array.cpu().numpy()

    def wait(self, array: Any) -> None:
        """Wait until a result is there."""
        self.torch.cuda.synchronize()

    def on_device(self, step: Callable[..., Any]) -> Callable[..., Any]:
        """A step on tensors."""
        made: Callable[..., Any] = self.torch.compile(self.torch.compiler.wrap_numpy(step))
        return made


RIVALS: dict[str, type[Rival]] = {one.name: one for one in (CuPy, Jax, TorchCompile)}


def numpy_figure(program: Program, arrays: Arrays, dtype: str) -> tuple[Figure, Any]:
    """The step in NumPy, and its result."""
    given = in_precision(arrays, dtype)
    results: list[Any] = []
    seconds = best(lambda: results.append(program.step(*given)), 2)
    return Figure(program.name, "NumPy", dtype, "stays", seconds), results[0]
