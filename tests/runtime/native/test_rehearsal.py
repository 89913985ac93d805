"""Code for large arrays is timed where nobody waits for it, and may do there whatever it likes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.graph.nodes import ValueType
from jupyter_npcompile.runtime import segment_run
from jupyter_npcompile.runtime.native import rehearsal
from jupyter_npcompile.runtime.native.manifest import PieceManifest
from jupyter_npcompile.runtime.native.program import Program
from jupyter_npcompile.runtime.native.rehearsal import LEAST, MOST, rehearse

# Threads of other tests take no part in what the child does.
pytestmark = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")

N = LEAST

SOURCE = f"""
#include <stdint.h>
#include <signal.h>
#include <stdlib.h>

#define PIECE(name) int name(char** inputs, char** outputs, char* scratch, const int64_t* sizes)

PIECE(adds) {{
    double *x = (double*)inputs[0], *y = (double*)inputs[1], *out = (double*)outputs[0];
    for (long k = 0; k < {N}; k++) out[k] = x[k] + y[k % 3];
    return 0;
}}
PIECE(backwards) {{
    double *x = (double*)inputs[0], *out = (double*)outputs[0];
    for (long k = 0; k < {N}; k++) out[k] = x[-2 * k];
    return 0;
}}
PIECE(uses_scratch) {{
    for (long k = 0; k < 1000; k++) scratch[k] = 1;
    outputs[1][0] = 1;
    return 1;
}}
PIECE(never_ends) {{ for (volatile long k = 0;; k++) {{}} }}
PIECE(sleeps) {{ extern unsigned sleep(unsigned); for (;;) sleep(100); return 0; }}
PIECE(crashes) {{ raise(SIGKILL); return 0; }}
PIECE(leaves) {{ exit(3); }}
"""


def array(*shape: int, dtype: str = "float64", strides: tuple[int, ...] = ()) -> ValueType:
    return ValueType("array", dtype, shape, strides or np.empty(shape, dtype).strides)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library")
    (folder / "pieces.c").write_text(SOURCE)
    command = ["gcc", "-O1", "-shared", "-fPIC", "-w", "pieces.c", "-o", "pieces.so"]
    subprocess.run(command, cwd=folder, check=True)
    np.arange(3.0).tofile(folder / "constants")
    return folder / "pieces.so"


def seconds(library: Path, *pieces: PieceManifest) -> float:
    return rehearse(pieces, library, library.with_name("constants"))


def piece(entry: str, **given: Any) -> PieceManifest:
    shown = {"inputs": (), "constants": (), "outputs": ((9, array(N)),), "writes": (), "masks": ()}
    return PieceManifest(entry, **{**shown, "checks": 0, "scratch": 0, **given})


def test_it_takes_some_time(library: Path) -> None:
    given: dict[str, Any] = {"inputs": ((0, array(N)),), "constants": ((array(3), 0),)}
    adds = piece("adds", **given)
    assert 0 < seconds(library, adds) < rehearsal.LONGEST
    assert seconds(library, adds, piece("uses_scratch", checks=1, scratch=1000)) > 0


def test_arrays_lie_as_they_lay(library: Path) -> None:
    strided = piece("backwards", inputs=((0, array(N, strides=(-16,))),))
    assert seconds(library, strided) > 0
    empty = piece("uses_scratch", inputs=((0, array(3, 0)),), checks=1, scratch=1000)
    assert seconds(library, empty) > 0


@pytest.mark.parametrize(
    "one",
    [
        piece("adds", outputs=((9, array(N - 1)),)),
        piece(""),
        piece("adds", layout="its_layout"),
        piece("adds", scratch=MOST),
    ],
    ids=["small", "nothing to run", "many sizes", "too much memory"],
)
def test_what_is_not_rehearsed(one: PieceManifest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fork", None)
    assert seconds(Path("/nowhere/pieces.so"), one) == 0


@pytest.mark.parametrize("entry", ["crashes", "leaves", "is_not_there"])
def test_what_cannot_be_told(entry: str, library: Path) -> None:
    assert seconds(library, piece(entry)) == 0
    assert seconds(library.with_name("no.so"), piece(entry)) == 0


def test_it_ends(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rehearsal, "LONGEST", 0.2)
    assert seconds(library, piece("never_ends")) == 0.2
    monkeypatch.setattr(rehearsal, "PATIENCE", 0.3)
    assert seconds(library, piece("sleeps")) == 0  # it does nothing, for ever


@pytest.mark.slow
def test_what_is_far_slower_never_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Inductor writes these bytes one by one; here all that was rehearsed counts as slow."""
    monkeypatch.setattr(segment_run, "is_hopeless", lambda numpy_seconds, rehearsed: rehearsed > 0)
    ran: list[Program] = []
    run = Program.run

    def seen(self: Program, values: Any) -> Any:
        ran.append(self)
        return run(self, values)

    monkeypatch.setattr(Program, "run", seen)

    def candidates() -> Any:
        found = np.ones(20_000_000, dtype=bool)
        found[:2] = False
        return found

    compiled = npc.compile(candidates)
    for _ in range(3):
        assert np.count_nonzero(compiled()) == 19_999_998
        assert npc.wait()
    assert "NumPy is faster here" in str(npc.explain(compiled))
    assert not ran
