"""NumPy's own documented examples, natively and compiled: none may differ.

Each docstring is a cell. It runs with the tier forced and every difference
raised. Here all of them run with the graphs executed operation by operation;
``test_corpus_inductor`` compiles some of them.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass, field
from io import StringIO
from typing import Any

import numpy as np
import pytest

from jupyter_npcompile.tracer.table import SECTIONS
from tests.support.corpus.corpus import documented, run
from tests.support.corpus.docstrings import Group, groups
from tests.support.session.summary import tell

__all__ = ["documented"]

pytestmark = pytest.mark.slow

CAPTURED = 0.75
"""The share of the lines with NumPy work, and of the numeric examples, that must be captured."""

GROUPS = groups()


_TEXT = frozenset(
    row.name.removeprefix("numpy.")
    for section in SECTIONS
    if section.title.startswith("Text")
    for row in section.rows
)
_NAMES = re.compile(r"\bnp\.(\w+)")


def is_numeric(group: Group) -> bool:
    """Whether an example is about numbers that nobody draws.

    Not so: random numbers; text, dates, files and settings; arrays of anything
    but numbers, as NumPy itself makes them when it runs the example.
    """
    if "random" in group.source or _TEXT & set(_NAMES.findall(group.source)):
        return False
    names: dict[str, Any] = {}
    with np.errstate(all="ignore"), warnings.catch_warnings(), redirect_stdout(StringIO()):
        warnings.simplefilter("ignore")
        with suppress(Exception):  # some show how a call fails
            exec(group.source, names)
    arrays = [value for value in names.values() if isinstance(value, np.ndarray | np.generic)]
    return all(array.dtype.kind in "biufc" for array in arrays)


@dataclass
class Tally:
    """What became of the lines of all groups.

    Parameters
    ----------
    lines : Counter of str
        Lines by status; a group that differs counts its lines as ``wrong``.
    groups : Counter of str
        Groups by their worst line.
    reasons : Counter of str
        Why NumPy ran lines.
    numeric : Counter of str
        Groups about numbers, by their worst line.
    """

    lines: Counter[str] = field(default_factory=Counter)
    groups: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    numeric: Counter[str] = field(default_factory=Counter)

    def add(self, group: Group) -> None:
        """Run a group and count its lines."""
        try:
            report = run(group, "aten")
        except BaseException:
            self.lines["wrong"] += len(group.statements)
            self.groups["wrong"] += 1
            raise
        found = Counter(line.status for line in report.lines)
        self.lines += found
        worst = next((s for s in ("host", "compiled") if found[s]), "python")
        self.groups[worst] += 1
        if is_numeric(group):
            self.numeric[worst] += 1
        for line in report.lines:
            if line.status == "host":
                self.reasons[(line.reason or "").split(":")[0]] += 1

    @property
    def numeric_groups(self) -> int:
        """Groups about numbers that do anything with NumPy."""
        return self.numeric["compiled"] + self.numeric["host"]

    def table(self) -> str:
        """The counts, as text."""
        rows = [("", "lines", "groups")]
        for status, name in (
            ("compiled", "captured"),
            ("host", "host"),
            ("python", "skeleton"),
            ("wrong", "wrong"),
        ):
            rows.append((name, str(self.lines[status]), str(self.groups[status])))
        lines = [f"  {name:10}{count:>8}{number:>8}" for name, count, number in rows]
        work = self.lines["compiled"] + self.lines["host"]
        lines.append(
            f"  {self.lines['compiled']} of {work} lines with NumPy work captured "
            f"({self.lines['compiled'] / work:.0%})\n"
            f"  {self.numeric['compiled']} of {self.numeric_groups} numeric examples that draw "
            f"nothing captured without a break point "
            f"({self.numeric['compiled'] / self.numeric_groups:.0%})"
        )
        lines.append("  the ten commonest reasons why NumPy ran a line:")
        lines += [f"  {count:6}  {reason}" for reason, count in self.reasons.most_common(10)]
        return "\n".join(lines)


TALLY = Tally()


@pytest.mark.usefixtures("documented")
@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.name)
def test_group(group: Group) -> None:
    TALLY.add(group)


def test_most_lines_are_captured() -> None:
    work = TALLY.lines["compiled"] + TALLY.lines["host"]
    if TALLY.groups.total() < len(GROUPS):
        pytest.skip("counts what test_group has run in the same process, if that was all")
    tell("corpus", f"NumPy's documented examples:\n{TALLY.table()}")
    assert not TALLY.lines["wrong"]
    assert TALLY.lines["compiled"] >= CAPTURED * work
    assert TALLY.numeric["compiled"] >= CAPTURED * TALLY.numeric_groups
