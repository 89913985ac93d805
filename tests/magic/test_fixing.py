"""``%npcompile fix``: what a person sees, and what the front end gets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.magic.fixing import has_run, show_fixes
from jupyter_npcompile.runtime import history
from jupyter_npcompile.views.fixes import MIME_TYPE
from tests.magic.test_magic import Shell

CELL = """%%npcompile
for i in range(3):
    x = x * 0.5
    print(i, x.sum())
y = x + 1"""


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    monkeypatch.setattr(npc.settings, "tier", "aten")
    made = Shell()
    made.ip.user_ns["x"] = np.linspace(0, 1, 20)
    yield made
    made.ip.run_line_magic("unload_ext", "jupyter_npcompile")


def offered(shell: Shell) -> dict[str, Any]:
    shell.run("%npcompile fix")
    bundle: dict[str, Any] = next(b for b in reversed(shell.shown) if MIME_TYPE in b)
    assert "<script" not in bundle["text/html"]
    return bundle


def test_a_fix_is_shown_as_a_diff(shell: Shell) -> None:
    shell.run(CELL)
    bundle = offered(shell)
    assert "-    print(i, x.sum())" in bundle["text/plain"]
    assert "+    print(i, x_sums[i])" in bundle["text/plain"]
    assert 'class="npcompile-added"' in bundle["text/html"]
    plain = unescape(re.sub("<[^>]*>", "", bundle["text/html"]))  # as GitHub shows it
    assert "+    print(i, x_sums[i])" in plain.splitlines()
    data = bundle[MIME_TYPE]
    assert data["source"] == CELL
    (fix,) = data["fixes"]
    before = shell.ip.user_ns["x"].copy()
    shell.run(fix["new"])
    report = npc.last_report()
    assert report is not None
    assert report.breaks == ()
    assert (shell.ip.user_ns["x"] == before * 0.125).all()
    assert "nothing to fix" in offered(shell)["text/plain"]


def test_a_cell_with_effects_is_not_tried(shell: Shell, tmp_path: Any) -> None:
    path = tmp_path / "x.npy"
    shell.run(f"%%npcompile\ny = x * 2\nnp.save({str(path)!r}, y)\nprint(y.sum())\nz = y + 1")
    path.unlink()
    assert "line 3 calls np.save" in offered(shell)["text/plain"]
    assert not path.exists()


def test_what_is_no_python_is_not_tried(shell: Shell) -> None:
    shell.run("%%npcompile\ny = x * 2\nfiles = %pwd\nz = y + 1")
    assert "not Python" in offered(shell)["text/plain"]


def test_strings_of_the_user_are_escaped(shell: Shell) -> None:
    shell.run("%%npcompile\ny = x * 2\nprint('<script>alert(1)</script>', y.sum())\nz = y + 1")
    bundle = offered(shell)
    assert "&lt;script&gt;" in bundle["text/html"]


def test_without_a_cell_it_says_so(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    history.remember(None)
    shell.ip.run_line_magic("npcompile", "fix")
    assert "no cell" in capsys.readouterr().out


def test_nothing_is_looked_for_that_has_not_run_here(shell: Shell) -> None:
    """What the front end sends may come from a notebook that somebody else has written."""
    ran: list[int] = []
    shell.ip.user_ns["ran"] = ran
    hostile = "%%npcompile\nran.append(1)\nif x.sum() > 3:\n    x = x * 2"
    show_fixes(hostile)
    (bundle,) = shell.shown
    assert "this kernel has not run the cell" in str(bundle["text/plain"])
    assert ran == []
    assert not has_run(hostile)
    shell.ip.run_cell(CELL, store_history=True)
    assert has_run(CELL + "\n")
    show_fixes(CELL)
    assert "1 fix for 1 break point" in str(shell.shown[-1]["text/plain"])
