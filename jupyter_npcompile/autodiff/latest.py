"""The gradient of a function that was taken last, for who wants to look at it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from jupyter_npcompile.autodiff.call_norms import CallNorms
from jupyter_npcompile.autodiff.errors import GradientError
from jupyter_npcompile.autodiff.trees import flatten
from jupyter_npcompile.graph.gradients import GradientReport
from jupyter_npcompile.tracer.memory import owner

if TYPE_CHECKING:
    from jupyter_npcompile.autodiff.transforms import Derivative, Gradient, Jacobian

MOST_BYTES = 10_000_000
"""Arguments that take more memory are not kept when the cell is over that used them."""

_SMALL = (bool, int, float, complex, str, np.generic, type(None))


class GradientCall(NamedTuple):
    """A call of a derivative.

    Parameters
    ----------
    derivative : Derivative
        ``grad(f)``, ``value_and_grad(f)``, ``jacobian(f)`` or ``hessian(f)``.
    args, kwargs
        What it was called with; None when they were too much to keep.
    found : GradientReport, GradientError or None
        What is known about its gradients, when somebody has asked for a report.
    norms : CallNorms or None
        Those of this and earlier calls of the same function.
    arrays : sequence or None
        Of ``jacobian`` and ``hessian``: what it gave, of each result by each argument.
    """

    derivative: Derivative
    args: Sequence[Any] | None
    kwargs: Mapping[str, Any]
    found: GradientReport | GradientError | None = None
    norms: CallNorms | None = None
    arrays: Sequence[Any] | None = None


_calls: list[GradientCall] = []
_watched = [False]


def watch(on: bool) -> None:
    """Begin to note calls, or end it: only who can look at one needs them."""
    _watched[0] = on
    _calls.clear()


def note(
    derivative: Gradient, args: Sequence[Any], kwargs: Mapping[str, Any], parts: Sequence[Any]
) -> None:
    """A call of a derivative is over: it gave a gradient for each argument it was asked for."""
    if not _watched[0] or not derivative.shown:
        return
    norms = _calls[0].norms if _calls else None
    if norms is None or not norms.belongs_to(derivative):
        norms = CallNorms(derivative)
    norms.add(derivative, args, parts)
    _calls[:] = [GradientCall(derivative, args, kwargs, norms=norms)]


def note_arrays(
    derivative: Jacobian, args: Sequence[Any], kwargs: Mapping[str, Any], arrays: Sequence[Any]
) -> None:
    """A call of ``jacobian(f)`` or ``hessian(f)`` is over, and gave arrays."""
    if _watched[0]:
        _calls[:] = [GradientCall(derivative, args, kwargs, arrays=arrays)]


def explained(derivative: Derivative, found: GradientReport | GradientError) -> None:
    """Somebody asked for the report of a call."""
    _calls[:] = [GradientCall(derivative, None, {}, found)]


def forget() -> None:
    """Something else was differentiated since."""
    _calls.clear()


def last() -> GradientCall | None:
    """The call that was noted last."""
    return _calls[0] if _calls else None


def settle() -> None:
    """A cell is over: large arrays, and objects that may hold some, belong to the user again."""
    for call in _calls:
        kept = (call.args, dict(call.kwargs), call.arrays)
        if call.args is not None and not _is_light(kept):
            _calls[:] = [call._replace(args=None, kwargs={}, arrays=None)]


def _is_light(arguments: Any) -> bool:
    """Whether arguments hold little memory, as far as can be seen.

    Examples
    --------
    >>> _is_light((np.ones(3), {"rate": 0.1})), _is_light(np.ones(2_000_000)[:3])
    (True, False)
    """
    leaves = flatten(arguments)[0]
    arrays = [leaf for leaf in leaves if type(leaf) is np.ndarray]
    others = [leaf for leaf in leaves if type(leaf) is not np.ndarray]
    light = all(isinstance(leaf, _SMALL) or callable(leaf) for leaf in others)
    return light and sum(owner(array).nbytes for array in arrays) <= MOST_BYTES
