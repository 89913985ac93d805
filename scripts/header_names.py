"""Writes down which header of native loops defines which name: `loops/headers/names.json`.

The process that compiles reads this table: to look through the headers themselves takes as long
as its start.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from jupyter_npcompile.loops.includes import FOLDER, HEADERS, TABLE

_WORD = re.compile(r"[A-Za-z_]\w*")
_TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|[{}()]|[A-Za-z_]\w*|[^\sA-Za-z_{}()]",
    re.DOTALL,
)
_AFTER_NAMES = set("({;=[:")
_KEYWORDS = {
    *("__attribute__", "class", "const", "default", "delete", "double", "else", "enum", "extern"),
    *("false", "int", "nullptr", "operator", "static_assert", "std", "struct", "true", "type"),
    *("uint64_t", "void"),
}
_OPEN = {"enum", '"C"'}
"""What has names of everybody's between its braces."""


def defined(text: str) -> Iterator[str]:
    r"""The names that a header defines for all: functions, types, variables, macros, enumerators.

    Parameters
    ----------
    text : str
        A header.

    Examples
    --------
    >>> sorted(defined("#define MOST 3\nenum { A, B };\nstatic int f(int x) { return x + y; }"))
    ['A', 'B', 'MOST', 'f']
    """
    joined = text.replace("\\\n", " ")
    directives = [line for line in joined.split("\n") if line.startswith("#")]
    for line in directives:
        if line.startswith("#define"):
            yield line.split()[1].partition("(")[0]
    plain = "\n".join(line for line in joined.split("\n") if not line.startswith("#"))
    closed: list[bool] = []  # for each bracket: whether what is in it is nobody else's
    last = ""
    for token in _TOKEN.findall(plain):
        if token.startswith(("//", "/*")):
            continue
        is_name = last not in _KEYWORDS and _WORD.fullmatch(last) and not any(closed)
        if is_name and (token in _AFTER_NAMES or closed):
            yield last
        if token in "{(":
            closed.append(token == "(" or last not in _OPEN)
        elif token in "})":
            closed.pop()
        last = token


def table() -> dict[str, list[str]]:
    """The names that each header is the first to define."""
    found: dict[str, str] = {}
    for header in HEADERS:
        for name in defined((FOLDER / header).read_text()):
            found.setdefault(name, header)
    return {it: sorted(name for name, header in found.items() if header == it) for it in HEADERS}


if __name__ == "__main__":
    TABLE.write_text(json.dumps(table(), indent=1) + "\n")
