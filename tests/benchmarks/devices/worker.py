"""Measures one tool in a process of its own: figures go to standard output, one a line."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from tests.benchmarks.devices import ours
from tests.benchmarks.devices.figures import Figure, sample
from tests.benchmarks.devices.programs import PROGRAMS, Arrays, Program
from tests.benchmarks.devices.rivals import RIVALS, numpy_figure

DTYPES = {"kmeans": ("float64", "float32")}
"""Other programs are measured in double precision only."""


def measured(
    tool: str, device: str, programs: Sequence[Program], known: Path, *, quick: bool
) -> Iterator[Figure]:
    """Measure some programs with one tool; one that fails has a note in place of a time.

    Parameters
    ----------
    tool, device : str
        What measures, and where.
    programs : sequence of Program
        What is measured.
    known : Path
        A folder in which NumPy leaves what others are compared with.
    quick : bool
        Whether small arrays are enough.
    """
    for program in programs:
        arrays = program.arrays(quick=quick)
        for dtype in DTYPES.get(program.name, ("float64",)):
            try:
                yield from _figures(tool, program, arrays, dtype, device, known)
            except Exception as error:  # that of another library is a result, too
                note = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
                yield Figure(program.name, tool, dtype, "", float("nan"), note=note[:200])


def _figures(
    tool: str, program: Program, arrays: Arrays, dtype: str, device: str, known: Path
) -> Iterator[Figure]:
    file = known / f"{program.name}.json"
    if tool == "NumPy":
        figure, result = numpy_figure(program, arrays, dtype)
        if dtype == "float64":
            file.write_text(json.dumps(sample(result)))
        yield figure
        return
    expected = json.loads(file.read_text())
    if tool == ours.NAME:
        yield from ours.figures(program, arrays, dtype, device, expected)
    else:
        yield from RIVALS[tool]().figures(program, arrays, dtype, expected)


def main(arguments: Sequence[str]) -> None:
    """Measure what is asked for: ``TOOL DEVICE FOLDER quick|whole [PROGRAM ...]``."""
    tool, device, known, extent, *names = arguments
    chosen = [program for program in PROGRAMS if not names or program.name in names]
    for figure in measured(tool, device, chosen, Path(known), quick=extent == "quick"):
        print(json.dumps(asdict(figure)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
