"""Which statements may be guarded, which stay in the skeleton, and why.

The decision looks at the syntax only. What a callee is, is known when the
cell runs: a guarded statement that calls something unknown breaks then.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence

from jupyter_npcompile.cell.names import reads_and_targets
from jupyter_npcompile.cell.program import Scope
from jupyter_npcompile.cell.syntax import FUNCTIONS, descend, has_docstring, in_scope

PLAIN = "plain Python (no NumPy call)"
"""Reason of statements that could be guarded but hold no work."""

SKELETON_CALLS = frozenset(
    {
        *("print", "display", "open", "input", "help", "breakpoint", "get_ipython"),
        *("exec", "eval", "locals", "globals", "vars", "dir", "super", "id"),
    }
)
"""Builtins that show something, or look at names, frames or identities."""

FRAME_NAMES = frozenset(["locals", "vars", "exec", "eval", "dir", "globals"])
"""Builtins that see the local names of a function, so it must keep them."""

_CONTROL = (
    *(ast.If, ast.For, ast.While, ast.With, ast.Try, ast.TryStar, ast.Match),
    *(ast.Pass, ast.Break, ast.Continue, ast.Raise),
)

_WORK = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Subscript, ast.Attribute)

_STAYS: tuple[tuple[type[ast.stmt] | tuple[type[ast.stmt], ...], str], ...] = (
    ((ast.Import, ast.ImportFrom), "import"),
    ((*FUNCTIONS, ast.ClassDef), "definition"),
    (_CONTROL, "control flow"),
    ((ast.AsyncFor, ast.AsyncWith), "await"),
    (ast.Delete, "del"),
    (ast.Assert, "assert"),
    ((ast.Global, ast.Nonlocal), "global or nonlocal"),
)


def refusal(statement: ast.stmt, scope: Scope = "module") -> str | None:
    """Return why `statement` cannot be guarded, or None if it can.

    Examples
    --------
    >>> refusal(ast.parse("x[1:] += y").body[0]) is None
    True
    >>> refusal(ast.parse("print(x)").body[0])
    'print'
    >>> refusal(ast.parse("model.weight = x").body[0])
    'assigns an attribute'
    """
    for kinds, reason in _STAYS:
        if isinstance(statement, kinds):
            return reason
    if isinstance(statement, ast.Assign):
        targets, value = statement.targets, statement.value
    elif isinstance(statement, ast.AugAssign):
        targets, value = [statement.target], statement.value
    elif isinstance(statement, ast.AnnAssign):
        if statement.value is None or not statement.simple:
            return "annotated assignment"
        targets, value = [statement.target], statement.value
    elif isinstance(statement, ast.Expr) and scope == "shown":
        return "displayed"
    elif isinstance(statement, ast.Expr):
        targets, value = [], statement.value
    elif isinstance(statement, ast.Return) and scope == "function":
        targets, value = [], statement.value or ast.Constant(value=None)
    else:
        return type(statement).__name__.lower()
    if isinstance(value, ast.Lambda):
        return "definition"
    if isinstance(value, ast.GeneratorExp):
        return "generator expression"  # it runs later and has to see the names as they are then
    return _target_refusal(targets) or _expression_refusal(statement)


def _target_refusal(targets: Sequence[ast.expr]) -> str | None:
    for target in targets:
        for part in _leaves(target):
            if isinstance(part, ast.Attribute):
                return "assigns an attribute"
            if not isinstance(part, (ast.Name, ast.Subscript)):
                return "assignment target"
    return None


def _leaves(target: ast.expr) -> Iterator[ast.expr]:
    if isinstance(target, ast.Starred):
        yield from _leaves(target.value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            yield from _leaves(element)
    else:
        yield target


def _expression_refusal(statement: ast.stmt) -> str | None:
    for node in descend(statement):
        if isinstance(node, ast.Await):
            return "await"
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return "yield"
        if isinstance(node, ast.NamedExpr):
            return "assignment expression (:=)"
        if isinstance(node, ast.comprehension):
            if node.is_async:
                return "await"
            if any(not isinstance(leaf, ast.Name) for leaf in _leaves(node.target)):
                return "assignment target"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            name = node.func.id
            if name == "get_ipython":
                return "IPython command"
            if name in SKELETON_CALLS:
                return name
        if type(node).__name__ == "TemplateStr":  # t-strings, Python 3.14
            return "template string"
    return None


def has_work(statement: ast.stmt) -> bool:
    """Tell whether `statement` holds an operation worth a guard.

    Constants (also written ``-1`` or ``2 ** 10``), plain names, displays of
    those, lambdas and f-strings are no work.

    Examples
    --------
    >>> [has_work(s) for s in ast.parse("a = b, -1; s = f'{a + 1}'; c = a.T; a += 1").body]
    [False, False, True, True]
    """
    if isinstance(statement, ast.AugAssign):
        return True
    if isinstance(statement, ast.AnnAssign):
        return statement.value is not None and _works(statement.value)
    return any(_works(child) for child in ast.iter_child_nodes(statement))


def _works(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return True
    if isinstance(node, (ast.JoinedStr, ast.Lambda)):
        return False
    if isinstance(node, _WORK) and _reads(node):
        return True
    return any(_works(child) for child in ast.iter_child_nodes(node))


def _reads(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Name) for part in descend(node))


def runs(
    body: Sequence[ast.stmt], scope: Scope, captured: Collection[str] = ()
) -> Iterator[tuple[bool, Sequence[ast.stmt]]]:
    """Split `body` into runs of statements to guard and the statements between.

    A run ends after a statement that binds one of the names `captured`, which
    nested scopes read: code called later in the run has to see the new value.
    It ends after an annotated assignment of a module, too: the annotation is
    evaluated then, and may fail.

    Yields
    ------
    guarded : bool
        Whether the statements form a region.
    statements : sequence of ast.stmt
        Consecutive statements; together they are `body`.

    Examples
    --------
    >>> body = ast.parse("a = 1; b = a + 1; c = 2; d = b + c; print(d)").body
    >>> [(guarded, len(part)) for guarded, part in runs(body, "module")]
    [(False, 1), (True, 3), (False, 1)]
    """
    start = 0
    while start < len(body):
        stop = start
        while stop < len(body) and _guardable(body, stop, scope):
            stop += 1
            statement = body[stop - 1]
            if isinstance(statement, ast.Return):
                break
            if isinstance(statement, ast.AnnAssign) and scope != "function":
                break
            if captured and any(name in captured for name in reads_and_targets(statement)[1]):
                break
        working = [index for index in range(start, stop) if has_work(body[index])]
        if working:
            first, last = working[0], working[-1] + 1
            for guarded, part in ((False, body[start:first]), (True, body[first:last])):
                if part:
                    yield guarded, part
            start = last
        else:
            stop = max(stop, start + 1)
            yield False, body[start:stop]
            start = stop


def _guardable(body: Sequence[ast.stmt], index: int, scope: Scope) -> bool:
    if index == 0 and has_docstring(body):
        return False
    return refusal(body[index], scope) is None


def stays_native(node: ast.FunctionDef) -> str | None:
    r"""Return why a definition stays as it is, or None if it can be compiled.

    Where the definition stands is the caller's business: methods and nested
    functions stay native too.

    Examples
    --------
    >>> stays_native(ast.parse("def f(n):\n yield n").body[0])
    'generator function'
    """
    if node.decorator_list:
        return "decorated function"
    return keeps_its_frame(node)


def keeps_its_frame(node: ast.FunctionDef) -> str | None:
    """Return why the body of a function cannot be rewritten, or None.

    Decorators are not looked at.
    """
    if getattr(node, "type_params", []):
        return "type parameters"
    return keeps_frame(node.body)


def keeps_frame(body: Sequence[ast.stmt]) -> str | None:
    """Return why some statements of a function cannot be rewritten, or None."""
    nested: list[ast.AST] = []
    for part in in_scope(body):
        if isinstance(part, (ast.Yield, ast.YieldFrom)):
            return "generator function"
        if isinstance(part, (ast.Global, ast.Nonlocal)):
            return "global or nonlocal"
        if isinstance(part, ast.Name) and part.id in FRAME_NAMES:
            return f"uses {part.id}"
        if isinstance(part, (ast.Lambda, ast.ClassDef, *FUNCTIONS)):
            nested.append(part)  # another scope: what it yields or declares is its own
    if any(isinstance(part, ast.Nonlocal) for part in descend(*nested)):
        return "a nested function assigns its names"
    return None
