"""Which statements of the package run, at the cost of one byte in shared memory each.

A tracing function would change what is measured: the package looks for one (`sys.gettrace`), and
keeps results where a debugger may see them. So modules are compiled with a mark before each
statement, which sets a byte. All processes that one process starts, forks or kills share its
bytes.
"""

from __future__ import annotations

import ast
import builtins
import importlib.machinery
import json
import mmap
import os
import sys
import tempfile
from pathlib import Path
from types import CodeType
from typing import Any

FOLDER = "NPCOMPILE_CHOOSING"
"""The environment variable with the folder in which things are kept."""

FILE = "NPCOMPILE_CHOOSING_FILE"
"""That with the file whose bytes a process shares."""

PACKAGE = Path(__file__).parents[3] / "jupyter_npcompile"
SIZE = 1 << 20
NAME = "__npcompile_marks__"

_plain = importlib.machinery.SourceFileLoader.source_to_code


def statements(tree: ast.AST) -> list[ast.stmt]:
    r"""All statements of a module that run, in a fixed order: no docstrings, no ``__future__``.

    Examples
    --------
    >>> tree = ast.parse('"What."\nfrom __future__ import annotations\nif a:\n    b = 1\n')
    >>> [type(node).__name__ for node in statements(tree)]
    ['If', 'Assign']
    """
    found = []
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if not isinstance(block, list):
                continue
            for place, statement in enumerate(block):
                is_docstring = (
                    place == 0
                    and isinstance(statement, ast.Expr)
                    and isinstance(statement.value, ast.Constant)
                    and isinstance(statement.value.value, str)
                )
                is_future = isinstance(statement, ast.ImportFrom) and (
                    statement.module == "__future__"
                )
                if isinstance(statement, ast.stmt) and not is_docstring and not is_future:
                    found.append(statement)
    return found


class Marker(ast.NodeTransformer):
    """Puts a mark before statements.

    Parameters
    ----------
    numbers : dict
        The byte of each, by the `id` of its node.
    """

    def __init__(self, numbers: dict[int, int]) -> None:
        self._numbers = numbers

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Mark what stands in a node."""
        super().generic_visit(node)
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list):
                setattr(node, field, [made for old in block for made in self._marked(old)])
        return node

    def _marked(self, statement: ast.stmt) -> list[ast.stmt]:
        number = self._numbers.get(id(statement))
        if number is None:
            return [statement]
        (mark,) = ast.parse(f"{NAME}[{number}] = 1").body
        for node in ast.walk(mark):
            ast.copy_location(node, statement)
        return [mark, statement]


def index() -> dict[str, int]:
    """The first byte of each module, by its path: found once, for all processes."""
    kept = Path(os.environ[FOLDER]) / "index.json"
    if kept.exists():
        known: dict[str, int] = json.loads(kept.read_text())
        return known
    found, place = {}, 0
    for path in sorted(PACKAGE.rglob("*.py")):
        if "labextension" not in path.parts:
            found[str(path)] = place
            place += len(statements(ast.parse(path.read_bytes())))
    assert place <= SIZE
    kept.write_text(json.dumps(found))
    return found


def lines() -> list[tuple[str, int]]:
    """File and line of each byte."""
    return [
        (str(Path(path).relative_to(PACKAGE.parent)), statement.lineno)
        for path in index()
        for statement in statements(ast.parse(Path(path).read_bytes()))
    ]


def attach(path: str | None = None) -> mmap.mmap:
    """Have marks go to the bytes of a file; without one, of a new file."""
    if path is None:
        descriptor, path = tempfile.mkstemp(prefix="marks-", dir=os.environ[FOLDER])
        os.ftruncate(descriptor, SIZE)
    else:
        descriptor = os.open(path, os.O_RDWR)
    marks = mmap.mmap(descriptor, SIZE)
    os.close(descriptor)
    setattr(builtins, NAME, marks)
    os.environ[FILE] = path
    return marks


def start() -> None:
    """Have the modules of the package marked that this process imports from now on."""
    places = index()

    def source_to_code(self: Any, data: Any, path: Any, *, _optimize: int = -1) -> CodeType:
        place = places.get(os.fspath(path))
        if place is not None:
            tree = ast.parse(data, path)
            found = {id(node): place + k for k, node in enumerate(statements(tree))}
            data = ast.fix_missing_locations(Marker(found).visit(tree))
        return _plain(self, data, path, _optimize=_optimize)  # type: ignore[call-arg]

    importlib.machinery.SourceFileLoader.source_to_code = source_to_code  # type: ignore[assignment, method-assign]
    sys.pycache_prefix = str(Path(os.environ[FOLDER]) / "bytecode")
    attach(os.environ.get(FILE))
