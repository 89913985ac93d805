"""Calls that a native loop leaves to NumPy: linear algebra, transforms, sorting."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from itertools import product as product_of
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.loops import arithmetic, elementwise, small_arrays
from jupyter_npcompile.loops.cuts import view
from jupyter_npcompile.loops.entry import made_number, scalar_type
from jupyter_npcompile.loops.frames import NeedsMemory
from jupyter_npcompile.loops.guarded import PAIRS, WARN_OF_FEW, guarded
from jupyter_npcompile.loops.kinds import CTYPES, PYTHON, ArrayType, Declined, Number
from jupyter_npcompile.loops.values import (
    Applied,
    Cut,
    Gathered,
    Items,
    Known,
    Parts,
    Ref,
    Scalar,
    Source,
    Value,
)
from jupyter_npcompile.tracer.evaluation import WarningsShown
from jupyter_npcompile.tracer.operations import is_original

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names

Outcome = Callable[[Sequence[Any], Mapping[str, Any]], Any]
"""What comes of a call, from small examples of its arguments: NumPy is asked."""

LENGTHS = (3, 4)
"""Sizes of the examples: results that depend on more than dtypes and dimensions differ."""


FUNCTIONS: tuple[Any, ...] = (
    *(np.linalg.inv, np.linalg.solve, np.linalg.det, np.linalg.cholesky, np.linalg.norm),
    *(np.linalg.pinv, np.linalg.eigvalsh),
    *(np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.irfft, np.fft.fft2, np.fft.ifft2),
    *(np.fft.rfft2, np.fft.irfft2, np.fft.rfftn, np.fft.irfftn),
    *(np.fft.fftn, np.fft.ifftn, np.fft.fftshift, np.fft.ifftshift),
    *(np.fft.fftfreq, np.fft.rfftfreq),
    *(np.sort, np.argsort, np.cumsum, np.cumprod, np.searchsorted, np.bincount, np.interp),
    *(np.pad, np.einsum, np.cross, np.kron, np.tensordot, np.convolve, np.correlate),
    *(np.repeat, np.tile, np.stack, np.vstack, np.hstack, np.column_stack, np.concatenate),
    *(np.flip, np.diff, np.gradient, np.trapezoid, np.median, np.var, np.std, np.prod, np.ptp),
    *(np.matmul, np.dot, np.inner, np.vdot, np.outer, np.trace, np.diag, np.tril, np.triu, np.eye),
    *(np.argmin, np.argmax, np.sum, np.mean, np.max, np.min, np.any, np.all, np.linspace),
    *(np.digitize, np.isin, np.round, np.around, np.clip, np.nan_to_num, np.roll, np.polyval),
    *(np.arange, np.indices, np.identity, np.logspace, np.geomspace, np.vander, np.meshgrid),
    *(np.block, np.append, np.insert, np.delete, np.take_along_axis, np.rot90, np.unique),
    *(np.percentile, np.quantile, np.average, np.cov, np.corrcoef, np.histogram, np.histogram2d),
    *(np.count_nonzero, np.allclose, np.isclose, np.array_equal, np.argpartition, np.partition),
    *(np.lexsort, np.union1d, np.intersect1d, np.setdiff1d, np.array, np.full, np.argwhere),
    *(np.hanning, np.hamming, np.blackman, np.unwrap, np.linalg.matrix_power),
    *(np.linalg.eigh, np.linalg.svd, np.linalg.qr, np.linalg.slogdet, np.linalg.matrix_rank),
    *(np.linalg.cond, np.nanargmax, np.nanargmin, np.unravel_index, np.divmod, np.fix, np.angle),
    *(np.packbits, np.unpackbits, np.tri, np.modf),
)
"""Functions without effects, whose results are arrays or numbers of one dtype."""

_KNOWN = {
    id(function): function
    for function in FUNCTIONS
    if is_original(function)  # its name may mean another
}


def is_host(function: Any) -> bool:
    """Whether a function may be called from a loop."""
    return _KNOWN.get(id(function)) is function


def call(
    t: Names,
    function: Any,
    args: Sequence[Value],
    kwargs: Mapping[str, Value],
    like: Any = None,
) -> Value:
    """Write a call of NumPy; its result is copied into memory of the loop.

    Parameters
    ----------
    t : Names
        Where it is written.
    function : callable
        What is called.
    args, kwargs : sequence, mapping
        With what.
    like : callable, optional
        What is called with examples, where the function itself must not be.

    Raises
    ------
    Declined
        When the type of the result cannot be known.
    """
    name = getattr(function, "__name__", "a function")
    keywords = {key: _fixed(v, name) for key, v in kwargs.items() if _is_fixed(v)}
    names = tuple(key for key in kwargs if key not in keywords)
    args = [*args, *(kwargs[key] for key in names)]
    host = guarded(function, keywords, names, t.ignored)
    tried = host if like is None else guarded(like, keywords, names)
    outcome = _outcome(tried, args, name)
    w = t.writer
    if function in WARN_OF_FEW:
        args = _enough(t, args, least=2 if "ddof" in kwargs or function in PAIRS else 1)
    parts = [_argument(t, arg) for arg in args]
    number = len(t.hosts)
    t.hosts.append(host)
    w.emit("back(run);")
    made = f"call_numpy(run, hosts[{number}], {{{', '.join(parts)}}})"
    if not isinstance(outcome.kinds, tuple):
        return _received(t, made, outcome.kinds)
    held = w.name("made")
    w.emit(f"const Held {held}{{{made}}};")
    w.emit(f"NEED(PyTuple_Check({held}.o) && PyTuple_GET_SIZE({held}.o) == {len(outcome.kinds)});")
    received = tuple(
        _received(t, f"Py_NewRef(PyTuple_GET_ITEM({held}.o, {k}))", kind)
        for k, kind in enumerate(outcome.kinds)
    )
    return Parts(received, outcome.names) if outcome.names else Items(received)


def _received(t: Names, made: str, found: Found) -> Value:
    """What NumPy has made, in memory of the loop."""
    w, kind = t.writer, found.type
    if isinstance(kind, Number):
        if kind.origin == "np":
            scalar = scalar_type(kind.dtype)
            code = f"received_number<{CTYPES[kind.dtype]}>({made}, {scalar})"
        else:
            code = f"received_{PYTHON[kind.dtype].__name__}({made})"
        return Scalar(w.hold(kind.c, code), kind)
    held = w.name("a")
    number = np.dtype(kind.dtype).num
    w.emit(
        f"{kind.c} {held} = received<{CTYPES[kind.dtype]}, {kind.ndim}>"
        f"(run, {made}, {number}, {str(found.is_view).lower()});"
    )
    if found.is_view:
        return view(w, Ref(held, kind), [Cut(None, None, None)] * kind.ndim)
    return Ref(held, kind, is_fresh=True)


def _enough(t: Names, args: Sequence[Value], least: int) -> list[Value]:
    """The same arguments, of which the first has enough elements for NumPy not to warn."""
    first = args[0]
    if not isinstance(first, (Ref, Applied, Gathered)):
        raise Declined("statistics of something that is no array")
    ref = elementwise.materialise(t.writer, first)
    sizes = [f"{ref.code}.n[{d}] >= {least}" for d in range(ref.ndim)]
    t.writer.emit(f"NEED({' && '.join(sizes)});")
    return [ref, *args[1:]]


def change(t: Names, function: Any, args: Sequence[Value], changed: Ref | None) -> None:
    """Write a call of NumPy that returns nothing, and writes into an array instead, or none."""
    w = t.writer
    if changed is not None and small_arrays.name_of(w, changed) is not None:
        raise NeedsMemory(small_arrays.name_of(w, changed) or "")
    if changed is not None and any(map(_is_complex, args)) and not _is_complex(changed):
        raise Declined("complex numbers into real ones, which NumPy warns of")
    parts = [
        f"lend({changed.code}, {np.dtype(changed.dtype).num}, true)"
        if changed is not None and arg is changed
        else _argument(t, arg)
        for arg in args
    ]
    number = len(t.hosts)
    t.hosts.append(guarded(function, {}, (), t.ignored))
    w.emit("back(run);")
    w.emit(f"Py_DECREF(call_numpy(run, hosts[{number}], {{{', '.join(parts)}}}));")
    if changed is not None:
        t.note_write(changed)


@dataclass(frozen=True, slots=True)
class Found:
    """What a call gives: its type, and whether it is a view of all of an array like it."""

    type: Number | ArrayType
    is_view: bool


@dataclass(frozen=True, slots=True)
class Given:
    """All that a call gives: one thing, or a tuple of them, which may have names."""

    kinds: Found | tuple[Found, ...]
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, result: Any, name: str) -> Given:
        """What has come of a call.

        Examples
        --------
        >>> Given.of(np.linalg.qr(np.eye(2)), "qr").names
        ('Q', 'R')
        """
        if not isinstance(result, tuple):
            return cls(Found(_kind(result), _is_view(result, name)))
        arrays = [part for part in result if isinstance(part, np.ndarray)]
        if any(np.may_share_memory(one, other) for one, other in combinations(arrays, 2)):
            raise Declined(f"`np.{name}`: arrays that share memory")
        kinds = tuple(Found(_kind(part), _is_view(part, name)) for part in result)
        return cls(kinds, tuple(getattr(result, "_fields", ())))


def say(t: Names, made: Callable[..., str], values: Sequence[Value]) -> None:
    """Write a call that makes a text, which is shown when the run is over."""
    parts = [_argument(t, value) for value in values]
    number = len(t.hosts)
    t.hosts.append(made)
    t.writer.emit("back(run);")
    t.writer.emit(f"run.texts.push(call_numpy(run, hosts[{number}], {{{', '.join(parts)}}}));")


def _outcome(function: Callable[..., Any], args: Sequence[Value], name: str) -> Given:
    """What a call gives, from small examples of its arguments."""
    outcomes = set()
    problem = ""
    for numbers in (("ones", "shares"), ("rising",)):
        for length, kind in product_of(LENGTHS, numbers):
            examples = [_example(arg, length, name, kind) for arg in args]
            try:
                with WarningsShown() as caught:
                    result = function(*examples)
            except Exception as error:
                problem = type(error).__name__
                continue
            if caught:
                problem = f"NumPy warns: {caught[0]}"
                continue
            outcomes.add(Given.of(result, name))
        if outcomes:
            break
    if not outcomes:
        raise Declined(f"`np.{name}`: {problem}")
    if len(outcomes) != 1:
        raise Declined(f"`np.{name}`: its result depends on more than types")
    return outcomes.pop()


def _is_view(result: Any, name: str) -> bool:
    """Whether a result is a view of all of another array."""
    base = getattr(result, "base", None)
    if base is None:
        return False
    kinds = [(v.dtype, v.shape, v.strides) for v in (result, base) if type(v) is np.ndarray]
    if len(kinds) == 2 and kinds[0] == kinds[1] and base.base is None:
        return True
    raise Declined(f"`np.{name}`: a view")


def product(t: Names, left: Ref, right: Ref, ndim: int, dtype: str) -> Ref:
    """``left @ right`` by NumPy, for matrices that are not small."""
    w = t.writer
    number = len(t.hosts)
    t.hosts.append(_MATMUL)
    w.emit("back(run);")
    parts = [_argument(t, left), _argument(t, right)]
    held = w.name("a")
    made = f"call_numpy(run, hosts[{number}], {{{', '.join(parts)}}})"
    kind = ArrayType(dtype, ndim, True)
    number = np.dtype(dtype).num
    w.emit(f"{kind.c} {held} = received<{CTYPES[dtype]}, {ndim}>(run, {made}, {number}, false);")
    return Ref(held, kind, is_fresh=True)


_MATMUL = guarded(np.matmul, {}, ())


def _is_complex(value: Value) -> bool:
    if isinstance(value, Scalar):
        return value.type.dtype == "complex128"
    return isinstance(value, (Ref, Applied, Gathered)) and value.dtype == "complex128"


def _is_fixed(value: Value) -> bool:
    if isinstance(value, Items):
        return all(map(_is_fixed, value.items))
    return isinstance(value, Known) or (isinstance(value, Scalar) and value.const is not None)


def _fixed(value: Value, name: str) -> Any:
    """An argument that is the same every time."""
    if isinstance(value, Known):
        return value.value
    if isinstance(value, Scalar) and value.const is not None:
        return value.const
    if isinstance(value, Items):
        items = [_fixed(item, name) for item in value.items]
        return items if value.is_list else tuple(items)
    raise Declined(f"`np.{name}` with these arguments")


def _example(value: Value, length: int, name: str, numbers: str) -> Any:
    """A small value of the type of an argument.

    Parameters
    ----------
    value : Value
        The argument.
    length : int
        Of each dimension.
    name : str
        What is called.
    numbers : {"ones", "shares", "rising"}
        Of an array of one dimension; shares are those of one.
    """
    if isinstance(value, (Ref, Applied, Gathered)):
        made = np.ones((length,) * value.ndim, value.dtype)
        if value.ndim >= 2:
            made[...] = np.eye(length, dtype=value.dtype)
        elif numbers == "shares" and made.dtype.kind == "f":
            made /= length
        elif numbers == "rising":
            made[...] = np.arange(length)
        return made
    if isinstance(value, Source):
        return np.random.default_rng(0)
    if isinstance(value, Scalar):
        if value.const is not None:
            return value.const
        if value.type.is_tagged:
            raise Declined(f"`np.{name}` of a number that is Python's or NumPy's, as it comes")
        if value.type.origin == "py":
            return PYTHON[value.type.dtype](length)
        return np.dtype(value.type.dtype).type(length)
    if isinstance(value, Items):
        items = [_example(item, length, name, numbers) for item in value.items]
        return items if value.is_list else tuple(items)
    if isinstance(value, Known):
        return value.value
    raise Declined(f"`np.{name}` with these arguments")


def _kind(result: Any) -> Number | ArrayType:
    """The type of a result."""
    if type(result) in (bool, int, float):
        kind = np.dtype(type(result)).name
        return Number("py", kind, 1 if kind == "bool" else 63)
    dtype = getattr(result, "dtype", np.dtype(object))
    if dtype.name not in CTYPES:
        raise Declined(f"a result that is {type(result).__name__}")
    if type(result) is np.ndarray and result.ndim:
        return ArrayType(dtype.name, result.ndim, True)
    if type(result) is dtype.type:
        return Number("np", dtype.name, 1 if dtype.name == "bool" else 63)
    raise Declined(f"a result that is {type(result).__name__}")


def _argument(t: Names, value: Value) -> str:
    """C++ that makes an argument: a new reference."""
    w = t.writer
    if isinstance(value, (Ref, Applied, Gathered)):
        ref = small_arrays.lent(t, elementwise.materialise(w, value))
        return f"lend({ref.code}, {np.dtype(ref.dtype).num}, false)"
    if isinstance(value, Scalar):
        return _number(t, value)
    if isinstance(value, Items):
        made = f"make_tuple({{{', '.join(_argument(t, item) for item in value.items)}}})"
        return f"as_list({made})" if value.is_list else made
    if isinstance(value, Source):
        return f"Py_NewRef({value.code}.object)"
    if isinstance(value, Known):
        number = len(t.hosts)
        t.hosts.append(value.value)
        return f"Py_NewRef(hosts[{number}])"
    raise Declined("an argument of a call of NumPy")


def _number(t: Names, value: Scalar) -> str:
    kind, code = value.type, value.code
    if kind.dtype not in ("bool", "int64", "float64"):
        code = t.writer.hold(CTYPES[kind.dtype], code, "v")
    return made_number(code, arithmetic.tag_of(value), kind)
