"""Expressions that do their work row by row: see `rows`."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from jupyter_npcompile.cell.syntax import load, point
from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.loops.fusion.fusible import is_among
from jupyter_npcompile.loops.fusion.unrolling import Resolve
from jupyter_npcompile.loops.kinds import ArrayType, Number, SourceType, Type

REDUCING = ("sum", "max", "min", "mean", "any", "all", "argmax", "argmin", "std", "var")
"""Methods and functions that make one element of a line."""

REDUCING_FUNCTIONS = (
    *(np.sum, np.max, np.min, np.mean, np.any, np.all, np.argmax, np.argmin),
    *(np.std, np.var, np.median),
)

_ORDERING = (np.sort, np.cumsum, np.cumprod)
"""Functions that keep the shape of what they do along a line."""

_RUNNING = ("cumsum", "cumprod")
"""Methods that do."""

DRAWING = {
    **dict.fromkeys(("random", "standard_normal", "standard_exponential"), 0),
    **{"exponential": 1, "normal": 2, "uniform": 2, "integers": 2},
}
"""Methods of a generator that draw one element after the other, and which argument is the size."""

COUNT = "0count"
"""The name of the number of rows of a block."""

_ARGUMENTS = {id(np.where): 3, id(np.clip): 3, id(abs): 1}
"""Other functions that are done element by element, and how many arguments they have then."""


class NotByRows(Exception):  # noqa: N818 - it names a verdict, not a mistake
    """Something that is not done row by row."""


@dataclass(frozen=True)
class Kind:
    """What is known of an expression.

    Parameters
    ----------
    ndim : int
        Number of dimensions; 0 for a number.
    by_rows : bool
        Whether it has the axis of the rows; else it is the same for all of them.
    is_one : bool
        Whether that axis has one element, for all rows.
    """

    ndim: int
    by_rows: bool = False
    is_one: bool = False


NUMBER = Kind(0)

Part = tuple[Kind, ast.expr]
"""An expression as it is for some of the rows."""


@dataclass
class RowExpressions:
    """What is known of statements that do their work row by row, and of expressions in them.

    Parameters
    ----------
    env : mapping of str to Type
        The types of names before the statements.
    resolve : callable
        The value of a name that nothing assigns; raises LookupError where nobody knows it.
    ndim : int
        Number of dimensions of the arrays that have rows.
    by_columns : bool
        Whether it is done by columns: their axis is the last, and that of rows is the first.

    Attributes
    ----------
    made : dict of str to Kind
        Names that the statements bind.
    inputs : dict of str to str
        Arrays from outside that are taken row by row, and the names of their parts.
    whole : set of str
        Arrays from outside that are the same for all rows.
    as_is : set of str
        All names from outside that are read as they are.
    statements : list of ast.stmt
        As they are for some of the rows.
    passes : int
        How often they go through all elements.
    has_lines : bool
        Whether something needs all elements of a row.
    is_heavy : bool
        Whether something is done again for each block of rows.
    drawn : tuple of ast.expr
        The shape of what a generator draws for all rows, in order; empty for nothing.
    """

    env: Mapping[str, Type]
    resolve: Resolve
    ndim: int
    by_columns: bool = False
    made: dict[str, Kind] = field(default_factory=dict)
    inputs: dict[str, str] = field(default_factory=dict)
    whole: set[str] = field(default_factory=set)
    as_is: set[str] = field(default_factory=set)
    statements: list[ast.stmt] = field(default_factory=list)
    passes: int = 0
    has_lines: bool = False
    is_heavy: bool = False
    drawn: tuple[ast.expr, ...] = ()

    def _keeps_rows(self, ndim: int, parts: Sequence[ast.expr]) -> bool:
        """Whether all rows are left by what stands in square brackets."""
        if not self.by_columns:
            return _is_all(parts[0])
        used = sum(not is_none(part) for part in parts)
        return used < ndim or (used == ndim and _is_all(parts[-1]))

    def expression(self, node: ast.expr) -> Part:
        """An expression for some of the rows.

        Raises
        ------
        NotByRows
            When it is not done row by row.
        """
        place = point(node)
        if isinstance(node, ast.Constant):
            if not isinstance(node.value, int | float | complex):
                raise NotByRows
            return NUMBER, node
        if isinstance(node, ast.Name):
            return self._name(node)
        if isinstance(node, ast.Attribute):
            return self._number(node)
        if isinstance(node, ast.Subscript):
            return self._subscript(node)
        if isinstance(node, ast.BinOp):
            (first, left), (second, right) = self.expression(node.left), self.expression(node.right)
            join = self._product if isinstance(node.op, ast.MatMult) else self._joined
            return join([first, second]), ast.BinOp(left, node.op, right, **place)
        if isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
            kind, operand = self.expression(node.operand)
            return kind, ast.UnaryOp(node.op, operand, **place)
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            if isinstance(node.ops[0], ast.Is | ast.IsNot | ast.In | ast.NotIn):
                raise NotByRows
            (first, left), (second, right) = map(self.expression, (node.left, *node.comparators))
            return self._joined([first, second]), ast.Compare(left, node.ops, [right], **place)
        if isinstance(node, ast.Call):
            return self._call(node)
        raise NotByRows

    def _name(self, node: ast.Name) -> Part:
        name = node.id
        if name in self.made:
            return self.made[name], load(of_rows(name), point(node))
        known = self.env.get(name)
        if isinstance(known, Number):
            self.as_is.add(name)
            return NUMBER, node
        if not isinstance(known, ArrayType):
            return self._number(node)
        if known.ndim == self.ndim or (self.by_columns and not known.thin):
            return Kind(known.ndim, True), self._row(node)
        if known.ndim > self.ndim:
            raise NotByRows
        kind, same = self._same(name, node, known.ndim)
        return Kind(kind.ndim, is_one=known.thin and self.by_columns), same

    def _row(self, node: ast.Name) -> ast.Name:
        """An array from outside, of which the rows are taken."""
        if node.id in self.whole:
            raise NotByRows
        self.inputs[node.id] = f"0rows_{node.id}"
        return load(self.inputs[node.id], point(node))

    def _same(self, name: str, node: ast.expr, ndim: int) -> Part:
        """An array from outside that is the same for all rows."""
        if name in self.inputs:
            raise NotByRows
        self.whole.add(name)
        self.as_is.add(name)
        return Kind(ndim), node

    def _number(self, node: ast.expr) -> Part:
        """A number from outside, which is known now."""
        try:
            value = self.resolve(node)
        except LookupError:
            raise NotByRows from None
        if not isinstance(value, int | float | complex | np.number):
            raise NotByRows
        return NUMBER, node

    def _joined(self, kinds: Sequence[Kind]) -> Kind:
        """What is done element by element on several."""
        rows = {kind.ndim for kind in kinds if kind.by_rows}
        most = max(kind.ndim for kind in kinds)
        if not rows:
            self.is_heavy |= most > 0
            return Kind(most)
        if self.by_columns:
            if any(k.ndim and not (k.by_rows or k.is_one) for k in kinds):
                raise NotByRows
        elif rows != {most} or any(k.ndim == most and not (k.by_rows or k.is_one) for k in kinds):
            raise NotByRows
        return Kind(most, True)

    def _product(self, kinds: Sequence[Kind]) -> Kind:
        """A product of stacks of matrices: one of each stack is a row."""
        left, right = kinds
        if (
            self.by_columns
            or not (left.by_rows and right.by_rows)
            or not left.ndim == right.ndim >= 3
        ):
            raise NotByRows
        self.has_lines = True
        self.passes += 1
        return left

    def _call(self, node: ast.Call) -> Part:
        if any(isinstance(arg, ast.Starred) for arg in node.args):
            raise NotByRows
        if node.args and self._accumulates(node.func):
            kind, value = self.expression(node.args[0])
            made = self._reduced(kind, node, node.args[1:], keeps=True)
            return made, ast.Call(node.func, [value, *node.args[1:]], node.keywords, **point(node))
        try:
            function = self.resolve(node.func)
        except LookupError:
            return self._method(node)
        if isinstance(function, np.ufunc):
            if function.signature is not None or node.keywords or len(node.args) != function.nin:
                raise NotByRows
            if function.nout != 1:
                raise NotByRows
        elif is_among(function, (*REDUCING_FUNCTIONS, *_ORDERING)):
            if not node.args:
                raise NotByRows
            kind, value = self.expression(node.args[0])
            keeps = not is_among(function, REDUCING_FUNCTIONS)
            made = self._reduced(kind, node, node.args[1:], keeps=keeps)
            return made, ast.Call(node.func, [value, *node.args[1:]], node.keywords, **point(node))
        elif node.keywords or len(node.args) != _ARGUMENTS.get(id(function)):
            raise NotByRows
        parts = [self.expression(arg) for arg in node.args]
        call = ast.Call(node.func, [value for _, value in parts], [], **point(node))
        return self._joined([kind for kind, _ in parts]), call

    def _method(self, node: ast.Call) -> Part:
        name = method_of(node)
        if not name:
            raise NotByRows
        assert isinstance(node.func, ast.Attribute)
        kind, owner = self.expression(node.func.value)
        function = ast.Attribute(owner, name, ast.Load(), **point(node.func))
        if name in (*REDUCING, *_RUNNING):
            made = self._reduced(kind, node, node.args, keeps=name in _RUNNING)
        elif self.by_columns or not kind.by_rows or node.keywords:
            raise NotByRows
        elif name in ("transpose", "swapaxes"):
            axes = [_axis(arg, kind.ndim) for arg in node.args]
            first = axes[:1] == [0] and len(axes) == kind.ndim
            if not (first if name == "transpose" else len(axes) == 2 and 0 not in axes):
                raise NotByRows
            made = kind
        else:
            raise NotByRows
        return made, ast.Call(function, node.args, node.keywords, **point(node))

    def drawing(self, node: ast.expr) -> Part | None:
        """Random numbers for all rows, drawn for some of them; None for anything else.

        The first row has the first of them, and so on: nothing else may be drawn in between.
        """
        size = size_drawn(node, self.env)
        if size is None or self.by_columns or self.drawn or self.statements:
            return None
        assert isinstance(node, ast.Call)
        place = point(size)
        if len(size.elts) != self.ndim:
            raise NotByRows
        others = [part for part in node.args if part is not size]
        others += [keyword.value for keyword in node.keywords if keyword.value is not size]
        for part in (*size.elts, *others):
            self._count(part)
        self.drawn = tuple(size.elts)
        some = ast.Tuple([load(COUNT, place), *size.elts[1:]], ast.Load(), **place)
        args = [some if part is size else part for part in node.args]
        keywords = [
            ast.keyword(key.arg, some) if key.value is size else key for key in node.keywords
        ]
        return Kind(self.ndim, True), ast.Call(node.func, args, keywords, **point(node))

    def _count(self, node: ast.expr) -> None:
        """Look whether this is a number from outside, or the length of an array."""
        if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
            (owner,) = node.args
            try:
                is_length = self.resolve(node.func) is len
            except LookupError:
                is_length = False
            if is_length and isinstance(owner, ast.Name) and owner.id not in self.made:
                self.as_is.add(owner.id)
                return
        kind, same = self.expression(node)
        if kind != NUMBER or ast.dump(same) != ast.dump(node):
            raise NotByRows

    def _chosen(self, node: ast.Subscript) -> Part | None:
        """Elements of a row of numbers, at places that are as many in each row; else None."""
        owner, index = node.value, node.slice
        if not isinstance(owner, ast.Name) or not isinstance(index, ast.Name) or self.by_columns:
            return None
        known, kind = self.env.get(owner.id), self.made.get(index.id)
        if owner.id in self.made or not isinstance(known, ArrayType) or known.ndim != 1:
            return None
        if kind is None or not kind.by_rows or kind.ndim < 2:  # or it may be a mask
            return None
        _, value = self._same(owner.id, owner, 1)
        places = load(of_rows(index.id), point(index))
        return kind, ast.Subscript(value, places, ast.Load(), **point(node))

    def _accumulates(self, node: ast.expr) -> bool:
        """Whether this is ``np.maximum.accumulate``, or its like."""
        if not isinstance(node, ast.Attribute) or node.attr != "accumulate":
            return False
        try:
            return isinstance(self.resolve(node.value), np.ufunc)
        except LookupError:
            return False

    def _reduced(
        self, kind: Kind, node: ast.Call, args: Sequence[ast.expr], *, keeps: bool = False
    ) -> Kind:
        """What is done along other axes than that of the rows."""
        given = {keyword.arg or "": keyword.value for keyword in node.keywords}
        if len(args) > 1 or (args and "axis" in given) or set(given) - {"axis", "keepdims", "ddof"}:
            raise NotByRows
        axis = args[0] if args else given.get("axis")
        if axis is None or not kind.by_rows:
            raise NotByRows
        axes = axis.elts if isinstance(axis, ast.Tuple) else [axis]
        places = {_axis(item, kind.ndim) for item in axes}
        own = kind.ndim - 1 if self.by_columns else 0
        if own in places or (keeps and len(axes) != 1):
            raise NotByRows
        keeps = keeps or bool(_literal(given.get("keepdims", ast.Constant(False))))
        _literal(given.get("ddof", ast.Constant(0)))
        self.passes += 1
        self.has_lines = True
        return Kind(kind.ndim if keeps else kind.ndim - len(places), True)

    def _subscript(self, node: ast.Subscript) -> Part:
        chosen = self._chosen(node)
        if chosen is not None:
            return chosen
        place, parts = point(node), parts_of(node)
        if isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
            return self._length(node)
        added = sum(is_none(part) for part in parts)
        lost = sum(not is_none(part) and not is_slice(part) for part in parts)
        items = [self._index(part) for part in parts]
        owner, value = node.value, node.value
        known = self.env.get(owner.id) if isinstance(owner, ast.Name) else None
        is_outside = isinstance(owner, ast.Name) and owner.id not in self.made
        if isinstance(owner, ast.Name) and is_outside and isinstance(known, ArrayType):
            becomes = known.ndim + added - lost
            is_column = _is_all(parts[0]) and known.ndim < self.ndim == becomes
            if self.by_columns and not known.thin:
                kind, value = Kind(known.ndim, True), self._row(owner)
            elif (known.ndim < self.ndim and not is_column) or is_none(parts[0]):
                kind, value = self._same(owner.id, owner, known.ndim)
            else:
                kind, value = Kind(known.ndim, True), self._row(owner)
        else:
            kind, value = self.expression(owner)
        if kind.ndim < len(parts) - added or (
            kind.by_rows and not self._keeps_rows(kind.ndim, parts)
        ):
            raise NotByRows
        index = items[0] if len(items) == 1 else ast.Tuple(items, ast.Load(), **place)
        made = ast.Subscript(value, index, ast.Load(), **place)
        is_one = not kind.by_rows and is_none(parts[-1 if self.by_columns else 0])
        return Kind(kind.ndim + added - lost, kind.by_rows, is_one), made

    def _length(self, node: ast.Subscript) -> Part:
        """``x.shape[1]``, of an array from outside, which is read as it is."""
        assert isinstance(node.value, ast.Attribute)
        owner = node.value.value
        if not isinstance(owner, ast.Name) or owner.id in self.made or _literal(node.slice) is None:
            raise NotByRows
        self.as_is.add(owner.id)
        return NUMBER, node

    def _index(self, node: ast.expr, *, arrays: bool = False) -> ast.expr:
        """What stands in square brackets, which is the same for all rows."""
        if is_none(node):
            return node
        bounds = [node]
        if isinstance(node, ast.Slice):
            bounds = [b for b in (node.lower, node.upper, node.step) if b is not None]
        for bound in bounds:
            kind, same = self.expression(bound)
            if kind != NUMBER and not (arrays and isinstance(same, ast.Name) and not kind.by_rows):
                raise NotByRows
            if ast.dump(same) != ast.dump(bound):
                raise NotByRows
        return node


def size_drawn(node: ast.expr, env: Mapping[str, Type]) -> ast.Tuple | None:
    """The shape of several dimensions for which a generator draws; None for anything else."""
    name = method_of(node) if isinstance(node, ast.Call) else ""
    if name not in DRAWING:
        return None
    assert isinstance(node, ast.Call)
    assert isinstance(node.func, ast.Attribute)
    owner = node.func.value
    if not isinstance(owner, ast.Name) or not isinstance(env.get(owner.id), SourceType):
        return None
    given = {keyword.arg: keyword.value for keyword in node.keywords}
    place = DRAWING[name]
    size = given.get("size", node.args[place] if len(node.args) > place else None)
    if not set(given) <= {"size", "low", "high", "loc", "scale"}:
        return None
    return size if isinstance(size, ast.Tuple) and len(size.elts) > 1 else None


def of_rows(name: str) -> str:
    """The name of what is made of some rows; no name of the user's begins with a digit.

    Examples
    --------
    >>> of_rows("x")
    '0by_x'
    """
    return f"0by_{name}"


def parts_of(node: ast.Subscript) -> Sequence[ast.expr]:
    """What stands in square brackets."""
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]


def is_slice(node: ast.expr) -> bool:
    """Whether an index is a slice."""
    return isinstance(node, ast.Slice)


def _is_all(node: ast.expr) -> bool:
    return isinstance(node, ast.Slice) and (node.lower, node.upper, node.step) == (None,) * 3


def is_none(node: ast.expr) -> bool:
    """Whether an index adds an axis."""
    return isinstance(node, ast.Constant) and node.value is None


def method_of(node: ast.Call) -> str:
    """The name of a method, or of a function in a module."""
    return node.func.attr if isinstance(node.func, ast.Attribute) else ""


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise NotByRows from None


def _axis(node: ast.expr, ndim: int) -> int:
    """An axis, counted from the first."""
    axis = _literal(node)
    if type(axis) is not int or not -ndim <= axis < ndim:
        raise NotByRows
    return axis % ndim
