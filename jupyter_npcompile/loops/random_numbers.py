"""Random numbers of a `numpy.random.Generator`, drawn in the loop: the same, in the same order.

A generator hands out its stream of bits through a table of C functions, and
NumPy ships what makes distributions of them as a library. What a loop has
drawn is given back when Python has to run it after all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from jupyter_npcompile.loops import arithmetic, elementwise
from jupyter_npcompile.loops.calls import array, number, of
from jupyter_npcompile.loops.indexing import as_index
from jupyter_npcompile.loops.kinds import Declined, Number
from jupyter_npcompile.loops.values import Items, Known, Scalar, Source, Value

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names

DISTRIBUTIONS = Path(np.random.__file__).with_name("lib") / "libnpyrandom.a"
"""NumPy's library of distributions."""

_FLOATS = {
    "random": ("random_double({0})", ()),
    "uniform": ("random_between({0}, {1}, {2})", (("low", 0.0), ("high", 1.0))),
    "standard_normal": ("random_standard_normal({0})", ()),
    "normal": ("random_near({0}, {1}, {2})", (("loc", 0.0), ("scale", 1.0))),
    "standard_exponential": ("random_standard_exponential({0})", ()),
}
"""Methods that give floats: in C++, and their parameters with defaults."""

_OF_THE_LIBRARY = ("standard_normal", "normal", "standard_exponential", "integers")


@of(np.random.default_rng)
def _default_rng(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if kwargs or len(args) != 1 or number(args[0]).type.dtype != "int64":
        raise Declined("np.random.default_rng with these arguments")
    w = t.writer
    place = len(t.hosts)
    t.hosts.append(np.random.default_rng)
    w.emit("back(run);")
    made = f"call_numpy(run, hosts[{place}], {{make_int({number(args[0]).code}, 0)}})"
    return Source(w.hold("Source", f"new_source(run, {made})"))


def draw(
    t: Names, source: Source, name: str, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    """Write a call of a method of a generator.

    Raises
    ------
    Declined
        For methods and arguments that loops do not have.
    """
    if name in _OF_THE_LIBRARY and not DISTRIBUTIONS.exists():
        raise Declined(f"`{name}`: NumPy's library of distributions is not installed")
    if name == "integers":
        return _integers(t, source, args, kwargs)
    if name not in _FLOATS:
        raise Declined(f"`{name}` of a random generator")
    template, parameters = _FLOATS[name]
    known = _bound(name, [*(key for key, _ in parameters), "size"], args, kwargs)
    values = []
    for key, default in parameters:
        value = known.get(key, arithmetic.constant(default))
        scalar = array(value)
        if not isinstance(scalar, Scalar) or scalar.type.kind not in "bif":
            raise Declined(f"`{name}` of arrays")
        values.append(t.writer.hold("double", f"(double){scalar.code}"))
    code = template.format(source.code, *values)
    return _drawn(t, code, Number("py", "float64"), known.get("size"))


def _integers(
    t: Names, source: Source, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    known = _bound("integers", ["low", "high", "size"], args, kwargs)
    if "low" not in known:
        raise Declined("`integers` without a bound")
    low, high = known["low"], known.get("high", Known(None))
    if isinstance(high, Known) and high.value is None:
        low, high = arithmetic.constant(0), low
    bounds = []
    for value in (low, high):
        scalar = number(value)
        if scalar.type.kind != "i":
            raise Declined("`integers` with bounds that are no integers")
        bounds.append(t.writer.hold("i64", f"(i64){scalar.code}"))
    code = f"random_integer({source.code}, {bounds[0]}, {bounds[1]})"
    return _drawn(t, code, Number("np", "int64"), known.get("size"))


def _bound(
    name: str, parameters: Sequence[str], args: Sequence[Value], kwargs: Mapping[str, Value]
) -> dict[str, Value]:
    """Arguments by name."""
    if len(args) > len(parameters) or any(key not in parameters for key in kwargs):
        raise Declined(f"`{name}` with these arguments")
    return {**dict(zip(parameters, args, strict=False)), **kwargs}


def _drawn(t: Names, code: str, kind: Number, size: Value | None) -> Value:
    """One number, or an array of them."""
    w = t.writer
    if size is None or (isinstance(size, Known) and size.value is None):
        return Scalar(w.hold(kind.c, code), kind)
    lengths = size.items if isinstance(size, Items) else (size,)
    if not lengths:
        raise Declined("an array without dimensions")
    dims = [w.hold("i64", as_index(number(length)), "d") for length in lengths]
    made = elementwise.new(w, kind.dtype, dims)
    place, count = w.name("k"), " * ".join(dims)
    with w.block(f"for (i64 {place} = 0; {place} < {count}; {place}++)"):
        w.emit(f"{made.code}.p[{place}] = {code};")
    return made
