"""CUDA graphs: many launches at once, where that takes less time than one by one.

A loop over small arrays spends its time launching. A graph that was captured once launches
all kernels of its body together; its arguments lie where they lay then, so they are copied
there before, and its results are copied before the next run. Both ways are timed, once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import torch

from jupyter_npcompile.runtime.device.device import Launch
from jupyter_npcompile.runtime.errors import first_line
from jupyter_npcompile.tracer.memory import overlaps_itself

CALLS = 8
"""Calls one by one, before anything is captured: what runs less often is not worth it."""

LARGEST = 2**24
"""Bytes of arguments and results, at most: more of them take longer than their launches."""

LONGEST = 2e-3
"""Seconds of a run that launches one by one, at most, for the same reason."""

WORTH = 0.9
"""Part of the time that launching at once may take, at most."""

ROUNDS = 3


class Captures:
    """Kernels, launched in the way that takes less time.

    Parameters
    ----------
    kernels : callable
        Launches them one by one. It changes none of its arguments.
    place : torch.device
        The GPU.
    capture : callable
        Captures a run of them: see `capture`.
    synchronise : callable
        Waits for the GPU.

    Attributes
    ----------
    reason : str
        Why they are launched one by one; ``"not tried"`` at first, and empty if they are not.
    """

    def __init__(
        self,
        kernels: Launch,
        place: torch.device,
        capture: Callable[[Launch, Sequence[torch.Tensor]], Launch],
        synchronise: Callable[[], None],
    ) -> None:
        self.reason = "not tried"
        self._kernels = kernels
        self._place = place
        self._capture = capture
        self._synchronise = synchronise
        self._calls = 0
        self._at_once: Launch | None = None
        self._layouts: list[tuple[Any, ...]] = []

    def __call__(self, *tensors: torch.Tensor) -> Sequence[Any]:
        """Launch; results may be under way."""
        if self._calls <= CALLS:
            self._calls += 1
            if self._calls == CALLS:
                self.reason = self._tried(tensors)
        if self._at_once is not None and self._layouts == list(map(_layout, tensors)):
            return self._at_once(*tensors)
        return self._kernels(*tensors)

    def _tried(self, tensors: Sequence[torch.Tensor]) -> str:
        """Capture and compare; gives the reason if nothing comes of it."""
        if _nbytes(tensors) > LARGEST:
            return "its arrays are large"
        results = _tensors(self._kernels(*tensors))
        if _nbytes([*tensors, *results]) > LARGEST:
            return "its arrays are large"
        if any(one.device != self._place for one in (*tensors, *results)):
            return "not everything is there"
        again = _tensors(self._kernels(*tensors))
        if all(one.data_ptr() == two.data_ptr() for one, two in zip(results, again, strict=True)):
            return "nothing is launched"  # they are arguments, or constants
        if any(overlaps_itself(one.shape, one.stride()) for one in tensors):
            return "elements of an argument share memory"
        apart = self._seconds(self._kernels, tensors)
        if apart > LONGEST:
            return "its launches do not matter"
        try:
            captured = self._capture(self._kernels, tensors)
            together = self._seconds(captured, tensors)
        except Exception as error:  # it waits for the GPU on the way, say
            self._synchronise()
            return f"not captured: {first_line(error)}"
        if together > WORTH * apart:
            return f"{together * 1e6:.0f} µs at once, {apart * 1e6:.0f} µs one by one"
        self._layouts = list(map(_layout, tensors))
        self._at_once = captured
        return ""

    def _seconds(self, launch: Launch, tensors: Sequence[torch.Tensor]) -> float:
        found = []
        for _ in range(ROUNDS):
            self._synchronise()
            began = perf_counter()
            launch(*tensors)
            self._synchronise()
            found.append(perf_counter() - began)
        return min(found)


def _tensors(results: Sequence[Any]) -> list[torch.Tensor]:
    return [one for one in results if isinstance(one, torch.Tensor)]


def _nbytes(tensors: Sequence[torch.Tensor]) -> int:
    return sum(tensor.nbytes for tensor in tensors)


def _layout(tensor: torch.Tensor) -> tuple[Any, ...]:
    return tensor.shape, tensor.stride(), tensor.dtype


def capture(kernels: Launch, tensors: Sequence[torch.Tensor]) -> Launch:
    """Capture a run of kernels in a CUDA graph.

    Parameters
    ----------
    kernels : callable
        What has run before with such tensors: nothing is compiled any more.
    tensors : sequence of torch.Tensor
        On a GPU.

    Returns
    -------
    callable
        Takes such tensors, and gives results in memory of their own.

    Raises
    ------
    RuntimeError
        When they wait for the GPU, or do what cannot be captured.
    """
    given = [
        torch.empty_strided(one.shape, one.stride(), dtype=one.dtype, device=one.device).copy_(one)
        for one in tensors
    ]
    graph: Any = torch.cuda.CUDAGraph()
    cuda: Any = torch.cuda
    stream = cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        # What other threads do meanwhile, such as compiling, does not matter.
        graph.capture_begin(capture_error_mode="thread_local")
        try:
            made = kernels(*given)
        finally:
            graph.capture_end()
    torch.cuda.current_stream().wait_stream(stream)

    def run(*arguments: torch.Tensor) -> Sequence[Any]:
        if arguments:
            torch._foreach_copy_(given, list(arguments))
        graph.replay()
        return [one.clone() if isinstance(one, torch.Tensor) else one for one in made]

    return run
