"""Some of NumPy's documented examples through Inductor: none may differ.

A sample, of which ``make fuzz`` draws another one.
"""

from __future__ import annotations

import random

import pytest

from tests.support.cells.native import run_compiled
from tests.support.compiling.batches import Batches
from tests.support.compiling.segment_batches import compiled_together
from tests.support.corpus.corpus import documented, run
from tests.support.corpus.docstrings import groups
from tests.support.session.seeds import SEED
from tests.support.session.summary import tell

__all__ = ["documented"]

pytestmark = [pytest.mark.slow, pytest.mark.drawn]

SAMPLE = 30
GROUPS = groups()
DRAWN = random.Random(SEED).sample(GROUPS, min(SAMPLE, len(GROUPS)))
DONE: list[str] = []


@pytest.fixture(scope="module")
def batches() -> Batches[int]:
    """The groups, of which some are compiled at a time."""

    def ask(number: int) -> None:
        source = DRAWN[number].source
        run_compiled(source, tier="inductor", setup="import numpy as np", runs=1)

    return Batches(range(len(DRAWN)), compiled_together, ask)


@pytest.mark.usefixtures("documented")
@pytest.mark.parametrize("number", range(len(DRAWN)))
def test_drawn_group(number: int, batches: Batches[int]) -> None:
    batches.need(number)
    group = DRAWN[number]
    run(group, "inductor")
    DONE.append(group.name)
    tell("corpus-inductor", f"{len(DONE)} of them compiled by Inductor, drawn with seed {SEED}")
