"""When an iteration is over, and what native code had said of it is compared."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from jupyter_npcompile.runtime import loop_check
from jupyter_npcompile.runtime.loop_check import Prediction
from tests.support.cells.native import compare, run_compiled, run_native

SETUP = "x = np.array([np.nan, 1.0, 2.0, np.nan, 4.0, 5.0, np.nan, 7.0])"

SOURCE = """
total = 0.0
for v in x:
    if v != v:
        continue
    total += v
k = 0
while k < 8:
    k += 1
    if k % 2:
        continue
    total += x[k - 1]
tried = 0
for i in range(12):
    tried += i
    try:
        w = x[12 - i]
    except IndexError as error:
        continue
    tried -= 1
"""


def test_an_iteration_is_over_where_it_is_continued() -> None:
    native = run_native(SOURCE, setup=SETUP)
    compiled = run_compiled(SOURCE, tier="native-loop", check="raise", setup=SETUP)
    assert compare(native.outcomes[0], compiled.outcomes[0]) == []
    assert compare(native.outcomes[1], compiled.outcomes[1]) == []
    tiers = {region.lines: region.tier for region in compiled.reports[1].regions}
    assert (tiers[4, 7], tiers[9, 13]) == ("native-loop", "native-loop")
    assert not any(count["replaced"] for count in compiled.counts)


SHRINKING = """
z = np.linspace(0.1, 3.0, 4000)
c = z.copy()
for k in range(12):
    z = z * z * 0.5 + c
    inside = z < 4.0
    z, c = z[inside], c[inside]
"""


def test_samples_are_enough_where_memory_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    sampled: list[set[str]] = []
    lighten = Prediction.lighten

    def noted(self: Prediction, inputs: list[Any], nbytes: float) -> None:
        lighten(self, inputs, nbytes)
        sampled.append(self.samples)

    monkeypatch.setattr(Prediction, "lighten", noted)
    monkeypatch.setattr(loop_check, "budget", lambda nbytes: 1000.0)
    native = run_native(SHRINKING)
    compiled = run_compiled(SHRINKING, tier="native-loop", check="raise")
    assert compare(native.outcomes[1], compiled.outcomes[1]) == []
    assert sampled
    assert {"z", "c"} <= sampled[0]
    assert not any(count["replaced"] for count in compiled.counts)


@pytest.mark.parametrize("place", [0, 5, -1])
def test_a_sample_shows_what_is_wrong(place: int) -> None:
    form: Any = SimpleNamespace(code=SimpleNamespace(precision=0.0))
    given, made = np.arange(9.0), np.arange(3000.0)
    prediction = Prediction(form, {"given": given, "made": made, "n": 3}, [], 1.0, 0)
    prediction.lighten([given], 1e6)
    assert not prediction.samples
    prediction.lighten([given], 1e3)
    assert prediction.samples == {"made"}
    assert prediction.differences({"given": given, "made": made, "n": 3}) == []
    made[place] += 1
    assert prediction.differences({"given": given, "made": made, "n": 3}) != []
