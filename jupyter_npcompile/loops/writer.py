"""The C++ text of a loop while it is written."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from jupyter_npcompile.dataclass import dataclass


@dataclass(frozen=True)
class Mark:
    """A place to which a text can be taken back."""

    lines: int


class Writer:
    """Lines of C++, and names that are not used yet.

    Attributes
    ----------
    lines : list of str
        The text so far.
    variables : dict of str to str
        C++ variables of the whole function, and their types.
    fills : dict of str to Fill
        How new arrays got their elements.
    layers : dict of str to Layers
        How arrays were put on top of each other.
    small : dict of str to str
        C++ variables of small arrays that are values, and their names; empty for those without.
    keeps_small : bool
        Whether new arrays may be such values.
    is_rare : bool
        Whether what is written now hardly ever runs, and should be short.
    is_wide : bool
        Whether the widest vectors are worth it; see `costs`.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.variables: dict[str, str] = {}
        self.fills: dict[str, Any] = {}
        self.layers: dict[str, Any] = {}
        self.small: dict[str, str] = {}
        self.keeps_small = self.is_rare = self.is_wide = False
        self._number = 0

    def emit(self, *lines: str) -> None:
        """Add lines."""
        self.lines.extend(lines)

    def name(self, prefix: str = "t") -> str:
        """A name that nothing else has."""
        self._number += 1
        return f"{prefix}_{self._number}"

    def hold(self, c: str, code: str, prefix: str = "t") -> str:
        """Give a value a name for the rest of its block."""
        name = self.name(prefix)
        self.emit(f"const {c} {name} = {code};")
        return name

    def variable(self, name: str, c: str) -> str:
        """A variable of the whole function."""
        self.variables[name] = c
        return name

    @contextlib.contextmanager
    def block(self, head: str = "") -> Iterator[None]:
        """Lines in braces."""
        self.emit(f"{head} {{".lstrip())
        yield
        self.emit("}")

    @contextlib.contextmanager
    def function(self, attribute: str) -> Iterator[None]:
        """Lines that are a function of their own, which has copies of all that it needs.

        What hardly ever runs is compiled in half of the time beside what mostly does, and does
        not take registers from it.
        """
        self.emit(f"[=, &run]() mutable {attribute} {{")
        yield
        self.emit("}();")

    @contextlib.contextmanager
    def in_memory(self, *, wanted: bool = True) -> Iterator[None]:
        """Lines in which new arrays are in memory."""
        before = self.keeps_small
        self.keeps_small = before and not wanted
        try:
            yield
        finally:
            self.keeps_small = before

    def mark(self) -> Mark:
        """Where the text ends now."""
        return Mark(len(self.lines))

    def back(self, mark: Mark) -> None:
        """Take back what was written since; names are not used again."""
        del self.lines[mark.lines :]
