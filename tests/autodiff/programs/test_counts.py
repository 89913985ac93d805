"""How much of the gradients is compared with central differences: the numbers that are promised.

Each name counted here has a test of its own, in the file that it comes from,
which fails where the gradient is not right.
"""

from __future__ import annotations

from tests.autodiff.programs import test_compiled_rows as rows
from tests.autodiff.programs import test_programs as whole
from tests.autodiff.programs.test_calls import COMPARED
from tests.benchmarks import programs
from tests.support.gradients.expressions import EXPRESSIONS
from tests.support.gradients.mathematics import FUNCTIONAL, PROGRAMS
from tests.support.gradients.programs import INTEGERS, NOT_SMOOTH


def test_at_least_400_expressions() -> None:
    """Rows of the lowering table by random calls, and functions written for these tests."""
    names = [*COMPARED, *(expression.name for expression in EXPRESSIONS)]
    assert len(set(names)) == len(names) >= 400


def test_at_least_150_second_derivatives() -> None:
    """In `test_second_order`; rows of the table come on top of these."""
    assert len(EXPRESSIONS) >= 150


def test_at_least_60_programs_those_of_the_benchmarks_among_them() -> None:
    """As they are, and with prints and tests at random places."""
    assert len(set(whole.DIFFERENTIABLE)) >= 60
    assert set(programs.names()) == {*whole.MEASURED, *INTEGERS, *NOT_SMOOTH}


def test_every_program_is_compiled_or_it_is_known_why_not() -> None:
    """The tape runs all of them; their graphs are run, too, and many are compiled natively."""
    tape = whole.BRANCHING | whole.LONG | {"mandelbrot"}
    assert tape.isdisjoint(whole.REPLAYED)
    assert {*tape, *whole.REPLAYED, *whole.FACTORS} == set(whole.DIFFERENTIABLE)
    assert set(whole.SHORT) <= {*whole.REPLAYED, *whole.FACTORS}
    assert set(whole.LOOPS) <= {*whole.REPLAYED, *whole.LONG}
    assert len(set(whole.COMPILED)) == len(whole.COMPILED) >= 44


def test_every_row_is_compiled() -> None:
    """In `test_compiled_rows`: all rows but one, of which the graph is run."""
    assert {*rows.ROWS, *rows.LONG} == {*COMPARED}
    assert len(rows.ROWS) >= 350
    assert rows.LONG == ("numpy.i0",)


def test_other_tools_see_the_same_lines() -> None:
    assert {run.__name__ for run in FUNCTIONAL} <= set(PROGRAMS)
