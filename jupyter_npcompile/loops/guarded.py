"""Functions of NumPy that raise where they would warn, as native loops call them."""

from __future__ import annotations

import contextvars
import sys
import threading
from collections.abc import Callable, Collection, Mapping
from types import FunctionType
from typing import Any, cast

import numpy as np

PAIRS: tuple[Any, ...] = (np.cov, np.corrcoef)
"""Functions that need two observations."""

WARN_OF_FEW: tuple[Any, ...] = (np.mean, np.average, np.var, np.std, np.median, *PAIRS)
"""Functions that warn of too few elements by themselves, and not by floating-point flags."""

_STATE: contextvars.ContextVar[Any] | None = getattr(
    sys.modules.get("numpy._core.umath"), "_extobj_contextvar", None
)
"""Where NumPy keeps its floating-point error state, if it is where it was."""

_UNSET = object()


class _Contexts(threading.local):
    """Contexts in which NumPy raises, by what is ignored.

    To enter one takes a tenth of a microsecond, and ``np.errstate`` ten times as long.
    """

    def __init__(self) -> None:
        self.known: dict[frozenset[str], tuple[Any, contextvars.Context]] = {}

    def find(self, ignored: frozenset[str]) -> contextvars.Context:
        """The context for the error state that holds here, in this thread."""
        state = object() if _STATE is None else _STATE.get(_UNSET)
        found = self.known.get(ignored)
        if found is not None and found[0] is state:
            return found[1]
        context = contextvars.copy_context()
        under = "ignore" if np.geterr()["under"] == "ignore" else "raise"
        states: dict[str, Any] = {"all": "raise", "under": under}
        context.run(np.seterr, **{**states, **dict.fromkeys(ignored, "ignore")})
        self.known[ignored] = state, context
        return context


_CONTEXTS = _Contexts()


def guarded(
    function: Callable[..., Any],
    keywords: Mapping[str, Any],
    names: tuple[str, ...],
    ignored: Collection[str] = (),
) -> Callable[..., Any]:
    """A function of NumPy that raises where it would warn.

    Parameters
    ----------
    function : callable
        The function.
    keywords : mapping of str to object
        Keyword arguments of every call.
    names : tuple of str
        Names of the last arguments of a call.
    ignored : collection of str
        Errors that are not raised, as ``np.errstate`` names them.

    Examples
    --------
    >>> guarded(np.linalg.norm, {}, ("ord",))(np.ones(4), 1)
    np.float64(4.0)
    >>> guarded(np.divide, {}, ())(1.0, 0.0)
    Traceback (most recent call last):
    FloatingPointError: divide by zero encountered in divide
    """
    find, ignores = _CONTEXTS.find, frozenset(ignored)
    chooses = function in WARN_OF_FEW and ("where" in names or "where" in keywords)

    def plain(*args: Any) -> Any:
        return find(ignores).run(function, *args)

    def call(*args: Any) -> Any:
        first = len(args) - len(names)
        named = {**keywords, **dict(zip(names, args[first:], strict=True))}
        if chooses:
            _chosen_enough(*args[:first], **named)
        return find(ignores).run(function, *args[:first], **named)

    made: Any = call if names or keywords else plain
    made.recipe = guarded, (function, dict(keywords), names, ignores)
    return cast("Callable[..., Any]", made)


def recipe_of(value: Any) -> tuple[Callable[..., Any], tuple[Any, ...]] | None:
    """How to make something again that `guarded` has made: a function, and its arguments.

    Examples
    --------
    >>> recipe_of(guarded(np.sort, {}, ()))[1], recipe_of(np.sort)
    ((<function sort at ...>, {}, (), frozenset()), None)
    """
    found = getattr(value, "recipe", None) if type(value) is FunctionType else None
    return found if found is not None and found[0] is guarded else None


def _chosen_enough(
    array: Any,
    axis: Any = None,
    _dtype: Any = None,
    _out: Any = None,
    ddof: float = 0,
    *,
    where: Any,
    **_rest: Any,
) -> None:
    """Raise where NumPy warns that no more than `ddof` elements have been chosen."""
    counts = np.sum(np.broadcast_to(where, np.shape(array)), axis=axis)
    if np.any(counts <= ddof):
        raise ValueError("too few elements")
