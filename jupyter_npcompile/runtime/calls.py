"""One operation of a captured graph as a piece of Python that can be pasted and run."""

from __future__ import annotations

import ast
import itertools
import linecache
import math
import operator
import string
import types
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph.nodes import Argument, Constant, DType, Node, Ref, Slice
from jupyter_npcompile.runtime.literals import dtype_source, number_source, source
from jupyter_npcompile.tracer.interpret import constant_value
from jupyter_npcompile.tracer.memory import Array, address, owner

_INFIX = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "matmul": "@",
    "lshift": "<<",
    "rshift": ">>",
    "and": "&",
    "or": "|",
    "xor": "^",
    "lt": "<",
    "le": "<=",
    "eq": "==",
    "ne": "!=",
    "ge": ">=",
    "gt": ">",
}
_PREFIX = {"neg": "-", "pos": "+", "invert": "~", "not": "not "}
_INDEXING = {"getitem": "ndarray.__getitem__", "setitem": "ndarray.__setitem__"}
_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Call:
    """One operation, written with names for the values that it is given.

    Parameters
    ----------
    function : str
        What is called, for people: ``"np.cumsum"``.
    text : str
        The expression, or the statement.
    names : tuple of str
        Its free names.
    statement : bool
        Whether it is a statement and has no value.
    """

    function: str
    text: str
    names: tuple[str, ...]
    statement: bool = False

    def function_of_names(self) -> types.FunctionType:
        """A function of the names, with source that can be looked up."""
        lead = "" if self.statement else "return "
        text = f"def call({', '.join(self.names)}):\n    {lead}{self.text}\n"
        filename = f"<npcompile call {next(_numbers)}>"
        linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
        space: dict[str, Any] = {"np": np, "math": math, "operator": operator}
        exec(compile(text, filename, "exec"), space)
        made: types.FunctionType = space["call"]
        return made

    def source(self, values: Sequence[Any]) -> str:
        """The same with the values written out, on one line, ready to be pasted.

        Examples
        --------
        >>> Call("np.cumsum", "np.cumsum(a)", ("a",)).source([np.array([1, 2])])
        'np.cumsum(np.array([1, 2]))'
        """
        given = dict(zip(self.names, values, strict=True))
        lead: list[str] = []
        written: dict[str, str] = {}
        shared = _sharing(given)
        for name, value in given.items():
            uses = _uses(self.text, name)
            if name in shared:
                continue
            if uses == 1 and not (self.statement and self.text.startswith(f"{name}[")):
                written[name] = source(value)
            else:
                lead.append(f"{name} = {source(value)}")
        if shared:
            lead += _views(shared)
        text = _substituted(self.text, written)
        return "; ".join([*lead, text])


def call_of(node: Node) -> Call | None:
    """Write a node as a call; None for what is no call of its own.

    Parameters
    ----------
    node : Node
        Of a NumPy-level graph.

    Examples
    --------
    >>> call_of(Node(3, "numpy.add", (Ref(0), 1), {"out": Ref(0)}))
    Call(function='np.add', text='np.add(a, 1, out=a)', names=('a',), statement=False)
    """
    if node.op == "item":
        return None
    ids = list(dict.fromkeys(node.references()))
    names = dict(zip(ids, _letters(), strict=False))
    writer = _Writer(names)
    args = [writer.text(value) for value in node.args]
    kwargs = [f"{name}={writer.text(value)}" for name, value in node.kwargs.items()]
    text = _expression(node, args, kwargs, writer)
    if text is None:
        return None
    function = _INDEXING.get(node.op) or node.op.replace("numpy.", "np.", 1)
    return Call(function, text, tuple(names[id] for id in ids), node.op == "setitem")


def arguments_of(node: Node) -> list[int]:
    """Ids of the nodes whose values the call of a node is given, in order of its names."""
    return list(dict.fromkeys(node.references()))


def _letters() -> Iterator[str]:
    yield from string.ascii_lowercase
    yield from (f"a{number}" for number in itertools.count(1))


def _expression(node: Node, args: list[str], kwargs: list[str], writer: _Writer) -> str | None:
    space, _, name = node.op.partition(".")
    if node.op in ("getitem", "setitem"):
        place = f"{args[0]}[{writer.index(node.args[1])}]"
        return place if node.op == "getitem" else f"{place} = {args[2]}"
    every = ", ".join((*args, *kwargs))
    if space == "numpy":
        return f"np.{name}({every})"
    if space == "math":
        return f"math.{name}({every})"
    if space == "ndarray":
        if not callable(getattr(np.ndarray, name, None)):
            return f"{args[0]}.{name}"
        return f"{args[0]}.{name}({', '.join((*args[1:], *kwargs))})"
    if space == "python":
        if name in _INFIX and len(args) == 2:
            return f"{args[0]} {_INFIX[name]} {args[1]}"
        if name in _PREFIX and len(args) == 1:
            return f"{_PREFIX[name]}{args[0]}"
        return f"{name}({every})" if name in _BUILTINS else None
    return None


_BUILTINS = ("abs", "bool", "complex", "divmod", "float", "int", "max", "min", "pow", "round")


class _Writer:
    """Writes the arguments of a node."""

    def __init__(self, names: dict[int, str]) -> None:
        self._names = names

    def text(self, value: Argument) -> str:
        if isinstance(value, Ref):
            return self._names[value.id]
        if isinstance(value, DType):
            return dtype_source(np.dtype(value.name))
        if isinstance(value, Constant):
            return source(constant_value(value))
        if isinstance(value, Slice):
            parts = (value.start, value.stop, value.step)
            return f"slice({', '.join(self.text(part) for part in parts)})"
        if isinstance(value, tuple):
            inside = ", ".join(self.text(part) for part in value)
            return f"({inside},)" if len(value) == 1 else f"({inside})"
        if isinstance(value, list):
            return f"[{', '.join(self.text(part) for part in value)}]"
        if isinstance(value, float | complex):
            return number_source(value)
        return "..." if value is ... else repr(value)

    def index(self, value: Argument) -> str:
        """What stands between brackets."""
        if isinstance(value, tuple) and value:
            inside = ", ".join(self._one(part) for part in value)
            return f"{inside}," if len(value) == 1 else inside
        return self._one(value)

    def _one(self, value: Argument) -> str:
        if not isinstance(value, Slice):
            return self.text(value)
        first, last, step = (
            "" if part is None else self.text(part)
            for part in (value.start, value.stop, value.step)
        )
        return f"{first}:{last}" + (f":{step}" if step else "")


# -- values that share memory


def _sharing(given: dict[str, Any]) -> dict[str, Array]:
    """The arrays that share their memory with another one."""
    arrays = {name: v for name, v in given.items() if isinstance(v, np.ndarray) and v.size}
    owners = [id(owner(array)) for array in arrays.values()]
    return {name: a for name, a in arrays.items() if owners.count(id(owner(a))) > 1}


def _views(shared: dict[str, Array]) -> Iterator[str]:
    """Statements that make arrays as views of common memory."""
    groups: dict[int, dict[str, Array]] = {}
    for name, array in shared.items():
        groups.setdefault(id(owner(array)), {})[name] = array
    for number, group in enumerate(groups.values(), 1):
        memory = "memory" if len(groups) == 1 else f"memory{number}"
        content, start = _extent(group)
        yield f"{memory} = {source(content)}"
        for name, array in group.items():
            offset = address(array) - start
            yield (
                f"{name} = np.ndarray({array.shape}, {dtype_source(array.dtype)}, "
                f"{memory}, {offset}, {array.strides})"
            )


def _extent(group: dict[str, Array]) -> tuple[Array, int]:
    """The part of their common memory that arrays use, and its address."""
    base = owner(next(iter(group.values()))).ravel(order="K")
    bounds = [np.lib.array_utils.byte_bounds(array) for array in group.values()]
    step = base.itemsize
    first = (min(low for low, _ in bounds) - address(base)) // step
    last = -(-(max(high for _, high in bounds) - address(base)) // step)
    return base[first:last].copy(), address(base) + first * step


# -- names in a text


def _uses(text: str, name: str) -> int:
    return sum(isinstance(n, ast.Name) and n.id == name for n in ast.walk(ast.parse(text)))


class _Substitution(ast.NodeTransformer):
    def __init__(self, written: dict[str, str]) -> None:
        self._written = written

    def visit_Name(self, node: ast.Name) -> ast.expr:
        text = self._written.get(node.id)
        return node if text is None else ast.parse(text, mode="eval").body


def _substituted(text: str, written: dict[str, str]) -> str:
    return ast.unparse(_Substitution(written).visit(ast.parse(text)))
