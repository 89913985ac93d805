"""Twins of loops and functions: the same at every iteration at which one goes over to them."""

from __future__ import annotations

import ast
import textwrap
import traceback
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_npcompile.cell import build_cell, build_function
from tests.support.cells.skeletons import Switching, run_cell, run_tree

CELLS = {
    "break": """
n = 0
for k in range(9):
    n += k
    if k == 5:
        break
else:
    n = -1
""",
    "no break": """
n = 0
for k in range(9):
    n += k
else:
    n = -n
""",
    "continue": """
n = 0
for k in range(9):
    n += 1
    if k % 2:
        continue
    n += k
""",
    "while": """
n = k = 0
while k < 9:
    n += k
    k += 1
else:
    n = -n
""",
    "while and break": """
n = 0
while True:
    n += 1
    if n > 6:
        break
else:
    n = 0
""",
    "while and continue": """
n = k = 0
while k < 9:
    k += 1
    if k % 3:
        continue
    n += k
""",
    "nest": """
n = 0
for i in range(5):
    for j in range(i):
        n += i * j
        if j > 2:
            break
    else:
        n += 100
    m = n + i
""",
    "targets": """
d = {}
for i, (d['a'], *rest) in enumerate([(1, 2), (3, 4), (5, 6, 7)]):
    n = i + 1
""",
    "an iterator": """
it = iter(range(9))
n = 0
for k in it:
    n += k
    n += next(it, 0)
""",
    "a list that grows": """
xs = [1]
for x in xs:
    n = x + 1
    if n < 9:
        xs.append(n)
""",
    "a generator is closed at once": """
def count():
    try:
        yield 1
        yield 2
        yield 3
    finally:
        print('closed')
for k in count():
    n = k + 1
    if n > 2:
        break
print('after')
""",
    "a generator is closed before a handler": """
def count():
    try:
        yield 1
        yield 2
    finally:
        print('closed')
try:
    for k in count():
        n = k + 1
        n / (k - 2)
except ZeroDivisionError:
    print('handled')
""",
    "iter of the user's": """
iter = None
for k in range(4):
    n = k + 1
""",
    "not iterable": """
for k in 5:
    n = k + 1
""",
    "an error in the third iteration": """
for k in range(5):
    n = 1 / (2 - k)
""",
    "an error of the iterator": """
def g():
    yield 1
    raise ValueError('g')
for k in g():
    n = k + 1
""",
    "global in a function": """
n = 0
def f(x):
    y = x + 1
    global n
    for k in range(4):
        n = n + y
    return n
a = f(1); b = f(2); c = f(3)
""",
    "nonlocal": """
def outer():
    n = 0
    def f(x):
        nonlocal n
        n = n + x
        return n
    return [f(k) for k in range(4)]
a = outer()
""",
    "no return": """
def f(x):
    '''About f.'''
    y = x + 1
a = [f(1), f(2), f.__doc__]
""",
    "only a docstring": """
def f(x):
    '''About f.'''
a = [f(1), f(2)]
""",
    "recursion": """
def f(n):
    s = n + 0
    for k in range(n):
        s = s + f(k)
    return s
a = f(6)
""",
    "a definition in a loop": """
for k in range(3):
    def f(x):
        return x + k
    n = f(k)
""",
    "return in a loop": """
def f(n):
    for k in range(n):
        m = k + 1
        if m > 3:
            return m
a = [f(2), f(9), f(9)]
""",
}


def seen(source: str, switch: int | None, capsys: pytest.CaptureFixture[str]) -> Any:
    """Names, output, and the error with its place, of a run; as it was written if None."""
    namespace: dict[str, Any] = {}
    error = None
    try:
        if switch is None:
            run_tree(ast.parse(source), "<cell>", namespace)
        else:
            run_cell(source, namespace, switch=switch)
    except Exception as raised:
        entries = traceback.extract_tb(raised.__traceback__)
        places = [
            (e.lineno, e.colno, e.end_colno, e.name) for e in entries if e.filename == "<cell>"
        ]
        others = [e.filename for e in entries if e.filename not in ("<cell>", __file__)]
        support = [name for name in others if not name.endswith("skeletons.py")]
        error = repr(raised), places, support
    names = {k: v for k, v in namespace.items() if k != "__builtins__" and not callable(v)}
    return {k: repr(v).split(" at 0x")[0] for k, v in names.items()}, capsys.readouterr().out, error


@pytest.mark.parametrize("switch", range(6))
@pytest.mark.parametrize("name", CELLS)
def test_as_written(name: str, switch: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert seen(CELLS[name], switch, capsys) == seen(CELLS[name], None, capsys)


def loops(source: str) -> int:
    """How many loops of a cell have a twin."""
    return len(build_cell(ast.parse(source), source, handle="H").loops)


def nested(count: int) -> str:
    """A cell with so many loops, one in the other."""
    lines = [f"{'    ' * k}for i{k} in range(1):" for k in range(count)]
    return "\n".join([*lines, f"{'    ' * count}x = x + 1"])


@pytest.mark.parametrize("levels", [1, 4, 10, 19])
def test_no_nest_becomes_too_deep(levels: int) -> None:
    source = nested(levels)
    program = build_cell(ast.parse(source), source, handle="H")
    compile(program.tree, "<cell>", "exec")
    namespace: dict[str, Any] = {"x": 1}
    run_cell(source, namespace, switch=0)
    assert namespace["x"] == 2
    assert loops(source) == {1: 1, 4: 4, 10: 6, 19: 0}[levels]


HEADERS = ("for i in xs:", "while x < 9:", "if x < 5:", "with f() as y:", "try:", "except E as e:")


@given(
    st.lists(st.sampled_from(HEADERS), max_size=19),
    st.sampled_from(["x = x + 1", "x += f(x)", "return x", "a[i] = x", "x = np.add.at(a, i, x)"]),
    st.booleans(),
    st.booleans(),
)
def test_what_python_can_nest_stays_nested(
    headers: list[str], last: str, in_function: bool, tells: bool
) -> None:
    before, after = ["def g(xs, a, x):"] if in_function else [], []
    for header in headers:
        indent = "    " * len(before)
        if header.startswith("except"):
            before.append(f"{indent}try: x = f(x)\n{indent}{header}")
        else:
            before.append(indent + header)
        if header == "try:":
            after.append(f"{indent}finally: x = f(x)")
    body = last if in_function or not last.startswith("return") else "x = 2"
    source = "\n".join([*before, "    " * len(before) + body, *reversed(after)])
    try:
        compile(source, "<cell>", "exec")
    except SyntaxError:  # too many levels
        return
    program = build_cell(ast.parse(source), source, handle="H", tells=tells)
    compile(program.tree, "<cell>", "exec")
    if in_function:
        definition = ast.parse(source).body[0]
        assert isinstance(definition, ast.FunctionDef)
        compile(build_function(definition, tells=tells).factory, "<cell>", "exec")


def test_tests_are_no_levels_of_a_nest() -> None:
    source = """
for i in xs:
    if i:
        for j in xs:
            if j:
                for k in xs:
                    if k:
                        while x < 9:
                            if x:
                                x = x + 1
"""
    assert loops(source) == 4


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("for k in xs:\n    x = x + k", 1),
        ("while x < 9:\n    x = x + 1", 1),
        ("for k in xs:\n    print(k)", 0),  # nothing is guarded
        ("for k in xs:\n    x = x + k\n    if x is 1: pass", 0),  # Python warns of it: once
        ("for k in xs:\n    x = x + k\n    assert (x, 'no')", 0),
        ("for i in xs:\n    for k in xs:\n        x = x + k\n    else:\n        break", 1),
    ],
)
def test_which_loops_have_twins(source: str, count: int) -> None:
    assert loops(source) == count


def test_regions_of_loops() -> None:
    source = """
y = x + 1
for i in x:
    y = y + i
    for j in x:
        y = y + j
    z = y + 1
"""
    outer, inner = build_cell(ast.parse(source), source, handle="H").loops
    assert (inner.regions, outer.regions) == (range(2, 3), range(1, 4))
    assert (inner.outer, outer.outer) == (0, None)
    assert inner.names == ("j", "y")  # in a cell, all that it binds
    node = ast.parse(f"def f(x):{textwrap.indent(source, '    ')}").body[0]
    assert isinstance(node, ast.FunctionDef)
    outer, inner = build_function(node).loops
    assert (inner.regions, inner.names) == (range(2, 3), ("y",))  # nothing reads j any more


def test_a_twin_comes_back_after_a_chunk() -> None:
    """It goes through a part of what is left, and asks again."""
    source = "for k in range(100):\n    x = x + k\n"
    program = build_cell(ast.parse(source), source, handle="H")
    handle = Switching(program, "<cell>", 2)
    namespace: dict[str, Any] = {"x": 0, "H": handle}
    exec(compile(program.tree, "<cell>", "exec"), namespace)
    assert namespace["x"] == 4950
    assert 3 < len(handle.asked) < 100 / 2
    assert handle.iterators == {}


def test_questions_end_in_the_twin(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once in its twin, a loop asks nothing any more, where nothing can come of it."""
    monkeypatch.setattr(Switching, "chunk", Switching.rest)
    source = "for k in range(100):\n    x = x + k\n"
    program = build_cell(ast.parse(source), source, handle="H")
    handle = Switching(program, "<cell>", 2)
    namespace: dict[str, Any] = {"x": 0, "H": handle}
    exec(compile(program.tree, "<cell>", "exec"), namespace)
    assert namespace["x"] == 4950
    assert len(handle.asked) == 3
    assert handle.iterators == {}
