"""Python's statements and expressions in words."""

from __future__ import annotations

import ast

from jupyter_npcompile.cell.syntax import blocks


def named(node: ast.AST) -> str:
    """A node in a word or two.

    Examples
    --------
    >>> named(ast.parse("del x").body[0])
    'del'
    """
    return {
        "Try": "try",
        "With": "with",
        "Delete": "del",
        "Raise": "raise",
        "Assert": "assert",
        "ListComp": "a list comprehension",
        "JoinedStr": "a text",
        "Dict": "a dict",
        "Lambda": "lambda",
    }.get(type(node).__name__, type(node).__name__.lower())


def breaks_of(loop: ast.For | ast.While) -> list[tuple[list[ast.stmt], int]]:
    r"""Where a loop is left by ``break``: bodies and places in them, the last ones first.

    Examples
    --------
    >>> text = "for i in x:\n    if i: break\n    for j in y: break\n    else: break"
    >>> [(ast.unparse(body[place]), place) for body, place in breaks_of(ast.parse(text).body[0])]
    [('break', 0), ('break', 0)]
    """
    found: list[tuple[list[ast.stmt], int]] = []

    def look(body: list[ast.stmt]) -> None:
        for place, statement in reversed(list(enumerate(body))):
            if isinstance(statement, ast.Break):
                found.append((body, place))
            elif isinstance(statement, ast.For | ast.While):
                look(statement.orelse)
            else:
                for _, inner in blocks(statement):
                    look(inner)

    look(loop.body)
    return found
