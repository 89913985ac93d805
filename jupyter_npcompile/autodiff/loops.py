"""Long loops: most iterations are not recorded, but run again when their gradient is wanted.

The first iterations run on the tape. Where a loop turns out to be long, the
following ones only run, and from time to time a snapshot is kept of what they
start from: few where values are large, so that memory grows with the square
root of the number of iterations. The last iteration runs on the tape again.
An iteration that does more than compute (`watching`) runs on the tape, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import CellType, FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.autodiff.chunks import Chunk
from jupyter_npcompile.autodiff.snapshots import content
from jupyter_npcompile.autodiff.watching import Unrepeatable
from jupyter_npcompile.cell import HOOKS

if TYPE_CHECKING:
    from jupyter_npcompile.autodiff.hooks import TapeHooks

FIRST = 2
"""Iterations that are always recorded."""

NODES = 250
"""Operations of a loop that are recorded before its iterations are not any more."""

BYTES = 32 << 20
"""The same for the memory that their results take."""

REFUSALS = 3
"""How often iterations may turn out to be unrepeatable, soon after each other."""


class Items:
    """The items of a ``for``.

    Parameters
    ----------
    items : iterator
        From which they are taken, on the tape.
    """

    watched = False

    def __init__(self, items: Iterator[Any]) -> None:
        self.next = items.__next__


class Test:
    """The test of a ``while``: it belongs to the iterations.

    Parameters
    ----------
    test : callable
        The test.
    """

    watched = True

    def __init__(self, test: Callable[[], Any]) -> None:
        self._test = test

    def next(self) -> None:
        """Nothing, as long as the test holds."""
        if not self._test():
            raise StopIteration


def run(
    hooks: TapeHooks,
    source: Items | Test,
    step: FunctionType,
    about: tuple[tuple[str, ...], str],
    count: int | None,
) -> None:
    """Run a loop.

    Parameters
    ----------
    hooks : TapeHooks
        Of the run.
    source : Items or Test
        Where items come from, or whether there is one more iteration.
    step : function
        The body: it gets an item, and returns true for ``break``.
    about : (tuple of str, str)
        Names that it may read before it binds them, and its text, if it can
        stand for itself.
    count : int or None
        How many iterations there will be, if that is known.
    """
    if hooks.tape.repeats:
        _LongLoop(hooks, source, step, about, count).run()
        return
    while True:
        try:
            item = source.next()
        except StopIteration:
            return
        if step(item):
            return


class _LongLoop:
    def __init__(
        self,
        hooks: TapeHooks,
        source: Items | Test,
        step: FunctionType,
        about: tuple[tuple[str, ...], str],
        count: int | None,
    ) -> None:
        live, self._text = about
        self._hooks, self._source, self._step, self._count = hooks, source, step, count
        self._tape = hooks.tape
        names = zip(step.__code__.co_freevars, step.__closure__ or (), strict=True)
        self._cells: dict[str, CellType] = {n: cell for n, cell in names if n != HOOKS}
        self._live = {name: self._cells[name] for name in live if name in self._cells}
        self._began = self._tape.mark()
        self._done = 0
        self._refusals = 0
        self._size = 0
        self._chunk: Chunk | None = None

    def run(self) -> None:
        """All iterations."""
        while True:
            try:
                item = self._next()
            except StopIteration:
                break
            if self._iteration(item):
                return
        if self._chunk is not None:
            self._last_again()

    def _next(self) -> Any:
        if self._chunk is None or not self._source.watched:
            return self._source.next()
        self._hooks.tape = self._chunk.watch
        try:
            return self._source.next()
        except Unrepeatable:
            pass
        finally:
            self._hooks.tape = self._tape
        self._refusals = REFUSALS
        self._last_again()
        return self._source.next()

    def _iteration(self, item: Any) -> bool:
        if self._chunk is None and self._is_long():
            self._size = (self._tape.mark() - self._began) // self._done
            self._chunk = Chunk.begun(
                self._hooks, self._step, self._live, self._text, self._bytes()
            )
            if self._chunk is None:
                self._refusals = REFUSALS
        if self._chunk is not None:
            return self._watched(self._chunk, item)
        broken = bool(self._step(item))
        self._done += 1
        return broken

    def _watched(self, chunk: Chunk, item: Any) -> bool:
        """An iteration that is not recorded, unless it is the last one, or must be."""
        chunk.begin(item)
        self._hooks.tape = chunk.watch
        try:
            broken = self._step(item)
            chunk.watch.end_iteration(self._contents())
        except (Unrepeatable, Exception):
            broken = True
            self._refusals += 1 if len(chunk.items) < NODES else 0
        finally:
            self._hooks.tape = self._tape
        return self._last_again() if broken else False

    def _last_again(self) -> bool:
        """The last iteration once more, on the tape."""
        chunk, self._chunk = self._chunk, None
        assert chunk is not None
        item = chunk.undo()
        chunk.close()
        self._tape.skipped += len(chunk.items) * self._size
        self._began, self._done = self._tape.mark(), 0
        broken = bool(self._step(item))
        self._done += 1
        return broken

    def _contents(self) -> Iterator[Any]:
        yield from map(content, self._cells.values())

    # -- how long is it?

    def _is_long(self) -> bool:
        """Whether it would cost too much to record all iterations."""
        if self._done < FIRST or self._refusals >= REFUSALS:
            return False
        nodes = self._tape.mark() - self._began
        if not nodes:
            return False
        size = sum(_bytes(node) for node in self._tape.recorder.nodes[self._began :])
        more = 1.0 if self._count is None else self._count / self._done
        return nodes * more > NODES or size * more > BYTES

    def _bytes(self) -> int:
        """The memory that an iteration takes when it is recorded."""
        nodes = self._tape.recorder.nodes[self._began :]
        return sum(_bytes(node) for node in nodes) // max(self._done, 1)


def _bytes(node: Any) -> int:
    return sum(
        int(np.prod(kind.shape)) * np.dtype(kind.dtype).itemsize
        for kind in node.types
        if kind.kind == "array" and node.view_of is None
    )
