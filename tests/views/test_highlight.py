"""Highlighting must keep every character, whatever the source."""

from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_npcompile.views.highlight import highlight
from tests.support.graph_examples import HOSTILE


def plain(html: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", html))


def test_kinds() -> None:
    assert highlight(["def f(x):  # half", "    return 'a' * 0.5"], prefix="") == [
        '<span class="keyword">def</span> f(x):  <span class="comment"># half</span>',
        '    <span class="keyword">return</span> <span class="string">&#x27;a&#x27;</span>'
        ' * <span class="number">0.5</span>',
    ]


@pytest.mark.parametrize(
    "source",
    [
        "%%npcompile --device cpu\ny = x",
        "!ls\ny = 2",
        "y = (1 +",
        "    indented = 1\n  half = 2",
        's = """a\nb <b>\n"""',
        'f"{x:4d} {{}} {y!r}"',
        'f"""\n{x}\n"""',
        "x = 'open",
        "é = '\U0001f600'; y = 2",
        "x = 1 \\\n    + 2",
        HOSTILE,
    ],
)
def test_text_is_kept(source: str) -> None:
    lines = source.split("\n")
    assert [plain(line) for line in highlight(lines)] == lines


@given(st.lists(st.text(st.characters(exclude_characters="\n\r"), max_size=30), max_size=4))
def test_any_text_is_kept(lines: list[str]) -> None:
    assert [plain(line) for line in highlight(lines)] == lines
