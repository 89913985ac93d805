"""The page that rebuilds the heart of the project: its code blocks are one program, which runs."""

from __future__ import annotations

import re

from tests.support.paths import CHECKOUT

PAGE = CHECKOUT / "docs" / "dev" / "core.md"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
MOST = 300


def blocks() -> list[str]:
    """The code blocks of the page, in order."""
    return BLOCK.findall(PAGE.read_text(encoding="utf-8"))


def test_it_is_short() -> None:
    assert 0 < sum(block.count("\n") for block in blocks()) <= MOST


def test_it_runs() -> None:
    """The assertions of the page prove its steps; lines in a traceback are those of the page."""
    text = PAGE.read_text(encoding="utf-8")
    namespace = {"__name__": "core_page"}
    for found in BLOCK.finditer(text):
        above = text.count("\n", 0, found.start(1))
        exec(compile("\n" * above + found[1], str(PAGE), "exec"), namespace)
    assert {"split", "record", "compiled", "holds", "difference", "run", "gradient"} <= {*namespace}
