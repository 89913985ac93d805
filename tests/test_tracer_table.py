"""The lowering table is complete, consistent, and imports no torch."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

from jupyter_npcompile.tracer.interpret import function
from jupyter_npcompile.tracer.table import NAMESPACES, ROWS, TABLE, Row, lowering_of


def test_one_row_per_function() -> None:
    assert [name for name, count in Counter(row.name for row in ROWS).items() if count > 1] == []
    assert list(TABLE) == [row.name for row in ROWS]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_row_names_something(row: Row) -> None:
    assert callable(function(row.name))


def test_rows_say_what_and_why() -> None:
    for row in (*ROWS, *NAMESPACES.values()):
        if row.status == "lowered":
            assert row.lowering is not None
            assert row.lowering.count(":") == 1
            assert not row.reason
        else:
            assert row.lowering is None
            assert row.reason
            assert not row.differentiable
            assert row.reason[0].islower()


@pytest.mark.parametrize(
    ("op", "status"),
    [
        ("numpy.sin", "lowered"),
        ("ndarray.sum", "lowered"),
        ("ndarray.T", "lowered"),
        ("ndarray.real", "lowered"),
        ("numpy.add.reduce", "lowered"),
        ("numpy.linalg.solve", "lowered"),
        ("getitem", "lowered"),
        ("ndarray.nonzero", "host"),
        ("numpy.unique", "host"),
        ("numpy.random.Generator.normal", "host"),
        ("numpy.char.upper", "host"),
        ("numpy.save", "skeleton"),
    ],
)
def test_status(op: str, status: str) -> None:
    row = lowering_of(op)
    assert row is not None
    assert row.status == status


@pytest.mark.parametrize("op", ["numpy.gradient", "numpy.nothing", "numpy", "", "numpy.sin.reduce"])
def test_not_in_the_table(op: str) -> None:
    assert lowering_of(op) is None


def test_every_numeric_ufunc_has_a_row() -> None:
    ufuncs = {u.__name__ for u in vars(np).values() if isinstance(u, np.ufunc)}
    assert sorted(name for name in ufuncs if lowering_of(f"numpy.{name}") is None) == []


def test_every_ufunc_that_is_written_in_c_and_every_array_method_has_a_row() -> None:
    attributes = str.split("base ctypes data device dtype flags itemsize nbytes ndim shape size")
    missing = [
        name
        for name in dir(np.ndarray)
        if not name.startswith("_")
        and name not in (*attributes, "strides")
        and lowering_of(f"ndarray.{name}") is None
    ]
    assert missing == []


def test_no_torch() -> None:
    code = "import jupyter_npcompile.tracer.table, jupyter_npcompile.tracer.interpret, sys; "
    code += "assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
