"""``np.vectorize`` of a function of numbers becomes a function of arrays."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from jupyter_npcompile.cell.rewrites.candidates import (
    Candidate,
    Situation,
    names_bound,
    numpy_function,
    statements,
)
from jupyter_npcompile.cell.rewrites.text import CellText, Edit, edited
from jupyter_npcompile.cell.syntax import has_docstring

_SAME = (
    *("sin", "cos", "tan", "sinh", "cosh", "tanh", "sqrt", "fabs", "hypot", "isnan", "isinf"),
    *("exp", "expm1", "log", "log2", "log10", "log1p"),
)
_MATH = {
    **{name: name for name in _SAME},
    **{"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2"},
    "pow": "power",
}
"""Functions of ``math`` and what they are called in NumPy."""

_TWO = {"min": "minimum", "max": "maximum"}


class _Scalar(Exception):  # noqa: N818 - it names a property, not a mistake
    """Code that works on single numbers only."""


def vectorized(situation: Situation) -> Iterator[Candidate]:
    """Write the function that ``np.vectorize`` calls for each element in terms of arrays."""
    functions = {
        node.name: node for node in statements(situation.body) if isinstance(node, ast.FunctionDef)
    }
    for statement in statements(situation.body):
        try:
            if isinstance(statement, ast.FunctionDef):
                yield from _decorated(situation, statement)
            elif (line := situation.breaks_at(statement)) is not None:
                yield from _called(situation, statement, line, functions)
        except _Scalar:
            continue


def _called(
    situation: Situation,
    statement: ast.stmt,
    line: int,
    functions: dict[str, ast.FunctionDef],
) -> Iterator[Candidate]:
    text = situation.text
    for call in ast.walk(statement):
        if not (
            isinstance(call, ast.Call)
            and numpy_function(call.func, situation.numpy) == "vectorize"
            and len(call.args) == 1
            and not call.keywords
        ):
            continue
        (function,) = call.args
        other = tuple(sorted(names_bound([statement]))) if statement_binds(statement, call) else ()
        if isinstance(function, ast.Lambda):
            _check_parameters(function.args)
            writer = _Writer(situation)
            parameters = text.source[text.start(function) : text.start(function.body)]
            new = f"{parameters}{writer.array(function.body)}"
            if not other:
                new = f"({new})"
            edits: tuple[Edit, ...] = (text.replace(call, new),)
        elif isinstance(function, ast.Name) and function.id in functions:
            node = functions[function.id]
            name = text.name(f"{function.id}_of_arrays")
            body = _body(situation, node)
            parameters = ", ".join(arg.arg for arg in node.args.args)
            lines = ["", "", f"def {name}({parameters}):", *(f"    {each}" for each in body)]
            edits = (text.after(node, *lines), text.replace(call, name))
        else:
            continue
        title = "write np.vectorize as an array expression"
        notes = tuple(f"{name} is a plain function afterwards" for name in other)
        yield Candidate(line, title, edits, other=other, notes=notes)


def statement_binds(statement: ast.stmt, value: ast.expr) -> bool:
    """Whether a statement gives a name to a value and does nothing else."""
    return (
        isinstance(statement, ast.Assign)
        and statement.value is value
        and all(isinstance(target, ast.Name) for target in statement.targets)
    )


def _decorated(situation: Situation, node: ast.FunctionDef) -> Iterator[Candidate]:
    text = situation.text
    if len(node.decorator_list) != 1 or not situation.lines:
        return
    (decorator,) = node.decorator_list
    if numpy_function(decorator, situation.numpy) != "vectorize":
        return
    body = _body(situation, node)
    first = node.body[1] if has_docstring(node.body) else node.body[0]
    indent = text.indentation(first)
    if indent.strip():
        return
    lines = f"\n{indent}".join(body)
    edits = (
        Edit(text.line_start(decorator), text.start(node), ""),
        Edit(text.start(first), text.end(node.body[-1]), lines),
    )
    line = min((line for line in situation.lines if line >= decorator.lineno), default=None)
    if line is not None:
        title = "write np.vectorize as an array expression"
        notes = (f"{node.name} is a plain function afterwards",)
        yield Candidate(line, title, edits, other=(node.name,), notes=notes)


def _check_parameters(arguments: ast.arguments) -> None:
    extra = (arguments.posonlyargs, arguments.kwonlyargs, arguments.defaults)
    if any(extra) or arguments.vararg or arguments.kwarg:
        raise _Scalar


def _body(situation: Situation, node: ast.FunctionDef) -> list[str]:
    """The statements of a function of arrays that computes what a function of numbers does."""
    _check_parameters(node.args)
    writer = _Writer(situation)
    body = node.body[1:] if has_docstring(node.body) else node.body
    lines = []
    while body and isinstance(body[0], ast.Assign):
        (first, *body) = body
        assert isinstance(first, ast.Assign)
        if len(first.targets) != 1 or not isinstance(first.targets[0], ast.Name):
            raise _Scalar
        lines.append(f"{first.targets[0].id} = {writer.array(first.value)}")
    return [*lines, f"return {writer.returned(body)}"]


class _Writer:
    """Writes expressions of numbers as expressions of arrays; what need not change stays."""

    def __init__(self, situation: Situation) -> None:
        self.text: CellText = situation.text
        self.numpy = situation.numpy

    def returned(self, body: list[ast.stmt]) -> str:
        """What a chain of ``if`` and ``return`` gives."""
        if not body:
            raise _Scalar
        first = body[0]
        if isinstance(first, ast.Return) and first.value is not None:
            return self.array(first.value)
        if not isinstance(first, ast.If):
            raise _Scalar
        after = body[1:]  # where a branch ends without a return, it goes on here
        one = self.returned([*first.body, *after])
        other = self.returned([*first.orelse, *after])
        return f"{self.numpy}.where({self.array(first.test)}, {one}, {other})"

    def array(self, node: ast.expr) -> str:
        """The text of an expression, for arrays."""
        if isinstance(node, ast.Constant | ast.Name):
            return self.text.of(node)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            return self.text.of(node)
        if isinstance(node, ast.IfExp):
            parts = (node.test, node.body, node.orelse)
            return f"{self.numpy}.where({', '.join(map(self.array, parts))})"
        if isinstance(node, ast.BoolOp):
            sign = " & " if isinstance(node.op, ast.And) else " | "
            return sign.join(f"({self.array(value)})" for value in node.values)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return f"~({self.array(node.operand)})"
        if isinstance(node, ast.Compare):
            return self._compared(node)
        if isinstance(node, ast.BinOp | ast.UnaryOp | ast.Call):
            return self._kept(node)
        raise _Scalar

    def _compared(self, node: ast.Compare) -> str:
        if any(isinstance(op, ast.Is | ast.IsNot | ast.In | ast.NotIn) for op in node.ops):
            raise _Scalar
        if len(node.ops) == 1:
            return self._kept(node)
        values = [node.left, *node.comparators]
        parts = []
        for left, right in pairwise(values):
            between = self.text.source[self.text.end(left) : self.text.start(right)].strip()
            parts.append(f"({self.array(left)} {between} {self.array(right)})")
        if any(part.count("(") != part.count(")") for part in parts):
            raise _Scalar
        return " & ".join(parts)

    def _kept(self, node: ast.expr) -> str:
        """The text as it is, but for its parts."""
        children: list[ast.expr] = []
        edits = []
        if isinstance(node, ast.Call):
            edits = [self.text.replace(node.func, self._function(node))]
            children = list(node.args)
            if node.keywords or any(isinstance(child, ast.Starred) for child in children):
                raise _Scalar
        else:
            children = [c for c in ast.iter_child_nodes(node) if isinstance(c, ast.expr)]
        edits += [self.text.replace(child, self.array(child)) for child in children]
        start = self.text.start(node)
        moved = [Edit(edit.start - start, edit.end - start, edit.text) for edit in edits]
        return edited(self.text.of(node), moved)

    def _function(self, call: ast.Call) -> str:
        function = call.func
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            if function.value.id == self.numpy:
                return self.text.of(function)
            if function.value.id == "math" and function.attr in _MATH:
                return f"{self.numpy}.{_MATH[function.attr]}"
        if isinstance(function, ast.Name):
            if function.id == "abs":
                return "abs"
            if function.id in _TWO and len(call.args) == 2:
                return f"{self.numpy}.{_TWO[function.id]}"
        raise _Scalar
