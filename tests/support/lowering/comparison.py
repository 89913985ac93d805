"""Calls NumPy natively and compiled, on two sets of values, and says what differs."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import jupyter_npcompile
from jupyter_npcompile.runtime.call_handle import CallHandle
from jupyter_npcompile.runtime.policy import Options
from jupyter_npcompile.runtime.stats import counters
from jupyter_npcompile.tracer.interpret import function
from jupyter_npcompile.tracer.lowering import LoweringError, lower
from tests.support.lowering.arguments import Call
from tests.support.lowering.programs import call as record
from tests.support.lowering.programs import tensor_of

NUMBERS = (np.ndarray, np.generic, bool, int, float, complex)


@dataclass(frozen=True)
class Tolerance:
    """How far a result may be from NumPy's.

    Parameters
    ----------
    ulp : float
        In units in the last place: of each element, or with `sums` of the
        largest product of the sizes of the arguments. With 0 the bits are the
        same, but for those of NaN.
    sums : bool
        Whether the result is a sum of several terms, whose order is not
        NumPy's: the sign of a zero is then open.
    unset : bool
        Whether the values are those that memory happened to hold.
    zeros : bool
        Whether the sign of a zero is open: which of 0.0 and -0.0 is the larger
        depends in NumPy on where in the array they are.
    """

    ulp: float = 0.0
    sums: bool = False
    unset: bool = False
    zeros: bool = False


EXACT = Tolerance()
EXTREME = Tolerance(zeros=True)


# -- what is called


_FORMS = {
    "getitem": "lambda x, index: x[index]",
    "python.assume": "lambda x, y: np.gradient(x, y)",
    "item": "lambda x, y, k: np.divmod(x, y)[k]",
}


def _with_constants(x: Any) -> Any:
    return x * np.unique(np.array([3.0, 1.0, 1.0]))[0]


@functools.cache
def callee(op: str, method: bool = False) -> Callable[..., Any]:
    """What a person would write for an operation, without source."""
    space, _, name = op.rpartition(".")
    scope: dict[str, Any] = {"np": np}
    if op == "setitem":
        exec("def setitem(x, index, value):\n    x[index] = value", scope)
        return scope["setitem"]  # type: ignore[no-any-return]
    if op == "python.constant":
        return _with_constants
    if op in _FORMS:
        return eval(_FORMS[op], scope)  # type: ignore[no-any-return]
    if method or space == "ndarray":
        if not callable(getattr(np.ndarray, name)):
            return eval(f"lambda x: x.{name}", scope)  # type: ignore[no-any-return]
        return eval(f"lambda x, *a, **k: x.{name}(*a, **k)", scope)  # type: ignore[no-any-return]
    return function(op)


# -- one run


@dataclass
class Outcome:
    """What a call did: its result or exception, its warnings, and its arguments after it."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    result: Any = None
    error: str = ""
    warned: tuple[str, ...] = ()


def outcome(run: Callable[..., Any], call: Call, number: int) -> Outcome:
    """Call something on the arguments of one run."""
    args, kwargs = call.make(number)
    found = Outcome(args, kwargs)
    errors: Any = "warn" if call.warns else "ignore"
    with np.errstate(all=errors), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found.result = run(*args, **kwargs)
        except Exception as error:
            found.error = f"{type(error).__name__}: {error}"
    found.warned = tuple(f"{w.category.__name__}: {w.message}" for w in caught)
    return found


@dataclass
class Verdict:
    """What both runs gave.

    Parameters
    ----------
    differences : list of str
        Nothing if all is as in NumPy.
    replays : int
        How often compiled code gave the result.
    reason : str
        Why it did not.
    """

    differences: list[str]
    replays: int
    reason: str


def compare(op: str, call: Call, tolerance: Tolerance, tier: str = "aten") -> Verdict:
    """Run a call natively and compiled, on both sets of values."""
    if op.startswith(("python.", "math.")) and op not in (*_FORMS, "python.constant"):
        return compare_numbers(op, call, tolerance)
    target = callee(op, call.method)
    tolerance = in_digits_of_loop(tolerance, target, call)
    handle = CallHandle(target, Options())
    settings = jupyter_npcompile.settings
    before = settings.tier, settings.first_run_check
    settings.tier, settings.first_run_check = tier, "off"  # type: ignore[assignment]
    found: list[str] = []
    started, replays = counters.dispatches, 0
    try:
        for number in (0, 1):
            expected = outcome(target, call, number)
            actual = outcome(lambda *a, **k: handle(a, k), call, number)
            found += [f"run {number}: {text}" for text in differences(expected, actual, tolerance)]
            replays = counters.dispatches - started
    finally:
        settings.tier, settings.first_run_check = before
    state = handle.state
    reasons = [*state.closed.values(), *(stop.cause.reason for stop in state.stops.values())]
    notes = [plan.note for plan in state.used.values() if plan.note]
    failed = [text for text in (*reasons, *notes) if "failed" in text or "internal" in text]
    found += [f"not a reason: {text}" for text in failed]
    found += [f"not a reason: {text}" for text in reasons if "while lowering" in text]
    return Verdict(found, replays, "; ".join((*reasons, *notes)))


def in_digits_of_loop(tolerance: Tolerance, target: Callable[..., Any], call: Call) -> Tolerance:
    """The tolerance in digits of ``out``, which may have more than a result is computed with."""
    if not tolerance.ulp or "out" not in call.kwargs:
        return tolerance
    given = {name: value for name, value in call.kwargs.items() if name != "out"}
    made = outcome(target, replace(call, kwargs=given), 0).result
    pairs = [(made, call.make(0)[1]["out"])]
    if isinstance(made, tuple):
        pairs = list(zip(*pairs[0], strict=False))
    spacings = [
        [float(np.finfo(np.asarray(value).dtype).eps) for value in pair]
        for pair in pairs
        if all(np.asarray(value).dtype.kind in "fc" for value in pair)
    ]
    coarser = max((computed / held for computed, held in spacings), default=1.0)
    return replace(tolerance, ulp=tolerance.ulp * max(coarser, 1.0))


# -- what differs


def differences(expected: Outcome, actual: Outcome, tolerance: Tolerance) -> Iterator[str]:
    """What is not the same after two calls."""
    if expected.error or actual.error:  # NumPy ran: what it left behind may be anything
        if expected.error != actual.error:
            yield f"{expected.error or 'no error'} became {actual.error or 'no error'}"
        return
    if expected.warned != actual.warned:
        yield f"warnings {expected.warned} became {actual.warned}"
    scale = _scale(expected) if tolerance.sums else 0.0
    before = _flat(expected.result, "result")
    after = _flat(actual.result, "result")
    if [name for name, _ in before] != [name for name, _ in after]:
        yield f"{expected.result!r} became {actual.result!r}"
        return
    for (name, a), (_, b) in zip(before, after, strict=True):
        yield from _value(name, a, b, tolerance, scale)
    held = [_flat((o.args, o.kwargs), "arguments") for o in (expected, actual)]
    for (name, a), (_, b) in zip(*held, strict=True):
        yield from _value(name, a, b, tolerance, scale)
    relations = [_relations(x + y) for x, y in zip((before, after), held, strict=True)]
    for key in relations[0]:
        if relations[0][key] != relations[1][key]:
            yield f"{key}: {relations[0][key]} became {relations[1][key]}"


def _flat(value: Any, name: str) -> list[tuple[str, Any]]:
    """Arrays and numbers in a structure, by a name that tells types of containers."""
    if isinstance(value, dict):
        return [pair for k, v in value.items() for pair in _flat(v, f"{name}[{k!r}]")]
    if isinstance(value, tuple | list):
        prefix = f"{name}:{type(value).__name__}{len(value)}"
        return [(prefix, None)] + [
            pair for k, v in enumerate(value) for pair in _flat(v, f"{prefix}[{k}]")
        ]
    return [(name, value)]


def _scale(outcome: Outcome) -> float:
    """A bound of the terms of sums: the product of the sizes of all arguments."""
    found = 1.0
    for _, value in _flat((outcome.args, outcome.kwargs), ""):
        if isinstance(value, np.ndarray | np.generic | float | int) and np.size(value):
            size = np.abs(np.asarray(value).astype(np.complex128))
            finite = size[np.isfinite(size)]
            found *= max(1.0, float(finite.max(initial=0.0))) * max(1, np.size(value))
    return found


def _value(name: str, a: Any, b: Any, tolerance: Tolerance, scale: float) -> Iterator[str]:
    if type(a) is not type(b):
        yield f"{name}: type {type(a).__name__} became {type(b).__name__}"
    elif isinstance(a, np.ndarray):
        for attribute in ("dtype", "shape"):
            if (x := getattr(a, attribute)) != (y := getattr(b, attribute)):
                yield f"{name}: {attribute} {x} became {y}"
                return
        if _flags(a) != _flags(b):
            yield f"{name}: flags {_flags(a)} became {_flags(b)}"
        if a.size and _steps(a) != _steps(b):
            yield f"{name}: strides {a.strides} became {b.strides}"
        if not tolerance.unset or not name.startswith("result"):
            yield from _numbers(name, a, b, tolerance, scale)
    elif isinstance(a, NUMBERS):
        yield from _numbers(name, np.asarray(a), np.asarray(b), tolerance, scale)
    elif a != b:
        yield f"{name}: {a!r} became {b!r}"


def _flags(array: np.ndarray) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on what np.broadcast_arrays gives
        return " ".join(
            flag
            for flag in ("WRITEABLE", "OWNDATA", "C_CONTIGUOUS", "F_CONTIGUOUS")
            if array.flags[flag]
        )


def _steps(array: np.ndarray) -> list[int]:
    return [s for n, s in zip(array.shape, array.strides, strict=True) if n > 1]


def _numbers(
    name: str, a: np.ndarray, b: np.ndarray, tolerance: Tolerance, scale: float
) -> Iterator[str]:
    if a.dtype != b.dtype:
        yield f"{name}: dtype {a.dtype} became {b.dtype}"
        return
    if a.dtype.kind not in "fc":
        wrong = a != b
    elif a.dtype.kind == "f":
        wrong = _unlike(a, b, tolerance, np.abs(a), scale)
    else:
        with np.errstate(all="ignore"):
            size = np.abs(a)
        wrong = _unlike(a.real, b.real, tolerance, size, scale)
        wrong = wrong | _unlike(a.imag, b.imag, tolerance, size, scale)
    if wrong.any():
        first = tuple(int(k[0]) for k in np.nonzero(np.atleast_1d(wrong)))
        x, y = (np.atleast_1d(v)[first] for v in (a, b))
        yield f"{name}{list(first)}: {x!r} became {y!r} ({int(wrong.sum())} of {a.size})"


def _unlike(
    a: np.ndarray, b: np.ndarray, tolerance: Tolerance, size: np.ndarray, scale: float
) -> np.ndarray:
    """Where two floating-point numbers are too far apart."""
    with np.errstate(all="ignore"):
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        if tolerance.sums:
            limit = tolerance.ulp * float(np.finfo(a.dtype).eps) * scale
            near = np.abs(a.astype(np.float64) - b.astype(np.float64)) <= limit
            return ~(same | (near & np.isfinite(a) & np.isfinite(b)))
        own = np.where(np.isfinite(a), np.abs(a), 0)
        unit = np.spacing(np.where(np.isfinite(size), size, own).astype(a.dtype))
        near = np.abs(a - b) <= tolerance.ulp * unit
        if tolerance.zeros:
            return ~(same | (near & np.isfinite(a) & np.isfinite(b)))
        zeros = (a == 0) & (b == 0) & (np.signbit(a) != np.signbit(b))
    return ~(same | (near & np.isfinite(a) & np.isfinite(b))) | zeros


def _address(array: np.ndarray) -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return int(array.__array_interface__["data"][0])


def _relations(values: list[tuple[str, Any]]) -> dict[tuple[str, str], str]:
    """How arrays share memory, and which are the same object."""
    arrays = [(name, value) for name, value in values if isinstance(value, np.ndarray)]
    found: dict[tuple[str, str], str] = {}
    for k, (first, a) in enumerate(arrays):
        for second, b in arrays[k + 1 :]:
            said = "the same array, " if a is b else ""
            if a.size and b.size and np.shares_memory(a, b):
                offset = _address(b) - _address(a)
                said += f"shares memory at {offset}"
            found[first, second] = said or "apart"
    return found


# -- operations that no recording makes yet


def compare_numbers(op: str, call: Call, tolerance: Tolerance) -> Verdict:
    """The same for Python's arithmetic, lowered without a recording."""
    target = function(op)
    first = outcome(target, call, 0)
    if first.error:
        return Verdict([], 0, first.error)
    program = record(op, *first.args)
    try:
        lowered = lower(program.graph())
    except LoweringError as error:
        return Verdict([], 0, error.reason)
    found: list[str] = []
    replays = 0
    for number in (0, 1):
        expected = outcome(target, call, number)
        tensors = lowered.module(*(tensor_of(x) for x in expected.args))
        if lowered.checks and not bool(tensors[-1]):
            continue
        replays += 1
        values = [t.item() for t in tensors[: len(lowered.allocations)]]
        actual = Outcome(expected.args, {}, tuple(values) if op.endswith("divmod") else values[0])
        found += [f"run {number}: {text}" for text in differences(expected, actual, tolerance)]
    return Verdict(found, replays, "a check failed")
