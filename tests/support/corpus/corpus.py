"""Runs NumPy's documented examples both ways."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from unittest import mock

import pytest

from jupyter_npcompile.runtime import compile_worker
from tests.support.cells.native import LENIENCY, ULPS, assert_same
from tests.support.corpus.docstrings import Group

LONG_SUMS = 4096.0
"""Some examples sum half a million numbers, which kernels do in another order."""

SECONDS = 60.0
"""A compile that takes longer is given up, which the report says."""


def run(group: Group, tier: str) -> Any:
    """Run a group natively and compiled; the report of the compiled run."""
    with mock.patch.object(compile_worker, "LONGEST", SECONDS):
        done = assert_same(
            group.source,
            setup="import numpy as np",
            captured=False,
            fallbacks=len(group.statements),
            tier=tier,
            ulps=LONG_SUMS if tier == "inductor" else ULPS,
        )
    return done.reports[0]


@pytest.fixture
def documented() -> Iterator[None]:
    """Examples are of the order of one; a sum in another order may end in -0.0."""
    LENIENCY.unsigned_zeros, LENIENCY.absolute = True, 1e-13
    yield
    LENIENCY.unsigned_zeros, LENIENCY.absolute = False, 0.0
