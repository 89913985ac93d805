"""``%npcompile fix``: rewrites of the cell that ran last, tried and shown as diffs."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator
from typing import Any, cast

from IPython.core.displaypub import CapturingDisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display

from jupyter_npcompile.cell.rewrites import parse_cell
from jupyter_npcompile.graph.fixes import FixesData
from jupyter_npcompile.runtime.cell_comparison import Cell
from jupyter_npcompile.runtime.fixing import find_fixes
from jupyter_npcompile.views.fixes import fixes_bundle

FILENAME = "<npcompile fix>"


def fixes_for(shell: InteractiveShell, source: str, device: str = "cpu") -> FixesData:
    """Look for fixes of a cell, on copies of what its names hold now.

    Parameters
    ----------
    shell : InteractiveShell
        The shell.
    source : str
        The cell, its magic line included.
    device : str
        Where its segments run.
    """
    source = source.rstrip("\n")  # IPython ends a cell with a line feed, the notebook does not
    try:
        tree = parse_cell(source)
    except SyntaxError:
        return FixesData(source, refusal="the cell holds something that is not Python")
    if not tree.body:
        return FixesData(source)
    cell = Cell(
        tree,
        source,
        shell.user_ns,
        shell.user_ns_hidden,
        FILENAME,
        _Compiler(shell),
        lambda module: _within(shell, module),
        shell.ast_node_interactivity != "none",
        device,
    )
    return find_fixes(cell)


def show_fixes(source: str) -> None:
    """Show fixes of a cell with this text: what the front end asks for.

    A notebook may come from anybody, so nothing runs here that the user has not run.

    Parameters
    ----------
    source : str
        The cell, its magic line included.
    """
    shell = InteractiveShell.instance()
    found = FixesData(source, refusal="this kernel has not run the cell: run it, then look again")
    if has_run(source):
        found = fixes_for(shell, source)
    display(fixes_bundle(found), raw=True)  # type: ignore[no-untyped-call]


def has_run(source: str) -> bool:
    """Whether this kernel has run a cell with this text, as far as its history goes.

    Parameters
    ----------
    source : str
        The cell, its magic line included.
    """
    manager = InteractiveShell.instance().history_manager
    ran: list[str] = [] if manager is None else manager.input_hist_raw
    return any(text.rstrip() == source.rstrip() for text in reversed(ran))


class _Compiler:
    """Compiles as the shell does."""

    def __init__(self, shell: InteractiveShell) -> None:
        self._compile: Any = shell.compile

    def __call__(self, tree: ast.AST, mode: str) -> Any:
        return self._compile(cast("ast.Module", tree), FILENAME, mode)


@contextlib.contextmanager
def _within(shell: Any, module: Any) -> Iterator[None]:
    """Make the shell work on a copy, and show nothing."""
    kept = shell.user_module, shell.user_ns, shell.display_pub
    publisher: Any = CapturingDisplayPublisher
    shell.user_module, shell.user_ns = module, module.__dict__
    shell.display_pub = publisher()
    try:
        yield
    finally:
        shell.user_module, shell.user_ns, shell.display_pub = kept
