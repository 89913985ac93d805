"""Every line of a cell is accounted for."""

from __future__ import annotations

import ast

import pytest

from jupyter_npcompile.cell import Line, build_cell
from tests.support.cells.snippets import SNIPPETS

CELL = '''\
import numpy as np

@decorator
def native(x):
    return x + 1

def helper(a,
           b):  # two lines
    """Add."""
    c = a + b
    return c

for i in range(3):
    # a comment
    x = helper(i, 1)
    print(x)
else:
    y = 2
try:
    z = x @ x
except (TypeError,
        ValueError) as e:
    z = None
finally:
    w = [1,
         x + 1]
if z:
    pass
elif w: q = w[0]
match w:
    case [a, *_] if a:
        r = a + 1
x.attr = 5
x
'''

EXPECTED = """\
1-1 skeleton import
3-4 definition decorated function
5-5 skeleton decorated function
7-8 definition definition f0
9-9 skeleton plain Python (no NumPy call) f0
10-10 region 0.0 f0
11-11 skeleton plain Python (no NumPy call) f0
13-13 skeleton control flow
15-15 region 0.0
16-16 skeleton print
17-17 skeleton control flow
18-18 skeleton plain Python (no NumPy call)
19-19 skeleton control flow
20-20 region 1.0
21-22 skeleton control flow
23-23 skeleton plain Python (no NumPy call)
24-24 skeleton control flow
25-26 region 2.0
27-27 skeleton control flow
28-28 skeleton control flow
29-29 skeleton control flow
29-29 region 3.0
30-30 skeleton control flow
31-31 skeleton control flow
32-32 region 4.0
33-33 skeleton assigns an attribute
34-34 skeleton plain Python (no NumPy call)
"""


def described(line: Line) -> str:
    parts = [f"{line.line}-{line.end_line}", line.role]
    if line.region is not None:
        parts.append(f"{line.region}.{line.statement}")
    if line.reason is not None:
        parts.append(line.reason)
    if line.function is not None:
        parts.append(f"f{line.function}")
    return " ".join(parts)


def test_lines_of_a_cell() -> None:
    program = build_cell(ast.parse(CELL), CELL, handle="H")
    assert "\n".join(map(described, program.lines)) + "\n" == EXPECTED
    assert program.lines[3].source == "def helper(a,\n           b):  # two lines"


@pytest.mark.parametrize("name", SNIPPETS)
def test_no_line_is_forgotten(name: str) -> None:
    source = SNIPPETS[name]
    program = build_cell(ast.parse(source), source, handle="H")
    listed = {number for line in program.lines for number in range(line.line, line.end_line + 1)}
    written = {
        number
        for number, text in enumerate(source.split("\n"), 1)
        if text.strip() and not text.strip().startswith("#")
    }
    assert listed == written
    assert all(line.role == "region" or line.reason for line in program.lines)
    starts = [line.line for line in program.lines]
    assert starts == sorted(starts)


def test_region_numbers_match() -> None:
    program = build_cell(ast.parse(CELL), CELL, handle="H")
    for line in program.lines:
        if line.region is None:
            continue
        regions = program.regions
        if line.function is not None:
            regions = program.functions[line.function].program.regions
        assert line.statement is not None
        statement = regions[line.region].statements[line.statement]
        assert (statement.line, statement.end_line) == (line.line, line.end_line)
