"""The tools that are compared: how each is imported, prepared and called.

Each is used as its own documentation recommends. Nothing is imported until it
is asked for: a worker times that.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from tests.benchmarks.programs import Program

Run = Callable[..., Any]


@dataclass(frozen=True)
class Tool:
    """One tool.

    Parameters
    ----------
    name : str
        As in the results, and in the names of peers' files.
    label : str
        As a person reads it.
    module : str
        What is imported.
    distributions : tuple of str
        Whose versions matter.
    effort : float
        How long it takes to measure a program in it, against other tools, about.
    """

    name: str
    label: str
    module: str
    distributions: tuple[str, ...]
    effort: float

    @property
    def installed(self) -> bool:
        """Whether it can be imported."""
        return importlib.util.find_spec(self.module) is not None

    def versions(self) -> dict[str, str]:
        """Versions of what matters."""
        return {name: metadata.version(name) for name in self.distributions}

    def has(self, program: Program) -> bool:
        """Whether there is a version of a program for it."""
        return self.name not in ("numba", "jax") or self.name in program.peers

    def load(self, program: Program) -> Callable[[], Run]:
        """Import the tool; what comes back prepares the program, anew each time."""
        importlib.import_module(self.module)
        if self.name == "ours":
            return lambda: _ours(program.run)
        if self.name == "torch":
            run = program.peer("torch") if "torch" in program.peers else program.run
            return lambda: _torch(run)
        if self.name == "numpy":
            return lambda: program.run
        peer = program.peer(self.name)
        return lambda: peer

    def wrap(self, function: Run) -> Run:
        """Prepare a function of NumPy calls that every tool understands as it is."""
        importlib.import_module(self.module)
        if self.name == "jax":
            jax = importlib.import_module("jax")
            jax.config.update("jax_enable_x64", True)
            compiled = jax.jit(function)
            return lambda *args: compiled(*args).block_until_ready()
        if self.name == "numba":
            compiled_by_numba: Run = importlib.import_module("numba").njit(function)
            return compiled_by_numba
        if self.name == "torch":
            return _torch(function)
        return _ours(function) if self.name == "ours" else function

    def arguments(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments as a user of the tool holds them: for JAX, its own arrays."""
        if self.name != "jax":
            return args
        jax_array = importlib.import_module("jax.numpy").array
        return tuple(jax_array(arg) if isinstance(arg, np.ndarray) else arg for arg in args)

    def settle(self, timeout: float) -> bool:
        """Wait until nothing is compiled in the background; False when time was not enough."""
        if self.name != "ours":
            return True
        import jupyter_npcompile as npc

        return npc.wait(timeout)

    def activity(self) -> tuple[int, ...]:
        """Grows with what a tool does besides computing: it compiles, or decides what is faster.

        The other tools compile while they are called, and try nothing later.
        """
        if self.name != "ours":
            return ()
        import jupyter_npcompile as npc

        counted = npc.stats()
        return tuple(counted[name] for name in ("recordings", "artifacts", "recalled", "decisions"))


def _ours(function: Run) -> Run:
    import jupyter_npcompile as npc

    return npc.compile(function)


def _torch(function: Run) -> Run:
    import torch

    torch._dynamo.reset()
    compiled: Run = torch.compile(function)
    return compiled


NUMPY = Tool("numpy", "NumPy", "numpy", ("numpy",), 1.0)
OURS = Tool("ours", "npcompile", "jupyter_npcompile", ("numpy", "torch"), 10.0)
NUMBA = Tool("numba", "Numba", "numba", ("numpy", "numba", "llvmlite"), 3.0)
JAX = Tool("jax", "JAX", "jax", ("numpy", "jax", "jaxlib"), 2.5)
TORCH = Tool("torch", "torch.compile", "torch", ("numpy", "torch"), 9.0)

TOOLS = (NUMPY, OURS, NUMBA, JAX, TORCH)
"""All tools, in the order in which they are measured and shown."""

COMPARED = TOOLS[1:]
"""Those that are compared with NumPy."""


def named(name: str) -> Tool:
    """A tool by its name."""
    return next(tool for tool in TOOLS if tool.name == name)


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def environment(threads: int, cache: Path) -> dict[str, str]:
    """Environment variables that give every tool so many threads, and a cache of its own."""
    made = dict.fromkeys(
        (
            "OMP_NUM_THREADS",
            "OPENBLAS_NUM_THREADS",
            "MKL_NUM_THREADS",
            "NUMBA_NUM_THREADS",
            "NPROC",  # JAX
        ),
        str(threads),
    )
    if threads == 1:
        made["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
    return made | {
        "JAX_PLATFORMS": "cpu",
        "JAX_COMPILATION_CACHE_DIR": str(cache / "jax"),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
        "NUMBA_CACHE_DIR": str(cache / "numba"),
        "TORCHINDUCTOR_CACHE_DIR": str(cache / "inductor"),
        "XDG_CACHE_HOME": str(cache / "user"),
    }
