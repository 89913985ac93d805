"""When an iteration is over, and what native code had said of it is compared."""

from __future__ import annotations

from tests.native import compare, run_compiled, run_native

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
