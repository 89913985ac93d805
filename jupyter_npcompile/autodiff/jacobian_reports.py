"""What the gradient view shows of ``jacobian`` and ``hessian``: the arrays that they returned."""

from __future__ import annotations

import contextlib
import io
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from jupyter_npcompile.autodiff.function_runs import as_before, parts_of
from jupyter_npcompile.autodiff.transforms import Derivative, Gradient, Jacobian
from jupyter_npcompile.autodiff.trees import flatten
from jupyter_npcompile.graph.gradients import GradientReport, Sample, VariableGradient
from jupyter_npcompile.runtime.copies import Copier

AXES = "each has the axes of the result, then those of the variable"
"""What the view says of them."""


def jacobian_report(
    derivative: Jacobian, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> GradientReport:
    """Run ``jacobian(f)`` or ``hessian(f)`` on copies of its arguments, and look at the result.

    What it prints is not shown, random numbers are as if not drawn.

    Examples
    --------
    >>> import numpy as np
    >>> report = jacobian_report(Jacobian(np.cumsum), [np.ones(2)], {})
    >>> report.variables[0].gradient.rows
    ((1.0, 0.0), (1.0, 1.0))
    """
    copier = Copier()
    given = list(copier.copy(tuple(args)))
    with contextlib.redirect_stdout(io.StringIO()), as_before():
        _, found = derivative.computed(given, copier.copy(dict(kwargs)))
    return report_of_arrays(derivative, given, found)


def report_of_arrays(
    derivative: Jacobian, args: Sequence[Any], found: Sequence[Any]
) -> GradientReport:
    """Look at what a call returned.

    Parameters
    ----------
    derivative : Jacobian
        What was called.
    args : sequence
        What it was called with, for the values of the variables.
    found : sequence
        One array for each result and each variable: of a result all variables, then those
        of the next.

    Examples
    --------
    >>> twice = Jacobian(Jacobian(lambda t: t**3))
    >>> [one] = report_of_arrays(twice, [2.0], [12.0]).variables
    >>> one.output, one.name, one.gradient.norm
    ('(d value / d t)', 't', 12.0)
    """
    variables = _variables(derivative, args)
    outputs = _outputs(derivative, args, len(found) // max(len(variables), 1))
    pairs = itertools.product(outputs, variables)
    return GradientReport(
        tuple(
            VariableGradient(output, name, Sample.of(value), Sample.of(array))
            for (output, (name, value)), array in zip(pairs, found, strict=True)
        ),
        note=AXES,
    )


def innermost(derivative: Derivative) -> Callable[..., Any]:
    """The function below all derivatives of derivatives."""
    inner = derivative.function
    return innermost(inner) if isinstance(inner, Derivative) else inner


def _variables(derivative: Derivative, args: Sequence[Any]) -> list[tuple[str, Any]]:
    """Name and value of each array or number by which is differentiated."""
    asked = derivative.positions(args)
    values = [leaf for position in asked for leaf in flatten(args[position])[0]]
    return list(zip(parts_of(derivative, args, asked), values, strict=True))


def _outputs(derivative: Derivative, args: Sequence[Any], count: int) -> list[str]:
    """A name for each result of what is differentiated."""
    levels: list[list[str]] = []
    inner = derivative.function
    while isinstance(inner, Derivative):
        levels.append([name for name, _ in _variables(inner, args)])
        if isinstance(inner, Gradient) and inner.value:
            break  # a value, too
        inner = inner.function
    name = getattr(innermost(derivative), "__name__", "")
    name = name if name.isidentifier() else "value"  # <lambda>
    size = math.prod(map(len, levels))
    if isinstance(inner, Derivative) or count % size:
        return list(_numbered(name, count))
    names = list(_numbered(name, count // size))
    for level in reversed(levels):
        names = [f"(d {output} / d {variable})" for output in names for variable in level]
    return names


def _numbered(name: str, count: int) -> Iterator[str]:
    for k in range(count):
        yield name if count == 1 else f"{name}[{k}]"
