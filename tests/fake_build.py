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
from jupyter_npcompile.tracer.lowering.errors import LoweringError

NAME = "fake_build:build"

PHASES = ("lower", "generate", "C++")


class Unbuildable(Exception):  # noqa: N818
    """A graph that is never built."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def job(op: str = "fake.nothing", *args: Any) -> Graph:
    """A graph that says what building it does."""
    node = Node(0, op, args, position=Position(0, 0))
    return Graph("numpy", (), (node,))


def build(graph: Graph, folder: Path, progress: Callable[[str], None]) -> Mapping[str, Any]:
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
            raise Unbuildable("it has no form that runs")
        case "fake.error":
            raise RuntimeError("nobody knows")
        case "fake.full":
            raise OSError(errno.ENOSPC, "No space left on device")
        case "fake.print":
            print("noise")
            subprocess.run(["echo", "more noise"], check=True)
