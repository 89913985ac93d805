"""What a compile worker of tests builds with: the product's own, and many segments at once.

Imports torch: it is imported in the worker alone. See `segment_batches`.
"""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from jupyter_npcompile.graph import from_json
from jupyter_npcompile.runtime import building
from jupyter_npcompile.runtime.building import FOUND, example, probe, rest, support
from jupyter_npcompile.runtime.native import build as native
from jupyter_npcompile.runtime.native import rehearsal, toolchain
from jupyter_npcompile.runtime.native.gxx import LIBRARY
from tests.support.compiling.segment_batches import MARK
from tests.support.session.processes import PATIENCE

rehearsal.PATIENCE = PATIENCE  # however busy the machine is

__all__ = ["FOUND", "build", "example", "probe", "rest", "support"]

SECONDS = 20
"""What takes longer to generate is left to the test that needs it."""

_NAME = re.compile(r"\bnpcompile_(?=piece_|\d)")
"""What each segment calls alike."""


def build(subject: Any, folder: Path, headers: Path, progress: Callable[[str], None]) -> Any:
    """Build a segment as the product does, or many of them as one library.

    The manifest of many has theirs as ``parts``: None where one cannot be built.
    """
    if not isinstance(subject, str) or not subject.startswith(MARK):
        return building.build(subject, folder, headers, progress)
    parts, sources = [], []
    for number, graph in enumerate(json.loads(subject.removeprefix(MARK))):
        within = folder / str(number)
        within.mkdir()
        manifest, source = _generated(graph, within, number, progress)
        parts.append(manifest)
        sources.append(source)
        (folder / f"{number}-{native.SOURCE}").write_text(source)
        if manifest is not None:
            constants = within / native.CONSTANTS
            constants.rename(folder / f"{number}-{native.CONSTANTS}")
        shutil.rmtree(within)
    path = folder / native.SOURCE
    path.write_text("".join(sources))
    toolchain.compile_library(path, folder / LIBRARY, headers)
    return {"parts": parts}


def _generated(
    graph: Any, folder: Path, number: int, progress: Callable[[str], None]
) -> tuple[Any, str]:
    """The manifest and the C++ of a segment, with names that no other one has."""
    sources: list[str] = []

    def keep(source: Path, target: Path, headers: Path) -> None:
        sources.append(source.read_text())

    with mock.patch.object(toolchain, "compile_library", keep):
        try:
            with _limited():
                manifest = native.build(from_json(graph), folder, folder, progress)
        except Exception:  # it says so when somebody asks for it alone
            return None, ""
    for step in manifest["steps"]:
        if not isinstance(step, int):
            step["entry"] = _NAME.sub(f"npcompile_{number}_", step["entry"])
    return manifest, _NAME.sub(f"npcompile_{number}_", "".join(sources))


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    """Raise TimeoutError when it takes too long."""

    def end(number: int, frame: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
