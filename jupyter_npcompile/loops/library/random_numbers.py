"""Random numbers of a `numpy.random.Generator`, drawn in the loop: the same, in the same order.

A generator hands out its stream of bits through a table of C functions, and
NumPy ships what makes distributions of them as a library. What a loop has
drawn is given back when Python has to run it after all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.loops import arithmetic, elementwise, hosts, indexing
from jupyter_npcompile.loops.calls import Call, array, elements, number, of, register
from jupyter_npcompile.loops.cuts import as_index
from jupyter_npcompile.loops.kinds import Declined, Number
from jupyter_npcompile.loops.library.creation import array_call
from jupyter_npcompile.loops.values import (
    Applied,
    Gathered,
    Items,
    Known,
    Listed,
    Ref,
    Scalar,
    Source,
    Value,
)

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names

DISTRIBUTIONS = Path(np.random.__file__).with_name("lib") / "libnpyrandom.a"
"""NumPy's library of distributions."""

LEGACY: Any = np.random.mtrand._rand
"""The generator behind `np.random.rand` and its like."""

_FLOATS = {
    "random": ("random_double({0})", ()),
    "uniform": ("random_between({0}, {1}, {2})", (("low", 0.0), ("high", 1.0))),
    "standard_normal": ("random_standard_normal({0})", ()),
    "normal": ("random_near({0}, {1}, {2})", (("loc", 0.0), ("scale", 1.0))),
    "standard_exponential": ("random_standard_exponential({0})", ()),
    "exponential": ("random_wait({0}, {1})", (("scale", 1.0),)),
}
"""Methods that give floats: in C++, and their parameters with defaults."""

_OF_THE_LIBRARY = ("standard_normal", "normal", "standard_exponential", "exponential", "integers")


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
    if name == "shuffle":
        return _shuffle(t, source, args, kwargs)
    mark = t.writer.mark()
    try:
        return _draw(t, source, name, args, kwargs)
    except Declined:
        function = getattr(np.random.Generator, name, None)
        if function is None or name in ("spawn", "bytes", "permuted"):
            raise
        t.writer.back(mark)
        return hosts.call(t, function, [source, *args], kwargs)


def _draw(
    t: Names, source: Source, name: str, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    """Draw in C++."""
    if name in _OF_THE_LIBRARY and not DISTRIBUTIONS.exists():
        raise Declined(f"`{name}`: NumPy's library of distributions is not installed")
    if name == "integers":
        return _integers(t, source, args, kwargs)
    if name == "choice":
        return _choice(t, source, args, kwargs)
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
    t: Names,
    source: Source,
    args: Sequence[Value],
    kwargs: Mapping[str, Value],
    *,
    legacy: bool = False,
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
    function = "random_integer_of_legacy" if legacy else "random_integer"
    arguments = ", ".join((source.code, *bounds))
    one, many = f"{function}({arguments})", f"fill_{function}({arguments}, {{}})"
    drawn = _drawn(t, one, Number("np", "int64"), known.get("size"), many)
    if legacy and isinstance(drawn, Scalar):
        return Scalar(drawn.code, Number("py", "int64"))
    return drawn


def _choice(t: Names, source: Source, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """``choice`` with replacement."""
    w = t.writer
    known = _bound("choice", ["a", "size", "replace", "p"], args, kwargs)
    replace = known.get("replace", arithmetic.constant(True))
    if not isinstance(replace, Scalar) or replace.const is not True:
        raise Declined("`choice` without replacement")
    some = known["a"]
    if isinstance(some, Items):
        some = array_call(t, [some], {})
    if isinstance(some, Listed):
        raise Declined("`choice` of a list")
    from_: Ref | None = None
    if isinstance(some, Scalar):
        if some.type.kind != "i" or some.type.mixed:
            raise Declined("`choice` of no integer")
        count = w.hold("i64", f"(i64){some.code}")
    else:
        from_ = elementwise.materialise(w, elements(some))
        if from_.ndim != 1:
            raise Declined("`choice` of rows")
        count = f"{from_.code}.n[0]"
    w.emit(f"NEED({count} > 0);")
    code = f"random_integer({source.code}, 0, {count})"
    given = known.get("p", Known(None))
    if not (isinstance(given, Known) and given.value is None):
        if not isinstance(given, Ref | Applied | Gathered) or given.ndim != 1:
            raise Declined("`choice` with such shares")
        if given.dtype != "float64":
            raise Declined("`choice` with shares of another type")
        p, shares = elementwise.materialise(w, given), w.name("shares")
        w.emit(f"NEED({p.code}.n[0] == {count});")
        w.emit(f"const std::vector<double> {shares} = shares_of_one({p.code});")
        code = f"random_share({source.code}, {shares})"
    size = known.get("size")
    drawn = _drawn(t, code, Number("np", "int64"), size)
    if from_ is None:
        if isinstance(drawn, Scalar):
            return Scalar(drawn.code, Number("py", "int64"))
        return drawn
    return indexing.read(w, from_, [number(drawn) if isinstance(drawn, Scalar) else array(drawn)])


def _legacy(name: str) -> Call:
    """A function of the generator that all of Python shares: ``np.random.rand``."""
    like = getattr(np.random.RandomState(0), name)

    def call(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        if t.legacy is None:
            t.legacy = len(t.hosts)
            t.hosts.append(LEGACY)
        source = Source(t.writer.variable("legacy_", "Source"))
        function = getattr(LEGACY, name)
        if name in ("rand", "random", "random_sample") and not kwargs:
            size = Items(tuple(args)) if name == "rand" else args[0] if args else None
            size = None if isinstance(size, Items) and not size.items else size
            return _drawn(t, f"random_double({source.code})", Number("py", "float64"), size)
        if name == "randint" and DISTRIBUTIONS.exists() and "dtype" not in kwargs:
            return _integers(t, source, args, kwargs, legacy=True)
        if name == "seed" and len(args) == 1 and not kwargs:
            hosts.change(t, function, args, None)
            return Known(None)
        if name == "shuffle" and len(args) == 1 and not kwargs and isinstance(args[0], Ref):
            hosts.change(t, function, args, args[0])
            return Known(None)
        if name in ("seed", "shuffle"):
            raise Declined(f"`{name}` with these arguments")
        return hosts.call(t, function, args, kwargs, like)

    return call


for _name in (
    *("rand", "random", "random_sample", "randint", "randn", "normal", "standard_normal"),
    *("uniform", "exponential", "poisson", "binomial", "choice", "permutation", "gamma", "beta"),
    *("multivariate_normal", "lognormal", "seed", "shuffle"),
):
    register(getattr(np.random, _name), _legacy(_name))


def _shuffle(t: Names, source: Source, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if kwargs or len(args) != 1 or not isinstance(args[0], Ref):
        raise Declined("`shuffle` with these arguments")
    hosts.change(t, np.random.Generator.shuffle, [source, args[0]], args[0])
    return Known(None)


def _bound(
    name: str, parameters: Sequence[str], args: Sequence[Value], kwargs: Mapping[str, Value]
) -> dict[str, Value]:
    """Arguments by name."""
    if len(args) > len(parameters) or any(key not in parameters for key in kwargs):
        raise Declined(f"`{name}` with these arguments")
    return {**dict(zip(parameters, args, strict=False)), **kwargs}


def _drawn(t: Names, code: str, kind: Number, size: Value | None, many: str = "") -> Value:
    """One number, or an array of them: by a function for many, where there is one."""
    w = t.writer
    if size is None or (isinstance(size, Known) and size.value is None):
        return Scalar(w.hold(kind.c, code), kind)
    lengths = size.items if isinstance(size, Items) else (size,)
    if not lengths:
        raise Declined("an array without dimensions")
    dims = [w.hold("i64", as_index(number(length)), "d") for length in lengths]
    made = elementwise.new(w, kind.dtype, dims)
    place, count = w.name("k"), " * ".join(dims)
    if many:
        w.emit(many.format(f"{made.code}.p, {count}") + ";")
        return made
    with w.block(f"for (i64 {place} = 0; {place} < {count}; {place}++)"):
        w.emit(f"{made.code}.p[{place}] = {code};")
    return made
