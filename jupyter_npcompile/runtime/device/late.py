"""Late results: on the device already, in host memory not yet.

A name holds an ndarray whose memory is filled before anybody may look into it. What
dies before that, or is written anew, is never copied. Nothing here knows who may
look when: `watch` does, and calls `LateResults.settle`.
"""

from __future__ import annotations

import gc
import threading
import weakref
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.runtime.device.device import Device, DeviceError
from jupyter_npcompile.runtime.device.layouts import Key, key_of, owns
from jupyter_npcompile.tracer import interrupts
from jupyter_npcompile.tracer.memory import Array, overlaps_itself, owner

if TYPE_CHECKING:
    import torch

    from jupyter_npcompile.runtime.device.kernels import Kernels
    from jupyter_npcompile.runtime.device.traffic import Traffic

LONGEST = 1.0
"""Seconds for which results may be late: as long the garbage collector waits, too."""


class LostResultError(RuntimeError):
    """Results could not be copied back from their device, and so are lost.

    Parameters
    ----------
    device : str
        The name of the device.
    nbytes : int
        Bytes of the results.
    reason : str
        What the device said.
    """

    def __init__(self, device: str, nbytes: int, reason: str) -> None:
        super().__init__(
            f"{nbytes} bytes of results could not be copied back from {device}, and are lost: "
            f"{reason}. Arrays that hold them are filled with NaN, or 0. "
            "Run the cells again that compute them"
        )


@dataclass(frozen=True)
class Content:
    """What an array is to hold, on a device.

    Parameters
    ----------
    tensor : torch.Tensor
        The content.
    kernels : Kernels
        What has computed it, and can fetch it.
    traffic : Traffic
        Where copies are counted.
    node : int
        Which result it is.
    run : int
        Of which run.
    """

    tensor: torch.Tensor
    kernels: Kernels
    traffic: Traffic
    node: int
    run: int


@dataclass(frozen=True)
class _Late:
    owner: weakref.ref[Array]
    content: Content
    blends: bool


class LateResults:
    """Results on one device that host memory does not hold yet.

    Parameters
    ----------
    device : Device
        Where they are.
    """

    def __init__(self, device: Device) -> None:
        self.device = device
        self._results: dict[Key, _Late] = {}
        self._since = 0.0
        self._lock = threading.RLock()  # a subshell may settle what a cell is about to read
        self._collects = False

    def __len__(self) -> int:
        return len(self._results)

    @property
    def are_old(self) -> bool:
        """Whether there are any, and the first one has been late for long."""
        return bool(self._results) and perf_counter() - self._since > LONGEST

    @staticmethod
    def may_be(array: Array) -> bool:
        """Whether the content of an array may be late: nobody else has its memory."""
        return (
            type(array) is np.ndarray
            and array.size > 0
            and owns(owner(array))
            and all(stride >= 0 for stride in array.strides)
            and not overlaps_itself(array.shape, array.strides)
        )

    def put(self, array: Array, content: Content, *, written: bool) -> None:
        """An array has got new content, which host memory does not hold yet.

        Parameters
        ----------
        array : numpy.ndarray
            One that `may_be` late.
        content : Content
            All of it.
        written : bool
            Whether host memory holds what was there before.
        """
        key, table = key_of(array), self._results
        with self._lock:
            before = self._pop(key)
        if before is not None and before.owner() is owner(array):
            written = before.blends

        def gone(reference: weakref.ref[Array]) -> None:
            late = table.get(key)
            if late is not None and late.owner is reference:
                self._pop(key)

        if not table:
            self._since = perf_counter()
        if gc.isenabled():  # what it finds may have a `__del__` method, which looks
            gc.disable()
            self._collects = True
        table[key] = _Late(weakref.ref(owner(array), gone), content, written)
        content.traffic.note_late(content.node, content.tensor.nbytes)

    def concern(self, array: Any) -> bool:
        """Whether somebody who reads an array may read memory that a late result belongs to."""
        if not self._results:
            return False
        base = owner(array)
        return not owns(base) or any(late.owner() is base for late in [*self._results.values()])

    def settle(self, when: str) -> None:
        """Bring host memory up to date.

        Parameters
        ----------
        when : str
            For the report.

        Raises
        ------
        LostResultError
            When the device does not give them back.
        """
        with interrupts.held(), self._lock:
            try:
                self._bring([*self._results], when)
            finally:
                if self._collects:
                    self._collects = False
                    gc.enable()

    def settle_around(self, array: Array, when: str, *, itself: bool = True) -> None:
        """Bring the memory that an array shares up to date.

        Parameters
        ----------
        array : numpy.ndarray
            Somebody will read it, or write into it.
        when : str
            For the report.
        itself : bool
            Whether that is needed of what is late for just this array.
        """
        base, own = owner(array), key_of(array)
        everything = not owns(base)
        with interrupts.held(), self._lock:
            keys = [
                key
                for key, late in [*self._results.items()]
                if (everything or late.owner() is base) and (itself or key != own)
            ]
            self._bring(keys, when)

    def _bring(self, keys: list[Key], when: str) -> None:
        lost, reason = 0, ""
        for key in keys:
            late = self._results.get(key)
            base = None if late is None else late.owner()
            if late is None or base is None:
                continue
            try:
                self._copy(late, _memory(key, base), when)
            except DeviceError as error:
                lost, reason = lost + late.content.tensor.nbytes, str(error)
            finally:
                self._pop(key)  # not before: another thread may ask whether it is there
        if reason:
            raise LostResultError(self.device.name, lost, reason)

    def _pop(self, key: Key) -> _Late | None:
        """What is late of some memory is not any more."""
        late = self._results.pop(key, None)
        if late is not None:
            late.content.traffic.note_end(late.content.tensor.nbytes)
        return late

    def _copy(self, late: _Late, host: Array, when: str) -> None:
        """Fill the memory of one; a copy that fails is tried once more."""
        content, began = late.content, perf_counter()
        before = host.copy() if late.blends and content.kernels.single else None
        try:
            try:
                nbytes = content.kernels.fetch(content.tensor, host)
            except DeviceError:
                nbytes = content.kernels.fetch(content.tensor, host)
        except DeviceError:
            host[...] = np.nan if host.dtype.kind in "fc" else 0
            raise
        if before is not None:
            content.kernels.keep_digits(before, host)
        content.traffic.seconds += perf_counter() - began
        content.traffic.note_late_return(content.node, content.run, nbytes, when)


class _Memory:
    """Offers memory of an array to NumPy, with a layout and without flags of its own."""

    def __init__(self, key: Key, base: Array) -> None:
        address, shape, strides, dtype = key
        self.base = base
        self.__array_interface__ = {
            "data": (address, False),
            "shape": shape,
            "strides": strides,
            "typestr": dtype,
            "version": 3,
        }


def _memory(key: Key, base: Array) -> Array:
    """The array that had a key once; names may hold it as read-only."""
    return np.asarray(_Memory(key, base))
