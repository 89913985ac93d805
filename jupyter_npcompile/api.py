"""The public functions: compile, explain, compare, wait, and what ran last."""

from __future__ import annotations

import contextlib
import inspect
import io
from collections.abc import Callable
from dataclasses import replace
from time import monotonic
from typing import Any, Literal, TypeVar

from jupyter_npcompile.autodiff import latest, replays
from jupyter_npcompile.autodiff.errors import GradientError
from jupyter_npcompile.autodiff.explaining import differentiated_function
from jupyter_npcompile.autodiff.function_reports import gradient_report
from jupyter_npcompile.autodiff.jacobian_reports import innermost, jacobian_report
from jupyter_npcompile.autodiff.transforms import Gradient, Jacobian
from jupyter_npcompile.compiling import compile  # noqa: F401 - and what follows tensors
from jupyter_npcompile.graph.gradients import GradientReport
from jupyter_npcompile.graph.report import ReportData
from jupyter_npcompile.runtime import history
from jupyter_npcompile.runtime.compile_worker import troubles
from jupyter_npcompile.runtime.copies import Copier
from jupyter_npcompile.runtime.devices import with_precision
from jupyter_npcompile.runtime.function_comparison import compare_function
from jupyter_npcompile.runtime.functions import compile_callable, handle_of
from jupyter_npcompile.runtime.policy import Options
from jupyter_npcompile.runtime.settings import settings
from jupyter_npcompile.runtime.subjects import report_of
from jupyter_npcompile.runtime.waited import Waited
from jupyter_npcompile.runtime.worker import compiler
from jupyter_npcompile.views import live
from jupyter_npcompile.views.comparison import Comparison
from jupyter_npcompile.views.report import Report

CompiledTier = Literal["aten", "inductor"]
"""What a comparison can compile for."""

F = TypeVar("F", bound=Callable[..., Any])


def _graph_widget(report: ReportData, **traits: Any) -> Any:
    from jupyter_npcompile.widgets import GraphWidget  # takes a while to import

    return GraphWidget(report, **traits)


def _gradient_widget(report: GradientReport, **traits: Any) -> Any:
    from jupyter_npcompile.widgets import GradientWidget

    return GradientWidget(report, **traits)


live.makers.update(graph=_graph_widget, gradients=_gradient_widget)


def explain(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Report:
    """Say what becomes of a function for these arguments.

    Calls it on copies of the arguments, compiles, and waits for the verdict.
    What it prints is not shown.

    Parameters
    ----------
    fn : callable
        Plain or compiled, or what `grad` and `value_and_grad` return: then the captured
        graph has the level ``"backward"``, which computes the gradient, and the
        report has ``gradients``, which ``%npcompile grad`` and `GradientWidget` show. Of what
        `jacobian` and `hessian` return, the report is that of the function, and has
        ``gradients``, too: the arrays.
    *args, **kwargs
        Arguments to call it with. They are copied, and not changed.

    Returns
    -------
    Report
        Lines, break points, regions and the captured graph. Lines are those
        of the file or cell in which the function is written.

    Raises
    ------
    Exception
        Whatever the function raises.

    Examples
    --------
    >>> import numpy as np
    >>> explain(np.sin, np.zeros(3)).lines[0].status
    'compiled'
    """
    before = history.last()
    if isinstance(fn, Gradient):
        subject = differentiated_function(fn, args, kwargs)
        try:
            gradients = gradient_report(fn, args, kwargs)
            latest.explained(fn, gradients)
            subject = replace(subject, gradients=gradients)
        except GradientError as error:
            latest.explained(fn, error)
        history.explained(subject, before)
        return Report.of(report_of(subject))
    if isinstance(fn, Jacobian):
        arrays = jacobian_report(fn, args, kwargs)
        made = explain(innermost(fn), *args, **kwargs)
        latest.explained(fn, arrays)
        return Report.of(replace(made, gradients=arrays))
    known = handle_of(fn)
    default = with_precision(settings.device, settings.dtype)
    device = default if known is None else known.options.device
    fresh = compile_callable(fn, Options(device, ahead=True))
    handle = handle_of(fresh)
    assert handle is not None
    copier = Copier()
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            fresh(*copier.copy(args), **copier.copy(kwargs))
    finally:
        history.explained(handle, before)
    return Report.of(report_of(handle))


def compare(
    fn: Callable[..., Any], /, *args: Any, tier: CompiledTier | None = None, **kwargs: Any
) -> Comparison:
    """Run a function in NumPy and compiled, and say in what they differ.

    Both run on copies of the arguments, from the same random numbers; what
    they print is not shown. Compared are the return value, what becomes of
    the arguments, warnings, exceptions and printed text: values, dtypes,
    shapes, types, strides and flags, and what shares memory with what.

    For a difference, the first NumPy call at which it arises is looked for,
    and the smallest arguments with which that call alone differs.

    Parameters
    ----------
    fn : callable
        Plain or compiled.
    *args, **kwargs
        Arguments to call it with. They are copied, and not changed; what
        cannot be copied is passed as it is.
    tier : {"aten", "inductor"}, optional
        What to compile for: ATen operations one by one, or Inductor's
        kernels. By default Inductor where there is a compiler.

    Returns
    -------
    Comparison
        ``equal``, ``differences``, ``rounding`` and more.

    Raises
    ------
    ValueError
        When the tier is not known.
    TypeError
        When ``fn`` cannot be called, or is asynchronous.

    Notes
    -----
    The function runs at least three times: once in NumPy and twice compiled.
    What it does to the world outside its arguments happens as often.

    Examples
    --------
    >>> import numpy as np
    >>> def smooth(x):
    ...     x[1:-1] = (x[:-2] + x[2:]) / 2
    ...     return x.sum()
    >>> result = compare(smooth, np.arange(5.0), tier="aten")
    >>> result.equal, result.differences, result.rounding
    (True, (), 0)
    """
    if tier not in (None, "aten", "inductor"):
        raise ValueError(f"tier: {tier!r} is not one of 'aten', 'inductor'")
    if inspect.iscoroutinefunction(fn):
        raise TypeError("compare() runs no asynchronous function: use %%npcompile --check")
    if not callable(fn):
        raise TypeError(f"compare() needs something that can be called, not {type(fn).__name__}")
    return Comparison.of(compare_function(fn, args, kwargs, tier))


def last_report() -> Report | None:
    """Return the report of the cell or compiled function that ran last.

    Returns
    -------
    Report or None
        As of now: what is compiled since may have changed it. None before any run.

    Examples
    --------
    >>> report = last_report()
    >>> report is None or report.summary != ""
    True
    """
    subject = history.last()
    return None if subject is None else Report.of(report_of(subject))


def latest_report() -> Report | None:
    """The report that views open: of what was explained since anything ran, or what ran last.

    Examples
    --------
    >>> import numpy as np
    >>> _ = explain(np.sin, np.zeros(3))
    >>> latest_report().lines[0].source
    'sin(*args, **kwargs)'
    """
    subject = history.latest()
    return None if subject is None else Report.of(report_of(subject))


def wait(timeout: float | None = None) -> Waited:
    """Wait until nothing compiles in the background any more.

    That is so when everything is compiled, or when it is known that it cannot be
    now: what failed is left to NumPy, and its report says why.

    Parameters
    ----------
    timeout : float, optional
        In seconds; by default as long as it takes.

    Returns
    -------
    Waited
        True, or False when the time was not enough. It shows why waiting is over,
        and whether the compile worker has ended too often to be started again now.

    Examples
    --------
    >>> wait()
    True
    """
    began = monotonic()
    done = compiler.wait(timeout)
    left = None if timeout is None else max(timeout - (monotonic() - began), 0.0)
    done = replays.wait(left) and done
    return Waited(done, compiler.pending + replays.pending(), troubles())
