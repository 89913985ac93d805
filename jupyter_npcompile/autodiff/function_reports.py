"""What the gradient view shows of a function: the same as of a cell with ``--grad``."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

from jupyter_npcompile.autodiff.checking import copied
from jupyter_npcompile.autodiff.errors import GradientError
from jupyter_npcompile.autodiff.function_runs import FunctionRun, run_again
from jupyter_npcompile.autodiff.inspection import Inspection, inspected
from jupyter_npcompile.autodiff.jacobian_reports import report_of_arrays
from jupyter_npcompile.autodiff.latest import GradientCall
from jupyter_npcompile.autodiff.programs import bytes_of
from jupyter_npcompile.autodiff.sites import Site
from jupyter_npcompile.autodiff.transforms import Derivative, Gradient, Jacobian
from jupyter_npcompile.graph.gradients import GradientReport, Sample, VariableGradient

AGAIN = "computed once more for this view, from what the arguments hold now"
"""What the view says of it."""

NOW = "values are those that the arguments hold now"


def report_of_call(call: GradientCall) -> GradientReport:
    """Look at the gradients of a call that is over.

    Arguments are taken as they are now: an array that was written since has its new
    values, and the gradient is that of those.

    Raises
    ------
    GradientError
        When the function must not run again, or its arguments are gone.
    """
    if isinstance(call.found, GradientError):
        raise call.found
    if call.found is not None:
        return call.found
    derivative = call.derivative
    if isinstance(derivative, Jacobian):
        return _of_arrays(derivative, call)
    assert isinstance(derivative, Gradient)
    made = gradient_report(derivative, _allowed(derivative, call), call.kwargs)
    thinned = "" if call.norms is None else call.norms.thinned
    return replace(made, note="; ".join(filter(None, (AGAIN, thinned, made.note))))


def gradient_report(
    derivative: Gradient, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> GradientReport:
    """Run a function on copies of its arguments, and look at its gradients.

    Examples
    --------
    >>> derivative = Gradient(lambda w: np.sum(w**2))
    >>> report = gradient_report(derivative, [np.array([3.0, 4.0])], {})
    >>> report.variables[0].gradient.norm, report.check
    (10.0, 'agrees')
    """
    before = [copied(arg) for arg in args]
    began = perf_counter()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # the call itself has warned
        run = run_again(derivative, args, kwargs, once=True)
        seconds = perf_counter() - began
        site = Site(derivative.site.name)
        if derivative.site.reason:
            site.reason = derivative.site.reason
        found, inspection = _gradients(run, derivative, site)
        check = derivative.checks.get(derivative.signature(args, derivative.positions(args)))
        if check is None:
            check = derivative.checked(before, dict(kwargs), run.program, found, seconds)
    pairs = zip(run.parts(), run.program.leaves, found, strict=True)
    output = f"sum of {run.output}" if derivative.total else run.output
    tape = run.program.tape
    return GradientReport(
        tuple(
            VariableGradient(output, name, Sample.of(value), Sample.of(gradient))
            for name, value, gradient in pairs
        ),
        inspection.nodes,
        tuple((note.place.position, note.text) for note in ([] if tape is None else tape.notes)),
        str(check),
        **site.account(),
        nonfinite=inspection.nonfinite,
    )


def _of_arrays(derivative: Jacobian, call: GradientCall) -> GradientReport:
    """What ``jacobian`` or ``hessian`` gave; nothing is computed once more."""
    if call.args is None or call.arrays is None:
        name = _name(derivative)
        raise GradientError(
            f"the derivatives of {name} were not kept: they or its arguments are large, "
            "or hold objects",
            "put %npcompile grad into the cell of the call, after it",
        )
    made = report_of_arrays(derivative, call.args, call.arrays)
    return replace(made, note=f"{made.note}; {NOW}")


def _name(derivative: Derivative) -> str:
    name = getattr(derivative.function, "__name__", "f")
    return name if name.isidentifier() else "f"


def _allowed(derivative: Gradient, call: GradientCall) -> Sequence[Any]:
    """The arguments, if the function may be run with them."""
    name = _name(derivative)
    hint = f"npc.explain(npc.grad({name}), ...) runs it on copies, and %npcompile grad shows that"
    if call.args is None:
        raise GradientError(
            f"the arguments of {name} were not kept: they are large, or hold objects", hint
        )
    if derivative.effect:
        raise GradientError(
            f"{name} is not run again to be looked at, because it does more than compute: "
            f"{derivative.effect}",
            hint,
        )
    return call.args


def _gradients(run: FunctionRun, derivative: Gradient, site: Site) -> tuple[list[Any], Inspection]:
    """The gradient of each leaf, and what the way back went through."""
    from jupyter_npcompile.autodiff.pullbacks import to_numpy

    program, tape = run.program, run.program.tape
    if tape is None or len(program.outputs) != 1:
        return derivative.gradients(program), Inspection()
    value = program.outputs[0]
    seed = np.ones(np.shape(value), np.asarray(value).dtype)

    def computed() -> tuple[list[Any], Inspection]:
        found, inspection = inspected(tape, tape.node_of(value), seed, tape.leaves)
        return [
            to_numpy(g, leaf) for g, leaf in zip(found, program.leaves, strict=True)
        ], inspection

    return site.run(computed, bytes_of(program))
