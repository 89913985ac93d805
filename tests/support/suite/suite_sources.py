"""Sources of tests, written so that more of them can be captured, and nothing means anything else.

``assert_equal(np.sort(x), y)`` and ``assert (x > 0).all()`` are left to Python, with all that
they compute. With names for what they look at, the computation is a statement of its own.
"""

from __future__ import annotations

import ast

TAKES_FUNCTIONS = ("assert_raises", "assert_warns", "assert_no_")
"""Names of assertions that call what they are given."""

_SIMPLE = (ast.Name, ast.Constant, ast.Lambda, ast.GeneratorExp)
_WORK = (ast.Call, ast.BinOp, ast.Compare, ast.Subscript)


def hoisted(source: str) -> str:
    r"""Give names to what assertions look at.

    Examples
    --------
    >>> print(hoisted("def f(x):\n    assert x.sum() == 3\n    assert_equal(x[0], 1)"))
    def f(x):
        _seen_1 = x.sum() == 3
        assert _seen_1
        _seen_2 = x[0]
        assert_equal(_seen_2, 1)
    """
    return ast.unparse(_Hoisting().visit(ast.parse(source)))


class _Hoisting(ast.NodeTransformer):
    def __init__(self) -> None:
        self.count = 0
        self.depth = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.depth += 1
        made = self.generic_visit(node)
        self.depth -= 1
        return made

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        depth, self.depth = self.depth, 0
        made = self.generic_visit(node)
        self.depth = depth
        return made

    def visit_Assert(self, node: ast.Assert) -> ast.AST | list[ast.stmt]:
        if not self.depth or not _works(node.test):
            return node
        named, node.test = self._named(node.test)
        return [named, node]

    def visit_Expr(self, node: ast.Expr) -> ast.AST | list[ast.stmt]:
        call = node.value
        if not self.depth or not isinstance(call, ast.Call) or not _asserts(call.func):
            return node
        if any(isinstance(part, ast.Starred) for part in call.args):
            return node
        before: list[ast.stmt] = []
        for index, argument in enumerate(call.args):
            if not isinstance(argument, _SIMPLE) and _works(argument):
                named, call.args[index] = self._named(argument)
                before.append(named)
        return [*before, node]

    def _named(self, value: ast.expr) -> tuple[ast.stmt, ast.expr]:
        self.count += 1
        name = f"_seen_{self.count}"
        target = ast.Name(name, ast.Store())
        return ast.Assign([target], value, lineno=value.lineno), ast.Name(name, ast.Load())


def _works(node: ast.expr) -> bool:
    return any(isinstance(part, _WORK) for part in ast.walk(node)) and not any(
        isinstance(part, ast.NamedExpr | ast.Await | ast.Yield) for part in ast.walk(node)
    )


def _asserts(function: ast.expr) -> bool:
    name = getattr(function, "attr", getattr(function, "id", ""))
    return name.startswith("assert") and not name.startswith(TAKES_FUNCTIONS)
