"""Lists from outside that a loop reads: part of its code, as long as nobody changes them."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as budget
from hypothesis import strategies as st

import jupyter_npcompile as npc

LINES = (
    *("total += table[0]", "total += table[i % 2]", "total += len(table)", "total += sum(table)"),
    *("for v in table: total += v * x[i]", "for k, v in enumerate(other): total += v * k"),
    *("other.append(i)", "seen.append(total)", "table[0] = i", "other[1] += 1.0", "grow(i)"),
    *("table = table[1:] + [i]", "kept = table", "kept = other", "kept.append(2.0)"),
    *("a, b = moves[i % 3]", "total += a * b", "for a, b in moves: total += a - b * x[i]"),
    *("total += read(i)", "total += LEVELS[i % 4]", "moves[0] = (i, 1)", "moves.append((i, i))"),
    *(
        "both = (table, i)",
        "total += both[0][0]",
        "row = rows[0]",
        "row[0] = i",
        "total += rows[1][0]",
    ),
    *("if x[i] in table: total += 1", "total += max(table) - min(other)", "seen = table"),
)


def defined(lines: list[str]) -> Callable[..., Any]:
    body = "".join(f"        {line}\n" for line in lines)
    source = (
        "def f(x, table, other, moves):\n"
        "    total, seen, kept, both, a, b = 0.0, [], table, (table, 0), 0, 0\n"
        "    rows = [[1, 2], [3, 4]]\n    row = rows[0]\n"
        "    LEVELS[2] = table[0]\n"
        f"    for i in range(len(x)):\n{body}"
        "    return total, seen, kept is table, other is table, both[0] is table, a, b, row, rows\n"
    )
    linecache.cache["<tables>"] = (len(source), None, source.splitlines(True), "<tables>")
    scope: dict[str, Any] = {"np": np, "LEVELS": [0.5, 1.5, 2.5, 3.5]}
    helpers = (
        "def read(i):\n    return LEVELS[i % 4] * 2\ndef grow(i):\n    LEVELS.append(i)\n"
        "    LEVELS[1] = i * 0.5\n"
    )
    exec(compile(helpers, "<helpers>", "exec"), scope)
    exec(compile(source, "<tables>", "exec"), scope)
    function: Callable[..., Any] = scope["f"]
    return function


def called(function: Callable[..., Any], levels: list[float], number: int, *, alias: bool) -> Any:
    x = np.linspace(0, 1, 6) + number
    table: list[Any] = [*[1.5, 2, 3.0][: 2 + number % 2], float(number // 2)]
    other = table if alias else [0.5, 1.0]
    moves = [(-1, 0), (0, 1), (1, number // 3)]
    levels[:] = [0.5, 1.5, 2.5, 3.5]
    return repr((function(x, table, other, moves), table, other, moves, levels))


@budget(max_examples=60)
@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=4), st.booleans())
def test_programs_are_what_they_were(lines: list[str], alias: bool) -> None:
    previous, npc.settings.tier = npc.settings.tier, "native-loop"
    try:
        function = defined(lines)
        levels = function.__globals__["LEVELS"]
        compiled = npc.compile(function)
        for number in (0, 0, 0, 1, 2, 0, 3):
            found = called(compiled, levels, number, alias=alias)
            assert found == called(function, levels, number, alias=alias)
    finally:
        npc.settings.tier = previous


@pytest.mark.parametrize(
    "loop",
    [
        "for i in range(n):\n        for dx, dy in moves: y[i] += dx * i + dy",
        "for i in range(n):\n        y[i] = moves[i % 4][1]",
        "for i in range(n):\n        dx, dy = moves[i % 4]\n        y[i] = dx - dy",
    ],
)
def test_directions_are_part_of_native_code(loop: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", "native-loop")
    source = f"def f(y, n, moves):\n    {loop}\n    return y\n"
    linecache.cache["<moves>"] = (len(source), None, source.splitlines(True), "<moves>")
    scope: dict[str, Any] = {}
    exec(compile(source, "<moves>", "exec"), scope)
    compiled = npc.compile(scope["f"])
    moves: list[Any] = [(-1, 0), (0, 1), (1, 0), (0, -1)]
    for _ in range(3):
        np.testing.assert_array_equal(
            compiled(np.zeros(50), 50, moves), scope["f"](np.zeros(50), 50, moves)
        )
    report = npc.last_report()
    assert report is not None
    assert "native-loop" in report.summary
    moves[2] = (2.5, 1)
    np.testing.assert_array_equal(
        compiled(np.zeros(50), 50, moves), scope["f"](np.zeros(50), 50, moves)
    )
