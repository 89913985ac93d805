"""Names that statements read and bind, and names that are read later.

Python's scopes decide what counts: the first iterable of a comprehension is
evaluated outside it, everything else inside; ``x += 1`` reads ``x``; the body
of a lambda reads its names when it is called.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from itertools import takewhile

from jupyter_npcompile.cell.syntax import (
    COMPREHENSIONS,
    FUNCTIONS,
    Comprehension,
    Function,
    descend,
    every_argument,
)


def reads_and_targets(statement: ast.stmt) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names a straight-line statement reads and binds.

    Parameters
    ----------
    statement : ast.stmt
        An assignment, augmented or annotated assignment, expression or ``return``.
        Annotations are left out.

    Returns
    -------
    reads : tuple of str
        Names read before the statement binds them, in order of evaluation.
    targets : tuple of str
        Names bound, in order.

    Examples
    --------
    >>> reads_and_targets(ast.parse("y[i] = z = x + sum(k for k in w)").body[0])
    (('x', 'sum', 'w', 'y', 'i'), ('z',))
    """
    uses = _Uses()
    uses.statement(statement)
    return tuple(uses.reads), tuple(uses.targets)


class _Uses(ast.NodeVisitor):
    """Collects reads and targets in the order of evaluation."""

    def __init__(self) -> None:
        self.reads: dict[str, None] = {}
        self.targets: dict[str, None] = {}
        self.inner: list[set[str]] = []

    def statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Assign):
            self.visit(node.value)
            for target in node.targets:
                self.visit(target)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            self.visit(node.value)
            self.visit(node.target)
        elif isinstance(node, ast.AugAssign):
            if isinstance(node.target, ast.Name):
                self.read(node.target.id)
            else:
                self.visit(node.target)
            self.visit(node.value)
            if isinstance(node.target, ast.Name):
                self.bind(node.target.id)
        else:
            self.generic_visit(node)

    def read(self, name: str) -> None:
        if name == "__debug__" or name in self.targets:
            return
        if not any(name in scope for scope in self.inner):
            self.reads[name] = None

    def bind(self, name: str) -> None:
        if not self.inner:
            self.targets[name] = None

    def visit(self, node: ast.AST) -> None:
        if isinstance(node, COMPREHENSIONS):
            self.comprehension_scope(node)
        else:
            super().visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store):
            self.bind(node.id)
        else:
            self.read(node.id)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                self.visit(default)
        self.inner.append({arg.arg for arg in every_argument(node.args)})
        self.visit(node.body)
        self.inner.pop()

    def comprehension_scope(self, node: Comprehension) -> None:
        self.visit(node.generators[0].iter)
        self.inner.append(comprehension_targets(node))
        for position, generator in enumerate(node.generators):
            if position:
                self.visit(generator.iter)
            self.visit(generator.target)
            for condition in generator.ifs:
                self.visit(condition)
        if isinstance(node, ast.DictComp):
            self.visit(node.key)
            self.visit(node.value)
        else:
            self.visit(node.elt)
        self.inner.pop()


def comprehension_targets(node: Comprehension) -> set[str]:
    """Return the names that belong to the scope of a comprehension."""
    return {
        name.id
        for generator in node.generators
        for name in ast.walk(generator.target)
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
    }


def loaded(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Return every name that `nodes` may read, at any depth and in any scope.

    A ``del`` counts as a read, for it fails when the name is not bound.

    Examples
    --------
    >>> sorted(loaded(ast.parse("a += b; c = d; del e").body))
    ['a', 'b', 'd', 'e']
    """
    names: set[str] = set()
    for node in descend(*nodes):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return frozenset(names)


def bound_names(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Return the names that statements bind in their own scope.

    Examples
    --------
    >>> sorted(bound_names(ast.parse("for i in x: a[i] = b = [c for c in y]").body))
    ['b', 'i']
    """
    names: set[str] = set()
    for node in nodes:
        _collect_bound(node, names, inside_comprehension=False)
    return frozenset(names)


def deferred(body: Iterable[ast.stmt]) -> frozenset[str]:
    """Return the names that scopes nested in `body` read, now or later.

    Lambdas, nested functions and generator expressions can run at any later
    time, so a name they read is never dead.

    Examples
    --------
    >>> sorted(deferred(ast.parse("a = b; f = lambda x: x + k").body))
    ['k', 'x']
    """
    names: set[str] = set()
    nested = (ast.Lambda, ast.GeneratorExp, ast.ClassDef, *FUNCTIONS)
    for node in descend(*body):
        if isinstance(node, nested):
            names |= loaded([node])
    return frozenset(names)


def local_names(function: Function | ast.Lambda) -> frozenset[str]:
    r"""Return the parameters and all names bound in the scope of `function`.

    Examples
    --------
    >>> f = ast.parse("def f(a, *b):\n for c in a: d = [e for e in (g := c)]").body[0]
    >>> sorted(local_names(f))
    ['a', 'b', 'c', 'd', 'g']
    """
    names = {arg.arg for arg in every_argument(function.args)}
    body = [function.body] if isinstance(function, ast.Lambda) else function.body
    for node in body:
        _collect_bound(node, names, inside_comprehension=False)
    return frozenset(names)


def in_order(names: Iterable[str], node: ast.AST) -> tuple[str, ...]:
    r"""Return names in the order in which a statement binds them first.

    Examples
    --------
    >>> in_order({"a", "b", "c"}, ast.parse("for c in x:\n    b = c\n    a = b").body[0])
    ('c', 'b', 'a')
    """
    places: dict[str, tuple[int, int]] = {}
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            place = part.lineno, part.col_offset
            places[part.id] = min(places.get(part.id, place), place)
    return tuple(sorted(names, key=lambda name: (places.get(name, (0, 0)), name)))


def _collect_bound(node: ast.AST, names: set[str], *, inside_comprehension: bool) -> None:
    if isinstance(node, ast.Name):
        if not isinstance(node.ctx, ast.Load) and not inside_comprehension:
            names.add(node.id)
    elif isinstance(node, ast.NamedExpr):  # binds outside the comprehension it stands in
        names.add(node.target.id)
        _collect_bound(node.value, names, inside_comprehension=inside_comprehension)
        return
    elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
        if node.name is not None:
            names.add(node.name)
    elif isinstance(node, ast.MatchMapping):
        if node.rest is not None:
            names.add(node.rest)
    elif isinstance(node, ast.alias):
        names.add(node.asname or node.name.partition(".")[0])
    elif isinstance(node, (ast.ClassDef, *FUNCTIONS)):
        names.add(node.name)
        for part in _evaluated_outside(node):
            _collect_bound(part, names, inside_comprehension=inside_comprehension)
        return
    elif isinstance(node, ast.Lambda):
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                _collect_bound(default, names, inside_comprehension=inside_comprehension)
        return
    inside = inside_comprehension or isinstance(node, COMPREHENSIONS)
    for child in ast.iter_child_nodes(node):
        _collect_bound(child, names, inside_comprehension=inside)


def _evaluated_outside(node: ast.ClassDef | Function) -> list[ast.expr]:
    """Return the expressions of a definition that its own scope does not hold."""
    parts = list(node.decorator_list)
    if isinstance(node, ast.ClassDef):
        return [*parts, *node.bases, *(keyword.value for keyword in node.keywords)]
    defaults = (*node.args.defaults, *node.args.kw_defaults)
    return [*parts, *(default for default in defaults if default is not None)]


def exposed(statements: Iterable[ast.stmt]) -> frozenset[str]:
    r"""Return the names that statements may read before they bind them.

    Examples
    --------
    >>> sorted(exposed(ast.parse("t = a\nfor i in t:\n    b = t + c\nd = b").body))
    ['a', 'b', 'c']
    """
    found: set[str] = set()
    _expose(statements, set(), found)
    return frozenset(found)


def _expose(statements: Iterable[ast.stmt], bound: set[str], found: set[str]) -> None:
    """Collect names in the order in which they are read; `bound` grows."""
    for statement in statements:
        if isinstance(statement, ast.If):
            found |= loaded([statement.test]) - bound
            first, second = set(bound), set(bound)
            _expose(statement.body, first, found)
            _expose(statement.orelse, second, found)
            bound |= first & second
        elif isinstance(statement, ast.For):
            found |= loaded([statement.iter]) - bound
            inside = bound | set(reads_and_targets(_bare(statement.target))[1])
            found |= loaded([statement.target]) - bound
            _expose(statement.body, inside, found)
            _expose(statement.orelse, set(bound), found)
        elif isinstance(statement, ast.While):
            found |= loaded([statement.test]) - bound
            _expose(statement.body, set(bound), found)
            _expose(statement.orelse, set(bound), found)
        elif isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Expr):
            reads, targets = reads_and_targets(statement)
            found |= set(reads) - bound
            bound |= set(targets)
        elif isinstance(statement, ast.Import | ast.ImportFrom | ast.ClassDef | Function):
            found |= loaded([statement]) - bound
            bound |= bound_names([statement])
        else:
            found |= loaded([statement]) - bound


def _bare(target: ast.expr) -> ast.stmt:
    """An assignment to a target, of nothing."""
    return ast.Assign(targets=[target], value=ast.Constant(None))


def surely_bound(statements: Iterable[ast.stmt]) -> frozenset[str]:
    r"""Return the names that are bound when all of some statements have run.

    Nothing that may be left out counts, nor what may be unbound again.

    Examples
    --------
    >>> body = "a, b = c\nfor i in a: d = i\nif d: e = 1; f = 2\nelse: e = 3\n"
    >>> body += "g = b or (h := 4)\ndel a"
    >>> sorted(surely_bound(ast.parse(body).body))
    ['b', 'e', 'g']
    """
    found: set[str] = set()
    gone: set[str] = set()
    for statement in statements:
        for part in descend(statement):
            if isinstance(part, ast.ExceptHandler) and part.name is not None:
                gone.add(part.name)
            elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Del):
                gone.add(part.id)
        if isinstance(statement, ast.If):
            found |= surely_bound(statement.body) & surely_bound(statement.orelse)
        elif isinstance(statement, ast.Assign):
            for target in statement.targets:
                found |= set(reads_and_targets(_bare(target))[1])
        elif isinstance(statement, ast.AugAssign) or (
            isinstance(statement, ast.AnnAssign) and statement.value is not None
        ):
            found |= set(reads_and_targets(_bare(statement.target))[1])
        elif isinstance(statement, ast.Import | ast.ImportFrom | ast.ClassDef | Function):
            found |= bound_names([statement])
    return frozenset(found - gone)


def rebound_names(loop: ast.For | ast.While) -> frozenset[str]:
    r"""Return the names whose values before a loop cannot matter, if it has any iteration.

    Each iteration binds them before it reads them, and before it may come to its end.

    Examples
    --------
    >>> body = "t = i + s\n    if t > k:\n        break\n    k = s = t"
    >>> sorted(rebound_names(ast.parse(f"for i in x:\n    {body}").body[0]))
    ['i', 't']
    >>> rebound_names(ast.parse(f"while x:\n    {body}").body[0])
    frozenset()
    """
    if isinstance(loop, ast.While):
        return frozenset()  # whether there is one is only seen when it runs
    ends = (ast.Break, ast.Continue, ast.Return)
    target = _bare(loop.target)
    first = takewhile(lambda it: not any(isinstance(p, ends) for p in descend(it)), loop.body)
    return surely_bound([target, *first]) - exposed([target, *loop.body])
