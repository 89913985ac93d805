"""Expressions in which every operation is a call of a hook.

A hook call gets the line and column of the operation first, so each recorded
operation knows where it stands. Evaluation keeps Python's order and Python's
laziness: ``and``, ``or`` and chained comparisons stop where Python stops.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from jupyter_npcompile.cell.hooks import HookCalls
from jupyter_npcompile.cell.names import comprehension_targets, local_names
from jupyter_npcompile.cell.regions import FRAME_NAMES
from jupyter_npcompile.cell.syntax import (
    Comprehension,
    Place,
    call,
    clone,
    constant,
    extent,
    is_private,
    load,
    parameters,
    replaced,
    store,
)

_CONVERSIONS = {-1: None, ord("s"): "s", ord("r"): "r", ord("a"): "a"}

_FRAME_DEPENDENT = FRAME_NAMES | {"super", "__class__"}


class Expressions(HookCalls):
    """Rewrites expressions of one region or helper."""

    _thunks = 0

    def value(self, node: ast.expr) -> ast.expr:
        """Return `node` with every operation replaced by a hook call."""
        rewrite = _REWRITES.get(type(node))
        if rewrite is None:
            raise self.refuse(node, _REFUSED.get(type(node).__name__, type(node).__name__))
        return rewrite(self, node)

    def values(self, nodes: Sequence[ast.expr]) -> list[ast.expr]:
        """Rewrite `nodes` in order."""
        return [self.value(node) for node in nodes]

    def condition(self, node: ast.expr) -> ast.expr:
        """Return `node` as the test of a jump: only its truth counts."""
        place = extent(node)
        if isinstance(node, ast.Constant):
            return clone(node)
        if isinstance(node, ast.BoolOp):
            tests = [self.condition(value) for value in node.values]
            return ast.BoolOp(op=node.op, values=tests, **place)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return ast.UnaryOp(op=node.op, operand=self.condition(node.operand), **place)
        if isinstance(node, ast.IfExp):
            return ast.IfExp(
                test=self.condition(node.test),
                body=self.condition(node.body),
                orelse=self.condition(node.orelse),
                **place,
            )
        if isinstance(node, ast.Compare) and len(node.ops) > 1:
            return self._chain(node, as_test=True)
        return self.hook("truth", node, self.value(node))

    def iterable(self, node: ast.expr) -> ast.expr:
        """Return what a loop over `node` iterates over."""
        return self.hook("iterate", node, self.value(node))

    def index(self, node: ast.expr) -> ast.expr:
        """Return the index of a subscript, with slices made by a hook."""
        place = extent(node)
        if isinstance(node, ast.Slice):
            parts = (node.lower, node.upper, node.step)
            return self.plain_hook(
                "slice",
                place,
                [constant(None, place) if part is None else self.value(part) for part in parts],
            )
        if isinstance(node, ast.Tuple):
            return ast.Tuple([self.index(part) for part in node.elts], ast.Load(), **place)
        return self.value(node)

    # One method per kind of expression; _REWRITES names them.

    def _constant(self, node: ast.Constant) -> ast.expr:
        return clone(node)

    def _name(self, node: ast.Name) -> ast.expr:
        if node.id in _FRAME_DEPENDENT and not any(node.id in scope for scope in self.scopes):
            raise self.refuse(node, f"uses {node.id}")
        return self.name(node.id, extent(node))

    def _starred(self, node: ast.Starred) -> ast.expr:
        return ast.Starred(value=self.iterable(node.value), ctx=ast.Load(), **extent(node))

    def _display(self, node: ast.Tuple | ast.List | ast.Set) -> ast.expr:
        return replaced(node, elts=self.values(node.elts))

    def _dict(self, node: ast.Dict) -> ast.expr:
        keys: list[ast.expr | None] = []
        values: list[ast.expr] = []
        for key, value in zip(node.keys, node.values, strict=True):
            keys.append(None if key is None else self.value(key))
            values.append(self.value(value))
        return ast.Dict(keys=keys, values=values, **extent(node))

    def _attribute(self, node: ast.Attribute) -> ast.expr:
        if is_private(node.attr):
            raise self.refuse(node, "private name")  # a class may have changed it
        name = constant(node.attr, extent(node))
        return self.hook("attribute", node, self.value(node.value), name)

    def _subscript(self, node: ast.Subscript) -> ast.expr:
        value = self.value(node.value)
        return self.hook("subscript", node, value, self.index(node.slice))

    def _call(self, node: ast.Call) -> ast.expr:
        function = self.value(node.func)
        arguments = self.values(node.args)
        keywords = [replaced(item, value=self.value(item.value)) for item in node.keywords]
        return self.hook("call", node, function, *arguments, keywords=keywords)

    def _binary(self, node: ast.BinOp) -> ast.expr:
        operator = constant(type(node.op).__name__, extent(node))
        left = self.value(node.left)
        return self.hook("binary", node, operator, left, self.value(node.right))

    def _unary(self, node: ast.UnaryOp) -> ast.expr:
        place = extent(node)
        if isinstance(node.op, ast.Not):
            test = self.hook("truth", node.operand, self.value(node.operand))
            return ast.UnaryOp(op=node.op, operand=test, **place)
        if isinstance(node.operand, ast.Constant):
            return clone(node)  # -1 is how a number is written
        operator = constant(type(node.op).__name__, place)
        return self.hook("unary", node, operator, self.value(node.operand))

    def _compare(self, node: ast.Compare) -> ast.expr:
        if len(node.ops) > 1:
            return self._chain(node, as_test=False)
        operator = constant(type(node.ops[0]).__name__, extent(node))
        left = self.value(node.left)
        return self.hook("compare", node, operator, left, self.value(node.comparators[0]))

    def _chain(self, node: ast.Compare, *, as_test: bool) -> ast.expr:
        """Rewrite ``a < b < c``: ``c`` is evaluated only where ``a < b`` holds."""
        place = extent(node)

        def link(position: int, left: str) -> Callable[[str], ast.expr]:
            def compared(right: str) -> ast.expr:
                operator = constant(type(node.ops[position]).__name__, place)
                result: ast.expr = self.hook(
                    "compare", node, operator, load(left, place), load(right, place)
                )
                last = position == len(node.ops) - 1
                if as_test:
                    result = self.hook("truth", node, result)
                if last:
                    return result
                following = node.comparators[position + 1]
                if as_test:
                    rest = self._let(following, link(position + 1, right))
                    return ast.BoolOp(op=ast.And(), values=[result, rest], **place)
                return self._choose(
                    node,
                    result,
                    truthy=lambda _: self._let(following, link(position + 1, right)),
                    falsy=lambda name: load(name, place),
                )

            return compared

        return self._let(
            node.left, lambda left: self._let(node.comparators[0], link(0, left)), eager=True
        )

    def _boolean(self, node: ast.BoolOp) -> ast.expr:
        place = extent(node)
        stops = isinstance(node.op, ast.Or)

        def rest(position: int) -> ast.expr:
            operand = node.values[position]
            value = self._lazily(operand) if position else self.value(operand)
            if position == len(node.values) - 1:
                return value

            def keep(name: str) -> ast.expr:
                return load(name, place)

            def proceed(_: str) -> ast.expr:
                return rest(position + 1)

            truthy, falsy = (keep, proceed) if stops else (proceed, keep)
            return self._choose(operand, value, truthy=truthy, falsy=falsy)

        return rest(0)

    def _choose(
        self,
        node: ast.expr,
        value: ast.expr,
        *,
        truthy: Callable[[str], ast.expr],
        falsy: Callable[[str], ast.expr],
    ) -> ast.expr:
        """Return an expression that evaluates `value` once, tests and may return it."""
        place = extent(node)
        name = self.temporary()
        test = self.hook("truth", node, load(name, place))
        body = ast.IfExp(test=test, body=truthy(name), orelse=falsy(name), **place)
        return self._applied(name, body, value, place)

    def _let(
        self, node: ast.expr, body: Callable[[str], ast.expr], *, eager: bool = False
    ) -> ast.expr:
        """Return `body` of a name that stands for the value of `node`."""
        name = self.temporary()
        value = self.value(node) if eager else self._lazily(node)
        return self._applied(name, body(name), value, extent(node))

    def _applied(self, name: str, body: ast.expr, value: ast.expr, place: Place) -> ast.expr:
        # A lambda works where a := would not, such as in the iterable of a comprehension.
        function = ast.Lambda(args=parameters([name], place), body=body, **place)
        return call(function, [value], place)

    def _lazily(self, node: ast.expr) -> ast.expr:
        """Rewrite an operand that will stand inside a lambda of `_applied`."""
        self._thunks += 1
        value = self.value(node)
        self._thunks -= 1
        return value

    def _named(self, node: ast.NamedExpr) -> ast.expr:
        if self._thunks:
            raise self.refuse(node, "assignment expression (:=) in a lazy operand")
        target = store(node.target.id, extent(node.target))
        return ast.NamedExpr(target=target, value=self.value(node.value), **extent(node))

    def _conditional(self, node: ast.IfExp) -> ast.expr:
        return ast.IfExp(
            test=self.condition(node.test),
            body=self.value(node.body),
            orelse=self.value(node.orelse),
            **extent(node),
        )

    def _lambda(self, node: ast.Lambda) -> ast.expr:
        arguments = self.arguments(node.args)
        thunks, self._thunks = self._thunks, 0
        self.scopes.append(local_names(node))
        body = self.value(node.body)
        self.scopes.pop()
        self._thunks = thunks
        return ast.Lambda(args=arguments, body=body, **extent(node))

    def arguments(self, node: ast.arguments) -> ast.arguments:
        """Return a parameter list without annotations, with rewritten defaults."""
        bare = replaced(
            node,
            defaults=self.values(node.defaults),
            kw_defaults=[None if part is None else self.value(part) for part in node.kw_defaults],
        )
        for part in ast.walk(bare):
            if isinstance(part, ast.arg):
                part.annotation = None
        return bare

    def _comprehension(self, node: Comprehension) -> ast.expr:
        first = self.iterable(node.generators[0].iter)
        self.scopes.append(comprehension_targets(node))
        generators: list[ast.comprehension] = []
        for position, generator in enumerate(node.generators):
            if generator.is_async:
                raise self.refuse(node, "await")
            iterable = self.iterable(generator.iter) if position else first
            made = self._generators(generator.target, iterable)
            made[-1].ifs = [self.condition(test) for test in generator.ifs]
            generators.extend(made)
        if isinstance(node, ast.DictComp):
            result: ast.expr = replaced(
                node,
                key=self.value(node.key),
                value=self.value(node.value),
                generators=generators,
            )
        else:
            result = replaced(node, elt=self.value(node.elt), generators=generators)
        self.scopes.pop()
        return result

    def _generators(self, target: ast.expr, iterable: ast.expr) -> list[ast.comprehension]:
        """Return ``for`` clauses that bind `target`; unpacking takes one more for each tuple."""
        place = extent(target)
        if isinstance(target, ast.Name):
            return [_clause(clone(target), iterable)]
        if not isinstance(target, (ast.Tuple, ast.List)):
            raise self.refuse(target, "assignment target")
        whole = self.temporary()
        clauses = [_clause(store(whole, place), iterable)]
        names: list[ast.expr] = []
        nested: list[tuple[ast.expr, str]] = []
        for element in target.elts:
            inner = element.value if isinstance(element, ast.Starred) else element
            if isinstance(inner, ast.Name):
                names.append(clone(inner))
            else:
                nested.append((inner, self.temporary()))
                names.append(store(nested[-1][1], extent(inner)))
        once = ast.Tuple([self.unpacked(target, load(whole, place))], ast.Load(), **place)
        if names:
            clauses.append(_clause(ast.Tuple(names, ast.Store(), **place), once))
        else:
            clauses.append(_clause(store(self.temporary(), place), once))
        for inner, name in nested:
            value = ast.Tuple([load(name, extent(inner))], ast.Load(), **extent(inner))
            clauses.extend(self._generators(inner, value))
        return clauses

    def _joined(self, node: ast.JoinedStr) -> ast.expr:
        return replaced(node, values=self.values(node.values))

    def _formatted(self, node: ast.FormattedValue) -> ast.expr:
        place = extent(node)
        value = self.value(node.value)
        conversion = constant(_CONVERSIONS[node.conversion], place)
        spec = constant("", place) if node.format_spec is None else self.value(node.format_spec)
        text = self.hook("format", node, value, conversion, spec, at=node.value)
        return ast.FormattedValue(value=text, conversion=-1, format_spec=None, **place)


def _clause(target: ast.expr, iterable: ast.expr) -> ast.comprehension:
    return ast.comprehension(target=target, iter=iterable, ifs=[], is_async=0)


_REWRITES: dict[type[ast.expr], Callable[..., ast.expr]] = {
    ast.Constant: Expressions._constant,
    ast.Name: Expressions._name,
    ast.Starred: Expressions._starred,
    ast.Tuple: Expressions._display,
    ast.List: Expressions._display,
    ast.Set: Expressions._display,
    ast.Dict: Expressions._dict,
    ast.Attribute: Expressions._attribute,
    ast.Subscript: Expressions._subscript,
    ast.Call: Expressions._call,
    ast.BinOp: Expressions._binary,
    ast.UnaryOp: Expressions._unary,
    ast.Compare: Expressions._compare,
    ast.BoolOp: Expressions._boolean,
    ast.NamedExpr: Expressions._named,
    ast.IfExp: Expressions._conditional,
    ast.Lambda: Expressions._lambda,
    ast.ListComp: Expressions._comprehension,
    ast.SetComp: Expressions._comprehension,
    ast.DictComp: Expressions._comprehension,
    ast.GeneratorExp: Expressions._comprehension,
    ast.JoinedStr: Expressions._joined,
    ast.FormattedValue: Expressions._formatted,
}

_REFUSED = {
    "Await": "await",
    "Yield": "yield",
    "YieldFrom": "yield",
    "TemplateStr": "template string",
}
