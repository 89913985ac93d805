"""CUDA: tensors in the memory of a GPU, and kernels that Inductor writes in Triton.

The tests of this module look at what can be seen without a GPU; those that need one
carry the marker ``cuda``.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from jupyter_npcompile.runtime.device.device import (
    Device,
    DeviceMemoryError,
    Launch,
    LaunchError,
)
from jupyter_npcompile.runtime.errors import first_line
from jupyter_npcompile.runtime.notices import say

if TYPE_CHECKING:
    import torch

    from jupyter_npcompile.runtime.device.staging import Staging


_INDUCTOR = {"compile_threads": 1}
"""Triton compiles in the thread that asks for it: no processes are left behind, and no threads
that look as if the user's code ran in them (`residency.is_alone`)."""


class Cuda(Device):
    """A CUDA device.

    Parameters
    ----------
    name : str
        ``"cuda"``, which is the first one, or ``"cuda:1"``; with `` float32`` behind
        it, segments compute in single precision.
    """

    competes = True

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        plain, _, precision = name.partition(" ")
        self.index = int(plain.partition(":")[2] or 0)
        self.single = bool(precision)

    @property
    def place(self) -> torch.device:
        """The device as torch names it."""
        import torch

        return torch.device("cuda", self.index)

    @property
    def free(self) -> int:
        """Bytes that the driver has, and that torch keeps without using them."""
        import torch

        free, _ = torch.cuda.mem_get_info(self.place)
        kept = torch.cuda.memory_reserved(self.place) - torch.cuda.memory_allocated(self.place)
        return int(free) + kept

    def demand(self, nbytes: int) -> None:
        """Nothing: the allocator knows best, and says so when it runs."""

    def put(self, tensor: torch.Tensor) -> torch.Tensor:
        """A copy on the GPU; the tensor may change as soon as this returns."""
        with self.guarded(tensor.nbytes):
            from jupyter_npcompile.runtime.device.staging import WORTH, flat, is_dense

            staging = None if tensor.nbytes < WORTH else self._staging
            if staging is None or not is_dense(tensor):
                # Unless it is pinned, the driver has read it when this returns.
                return tensor.to(self.place, copy=True, non_blocking=not tensor.is_pinned())
            made = self.empty(tensor.shape, tensor.stride(), tensor.dtype)
            staging.to_device(flat(tensor), flat(made))
            return made

    def get(self, tensor: torch.Tensor, host: torch.Tensor) -> None:
        """Copy into host memory."""
        with self.guarded(0):
            from jupyter_npcompile.runtime.device.staging import WORTH, flat, is_dense

            alike = tensor.dtype == host.dtype and tensor.stride() == host.stride()
            staging = None if host.nbytes < WORTH else self._staging
            if staging is None or not alike or not is_dense(host):
                host.copy_(tensor)
            else:
                staging.to_host(flat(tensor), flat(host))

    @functools.cached_property
    def _staging(self) -> Staging | None:
        """Pinned memory for large copies; None where there is none."""
        from jupyter_npcompile.runtime.device.staging import Staging

        try:
            return Staging(self.place)
        except RuntimeError as error:
            say(f"copies to {self.name} take longer: no memory can be pinned: {first_line(error)}")
            return None

    def empty(
        self, shape: Sequence[int], strides: Sequence[int], dtype: torch.dtype
    ) -> torch.Tensor:
        """A tensor on the GPU."""
        import torch

        size, steps = tuple(shape), tuple(strides)
        extent = 1 + sum((n - 1) * step for n, step in zip(size, steps, strict=True))
        with self.guarded(extent * dtype.itemsize):
            return torch.empty_strided(size, steps, dtype=dtype, device=self.place)

    def prepare(self, module: torch.fx.GraphModule, *, one_by_one: bool) -> tuple[Launch, str]:
        """What Inductor makes of the graph; the graph itself where it makes nothing of it."""
        if one_by_one:
            return module, "aten"
        import torch
        from torch._inductor import config, standalone_compile

        from jupyter_npcompile.runtime.device.captures import Captures, capture
        from jupyter_npcompile.runtime.device.signs import KEPT, with_signs
        from jupyter_npcompile.tracer.lowering import INDUCTOR

        examples = [node.meta["val"] for node in module.graph.nodes if node.op == "placeholder"]
        given: list[torch.Tensor | int | torch.SymInt | None] = [
            self.empty(v.shape, v.stride(), v.dtype) for v in examples
        ]
        try:
            with config.patch({**INDUCTOR, **_INDUCTOR, **KEPT}), torch.no_grad():
                made = standalone_compile(
                    with_signs(module), given, dynamic_shapes="from_example_inputs"
                )
        except Exception as error:
            reason = f"{type(error).__name__}: {first_line(error)}"
            say(f"Inductor compiles nothing for {self.name}, operations run one by one: {reason}")
            return module, "aten"
        return Captures(made, self.place, capture, self.synchronise), "inductor"

    def launch(
        self, kernels: Launch, tensors: Sequence[torch.Tensor], nbytes: int
    ) -> Sequence[torch.Tensor]:
        """Begin to run: a failing kernel says so later."""
        import torch

        with self.guarded(nbytes), torch.cuda.device(self.place):
            return kernels(*tensors)

    def synchronise(self) -> None:
        """Wait for the GPU."""
        import torch

        torch.cuda.synchronize(self.place)

    @contextmanager
    def guarded(self, nbytes: int) -> Iterator[None]:
        """Turn what torch raises into what the runtime knows.

        Parameters
        ----------
        nbytes : int
            What is expected to be allocated.
        """
        import torch

        try:
            yield
        except torch.cuda.OutOfMemoryError:
            raise DeviceMemoryError(self.name, nbytes, self.free) from None
        except RuntimeError as error:
            raise LaunchError(self.name, first_line(error)) from error
