"""Symbolic sizes while a graph is lowered: torch's integers that stand for any value.

Whatever a lowering asks of such an integer (is it larger than that one?) is
answered for the recorded sizes, and noted as a condition: the lowered graph
holds for sizes that meet all conditions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch

from jupyter_npcompile.graph.nodes import Argument, Graph, Node, Size, Slice, ValueType
from jupyter_npcompile.tracer.lowering.errors import UnsupportedError

if TYPE_CHECKING:
    # Importing them takes longer than torch itself, and only symbols need them: the first
    # gradient of a session has none.
    from torch.fx.experimental.symbolic_shapes import ShapeEnv

Integer = int | torch.SymInt


class Symbols:
    """Symbolic integers for the sizes of a general graph.

    Parameters
    ----------
    sizes : sequence of Size
        Its symbols; none for an ordinary graph.

    Attributes
    ----------
    environment : ShapeEnv or None
        Where torch notes conditions; None where no size is symbolic.
    integers : list of torch.SymInt
        One for each symbol.
    free : bool
        Whether some of them are inputs that change from call to call.
    """

    def __init__(self, sizes: Sequence[Size]) -> None:
        self.sizes = tuple(sizes)
        self.free = False
        self.environment = _environment() if sizes else None
        self.integers = [self._integer(size) for size in sizes]
        self._names = {
            integer.node.expr: _symbol(size.text)
            for size, integer in zip(self.sizes, self.integers, strict=True)
        }
        self._known = {s.text: i for s, i in zip(self.sizes, self.integers, strict=True)}

    def _integer(self, size: Size) -> torch.SymInt:
        from torch._dynamo.source import ConstantSource
        from torch.fx.experimental.symbolic_shapes import DimDynamic

        assert self.environment is not None
        source = ConstantSource(size.text)
        symbol = self.environment.create_symbol(
            size.values[0], source, dynamic_dim=DimDynamic.DYNAMIC, constraint_dim=None
        )
        made: Any = self.environment.create_symintnode(symbol, hint=size.values[0], source=source)
        assert isinstance(made, torch.SymInt)
        return made

    def value(self, size: Size) -> Integer:
        """The integer that a size stands for; the recorded one where nobody knows what it is."""
        if not size.text or not self.integers:
            return size.values[0]
        made: Integer = eval(size.text, {"__builtins__": {}, **self._known})
        return made

    def resolved(self, graph: Graph) -> Graph:
        """The graph with integers of torch's in the place of sizes."""
        if not self.integers:
            return graph
        return replace(
            graph,
            inputs=tuple(map(self._node, graph.inputs)),
            nodes=tuple(map(self._node, graph.nodes)),
        )

    def _node(self, node: Node) -> Node:
        return replace(
            node,
            args=tuple(map(self._argument, node.args)),
            kwargs={name: self._argument(value) for name, value in node.kwargs.items()},
            types=tuple(map(self._type, node.types)),
        )

    def _type(self, kind: ValueType) -> ValueType:
        shape: Any = tuple(map(self._argument, kind.shape))
        strides: Any = tuple(map(self._argument, kind.strides))
        return replace(kind, shape=shape, strides=strides)

    def _argument(self, value: Argument) -> Any:
        if isinstance(value, Size):
            return self.value(value)
        if isinstance(value, Slice):
            return Slice(*map(self._argument, (value.start, value.stop, value.step)))
        if isinstance(value, tuple | list):
            return type(value)(map(self._argument, value))
        return value

    # -- what became of them

    def text(self, integer: Integer) -> str:
        """An integer as an expression of the symbols, in Python's syntax."""
        if isinstance(integer, int):
            return str(integer)
        return self._written(integer.node.expr)

    def conditions(self) -> tuple[str, ...]:
        """What was taken for granted about the symbols so far, in Python's syntax.

        Raises
        ------
        UnsupportedError
            When something depends on more than the symbols.
        """
        environment = self.environment
        if environment is None:
            return ()
        import sympy  # type: ignore[import-untyped]

        found = [self._written(guard.expr) for guard in environment.guards]
        for symbol in self._names:
            text = self._written(symbol)
            bounds = environment.var_to_range[symbol]
            found.append(f"{text} >= {int(bounds.lower)}")
            if isinstance(bounds.upper, sympy.Integer):
                found.append(f"{text} <= {int(bounds.upper)}")
            if symbol in environment.replacements:
                found.append(f"{text} == {self._written(environment.replacements[symbol])}")
        return tuple(dict.fromkeys(found))

    def _written(self, expression: Any) -> str:
        renamed = expression.xreplace(self._names)
        if renamed.free_symbols - set(self._names.values()):
            raise UnsupportedError("a size depends on the data")
        from torch.utils._sympy.printers import PythonPrinter

        return str(PythonPrinter().doprint(renamed))


def _environment() -> ShapeEnv:
    from torch.fx.experimental.symbolic_shapes import ShapeEnv

    return ShapeEnv(duck_shape=False)


def _symbol(text: str) -> Any:
    import sympy

    return sympy.Symbol(text, integer=True)


def hint(integer: Integer) -> int:
    """The recorded value of an integer; nothing is taken for granted by asking."""
    return integer if isinstance(integer, int) else int(integer.node.hint)


def key(integer: Any) -> object:
    """What is equal for equal integers: symbolic ones have no hash."""
    return integer.node.expr if isinstance(integer, torch.SymInt) else integer


def tensor(integer: Any) -> torch.Tensor | None:
    """A symbolic integer as a 0-d tensor; None for any other."""
    if not isinstance(integer, torch.SymInt):
        return None
    number: Any = integer
    return torch.full((), number, dtype=torch.int64)


def is_integer(value: object) -> bool:
    """Whether a value is a Python integer, symbolic or not, and no truth value."""
    return type(value) is int or isinstance(value, torch.SymInt)
