"""The lowering table: what becomes of each NumPy function.

One row per function. *Lowered* functions become ATen operations of a compiled
segment; *host* functions run in NumPy between two segments; *skeleton*
functions have an effect beyond arrays, so their statement stays ordinary
Python. A function that has no row is looked into instead: NumPy writes most of
its library in Python on top of what is listed here.

To add a function, add its name to a group (or a group of its own) in one of the
modules here, write the function that the group names,
``lowering/<module>.py:<name>``, and add a case to
``tests/tracer/lowering/test_lowering.py``. ``make coverage-table`` writes the page
``docs/coverage.md`` from it.

Nothing here imports torch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from jupyter_npcompile.tracer.table import arrays, functions, namespaces, ufuncs
from jupyter_npcompile.tracer.table.namespaces import NAMESPACES
from jupyter_npcompile.tracer.table.rows import How, Row, Section, Status

__all__ = [
    "NAMESPACES",
    "ROWS",
    "SECTIONS",
    "TABLE",
    "How",
    "Row",
    "Section",
    "Status",
    "is_constant",
    "lowering_of",
]

SECTIONS: tuple[Section, ...] = (
    ufuncs.UFUNCS,
    ufuncs.METHODS,
    functions.ELEMENTWISE,
    functions.REDUCTIONS,
    functions.SHAPES,
    functions.SELECTION,
    functions.CREATION,
    functions.PRODUCTS,
    functions.FUNCTIONAL,
    namespaces.LINALG,
    namespaces.FFT,
    namespaces.RANDOM,
    arrays.METHODS,
    arrays.LANGUAGE,
    functions.TYPES,
    functions.OUTSIDE,
)
"""The table as the documentation page shows it."""

ROWS: tuple[Row, ...] = tuple(row for section in SECTIONS for row in section.rows)
"""All rows, in the order of the documentation page."""

TABLE: Mapping[str, Row] = MappingProxyType({row.name: row for row in ROWS})
"""The rows by operation."""


def _candidates(op: str) -> Iterator[str]:
    yield op
    space, _, name = op.partition(".")
    if space == "ndarray":
        yield f"numpy.{name}"


def is_constant(op: str | None) -> bool:
    """Whether an operation depends on dtypes and shapes only, which the signature fixes.

    Examples
    --------
    >>> is_constant("numpy.result_type"), is_constant("numpy.sin")
    (True, False)
    """
    row = None if op is None else lowering_of(op)
    return row is not None and row.how == "constant"


def lowering_of(op: str) -> Row | None:
    """Find the row of an operation.

    Parameters
    ----------
    op : str
        As a node names it. Methods without a row of their own have the row
        of the function of that name.

    Returns
    -------
    Row or None
        None if the operation is not in the table.

    Examples
    --------
    >>> lowering_of("ndarray.sum").lowering
    'reductions:sum'
    >>> lowering_of("numpy.random.normal").reason
    "random numbers come from NumPy's own stream"
    >>> lowering_of("numpy.gradient").how
    'source'
    >>> lowering_of("numpy.lib.scimath.sqrt") is None
    True
    """
    for name in _candidates(op):
        if (row := TABLE.get(name)) is not None:
            return row
    for prefix, row in NAMESPACES.items():
        if op.startswith(prefix):
            return row
    return None
