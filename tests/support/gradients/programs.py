"""Gradients of whole programs, those of the benchmarks, against central differences."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from jupyter_npcompile.autodiff.api import value_and_grad
from jupyter_npcompile.autodiff.errors import GradientError
from tests.benchmarks.programs import Program
from tests.support.gradients.calls import Verdict, differences, numbers, weights

TINY: dict[str, dict[str, int]] = {
    "attention": {"heads": 1, "n": 12, "width": 4},
    "biquad_filter": {"n": 60},
    "laplacian_3d": {"n": 5},
    "pressure_jacobi": {"n": 5},
    "quaternion_attitude": {"steps": 12},
    "cholesky_loops": {"n": 8},
    "lu_solve": {"n": 8},
    "conv_pixels": {"n": 8},
    "limited_advection": {"n": 60},
    "median_filter": {"n": 8},
}
"""Sizes that are small enough for every test run."""

INTEGERS = frozenset(
    {"asian_option", "collatz", "crc_bits", "edit_distance", "equalise_histogram"}
    | {"hamming_distances", "ising_checkerboard", "maxwell_staggered", "sieve", "sobel_edges"}
)
"""Programs without a floating-point argument."""

NOT_SMOOTH = frozenset({"mutual_information", "radial_profile"})
"""Programs that count, or take the root of a variance of one number: differences say nothing."""

TIED = frozenset({"limited_advection", "median_filter"})
"""Programs whose arguments have equal elements, where they are not smooth: others are taken."""


def untied(program: Program) -> Program:
    """A program at arguments without equal elements."""

    def make(**size: int) -> tuple[Any, ...]:
        rng = np.random.default_rng(7)
        return tuple(arg + rng.uniform(0.0, 0.3, np.shape(arg)) for arg in program.make(**size))

    return replace(program, make=make)


def leaves_of(args: Any) -> list[int]:
    """The arguments that can be differentiated."""
    return [
        k
        for k, arg in enumerate(args)
        if np.asarray(arg).dtype.name in ("float64", "complex128") and np.size(arg)
    ]


def total_of(run: Any, given: Any, args: Any, places: Any) -> Any:
    """A number made of all that a program gives and writes."""
    every = list(args)
    for place, value in zip(places, given, strict=True):
        every[place] = value
    result = run(*every)
    sums = 0.0
    for k, value in enumerate(numbers((result, every))):
        sums = sums + np.sum(np.real(value * weights(value, k)))
    return sums


def check(program: Program, size: dict[str, int], run: Any = None) -> Verdict:
    """Compare the gradient of a program with central differences along a direction."""
    run = run or program.run
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        args = program.make(**size)
        places = leaves_of(args)
        if not places:
            return Verdict("skipped", "it computes with integers")
        rng = np.random.default_rng(1)
        scale = [max(float(np.max(np.abs(args[k]))), 1e-3) for k in places]
        direction = [
            rng.uniform(-1, 1, np.shape(args[k])) * s for k, s in zip(places, scale, strict=True)
        ]

        def along(t: float) -> float:
            fresh = program.make(**size)
            moved = [fresh[k] + t * d for k, d in zip(places, direction, strict=True)]
            return float(total_of(program.run, moved, fresh, places))

        expected, sure = differences(along)
        if not sure:
            return Verdict("skipped", "not smooth here")
        try:
            value, found = value_and_grad(lambda given: total_of(run, given, args, places))(
                [args[k] for k in places]
            )
        except GradientError as error:
            return Verdict("refused", str(error))
        slope = sum(float(np.sum(np.real(g * d))) for g, d in zip(found, direction, strict=True))
        size_ = max(abs(expected), abs(slope), 1e-6 * abs(float(value)))
        if not abs(slope - expected) <= 1e-4 * size_ + 1e-6:
            return Verdict("wrong", f"{slope} instead of {expected}")
    return Verdict("right", f"{slope:.6g}")


def results_of(result: Any) -> tuple[Any, ...]:
    """What a program gives, one by one."""
    return result if isinstance(result, tuple) else (result,)


def loss_of(program: Program, args: Any) -> tuple[Any, list[Any]]:
    """A number made of what a program gives, as a pure function of its floats; and those."""
    places = leaves_of(args)
    run = program.run

    def computed(given: Any) -> Any:
        filled = list(args)
        for place, value in zip(places, given, strict=True):
            filled[place] = value.copy() if isinstance(value, np.ndarray) else value
        return results_of(run(*filled))

    given = [args[k] for k in places]
    parts = [
        (k, weights(value, k))
        for k, value in enumerate(computed(given))
        if np.asarray(value).dtype.kind in "fc"
    ]

    def loss(given: Any) -> Any:
        found = computed(given)
        return sum(np.sum(np.real(found[k] * part)) for k, part in parts)

    return loss, given
