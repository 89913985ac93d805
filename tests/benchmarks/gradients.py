"""How long a gradient takes: against the function itself, the tape, JAX and HIPS autograd.

``python -m tests.benchmarks.gradients [PROGRAM...]`` measures programs without
loops, and then programs with them, in one thread, and prints two tables. Tools
that are not installed are left out. Each figure is the best of several calls,
after everything has been compiled; tools run in turns.
"""

from __future__ import annotations

import importlib.util
import math
import os
import sys
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import numpy as np

import jupyter_npcompile as npc
from jupyter_npcompile.runtime.selector.thresholds import LONG_TAPES
from tests.benchmarks import programs
from tests.benchmarks.machine import describe, today
from tests.benchmarks.tools import COMPARED

LOOP_FREE = (
    "attention", "black_scholes", "cross_entropy", "gaussian_mixture", "great_circle",
    "matrix_exponential", "mean_curvature", "pca", "pooling", "ridge_regression", "softmax_rows",
    "spectral_poisson", "standardise", "welch_spectrum",
)  # fmt: skip
"""Programs without loops."""

LOOPS = (
    "heat_3d", "holt_smoothing", "kalman_filter", "kdv_solitons", "kepler_orbit",
    "logistic_map_ensemble", "nbody", "network_training", "quaternion_attitude", "split_step",
    "tridiagonal_lines", "wave_2d",
)  # fmt: skip
"""Programs with loops over time, iterations or rows."""

HEADING = "## Gradients"

SIZE = "small"
SECONDS = 0.3
"""Time for each tool and round."""


def leaves_of(args: Sequence[Any]) -> list[int]:
    """The arguments that are differentiated."""
    return [k for k, arg in enumerate(args) if np.asarray(arg).dtype.kind in "fc" and np.ndim(arg)]


def total(run: Callable[..., Any], args: Sequence[Any]) -> Any:
    """The sum of all that a program gives."""
    result = run(*args)
    sums = 0.0
    for value in result if isinstance(result, tuple) else (result,):
        sums = sums + np.sum(np.real(value))
    return sums


def ours(program: programs.Program, args: Sequence[Any], tier: Any) -> Callable[[], Any]:
    """The gradient by this package, in one tier."""
    run = program.run
    gradient = npc.value_and_grad(lambda *given: total(run, given), tuple(leaves_of(args)))

    def call() -> Any:
        npc.settings.tier = tier
        return gradient(*args)

    for _ in range(LONG_TAPES + 1 if tier == "auto" else 1):
        call()
    npc.wait()
    call()
    return call


def jax_tool(program: programs.Program, args: Sequence[Any]) -> Callable[[], Any]:
    """JAX's ``value_and_grad`` of the program's JAX version."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    run = program.peer("jax")
    module = vars(sys.modules[run.__module__])
    compiled = {name: f for name, f in module.items() if hasattr(f, "__wrapped__")}
    ready = jax.block_until_ready
    # Peers wait for their results; what is being traced cannot be waited for.
    jax.block_until_ready = lambda value: value
    jax.core.Tracer.block_until_ready = lambda self: self

    def summed(*given: Any) -> Any:
        return sum(jnp.sum(jnp.real(leaf)) for leaf in jax.tree_util.tree_leaves(run(*given)))

    given = [jnp.asarray(a) if isinstance(a, np.ndarray) else a for a in args]
    static = [k for k, a in enumerate(args) if not isinstance(a, np.ndarray)]
    gradient = jax.jit(
        jax.value_and_grad(summed, tuple(leaves_of(args))), static_argnums=tuple(static)
    )

    def call() -> Any:
        return ready(gradient(*given))

    # One jit around everything knows how many steps there are; JAX cannot differentiate loops
    # of which it does not.
    module.update({name: f.__wrapped__ for name, f in compiled.items()})
    run = module.get(run.__name__, run)
    try:
        call()
    finally:
        module.update(compiled)
        jax.block_until_ready = ready
        del jax.core.Tracer.block_until_ready
    return call


def autograd_tool(program: programs.Program, args: Sequence[Any]) -> Callable[[], Any]:
    """HIPS autograd: the program with autograd's NumPy in the place of NumPy."""
    import types

    import autograd
    import autograd.numpy as anp

    scope = {**sys.modules[program.run.__module__].__dict__, "np": anp}
    for name, value in list(scope.items()):
        if isinstance(value, types.FunctionType):
            scope[name] = types.FunctionType(value.__code__, scope, name, value.__defaults__)
    run = scope["run"]

    def summed(*given: Any) -> Any:
        result = run(*given)
        parts = result if isinstance(result, tuple) else (result,)
        return sum(anp.sum(anp.real(part)) for part in parts)

    gradient = autograd.value_and_grad(summed, tuple(leaves_of(args)))
    gradient(*args)
    return lambda: gradient(*args)


def best(call: Callable[[], Any]) -> float:
    """The shortest of several calls, in seconds."""
    found, ends = math.inf, perf_counter() + SECONDS
    while perf_counter() < ends:
        began = perf_counter()
        call()
        found = min(found, perf_counter() - began)
    return found


def measured(name: str) -> dict[str, float | str]:
    """Times of one program by tool; a text where a tool cannot."""
    program = programs.load(name)
    args = program.make(**program.sizes[SIZE])
    makers: dict[str, Callable[[], Callable[[], Any]]] = {
        "NumPy": lambda: lambda: total(program.run, args),
        "compiled": lambda: ours(program, args, "auto"),
        "tape": lambda: ours(program, args, "aten"),
    }
    if importlib.util.find_spec("jax") and "jax" in program.peers:
        makers["JAX"] = lambda: jax_tool(program, args)
    if importlib.util.find_spec("autograd"):
        makers["autograd"] = lambda: autograd_tool(program, args)
    tools: dict[str, Callable[[], Any]] = {}
    found: dict[str, float | str] = {}
    for tool, make in makers.items():
        try:
            tools[tool] = make()
        except Exception as error:
            found[tool] = f"{type(error).__name__}: {str(error).splitlines()[0][:60]}"
    for _ in range(3):
        for tool, call in tools.items():
            known = found.get(tool, math.inf)
            assert isinstance(known, float)
            found[tool] = min(known, best(call))
    return found


def table(rows: dict[str, dict[str, float | str]]) -> str:
    """The times in ms, and geometric means of ratios to the compiled gradient."""
    tools = list(dict.fromkeys(tool for row in rows.values() for tool in row))
    lines = ["| program | " + " | ".join(tools) + " |", "|---" * (len(tools) + 1) + "|"]
    for name, row in rows.items():
        shown = [f"{v * 1e3:.3f}" if isinstance(v, float) else "-" for v in map(row.get, tools)]
        lines.append(f"| {name} | " + " | ".join(shown) + " |")
    for tool in tools:
        ratios = [
            other / own
            for row in rows.values()
            if isinstance(other := row.get(tool), float)
            and isinstance(own := row.get("compiled"), float)
        ]
        if ratios:
            mean = math.exp(math.fsum(map(math.log, ratios)) / len(ratios))
            lines.append(f"\n{tool} / compiled, geometric mean of {len(ratios)}: {mean:.2f}")
    failures = [
        f"{n}, {t}: {v}" for n, row in rows.items() for t, v in row.items() if isinstance(v, str)
    ]
    return "\n".join([*lines, "", *failures])


def introduction() -> str:
    """What the figures are, and where they were measured."""
    machine = describe(COMPARED)
    return (
        f"{HEADING}\n\n"
        "Value and gradients, in ms, at the small size, in one thread: the best of several calls "
        "after everything has been compiled, tools in turns in one process. `NumPy` is the "
        "function itself; `compiled` and `tape` are this package's.\n\n"
        f"{machine['processor']}, {today()}, load {os.getloadavg()[1]:.1f}, "
        f"commit {machine['commit']}."
    )


def main(names: Sequence[str]) -> None:
    """Measure and print."""
    npc.settings.first_run_check = "raise"
    print(introduction(), flush=True)
    for title, group in (("Programs without loops", LOOP_FREE), ("Programs with loops", LOOPS)):
        rows = {}
        for name in group:
            if not names or name in names:
                rows[name] = measured(name)
                print(name, rows[name], file=sys.stderr, flush=True)
        if rows:
            print(f"\n### {title}\n\n{table(rows)}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
