"""Gradients of single NumPy calls, against central differences."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from jupyter_npcompile.autodiff.api import grad, hvp, value_and_grad
from jupyter_npcompile.autodiff.errors import GradientError
from jupyter_npcompile.tracer.interpret import function
from jupyter_npcompile.tracer.memory import owner
from tests.support.lowering.arguments import Call

STEP = 1e-5
LARGEST = 1e10
"""Values of which differences say nothing."""

VAST = 1e4
"""Arguments beside which second differences of such steps have too few digits."""

SINGLE = ("float16", "float32", "complex64")
"""Types that leave too few digits for differences."""

NOT_DATA = frozenset({"out", "where", "dtype"})


@dataclass
class Verdict:
    """What became of one call.

    Parameters
    ----------
    status : {"right", "wrong", "refused", "skipped"}
        Whether the gradient is that of NumPy; "skipped" where there is none
        to compare with: NumPy raises, or is not smooth.
    detail : str
        What is wrong, or why.
    between : tuple of float, optional
        In which range arguments were drawn for that.
    """

    status: str
    detail: str = ""
    between: tuple[float, float] | None = None


# -- what is called


def apply(op: str, args: Any, kwargs: Any) -> Any:
    """The call as a person would write it."""
    space, _, name = op.partition(".")
    if op == "getitem":
        return args[0][args[1]]
    if op == "setitem":
        args[0][args[1]] = args[2]
        return None
    if op == "item":
        return np.divmod(args[0], args[1])[args[2]]
    if space == "ndarray":
        found = getattr(args[0], name)
        return found(*args[1:], **kwargs) if callable(found) else found
    return function(op)(*args, **kwargs)


def total(op: str, leaves: Any, structure: Any, *, bent: bool = False) -> Any:
    """A number made of everything that the call gives and writes; ``bent``: and of its squares."""
    args, kwargs = filled(structure, leaves)
    result = apply(op, args, kwargs)
    every = list(numbers((result, args, kwargs)))
    squares = (len(list(numbers(result))) or len(every)) if bent else 0
    sums = 0.0
    for k, value in enumerate(every):
        part = value * weights(value, k)
        sums = sums + np.sum(np.real(part + part * part if k < squares else part))
    return sums


def numbers(values: Any) -> Iterator[Any]:
    """Inexact arrays and numbers, at any depth."""
    if isinstance(values, np.ndarray | np.generic | float | complex):
        if np.asarray(values).dtype.kind in "fc":
            yield values
    elif isinstance(values, list | tuple):
        for value in values:
            yield from numbers(value)
    elif isinstance(values, dict):
        yield from numbers(list(values.values()))


def weights(value: Any, k: int) -> Any:
    """Numbers that tell every element from every other."""
    places = np.arange(np.size(value)).reshape(np.shape(value))
    found = np.cos(places * 1.7 + k + 0.3)
    return found + 1j * np.sin(places + k) if np.iscomplexobj(value) else found


class Place:
    """Stands for a leaf in the structure of the arguments."""

    def __init__(self, index: int) -> None:
        self.index = index


def filled(structure: Any, leaves: Any) -> Any:
    """The arguments with leaves in their places."""
    if isinstance(structure, Place):
        return leaves[structure.index]
    if isinstance(structure, list | tuple):
        return type(structure)(filled(part, leaves) for part in structure)
    if isinstance(structure, dict):
        return {key: filled(part, leaves) for key, part in structure.items()}
    return structure


# -- arguments


def smooth(call: Call, low: float, high: float, seed: int) -> Any:
    """Arguments with ordinary values, all different, in a range; their order stays."""
    args, kwargs = call.make(0)
    rng = np.random.default_rng(seed)
    memories = {id(owner(a)): owner(a) for a in arrays((args, kwargs))}
    args, kwargs = moved_numbers(args, low), moved_numbers(kwargs, low)
    for memory in memories.values():
        if memory.dtype.kind in "fc" and not is_ordinary(memory):
            fill(memory, rng, low, high)
    return args, kwargs


def moved_numbers(values: Any, low: float) -> Any:
    """Numbers that are neither zero nor huge."""
    if isinstance(values, float | complex) or (
        isinstance(values, np.generic) and values.dtype.kind in "fc"
    ):
        usable = np.isfinite(values) and 0.05 < abs(values) < 1e3
        return values if usable else type(values)(0.37 + low)
    if isinstance(values, list | tuple):
        return type(values)(moved_numbers(value, low) for value in values)
    if isinstance(values, dict):
        return {key: moved_numbers(value, low) for key, value in values.items()}
    return values


def is_ordinary(memory: np.ndarray) -> bool:
    """Whether values may stay: finite, different from each other and from zero."""
    flat = memory.ravel()
    with np.errstate(all="ignore"):
        if not np.isfinite(flat).all() or (np.abs(flat) > 1e3).any():
            return False
        return len(np.unique(flat)) == flat.size and bool((np.abs(flat) > 0.05).all())


def fill(memory: np.ndarray, rng: Any, low: float, high: float) -> None:
    if not memory.flags.writeable:
        return  # a window on memory that NumPy holds
    count = memory.size
    spread = np.linspace(low, high, count + 2)[1:-1] + rng.uniform(-0.2, 0.2, count) * (
        (high - low) / (count + 2)
    )
    ranks = np.argsort(np.argsort(np.nan_to_num(memory.real.ravel()), kind="stable"))
    values = np.sort(spread)[ranks]
    if memory.dtype.kind == "c":
        values = values + 1j * rng.permutation(np.sort(spread))
    memory[...] = values.reshape(memory.shape)


def arrays(values: Any) -> Iterator[np.ndarray]:
    if isinstance(values, np.ndarray):
        yield values
    elif isinstance(values, list | tuple):
        for value in values:
            yield from arrays(value)
    elif isinstance(values, dict):
        yield from arrays(list(values.values()))


def is_single(values: Any) -> bool:
    """Whether arrays, numbers or names of types among arguments have too few digits."""
    if isinstance(values, np.ndarray | np.generic):
        return values.dtype.name in SINGLE
    if isinstance(values, list | tuple):
        return any(map(is_single, values))
    if isinstance(values, dict):
        return any(map(is_single, values.values()))
    return any(kind in str(values) for kind in SINGLE)


def has_few_digits(op: str, call: Call, low: float, high: float, seed: int) -> bool:
    """Of arguments or results: ``np.logaddexp.reduce([True], initial=2.5)`` has 11 bits."""
    args, kwargs = smooth(call, low, high, seed)
    if is_single((args, kwargs)):
        return True
    try:
        result = apply(op, args, kwargs)
    except Exception:  # the caller says what NumPy raises
        return False
    return any(np.asarray(value).dtype.name in SINGLE for value in numbers(result))


def apart(args: Any, kwargs: Any) -> tuple[list[Any], Any]:
    """Leaves, and the structure with places for them."""
    leaves: list[Any] = []

    def visit(value: Any) -> Any:
        if isinstance(value, np.ndarray | np.generic | float | complex):
            kind = np.asarray(value).dtype
            if kind.name in ("float64", "complex128") and np.all(np.isfinite(value)):
                leaves.append(value)
                return Place(len(leaves) - 1)
            return value
        if isinstance(value, list | tuple):
            return type(value)(visit(part) for part in value)
        return value

    structure = visit(args)
    named = {k: v if k in NOT_DATA else visit(v) for k, v in kwargs.items()}
    return leaves, (structure, named)


RANGES = ((0.15, 0.85), (1.15, 2.6), (-0.9, 0.95))


def check(op: str, call: Call, seed: int) -> Verdict:
    """Compare the gradient of a call with central differences."""
    verdict = Verdict("skipped", "no range of values")
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for low, high in RANGES:
            verdict = _check_range(op, call, low, high, seed)
            if verdict.status != "skipped":
                break
    return verdict


def _check_range(op: str, call: Call, low: float, high: float, seed: int) -> Verdict:
    args, kwargs = smooth(call, low, high, seed)
    every = list(arrays((args, kwargs)))
    if has_few_digits(op, call, low, high, seed):
        return Verdict("skipped", "not double precision")
    pairs = itertools.combinations({id(a): a for a in every}.values(), 2)
    if any(np.may_share_memory(a, b) for a, b in pairs):
        return Verdict("skipped", "arguments overlap")
    leaves, structure = apart(args, kwargs)
    if not leaves or not sum(np.size(leaf) for leaf in leaves):
        return Verdict("skipped", "nothing to differentiate")
    rng = np.random.default_rng(seed)
    direction = [_direction(rng, leaf) for leaf in leaves]

    def along(t: float) -> Any:
        fresh = apart(*smooth(call, low, high, seed))
        moved = [_moved(leaf, t, d) for leaf, d in zip(fresh[0], direction, strict=True)]
        return total(op, moved, fresh[1])

    try:
        expected, sure = differences(along)
    except Exception as error:
        return Verdict("skipped", f"NumPy raises {type(error).__name__}: {error}")
    if not sure:
        return Verdict("skipped", "not smooth here")
    try:
        value, gradients = value_and_grad(lambda given: total(op, given, structure))(leaves)
    except GradientError as error:
        return Verdict("refused", str(error))
    found = sum(np.sum(np.real(g * d)) for g, d in zip(gradients, direction, strict=True))
    if not np.isclose(found, expected, rtol=2e-5, atol=2e-6 * max(1.0, abs(float(value)))):
        return Verdict("wrong", f"{found} instead of {expected} in {low}..{high}: {leaves}")
    kinds = [type(g) for g in gradients]
    assert all(
        kind is (type(leaf) if isinstance(leaf, np.ndarray | np.generic) else np.float64)
        or isinstance(leaf, complex)
        for kind, leaf in zip(kinds, leaves, strict=True)
    ), kinds
    return Verdict("right", between=(low, high))


def _direction(rng: Any, leaf: Any) -> Any:
    found = rng.uniform(-1, 1, np.shape(leaf))
    return found + 1j * rng.uniform(-1, 1, np.shape(leaf)) if np.iscomplexobj(leaf) else found


def _moved(leaf: Any, t: float, direction: Any) -> Any:
    if isinstance(leaf, np.ndarray):
        writable = leaf.flags.writeable
        moved = leaf.copy(order="K")
        moved += t * direction
        moved.flags.writeable = writable
        return moved
    return type(leaf)(leaf + t * direction)


def differences(along: Callable[[float], Any]) -> tuple[float, bool]:
    """The derivative at zero by central differences, and whether it can be trusted."""
    at = {t: float(along(t)) for t in (0.0, STEP, -STEP, STEP / 4, -STEP / 4)}
    if not all(abs(value) < LARGEST for value in at.values()):
        return 0.0, False
    wide = (at[STEP] - at[-STEP]) / (2 * STEP)
    narrow = (at[STEP / 4] - at[-STEP / 4]) / (STEP / 2)
    left, right = (at[0.0] - at[-STEP]) / STEP, (at[STEP] - at[0.0]) / STEP
    size = max(1.0, abs(wide), abs(at[0.0]))
    smooth = abs(wide - narrow) < 1e-4 * size and abs(left - right) < 1e-2 * size
    return wide, smooth


def check_second(op: str, call: Call, seed: int) -> Verdict:
    """Compare a second derivative along a direction with differences of first ones.

    It is that of a number made of squares: what is linear has one, too.
    """
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for low, high in RANGES:
            verdict = _check_second(op, call, low, high, seed)
            if verdict.status != "skipped":
                return verdict
    return Verdict("skipped", "no range of values")


def _check_second(op: str, call: Call, low: float, high: float, seed: int) -> Verdict:
    args, kwargs = smooth(call, low, high, seed)
    every = list(arrays((args, kwargs)))
    if has_few_digits(op, call, low, high, seed):
        return Verdict("skipped", "not double precision")
    pairs = itertools.combinations({id(a): a for a in every}.values(), 2)
    leaves, structure = apart(args, kwargs)
    if any(np.may_share_memory(a, b) for a, b in pairs) or not sum(map(np.size, leaves)):
        return Verdict("skipped", "arguments overlap, or there are none")
    if any(np.any(np.abs(leaf) > VAST) for leaf in leaves):
        return Verdict("skipped", "steps vanish beside such numbers")
    rng = np.random.default_rng(seed)
    direction = [_direction(rng, leaf) for leaf in leaves]

    def slope(t: float) -> float:
        fresh, same = apart(*smooth(call, low, high, seed))
        moved = [_moved(leaf, t, d) for leaf, d in zip(fresh, direction, strict=True)]
        found = grad(lambda given: total(op, given, same, bent=True))(moved)
        return sum(float(np.sum(np.real(g * d))) for g, d in zip(found, direction, strict=True))

    try:
        expected, close = ((slope(step) - slope(-step)) / (2 * step) for step in (STEP, STEP / 4))
    except GradientError as error:
        return Verdict("refused", str(error))
    except Exception as error:
        return Verdict("skipped", f"NumPy raises {type(error).__name__}: {error}")
    if not abs(expected - close) <= 1e-3 * max(1.0, abs(expected)):
        return Verdict("skipped", "not smooth here")
    tangent = [d if np.ndim(d) else np.asarray(d).item() for d in direction]
    try:
        found = hvp(lambda given: total(op, given, structure, bent=True), (leaves,), (tangent,))
    except GradientError as error:
        return Verdict("refused", str(error))
    made = sum(float(np.sum(np.real(h * d))) for h, d in zip(found, direction, strict=True))
    if made == expected == 0.0:
        return Verdict("skipped", "its second derivative is zero")
    right = np.isclose(made, expected, rtol=1e-3, atol=1e-3)
    return Verdict("right" if right else "wrong", f"{made} instead of {expected}")
