"""A cell that runs again: what was found out about its text is not found out anew."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from jupyter_npcompile.runtime import cells
from jupyter_npcompile.runtime.cells import CellHandle, compile_cell, forget
from jupyter_npcompile.runtime.policy import Options
from jupyter_npcompile.runtime.ticket import Ticket
from jupyter_npcompile.runtime.worker import compiler

SOURCE = "y = x + 1\nfor k in range(3):\n    y = y * 2\ny"


@pytest.fixture(autouse=True)
def _forgetful() -> Iterator[None]:
    forget()
    yield
    forget()


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the skeletons that are built from now on."""
    names: list[str] = []
    real = cells.build_cell

    def counted(*args: Any, **kwargs: Any) -> Any:
        names.append(kwargs["handle"])
        return real(*args, **kwargs)

    monkeypatch.setattr(cells, "build_cell", counted)
    return names


def compiled(source: str = SOURCE) -> CellHandle:
    return compile_cell(ast.parse(source), source, Options())


def test_a_skeleton_is_built_once(built: list[str]) -> None:
    texts = []
    for _ in range(5):
        handle = compiled()
        handle.enter()
        texts.append(ast.unparse(handle.program.tree))
        handle.program.tree.body.clear()  # IPython, or another extension, may change it
        handle.leave()
    assert len(built) == len(set(texts)) == 1
    compiled("y = x + 2")
    assert len(built) == 2


def test_a_cell_that_runs_itself_has_another_name(built: list[str]) -> None:
    outer = compiled()
    outer.enter()
    inner = compiled()
    inner.enter()
    assert outer.name != inner.name
    inner.leave()
    assert getattr(builtins, outer.name) is outer
    outer.leave()
    assert built == [outer.name, inner.name]


def test_what_cannot_be_copied_is_built_again(
    built: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_deep(tree: ast.Module) -> ast.Module:
        raise RecursionError

    compiled()
    monkeypatch.setattr(cells, "clone", too_deep)
    handle = compiled()
    assert len(built) == 2
    assert ast.unparse(handle.program.tree).startswith(f"if {handle.name}.at(0, 0):")


def test_what_a_cell_takes_to_be_taken_apart_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may lose so much in all, whatever it loses it to; what it takes usually is free."""
    now = [0.0]
    build = cells.build_cell

    def slow(*args: Any, **kwargs: Any) -> Any:
        now[0] += 0.015
        return build(*args, **kwargs)

    monkeypatch.setattr(cells, "build_cell", slow)
    monkeypatch.setattr(cells, "perf_counter", lambda: now[0])
    handle = compiled()
    (kept,) = cells._known.values()
    assert kept.family.allowance.spent == pytest.approx(0.015 - cells.BUILDING)
    handle.enter()
    handle.leave()
    compiled()
    assert kept.family.allowance.spent == 0.0


def test_cells_that_differ_in_constants_share_what_they_may_cost() -> None:
    """One who tries a value after the other has no more time for each than for the first."""
    first = compiled("y = x + 1\nz = y[3:] > 2")
    for text in ("y = x + 2.5\nz = y[4:] > 2", "y = x + 'a'\nz = y[0:] > True"):
        again = compiled(text)
        assert again._rest.allowance is first._rest.allowance
    for text in (
        *("y = x - 1\nz = y[3:] > 2", "y = x + 1\nz = y[3:] < 2", "y = x + 1\nz = y[:3] > 2"),
        *("y = w + 1\nz = y[3:] > 2", "y = x + 1\nz = y[3:] > 2\nz"),
    ):
        assert compiled(text)._rest.allowance is not first._rest.allowance


HELPER = (
    "def f(v):\n    s = 0.0\n    for k in range(len(v)):\n        s += v[k] * {}\n    return s\n"
)


def defined(constant: int, names: dict[str, Any]) -> CellHandle:
    """Run a cell that defines a function, by the name of another that was there, and calls it."""
    source = HELPER.format(constant) + "z = f(x)"
    handle = compile_cell(ast.parse(source), source, Options(), names=names)
    handle.enter()
    exec(compile(handle.program.tree, f"<cell {constant}>", "exec"), names)
    handle.leave()
    return handle


def test_what_is_compiled_for_a_definition_that_is_gone_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tickets: list[Ticket] = []

    def submit(job: Any, ticket: Ticket, lane: str = "segments") -> None:
        tickets.append(ticket)

    monkeypatch.setattr(compiler, "submit", submit)
    names: dict[str, Any] = {"x": np.arange(300.0)}
    for constant in range(3):
        defined(constant, names)
        for _ in range(3):
            names["f"](names["x"])
    assert len(tickets) >= 3
    latest = tickets[-1]
    assert not latest.cancelled
    kept = names["f"]
    defined(3, names)
    assert not latest.cancelled  # somebody has it by another name
    kept(names["x"])
    del kept
    assert latest.cancelled
    before = len(tickets)
    defined(2, names)
    for _ in range(5):
        names["f"](names["x"])
    assert not all(ticket.cancelled for ticket in tickets[before:])  # it is wanted again
