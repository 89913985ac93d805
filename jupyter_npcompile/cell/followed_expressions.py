"""Expressions of code that is followed: every operation a hook call."""

from __future__ import annotations

import ast
from typing import cast

from jupyter_npcompile.cell.hooks import HookCalls
from jupyter_npcompile.cell.regions import FRAME_NAMES
from jupyter_npcompile.cell.syntax import Positioned, constant, extent, is_private, load, replaced

_RUNNING = frozenset({"eval", "exec"})
"""What runs code that is not followed, on the names of its caller."""

_UNHOOKED = FRAME_NAMES | {"super"}
"""What looks at the frame of its caller, which must then be the code itself."""


class FollowedExpressions(ast.NodeTransformer, HookCalls):
    """Puts hook calls in the place of operations."""

    def value(self, node: ast.expr) -> ast.expr:
        """The expression in the form that is followed."""
        return cast("ast.expr", self.visit(node))

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        """An operator between two operands."""
        operator = constant(type(node.op).__name__, extent(node))
        return self.hook("binary", node, operator, self.value(node.left), self.value(node.right))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        """An operator before its operand; ``not`` stays what it is, and so does ``-1``."""
        if isinstance(node.op, ast.Not) or isinstance(node.operand, ast.Constant):
            return cast("ast.expr", self.generic_visit(node))
        operator = constant(type(node.op).__name__, extent(node))
        return self.hook("unary", node, operator, self.value(node.operand))

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """One comparison; a chain of them stays what it is."""
        if len(node.ops) > 1:
            return cast("ast.expr", self.generic_visit(node))
        operator = constant(type(node.ops[0]).__name__, extent(node))
        left = self.value(node.left)
        return self.hook("compare", node, operator, left, self.value(node.comparators[0]))

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """Part of something."""
        if not isinstance(node.ctx, ast.Load):
            return cast("ast.expr", self.generic_visit(node))
        value = self.value(node.value)
        return self.hook("subscript", node, value, self._index(node.slice))

    def _index(self, node: ast.expr) -> ast.expr:
        place = extent(node)
        if isinstance(node, ast.Slice):
            parts = (node.lower, node.upper, node.step)
            made = [constant(None, place) if p is None else self.value(p) for p in parts]
            return self.plain_hook("slice", place, made)
        if isinstance(node, ast.Tuple):
            items = [
                self._starred(p) if isinstance(p, ast.Starred) else self._index(p)
                for p in node.elts
            ]
            return ast.Tuple(items, ast.Load(), **place)
        return self.value(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """An attribute that is read."""
        if not isinstance(node.ctx, ast.Load) or is_private(node.attr):
            return cast("ast.expr", self.generic_visit(node))
        name = constant(node.attr, extent(node))
        return self.hook("attribute", node, self.value(node.value), name)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        """A text with values in it."""
        if all(isinstance(part, ast.Constant) for part in node.values):
            return node
        return self.hook("joined", node, *(self.value(part) for part in node.values))

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.expr:
        """Such a value."""
        place = extent(node)
        conversion = constant(node.conversion, place)
        spec = constant("", place) if node.format_spec is None else self.value(node.format_spec)
        return self.hook("formatted", node, self.value(node.value), conversion, spec)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """A call, unless it looks at the frame of its caller."""
        if isinstance(node.func, ast.Name) and node.func.id in _UNHOOKED:
            made = cast("ast.expr", self.generic_visit(node))
            return self._executed(node, made) if node.func.id in _RUNNING else made
        function = self.value(node.func)
        arguments = [self.value(part) for part in node.args]
        keywords = [
            replaced(item, value=self._entry(item.arg, item.value)) for item in node.keywords
        ]
        return self.hook("call", node, function, *arguments, keywords=keywords)

    def visit_Dict(self, node: ast.Dict) -> ast.expr:
        """A dict that is written out, perhaps with those of another one."""
        keys = [None if key is None else self.value(key) for key in node.keys]
        values = [self._entry(*pair) for pair in zip(node.keys, node.values, strict=True)]
        return replaced(node, keys=keys, values=values)

    def _entry(self, key: object, node: ast.expr) -> ast.expr:
        """A value that has a key; without one it is a mapping that is taken apart."""
        value = self.value(node)
        return self.hook("entries", node, value) if key is None else value

    def _executed(self, node: ast.Call, made: ast.expr) -> ast.expr:
        place = extent(node)
        names = ast.Call(load("locals", place), [], [], **place)
        spaces = [part for part in node.args[1:] if isinstance(part, ast.Name)]
        before = self.hook("before_text", node, names, *spaces)
        return self.hook("after_text", node, constant(ast.unparse(node.func), place), before, made)

    def visit_Starred(self, node: ast.Starred) -> ast.expr:
        """Items that are taken out of something."""
        return self._starred(node)

    def _starred(self, node: ast.Starred) -> ast.expr:
        if not isinstance(node.ctx, ast.Load):
            return cast("ast.expr", self.generic_visit(node))
        items = self.hook("iterate", node, self.value(node.value), constant(None, extent(node)))
        return ast.Starred(items, ast.Load(), **extent(node))

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        """A ``for`` in a comprehension."""
        iterable = node.iter if node.is_async else self._iterable(node.iter, node.target)
        if node.is_async:
            iterable = self.value(iterable)
        tests = [self.value(test) for test in node.ifs]
        return ast.comprehension(node.target, iterable, tests, node.is_async)

    def _iterable(self, node: ast.expr, target: ast.expr) -> ast.expr:
        return self.hook("iterate", node, self.value(node), self._pattern(target, node))

    @staticmethod
    def _pattern(target: ast.expr, node: Positioned) -> ast.expr:
        """The shape of a target: None for a name, a tuple for what is taken apart."""

        def shape(part: ast.expr) -> object:
            if isinstance(part, (ast.Tuple, ast.List)):
                return tuple(shape(item) for item in part.elts)
            return None

        return constant(shape(target), extent(node))
