"""A step compiled for a device: as a function, and as a cell whose data stays there."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from IPython.core.interactiveshell import InteractiveShell

import jupyter_npcompile as npc
from jupyter_npcompile.graph.report import ReportData
from jupyter_npcompile.runtime.device.accounts import traffic_of
from jupyter_npcompile.runtime.functions import handle_of
from jupyter_npcompile.runtime.subjects import states_of
from tests.benchmarks.devices.figures import CALLS, Figure, best, difference
from tests.benchmarks.devices.programs import Arrays, Program

NAME = "npcompile"
CELL = "for _ in range(rounds):\n    state = step(state, *constants)"


def figures(
    program: Program, arrays: Arrays, dtype: str, device: str, expected: list[float]
) -> Iterator[Figure]:
    """Measure both ways; NumPy runs no more than it must, which may take seconds a step."""
    npc.settings.tier, npc.settings.first_run_check = "inductor", "off"
    compiled = npc.compile(program.step, device=device, dtype=dtype, ahead=True)
    error = difference(compiled(*arrays), expected)
    before = _copied(compiled)
    seconds = best(lambda: compiled(*arrays))
    moved = (_copied(compiled) - before) // CALLS
    note = _tiers(npc.last_report())
    yield Figure(program.name, NAME, dtype, "copied", seconds, moved, error, note)

    shell = InteractiveShell()
    try:
        shell.run_cell("import numpy as np\n%load_ext jupyter_npcompile").raise_error()
        names = {"step": program.step, "state": arrays[0], "constants": arrays[1:], "rounds": 1}
        shell.user_ns.update(names)
        magic = f"%%npcompile --quiet --ahead --device {device} --dtype {dtype}\n"

        def run() -> None:
            shell.run_cell(magic + CELL).raise_error()

        run()  # NumPy's, recorded and compared
        error = difference(shell.user_ns["state"], expected)
        shell.user_ns["rounds"] = program.rounds
        run()
        before = _bytes(npc.last_report())
        seconds = best(run) / program.rounds
        moved = (_bytes(npc.last_report()) - before) // (CALLS * program.rounds)
        note = _tiers(npc.last_report())
        yield Figure(program.name, NAME, dtype, "stays", seconds, moved, error, note)
        shell.run_cell("%unload_ext jupyter_npcompile").raise_error()
    finally:
        shell.history_manager.end_session()


def _copied(compiled: Any) -> int:
    """Bytes that a function has copied so far, whatever the layout of its arguments."""
    handle = handle_of(compiled)
    assert handle is not None
    plans = [plan for state in states_of(handle) for plan in state.every_plan()]
    found = {id(traffic): traffic for plan in plans if (traffic := traffic_of(plan)) is not None}
    return sum(traffic.to_device + traffic.to_host for traffic in found.values())


def _bytes(report: ReportData | None) -> int:
    """The same of the cell that a report is of."""
    assert report is not None
    every = [region.copies for region in report.regions if region.copies is not None]
    return sum(copies.to_device + copies.to_host for copies in every)


def _tiers(report: ReportData | None) -> str:
    assert report is not None
    told = [
        *(region.tier for region in report.regions),
        *(f"beside {r.copies.stranger}" for r in report.regions if r.copies and r.copies.stranger),
    ]
    return " + ".join(k for k, _ in itertools.groupby(told))
