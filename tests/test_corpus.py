"""NumPy's own documented examples, natively and compiled: none may differ.

Each docstring is a cell. It runs with the tier forced and every difference
raised. All of them run with the graphs executed operation by operation; a
sample, drawn anew each time from a seed that is printed, runs through Inductor
as well. ``NPCOMPILE_CORPUS_SEED`` repeats a sample, ``NPCOMPILE_CORPUS_SAMPLE``
changes its size.
"""

from __future__ import annotations

import faulthandler
import os
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.docstrings import Group, groups
from tests.native import LENIENCY, ULPS, assert_same

pytestmark = pytest.mark.slow

CAPTURED = 0.75
"""The share of the lines with NumPy work that must be captured."""

SECONDS = 300
"""A group that takes longer than this hangs."""

SEED = int(os.environ.get("NPCOMPILE_CORPUS_SEED", random.SystemRandom().randrange(10**6)))
SAMPLE = int(os.environ.get("NPCOMPILE_CORPUS_SAMPLE", 160))
GROUPS = groups()
DRAWN = random.Random(SEED).sample(GROUPS, min(SAMPLE, len(GROUPS)))


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
    compiled : int
        Groups of the sample that went through Inductor.
    """

    lines: Counter[str] = field(default_factory=Counter)
    groups: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    compiled: int = 0

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
        self.groups[next((s for s in ("host", "compiled") if found[s]), "python")] += 1
        for line in report.lines:
            if line.status == "host":
                self.reasons[(line.reason or "").split(":")[0]] += 1

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
            f"({self.lines['compiled'] / work:.0%}); "
            f"{self.compiled} groups compiled by Inductor, seed {SEED}"
        )
        lines.append("  the ten commonest reasons why NumPy ran a line:")
        lines += [f"  {count:6}  {reason}" for reason, count in self.reasons.most_common(10)]
        return "\n".join(lines)


TALLY = Tally()


LONG_SUMS = 4096.0
"""Some examples sum half a million numbers, which kernels do in another order."""


def run(group: Group, tier: str) -> Any:
    """Run a group natively and compiled; the report of the compiled run."""
    faulthandler.dump_traceback_later(SECONDS, exit=True)
    try:
        done = assert_same(
            group.source,
            setup="import numpy as np",
            captured=False,
            fallbacks=len(group.statements),
            tier=tier,
            ulps=LONG_SUMS if tier == "inductor" else ULPS,
        )
    finally:
        faulthandler.cancel_dump_traceback_later()
    return done.reports[0]


@pytest.fixture
def documented() -> Iterator[None]:
    """Examples are of the order of one; a sum in another order may end in -0.0."""
    LENIENCY.unsigned_zeros, LENIENCY.absolute = True, 1e-13
    yield
    LENIENCY.unsigned_zeros, LENIENCY.absolute = False, 0.0


@pytest.mark.usefixtures("documented")
@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.name)
def test_group(group: Group) -> None:
    TALLY.add(group)


@pytest.mark.usefixtures("documented")
@pytest.mark.parametrize("number", range(len(DRAWN)))
def test_drawn_group_through_inductor(number: int) -> None:
    group = DRAWN[number]
    try:
        run(group, "inductor")
    except BaseException:
        print(f"{group.name}, drawn with seed {SEED}")
        raise
    TALLY.compiled += 1


def test_most_lines_are_captured(capsys: pytest.CaptureFixture[str]) -> None:
    work = TALLY.lines["compiled"] + TALLY.lines["host"]
    if not work:
        pytest.skip("counts what test_group has run in the same session")
    with capsys.disabled():
        print(f"\nNumPy's documented examples:\n{TALLY.table()}")
    assert not TALLY.lines["wrong"]
    assert TALLY.lines["compiled"] >= CAPTURED * work
