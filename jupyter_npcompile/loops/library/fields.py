"""Calls on what is sampled: ``np.gradient``, ``np.trapezoid``, ``np.convolve``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from jupyter_npcompile.loops import arithmetic, cuts, elementwise
from jupyter_npcompile.loops.calls import Call, elements, named, of, register
from jupyter_npcompile.loops.kinds import Declined
from jupyter_npcompile.loops.library.results import NONE, made, place_of
from jupyter_npcompile.loops.values import ALL, Cut, Items, Known, Ref, Scalar, Value

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names

MODES = {"full": "FULL_LENGTH", "same": "SAME_LENGTH", "valid": "VALID_LENGTH"}
LONGEST = 256
"""Numbers of a kernel with which arrays are convolved here."""


@of(np.gradient)
def _gradient(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if not args or set(kwargs) - {"axis"} or kwargs.get("axis") == NONE:
        raise Declined("np.gradient with these arguments")
    w = t.writer
    ref = elementwise.materialise(w, elements(args[0]))
    if ref.dtype != "float64":
        raise Declined(f"np.gradient of {ref.dtype}")
    axes: Sequence[int] = range(ref.ndim)
    if "axis" in kwargs:
        axes = (place_of(kwargs["axis"], ref.ndim),)
    given = args[1:] or [arithmetic.constant(1.0)]
    if len(given) == 1:
        given = [*given] * len(axes)
    steps = [step for step in given if isinstance(step, Scalar) and step.type.kind in "iuf"]
    if len(steps) != len(given) or len(steps) != len(axes):
        raise Declined("np.gradient with these steps")
    results = []
    for axis, step in zip(axes, steps, strict=True):
        by = w.hold("double", f"(double){step.code}")
        results.append(made(t, f"gradient(run, {ref.code}, {axis}, {by})", "float64", ref.ndim))
    return results[0] if len(results) == 1 else Items(tuple(results))


@of(np.trapezoid)
def _trapezoid(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    given = named("np.trapezoid", ("y", "x", "dx"), args, kwargs, none=("x",))
    w = t.writer
    y = elementwise.materialise(w, elements(given.get("y", NONE)))
    by: Value = given.get("dx", arithmetic.constant(1.0))
    if "x" in given:
        x = elementwise.materialise(w, elements(given["x"]))
        if x.ndim != 1:
            raise Declined("np.trapezoid over several dimensions")
        by = elementwise.binary("subtract", *_neighbours(t, x))
    elif not isinstance(by, Scalar):
        raise Declined("np.trapezoid with these arguments")
    if "bool" in (y.dtype, getattr(by, "dtype", "")):
        raise Declined("np.trapezoid of truth values")
    both = elementwise.binary("add", *_neighbours(t, y))
    areas = elementwise.binary("multiply", by, both)
    half = elementwise.binary("true_divide", areas, arithmetic.constant(2.0))
    return t.called(np.sum, [half, arithmetic.constant(-1)], {})


def _neighbours(t: Names, ref: Ref) -> tuple[Ref, Ref]:
    """All elements of the last axis but the first one, and all but the last one."""
    one, minus = arithmetic.constant(1), arithmetic.constant(-1)
    rest = [ALL] * (ref.ndim - 1)
    return (
        cuts.view(t.writer, ref, [*rest, Cut(one, None, None)]),
        cuts.view(t.writer, ref, [*rest, Cut(None, minus, None)]),
    )


def _correlation(name: str, mode: str, *, turned: bool) -> Call:
    def call(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        given = named(f"np.{name}", ("a", "v", "mode"), args, kwargs)
        known = given.get("mode", Known(mode))
        if not isinstance(known, Known) or known.value not in MODES:
            raise Declined(f"np.{name} in this mode")
        w = t.writer
        a, v = (elementwise.materialise(w, elements(given.get(key, NONE))) for key in "av")
        if (a.ndim, v.ndim, a.dtype, v.dtype) != (1, 1, "float64", "float64"):
            raise Declined(f"np.{name} of these")
        rest = f"{MODES[known.value]}, {str(turned).lower()})"
        return made(t, f"correlated(run, {a.code}, {v.code}, {rest}", "float64")

    return call


register(np.convolve, _correlation("convolve", "full", turned=True))
register(np.correlate, _correlation("correlate", "valid", turned=False))
