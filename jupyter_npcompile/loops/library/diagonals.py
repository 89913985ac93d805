"""Diagonals of matrices: views that NumPy lets nobody write into."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from jupyter_npcompile.loops import arithmetic, elementwise, hosts
from jupyter_npcompile.loops.calls import elements, named, of, whole_number
from jupyter_npcompile.loops.kinds import ArrayType, Declined
from jupyter_npcompile.loops.library.results import NONE
from jupyter_npcompile.loops.values import Lazy, Locked, Ref, Value

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names

ZERO = arithmetic.constant(0)


@of(np.diag)
def _diag(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    given = named("np.diag", ("v", "k"), args, kwargs)
    value = elements(given.get("v", NONE))
    if value.ndim == 1:
        return hosts.call(t, np.diag, args, kwargs)
    return diagonal(t, value, given.get("k", ZERO))


@of(np.diagonal)
def _diagonal(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    given = named("np.diagonal", ("a", "offset"), args, kwargs)
    return diagonal(t, elements(given.get("a", NONE)), given.get("offset", ZERO))


def diagonal(t: Names, value: Lazy, offset: Value) -> Locked:
    """A diagonal of a matrix that has one there."""
    if value.ndim != 2:
        raise Declined(f"a diagonal of {value.ndim} dimensions", t.line)
    w = t.writer
    ref = elementwise.materialise(w, value)
    off = w.hold("i64", whole_number(offset))
    type, name = ArrayType(ref.dtype, 1, False), w.name("w")
    rows, columns = (f"{ref.code}.n[{d}]" for d in range(2))
    w.emit(
        f"{type.view} {name};",
        f"{name}.p = {ref.code}.p + ({off} < 0 ? -{off} * {ref.code}.s[0] "
        f": {off} * {ref.code}.s[1]);",
        f"{name}.n[0] = math::min<i64>({rows} + math::min<i64>({off}, 0), "
        f"{columns} - math::max<i64>({off}, 0));",
        f"{name}.s[0] = {ref.code}.s[0] + {ref.code}.s[1];",
        f"{name}.b = {ref.code}.b; {name}.id = ++ids_;",
        f"NEED({name}.n[0] > 0);",
    )
    return Locked.of(Ref(name, type, root=ref.root))
