"""Calls of programs with arguments of many kinds, and all that can be seen of a call."""

from __future__ import annotations

import contextlib
import inspect
import io
import itertools
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tests.support.cells.native import ArraySeen, NumberSeen, Seen, Viewer
from tests.support.cells.native import differences as different_values

Array = np.ndarray[Any, Any]
Function = Callable[..., Any]
Draw = Callable[[np.random.Generator, int], Sequence[Any]]
Change = Callable[[Array, np.random.Generator], Array]

ULPS = 4096.0
"""Iterations carry rounding on."""

ROUNDED = {"float32": (np.float32, 512.0), "float16": (np.float16, 16.0)}
"""Arguments of less precision leave less of it in all that is computed: in which dtype results
are compared then, and how many units in its last place pass."""


class Own(np.ndarray[Any, Any]):
    """A subclass of arrays, of which nobody knows anything."""


# -- arguments


def _converted(kind: str, dtype: Any) -> Change:
    def change(x: Array, rng: np.random.Generator) -> Array:
        if x.dtype.kind != kind:
            return x
        return np.round(4 * x).astype(dtype) if np.dtype(dtype).kind in "iu" else x.astype(dtype)

    return change


def _complex(x: Array, rng: np.random.Generator) -> Array:
    return x + 1j * x[::-1] if x.dtype.kind == "f" and x.ndim else x


def _boolean(x: Array, rng: np.random.Generator) -> Array:
    return x > np.median(x) if x.dtype.kind == "f" and x.size else x


def _fortran(x: Array, rng: np.random.Generator) -> Array:
    return np.asfortranarray(x)


def _turned(x: Array, rng: np.random.Generator) -> Array:
    index = (slice(None, None, -1),) * x.ndim
    return np.ascontiguousarray(x[index])[index]


def _apart(x: Array, rng: np.random.Generator) -> Array:
    if not x.ndim:
        return x
    wide = np.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)
    wide[..., ::2] = x
    return wide[..., ::2]


def _locked(x: Array, rng: np.random.Generator) -> Array:
    x.setflags(write=False)
    return x


def _odd(x: Array, rng: np.random.Generator) -> Array:
    if x.dtype.kind == "f" and x.size:
        for value in rng.choice([np.nan, np.inf, -np.inf, -0.0], 2):
            x.flat[rng.integers(x.size)] = value
    return x


def _huge(x: Array, rng: np.random.Generator) -> Array:
    return x * 1e200 if x.dtype.kind == "f" else x


def _zero(x: Array, rng: np.random.Generator) -> Array:
    return np.zeros_like(x) if x.dtype.kind == "f" else x


def _none(x: Array, rng: np.random.Generator) -> Array:
    return x[:0].copy() if x.ndim else x


def _one(x: Array, rng: np.random.Generator) -> Array:
    return x[:1].copy() if x.ndim else x


def _swapped(x: Array, rng: np.random.Generator) -> Array:
    return x.astype(x.dtype.newbyteorder())


def _own(x: Array, rng: np.random.Generator) -> Array:
    return x.view(Own)


def _plain(x: Array, rng: np.random.Generator) -> Array:
    return x


CHANGES: dict[str, Change] = {
    "plain": _plain,
    "fortran": _fortran,
    "turned": _turned,
    "apart": _apart,
    "locked": _locked,
    "float32": _converted("f", "f4"),
    "whole numbers": _converted("f", "i4"),
    "int32": _converted("i", "i4"),
    "complex": _complex,
    "boolean": _boolean,
    "odd": _odd,
    "huge": _huge,
    "zero": _zero,
    "none": _none,
    "one": _one,
    "swapped": _swapped,
    "own": _own,
    "float16": _converted("f", "f2"),
}
"""What may become of each array among the arguments."""

SAME, OVERLAPPING = "same", "overlapping"
"""Arguments of equal shape are one object, or lie in the same memory."""


@dataclass(frozen=True)
class Given:
    """With what a program is called.

    Parameters
    ----------
    seed, size : int
        What the arguments are drawn from.
    change : str
        What becomes of them.
    """

    seed: int
    size: int
    change: str = "plain"

    def arguments(self, draw: Draw) -> list[Any]:
        """Draw them anew."""
        rng = np.random.default_rng([self.seed, self.size])
        args = list(draw(rng, self.size))
        if self.change in (SAME, OVERLAPPING):
            return _together(args, self.change == SAME)
        change = CHANGES[self.change]
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return [_changed(value, change, rng) for value in args]


def _changed(value: Any, change: Change, rng: np.random.Generator) -> Any:
    if isinstance(value, np.ndarray):
        return change(value, rng) if value.dtype.kind in "biufc" else value
    if isinstance(value, list):
        return [_changed(item, change, rng) for item in value]
    return value


def _together(args: list[Any], same: bool) -> list[Any]:
    """Arguments of equal shape and dtype, as one object, or one element further on."""
    first: dict[Any, Array] = {}
    for k, value in enumerate(args):
        if not isinstance(value, np.ndarray) or not value.ndim:
            continue
        key = value.shape, value.dtype
        if key not in first:
            room = np.concatenate([value, value[:1]])
            first[key] = args[k] = room[:-1]
        elif same:
            args[k] = first[key]
        else:
            base = first[key].base
            assert base is not None
            args[k] = base[1:]
    return args


def calls(sizes: tuple[int, int, int] = (8, 8, 13)) -> Iterator[Given]:
    """Twenty-five of them: plain ones first, then each change, with plain ones between."""
    one, other, larger = sizes
    yield from (Given(1, one), Given(2, one), Given(3, other), Given(4, larger), Given(5, 7))
    for seed, change in enumerate(itertools.islice(CHANGES, 1, None), 6):
        yield Given(seed, one, change)
    yield from (Given(40, one, SAME), Given(41, one, OVERLAPPING), Given(42, one))


# -- what is seen


@dataclass
class Outcome:
    """What came of a call: values as they were then, and how arrays share memory."""

    seen: Any
    relations: dict[tuple[str, str], str]
    printed: str
    warned: list[tuple[str, str, int | None]]

    def rounded(self, dtype: Any) -> Any:
        """What is seen, with floats of less precision."""
        with np.errstate(all="ignore"):
            return _rounded(self.seen, dtype)


def _rounded(seen: Any, dtype: Any) -> Any:
    if isinstance(seen, ArraySeen) and seen.dtype == np.float64:
        return replace(seen, values=_fewer_digits(seen.values, dtype))
    if isinstance(seen, NumberSeen) and isinstance(seen.value, float):
        return replace(seen, value=_fewer_digits(np.asarray(seen.value), dtype)[()])
    if isinstance(seen, Seen):
        return replace(seen, parts={k: _rounded(part, dtype) for k, part in seen.parts.items()})
    if isinstance(seen, dict):
        return {k: _rounded(part, dtype) for k, part in seen.items()}
    return seen


def _fewer_digits(values: Array, dtype: Any) -> Array:
    """Which sign something has that becomes zero by that says nothing."""
    found = values.astype(dtype)
    return np.where((found == 0) & (values != 0), dtype(0), found)


def outcome(function: Function, args: Sequence[Any], where: str) -> Outcome:
    """Call a function of the file `where`."""
    np.random.seed(7)
    viewer, printed, end = Viewer(), io.StringIO(), {}
    with (
        contextlib.redirect_stdout(printed),
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.simplefilter("always")
        try:
            end["result"] = function(*args)
        except Exception as error:
            end["error"] = (type(error).__name__, str(error))
    end["arguments"] = args
    end["next"] = np.random.random()
    seen = viewer.see("call", end)
    warned = [
        (w.category.__name__, str(w.message), w.lineno if w.filename == where else None)
        for w in caught
    ]
    return Outcome(seen, viewer.relations(), printed.getvalue(), warned)


def differences(plain: Outcome, other: Outcome, change: str = "plain") -> list[str]:
    """What is not the same after two calls, with arguments of which something has become."""
    seen, ulps = (plain.seen, other.seen), ULPS
    if change in ROUNDED:
        dtype, ulps = ROUNDED[change]
        seen = plain.rounded(dtype), other.rounded(dtype)
    found = list(different_values("call", *seen, ulps))
    for pair in sorted(set(plain.relations) | set(other.relations)):
        before, after = (o.relations.get(pair, "unrelated") for o in (plain, other))
        if before != after:
            found.append(f"{pair[0]} and {pair[1]}: {before} became {after}")
    if plain.printed != other.printed:
        found.append(f"printed {plain.printed!r}, {other.printed!r}")
    if plain.warned != other.warned:
        found.append(f"warned {plain.warned}, {other.warned}")
    return found


def bound(function: Function, args: Sequence[Any]) -> dict[str, Any]:
    """Arguments by their names."""
    made = inspect.signature(function).bind(*args)
    made.apply_defaults()
    return made.arguments
