"""Python's statements and expressions in words."""

from __future__ import annotations

import ast

from jupyter_npcompile.cell.syntax import assign, blocks, clone, constant, load, point, store


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


PYTHONS = "0python_"
"""Begins a name of a function of Python's, whatever that of the function means to the user."""

Comprehension = ast.ListComp | ast.GeneratorExp


def as_loop(node: Comprehension, until: bool | None = None) -> tuple[str, ast.For]:
    """A comprehension as a loop that appends to a list; its names are like no user's.

    Parameters
    ----------
    node : ast.ListComp or ast.GeneratorExp
        The comprehension.
    until : bool, optional
        Instead of appending, become this at the first item that is as true.

    Examples
    --------
    >>> node = ast.parse("[j * k for k in x if k for j in y]", mode="eval").body
    >>> name, loop = as_loop(node)
    >>> print(ast.unparse(loop).replace(name, "made"))
    for kmade in x:
        if kmade:
            for jmade in y:
                made.append(jmade * kmade)
    """
    place, name = point(node), _own_name(node)
    targets = {
        n.id
        for generator in node.generators
        for n in ast.walk(generator.target)
        if isinstance(n, ast.Name)
    }

    def renamed(part: ast.expr) -> ast.expr:
        part = clone(part)
        for n in ast.walk(part):
            if isinstance(n, ast.Name) and n.id in targets:
                n.id = f"{n.id}{name}"
        return part

    item = renamed(node.elt)
    append = ast.Attribute(load(name, place), "append", ast.Load(), **place)
    body: ast.stmt = ast.Expr(ast.Call(append, [item], [], **place), **place)
    if until is not None:
        test = item if until else ast.UnaryOp(ast.Not(), item, **place)
        left = assign(store(name, place), constant(until, place), place)
        body = ast.If(test, [left, ast.Break(**place)], [], **place)
    for generator in reversed(node.generators):
        for test in reversed(generator.ifs):
            body = ast.If(renamed(test), [body], [], **place)
        # The first iterable is looked up outside, where the targets are other names.
        first = generator is node.generators[0]
        iterable = generator.iter if first else renamed(generator.iter)
        body = ast.For(renamed(generator.target), iterable, [body], [], None, **place)
        if until is not None and not first:
            decided: ast.expr = load(name, place)
            if until:
                decided = ast.UnaryOp(ast.Not(), decided, **place)
            body = ast.If(decided, [body], [], **place)
    assert isinstance(body, ast.For)
    return name, body


def is_own(name: str, node: Comprehension) -> bool:
    """Whether a name belongs to a comprehension."""
    return name.endswith(_own_name(node))


def _own_name(node: Comprehension) -> str:
    return f"0list{node.lineno}_{node.col_offset}"


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
