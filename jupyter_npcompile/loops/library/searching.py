"""Where numbers stand among others: ``np.searchsorted``, ``np.digitize``, ``np.interp``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.loops import elementwise, promotion
from jupyter_npcompile.loops.calls import array, elements, flag_of, named, of
from jupyter_npcompile.loops.kinds import CTYPES, Declined, Number
from jupyter_npcompile.loops.library.results import NONE, made
from jupyter_npcompile.loops.values import Known, Ref, Scalar, Value, dtype_of

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names


def _places(t: Names, function: str, among: Ref, sought: Value, *, right: bool) -> Scalar | Ref:
    """A call of a function of ``searching.hpp`` that finds where something stands."""
    value = array(sought)
    if among.ndim != 1:
        raise Declined("a search in several dimensions")
    if isinstance(value, Scalar) and value.type.mixed:
        raise Declined("a search for a number of Python's that may be an integer")
    common = np.result_type(np.dtype(among.dtype), np.dtype(dtype_of(value))).name
    if common not in CTYPES or np.dtype(common).kind == "c":
        raise Declined(f"a search among {common}")
    w, c = t.writer, CTYPES[common]
    head = f"<{c}, {str(right).lower()}>"
    if isinstance(value, Scalar):
        key = w.hold(c, promotion.cast(value.code, value.type.dtype, common))
        one = {"places_among": f"place_of{head}({among.code}, {key}, 0, {among.code}.n[0])"}
        code = one.get(function, f"bin_of{head}({among.code}, {key})")
        return Scalar(w.hold("i64", code), Number("np", "int64"))
    keys = elementwise.materialise(w, value)
    return made(t, f"{function}{head}(run, {among.code}, {keys.code})", "int64", keys.ndim)


@of(np.searchsorted)
def _searchsorted(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    given = named("np.searchsorted", ("a", "v", "side"), args, kwargs)
    side = given.get("side", Known("left"))
    if not isinstance(side, Known) or side.value not in ("left", "right"):
        raise Declined("np.searchsorted on this side")
    among = elementwise.materialise(t.writer, elements(given.get("a", NONE)))
    return _places(t, "places_among", among, given.get("v", NONE), right=side.value == "right")


@of(np.digitize)
def _digitize(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    given = named("np.digitize", ("x", "bins", "right"), args, kwargs)
    right = flag_of(given.get("right"))
    bins = elementwise.materialise(t.writer, elements(given.get("bins", NONE)))
    return _places(t, "bins_of", bins, given.get("x", NONE), right=not right)


@of(np.interp)
def _interp(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    names = ("x", "xp", "fp", "left", "right")
    given = named("np.interp", names, args, kwargs, none=names[3:])
    w = t.writer
    value = array(given.get("x", NONE))
    xp, fp = (elementwise.materialise(w, elements(given.get(name, NONE))) for name in ("xp", "fp"))
    if (xp.ndim, fp.ndim) != (1, 1):
        raise Declined("np.interp of several dimensions")
    if "complex128" in (dtype_of(value), xp.dtype, fp.dtype):
        raise Declined("np.interp of complex numbers")
    ends = ", ".join(_end(t, given.get(name)) for name in ("left", "right"))
    if isinstance(value, Scalar):
        code = f"interpolated(run, (double){value.code}, {xp.code}, {fp.code}, {ends})"
        return Scalar(w.hold("double", code), Number("np", "float64"))
    ref = elementwise.materialise(w, value)
    code = f"interpolated(run, {ref.code}, {xp.code}, {fp.code}, {ends})"
    return made(t, code, "float64", ref.ndim)


def _end(t: Names, value: Any) -> str:
    """C++ for what lies beyond an end; a null pointer where nothing is said."""
    if value is None:
        return "(const double *)nullptr"
    if not isinstance(value, Scalar) or value.type.kind not in "iuf":
        raise Declined("np.interp with these ends")
    return f"&{t.writer.hold('double', f'(double){value.code}')}"
