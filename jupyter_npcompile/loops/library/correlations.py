"""How variables change together: ``np.cov`` and ``np.corrcoef``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.loops import arithmetic, elementwise, hosts
from jupyter_npcompile.loops.calls import Call, elements, flag_of, named, register, whole_number
from jupyter_npcompile.loops.kinds import Declined
from jupyter_npcompile.loops.library.rearranging import transposed
from jupyter_npcompile.loops.library.results import NONE, either
from jupyter_npcompile.loops.library.stacks import stacked
from jupyter_npcompile.loops.values import Ref, Value

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names

FEW = 16
"""Variables whose products are computed here, and not by a library."""


def _rows(t: Names, given: Mapping[str, Value], name: str) -> Ref:
    """A matrix with a row for each variable."""
    value = elements(given.get("m", NONE))
    if "y" in given:
        value = stacked(t, [value, elements(given["y"])])
    if value.ndim != 2 or value.dtype != "float64":
        raise Declined(f"np.{name} of these")
    return elementwise.materialise(t.writer, value)


def _together(function: Any, names: Sequence[str]) -> Call:
    name = function.__name__

    def call(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        given = named(f"np.{name}", names, args, kwargs, none=("y", "ddof"))
        if "bias" in given:
            raise Declined(f"np.{name} with these arguments")
        rows = _rows(t, given, name)
        if "rowvar" in given and not flag_of(given["rowvar"]):
            if "y" in given:
                raise Declined(f"np.{name} with these arguments")
            rows = transposed(t, rows)
        code = f"correlations(run, {rows.code})"
        least = "1"
        if function is np.cov:
            ddof = whole_number(given.get("ddof", arithmetic.constant(1)))
            code = f"covariances(run, {rows.code}, {ddof})"
            least = t.writer.hold("i64", ddof)
        t.writer.emit(f"NEED({rows.code}.n[0] > 1 && {rows.code}.n[1] > {least});")

        def library() -> Value:
            more = {"ddof": given["ddof"]} if "ddof" in given else {}
            return hosts.call(t, function, [rows], more)

        return either(t, f"{rows.code}.n[0] <= {FEW}", code, "float64", 2, library)

    return call


register(np.cov, _together(np.cov, ("m", "y", "rowvar", "bias", "ddof")))
register(np.corrcoef, _together(np.corrcoef, ("m", "y", "rowvar")))
