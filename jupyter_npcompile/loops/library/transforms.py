"""Fourier transforms in a loop: the code that ``np.fft`` itself calls.

A transform of some hundred elements takes a microsecond, and the way to it through
``np.fft`` three. What NumPy calls at its end are ufuncs; a native loop calls their
loops, with the array that it has at hand.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.loops import elementwise
from jupyter_npcompile.loops.calls import Call, elements, named, register, whole_number
from jupyter_npcompile.loops.kinds import Declined
from jupyter_npcompile.loops.library.results import NONE, made, place_of
from jupyter_npcompile.loops.values import Items, Known, Lazy, Ref, Value

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names

_NORMS = {None: 0, "backward": 0, "forward": 1, "ortho": 2}
"""How a transform is scaled: not, by its length, by its root (``transform_factor``)."""

_SWAPPED = {0: 1, 1: 0, 2: 2}
"""The same for the way back."""


_TYPES = {
    "fft": "Dd->D",
    "ifft": "Dd->D",
    "rfft_n_even": "dd->D",
    "rfft_n_odd": "dd->D",
    "irfft": "Dd->d",
}
"""The ufuncs behind the transforms, and the types of their first loops."""


@functools.cache
def ufuncs() -> Mapping[str, np.ufunc]:
    """NumPy's ufuncs that transform lines, by their names; none where NumPy has others.

    Examples
    --------
    >>> [*ufuncs()][:2] in ([], ["fft", "ifft"])
    True
    """
    try:
        module = importlib.import_module("numpy.fft._pocketfft_umath")
        found: dict[str, np.ufunc] = {name: getattr(module, name) for name in _TYPES}
    except (ImportError, AttributeError):
        return {}
    return found if all(f.types[0] == _TYPES[name] for name, f in found.items()) else {}


def _host(t: Names, ufunc: str) -> str:
    """C++ for a ufunc that the loop is given."""
    number = len(t.hosts)
    t.hosts.append(ufuncs()[ufunc])
    return f"hosts[{number}]"


def _norm(value: Value) -> int:
    known = value.value if isinstance(value, Known) else value
    if known is None or (isinstance(known, str) and known in _NORMS):
        return _NORMS[known]
    raise Declined("a transform with this norm")


def _along(t: Names, name: str, value: Lazy, length: str, axis: int, norm: int) -> Ref:
    """One transform along one axis.

    Parameters
    ----------
    t : Names
        Where it is written.
    name : {"fft", "ifft", "rfft", "irfft"}
        Which.
    value : array
        Of float64 or complex128.
    length : str
        C++ for the number of points; empty for all.
    axis : int
        Counted from the first.
    norm : int
        How it is scaled, were it no way back: a value of `_NORMS`.
    """
    w = t.writer
    takes, gives = (
        "float64" if part else "complex128" for part in (name == "rfft", name == "irfft")
    )
    ref = elementwise.materialise(w, elements(elementwise.converted(value, takes)))
    points = length or (f"2 * ({ref.n(axis)} - 1)" if name == "irfft" else ref.n(axis))
    n = w.hold("i64", points, "n")
    w.emit(f"NEED({n} > 0);")
    norm = _SWAPPED[norm] if name in ("ifft", "irfft") else norm
    ufunc = _host(t, name) if name != "rfft" else ""
    if name == "rfft":
        even, odd = _host(t, "rfft_n_even"), _host(t, "rfft_n_odd")
        ufunc = f"({n} % 2 ? {odd} : {even})"
    out = f"{n} / 2 + 1" if name == "rfft" else n
    c = "double" if gives == "float64" else "Complex"
    code = f"transform<{c}>(run, {ufunc}, {ref.code}, {axis}, {out}, transform_factor({n}, {norm}))"
    result = made(t, code, gives, ref.ndim)
    if ref.ndim > 1:
        odd = f"makes_odd({ref.ndim}, {{order_of({ref.code})}})"
        w.emit(f"if (!LIKELY(!{odd})) {result.code}.b->odd = true;")
    return result


def _one(function: Any) -> Call:
    """A transform along one axis."""
    name = function.__name__

    def call(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        names = ("a", "n", "axis", "norm")
        given = named(f"np.fft.{name}", names, args, kwargs, none=("n", "norm"))
        value, norm = _suitable(given.get("a", NONE), name), _norm(given.get("norm", NONE))
        axis = place_of(given["axis"], value.ndim) if "axis" in given else value.ndim - 1
        length = whole_number(given["n"]) if "n" in given else ""
        return _along(t, name, value, length, axis, norm)

    return call


def _all(function: Any, first: str, other: str) -> Call:
    """A transform along all axes: a real one is along the last, before the others or after them."""
    name = function.__name__

    def call(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        names = ("a", "s", "axes", "norm")
        given = named(f"np.fft.{name}", names, args, kwargs, none=("s", "norm"))
        value, norm = _suitable(given.get("a", NONE), name), _norm(given.get("norm", NONE))
        count = 2 if name.endswith("2") else value.ndim
        lengths = [""] * count
        if "s" in given:
            items = given["s"].items if isinstance(given["s"], Items) else ()
            lengths = [whole_number(item) for item in items]
        if "axes" in given or len(lengths) != count or value.ndim < count:
            raise Declined(f"np.fft.{name} with these arguments")
        if "s" in given and not name.endswith("2"):
            raise Declined("a transform that NumPy warns of")
        last = value.ndim - 1
        axes = list(range(last - count + 1, last))
        order = [*axes, last] if name.startswith("irfft") else [last, *reversed(axes)]
        for axis in order:
            step = first if axis == last else other
            value = _along(t, step, value, lengths[axis - last - 1], axis, norm)
        return value

    return call


def _suitable(value: Value, name: str) -> Lazy:
    """The elements of an array that is transformed in double precision."""
    found = elements(value)
    kinds = ("float64",) if "rfft" in name and "irfft" not in name else ("float64", "complex128")
    if not ufuncs() or found.dtype not in kinds:
        raise Declined(f"np.fft.{name} of these")
    return found


_ONE: tuple[Any, ...] = (np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.irfft)
_ALL: tuple[tuple[Any, str, str], ...] = (
    *((np.fft.fft2, "fft", "fft"), (np.fft.fftn, "fft", "fft")),
    *((np.fft.ifft2, "ifft", "ifft"), (np.fft.ifftn, "ifft", "ifft")),
    *((np.fft.rfft2, "rfft", "fft"), (np.fft.rfftn, "rfft", "fft")),
    *((np.fft.irfft2, "irfft", "ifft"), (np.fft.irfftn, "irfft", "ifft")),
)
for _function in _ONE:
    register(_function, _one(_function))
for _function, _first, _other in _ALL:
    register(_function, _all(_function, _first, _other))
