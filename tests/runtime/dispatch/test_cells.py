"""A cell that runs again: what was found out about its text is not found out anew."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from typing import Any

import pytest

from jupyter_npcompile.runtime import cells
from jupyter_npcompile.runtime.cells import CellHandle, compile_cell, forget
from jupyter_npcompile.runtime.policy import Options

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
    assert kept.allowance.spent == pytest.approx(0.015 - cells.BUILDING)
    handle.enter()
    handle.leave()
    compiled()
    assert kept.allowance.spent == 0.0
