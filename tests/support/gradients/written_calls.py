"""Calls of NumPy as a person writes them: the text of a function of what is differentiated."""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from jupyter_npcompile.tracer.interpret import function
from tests.support.gradients.calls import Place, apply, filled, weights

_files = itertools.count()

WRITTEN = (bool, int, float, complex, str, type(None), type(...))
"""What stands in the text as it is; everything else has a name in the module."""


def written_call(op: str, leaves: Any, structure: Any, *, copies: bool) -> Callable[[Any], Any]:
    """A function that gives a number made of all that a call gives and writes.

    Parameters
    ----------
    op : str
        As `apply` has it.
    leaves, structure
        Arguments, as `apart` takes them apart; the function takes leaves.
    copies : bool
        Whether the call gets copies of arrays, and may write into them.
    """
    writer = _Writer(leaves, copies=copies)
    args, kwargs = structure
    given = [writer.expression(arg) for arg in args]
    named = {key: writer.expression(value) for key, value in kwargs.items()}
    call = _call(op, given, named)
    lines = [*writer.lines, call if op == "setitem" else f"made = {call}"]
    if op == "setitem":
        lines.append("made = None")
    filled_args, filled_kwargs = filled(structure, writer.copies())
    made = apply(op, filled_args, filled_kwargs)
    every = itertools.chain(
        _numbers("made", made),
        *(_numbers(text, arg) for text, arg in zip(given, filled_args, strict=True)),
        *(_numbers(named[key], arg) for key, arg in filled_kwargs.items()),
    )
    parts = []
    for k, (text, value) in enumerate(every):
        parts.append(f"np.sum(np.real({text} * {writer.name(weights(value, k))}))")
    lines.append(f"return {' + '.join(parts)}")
    return writer.function(lines)


class _Writer:
    def __init__(self, leaves: Any, *, copies: bool) -> None:
        self.lines: list[str] = []
        self._leaves, self._copies = leaves, copies
        self._names: dict[str, Any] = {"np": np}

    def name(self, value: Any) -> str:
        """A name in the module."""
        found = f"c{len(self._names)}"
        self._names[found] = value
        return found

    def copies(self) -> list[Any]:
        """Leaves to call NumPy with once."""
        return [leaf.copy() if isinstance(leaf, np.ndarray) else leaf for leaf in self._leaves]

    def expression(self, value: Any) -> str:
        """An argument."""
        if isinstance(value, Place):
            text = f"given[{value.index}]"
            return self._copied(text, self._leaves[value.index])
        if isinstance(value, slice):
            return f"slice({value.start}, {value.stop}, {value.step})"
        if type(value) in (list, tuple):
            parts = [self.expression(part) for part in value]
            text = ", ".join(parts)
            return f"[{text}]" if isinstance(value, list) else f"({text}{',' * (len(parts) == 1)})"
        if type(value) in WRITTEN and not (isinstance(value, float | complex) and value != value):
            return repr(value) if value is not ... else "..."
        return self._copied(self.name(value), value)

    def _copied(self, text: str, value: Any) -> str:
        if not self._copies or not isinstance(value, np.ndarray):
            return text
        self.lines.append(f"a{len(self.lines)} = {text}.copy()")
        return f"a{len(self.lines) - 1}"

    def function(self, lines: list[str]) -> Callable[[Any], Any]:
        """The function, whose text Python can find."""
        text = "\n    ".join(["def call(given):", *lines]) + "\n"
        file = f"<written call {next(_files)}>"
        linecache.cache[file] = (len(text), None, text.splitlines(True), file)
        exec(compile(text, file, "exec"), self._names)
        return self._names["call"]  # type: ignore[no-any-return]


def _call(op: str, given: list[str], named: dict[str, str]) -> str:
    space, _, name = op.partition(".")
    if op == "getitem":
        return f"{given[0]}[{given[1]}]"
    if op == "setitem":
        return f"{given[0]}[{given[1]}] = {given[2]}"
    if op == "item":
        return f"np.divmod({given[0]}, {given[1]})[{given[2]}]"
    if space == "ndarray" and not callable(getattr(np.ndarray, name)):
        return f"{given[0]}.{name}"
    rest = given[1:] if space == "ndarray" else given
    text = ", ".join([*rest, *(f"{key}={value}" for key, value in named.items())])
    return f"{given[0]}.{name}({text})" if space == "ndarray" else f"{_path(op)}({text})"


def _path(op: str) -> str:
    assert callable(function(op))
    return f"np.{op.removeprefix('numpy.')}"


def _numbers(text: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Inexact arrays and numbers, at any depth, and how they are written."""
    if isinstance(value, np.ndarray | np.generic | float | complex):
        if np.asarray(value).dtype.kind in "fc":
            yield text, value
    elif isinstance(value, list | tuple):
        for k, part in enumerate(value):
            yield from _numbers(f"{text}[{k}]", part)
    elif isinstance(value, dict):
        raise TypeError(value)
