"""Which tests reach most in the time there is."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tests.support.session.selection import Chosen, split

CHEAP = 0.02
"""Seconds; what takes less is taken for as cheap as this."""

DEAR = 4.0
"""Seconds; an example that takes longer is not taken for its family's sake alone."""


@dataclass
class Test:
    """What is known of a test.

    Parameters
    ----------
    seconds : float
        How long it takes.
    reached : set of int
        Statements of the package.
    """

    seconds: float = 0.0
    reached: set[int] = field(default_factory=set)

    @property
    def cost(self) -> float:
        """What it counts."""
        return max(self.seconds, CHEAP)


def choose(
    tests: Mapping[str, Test], share: float, budget: float, kept: Sequence[str] = ()
) -> list[str]:
    """Choose tests.

    First those that reach most in the least time, until a share of all statements is reached.
    Then one example of each family, the cheapest, and more of each in turn while there is time.

    Parameters
    ----------
    tests : mapping
        All there are, by their name.
    share : float
        Of the statements that all of them reach.
    budget : float
        Seconds.
    kept : sequence of str
        Those that are chosen in any case.

    Examples
    --------
    >>> tests = {
    ...     "a.py::test_a[1]": Test(1.0, {1, 2, 3}),
    ...     "a.py::test_a[2]": Test(1.0, {1, 2}),
    ...     "a.py::test_b": Test(9.0, {4}),
    ...     "a.py::test_c": Test(1.0, {1}),
    ... }
    >>> choose(tests, share=0.7, budget=2.0)
    ['a.py::test_a[1]', 'a.py::test_c']
    """
    taken = cover(tests, share, kept)
    spent = sum(tests[name].cost for name in taken)
    for name in _in_turn(tests, taken):
        if name not in taken and spent + tests[name].cost <= budget:
            taken.add(name)
            spent += tests[name].cost
    return sorted(taken)


def cover(tests: Mapping[str, Test], share: float, kept: Sequence[str] = ()) -> set[str]:
    """Reach a share of the statements that all tests reach, in little time."""
    left = set().union(*(test.reached for test in tests.values()))
    enough = (1.0 - share) * len(left)
    taken = set(kept)
    left -= set().union(*(tests[name].reached for name in kept))
    # What a test adds only shrinks: who is still best when looked at again is best of all.
    queue = [(-len(test.reached) / test.cost, name) for name, test in tests.items()]
    heapq.heapify(queue)
    while len(left) > enough and queue:
        _, name = heapq.heappop(queue)
        adds = len(tests[name].reached & left) / tests[name].cost
        if queue and adds < -queue[0][0]:
            heapq.heappush(queue, (-adds, name))
            continue
        if not adds:
            break
        taken.add(name)
        left -= tests[name].reached
    return taken


def _in_turn(tests: Mapping[str, Test], taken: set[str]) -> list[str]:
    """The first example of each family, then the second, and so on: cheap ones first."""
    families: dict[tuple[str, str], list[str]] = {}
    for name in tests:
        families.setdefault(split(name)[:2], []).append(name)
    turns = []
    for family in families.values():
        spread = sorted(family, key=lambda name: (tests[name].cost > DEAR, tests[name].cost))
        first = any(name in taken for name in family)
        turns += [
            (place + first, tests[name].cost, name)
            for place, name in enumerate(name for name in spread if name not in taken)
            if tests[name].cost <= DEAR
        ]
    return [name for _, _, name in sorted(turns)]


def as_chosen(names: Sequence[str], tests: Mapping[str, Test]) -> Chosen:
    """What `selection` reads: families of which all examples are taken are not mentioned.

    Examples
    --------
    >>> tests = {f"a.py::{name}": Test() for name in ("test_a[1]", "test_a[2]", "test_b", "test_c")}
    >>> as_chosen(["a.py::test_a[2]", "a.py::test_c"], tests)
    {'a.py': {'test_a': ['2'], 'test_b': []}}
    """
    kept = {split(name) for name in names}
    found: dict[str, dict[str, list[str]]] = {}
    for file, family, example in sorted(map(split, tests)):
        found.setdefault(file, {}).setdefault(family, []).append(example)
    left_out = {
        file: {
            family: [example for example in examples if (file, family, example) in kept]
            for family, examples in families.items()
            if any((file, family, example) not in kept for example in examples)
        }
        for file, families in found.items()
    }
    return {file: families for file, families in left_out.items() if families}
