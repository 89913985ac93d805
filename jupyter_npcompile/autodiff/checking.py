"""The independent check: one directional derivative against plain NumPy runs.

It notices what no hook can see: numbers that went through text, or through the
memory of a library.
"""

from __future__ import annotations

import contextlib
import copy
import io
import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from jupyter_npcompile.autodiff.cuts import holding
from jupyter_npcompile.autodiff.errors import GradientError
from jupyter_npcompile.autodiff.memory_copies import copy_as_it_lies, memory_like
from jupyter_npcompile.autodiff.programs import Program, program_of
from jupyter_npcompile.autodiff.tape import Tape
from jupyter_npcompile.autodiff.trees import flatten, map_leaves
from jupyter_npcompile.dataclass import dataclass

STEP = 1e-5
"""Relative to the values."""

CLOSE = 1e-3
"""Relative difference of derivatives that are the same."""

WRONG = 5e-2
"""Relative difference of derivatives that surely are not."""

PATIENCE = 1.0
"""Seconds of a run that is made again."""

SLOWER = 5
"""How many times as long the tape takes as Python, at least, for what is not NumPy's work."""


@dataclass(frozen=True, slots=True)
class Check:
    """What a check found.

    Parameters
    ----------
    status : {"agrees", "unchecked", "inconclusive"}
        A difference is an error.
    reason : str
        Why it was not checked, or says nothing.
    """

    status: str
    reason: str = ""

    def __str__(self) -> str:
        return f"{self.status}: {self.reason}" if self.reason else self.status


def reason_not_to(program: Program, seconds: float) -> str:
    """Why a run is not made again, or ``""``."""
    tape = program.tape
    if tape is None:
        return "a derivative of a derivative"
    if tape.effects:
        return f"the function does more than compute: {tape.effects[0]}"
    if any(np.asarray(leaf).dtype.itemsize < 8 for leaf in program.leaves):
        return "single precision has too few digits for differences"
    if any(np.asarray(leaf).dtype.name == "complex64" for leaf in program.leaves):
        return "single precision has too few digits for differences"
    within = min(tape.recorder.seconds, seconds)
    if (plain := within + (seconds - within) / SLOWER) > PATIENCE:
        return f"a run takes some {plain:.1f} s"
    return ""


def check(
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: dict[str, Any],
    program: Program,
    gradients: Sequence[Any],
    seconds: float,
    *,
    scalar: Callable[[Any], Any],
) -> Check:
    """Compare gradients with plain runs of the function.

    Parameters
    ----------
    function : callable
        What was differentiated.
    args, kwargs
        What it was called with.
    program : Program
        Of the run.
    gradients : sequence
        One for each leaf.
    seconds : float
        Time of the run on the tape.
    scalar : callable
        From what the function returns to the number that was differentiated.

    Raises
    ------
    GradientError
        When a gradient is certainly not the derivative.
    """
    reason = reason_not_to(program, seconds)
    if reason:
        return Check("unchecked", reason)
    rng = np.random.default_rng(0)
    direction = [_direction(rng, leaf) for leaf in program.leaves]
    expected = math.fsum(
        float(np.sum(np.real(np.asarray(g) * d))) for g, d in zip(gradients, direction, strict=True)
    )
    runs = _Runs(function, args, kwargs, program, direction, scalar)
    try:
        found = runs.slope(STEP)
    except Exception as error:
        return Check("inconclusive", f"a run nearby raises {type(error).__name__}: {error}")
    if not (math.isfinite(found) and math.isfinite(expected)):
        return Check("inconclusive", "values are not finite")
    size = max(abs(found), abs(expected))
    noise = 1e-9 * abs(runs.last) / STEP
    if abs(found - expected) <= CLOSE * size + noise:
        return Check("agrees")
    return _examined(runs, expected, size, noise, program)


def _examined(runs: _Runs, expected: float, size: float, noise: float, program: Program) -> Check:
    """A difference: a mistake, or a place where the function is not smooth."""
    try:
        slopes = [runs.slope(STEP * factor) for factor in (10, 1, 0.1)]
        left, right = runs.sides(STEP)
    except Exception as error:
        return Check("inconclusive", f"a run nearby raises {type(error).__name__}: {error}")
    spread = max(slopes) - min(slopes)
    uneven = spread > max(map(abs, slopes)) / 2 + noise * 20  # beside a pole, say
    if (
        uneven
        or spread > CLOSE * 10 * size + noise * 20
        or abs(left - right) > WRONG * size + noise * 20
    ):
        return Check("inconclusive", "the function is not smooth here")
    if abs(slopes[1] - expected) <= WRONG * size + noise * 20:
        return Check("inconclusive", "differences are not precise enough")
    if program.tape is not None and program.tape.custom:
        return Check("inconclusive", f"`{program.tape.custom[0]}` has a registered derivative")
    try:
        turns = runs.turns(STEP) or runs.turns(-STEP)
    except Exception as error:
        return Check("inconclusive", f"a run nearby raises {type(error).__name__}: {error}")
    if turns:
        return Check("inconclusive", "nearby, a test or a loop goes another way")
    raise GradientError(
        "the gradient is not the derivative of the function: along one direction NumPy gives "
        f"{slopes[1]:.6g}, the gradient {expected:.6g}. A value was used in a way that is not "
        "followed, for example through text or inside a library",
        "stop_gradient(x) cuts on purpose; register_vjp(fn, vjp) teaches a derivative",
    )


def _direction(rng: Any, leaf: Any) -> Any:
    scale = max(float(np.max(np.abs(leaf), initial=0.0)), 1e-2)
    found = rng.uniform(0.3, 1.0, np.shape(leaf)) * rng.choice([-1.0, 1.0], np.shape(leaf))
    if np.iscomplexobj(leaf):
        found = found + 1j * rng.uniform(0.3, 1.0, np.shape(leaf))
    return found * min(scale, 1e3)


class _Runs:
    """Plain runs at points along a line."""

    def __init__(
        self,
        function: Callable[..., Any],
        args: Sequence[Any],
        kwargs: dict[str, Any],
        program: Program,
        direction: list[Any],
        scalar: Callable[[Any], Any],
    ) -> None:
        self._function, self._args, self._kwargs = function, args, kwargs
        self._program, self._direction, self._scalar = program, direction, scalar
        self._known: dict[float, float] = {}
        self.last = 0.0

    def slope(self, step: float) -> float:
        """The derivative by a central difference."""
        return (self.at(step) - self.at(-step)) / (2 * step)

    def sides(self, step: float) -> tuple[float, float]:
        """The derivatives to the left and to the right."""
        middle = self.at(0.0)
        return (middle - self.at(-step)) / step, (self.at(step) - middle) / step

    def turns(self, t: float) -> bool:
        """Whether a test comes out otherwise at a distance, or a loop ends earlier or later."""
        tape = self._program.tape
        assert tape is not None
        if not tape.path:
            return False
        positions = [position for position in self._program.trees if position >= 0]
        with self._as_before(tape):
            args, kwargs = self._moved(t), copied(self._kwargs)
            near = program_of(self._function, args, kwargs, positions, once=tape.repeats)
        assert near.tape is not None
        return near.tape.path != tape.path

    def at(self, t: float) -> float:
        """The value at a distance."""
        if t not in self._known:
            self._known[t] = self._run(t)
        self.last = self._known[t]
        return self._known[t]

    def _run(self, t: float) -> float:
        tape = self._program.tape
        assert tape is not None
        with self._as_before(tape):
            result = self._function(*self._moved(t), **copied(self._kwargs))
        return float(np.real(self._scalar(result)))

    @contextlib.contextmanager
    def _as_before(self, tape: Tape) -> Iterator[None]:
        """Nothing is shown, random numbers and what is held constant are those of the run."""
        with (
            contextlib.redirect_stdout(io.StringIO()),
            np.errstate(all="ignore"),
            warnings.catch_warnings(),
            tape.streams.again(),
            holding(tape.held),
        ):
            warnings.simplefilter("ignore")
            yield

    def _moved(self, t: float) -> list[Any]:
        args = [copied(arg) for arg in self._args]
        moved = map(_added, self._program.leaves, (t * d for d in self._direction))
        for position, tree in self._program.trees.items():
            if position >= 0:
                old = flatten(self._args[position])[0]
                args[position] = tree.build([_like(next(moved), leaf) for leaf in old])
        return args


def _added(leaf: Any, change: Any) -> Any:
    if not isinstance(leaf, np.ndarray):
        return leaf + change
    made = memory_like(leaf)
    np.add(leaf, change, out=made)
    return made


def copied(value: Any) -> Any:
    """The same nested value with arrays of its own."""

    def one(leaf: Any) -> Any:
        if isinstance(leaf, np.ndarray):
            return copy_as_it_lies(leaf)
        return copy.copy(leaf) if isinstance(leaf, list | dict | set) else leaf

    return map_leaves(one, value)


def _like(value: Any, leaf: Any) -> Any:
    return value if isinstance(leaf, np.ndarray) else type(leaf)(value)


def timed(function: Callable[[], Any]) -> tuple[Any, float]:
    """What a function gives, and how long it took."""
    began = perf_counter()
    result = function()
    return result, perf_counter() - began
