"""check_grads: derivatives against central differences, to any order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jupyter_npcompile.autodiff.api import jvp, vjp
from jupyter_npcompile.autodiff.trees import flatten, map_leaves


def check_grads(
    f: Callable[..., Any],
    modes: Sequence[str] = ("fwd", "rev"),
    order: int = 2,
    *,
    eps: float = 1e-5,
    atol: float = 1e-5,
    rtol: float = 1e-4,
) -> Callable[..., None]:
    """Compare derivatives of a function with central differences.

    Parameters
    ----------
    f : callable
        The function.
    modes : sequence of {"fwd", "rev"}
        Forward (``jvp``) and reverse (``vjp``) derivatives.
    order : int
        Up to which order.
    eps : float
        Step of the differences.
    atol, rtol : float
        How far apart the two may be.

    Returns
    -------
    callable
        ``check(*args)`` raises AssertionError where they differ.

    Examples
    --------
    >>> check_grads(lambda x: np.sum(np.sin(x)))(np.array([0.3, 0.4]))
    """
    unknown = set(modes) - {"fwd", "rev"}
    if unknown or isinstance(modes, str):
        raise ValueError(f"modes: {modes!r}: there are 'fwd' and 'rev'")
    if order < 1:
        raise ValueError("order: at least 1")

    def check(*args: Any) -> None:
        _check(f, args, tuple(modes), order, np.random.default_rng(0), (eps, atol, rtol))

    return check


def _check(
    f: Callable[..., Any],
    args: tuple[Any, ...],
    modes: tuple[str, ...],
    order: int,
    rng: Any,
    numbers: tuple[float, float, float],
) -> None:
    eps, atol, rtol = numbers
    tangents = map_leaves(lambda leaf: _like(rng.normal(size=np.shape(leaf)), leaf), args)
    forward, backward = (_shifted(f, args, tangents, t) for t in (eps, -eps))
    expected = [
        (np.asarray(a) - np.asarray(b)) / (2 * eps)
        for a, b in zip(flatten(forward)[0], flatten(backward)[0], strict=True)
    ]
    if "fwd" in modes:
        _, made = jvp(f, args, tangents)
        _demand_close("jvp", flatten(made)[0], expected, atol, rtol)
        if order > 1:

            def tangent(*primals: Any) -> Any:
                return jvp(f, primals, tangents)[1]

            _check(tangent, args, modes, order - 1, rng, numbers)
    if "rev" in modes:
        value, pull = vjp(f, *args)
        cotangent = map_leaves(lambda leaf: _like(rng.normal(size=np.shape(leaf)), leaf), value)
        made = pull(cotangent)
        along = sum(
            np.sum(np.real(np.asarray(g) * np.asarray(t)))
            for g, t in zip(flatten(made)[0], flatten(tangents)[0], strict=True)
        )
        wanted = sum(
            np.sum(np.real(np.asarray(c) * e))
            for c, e in zip(flatten(cotangent)[0], expected, strict=True)
        )
        _demand_close("vjp", [along], [wanted], atol, rtol)
        if order > 1:

            def gradient(*primals: Any) -> Any:
                return vjp(f, *primals)[1](cotangent)

            _check(gradient, args, modes, order - 1, rng, numbers)


def _shifted(f: Callable[..., Any], args: Any, tangents: Any, t: float) -> Any:
    leaves, tree = flatten(args)
    directions = flatten(tangents)[0]
    moved = [_like(x + t * d, x) for x, d in zip(leaves, directions, strict=True)]
    return f(*tree.build(moved))


def _like(value: Any, leaf: Any) -> Any:
    array = np.asarray(value, np.asarray(leaf).dtype)
    return array if isinstance(leaf, np.ndarray) else array[()]


def _demand_close(
    what: str, made: Sequence[Any], expected: Sequence[Any], atol: float, rtol: float
) -> None:
    for one, other in zip(made, expected, strict=True):
        np.testing.assert_allclose(
            one, other, rtol, atol, err_msg=f"{what} and central differences"
        )
