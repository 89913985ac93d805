"""NumPy's own documented examples, natively and compiled: none may differ.

Each docstring is a cell. It runs with the tier forced and every difference
raised; the graphs are executed operation by operation, so that all of them fit
in minutes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from tests.docstrings import Group, groups
from tests.native import LENIENCY, assert_same

pytestmark = pytest.mark.slow

CAPTURED = 0.75
"""The share of the lines with NumPy work that must be captured."""

STATUSES: Counter[str] = Counter()
REASONS: Counter[str] = Counter()


@pytest.fixture
def documented() -> Iterator[None]:
    """Examples are of the order of one; a sum in another order may end in -0.0."""
    LENIENCY.unsigned_zeros, LENIENCY.absolute = True, 1e-13
    yield
    LENIENCY.unsigned_zeros, LENIENCY.absolute = False, 0.0


@pytest.mark.usefixtures("documented")
@pytest.mark.parametrize("group", groups(), ids=lambda group: group.name)
def test_group(group: Group) -> None:
    setup = "import numpy as np"
    run = assert_same(group.source, setup=setup, captured=False, fallbacks=len(group.statements))
    for line in run.reports[0].lines:
        STATUSES[line.status] += 1
        if line.status == "host":
            REASONS[(line.reason or "").split(":")[0]] += 1


def test_most_lines_are_captured(capsys: pytest.CaptureFixture[str]) -> None:
    work = STATUSES["compiled"] + STATUSES["host"]
    if not work:
        pytest.skip("counts what test_group has run in the same session")
    with capsys.disabled():
        print(f"\ncorpus: {STATUSES['compiled']} of {work} lines captured; NumPy runs the others:")
        for reason, count in REASONS.most_common(10):
            print(f"  {count:4}  {reason}")
    assert STATUSES["compiled"] >= CAPTURED * work
