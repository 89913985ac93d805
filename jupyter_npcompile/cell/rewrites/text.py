"""The text of a cell, and changes to parts of it that leave the rest as it was typed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import field
from itertools import accumulate

from jupyter_npcompile.cell.syntax import Positioned, SourceText, last_line
from jupyter_npcompile.dataclass import dataclass

MAGIC = "%%"


def parse_cell(source: str) -> ast.Module:
    r"""The syntax tree of a cell, magic line or not; lines are those of the cell.

    Raises
    ------
    SyntaxError
        If it holds anything but Python: IPython's own commands, for one.

    Examples
    --------
    >>> parse_cell("%%npcompile\nx = 1").body[0].lineno
    2
    """
    first, _, rest = source.partition("\n")
    return ast.parse(f"\n{rest}" if first.startswith(MAGIC) else source)


@dataclass(frozen=True, slots=True)
class Edit:
    """Text to put in the place of the characters from `start` to `end`."""

    start: int
    end: int
    text: str


def edited(source: str, edits: Iterable[Edit]) -> str:
    """The text after edits that do not overlap.

    Examples
    --------
    >>> edited("a + b", [Edit(0, 1, "x"), Edit(4, 5, "yy")])
    'x + yy'
    """
    for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
        source = source[: edit.start] + edit.text + source[edit.end :]
    return source


@dataclass
class CellText:
    """A cell's text with the places of its nodes, and names that are free in it.

    Parameters
    ----------
    source : str
        The text.
    taken : iterable of str
        Names that new variables must not have.
    """

    source: str
    taken: Iterable[str] = ()
    _starts: list[int] = field(init=False)
    _text: SourceText = field(init=False)
    _taken: set[str] = field(init=False)

    def __post_init__(self) -> None:
        lengths = (len(line) + 1 for line in self.source.split("\n"))
        self._starts = [0, *accumulate(lengths)]
        self._text = SourceText.of(self.source)
        self._taken = {*self.taken, *re.findall(r"\w+", self.source)}

    def start(self, node: Positioned) -> int:
        """Where a node begins."""
        return self._starts[node.lineno - 1] + self._text.column(node.lineno, node.col_offset)

    def end(self, node: Positioned) -> int:
        """Where it ends."""
        line = last_line(node)
        return self._starts[line - 1] + self._text.column(line, node.end_col_offset or 0)

    def of(self, node: Positioned) -> str:
        """The text of a node."""
        return self.source[self.start(node) : self.end(node)]

    def replace(self, node: Positioned, text: str) -> Edit:
        """Other text for a node."""
        return Edit(self.start(node), self.end(node), text)

    def stands_alone(self, statement: ast.stmt) -> bool:
        """Whether a statement has its lines for itself, but for a comment."""
        rest = self.source[self.end(statement) : self.line_end(statement)].strip()
        return self.begins_line(statement) and (not rest or rest.startswith("#"))

    def begins_line(self, statement: ast.stmt) -> bool:
        """Whether nothing stands before a statement on its line."""
        return not self.indentation(statement).strip()

    def line_start(self, node: Positioned) -> int:
        """Where the line begins on which a node does."""
        return self._starts[node.lineno - 1]

    def line_end(self, node: Positioned) -> int:
        """Where the line ends on which a node does, before the line feed."""
        return self._starts[last_line(node)] - 1

    def indentation(self, statement: ast.stmt) -> str:
        """What stands before a statement."""
        return self.source[self.line_start(statement) : self.start(statement)]

    def before(self, statement: ast.stmt, *lines: str) -> Edit:
        """New lines before a statement, indented as it is."""
        place = self.line_start(statement)
        indent = self.indentation(statement)
        return Edit(place, place, "".join(f"{indent}{line}\n" for line in lines))

    def after(self, statement: ast.stmt, *lines: str) -> Edit:
        """New lines after a statement, indented as it is."""
        place = self.line_end(statement)
        indent = self.indentation(statement)
        return Edit(place, place, "".join(f"\n{indent}{line}" for line in lines))

    def without(self, statement: ast.stmt) -> Edit:
        """Take a statement's lines away."""
        return Edit(self.line_start(statement), self._starts[last_line(statement)], "")

    def name(self, wanted: str) -> str:
        """A name like the wanted one that nothing has yet; it is taken from now on.

        Examples
        --------
        >>> text = CellText("total = x.sum()")
        >>> text.name("total"), text.name("mean")
        ('total_2', 'mean')
        """
        found, number = wanted, 2
        while found in self._taken:
            found, number = f"{wanted}_{number}", number + 1
        self._taken.add(found)
        return found


def fields_of(text: str) -> Iterator[tuple[int, int]]:
    """Where the expressions of an f-string stand in its text.

    The positions that Python gives them are wrong before version 3.12.

    Examples
    --------
    >>> text = "f'{i}: {np.sum(x, axis=0)[1]:.3f} {{}}'"
    >>> [text[a:b] for a, b in fields_of(text)]
    ['i', 'np.sum(x, axis=0)[1]']
    """
    index = 0
    while index < len(text):
        pair = text[index : index + 2]
        if pair in ("{{", "}}"):
            index += 2
        elif text[index] == "{":
            end = _field_end(text, index + 1)
            yield index + 1, end
            closing = _closing(text, end)
            index = closing + 1
        else:
            index += 1


def _field_end(text: str, index: int) -> int:
    """Where an expression ends: at ``}``, ``:``, ``!r`` or ``=`` outside all brackets."""
    depth = 0
    quote = ""
    while index < len(text):
        sign = text[index]
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        elif sign in "([{":
            depth += 1
        elif depth and sign in ")]}":
            depth -= 1
        elif not depth and (sign in ":}" or _is_conversion(text, index)):
            return index
        index += 1
    return index


def _is_conversion(text: str, index: int) -> bool:
    if text[index] == "!":
        return text[index + 1 : index + 2] != "="
    around = text[index - 1 : index], text[index + 1 : index + 2]
    return text[index] == "=" and around[0] not in ("=", "!", "<", ">") and around[1] != "="


def _closing(text: str, index: int) -> int:
    depth = 0
    while index < len(text) and (depth or text[index] != "}"):
        depth += {"{": 1, "}": -1}.get(text[index], 0)
        index += 1
    return index
