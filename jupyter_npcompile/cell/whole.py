"""Code that is followed on its real values: every operation a hook call, every statement kept.

The traced form of ``instrument`` is for segments and refuses what a segment
cannot hold. Here nothing is refused: imports, ``with``, ``del``, generators,
classes, prints stay what they are, and the hooks get the values that the code
itself works on. With hooks that only do what Python does, the code behaves as
it was written.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Collection, Iterable, Sequence
from typing import cast

from jupyter_npcompile.cell.factory import nest, nested_code
from jupyter_npcompile.cell.followed_expressions import FollowedExpressions
from jupyter_npcompile.cell.hooks import HOOKS, HookCalls
from jupyter_npcompile.cell.loop_steps import (
    has_step,
    live_names,
    name_of_step,
    step_of,
    text_of,
    without_jumps,
)
from jupyter_npcompile.cell.names import loaded
from jupyter_npcompile.cell.program import TOO_DEEP, NotTraceable
from jupyter_npcompile.cell.syntax import (
    FUNCTIONS,
    Positioned,
    SourceText,
    as_definition,
    assign,
    attribute,
    clone,
    constant,
    descend,
    extent,
    is_private,
    load,
    parameters,
    replaced,
    store,
)


def whole_code(
    node: ast.FunctionDef | ast.Lambda,
    filename: str,
    free_names: Sequence[str] = (),
    *,
    text: SourceText | None = None,
    flags: int = 0,
) -> types.CodeType:
    """Compile a whole function in the form that is followed.

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

    Raises
    ------
    NotTraceable
        If the function is nested too deeply.

    Examples
    --------
    >>> code = whole_code(ast.parse("def f(x): return x + 1").body[0], "<cell>")
    >>> code.co_freevars == (HOOKS,)
    True
    """
    definition = as_definition(clone(node))
    fixed = _seen_elsewhere(definition.body)
    follower = _Follower(text or SourceText(), fixed=fixed)
    try:
        body = follower.statements(definition.body)
        tree = nest(definition, body, (HOOKS, *free_names))
        return nested_code(tree, definition.name, filename, flags)
    except RecursionError as error:
        raise NotTraceable(TOO_DEEP, node.lineno) from error


def whole_cell(tree: ast.Module, text: SourceText, watched: Sequence[str]) -> ast.Module:
    """Return a cell in the form that is followed.

    Parameters
    ----------
    tree : ast.Module
        The cell.
    text : SourceText
        Its text.
    watched : sequence of str
        Names whose assignments the hooks are told of.

    Examples
    --------
    >>> print(ast.unparse(whole_cell(ast.parse("w = x[0]"), SourceText(), ["w"])))
    w = __npcompile_hooks__.bind('w', __npcompile_hooks__.subscript((1, 4), x, 0))
    """
    follower = _Follower(text, watched, definitions=False)
    return ast.Module(follower.statements(clone(tree).body), tree.type_ignores)


def _seen_elsewhere(body: Iterable[ast.stmt]) -> set[str]:
    """Names that other functions read, now or later, and global ones."""
    found: set[str] = set()
    for part in descend(*body):
        if isinstance(part, ast.Global):
            found |= set(part.names)
        elif isinstance(part, (ast.Lambda, ast.ClassDef, *FUNCTIONS)):
            found |= loaded([part])
    return found


class _Follower(FollowedExpressions):
    """Puts hook calls in the place of operations.

    Functions that a cell defines outlive its run, and its hooks: their bodies
    stay as they are, and are followed when they are called.
    """

    def __init__(
        self,
        text: SourceText,
        watched: Sequence[str] = (),
        *,
        definitions: bool = True,
        fixed: Collection[str] = (),
    ) -> None:
        HookCalls.__init__(self, text, ())
        self._watched = frozenset(watched)
        self._definitions = definitions
        self._fixed = fixed

    def statements(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Rewrite statements; one may become several."""
        result: list[ast.stmt] = []
        for statement in body:
            made = self.visit(statement)
            result.extend(made if isinstance(made, list) else [made])
        return result

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        place = extent(node)
        value = self.value(node.value)
        if len(node.targets) == 1 and self._is_plain(node.targets[0]):
            return self._bind(node.targets[0], value, node)
        name = self.temporary()
        statements: list[ast.stmt] = [assign(store(name, place), value, place)]
        for target in node.targets:
            statements += self._bind(target, load(name, place), node)
        return [*statements, self._forget(name, node)]

    def _forget(self, name: str, node: Positioned) -> ast.stmt:
        nothing = constant(None, extent(node))
        return assign(store(name, extent(node)), nothing, extent(node))

    @staticmethod
    def _is_plain(target: ast.expr) -> bool:
        return isinstance(target, (ast.Name, ast.Attribute))

    def _target(self, target: ast.expr) -> ast.expr:
        return cast("ast.expr", self.generic_visit(target))

    def _bound(self, target: ast.expr, value: ast.expr) -> ast.expr:
        """The value of a name that is watched goes through a hook."""
        if isinstance(target, ast.Name) and target.id in self._watched:
            place = extent(target)
            return self.plain_hook("bind", place, [constant(target.id, place), value])
        return value

    def _bind(self, target: ast.expr, value: ast.expr, node: Positioned) -> list[ast.stmt]:
        """Give a target a value that is already evaluated."""
        place = extent(node)
        if isinstance(target, ast.Attribute) and not is_private(target.attr):
            return [ast.Expr(self._attribute_stored(target, value), **place)]
        if self._is_plain(target):
            return [assign(self._target(target), self._bound(target, value), place)]
        if isinstance(target, ast.Subscript):
            index = self._index(target.slice)
            stored = self.hook("store", target, self.value(target.value), index, value)
            return [ast.Expr(stored, **place)]
        if isinstance(target, (ast.Tuple, ast.List)):
            return self._take_apart(target, value, node)
        return [assign(target, value, place)]

    def _attribute_stored(self, target: ast.Attribute, value: ast.expr) -> ast.expr:
        """``obj.name = value``; the value is evaluated first."""
        name = constant(target.attr, extent(target))
        return self.hook("set_attribute", target, value, self.value(target.value), name)

    def _take_apart(
        self, target: ast.Tuple | ast.List, value: ast.expr, node: Positioned
    ) -> list[ast.stmt]:
        place = extent(node)
        names = [self.temporary() for _ in target.elts]
        parts: list[ast.expr] = []
        for element, name in zip(target.elts, names, strict=True):
            part: ast.expr = store(name, place)
            starred = isinstance(element, ast.Starred)
            parts.append(ast.Starred(part, ast.Store(), **place) if starred else part)
        pattern = constant(tuple(None for _ in names), place)
        apart = self.hook("unpack", target, value, pattern)
        statements: list[ast.stmt] = [assign(ast.Tuple(parts, ast.Store(), **place), apart, place)]
        for element, name in zip(target.elts, names, strict=True):
            inner = element.value if isinstance(element, ast.Starred) else element
            statements += self._bind(inner, load(name, place), node)
            statements.append(self._forget(name, node))
        return statements

    def visit_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        place, target = extent(node), node.target
        operator = constant(type(node.op).__name__, place)
        if isinstance(target, ast.Name):
            new = self.hook(
                "augment", node, operator, load(target.id, extent(target)), self.value(node.value)
            )
            return [assign(target, new, place)]
        base = self.temporary()
        statements: list[ast.stmt] = [assign(store(base, place), self.value(target.value), place)]
        if isinstance(target, ast.Attribute) and not is_private(target.attr):
            name = constant(target.attr, place)
            held: ast.expr = self.hook("attribute", target, load(base, place), name)
            new = self.hook("augment", node, operator, held, self.value(node.value))
            at = ast.Attribute(load(base, place), target.attr, ast.Store(), **place)
            kept = ast.Expr(self._attribute_stored(at, new), **place)
            return [*statements, kept, self._forget(base, node)]
        if isinstance(target, ast.Attribute):
            old: ast.expr = attribute(load(base, place), target.attr, place)
            new = self.hook("augment", node, operator, old, self.value(node.value))
            into = ast.Attribute(load(base, place), target.attr, ast.Store(), **place)
            return [*statements, assign(into, new, place), self._forget(base, node)]
        index = self.temporary()
        old = self.hook("subscript", target, load(base, place), load(index, place))
        new = self.hook("augment", node, operator, old, self.value(node.value))
        stored = self.hook("store", target, load(base, place), load(index, place), new)
        return [
            *statements,
            assign(store(index, place), self._index(target.slice), place),
            ast.Expr(stored, **place),
            self._forget(base, node),
            self._forget(index, node),
        ]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt | list[ast.stmt]:
        if node.value is None:
            return node
        if isinstance(node.target, ast.Name):
            value = self._bound(node.target, self.value(node.value))
            return replaced(node, value=value)
        return self.visit_Assign(ast.Assign([node.target], node.value, **extent(node)))

    def visit_For(self, node: ast.For) -> list[ast.stmt]:
        if self._definitions and has_step(node, self._fixed):
            return self._stepped_for(node)
        place = extent(node)
        iterable = self._iterable(node.iter, node.target)
        first: list[ast.stmt] = []
        target = node.target
        if any(isinstance(part, (ast.Subscript, ast.Attribute)) for part in ast.walk(target)):
            name = self.temporary()
            first = self._bind(target, load(name, place), node)
            target = store(name, place)
        body, orelse = self.statements(node.body), self.statements(node.orelse)
        return [replaced(node, target=target, iter=iterable, body=[*first, *body], orelse=orelse)]

    def _stepped_for(self, node: ast.For) -> list[ast.stmt]:
        """A loop whose iterations the hooks run."""
        item = self.temporary()
        place = extent(node.target)
        first = self._bind(node.target, load(item, place), node)
        pattern = self._pattern(node.target, node)
        iterable = self.value(node.iter)
        about = constant((live_names(node), text_of(node)), place)
        body = self.statements(without_jumps(node.body))
        run = self.hook("loop", node, iterable, pattern, name_of_step(node), about)
        return [*step_of(node, item, first, body), ast.Expr(run, **extent(node))]

    def visit_While(self, node: ast.While) -> ast.stmt | list[ast.stmt]:
        if not self._definitions or not has_step(node, self._fixed):
            test, orelse = self.value(node.test), self.statements(node.orelse)
            return replaced(node, test=test, body=self.statements(node.body), orelse=orelse)
        place = extent(node.test)
        test = ast.Lambda(parameters((), place), self.value(node.test), **place)
        about = constant((live_names(node), text_of(node)), place)
        body = self.statements(without_jumps(node.body))
        run = self.hook("loop_while", node, test, name_of_step(node), about)
        return [*step_of(node, None, [], body), ast.Expr(run, **extent(node))]

    def visit_Delete(self, node: ast.Delete) -> list[ast.stmt]:
        statements: list[ast.stmt] = []
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                index = self._index(target.slice)
                deleted = self.hook("delete", target, self.value(target.value), index)
                statements.append(ast.Expr(deleted, **extent(node)))
            else:
                statements.append(replaced(node, targets=[self._target(target)]))
        return statements

    def visit_With(self, node: ast.With) -> ast.stmt:
        items, first = [], list[ast.stmt]()
        for item in node.items:
            entered = self.hook("context", item.context_expr, self.value(item.context_expr))
            target = item.optional_vars
            if target is not None and not isinstance(target, ast.Name):
                name = self.temporary()
                place = extent(target)
                first += self._bind(target, load(name, place), target)
                target = store(name, place)
            items.append(ast.withitem(entered, target))
        return replaced(node, items=items, body=[*first, *self.statements(node.body)])

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        """A function inside: annotations are left alone."""
        return replaced(
            node,
            args=self._defaults(node.args),
            body=self.statements(node.body) if self._definitions else node.body,
            decorator_list=[self.value(part) for part in node.decorator_list],
        )

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        body = self.value(node.body) if self._definitions else node.body
        return replaced(node, args=self._defaults(node.args), body=body)

    def _defaults(self, node: ast.arguments) -> ast.arguments:
        return replaced(
            node,
            defaults=[self.value(part) for part in node.defaults],
            kw_defaults=[None if part is None else self.value(part) for part in node.kw_defaults],
        )

    # -- what stays as it is

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.stmt:
        """Methods are followed when they are called."""
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.stmt:
        return node

    def _unchanged(self, node: ast.pattern) -> ast.pattern:
        return node

    visit_MatchValue = visit_MatchClass = visit_MatchMapping = _unchanged
