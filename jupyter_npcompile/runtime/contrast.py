"""Everything two runs left behind, held against each other."""

from __future__ import annotations

import re
import types
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from jupyter_npcompile.graph.comparison import Kind
from jupyter_npcompile.runtime.check import NO_ROUNDING, Mismatch, Rounding, mismatches
from jupyter_npcompile.runtime.ulps import distance
from jupyter_npcompile.tracer.memory import Array, is_writeable, pattern

NOTHING = object()
"""Stands for a name that is not bound."""

_NUMBERS = (bool, int, float, complex, np.number, np.bool_)
_PLAIN = frozenset({bool, int, float, complex, str, bytes, type(None)})
_SAYS_ALL = (str, bytes, bytearray, types.NoneType, types.EllipsisType, range, slice, np.dtype)
_RANDOM = (np.random.Generator, np.random.RandomState, np.random.BitGenerator)
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


class Contrast:
    """Compares named values of two runs, and how they hang together.

    Values, dtypes, shapes, types, strides and flags; which names are the same
    object, and which arrays share memory.

    Parameters
    ----------
    rounding : Rounding
        What the values were computed from, to judge cancellation.

    Attributes
    ----------
    found : list of Mismatch
        Differences, in the order of the names.
    rounding_ulps : int
        Largest distance among floating-point values that pass.
    relative : float
        The same as part of the largest number of its array.
    arrays : list
        Path and both arrays, for every array seen.

    Examples
    --------
    >>> contrast = Contrast()
    >>> contrast.names({"y": np.float64(1)}, {"y": 1.0})
    >>> [str(mismatch) for mismatch in contrast.found]
    ['y: type float64 became float']
    """

    def __init__(self, rounding: Rounding = NO_ROUNDING) -> None:
        self.found: list[Mismatch] = []
        self.rounding_ulps = 0
        self.relative = 0.0
        self.arrays: list[tuple[str, Array, Array]] = []
        self._rounding = rounding
        self._seen: set[tuple[int, int]] = set()
        self._first: tuple[dict[int, str], dict[int, str]] = ({}, {})
        self._kept: list[Any] = []

    def names(self, expected: Mapping[str, Any], actual: Mapping[str, Any]) -> None:
        """Compare what names are bound to, and then how the arrays share memory."""
        for name in dict.fromkeys((*expected, *actual)):
            self.value(name, expected.get(name, NOTHING), actual.get(name, NOTHING))
        self._sharing()

    def value(self, path: str, expected: Any, actual: Any) -> None:
        """Compare two values, at any depth."""
        if isinstance(expected, np.ndarray) and isinstance(actual, np.ndarray):
            self._array(path, expected, actual)
        elif isinstance(expected, _NUMBERS) or isinstance(actual, _NUMBERS):
            self._number(path, expected, actual)
        elif expected is not actual:
            self._object(path, expected, actual)

    # -- arrays and numbers

    def _array(self, path: str, expected: Array, actual: Array) -> None:
        self.arrays.append((path, expected, actual))
        if expected is actual:
            return
        if type(expected) is not type(actual):
            self._changed("type", path, "type", type(expected).__name__, type(actual).__name__)
            return
        before = len(self.found)
        if type(expected) is np.ndarray and expected.dtype.kind in "biufc":
            self.found += mismatches(path, expected, actual, self._rounding)
            self._note_rounding(expected, actual, self.found[before:])
        else:
            self._unusual(path, expected, actual)
        if is_writeable(expected) != is_writeable(actual):
            words = {True: "writeable", False: "read-only"}
            flags = words[is_writeable(expected)], words[is_writeable(actual)]
            self._changed("flags", path, "flag", *flags)

    def _unusual(self, path: str, expected: Array, actual: Array) -> None:
        """Arrays of objects, text or records, and subclasses."""
        if expected.dtype != actual.dtype:
            self._changed("dtype", path, "dtype", expected.dtype, actual.dtype)
        elif expected.shape != actual.shape:
            self._changed("shape", path, "shape", expected.shape, actual.shape)
        elif isinstance(expected, np.ma.MaskedArray):
            pairs = zip(_masked(expected), _masked(actual), strict=True)
            for part, (before, after) in zip(("data", "mask"), pairs, strict=True):
                self.found += mismatches(f"{path}.{part}", before, after, self._rounding)
        elif expected.dtype.kind in "biufc":
            plain = expected.view(np.ndarray), actual.view(np.ndarray)
            self.found += mismatches(path, *plain, self._rounding)
            self._note_rounding(*plain, [])
            self._attributes(path, expected, actual)
        elif expected.dtype.kind == "O":
            for index in np.ndindex(expected.shape):
                where = ", ".join(map(str, index))
                self.value(f"{path}[{where}]", expected[index], actual[index])
        elif repr(expected.tolist()) != repr(actual.tolist()):
            self._changed("value", path, "value", _short(expected), _short(actual))

    def _number(self, path: str, expected: Any, actual: Any) -> None:
        if expected is NOTHING or actual is NOTHING:
            self._object(path, expected, actual)
            return
        before = len(self.found)
        self.found += mismatches(path, expected, actual, self._rounding)
        if type(expected) is type(actual):
            plain = np.asarray(expected), np.asarray(actual)
            self._note_rounding(*plain, self.found[before:])

    def _note_rounding(self, expected: Array, actual: Array, found: list[Mismatch]) -> None:
        if found or expected.shape != actual.shape or expected.dtype != actual.dtype:
            return
        steps = distance(expected, actual) if expected.size else None
        if steps:
            self.rounding_ulps = max(self.rounding_ulps, steps)
            self.relative = max(self.relative, _relative(expected, actual))

    # -- objects

    def _object(self, path: str, expected: Any, actual: Any) -> None:
        if expected is NOTHING or actual is NOTHING:
            before, after = _short(expected), _short(actual)
            self.found.append(Mismatch("value", path, f"{before} became {after}", before, after))
            return
        kinds = _kind(type(expected)), _kind(type(actual))
        if kinds[0] != kinds[1]:
            self._changed("type", path, "type", type(expected).__name__, type(actual).__name__)
            return
        if not isinstance(expected, str | bytes | tuple | types.NoneType):
            self._identity(path, expected, actual)
        if (id(expected), id(actual)) in self._seen:
            return
        self._seen.add((id(expected), id(actual)))
        self._kept += (expected, actual)
        self._content(path, expected, actual)

    def _identity(self, path: str, expected: Any, actual: Any) -> None:
        first = [
            known.setdefault(id(value), path)
            for known, value in zip(self._first, (expected, actual), strict=True)
        ]
        if first[0] != first[1]:
            before, after = (
                "an object of its own" if name == path else f"the same object as {name}"
                for name in first
            )
            text = f"{before} became {after}"
            self.found.append(Mismatch("aliasing", path, text, before, after))

    def _content(self, path: str, expected: Any, actual: Any) -> None:
        if isinstance(expected, _SAYS_ALL):
            if repr(expected) != repr(actual):
                self._changed("value", path, "value", _short(expected), _short(actual))
        elif isinstance(expected, types.ModuleType | types.GeneratorType):
            return
        elif isinstance(expected, type | types.FunctionType | types.MethodType):
            if expected.__qualname__ != actual.__qualname__:
                self._changed("value", path, "value", _short(expected), _short(actual))
        elif isinstance(expected, Mapping):
            self._mapping(path, expected, actual)
        elif isinstance(expected, tuple | list | deque):
            self._sequence(path, expected, actual)
        elif isinstance(expected, set | frozenset):
            if sorted(map(_short, expected)) != sorted(map(_short, actual)):
                self._changed("value", path, "value", _short(expected), _short(actual))
        elif isinstance(expected, _RANDOM):
            self.value(f"{path} (state)", _state(expected), _state(actual))
        elif isinstance(expected, BaseException):
            self.value(f"{path}.args", expected.args, actual.args)
        elif not self._attributes(path, expected, actual):
            shown = _short(expected), _short(actual)
            if _says_more(type(expected)) and shown[0] != shown[1]:
                self._changed("value", path, "value", *shown)

    def _mapping(self, path: str, expected: Any, actual: Any) -> None:
        keys = [_short(key) for key in expected], [_short(key) for key in actual]
        if keys[0] != keys[1]:
            self._changed("value", path, "keys", ", ".join(keys[0]), ", ".join(keys[1]))
            return
        for name, before, after in zip(keys[0], expected.values(), actual.values(), strict=True):
            self.value(f"{path}[{name}]", before, after)

    def _sequence(self, path: str, expected: Any, actual: Any) -> None:
        if len(expected) != len(actual):
            self._changed("value", path, "length", len(expected), len(actual))
            return
        kinds = [type(item) for item in expected]
        plain = set(kinds) <= _PLAIN and kinds == [type(item) for item in actual]
        if plain and all(map(_equal, expected, actual)):
            return
        for index, (before, after) in enumerate(zip(expected, actual, strict=True)):
            self.value(f"{path}[{index}]", before, after)

    def _attributes(self, path: str, expected: Any, actual: Any) -> bool:
        """Compare what objects hold; whether they say what that is."""
        before, after = _held(expected), _held(actual)
        if not before and not after:
            return False
        for name in dict.fromkeys((*before, *after)):
            self.value(f"{path}.{name}", before.get(name, NOTHING), after.get(name, NOTHING))
        return True

    # -- memory

    def _sharing(self) -> None:
        """Compare which arrays share memory, at which distance, and which are one object."""
        known = [entry for entry in self.arrays if entry[1].size and entry[2].size]
        paths = [path for path, _, _ in known]
        before = pattern([expected for _, expected, _ in known])
        after = pattern([actual for _, _, actual in known])
        for index, path in enumerate(paths):
            if before[index] != after[index]:
                one, other = (_relation(index, k[index], paths) for k in (before, after))
                self.found.append(Mismatch("aliasing", path, f"{one} became {other}", one, other))

    def _changed(self, kind: Kind, path: str, what: str, before: object, after: object) -> None:
        shown = str(before), str(after)
        text = f"{what} {shown[0]} became {shown[1]}"
        self.found.append(Mismatch(kind, path, text, *shown))


def _relation(index: int, relation: tuple[int, int, int], paths: list[str]) -> str:
    first, offset, same = relation
    if same != index:
        return f"the same array as {paths[same]}"
    if first != index:
        return f"memory shared with {paths[first]}, {offset} bytes on"
    return "memory of its own"


def _relative(expected: Array, actual: Array) -> float:
    with np.errstate(all="ignore"):
        finite = np.isfinite(expected) & np.isfinite(actual)
        largest = float(np.max(np.abs(expected), initial=0.0, where=finite))
        apart = float(np.max(np.abs(expected - actual), initial=0.0, where=finite))
    return apart / largest if largest else 0.0


def _kind(kind: type) -> tuple[str, str]:
    """A class by name: one that the runs define is another object in each of them."""
    return kind.__module__, kind.__qualname__


def _masked(array: Any) -> tuple[Array, Array]:
    return np.ma.getdata(array), np.ma.getmaskarray(array)


def _held(value: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for kind in type(value).__mro__:
        names: Iterable[str] = vars(kind).get("__slots__", ())
        for name in (names,) if isinstance(names, str) else names:
            if name not in ("__dict__", "__weakref__") and hasattr(value, name):
                found[name] = getattr(value, name)
    attributes = getattr(value, "__dict__", None)
    return {**found, **attributes} if isinstance(attributes, dict) else found


def _state(value: Any) -> Any:
    if isinstance(value, np.random.RandomState):
        return value.get_state(legacy=False)
    return value.bit_generator.state if isinstance(value, np.random.Generator) else value.state


def _equal(before: Any, after: Any) -> bool:
    return bool(before == after) or (before != before and after != after)


def _says_more(kind: Any) -> bool:
    return kind.__repr__ is not object.__repr__


def _short(value: Any) -> str:
    if value is NOTHING:
        return "nothing"
    text = _ADDRESS.sub("", repr(value))
    return text if len(text) <= 200 else f"{text[:199]}…"
