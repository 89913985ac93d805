"""The source text of functions that go to another process, and of those they call.

Pickled code has no text, and in newer versions of cloudpickle no file name either. Where it
arrives there may be no such file, or another version of it. So the lines go along.
"""

from __future__ import annotations

import functools
import inspect
import linecache
import tokenize
import types
from collections.abc import Iterator, Mapping
from typing import Any

from jupyter_npcompile.cell import moved
from jupyter_npcompile.cell.factory import every_code
from jupyter_npcompile.tracer.sources import as_defined

MOST = 64
"""Functions whose text is sent, at the most."""

Place = tuple[str, int]
"""Qualified name and first line of a function."""

Text = tuple[str, tuple[str, ...]]
"""The name of its file, and its lines."""


def texts_of(function: types.FunctionType) -> dict[Place, Text]:
    r"""The text of a function and of those of the same names that it calls.

    Examples
    --------
    >>> texts_of(inspect.cleandoc)["cleandoc", inspect.cleandoc.__code__.co_firstlineno][1][0]
    'def cleandoc(doc):\n'
    """
    found = {}
    for one in reachable(function):
        code = one.__code__
        found[place_of(one)] = code.co_filename, _lines_of(code, code.co_filename)
    return found


@functools.lru_cache(maxsize=512)
def _lines_of(code: types.CodeType, filename: str) -> tuple[str, ...]:
    """The lines of a function; code in another file may be equal."""
    lines = linecache.getlines(filename)[code.co_firstlineno - 1 :]
    try:
        return tuple(inspect.getblock(lines))
    except (IndentationError, SyntaxError, tokenize.TokenError):
        return ()


def place_of(function: types.FunctionType) -> Place:
    """By what the text of a function is found."""
    return function.__qualname__, function.__code__.co_firstlineno


def settle(function: types.FunctionType, texts: Mapping[Place, Text]) -> None:
    """Give functions that have arrived the names of files, in which their text is found.

    Parameters
    ----------
    function : types.FunctionType
        With those that it calls.
    texts : mapping of (name, line) to (file name, lines)
        What came along.
    """
    for one in reachable(function):
        text = texts.get(place_of(one))
        if text is None or not text[1]:
            continue
        filename = _put(text, one.__code__.co_firstlineno)
        if one.__code__.co_filename != filename:
            one.__code__ = moved(one.__code__, filename)


def _put(text: Text, first: int) -> str:
    """The name of a file that has lines at their place."""
    filename, block = text
    for name in (filename, f"<sent: {filename}>"):
        lines = linecache.getlines(name)
        there = lines[first - 1 : first - 1 + len(block)]
        entry: Any = linecache.cache.get(name)
        is_free = not lines or (entry is not None and entry[1] is None)  # a file has a time
        if tuple(there) == block:
            return name
        if is_free and not any(line.strip() for line in there):
            last = first - 1 + len(block)
            made = [*lines, *["\n"] * (last - len(lines))]
            made[first - 1 : last] = block
            linecache.cache[name] = sum(map(len, made)), None, made, name
            return name
    return filename


def reachable(function: types.FunctionType) -> Iterator[types.FunctionType]:
    """A function, as it was written, and those with the same global names that it reads."""
    names, seen, waiting = function.__globals__, set[int](), [function]
    while waiting and len(seen) < MOST:
        one: Any = waiting.pop()
        if id(one) in seen or one.__globals__ is not names:
            continue
        seen.add(id(one))
        yield one
        if (written := as_defined(one)) is not one:
            waiting.append(written)
            continue
        values = [names.get(name) for code in every_code(one.__code__) for name in code.co_names]
        for cell in one.__closure__ or ():
            try:
                values.append(cell.cell_contents)
            except ValueError:
                continue  # it is not bound yet
        waiting += [value for value in values if type(value) is types.FunctionType]
