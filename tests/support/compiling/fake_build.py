"""Stands in for what builds, so that tests of the worker need no compiler.

The worker imports it by its name; what it does is written in the graph.
"""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from jupyter_npcompile.graph import to_json
from jupyter_npcompile.graph.nodes import Graph, Node, Position
from jupyter_npcompile.runtime import worker_process
from jupyter_npcompile.runtime.compile_errors import UnbuildableError
from jupyter_npcompile.runtime.native.gxx import CompilerMissingError
from jupyter_npcompile.tracer.lowering.errors import LoweringError

NAME = "tests.support.compiling.fake_build"

RESTED = "rested"
"""A file that says that the worker had nothing to do for a while."""

FOUND = "found"

SPECIAL = {
    1234.25: "fake.wait",
    1234.5: "fake.program",
    1234.75: "fake.slow",
    1235.25: "fake.crash",
    1235.5: "fake.lowering",
    1235.75: "fake.unbuildable",
    1236.25: "fake.error",
    1236.5: "fake.full",
    1236.75: "fake.compiler",
}
"""Numbers in a cell that have the same effect as an operation of that name."""

PHASES = ("lower", "generate", "C++")


def job(op: str = "fake.nothing", *args: Any) -> Graph:
    """A graph that says what building it does."""
    node = Node(0, op, args, position=Position(0, 0))
    return Graph("numpy", (), (node,))


def support(path: Path) -> None:
    """What all compiled code needs."""
    path.write_bytes(b"support")


def probe() -> None:
    """Nothing to find out; a test may have the worker be impatient, or never get ready."""
    if os.environ.get("FAKE_PROBE") == "hang":
        signal.pause()
    worker_process.IDLE = float(os.environ.get("FAKE_IDLE", worker_process.IDLE))
    worker_process.CALM = float(os.environ.get("FAKE_CALM", worker_process.CALM))


def rest(headers: Path) -> None:
    """Leave something, and then do what a test says."""
    with (headers / RESTED).open("a") as file:
        file.write("once\n")
    if os.environ.get("FAKE_REST") == "hang":
        subprocess.run(["sleep", "infinity"], check=True)
    if os.environ.get("FAKE_REST") == "raise":
        raise RuntimeError("nobody is told")


def example() -> Graph:
    """Something to build."""
    return job()


def build(
    subject: Any, folder: Path, headers: Path, progress: Callable[[str], None]
) -> Mapping[str, Any]:
    """Do what a graph says; loops are not compiled."""
    if not isinstance(subject, Graph):
        raise UnbuildableError("no loops here")
    for phase in PHASES:
        progress(phase)
        (folder / "part").write_text(phase)
        for node in subject.nodes:
            _do(node, phase, folder)
    (folder / "part").unlink()
    (folder / "kernels.so").write_bytes(repr(subject.nodes).encode())
    return {
        "pid": os.getpid(),
        "aten": to_json(Graph("aten")),
        "kernels": to_json(Graph("kernels")),
    }


def _do(node: Node, phase: str, folder: Path) -> None:
    numbers = {
        SPECIAL[part]: "C++" for part in node.args if type(part) is float and part in SPECIAL
    }
    op, when = next(iter(numbers.items()), (node.op, node.args[0] if node.args else phase))
    if when != phase:
        return
    match op:
        case "fake.wait":  # until it is ended
            signal.pause()
        case "fake.slow":  # so that a bar is shown
            time.sleep(1.5)
        case "fake.program":  # like g++: in a process of its own
            subprocess.run(["sleep", "infinity"], check=True)
        case "fake.crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "fake.exit":
            os._exit(3)
        case "fake.lowering":
            raise LoweringError(node.position, "numpy.fake", "there is no such thing")
        case "fake.unbuildable":
            raise UnbuildableError("it has no form that runs")
        case "fake.error":
            raise RuntimeError("nobody knows")
        case "fake.full":
            if "npcompile-" not in str(folder):  # there is room for temporary files
                raise OSError(errno.ENOSPC, "No space left on device")
        case "fake.compiler":
            raise CompilerMissingError("g++: No such file or directory")
        case "fake.print":
            print("noise")
            subprocess.run(["echo", "more noise"], check=True)
