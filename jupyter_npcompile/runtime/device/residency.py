"""Residency: copies on a device of arrays that nobody has written into since.

What has not changed need not be copied again. Nobody looks at values to find out:
all that can have written is known. A frame has copies of its own, and lets go of
them before Python runs anything that might write (`watch`). Where other threads
of the user's run, nothing is kept.
"""

from __future__ import annotations

import sys
import threading
import weakref
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.runtime.device.late import Content, LateResults
from jupyter_npcompile.runtime.device.layouts import Key, key_of, owns, same_strides
from jupyter_npcompile.tracer.memory import Array, owner

if TYPE_CHECKING:
    import torch

    from jupyter_npcompile.runtime.device.device import Device

_OURS = (
    "ipykernel.",
    "IPython.",
    "jupyter_npcompile.",
    "torch._inductor.",
    "tqdm._monitor",
    "zmq.utils.garbage",
)
"""Modules whose threads write into no array of the user's.

That of pyzmq runs from the first large message on, such as a figure; it forgets what was sent.
Those of Inductor wait for processes that compile; that of tqdm, which Inductor starts as well,
draws progress bars anew.
"""


_SILENT: frozenset[int] = frozenset()
"""Other threads that do not: those of a test runner."""


_known: weakref.WeakSet[threading.Thread] = weakref.WeakSet()
"""Threads that were looked at: they run no code of the user's, and never will."""


_subshells_rest: list[Callable[[], bool]] = []
"""Who knows whether subshells of the kernel run no code of the user's."""


@dataclass
class _Copy:
    owner: weakref.ref[Array]
    tensor: torch.Tensor
    nbytes: int


class Residency:
    """Copies of arrays on one device.

    Parameters
    ----------
    device : Device
        Where the copies are.

    Attributes
    ----------
    late : LateResults
        Results that are there, and not in host memory yet.
    puts_off : bool
        Whether results may be late now.
    place : str
        Where the program is, for the report.
    stranger : str
        The thread because of which nothing was kept last, for the report.
    """

    def __init__(self, device: Device) -> None:
        self.stranger = ""
        self.device = device
        self.late = LateResults(device)
        self.puts_off = False
        self.place = ""
        self._copies: dict[Key, _Copy] = {}
        device.residencies.add(self)

    @property
    def nbytes(self) -> int:
        """Bytes that the copies hold."""
        return sum(copy.nbytes for copy in list(self._copies.values()))

    def find(self, array: Any, dtype: torch.dtype) -> torch.Tensor | None:
        """The copy of an array with a dtype, if there is one that is as good as the array."""
        if not self._copies or type(array) is not np.ndarray:
            return None
        copy = self._copies.get(key_of(array))
        if copy is None or copy.owner() is not owner(array) or copy.tensor.dtype != dtype:
            return None
        if not self._is_alone():
            self.drop()
            return None
        return copy.tensor

    def keep(self, array: Any, tensor: torch.Tensor) -> None:
        """Keep the copy of an array.

        Parameters
        ----------
        array : numpy.ndarray
            It, or what it is a view of, must have memory of NumPy's own: who
            else can write into foreign memory is not known.
        tensor : torch.Tensor
            The copy, which nobody writes into.
        """
        if type(array) is not np.ndarray or not owns(owner(array)) or not self._is_alone():
            return
        key = key_of(array)
        table = self._copies

        def gone(reference: weakref.ref[Array]) -> None:
            copy = table.get(key)
            if copy is not None and copy.owner is reference:
                del table[key]

        nbytes = tensor.untyped_storage().nbytes()
        table[key] = _Copy(weakref.ref(owner(array), gone), tensor, nbytes)

    def _is_alone(self) -> bool:
        self.stranger = stranger()
        return not self.stranger

    def written(self, array: Array) -> None:
        """Something is about to be written into an array: let go of what overlaps it.

        What is late of that is brought up to date before, or is written anew.
        """
        base = owner(array)
        if not owns(base):
            self.drop()
            return
        for key, copy in list(self._copies.items()):
            if copy.owner() is base:
                self._copies.pop(key, None)

    def move(self, source: Array, target: Array) -> None:
        """What was kept for an array is now the content of another."""
        copy = self._copies.pop(key_of(source), None)
        self.written(target)
        if copy is not None and copy.owner() is owner(source):
            tensor = copy.tensor
            if same_strides(tensor, target):
                self.keep(target, tensor)

    def fill_late(self, target: Array, content: Content) -> None:
        """An array has got new content, which stays on the device until somebody may look."""
        self.late.put(target, content, written=True)
        if same_strides(content.tensor, target):
            self.keep(target, content.tensor)

    @property
    def is_used(self) -> bool:
        """Whether anything is there that somebody may spoil, or look at."""
        return bool(self._copies) or bool(self.late)

    def settle(self) -> None:
        """Bring host memory up to date."""
        self.late.settle(self.place)

    def drop(self) -> None:
        """Bring host memory up to date, and let go of every copy."""
        try:
            self.settle()
        finally:
            self._copies.clear()


def is_alone() -> bool:
    """Whether no code of the user's can run while this thread does.

    Examples
    --------
    >>> stop = threading.Event()
    >>> thread = threading.Thread(target=stop.wait)
    >>> thread.start()
    >>> is_alone()
    False
    >>> stop.set()
    >>> thread.join()
    """
    return not stranger()


def stranger() -> str:
    """A thread in which code of the user's may run while this one does; empty without one."""
    here, threads = threading.current_thread(), threading.enumerate()
    if here is not threading.main_thread():
        return "the main thread"
    named = {thread.ident for thread in threads}
    # Threads may be started without `threading`, and be about to end without their name.
    frames = sys._current_frames()
    strangers = [_thread_of(frames[ident]) for ident in frames.keys() - named - _SILENT]
    del frames  # one of them is this one, which would keep itself and its callers alive
    for thread in threads:
        if (
            thread is not here
            and thread not in _known
            and thread.ident not in _SILENT
            and not _is_ours(thread)
        ):
            return f"thread {thread.name!r} of {_module_of(thread)}"
    for unnamed in strangers:
        if unnamed is None or not _is_ours(unnamed):
            return "a thread that was started without `threading`"
    return ""


def _thread_of(frame: FrameType) -> threading.Thread | None:
    """The thread that runs a frame, as far as its first frame tells."""
    while frame.f_back is not None:
        frame = frame.f_back
    found = frame.f_locals.get("self")
    return found if isinstance(found, threading.Thread) else None


def trust_subshells(rest: Callable[[], bool]) -> None:
    """Ask a function whether subshells rest; without one they are taken to run cells.

    JupyterLab starts one for the messages of widgets, which may be none.
    """
    _subshells_rest[:] = [rest]


def distrust_subshells() -> None:
    """Ask nobody any more."""
    _subshells_rest.clear()


def _is_ours(thread: threading.Thread) -> bool:
    if "subshell" in type(thread).__module__:
        return bool(_subshells_rest) and all(rest() for rest in _subshells_rest)
    ours = _module_of(thread).startswith(_OURS)
    if ours:
        _known.add(thread)
    return ours


def _module_of(thread: threading.Thread) -> str:
    """The module of the code that a thread runs, as far as it can be told."""
    if type(thread) is not threading.Thread:
        return type(thread).__module__
    target = getattr(thread, "_target", None)
    return getattr(target, "__module__", None) or "threading"
