"""Our magic above and below others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import jupyter_npcompile as npc
from tests.magic.test_magic import Shell

BODY = "y = np.sqrt(x) + 1\nz = y.sum()\n"


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    monkeypatch.setattr(npc.settings, "tier", "aten")
    monkeypatch.setattr(npc.settings, "first_run_check", "raise")
    made = Shell()
    made.ip.user_ns["x"] = np.arange(4.0)
    made.ip.register_magic_function(
        lambda line, cell: made.ip.run_cell(cell).raise_error(), "cell", "again"
    )
    yield made
    made.ip.run_line_magic("unload_ext", "jupyter_npcompile")


@pytest.mark.parametrize(
    "heads",
    [
        "%%npcompile|%%time",
        "%%npcompile --ahead||%%time",
        "%%time|%%npcompile",
        "%%npcompile|%%capture out",
        "%%capture out|%%npcompile",
        "%%npcompile|%%again",
        "%%again|%%npcompile",
        "%%npcompile|%%capture|%%time",
        "%%npcompile|%%time|%%capture",
        "%%npcompile|%%again|%%capture|%%time",
        "%%time|%%npcompile|%%capture",
        "%%capture|%%npcompile|%%time",
    ],
)
def test_the_body_is_compiled_and_binds_its_names(shell: Shell, heads: str) -> None:
    source = heads.replace("|", "\n") + "\n" + BODY
    for step in range(3):
        shell.ip.user_ns["x"] = np.arange(4.0) + step
        assert shell.run(source) is None
        assert shell.ip.user_ns["z"] == (np.sqrt(np.arange(4.0) + step) + 1).sum()
    report = npc.last_report()
    assert report is not None
    assert report.summary.startswith("2 of 2 lines compiled")
    assert report.source.endswith(BODY)
    assert shell.run(BODY.replace("y", "w")) is None  # what follows is a cell as any other
    assert npc.last_report().summary == report.summary  # type: ignore[union-attr]


@pytest.mark.parametrize("heads", ["%%npcompile|%%timeit -n2 -r1", "%%timeit -n2 -r1|%%npcompile"])
def test_timeit_runs_it_so_often(shell: Shell, heads: str) -> None:
    shell.ip.user_ns["seen"] = []
    body = "for k in range(2):\n    a = x * k\n    seen.append(a.sum())\n"
    assert shell.run(heads.replace("|", "\n") + "\n" + body) is None
    assert shell.ip.user_ns["seen"] == [0.0, 6.0] * 2
    assert "a" not in shell.ip.user_ns


@pytest.mark.parametrize(
    "heads", ["%%npcompile|%%timeit -n3 -r2 w = 2.0", "%%timeit -n3 -r2 w = 2.0||%%npcompile"]
)
def test_what_timeit_runs_is_compiled(shell: Shell, heads: str) -> None:
    """Its lines have the numbers that they have in the cell."""
    before = npc.stats()["dispatches"]
    source = heads.replace("|", "\n") + "\n" + BODY.replace("1", "w")
    assert shell.run(source) is None
    assert npc.stats()["dispatches"] == before + 6
    assert not {"y", "z", "w"} & set(shell.ip.user_ns)
    report = npc.last_report()
    assert report is not None
    assert report.summary.startswith("2 of 2 lines compiled")
    lines = source.split("\n")
    assert report.source == source.rstrip("\n")
    assert [line.line for line in report.lines] == [len(lines) - 2, len(lines) - 1]
    assert all(lines[line.line - 1] == line.source for line in report.lines)


@pytest.mark.parametrize(
    "heads", ["%%npcompile|%%time", "%%npcompile|%%again", "%%time|%%npcompile"]
)
def test_what_the_body_raises_is_raised(shell: Shell, heads: str) -> None:
    error = shell.run(heads.replace("|", "\n") + "\ny = np.sqrt(x)\nraise ValueError('here')")
    # `%%time` of older IPython shows what is raised, and raises nothing.
    other = heads.replace("%%npcompile", "").strip("|")
    assert type(error) is type(shell.run(f"{other}\nraise ValueError('here')"))
    assert isinstance(shell.ip.user_ns["y"], np.ndarray)


def test_what_is_no_python_gets_its_text(
    shell: Shell, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "written.txt"
    assert shell.run(f"%%npcompile\n%%writefile {path}\n{BODY}") is None
    assert path.read_text() == BODY
    assert "%%writefile has run no cell of Python" in capsys.readouterr().out
    error = shell.run(f"%%npcompile\n%%there_is_none\n{BODY}")
    assert "there_is_none" in str(error)


def test_options_are_looked_at_first(shell: Shell) -> None:
    error = shell.run(f"%%npcompile --fast\n%%time\n{BODY}")
    assert "no option '--fast'" in str(error)
    assert "z" not in shell.ip.user_ns


def test_whoever_asks_whether_a_cell_is_complete_compiles_nothing(shell: Shell) -> None:
    shell.ip.check_complete(f"%%npcompile\n%%time\n{BODY}")
    before = npc.last_report()
    assert shell.run(BODY) is None
    assert npc.last_report() is before or npc.last_report() == before
    assert shell.shown == []
