"""k-means in NumPy and on a device, with what is copied: ``make bench-cuda``.

``python -m tests.benchmarks.devices --device standin --points 1000`` shows that it
works on a machine without a GPU; those times say nothing.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

import jupyter_npcompile as npc
from jupyter_npcompile.graph.amounts import size
from jupyter_npcompile.runtime.device.accounts import traffic_of
from jupyter_npcompile.runtime.devices import require
from jupyter_npcompile.runtime.functions import handle_of
from jupyter_npcompile.runtime.subjects import states_of

CENTRES = 8
DIMENSIONS = 2
CALLS = 3


def kmeans(points: Any, centres: Any, rounds: int) -> Any:
    """Move centres to the means of the points that are nearest to them."""
    for _ in range(rounds):
        distance = ((points[:, None] - centres) ** 2).sum(2)
        nearest = distance.argmin(1)[:, None] == np.arange(len(centres))
        centres = (points.T @ nearest).T / nearest.sum(0)[:, None]
    return centres


@dataclass(frozen=True)
class Row:
    """What one way of running it took.

    Parameters
    ----------
    name : str
        What ran it.
    seconds : float
        The best time of a round.
    copied : int or None
        Bytes that a round has copied, both ways; None where nothing is copied.
    error : float
        The largest distance from NumPy's centres, as a part of the largest.
    """

    name: str
    seconds: float
    copied: int | None = None
    error: float = 0.0


def measure(device: str, count: int, rounds: int) -> list[Row]:
    """Measure one round in NumPy, and on a device: points there already or not, both precisions."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(count, DIMENSIONS)) + rng.integers(0, 5, size=(count, 1))
    centres = points[:CENTRES].copy()
    expected = kmeans(points, centres, rounds)
    rows = [Row("NumPy", _best(kmeans, points, centres, rounds) / rounds)]
    ways = [("one round a call", 1), ("all rounds in one call", rounds)]
    for dtype, (name, per_call) in itertools.product(("float64", "float32"), ways):
        compiled = npc.compile(kmeans, device=device, dtype=dtype, ahead=True)
        found = centres
        for _ in range(rounds // per_call):
            found = compiled(points, found, per_call)
        error = float(np.abs(found - expected).max() / np.abs(expected).max())
        before = _copied(compiled)
        seconds = _best(compiled, points, centres, per_call) / per_call
        report = npc.last_report()
        assert report is not None
        tiers = " + ".join(dict.fromkeys(region.tier for region in report.regions))
        moved = (_copied(compiled) - before) // (CALLS * per_call)
        rows.append(Row(f"{tiers}, {name}", seconds, moved, error))
    return rows


def _best(run: Callable[..., Any], *args: Any) -> float:
    found = []
    for _ in range(CALLS):
        began = perf_counter()
        run(*args)
        found.append(perf_counter() - began)
    return min(found)


def _copied(compiled: Any) -> int:
    """Bytes that a function has copied so far, whatever the layout of its arguments."""
    handle = handle_of(compiled)
    assert handle is not None
    plans = [plan for state in states_of(handle) for plan in state.every_plan()]
    found = {id(traffic): traffic for plan in plans if (traffic := traffic_of(plan)) is not None}
    return sum(traffic.to_device + traffic.to_host for traffic in found.values())


def table(rows: Sequence[Row]) -> str:
    """Write rows as Markdown."""
    lines = ["| | a round | times NumPy | copied a round | error |", "|---|--:|--:|--:|--:|"]
    for row in rows:
        moved = "" if row.copied is None else size(row.copied)
        speed = rows[0].seconds / row.seconds
        lines.append(
            f"| {row.name} | {row.seconds * 1e3:.3g} ms | {speed:.3g} | {moved} | {row.error:.1e} |"
        )
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 where the device is not there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--points", type=int, default=20_000_000)
    parser.add_argument("--rounds", type=int, default=10)
    options = parser.parse_args(arguments)
    try:
        require(options.device)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"k-means of {options.points} points in {DIMENSIONS} dimensions, {CENTRES} centres\n")
    print(table(measure(options.device, options.points, options.rounds)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
