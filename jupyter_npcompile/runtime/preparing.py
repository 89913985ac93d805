"""From a recorded plan to one that runs, or to the reason why it does not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Protocol

from jupyter_npcompile.graph.amounts import duration
from jupyter_npcompile.graph.nodes import Graph, Position
from jupyter_npcompile.runtime import cache as caches
from jupyter_npcompile.runtime.artifacts import Artifact
from jupyter_npcompile.runtime.compile_errors import (
    CancelledError,
    CompileFailedError,
    UnbuildableError,
)
from jupyter_npcompile.runtime.errors import first_line
from jupyter_npcompile.runtime.plan import Plan
from jupyter_npcompile.runtime.policy import GUARDS_US, faster
from jupyter_npcompile.runtime.settings import settings
from jupyter_npcompile.runtime.stats import counters
from jupyter_npcompile.tracer.breaks import Break
from jupyter_npcompile.tracer.lowering.errors import LoweringError
from jupyter_npcompile.tracer.recording import Stop


class Statements(Protocol):
    """Where statements are."""

    def statement_at(self, position: Position) -> int | None:
        """The statement that holds a position."""


def prepare(plan: Plan, get: Callable[[], Artifact | None], code: Statements) -> bool:
    """Give a plan its artifact; whatever goes wrong is kept in it.

    Parameters
    ----------
    plan : Plan
        What was recorded.
    get : callable
        Makes the artifact, or finds it; None when there is none to be found.
    code : Statements
        What was recorded from.

    Returns
    -------
    bool
        False when there was none, and all is as before.
    """
    began = perf_counter()
    try:
        artifact = get()
    except LoweringError as error:
        _limit(plan, error, code)
    except UnbuildableError as error:
        plan.state, plan.note = "numpy", f"no native code for this: {error}"
    except CancelledError:
        plan.state, plan.note = "numpy", "compiling was interrupted"
    except CompileFailedError as error:
        counters.fallbacks += 1
        plan.state, plan.note = "numpy", str(error)
    except Exception as error:
        counters.fallbacks += 1
        plan.state = "numpy"
        plan.note = f"compiling failed: {type(error).__name__}: {first_line(error)}"
    else:
        if artifact is None:
            return False
        plan.timings["compile_ms"] = (perf_counter() - began) * 1e3
        plan.artifact = artifact
        plan.state = "ready"
        plan.note = getattr(artifact.program, "note", "") or plan.note
        plan.epsilon = getattr(artifact.program, "epsilon", 0.0)
    return True


def companions(plan: Plan, relatives: Sequence[Plan]) -> list[Graph]:
    """The graphs that what is compiled for a plan shall serve, too.

    Parameters
    ----------
    plan : Plan
        What was recorded.
    relatives : sequence of Plan
        Plans that differ from it in sizes only.
    """
    graphs = [other.recording.graph for other in relatives if other.limit is None]
    if plan.recording.free:
        graphs.append(plan.recording.graph)  # it knows other bounds of slices itself
    return graphs


def _limit(plan: Plan, error: LoweringError, code: Statements) -> None:
    """Have a plan recorded again, up to the statement that cannot be lowered."""
    statement = code.statement_at(error.position)
    op = error.op.replace("numpy.", "np.", 1)
    if statement is None:
        plan.state, plan.note = "numpy", f"`{op}`: {error.reason}"
        return
    plan.limit = Stop(statement, error.position, Break("host", f"`{op}`: {error.reason}"))


def _why_numpy(numpy_us: float, compiled_us: float) -> str:
    """Why compiled code is not used.

    Examples
    --------
    >>> _why_numpy(10.0, 31.4)
    'NumPy is faster here: 10 µs against 31 µs'
    >>> _why_numpy(0.62, 0.49)
    'too little to gain here: 0.62 µs in NumPy, 0.49 µs compiled and 1.7 µs for guards'
    """
    plain, ours = duration(numpy_us), duration(compiled_us)
    if compiled_us >= numpy_us:
        return f"NumPy is faster here: {plain} against {ours}"
    guards = duration(GUARDS_US)
    return f"too little to gain here: {plain} in NumPy, {ours} compiled and {guards} for guards"


def judge(plan: Plan) -> None:
    """Keep NumPy where it was faster, and remember what was measured for later kernels."""
    numpy_us, compiled_us = plan.timings["numpy_us"], plan.timings["compiled_us"]
    wins = faster(numpy_us, compiled_us)
    if not wins:
        plan.state = "numpy"
        plan.note = _why_numpy(numpy_us, compiled_us)
    if plan.artifact is not None and plan.artifact.key:
        tier = plan.artifact.tier if wins else "numpy"
        caches.cache().remember(plan.artifact.key, tier, numpy_us, compiled_us)


def take_verdict(plan: Plan) -> None:
    """Spare a plan the check and the measurements that an earlier kernel has made."""
    if plan.artifact is None or plan.artifact.verdict is None or settings.tier != "auto":
        return
    verdict = plan.artifact.verdict
    if settings.first_run_check == "raise":
        return  # somebody wants to see differences
    plan.checked = True
    plan.timings["numpy_us"] = verdict["numpy_us"]
    plan.timings["compiled_us"] = verdict["compiled_us"]
    plan.recording.forget()
    if verdict["tier"] == "numpy":
        judge(plan)
