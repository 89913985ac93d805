"""Cells run through their skeleton do what they do without it."""

from __future__ import annotations

import ast
import contextlib
import io
import linecache
import sys
import textwrap
import traceback
import types
import warnings
from typing import Any

import pytest

from jupyter_npcompile.cell import NotTraceable, build_cell, build_function, function_code
from jupyter_npcompile.cell.syntax import SourceText
from tests.support.cells.skeletons import Loops, Native, run_cell, run_tree
from tests.support.cells.snippets import SETUP, SNIPPETS

STEPS = (0, 1, 2)
"""How many statements a replayed segment covers; 0 for all."""


def outcome(source: str, runner: Any) -> dict[str, Any]:
    """Run `source` and describe everything a person could see."""
    filename = f"<snippet-{abs(hash(source))}>"
    linecache.cache[filename] = (
        len(source),
        None,
        [line + "\n" for line in source.split("\n")],
        filename,
    )
    namespace: dict[str, Any] = {"__name__": "cell"}
    exec(SETUP, namespace)
    stdout, error, shown = io.StringIO(), None, None
    try:
        with contextlib.redirect_stdout(stdout):
            shown = runner(source, namespace, filename)
    except Exception as caught:
        frames = [
            frame
            for frame in traceback.extract_tb(caught.__traceback__)
            if frame.filename == filename
        ]
        error = (
            type(caught),
            str(caught),
            type(caught.__cause__),
            [
                (frame.name, frame.lineno, frame.end_lineno, frame.colno, frame.end_colno)
                for frame in frames
            ],
            ended_at(caught.__traceback__, filename),
        )
    names = {
        name: f"{type(value).__name__} {describe(value)}"
        for name, value in namespace.items()
        if name not in ("__builtins__", "__warningregistry__")
    }
    return {"names": names, "stdout": stdout.getvalue(), "error": error, "shown": repr(shown)}


def ended_at(trace: types.TracebackType | None, filename: str) -> list[int]:
    """The lines at which frames have ended: IPython shows these of a notebook's cells."""
    found = [frame for frame, _ in traceback.walk_tb(trace)]
    return [frame.f_lineno for frame in found if frame.f_code.co_filename == filename]


def describe(value: Any) -> str:
    if isinstance(value, types.FunctionType):
        code = value.__code__
        flags = code.co_flags
        return (
            f"{code.co_name} {code.co_qualname} {code.co_firstlineno} {code.co_argcount} "
            f"{code.co_posonlyargcount} {code.co_kwonlyargcount} {flags} {value.__doc__}"
        )
    if isinstance(value, list) and value and isinstance(value[0], types.FunctionType):
        return str([describe(item) for item in value])
    if isinstance(value, types.GeneratorType):
        return value.__qualname__
    return repr(value).split(" at 0x")[0]


def plain(source: str, namespace: dict[str, Any], filename: str) -> Any:
    return run_tree(ast.parse(source), filename, namespace)


@pytest.mark.parametrize("name", SNIPPETS)
def test_native_run_is_the_plain_run(name: str) -> None:
    source = SNIPPETS[name]
    expected = outcome(source, plain)
    actual = outcome(source, lambda *args: run_cell(*args[:2], filename=args[2]))
    assert actual == expected


@pytest.mark.parametrize("name", SNIPPETS)
@pytest.mark.parametrize("after", [0, 1, 2])
def test_run_in_twins_is_the_plain_run(name: str, after: int) -> None:
    source = SNIPPETS[name]
    expected = outcome(source, plain)
    actual = outcome(source, lambda *args: run_cell(*args[:2], filename=args[2], switch=after))
    assert actual == expected


# What a runtime has to look after: functions called by a segment, and handlers of
# an exception in it, do not see the names that the segment has bound so far.
NEEDS_RUNTIME = {(name, step) for name in ("function try", "function global") for step in (0, 2)}


@pytest.mark.parametrize(
    ("name", "step"),
    [(name, step) for name in SNIPPETS for step in STEPS if (name, step) not in NEEDS_RUNTIME],
)
def test_replayed_run_is_the_plain_run(name: str, step: int) -> None:
    """Regions run instrumented, with hooks that do the plain Python operation."""
    source = SNIPPETS[name]
    expected = outcome(source, plain)
    actual = outcome(source, lambda *args: run_cell(*args[:2], filename=args[2], step=step))
    for result in (expected, actual):  # the traced form has frames of its own
        result["error"] = result["error"] and result["error"][:3]
    if expected["error"] and expected["error"][0] is UnboundLocalError:
        assert actual["error"][0] is NameError
        expected["error"] = actual["error"]
    assert actual == expected


def test_tree_is_not_changed() -> None:
    for source in SNIPPETS.values():
        tree = ast.parse(source)
        before = ast.dump(tree, include_attributes=True)
        program = build_cell(tree, source, handle="H")
        assert ast.dump(tree, include_attributes=True) == before
        nodes = {id(node) for node in ast.walk(tree) if node._attributes}
        assert not any(id(node) in nodes for node in ast.walk(program.tree))


@pytest.mark.parametrize("name", SNIPPETS)
def test_positions_are_valid(name: str) -> None:
    source = SNIPPETS[name]
    program = build_cell(ast.parse(source), source, handle="H")
    trees = [program.tree, *(function.program.factory for function in program.functions)]
    for tree in trees:
        for node in ast.walk(tree):
            if "lineno" in node._attributes:
                start = (node.lineno, node.col_offset)  # type: ignore[attr-defined]
                end = (node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]
                assert start <= end, ast.dump(node, include_attributes=True)


def skeleton_of(source: str) -> list[str]:
    program = build_cell(ast.parse(source), source, handle="H")
    return ast.unparse(program.tree).splitlines()


def function_of(source: str) -> list[str]:
    node = ast.parse(source).body[0]
    assert isinstance(node, ast.FunctionDef)
    factory = build_function(node, text=SourceText.of(source)).factory.body[0]
    assert isinstance(factory, ast.FunctionDef)
    return ast.unparse(factory.body[-1]).splitlines()


def test_guards_at_any_depth() -> None:
    source = """
for i in range(3):
    with context:
        try:
            x[i] += 1
            print(x)
        finally:
            y = x[0]
"""
    assert skeleton_of(source) == [
        "with H.around((H, 0)):",
        "    for i in H.keep(0, H.iter(range(3))):",
        "        with context:",
        "            try:",
        "                if H.at(0, 0):",
        "                    x[i] += 1",
        "                print(x)",
        "            finally:",
        "                if H.at(1, 0):",
        "                    y = x[0]",
        "        if H.plain[0]:",
        "            for i in H.chunk(0):",
        "                with context:",
        "                    try:",
        "                        x[i] += 1",
        "                        print(x)",
        "                    finally:",
        "                        y = x[0]",
        "            else:",
        "                if H.back(0):",
        "                    continue",
        "            break",
    ]


def test_display_of_last_expression() -> None:
    source = "x + 1"
    tree = ast.parse(source)
    assert skeleton_of(source) == ["if H.at(0, 0):", "    H.result = x + 1", "H.result"]
    silent = build_cell(tree, source, handle="H", display_last=False)
    assert ast.unparse(silent.tree).splitlines() == ["if H.at(0, 0):", "    x + 1"]
    assert silent.regions[0].statements[0].kind == "expr"


def test_function_takes_what_is_read_later() -> None:
    source = """
def f(n):
    a = n * 2
    b = a + 1
    c = b + 1
    return c
"""
    lines = function_of(source)
    assert "            b, = __npcompile_frame__.take(0, 1)" in lines
    node = ast.parse(source).body[0]
    assert isinstance(node, ast.FunctionDef)
    region = build_function(node).regions[0]
    assert region.live(0, 3) == ("c",)
    assert region.live(0, 2) == ("b",)
    assert region.taken(0) == ("a",)


def test_return_is_taken_or_run() -> None:
    assert function_of("def f(x):\n    return x + 1") == [
        "def f(x):",
        "    __npcompile_frame__ = __npcompile__.native",
        "    if __npcompile_frame__ is not None:",
        "        __npcompile_frame__ = __npcompile_frame__(x)",
        "        if __npcompile_frame__ is not __npcompile__:",
        "            return __npcompile_frame__",
        "    if __npcompile__.unasked > 0 and 'torch' not in __npcompile__.modules:",
        "        __npcompile__.unasked -= 1",
        "        __npcompile_frame__ = None",
        "    else:",
        "        __npcompile_frame__ = __npcompile__.activate()",
        "        if __npcompile_frame__ is not None and __npcompile_frame__.done:",
        "            return __npcompile_frame__.result",
        "    if __npcompile_frame__ is None:",
        "        return x + 1",
        "    with __npcompile_frame__:",
        "        if __npcompile_frame__.written:",
        "            return x + 1",
        "        if __npcompile_frame__.at(0, 0):",
        "            return x + 1",
        "        else:",
        "            return __npcompile_frame__.take(0, 0)",
    ]


def test_every_call_ends() -> None:
    """However a call is left, its frame hears of it; what is nested too deeply is not timed."""
    source = """
def f(x):
    for k in range(3):
        try:
            if x == k:
                return 1 / (x - 1)
        finally:
            y = x + 1
    return y
"""
    for written in (False, True):
        frames = []

        def activate(written: bool = written, frames: list[Native] = frames) -> Native:
            frames.append(Native())
            frames[-1].written = written
            return frames[-1]

        node = ast.parse(source).body[0]
        assert isinstance(node, ast.FunctionDef)
        code = function_code(build_function(node), "<cell>", 0)
        handle = types.CellType(
            types.SimpleNamespace(native=None, within=False, unasked=0, activate=activate)
        )
        f = types.FunctionType(code, {}, "f", None, (handle,))
        assert (f(0), f(7)) == (-1.0, 8)
        with pytest.raises(ZeroDivisionError) as caught:
            f(1)
        assert caught.traceback[-1].lineno + 1 == 6
        assert len(frames) == 3
        assert all(frame.ended for frame in frames)
    deep = "def f(x):\n" + "".join(f"{' ' * k}while x:\n" for k in range(1, 20))
    lines = function_of(f"{deep}{' ' * 20}x = x - 1\n return x")
    assert not any("with " in line for line in lines)
    compile("\n".join(lines), "<f>", "exec")


def test_docstring_stays_first() -> None:
    lines = function_of('def f(x):\n    """About."""\n    return x + 1')
    assert lines[1] == '    """About."""'
    assert lines[2] == "    __npcompile_frame__ = __npcompile__.native"


@pytest.mark.parametrize(
    ("body", "live"),
    [
        ("for i in x:\n  z = y + 1\n  y = z * 2\n", {"y", "z"}),
        ("y = x + 1\n", set()),
        ("y = x + 1\ndel y\n", {"y"}),
        ("f = lambda: y\ny = x + 1\n", {"y"}),
        ("y = x + 1\nbreakpoint()\n", {"y"}),
        ("if x:\n  y = x + 1\nelse:\n  print(y)\n", set()),
        ("try:\n  y = x + 1\nfinally:\n  print(y)\n", {"y"}),
        ("try:\n  y = x + 1\nexcept E:\n  print(y)\n", {"y"}),
        ("y = x + 1\ny += 1\n", {"y"}),
        ("while y:\n  y = x + 1\n", {"y"}),
        ("with c:\n  y = x + 1\nreturn y\n", {"y"}),
    ],
)
def test_liveness_in_functions(body: str, live: set[str]) -> None:
    node = ast.parse("def f(x):\n" + textwrap.indent(body, "  ")).body[0]
    assert isinstance(node, ast.FunctionDef)
    regions = build_function(node).regions
    taken = {
        name
        for region in regions
        for part in region.statements
        for name in region.taken(part.index)
    }
    assert taken == live


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("def f():\n yield 1", "generator function"),
        ("def f():\n global x\n x = 1", "global or nonlocal"),
        ("def f():\n return locals()", "uses locals"),
        ("def f():\n y = 1\n def g():\n  nonlocal y", "a nested function assigns its names"),
    ],
)
def test_functions_that_stay_native(source: str, reason: str) -> None:
    node = ast.parse(source).body[0]
    assert isinstance(node, ast.FunctionDef)
    with pytest.raises(NotTraceable, match=reason) as caught:
        build_function(node)
    assert caught.value.reason == reason


def test_interrupt_shows_the_line_of_the_statement() -> None:
    """A handle that raises, as an interrupt may, shows the user's line."""
    source = "a = 1\nfor i in range(2):\n    b = a + i"
    program = build_cell(ast.parse(source), source, handle="H")

    class Interrupted(Loops):
        def at(self, region: int, index: int) -> bool:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        exec(compile(program.tree, "<cell>", "exec"), {"H": Interrupted()})
    assert caught.traceback[1].lineno + 1 == 3


def test_deep_expressions_stay_native() -> None:
    source = "x = " + " + ".join(["k"] * 2000) + "\ny = x + 1"
    limit = sys.getrecursionlimit()
    tree = ast.parse(source)
    program = build_cell(tree, source, handle="H")
    assert sys.getrecursionlimit() == limit
    assert program.tree is tree
    assert program.regions == ()
    assert [line.reason for line in program.lines] == ["nested too deeply"] * 2
    function = ast.parse("def f(k):\n    return " + " + ".join(["k"] * 2000)).body[0]
    assert isinstance(function, ast.FunctionDef)
    with pytest.raises(NotTraceable, match="nested too deeply"):
        build_function(function)


def test_warnings_stay_shown_once() -> None:
    """Compiling in the middle of a loop does not make Python repeat a warning."""
    node = ast.parse("def f(x):\n    return x + 1").body[0]
    assert isinstance(node, ast.FunctionDef)
    namespace: dict[str, Any] = {
        "again": lambda: function_code(build_function(node), "<cell>"),
        "__name__": "cell",
    }
    source = "import warnings\nfor i in range(3):\n    again()\n    warnings.warn('careful')"
    shown: list[object] = []
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.showwarning = lambda message, *_: shown.append(message)
        exec(source, namespace)
    assert len(shown) == 1
