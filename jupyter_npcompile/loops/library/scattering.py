"""``np.add.at``: elements that are added where indices say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jupyter_npcompile.loops import elementwise
from jupyter_npcompile.loops.calls import array, elements
from jupyter_npcompile.loops.kinds import Declined
from jupyter_npcompile.loops.values import Known, Ref, Scalar, Value, ndim_of

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names


def add_at(t: Names, target: Value, index: Value, value: Value) -> Value:
    """``np.add.at(target, index, value)``, for an index of one dimension.

    Raises
    ------
    Declined
        When it is for something else.
    """
    if not isinstance(target, Ref) or target.ndim > 2:
        raise Declined("np.add.at of these")
    where, added = elements(index), array(value)
    if where.ndim != 1 or np.dtype(where.dtype).kind not in "iu" or where.dtype == "uint64":
        raise Declined("np.add.at of these")
    if ndim_of(added) not in (0, target.ndim) or target.dtype not in ("float64", "int64"):
        raise Declined("np.add.at of these")
    w = t.writer
    places = elementwise.materialise(w, where)
    found = elementwise.converted(added, target.dtype, same_kind=True)
    if isinstance(found, Scalar):
        number = w.hold(found.type.c, found.code)
    else:
        held = elementwise.materialise(w, found)
        for d in range(target.ndim):
            n = f"{places.code}.n[0]" if d == 0 else f"{target.code}.n[{d}]"
            w.emit(f"NEED({held.code}.n[{d}] == {n});")
        w.emit(f"NEED(!overlaps({target.code}, {held.code}));")

    def element(*counters: str) -> str:
        if isinstance(found, Scalar):
            return number
        terms = (f"{counter} * {held.code}.s[{d}]" for d, counter in enumerate(counters))
        return f"{held.code}.p[{' + '.join(terms)}]"

    w.emit(f"NEED(!overlaps({target.code}, {places.code}));")
    k, j, row = w.name("k"), w.name("j"), w.name("row")
    with w.block(f"for (i64 {k} = 0; {k} < {places.code}.n[0]; {k}++)"):
        spot = f"at((i64){places.code}.p[{k} * {places.code}.s[0]], {target.code}.n[0])"
        w.emit(f"auto *const {row} = {target.code}.p + {spot} * {target.code}.s[0];")
        if target.ndim == 1:
            w.emit(f"*{row} += {element(k)};")
        else:
            w.emit("#pragma GCC ivdep")
            w.emit(
                f"for (i64 {j} = 0; {j} < {target.code}.n[1]; {j}++) "
                f"{row}[{j} * {target.code}.s[1]] += {element(k, j)};"
            )
    t.note_write(target)
    return Known(None)
