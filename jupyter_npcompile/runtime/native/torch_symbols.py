"""Torch's C++ library: it holds the vector functions that kernels call."""

from __future__ import annotations

import atexit
import ctypes
import importlib.util
import os
import sys
import threading
from pathlib import Path

from jupyter_npcompile.forks import after_fork

_lock = threading.Lock()
_loaded: list[object] = []
_is_over = False


def _exit() -> None:
    """The process ends: not while a thread loads the library, which would crash both."""
    global _is_over
    _is_over = True
    with _lock:
        pass


def _forked() -> None:
    """A thread that another process has may have held the lock."""
    global _lock
    _lock = threading.Lock()


atexit.register(_exit)
after_fork(_forked)


def are_there() -> bool:
    """Whether the library is in this process."""
    return bool(_loaded) or "torch" in sys.modules


def are_being_loaded() -> bool:
    """Whether a thread loads the library now: who loads another one waits for that."""
    return _lock.locked()


def have_threads_wait_idly() -> None:
    """Say how threads of kernels wait for each other, which OpenMP reads when it is loaded.

    Those that spin lose milliseconds on a machine that does anything else.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def load() -> None:
    """Load the library, which takes 0.2 s or more. Other threads go on meanwhile.

    Python loads libraries while it holds up all its threads, so the C library is asked first.

    Raises
    ------
    OSError
        When it cannot be loaded.
    """
    with _lock:
        if are_there():
            return
        if _is_over:
            raise OSError("torch's library is not loaded any more: the process ends")
        spec = importlib.util.find_spec("torch")
        assert spec is not None
        assert spec.origin is not None
        path = Path(spec.origin).parent / "lib" / "libtorch_cpu.so"
        if os.name == "posix":
            open_library = ctypes.CDLL(None).dlopen
            open_library.argtypes, open_library.restype = (ctypes.c_char_p, ctypes.c_int), None
            open_library(os.fsencode(path), os.RTLD_NOW | os.RTLD_GLOBAL)
        _loaded.append(ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL))
