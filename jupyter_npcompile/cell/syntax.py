"""Building blocks for syntax trees: copies, positions and synthetic nodes.

Every synthetic node gets a complete position from the code it stands for.
``ast.fix_missing_locations`` would mix the start of one node with the end of
another and produce ranges such as ``line range (2, 1)``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import TypedDict, TypeVar, cast

from jupyter_npcompile.dataclass import dataclass

NodeT = TypeVar("NodeT", bound=ast.AST)

Function = ast.FunctionDef | ast.AsyncFunctionDef
Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)


class Place(TypedDict):
    """Position attributes of a node, ready to be passed to a node's class."""

    lineno: int
    col_offset: int
    end_lineno: int
    end_col_offset: int


Positioned = ast.stmt | ast.expr | ast.ExceptHandler | ast.pattern


def extent(node: Positioned) -> Place:
    """Return the whole range of `node`."""
    return Place(
        lineno=node.lineno,
        col_offset=node.col_offset,
        end_lineno=last_line(node),
        end_col_offset=node.col_offset if node.end_col_offset is None else node.end_col_offset,
    )


def point(node: Positioned) -> Place:
    """Return the start of `node` as an empty range."""
    return Place(
        lineno=node.lineno,
        col_offset=node.col_offset,
        end_lineno=node.lineno,
        end_col_offset=node.col_offset,
    )


def last_line(node: Positioned) -> int:
    """Return the last line of `node`."""
    return node.lineno if node.end_lineno is None else node.end_lineno


def first_line_of(node: ast.stmt) -> int:
    """Return the first line of `node`: the first decorator's, if it has any."""
    if isinstance(node, (ast.ClassDef, *FUNCTIONS)):
        return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return node.lineno


def clone(node: NodeT) -> NodeT:
    """Return a deep copy of `node`, many times faster than `copy.deepcopy`.

    Only fields and positions are copied: traceback tools hang attributes such
    as `parent` on nodes, also on the operators and contexts that all trees
    share.

    Examples
    --------
    >>> tree = ast.parse("y = x + 1")
    >>> ast.dump(clone(tree)) == ast.dump(tree), clone(tree) is tree
    (True, False)
    """
    kind, given = type(node), vars(node)
    copied = kind.__new__(kind)
    values = vars(copied)
    for name in kind._fields:
        if name in given:
            values[name] = _copied(given[name])
    for name in kind._attributes:
        if name in given:
            values[name] = given[name]
    return copied


def substituted(node: NodeT, values: Mapping[str, ast.expr]) -> NodeT:
    """Return a copy of `node` with expressions in place of names that it reads.

    Examples
    --------
    >>> value = ast.parse("a + 1", mode="eval").body
    >>> ast.unparse(substituted(ast.parse("x = x * y"), {"x": value}))
    'x = (a + 1) * y'
    """
    made: NodeT = _Substitution(values).visit(clone(node))
    return made


class _Substitution(ast.NodeTransformer):
    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        value = None if isinstance(node.ctx, ast.Store) else self.values.get(node.id)
        return node if value is None else clone(value)


def _copied(value: object) -> object:
    if isinstance(value, ast.AST):
        return clone(value) if value._fields else value  # operators hold nothing: share them
    if type(value) is list:
        return [clone(item) if isinstance(item, ast.AST) else item for item in value]
    return value


def sealed(node: NodeT) -> NodeT:
    """Return `node` so that nobody who walks through trees finds anything below it.

    Python compiles it like the node itself. `ast.fix_missing_locations` takes longer than
    that for a tree in which no place is missing.

    Examples
    --------
    >>> closed = sealed(ast.parse("y = x + 1").body[0])
    >>> isinstance(closed, ast.Assign), list(ast.iter_child_nodes(closed))
    (True, [])
    >>> exec(compile(ast.Module([closed], []), "", "exec"), names := {"x": 1})
    >>> names["y"]
    2
    """
    kind = type(node)
    known = _sealed.get(kind)
    if known is None:
        known = _sealed[kind] = type(kind.__name__, (kind,), {"_fields": ()})
    closed = known.__new__(known)
    vars(closed).update(vars(node))
    return cast("NodeT", closed)


_sealed: dict[type[ast.AST], type[ast.AST]] = {}
"""Kinds of nodes without children, by what they are."""


def replaced(node: NodeT, **fields: object) -> NodeT:
    r"""Return a deep copy of `node` in which the given fields are replaced.

    Examples
    --------
    >>> loop = ast.parse("for i in x: print(i)").body[0]
    >>> ast.unparse(replaced(loop, body=[ast.Pass()]))
    'for i in x:\n    pass'
    """
    shell = type(node).__new__(type(node))
    vars(shell).update(vars(node) | dict.fromkeys(fields))  # what is replaced needs no copy
    copied = clone(shell)
    vars(copied).update(fields)
    return copied


def descend(*roots: ast.AST) -> Iterator[ast.AST]:
    """Iterate over `roots` and all nodes below, faster than `ast.walk`.

    Every node comes before the nodes below it; operators and contexts, which
    hold nothing, are left out.

    Examples
    --------
    >>> tree = ast.parse("x + y", mode="eval").body
    >>> [type(node).__name__ for node in descend(tree)]
    ['BinOp', 'Name', 'Name']
    """
    pending: list[ast.AST] = list(reversed(roots))
    while pending:
        node = pending.pop()
        yield node
        pending += reversed(children(node))


def children(node: ast.AST) -> list[ast.AST]:
    """Return what lies directly below `node`, operators and contexts aside.

    Examples
    --------
    >>> [type(child).__name__ for child in children(ast.parse("x + y", mode="eval").body)]
    ['Name', 'Name']
    """
    found: list[ast.AST] = []
    given = vars(node)
    for name in node._fields:
        value = given.get(name)
        if type(value) is list:
            found += [item for item in value if isinstance(item, ast.AST)]
        elif isinstance(value, ast.AST) and value._fields:
            found.append(value)
    return found


def in_scope(body: Iterable[ast.stmt]) -> Iterator[ast.AST]:
    r"""Yield the nodes of some code, and of scopes in it only the one that makes them.

    Examples
    --------
    >>> code = ast.parse("x = 1\ndef f():\n    y = 2").body
    >>> [node.id for node in in_scope(code) if isinstance(node, ast.Name)]
    ['x']
    """
    pending: list[ast.AST] = list(body)
    while pending:
        part = pending.pop()
        yield part
        if not isinstance(part, (ast.Lambda, ast.ClassDef, *FUNCTIONS)):
            pending += children(part)


def load(name: str, place: Place) -> ast.Name:
    """Return an expression that reads `name`."""
    return ast.Name(id=name, ctx=ast.Load(), **place)


def store(name: str, place: Place) -> ast.Name:
    """Return an assignment target `name`."""
    return ast.Name(id=name, ctx=ast.Store(), **place)


def constant(value: object, place: Place) -> ast.Constant:
    """Return a constant: a number, a string, ``None`` or a tuple of those."""
    return ast.Constant(value=cast("str", value), **place)


def within(context: ast.expr, body: list[ast.stmt], place: Place, times: int = 1) -> ast.With:
    """Return a statement that tells a context when the body is over, however that is left.

    A ``finally`` would be the line at which a frame has ended by Python's account, which is
    shown in place of the line that raised; after a ``with`` it is still that one.
    """
    items = [ast.withitem(clone(context), None) for _ in range(times)]
    return ast.With(items=items, body=body, type_comment=None, **place)


def attribute(value: ast.expr, name: str, place: Place) -> ast.Attribute:
    """Return an expression that reads attribute `name` of `value`."""
    return ast.Attribute(value=value, attr=name, ctx=ast.Load(), **place)


def call(
    function: ast.expr,
    arguments: Iterable[ast.expr],
    place: Place,
    keywords: Iterable[ast.keyword] = (),
) -> ast.Call:
    """Return a call of `function`."""
    return ast.Call(func=function, args=list(arguments), keywords=list(keywords), **place)


def assign(target: ast.expr, value: ast.expr, place: Place) -> ast.Assign:
    """Return the statement ``target = value``."""
    return ast.Assign(targets=[target], value=value, type_comment=None, **place)


def parameters(names: Iterable[str], place: Place) -> ast.arguments:
    """Return a parameter list of plain positional parameters."""
    return ast.arguments(
        posonlyargs=[],
        args=[ast.arg(arg=name, annotation=None, type_comment=None, **place) for name in names],
        vararg=None,
        kwonlyargs=[],
        kw_defaults=[],
        kwarg=None,
        defaults=[],
    )


def define(
    name: str, arguments: ast.arguments, body: Sequence[ast.stmt], place: Place
) -> ast.FunctionDef:
    """Return a plain ``def`` without decorators and annotations."""
    definition = ast.FunctionDef(
        name=name,
        args=arguments,
        body=list(body),
        decorator_list=[],
        returns=None,
        type_comment=None,
        **place,
    )
    if "type_params" in definition._fields:  # Python 3.12 and later
        setattr(definition, "type_params", [])  # noqa: B010 - unknown to the 3.11 stubs
    return definition


def as_definition(node: ast.FunctionDef | ast.Lambda) -> ast.FunctionDef:
    """Return `node` as a ``def``: a lambda becomes a ``def`` with one return.

    Examples
    --------
    >>> as_definition(ast.parse("lambda x: x + 1", mode="eval").body).name
    '<lambda>'
    """
    if isinstance(node, ast.FunctionDef):
        return node
    body = ast.Return(value=node.body, **extent(node.body))
    return define("<lambda>", node.args, [body], extent(node))


def bare_arguments(arguments: ast.arguments) -> ast.arguments:
    """Return a copy of a parameter list without defaults and annotations.

    Keyword-only parameters stay keyword-only; argument counts and flags of
    the code do not depend on what is left out.
    """

    def bare(arg: ast.arg) -> ast.arg:
        return replaced(arg, annotation=None, type_comment=None)

    return ast.arguments(
        posonlyargs=[bare(arg) for arg in arguments.posonlyargs],
        args=[bare(arg) for arg in arguments.args],
        vararg=None if arguments.vararg is None else bare(arguments.vararg),
        kwonlyargs=[bare(arg) for arg in arguments.kwonlyargs],
        kw_defaults=[None for _ in arguments.kwonlyargs],
        kwarg=None if arguments.kwarg is None else bare(arguments.kwarg),
        defaults=[],
    )


def every_argument(arguments: ast.arguments) -> Iterator[ast.arg]:
    """Iterate over all parameters, star parameters included."""
    yield from arguments.posonlyargs
    yield from arguments.args
    if arguments.vararg is not None:
        yield arguments.vararg
    yield from arguments.kwonlyargs
    if arguments.kwarg is not None:
        yield arguments.kwarg


def is_private(name: str) -> bool:
    """Tell whether a class changes a name that its methods use.

    Examples
    --------
    >>> is_private("__held"), is_private("__init__")
    (True, False)
    """
    return name.startswith("__") and not name.endswith("__")


def has_docstring(body: Sequence[ast.stmt]) -> bool:
    """Tell whether `body` starts with a docstring."""
    return (
        bool(body)
        and isinstance(body[0], ast.Expr)
        and isinstance(body[0].value, ast.Constant)
        and isinstance(body[0].value.value, str)
    )


def blocks(statement: ast.stmt) -> Iterator[tuple[str, list[ast.stmt]]]:
    """Iterate over the bodies that lie directly in `statement`, in source order.

    Bodies of exception handlers and match cases are included.
    """
    if isinstance(statement, ast.Match):
        for case in statement.cases:
            yield "case", case.body
        return
    for name in ("body", "handlers", "orelse", "finalbody"):
        value = getattr(statement, name, None)
        if not isinstance(value, list):
            continue
        if name == "handlers":
            for handler in value:
                yield name, handler.body
        elif value:
            yield name, value


@dataclass(frozen=True, slots=True, eq=False)
class SourceText:
    """Text of a cell or file, for line texts and columns in characters.

    Parameters
    ----------
    lines : tuple of str
        The lines without their line ends.

    Examples
    --------
    >>> text = SourceText.of("é = x + 1")
    >>> text.column(1, 5)  # the byte offset that ast gives
    4
    """

    lines: tuple[str, ...] = ()
    _encoded: dict[int, bytes | None] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, source: str) -> SourceText:
        """Split `source` at the line ends that Python's parser knows."""
        plain = source.replace("\r\n", "\n").replace("\r", "\n")
        return cls(tuple(plain.split("\n")))

    def line(self, number: int) -> str:
        """Return line `number` (1-based), or an empty string."""
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""

    def span(self, first: int, last: int) -> str:
        """Return the lines `first` to `last`."""
        return "\n".join(self.lines[first - 1 : last])

    def column(self, line: int, offset: int) -> int:
        """Return the column in characters of a byte offset in UTF-8."""
        if line not in self._encoded:
            text = self.line(line)
            self._encoded[line] = None if text.isascii() else text.encode("utf-8", "surrogatepass")
        data = self._encoded[line]
        if data is None:
            return offset
        return len(data[:offset].decode("utf-8", "ignore"))

    def position(self, node: Positioned) -> tuple[int, int]:
        """Return line and column, in characters, of the start of `node`."""
        return node.lineno, self.column(node.lineno, node.col_offset)
