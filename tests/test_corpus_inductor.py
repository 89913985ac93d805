"""Some of NumPy's documented examples through Inductor: none may differ.

The sample is drawn anew each time, from a seed that is printed, for a landing
from 0. ``NPCOMPILE_CORPUS_SEED`` repeats a sample,
``NPCOMPILE_CORPUS_SAMPLE`` changes its size.
"""

from __future__ import annotations

import os
import random

import pytest

from tests.batches import Batches
from tests.corpus import documented, run
from tests.docstrings import groups
from tests.native import run_compiled
from tests.seeds import seed_of
from tests.segment_batches import compiled_together
from tests.summary import tell

__all__ = ["documented"]

pytestmark = pytest.mark.slow

SEED = seed_of(os.environ.get("NPCOMPILE_CORPUS_SEED", ""))
SAMPLE = int(os.environ.get("NPCOMPILE_CORPUS_SAMPLE", 30))
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
    try:
        run(group, "inductor")
    except BaseException:
        print(f"{group.name}, drawn with seed {SEED}")
        raise
    DONE.append(group.name)
    tell("corpus-inductor", f"{len(DONE)} of them compiled by Inductor, drawn with seed {SEED}")
