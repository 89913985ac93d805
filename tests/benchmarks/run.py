"""Measures the programs compiled against NumPy, in interleaved pairs, and writes the figures.

Usage: ``python tests/benchmarks/run.py [PAIRS]``. Every program is first
compiled with a forced tier and compared with NumPy; a wrong one is marked and
not averaged. Figures go to ``build/bench/results.json`` and ``.md``.
"""

from __future__ import annotations

import json
import math
import os
import platform
import statistics
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402

import jupyter_npcompile as npc  # noqa: E402
from tests.benchmarks.programs import PROGRAMS, Program  # noqa: E402


def measure(program: Program, pairs: int) -> dict[str, Any]:
    """Time one program: first result, and the median of interleaved pairs.

    Times are in microseconds; ``speed`` is NumPy's time over ours.
    """
    args = program.inputs(program.size)
    compiled = npc.compile(program.run)
    began = perf_counter()
    result = compiled(*args)
    first = perf_counter() - began
    expected = program.run(*args)
    right = np.allclose(result, expected, rtol=1e-9, atol=1e-12)
    compiled(*args)
    ratios, ours, theirs = [], [], []
    loops = max(1, int(2e-3 / max(_time(program.run, args, 1), 1e-7)))
    for _ in range(pairs):
        theirs.append(_time(program.run, args, loops))
        ours.append(_time(compiled, args, loops))
        ratios.append(theirs[-1] / ours[-1])
    return {
        "name": program.name,
        "right": bool(right),
        "first_result_us": first * 1e6,
        "numpy_us": statistics.median(theirs) * 1e6,
        "compiled_us": statistics.median(ours) * 1e6,
        "speed": statistics.median(ratios),
    }


def _time(run: Any, args: tuple[Any, ...], loops: int) -> float:
    began = perf_counter()
    for _ in range(loops):
        run(*args)
    return (perf_counter() - began) / loops


def table(rows: list[dict[str, Any]], machine: str) -> str:
    """The figures as a Markdown table."""
    lines = [
        machine,
        "",
        "| program | NumPy, µs | compiled, µs | NumPy / compiled | first result, s |",
        "|---|---|---|---|---|",
    ]
    for row in rows:
        speed = f"{row['speed']:.2f}" if row["right"] else "WRONG"
        lines.append(
            f"| {row['name']} | {row['numpy_us']:.0f} | {row['compiled_us']:.0f} | {speed} "
            f"| {row['first_result_us'] / 1e6:.2f} |"
        )
    good = [row["speed"] for row in rows if row["right"]]
    mean = math.exp(statistics.fmean(math.log(speed) for speed in good)) if good else math.nan
    lines += ["", f"Geometric mean over {len(good)} programs: {mean:.2f}"]
    return "\n".join(lines) + "\n"


def main(pairs: int) -> int:
    """Measure everything; 1 when a program is wrong."""
    import torch

    npc.settings.tier = "inductor"
    npc.settings.first_run_check = "raise"
    machine = (
        f"{platform.machine()}, {os.cpu_count()} CPUs, Python {platform.python_version()}, "
        f"NumPy {np.__version__}, torch {torch.__version__}, {torch.get_num_threads()} threads, "
        f"median of {pairs} interleaved pairs"
    )
    rows = []
    for number, program in enumerate(PROGRAMS, 1):
        print(f"[{number}/{len(PROGRAMS)}] {program.name}", flush=True)
        rows.append(measure(program, pairs))
    folder = ROOT / "build" / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.json").write_text(json.dumps({"machine": machine, "rows": rows}, indent=1))
    text = table(rows, machine)
    (folder / "results.md").write_text(text)
    print(text)
    return 0 if all(row["right"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 15))
