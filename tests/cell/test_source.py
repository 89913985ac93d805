"""Finding the source of functions that exist."""

from __future__ import annotations

import ast
import functools
import importlib
import linecache
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jupyter_npcompile.cell import HOOKS, SourceUnavailable, definition, helper_code
from tests.support.cells.skeletons import Hooks

first, second = (lambda x: x + 1), (lambda x: x + 1)


class Holder:
    def method(self, x: int) -> int:
        text = """
    not the margin
"""
        return x + len(text)

    def private(self) -> int:
        return self.__secret()

    def __secret(self) -> int:
        return 1

    keep = staticmethod(lambda x: x - 1)


def decorated(function: Any) -> Any:
    @functools.wraps(function)
    def wrapper(*args: Any) -> Any:
        return function(*args)

    return wrapper


@decorated
@decorated
def plain(x: int, *, y: int = 2) -> int:
    """Add."""
    return x + y


def outer() -> Any:
    scale = 3

    def inner(x: int) -> int:
        return x * scale

    return inner


async def coroutine() -> None:
    """Do nothing."""


def test_function_has_lines_and_columns_of_the_file() -> None:
    found = definition(plain.__wrapped__.__wrapped__)
    assert isinstance(found.node, ast.FunctionDef)
    lines = Path(__file__).read_text().split("\n")
    assert lines[found.node.lineno - 1].startswith("def plain")
    assert found.text.lines[found.node.lineno - 1] == lines[found.node.lineno - 1]
    assert found.filename == plain.__wrapped__.__wrapped__.__code__.co_filename


def test_method_keeps_columns_and_strings() -> None:
    for method in (Holder.method, Holder().method):
        found = definition(method)
        assert isinstance(found.node, ast.FunctionDef)
        assert found.node.col_offset == 4
        assert "\n    not the margin\n" in ast.dump(found.node).replace("\\n", "\n")


def test_nested_function() -> None:
    found = definition(outer())
    assert isinstance(found.node, ast.FunctionDef)
    assert (found.node.name, found.node.col_offset) == ("inner", 4)


def test_lambdas_on_one_line() -> None:
    columns = [definition(function).node.col_offset for function in (first, second)]
    line = Path(__file__).read_text().split("\n")[first.__code__.co_firstlineno - 1]
    assert columns == [line.index("lambda"), line.rindex("lambda")]
    assert isinstance(definition(Holder.keep).node, ast.Lambda)


def make(source: str, filename: str, namespace: dict[str, Any] | None = None) -> dict[str, Any]:
    """Run `source` as a notebook cell."""
    lines = [line + "\n" for line in source.split("\n")]
    linecache.cache[filename] = (len(source), None, lines, filename)
    space: dict[str, Any] = {} if namespace is None else namespace
    exec(compile(source, filename, "exec", dont_inherit=True), space)
    return space


def test_functions_of_cells() -> None:
    source = "\n\nfor i in range(2):\n    def f(x):\n        return x + i\ng = lambda: (\n  f(1))"
    space = make(source, "<cell-1>")
    assert definition(space["f"]).node.lineno == 4
    assert definition(space["g"]).node.lineno == 6


def test_source_that_has_changed() -> None:
    space = make("def f(x):\n    return x + 1", "<cell-2>")
    make("def f(x):\n    return x - 1", "<cell-2>")
    with pytest.raises(SourceUnavailable, match="changed"):
        definition(space["f"])
    make("\n\n\n\ndef f(x):\n    return x + 1", "<cell-2>")
    with pytest.raises(SourceUnavailable, match="changed"):
        definition(space["f"])


@pytest.mark.parametrize("change", ["return x + 1.0", "return x + True", "return x + y", "x + 1"])
def test_small_changes_count(change: str) -> None:
    space = make("def f(x, y=1):\n    return x + 1", "<cell-3>")
    make(f"def f(x, y=1):\n    {change}", "<cell-3>")
    with pytest.raises(SourceUnavailable, match="changed"):
        definition(space["f"])


def test_imported_names_do_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The compiler treats attributes of imported modules in a way of its own."""
    (tmp_path / "cell_source_sample.py").write_text(
        "import re\n\ndef f(x):\n    if x:\n        x = re.sub('a', 'b', x)\n"
        "    return x in {'a', 'b'}\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    module = importlib.import_module("cell_source_sample")
    monkeypatch.delitem(sys.modules, "cell_source_sample")
    assert definition(module.f).node.lineno == 3


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (len, "not written in Python"),
        (np.add, "not written in Python"),
        (functools.partial(len), "not written in Python"),
        (int, "not written in Python"),
        (coroutine, "asynchronous function"),
        (Holder.private, "uses names private to its class"),
        (eval("lambda x: x"), "no source text for <string>"),
    ],
)
def test_unavailable(function: object, reason: str) -> None:
    with pytest.raises(SourceUnavailable) as caught:
        definition(function)
    assert caught.value.reason == reason


def traced(function: Any) -> Any:
    """Return a function in its traced form, with plain hooks."""
    found = definition(function)
    free = function.__code__.co_freevars
    code = helper_code(
        found.node, found.filename, free, text=found.text, flags=function.__code__.co_flags
    )
    cells = dict(zip(free, function.__closure__ or (), strict=True))
    cells[HOOKS] = types.CellType(Hooks())
    closure = tuple(cells[name] for name in code.co_freevars)
    result = types.FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, closure
    )
    result.__kwdefaults__ = function.__kwdefaults__
    return result


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("roll", (np.arange(12.0).reshape(3, 4), (1, -2), (0, 1))),
        ("diff", (np.arange(12.0).reshape(3, 4) ** 2, 2)),
        ("vstack", ([np.ones(3), np.zeros(3)],)),
        ("cov", (np.arange(12.0).reshape(3, 4) ** 2,)),
        ("kron", (np.eye(2), np.ones((2, 3)))),
        ("fliplr", (np.ones((2, 3)),)),
        ("nanmean", (np.array([1.0, np.nan, 3.0]),)),
    ],
)
def test_functions_of_numpy(name: str, arguments: tuple[Any, ...]) -> None:
    function = getattr(np, name)
    written = getattr(function, "__wrapped__", function)
    np.testing.assert_array_equal(traced(written)(*arguments), function(*arguments), strict=True)


def test_blocks_end_where_the_definition_does(tmp_path: Path) -> None:
    """Strings and brackets may hold lines that are not indented, and comments are no end."""
    text = (
        "class C:\n"
        "    @staticmethod\n"
        "    def f(\n"
        "  a, b=1,\n"
        "    ):\n"
        '        """A text.\n'
        "\n"
        "at the margin\n"
        '"""\n'
        "# a comment\n"
        "        return (a\n"
        "+ b)\n"
        "    g = 2\n"
    )
    path = tmp_path / "margins.py"
    path.write_text(text)
    names: dict[str, Any] = {}
    exec(compile(text, str(path), "exec"), names)
    found = definition(names["C"].f)
    assert (found.node.lineno, found.node.end_lineno, found.node.col_offset) == (3, 12, 4)
