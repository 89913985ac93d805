"""``x.flat`` of an array that is followed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from jupyter_npcompile.autodiff.hooks import TapeHooks


class FlatElements:
    """``x.flat`` of an active array.

    Parameters
    ----------
    hooks : TapeHooks
        Of the run.
    array : numpy.ndarray
        The array.
    """

    def __init__(self, hooks: TapeHooks, array: Any) -> None:
        self._hooks = hooks
        self._array = array

    def _elements(self) -> Any:
        return self._hooks.call(None, np.ravel, self._array)

    def __len__(self) -> int:
        return int(self._array.size)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._hooks.items(self._elements()))

    def __getitem__(self, index: Any) -> Any:
        """Read elements; several come as a copy."""
        found = self._hooks.subscript(None, self._elements(), index)
        if isinstance(found, np.ndarray) and isinstance(index, slice):
            return self._hooks.call(None, np.copy, found)
        return found

    def __setitem__(self, index: Any, value: Any) -> None:
        places = np.arange(self._array.size)[index]
        self._hooks.call(None, np.put, self._array, np.atleast_1d(places), value)
