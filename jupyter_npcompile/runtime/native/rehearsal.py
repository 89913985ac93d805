"""A rehearsal: code for large arrays runs in the process that compiles, where nobody waits.

Else it would run in the user's process before anybody knows how long it takes, and now and then
a loop that the compiler could not vectorise takes a hundred times as long as NumPy.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import os
import select
import signal
import struct
import threading
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import numpy as np

from jupyter_npcompile.graph.nodes import ValueType
from jupyter_npcompile.runtime.footprint import size_of
from jupyter_npcompile.runtime.lifeline import die_with_parent
from jupyter_npcompile.runtime.native import torch_symbols
from jupyter_npcompile.runtime.native.manifest import PieceManifest, nbytes
from jupyter_npcompile.tracer.memory import Array

LEAST = 2**21
"""Elements; with fewer, code that is slow costs the user's process some milliseconds, once."""

MOST = 2**28
"""Bytes; what would take more is not rehearsed."""

LONGEST = 2.0
"""Seconds of one thread, after which it all ends: it took so long at least."""

PATIENCE = 5.0
"""Seconds after which nobody waits for the end."""

BRIEF = 0.1
"""Seconds; what takes less runs once more, on memory that is warm."""


def rehearse(pieces: Sequence[PieceManifest], library: Path, constants: Path) -> float:
    """Run pieces on zeros, in a process of their own.

    Parameters
    ----------
    pieces : sequence of PieceManifest
        What a library computes.
    library : Path
        Where it is.
    constants : Path
        The file with the arrays that pieces take.

    Returns
    -------
    float
        Seconds of one thread; 0 where there is nothing large, or it cannot be told.
    """
    large = [one for one in pieces if one.entry and not one.layout and one.elements >= LEAST]
    if not large or sum(map(_memory, large)) > MOST:
        return 0.0
    reading, writing = os.pipe()
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        _child(large, library, constants, writing, parent)
    os.close(writing)
    try:
        ready, _, _ = select.select([reading], [], [], PATIENCE)
        answer = os.read(reading, 8) if ready else b""
    finally:
        os.close(reading)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return float(*struct.unpack("d", answer)) if answer else 0.0


def _memory(piece: PieceManifest) -> int:
    taken = (*piece.inputs, *piece.outputs, *piece.writes, *piece.masks)
    return piece.scratch + size_of(kind for _, kind in taken)


def _child(
    pieces: Sequence[PieceManifest], library: Path, constants: Path, channel: int, parent: int
) -> NoReturn:
    """Run them, say how long it took, and end, whatever happens."""
    try:
        die_with_parent(signal.SIGKILL, parent)
        _give_way_to_others()
        torch_symbols.load()
        code, memory = ctypes.CDLL(str(library)), np.fromfile(constants, np.uint8)
        if hasattr(time, "pthread_getcpuclockid"):
            clock = time.pthread_getcpuclockid(threading.get_ident())
            threading.Thread(target=_watch, args=(clock, channel), daemon=True).start()
        seconds = sum(_seconds(piece, code, memory) for piece in pieces)
        os.write(channel, struct.pack("d", seconds))
    except Exception:
        traceback.print_exc()  # into the log of the compile
    finally:
        os._exit(0)


def _give_way_to_others() -> None:
    """Where memory runs out, the system shall end this process and no other."""
    with contextlib.suppress(OSError):  # only Linux has that
        Path("/proc/self/oom_score_adj").write_text("1000")


def _watch(clock: int, channel: int) -> None:
    began = time.clock_gettime(clock)
    while time.clock_gettime(clock) - began < LONGEST:
        time.sleep(0.02)
    os.write(channel, struct.pack("d", LONGEST))
    os._exit(0)


def _seconds(piece: PieceManifest, code: ctypes.CDLL, memory: Array) -> float:
    inputs = [_zeros(kind) for _, kind in piece.inputs]
    aligned = [memory[at : at + nbytes(kind)].copy() for kind, at in piece.constants]
    made = (*piece.outputs, *piece.writes, *piece.masks)
    best = math.inf
    for _ in range(2):
        outputs = [np.empty(max(nbytes(kind), 1), np.uint8) for _, kind in made]
        outputs += [np.zeros(1, np.uint8) for _ in range(piece.checks)]
        scratch = np.empty(piece.scratch, np.uint8)
        began = time.thread_time()
        getattr(code, piece.entry)(
            _pointers([*(address for _, address in inputs), *map(_address, aligned)]),
            _pointers([*map(_address, outputs)]),
            ctypes.c_void_p(_address(scratch)),
            None,
        )
        best = min(best, time.thread_time() - began)
        if best > BRIEF:
            break
    return best


def _zeros(kind: ValueType) -> tuple[Array, int]:
    """Memory for an array with these strides, and where its first element is."""
    steps = [(n - 1) * stride for n, stride in zip(kind.shape, kind.strides, strict=True) if n]
    before = -sum(step for step in steps if step < 0)
    after = sum(step for step in steps if step > 0) + np.dtype(kind.dtype).itemsize
    memory = np.zeros(before + after, np.uint8)
    return memory, _address(memory) + before


def _address(array: Array) -> int:
    return int(array.ctypes.data)


def _pointers(addresses: Sequence[int]) -> ctypes.Array[ctypes.c_void_p]:
    return (ctypes.c_void_p * len(addresses))(*addresses)
