"""Programs in NumPy and on a device, with what is copied: ``make bench-cuda``.

Each tool has a process of its own. ``python -m tests.benchmarks.devices --device standin
--quick`` shows that it works on a machine without a GPU; those times say nothing.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from jupyter_npcompile.runtime.devices import require
from tests.benchmarks.devices import ours
from tests.benchmarks.devices.figures import Figure
from tests.benchmarks.devices.programs import PROGRAMS
from tests.benchmarks.devices.rivals import RIVALS
from tests.benchmarks.devices.table import table


def figures(tool: str, arguments: Sequence[str]) -> Iterator[Figure]:
    """What a process of its own measures with a tool."""
    command = [sys.executable, "-m", "tests.benchmarks.devices.worker", tool, *arguments]
    # JAX takes three quarters of a GPU's memory at its start, otherwise.
    environment = {**os.environ, "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("{"):
                yield Figure(**json.loads(line))
    if process.returncode:
        print(f"{tool} ended with {process.returncode}", file=sys.stderr)


def where(device: str) -> str:
    """The machine, in words."""
    import numpy as np
    import torch

    name = torch.cuda.get_device_name(device) if device.startswith("cuda") else device
    versions = f"torch {torch.__version__}, NumPy {np.__version__}"
    return f"{name}, {os.cpu_count()} cores, Python {sys.version.split()[0]}, {versions}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 where the device is not there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--quick", action="store_true", help="small arrays")
    parser.add_argument("--only", default="", help="programs, with commas between them")
    parser.add_argument("--tools", default="", help="tools besides NumPy, with commas")
    parser.add_argument("--log", type=Path, help="a file for the figures, one a line")
    options = parser.parse_args(arguments)
    try:
        require(options.device)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    rivals = [
        name
        for name, rival in RIVALS.items()
        if options.device.startswith("cuda") and importlib.util.find_spec(rival.module)
    ]
    chosen = options.tools.split(",") if options.tools else [ours.NAME, *rivals]
    names = options.only.split(",") if options.only else [program.name for program in PROGRAMS]
    found: list[Figure] = []
    with tempfile.TemporaryDirectory() as known:
        what = [options.device, known, "quick" if options.quick else "whole", *names]
        for tool in ("NumPy", *chosen):
            for figure in figures(tool, what):
                found.append(figure)
                print(figure, file=sys.stderr)
                if options.log:
                    with options.log.open("a") as log:
                        log.write(json.dumps(vars(figure)) + "\n")
    print(f"{where(options.device)}\n\n{table(found)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
