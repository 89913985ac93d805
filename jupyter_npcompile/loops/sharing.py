"""Loops that several threads share. What happens when they run is in ``headers/threads.hpp``."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.loops.values import Ref
from jupyter_npcompile.loops.writer import Writer

_ALONE = re.compile(r"\b(run|goto|return|ids_|fuel_|at_|status_)\b")
"""What one thread has to do."""


@dataclass(frozen=True)
class Part:
    """Which part of a loop a thread does: C++ names of its rows, and of what it does in each."""

    first: str
    last: str
    begin: str
    end: str


@dataclass(frozen=True)
class Size:
    """How long a loop takes: C++ for its rows, what is between, the elements of a row.

    ``cost`` is for nanoseconds that an element takes. Rows of one element are not torn apart.
    """

    rows: str
    inner: str
    n: str
    cost: str


def shared(
    writer: Writer, size: Size, write: Callable[[Part], None], arrays: Sequence[Ref] = ()
) -> bool:
    """Write a loop so that threads may share it, unless there is something in it for one alone.

    Threads get copies of numbers and pointers, so that all they need must be held by such.

    Parameters
    ----------
    writer : Writer
        Where it goes.
    size : Size
        What decides whether there will be threads.
    write : callable
        ``write(part)`` writes the part that a thread does.
    arrays : sequence of Ref
        Arrays that are in that text, in memory: they are lent to the threads.

    Returns
    -------
    bool
        Whether it is written; else nothing is.
    """
    mark = writer.mark()
    lent = {array.code: (array.type.view, writer.name("v")) for array in arrays}
    for code, (view, name) in lent.items():
        writer.emit(f"const {view} {name} = {code};")
    part = Part(*(writer.name(prefix) for prefix in ("first", "last", "from", "to")))
    bounds = ", ".join(f"i64 {name}" for name in (part.first, part.last, part.begin, part.end))
    times = f"{size.rows}, {size.inner}, {size.n}, {size.cost}"
    writer.emit(f"spread(run, {times}, [=]({bounds}) INLINED {{")
    begin = len(writer.lines)
    for code, (view, name) in lent.items():
        writer.emit(f"const {view} &{code} = {name};")
    write(part)
    if any(map(_ALONE.search, writer.lines[begin:])):
        writer.back(mark)
        return False
    writer.emit("});")
    return True
