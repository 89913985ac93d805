"""The lowering table is complete, consistent, and imports no torch."""

from __future__ import annotations

import operator
import subprocess
import sys
import types
import warnings
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from jupyter_npcompile.tracer.interpret import function
from jupyter_npcompile.tracer.operations import operation
from jupyter_npcompile.tracer.table import (
    NAMESPACES,
    ROWS,
    TABLE,
    Row,
    is_constant,
    lowering_of,
)
from tests.support.cells.native import assert_same
from tests.support.lowering.numpy_examples import EXAMPLES, SETUP
from tests.support.paths import CHECKOUT
from tests.support.scripts import script

METHODS = ("reduce", "accumulate", "reduceat", "outer", "at")
ATTRIBUTES_OF_MODULES = frozenset({"numpy.random.bit_generator", "numpy.random.mtrand"})


def public_names() -> Iterator[str]:
    """Every public name of NumPy as an operation, also those that are not functions."""
    spaces = {
        "numpy": np,
        "numpy.linalg": np.linalg,
        "numpy.fft": np.fft,
        "numpy.random": np.random,
        "numpy.random.Generator": np.random.Generator,
        "ndarray": np.ndarray,
    }
    for prefix, space in spaces.items():
        for name in dir(space):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                value = getattr(space, name)
            if not name.startswith("_") and not isinstance(value, types.ModuleType):
                yield f"{prefix}.{name}"
    for name in {u.__name__ for u in vars(np).values() if isinstance(u, np.ufunc)}:
        yield f"numpy.{name}"
        for method in METHODS:
            yield f"numpy.{name}.{method}"


def _canonical(name: str) -> str:
    """``numpy.abs`` is ``numpy.absolute``."""
    space, _, last = name.rpartition(".")
    value = getattr(np, last, None) if space == "numpy" else None
    return (operation(value) if callable(value) else None) or name


def test_every_public_name_has_a_row() -> None:
    exactly = [
        name for name in public_names() if name not in TABLE and _canonical(name) not in TABLE
    ]
    methods = [name for name in exactly if name.startswith("ndarray.") and lowering_of(name)]
    assert sorted(set(exactly) - set(methods) - WITHDRAWN) == []


WITHDRAWN = {"numpy.in1d", "numpy.trapz"} | {
    f"ndarray.{name}" for name in ("itemset", "newbyteorder", "tostring")
}
"""Names that NumPy before 2.4 still has, to warn of them or to refuse them."""

SINCE = {"2.1.0": ["cumulative_prod", "cumulative_sum", "unstack"], "2.2.0": ["matvec", "vecmat"]}
"""Names of functions by the version that has them first."""


def names_of_other_versions() -> set[str]:
    """Names that have rows, and that the installed NumPy does not have yet, or no more."""
    installed = np.lib.NumpyVersion(np.__version__)
    found = {"numpy.row_stack"} if installed >= "2.5.0" else set()
    for version, names in SINCE.items():
        if installed < version:
            found |= {f"numpy.{name}{rest}" for name in names for rest in ENDINGS}
    return found & {row.name for row in ROWS}


ENDINGS = ("", *(f".{method}" for method in METHODS))


def test_every_row_is_a_name_of_numpy() -> None:
    missing = []
    for row in ROWS:
        try:
            function(row.name)
        except KeyError:  # not a function, but a constant or an attribute
            try:
                operator.attrgetter(row.name.removeprefix("numpy."))(np)
            except AttributeError:
                missing.append(row.name)
    assert set(missing) == names_of_other_versions()


def test_one_row_per_function() -> None:
    assert [name for name, count in Counter(row.name for row in ROWS).items() if count > 1] == []
    assert list(TABLE) == [row.name for row in ROWS]


@pytest.mark.parametrize("row", [*ROWS, *NAMESPACES.values()], ids=lambda row: row.name)
def test_rows_say_what_and_why(row: Row) -> None:
    assert (row.lowering is not None) == (row.status == "lowered" and row.how == "graph")
    assert (row.reason != "") == (row.status != "lowered")
    if row.lowering is not None:
        assert row.lowering.count(":") == 1
    if row.status != "lowered":
        assert not row.differentiable
        assert row.reason[0].islower() or row.reason.startswith("NumPy")


@pytest.mark.parametrize(
    ("op", "status"),
    [
        ("numpy.sin", "lowered"),
        ("ndarray.sum", "lowered"),
        ("ndarray.T", "lowered"),
        ("ndarray.real", "lowered"),
        ("numpy.add.reduce", "lowered"),
        ("numpy.linalg.solve", "lowered"),
        ("numpy.gradient", "lowered"),
        ("getitem", "lowered"),
        ("ndarray.nonzero", "host"),
        ("numpy.unique", "host"),
        ("numpy.random.Generator.normal", "host"),
        ("numpy.char.upper", "host"),
        ("numpy.sin.reduce", "host"),
        ("numpy.save", "skeleton"),
    ],
)
def test_status(op: str, status: str) -> None:
    row = lowering_of(op)
    assert row is not None
    assert row.status == status


@pytest.mark.parametrize("op", ["numpy.nothing", "numpy", "", "numpy.lib.scimath.sqrt"])
def test_not_in_the_table(op: str) -> None:
    assert lowering_of(op) is None
    assert not is_constant(op)


@pytest.mark.parametrize("name", [row.name for row in ROWS if row.how == "source"])
def test_what_is_captured_through_its_source(name: str) -> None:
    """Each line is a call that must be captured: a row may not promise what does not hold."""
    calls = EXAMPLES[name].strip().splitlines()
    source = "\n".join(f"r{number} = {call}" for number, call in enumerate(calls))
    run = assert_same(source, setup=SETUP, captured=False)
    assert [
        (line.line, line.reason) for line in run.reports[0].lines if line.status == "host"
    ] == []


def test_no_torch() -> None:
    code = "import jupyter_npcompile.tracer.table, jupyter_npcompile.tracer.interpret, sys; "
    code += "assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_page_is_up_to_date() -> None:
    """``make coverage-table`` writes it."""
    module = script("coverage_table")
    page = (CHECKOUT / "docs/coverage.md").read_text(encoding="utf-8")
    version = ".".join(np.__version__.split(".")[:2])
    if f"NumPy {version}:" not in page:
        pytest.skip("the page is about another version of NumPy")
    assert page == module.page()
