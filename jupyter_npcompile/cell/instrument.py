"""The traced form of code: every operation calls a hook with its position.

A region becomes a function of the hooks object and its inputs; a helper
function keeps its parameters and finds the hooks in a free variable.
Instrumented code does nothing itself: with hooks that perform the plain
Python operation it does exactly what the original does.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Sequence

from jupyter_npcompile.cell.expressions import Expressions
from jupyter_npcompile.cell.factory import code_named, compiled, nest, nested_code
from jupyter_npcompile.cell.hooks import HOOKS
from jupyter_npcompile.cell.names import local_names
from jupyter_npcompile.cell.program import TOO_DEEP, NotTraceable, Region, Statement
from jupyter_npcompile.cell.regions import keeps_its_frame
from jupyter_npcompile.cell.syntax import (
    Positioned,
    SourceText,
    as_definition,
    assign,
    attribute,
    clone,
    constant,
    define,
    descend,
    extent,
    has_docstring,
    load,
    parameters,
    point,
    replaced,
    store,
)
from jupyter_npcompile.dataclass import dataclass

REGION = "__region__"
"""Name of the function that runs an instrumented region."""

_REFUSED: dict[type[ast.stmt], str] = {
    ast.TryStar: "try",
    ast.With: "with",
    ast.AsyncWith: "with",
    ast.AsyncFor: "await",
    ast.AsyncFunctionDef: "asynchronous function",
    ast.ClassDef: "class definition",
    ast.Import: "import",
    ast.ImportFrom: "import",
    ast.Delete: "del",
    ast.Global: "global or nonlocal",
    ast.Nonlocal: "global or nonlocal",
}


@dataclass(frozen=True, slots=True, eq=False)
class Instrumented:
    """A part of a region in its traced form.

    Parameters
    ----------
    code : types.CodeType
        Code of a function of the hooks object and the inputs, in this order,
        all positional. It has no free variables and reads no globals.
    parameters : tuple of str
        The inputs: ``region.inputs(start, stop)``.
    start, stop : int
        Which statements it runs.
    """

    code: types.CodeType
    parameters: tuple[str, ...]
    start: int
    stop: int


def region_code(region: Region, start: int, filename: str, stop: int | None = None) -> Instrumented:
    """Compile statements ``start`` to ``stop - 1`` of a region in their traced form.

    Parameters
    ----------
    region : Region
        The region.
    start, stop : int
        First statement, and the one after the last (default: to the end).
    filename : str
        File name for tracebacks.

    Raises
    ------
    NotTraceable
        If a statement cannot be instrumented.

    Examples
    --------
    >>> from jupyter_npcompile.cell.skeleton import build_cell
    >>> source = "y = x[1:] * 2"
    >>> program = build_cell(ast.parse(source), source, handle="H")
    >>> region_code(program.regions[0], 0, "<cell>").parameters
    ('x',)
    >>> print(ast.unparse(region_tree(program.regions[0], 0, 1)))
    def __region__(__npcompile_hooks__, x):
        __npcompile_hooks__.statement(0)
        y = __npcompile_hooks__.binary((1, 4), 'Mult', \
__npcompile_hooks__.subscript((1, 4), __npcompile_hooks__.name('x', x), \
__npcompile_hooks__.slice(1, None, None)), 2)
        __npcompile_hooks__.bind(0, 'y', y)
    """
    stop = len(region.statements) if stop is None else stop
    try:
        code = code_named(compiled(region_tree(region, start, stop), filename), REGION)
    except RecursionError as error:
        raise NotTraceable(TOO_DEEP, region.statements[start].line) from error
    return Instrumented(code, region.inputs(start, stop), start, stop)


def region_tree(region: Region, start: int, stop: int) -> ast.Module:
    """Return the module with the function that `region_code` compiles."""
    rewriter = _RegionStatements(region.text)
    body: list[ast.stmt] = []
    for statement in region.statements[start:stop]:
        body.extend(rewriter.guarded(statement))
    first = region.statements[start].node
    names = (HOOKS, *region.inputs(start, stop))
    function = define(REGION, parameters(names, point(first)), body, point(first))
    return ast.Module(body=[function], type_ignores=[])


def helper_code(
    node: ast.FunctionDef | ast.Lambda,
    filename: str,
    free_names: Sequence[str] = (),
    *,
    text: SourceText | None = None,
    flags: int = 0,
) -> types.CodeType:
    """Compile a whole helper function in its traced form.

    Parameters
    ----------
    node : ast.FunctionDef or ast.Lambda
        The definition; decorators are left out.
    filename : str
        File name for tracebacks.
    free_names : sequence of str
        ``co_freevars`` of the function.
    text : SourceText, optional
        The text that the positions in `node` refer to.
    flags : int
        ``co_flags`` of the original code.

    Returns
    -------
    types.CodeType
        Code whose free variables are `free_names` and `HOOKS`, as far as they
        are used, in ``co_freevars``.

    Raises
    ------
    NotTraceable
        If the function holds something that cannot be instrumented.
    """
    name = as_definition(node).name
    try:
        return nested_code(helper_tree(node, free_names, text=text), name, filename, flags)
    except RecursionError as error:
        raise NotTraceable(TOO_DEEP, node.lineno) from error


def helper_tree(
    node: ast.FunctionDef | ast.Lambda,
    free_names: Sequence[str] = (),
    *,
    text: SourceText | None = None,
) -> ast.Module:
    """Return the module with the factory that `helper_code` compiles."""
    definition = as_definition(node)
    reason = keeps_its_frame(definition)
    if reason is not None:
        raise NotTraceable(reason, definition.lineno)
    rewriter = _Statements(text or SourceText(), local_names(definition))
    return nest(definition, rewriter.function_body(definition), (HOOKS, *free_names))


class _Statements(Expressions):
    """Rewrites the statements of a helper."""

    def function_body(self, node: ast.FunctionDef) -> list[ast.stmt]:
        docstring = [clone(node.body[0])] if has_docstring(node.body) else []
        return [*docstring, *self.body(node.body[len(docstring) :])]

    def body(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        result: list[ast.stmt] = []
        for statement in statements:
            result.extend(self.statement(statement))
        return result

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        place = extent(node)
        if type(node) in _REFUSED:
            raise self.refuse(node, _REFUSED[type(node)])
        if isinstance(node, ast.Expr):
            return [ast.Expr(value=self.value(node.value), **place)]
        if isinstance(node, ast.Assign):
            return self.assignment(node.targets, node.value, node)
        if isinstance(node, ast.AugAssign):
            return self.augmented(node)
        if isinstance(node, ast.AnnAssign):
            return self.annotated(node)
        if isinstance(node, ast.Return):
            value = None if node.value is None else self.value(node.value)
            return [ast.Return(value=value, **place)]
        if isinstance(node, (ast.If, ast.While)):
            test = self.condition(node.test)
            body, orelse = self.body(node.body), self.body(node.orelse)
            return [replaced(node, test=test, body=body, orelse=orelse)]
        if isinstance(node, ast.For):
            return [self.loop(node)]
        if isinstance(node, ast.Try):
            return [self.attempt(node)]
        if isinstance(node, ast.Match):
            return [self.selected(node)]
        if isinstance(node, ast.Assert):
            test = self.condition(node.test)
            return [replaced(node, test=test, msg=node.msg and self.value(node.msg))]
        if isinstance(node, ast.Raise):
            error = None if node.exc is None else self.value(node.exc)
            return [replaced(node, exc=error, cause=node.cause and self.value(node.cause))]
        if isinstance(node, ast.FunctionDef):
            return [self.nested(node)]
        if isinstance(node, (ast.Pass, ast.Break, ast.Continue)):
            return [clone(node)]
        raise self.refuse(node, type(node).__name__.lower())

    def bound(self, name: str, place: Positioned) -> list[ast.stmt]:
        """Return what follows the binding of `name`."""
        return []

    def assignment(
        self, targets: Sequence[ast.expr], value: ast.expr, node: ast.stmt
    ) -> list[ast.stmt]:
        result, place = self.value(value), extent(node)
        if len(targets) == 1 and isinstance(targets[0], ast.Name):
            return self.bind(targets[0], result, node)
        name = self.temporary()
        statements: list[ast.stmt] = [assign(store(name, place), result, place)]
        for target in targets:
            statements.extend(self.bind(target, load(name, place), node))
        return statements

    def bind(self, target: ast.expr, value: ast.expr, node: ast.stmt) -> list[ast.stmt]:
        """Return the statements that give `target` a value that is already evaluated."""
        place = extent(node)
        if isinstance(target, ast.Name):
            statement = assign(clone(target), value, place)
            return [statement, *self.bound(target.id, node)]
        if isinstance(target, ast.Subscript):
            base = self.value(target.value)
            stored = self.hook("store", target, base, self.index(target.slice), value)
            return [ast.Expr(value=stored, **place)]
        if isinstance(target, (ast.Tuple, ast.List)):
            names = [self.temporary() for _ in target.elts]
            parts: list[ast.expr] = [store(name, place) for name in names]
            together = ast.Tuple(parts, ast.Store(), **place)
            statements: list[ast.stmt] = [assign(together, self.unpacked(target, value), place)]
            for element, name in zip(target.elts, names, strict=True):
                inner = element.value if isinstance(element, ast.Starred) else element
                statements.extend(self.bind(inner, load(name, place), node))
            return statements
        if isinstance(target, ast.Attribute):
            raise self.refuse(target, "assigns an attribute")
        raise self.refuse(target, "assignment target")

    def augmented(self, node: ast.AugAssign) -> list[ast.stmt]:
        place, target = extent(node), node.target
        operator = constant(type(node.op).__name__, place)
        if isinstance(target, ast.Name):
            old = self.name(target.id, extent(target))
            new = self.hook("augment", node, operator, old, self.value(node.value))
            return self.bind(target, new, node)
        if not isinstance(target, ast.Subscript):
            raise self.refuse(target, "assigns an attribute")
        base, index = self.temporary(), self.temporary()
        old = self.hook("subscript", target, load(base, place), load(index, place))
        new = self.hook("augment", node, operator, old, self.value(node.value))
        stored = self.hook("store", target, load(base, place), load(index, place), new)
        return [
            assign(store(base, place), self.value(target.value), place),
            assign(store(index, place), self.index(target.slice), place),
            ast.Expr(value=stored, **place),
        ]

    def annotated(self, node: ast.AnnAssign) -> list[ast.stmt]:
        if node.value is not None:
            return self.assignment([node.target], node.value, node)
        if not isinstance(node.target, ast.Name):
            raise self.refuse(node, "annotated assignment")
        nothing = constant(None, extent(node))
        return [replaced(node, annotation=nothing)]  # keeps the name local

    def loop(self, node: ast.For) -> ast.stmt:
        iterable = self.iterable(node.iter)
        target, first = node.target, list[ast.stmt]()
        if isinstance(target, ast.Name):
            bound: ast.expr = clone(target)
        else:
            name = self.temporary()
            bound = store(name, extent(target))
            head = ast.Expr(value=target, **extent(target))
            first = self.bind(target, load(name, extent(target)), head)
        body, orelse = self.body(node.body), self.body(node.orelse)
        return replaced(node, target=bound, iter=iterable, body=[*first, *body], orelse=orelse)

    def attempt(self, node: ast.Try) -> ast.stmt:
        """Rewrite ``try``; what ends a recording passes through every handler.

        An inner ``try`` around the body turns the end of a recording back into
        the exception that Python would raise each time, where there is one.
        """
        if any(_leaves(part) for part in node.finalbody):
            raise self.refuse(node, "finally that leaves")
        place, stop = point(node), self.temporary()
        passing = attribute(load(HOOKS, place), "passing", place)
        caught = self.plain_hook("caught", place, [load(stop, place)])
        back = ast.ExceptHandler(
            type=passing, name=stop, body=[ast.Raise(exc=caught, **place)], **place
        )
        inner = ast.Try(
            body=self.body(node.body), handlers=[back], orelse=[], finalbody=[], **place
        )
        handlers = [
            ast.ExceptHandler(type=clone(passing), name=None, body=[ast.Raise(**place)], **place)
        ]
        for handler in node.handlers:
            kind = None if handler.type is None else self.value(handler.type)
            handlers.append(replaced(handler, type=kind, body=self.body(handler.body)))
        return replaced(
            node,
            body=[inner],
            handlers=handlers,
            orelse=self.body(node.orelse),
            finalbody=self.body(node.finalbody),
        )

    def selected(self, node: ast.Match) -> ast.stmt:
        """Rewrite ``match`` where it only compares with constants."""
        cases: list[ast.match_case] = []
        for case in node.cases:
            if not _compares(case.pattern):
                raise self.refuse(case.pattern, "match")
            guard = None if case.guard is None else self.condition(case.guard)
            cases.append(ast.match_case(clone(case.pattern), guard, self.body(case.body)))
        return replaced(node, subject=self.value(node.subject), cases=cases)

    def nested(self, node: ast.FunctionDef) -> ast.stmt:
        """Rewrite a definition inside a helper; annotations are left out."""
        reason = "decorated function" if node.decorator_list else keeps_its_frame(node)
        if reason is not None:
            raise self.refuse(node, reason)
        arguments = self.arguments(node.args)
        self.scopes.append(local_names(node))
        body = self.function_body(node)
        self.scopes.pop()
        return define(node.name, arguments, body, extent(node))


def _compares(pattern: ast.pattern) -> bool:
    """Whether a pattern looks at nothing but equality with constants."""
    if isinstance(pattern, ast.MatchOr):
        return all(map(_compares, pattern.patterns))
    if isinstance(pattern, ast.MatchAs):
        return pattern.pattern is None or _compares(pattern.pattern)
    if isinstance(pattern, ast.MatchValue):
        return isinstance(pattern.value, ast.Constant)
    return isinstance(pattern, ast.MatchSingleton)


def _leaves(node: ast.stmt) -> bool:
    """Whether a statement may end what is going on, also the exception that is on its way."""
    jumps = (ast.Return, ast.Break, ast.Continue)
    return any(isinstance(part, jumps) for part in descend(node))


class _RegionStatements(_Statements):
    """Rewrites the statements of a region and reports what they bind."""

    def __init__(self, text: SourceText) -> None:
        self.written: set[str] = set()
        self.current = 0
        super().__init__(text, self.written)

    def guarded(self, statement: Statement) -> list[ast.stmt]:
        """Return the instrumented form of one statement of the region."""
        node, self.current = statement.node, statement.index
        place, index = point(node), constant(statement.index, point(node))
        begin = ast.Expr(value=self.plain_hook("statement", place, [index]), **place)
        if statement.kind not in ("return", "display"):
            return [begin, *self.statement(node)]
        source = node.value if isinstance(node, (ast.Return, ast.Expr)) else None
        value = constant(None, place) if source is None else self.value(source)
        name = constant(f"<{statement.kind}>", place)  # no variable is called that
        result = self.plain_hook("bind", extent(node), [index, name, value])
        return [begin, ast.Expr(value=result, **extent(node))]

    def bound(self, name: str, place: Positioned) -> list[ast.stmt]:
        self.written.add(name)
        at = extent(place)
        arguments = [constant(self.current, at), constant(name, at), load(name, at)]
        return [ast.Expr(value=self.plain_hook("bind", at, arguments), **at)]
