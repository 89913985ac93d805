"""Arrays at odd addresses, in place of which native code gets copies.

Who sends arrays in messages cuts them out of these where they begin: those that Dask scatters,
or sends with a task, begin at odd addresses more often than not. NumPy takes them, C++ may not.
So where nothing is written into them, native code gets copies, and what it returns of these
is a view of the array itself again.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.loops.loop_code import LoopCode


@dataclass(frozen=True)
class Aligned:
    """The inputs of native code, all of them at even addresses.

    Parameters
    ----------
    values : list
        The inputs.
    copies : tuple of (array, copy)
        What was copied.
    """

    values: list[Any]
    copies: tuple[tuple[Any, Any], ...]

    @classmethod
    def of(cls, code: LoopCode, values: Sequence[Any]) -> Aligned | None:
        """Copy what has to be; None where that is nothing, or may not be done.

        Parameters
        ----------
        code : LoopCode
            What runs.
        values : sequence
            Its inputs.
        """
        odd = {id(it): it for it in values if type(it) is np.ndarray and not it.flags.aligned}
        for name, value in zip(code.inputs, values, strict=True):
            if id(value) in odd and (name in code.written or not value.flags.forc):
                return None
        if not odd or _overlap(odd.values(), values):
            return None
        copies = {key: _copy(value) for key, value in odd.items()}
        pairs = tuple((value, copies[key]) for key, value in odd.items())
        return cls([copies.get(id(value), value) for value in values], pairs)

    def restored(self, result: Any) -> Any:
        """A result in which arrays instead of their copies, and views of them, take part."""
        if type(result) in (tuple, list):
            items = [self.restored(item) for item in result]
            is_same = all(one is other for one, other in zip(items, result, strict=True))
            return result if is_same else type(result)(items)
        if type(result) is dict:
            found = {key: self.restored(item) for key, item in result.items()}
            is_same = all(found[key] is item for key, item in result.items())
            return result if is_same else found
        if type(result) is not np.ndarray:
            return result
        for real, copy in self.copies:
            if result is copy:
                return real
            if np.may_share_memory(result, copy):
                return _view(result, copy, real)
        return result


def _copy(array: Any) -> Any:
    copy = array.copy(order="A")
    copy.flags.writeable = array.flags.writeable
    return copy


def _overlap(unaligned: Collection[Any], values: Sequence[Any]) -> bool:
    """Whether what is copied shares memory with another input."""
    return any(
        one is not other and np.may_share_memory(one, other)
        for one in unaligned
        for other in values
        if type(other) is np.ndarray
    )


def _view(view: Any, copy: Any, real: Any) -> Any:
    """The view of an array that another one is of its copy."""
    offset = view.__array_interface__["data"][0] - copy.__array_interface__["data"][0]
    made: Any = np.ndarray(view.shape, view.dtype, real, offset, view.strides)
    made.flags.writeable = view.flags.writeable and real.flags.writeable
    return made
