"""Python source with its keywords, strings, numbers and comments told apart."""

from __future__ import annotations

import io
import keyword
import token
import tokenize
from collections.abc import Mapping, Sequence
from functools import lru_cache
from html import escape
from typing import NamedTuple

_KINDS = {token.COMMENT: "comment", token.STRING: "string", token.NUMBER: "number"}
_PARTS = {"FSTRING_START", "FSTRING_MIDDLE", "FSTRING_END"}


class Span(NamedTuple):
    """Columns of one line that are of one kind."""

    start: int
    stop: int
    kind: str


def highlight(lines: Sequence[str], prefix: str = "npcompile-py-") -> list[str]:
    """Turn lines of Python into HTML, one piece per line.

    Lines that are no Python (a magic, say) and everything after a syntax error
    come out plain. The text of every line is kept and escaped.

    Parameters
    ----------
    lines : sequence of str
        Consecutive lines.
    prefix : str
        What class names start with.

    Examples
    --------
    >>> highlight(["y = 2"], prefix="")
    ['y = <span class="number">2</span>']
    """
    python = ("" if line.lstrip().startswith(("%", "!")) else line for line in lines)
    spans = _spans(tuple(python))
    return [_line(line, spans.get(place, []), prefix) for place, line in enumerate(lines)]


@lru_cache(maxsize=100)  # a cell that runs again has the same text
def _spans(lines: tuple[str, ...]) -> Mapping[int, Sequence[Span]]:
    found: dict[int, list[Span]] = {}
    reader = io.StringIO("".join(line + "\n" for line in lines)).readline
    try:
        for item in tokenize.generate_tokens(reader):
            kind = _kind(item)
            if not kind:
                continue
            for row in range(item.start[0], item.end[0] + 1):
                start = item.start[1] if row == item.start[0] else 0
                text = lines[row - 1] if row <= len(lines) else ""
                stop = item.end[1] if row == item.end[0] else len(text)
                found.setdefault(row - 1, []).append(Span(start, stop, kind))
    except (tokenize.TokenError, SyntaxError):
        # Half a statement is shown without colours from here on.
        return found
    return found


def _kind(item: tokenize.TokenInfo) -> str:
    if item.type == token.NAME and keyword.iskeyword(item.string):
        return "keyword"
    if token.tok_name[item.type] in _PARTS:
        return "string"
    return _KINDS.get(item.type, "")


def _line(line: str, spans: Sequence[Span], prefix: str) -> str:
    parts, at = [], 0
    for start, stop, kind in spans:
        # The middle of an f-string reports columns of its unescaped text.
        start, stop = max(start, at), min(stop, len(line))
        if start >= stop:
            continue
        parts.append(escape(line[at:start]))
        parts.append(f'<span class="{prefix}{kind}">{escape(line[start:stop])}</span>')
        at = stop
    parts.append(escape(line[at:]))
    return "".join(parts)
