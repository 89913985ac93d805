"""Stands in for what builds, so that tests of the worker need no compiler.

The worker imports it by its name; what it does is written in the graph.
"""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from jupyter_npcompile.graph.nodes import Graph, Node, Position
from jupyter_npcompile.runtime.compile_errors import UnbuildableError
from jupyter_npcompile.tracer.lowering.errors import LoweringError

NAMES = "fake_build:build", "fake_build:support"

PHASES = ("lower", "generate", "C++")


def job(op: str = "fake.nothing", *args: Any) -> Graph:
    """A graph that says what building it does."""
    node = Node(0, op, args, position=Position(0, 0))
    return Graph("numpy", (), (node,))


def support(path: Path) -> None:
    """What all compiled code needs."""
    path.write_bytes(b"support")


def build(
    graph: Graph, folder: Path, headers: Path, progress: Callable[[str], None]
) -> Mapping[str, Any]:
    """Do what the graph says."""
    for phase in PHASES:
        progress(phase)
        (folder / "part").write_text(phase)
        for node in graph.nodes:
            _do(node, phase)
    (folder / "part").unlink()
    (folder / "kernels.so").write_bytes(repr(graph.nodes).encode())
    return {"pid": os.getpid(), "modules": "torch" in sys.modules}


def _do(node: Node, phase: str) -> None:
    if node.args and node.args[0] != phase:
        return
    match node.op:
        case "fake.wait":
            time.sleep(60)
        case "fake.program":  # like g++: in a process of its own
            subprocess.run(["sleep", "60"], check=True)
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
            raise OSError(errno.ENOSPC, "No space left on device")
        case "fake.print":
            print("noise")
            subprocess.run(["echo", "more noise"], check=True)
