"""Runs functions with loops as they are written and natively, and compares all there is to see."""

from __future__ import annotations

import itertools
import linecache
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import jupyter_npcompile
from jupyter_npcompile.runtime.functions import handle_of
from jupyter_npcompile.runtime.loop_state import LoopState
from tests.support.compiling.handles import handle

ULPS = 16
"""Rounding that passes: vector functions and sums of products are not NumPy's own."""

_numbers = itertools.count()

Function = Callable[..., Any]


def define(text: str, names: Mapping[str, Any] | None = None) -> Function:
    """The last function of a text, which Python finds the source of."""
    name = f"<native loop {next(_numbers)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    namespace: dict[str, Any] = {"np": np, **(names or {})}
    exec(compile(text, name, "exec"), namespace)
    functions = [v for v in namespace.values() if getattr(v, "__code__", None) is not None]
    found: Function = functions[-1]
    assert found.__code__.co_filename == name
    return found


def top_loops(function: Function) -> list[LoopState]:
    """What is known of the loops of a compiled function that are in no other."""
    return [state for state in handle_of(function).loops if state.loop.outer is None]


def how(function: Function) -> str:
    """How the loops of a function have run: ``native``, ``refused`` or ``python``."""
    states = top_loops(function)
    if any(form.iterations for state in states for form in state.forms):
        return "native"
    return "refused" if any(state.forms for state in states) else "python"


def ran_natively(function: Function) -> int:
    """How many iterations of its loops, and calls as a whole, native code has run."""
    found = handle(function)
    whole = [] if found.whole is None else found.whole.forms
    forms = [*whole, *(form for state in found.loops for form in state.forms)]
    return sum(form.iterations for form in forms)


def reasons(function: Function) -> list[str]:
    """Why loops of a function have no native form."""
    return [state.closed or state.note for state in handle_of(function).loops]


@dataclass
class Outcome:
    """What came of a call."""

    result: Any
    error: tuple[str, str] | None
    warned: list[tuple[str, str]]
    arguments: Sequence[Any]


def outcome(function: Function, arguments: Sequence[Any]) -> Outcome:
    """Call a function."""
    result, error = None, None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = function(*arguments)
        except Exception as raised:
            error = (type(raised).__name__, str(raised))
    warned = sorted({(w.category.__name__, str(w.message)) for w in caught})
    return Outcome(result, error, warned, arguments)


def differences(one: Outcome, other: Outcome) -> list[str]:
    """What is not the same after two calls: the first is Python's."""
    found = []
    if one.error != other.error:
        found.append(f"raised {one.error}, {other.error}")
    if one.warned != other.warned:
        found.append(f"warned {one.warned}, {other.warned}")
    found += _differ("result", one.result, other.result)
    found += _differ("arguments", tuple(one.arguments), tuple(other.arguments))
    if not found:
        arrays = [_arrays((o.result, tuple(o.arguments))) for o in (one, other)]
        if _sharing(arrays[0]) != _sharing(arrays[1]):
            found.append("names share memory, or are one object, in another way")
    return found


def _arrays(value: Any) -> list[np.ndarray[Any, Any]]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, tuple | list):
        return [array for item in value for array in _arrays(item)]
    return [value] if isinstance(value, np.ndarray) else []


def _sharing(arrays: Sequence[np.ndarray[Any, Any]]) -> list[Any]:
    pairs = itertools.combinations(arrays, 2)
    return [
        *((a is b, np.shares_memory(a, b)) for a, b in pairs),
        *((a.flags.owndata, a.flags.writeable) for a in arrays),
        *(None if a.base is None else getattr(a.base, "shape", ()) for a in arrays),
    ]


def _differ(path: str, one: Any, other: Any) -> list[str]:
    if type(one) is not type(other):
        return [f"{path}: {type(one).__name__} {one!r}, {type(other).__name__} {other!r}"]
    if isinstance(one, tuple | list):
        if len(one) != len(other):
            return [f"{path}: {len(one)} items, {len(other)}"]
        pairs = enumerate(zip(one, other, strict=True))
        return [text for k, (a, b) in pairs for text in _differ(f"{path}[{k}]", a, b)]
    if isinstance(one, dict):
        if list(one) != list(other):
            return [f"{path}: keys {list(one)}, {list(other)}"]
        return [text for k in one for text in _differ(f"{path}[{k!r}]", one[k], other[k])]
    if isinstance(one, np.ndarray):
        if (one.dtype, one.shape) != (other.dtype, other.shape):
            return [f"{path}: {one.dtype} {one.shape}, {other.dtype} {other.shape}"]
        if one.size and one.strides != other.strides:
            return [f"{path}: strides {one.strides}, {other.strides}"]
    if isinstance(one, np.random.Generator):
        states = [repr(generator.bit_generator.state) for generator in (one, other)]
        return [] if states[0] == states[1] else [f"{path}: other random numbers come next"]
    if isinstance(one, float | complex | np.inexact | np.ndarray):
        return [] if _close(one, other) else [f"{path}: {one!r}, {other!r}"]
    if type(one).__eq__ is object.__eq__ and hasattr(one, "__dict__"):
        return _differ(path, vars(one), vars(other))
    return [] if one == other else [f"{path}: {one!r}, {other!r}"]


def _close(one: Any, other: Any) -> bool:
    a, b = np.asarray(one), np.asarray(other)
    if a.dtype.kind == "c":
        return _close(a.real, b.real) and _close(a.imag, b.imag)
    if a.dtype.kind != "f":
        return bool(np.array_equal(a, b))
    finite = a[np.isfinite(a)]
    largest = float(np.max(np.abs(finite))) if finite.size else 0.0
    near = np.isclose(
        a, b, rtol=ULPS * np.finfo(a.dtype).eps, atol=ULPS * np.finfo(a.dtype).eps * largest * 0.25,
        equal_nan=True,
    )  # fmt: skip
    signs = (np.signbit(a) == np.signbit(b)) | np.isnan(a) | (a != 0)
    return bool(np.all(near & signs))


def compiled(function: Function) -> Function:
    """A function whose loops are compiled at once."""
    return jupyter_npcompile.compile(function)


def assert_same(
    function: Function, arguments: Callable[[int], Sequence[Any]], runs: int = 2
) -> Function:
    """Compare a function with its native form, on arguments made anew for each run."""
    native = compiled(function)
    for run in range(runs):
        expected = outcome(function, arguments(run))
        found = outcome(native, arguments(run))
        wrong = differences(expected, found)
        assert not wrong, f"run {run}: " + "; ".join(wrong)
    return native
