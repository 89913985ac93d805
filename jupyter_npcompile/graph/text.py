"""A captured graph as stable, readable text: one line per operation.

The text depends on what was captured and on nothing else: nodes are numbered
again in order, types carry no strides unless they are not in C order, long
constants are cut short. Tests compare it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import EllipsisType

from jupyter_npcompile.graph.amounts import size as amount
from jupyter_npcompile.graph.constants import constant, itemsize, number, printable, shorten
from jupyter_npcompile.graph.nodes import (
    Argument,
    Constant,
    DType,
    Graph,
    Node,
    Position,
    Ref,
    Size,
    Slice,
    ValueType,
    references,
)

COMMENT_COLUMN = 60
"""Comments stand in one column, but not further right than this."""

WIDTH = 100
"""A header longer than this is written with one input per line."""

ITEMS = 16
"""Elements of a literal tuple or list that are printed before it is cut short."""


def to_text(
    graph: Graph, notes: Mapping[int, str] | None = None, *, most: int | None = None
) -> str:
    """Write a graph as text.

    Parameters
    ----------
    graph : Graph
        A graph of either level.
    notes : mapping of int to str, optional
        What else is said of nodes, by id.
    most : int, optional
        How many operations are written; with fewer than there are, the text ends there.

    Returns
    -------
    str
        One line for the inputs, one per operation, one for the outputs and,
        where inputs are written in place, one that names them.

    Examples
    --------
    >>> vector = ValueType("array", "float64", (4,), (8,))
    >>> x = Node(0, "input", name="x", types=(vector,))
    >>> half = Node(1, "numpy.multiply", (Ref(0), 0.5), types=(vector,), position=Position(2, 4))
    >>> from jupyter_npcompile.graph.nodes import Output
    >>> print(to_text(Graph("numpy", (x,), (half,), (Output("y", Ref(1)),))))
    numpy (x: float64[4]):
      %0: float64[4] = multiply(x, 0.5)  # 2:4
      return y=%0
    """
    labels = value_names(graph)
    more = notes or {}
    shown = graph.nodes[:most]
    body = [
        (
            operation(node, labels),
            ", ".join(filter(None, (comment(node, labels), more.get(node.id)))),
        )
        for node in shown
    ]
    longest = max((len(text) for text, note in body if note), default=0)
    column = min(longest, COMMENT_COLUMN)
    lines = [_header(graph, labels)]
    lines += [f"  {text:{column}}  # {note}" if note else f"  {text}" for text, note in body]
    if len(shown) < len(graph.nodes):
        return "\n".join(lines)
    results = ", ".join(
        f"{printable(output.name)}={argument(output.value, labels)}" for output in graph.outputs
    )
    lines.append(f"  return {results}".rstrip())
    if graph.writes:
        lines.append("  writes " + ", ".join(label(id, labels) for id in graph.writes))
    return "\n".join(lines)


def height(graph: Graph) -> int:
    """How many lines `to_text` writes.

    Examples
    --------
    >>> height(Graph("numpy"))
    2
    """
    header = _header(graph, value_names(graph)).count("\n") + 1
    return header + len(graph.nodes) + 1 + bool(graph.writes)


def value_names(graph: Graph) -> dict[int, str]:
    """How the text calls each value: inputs by name, others ``%0``, ``%1``, ...

    Two inputs of one name, or without a name, are told apart by a number. What a loop makes has a
    number, too, where something is bound to it.
    """
    labels: dict[int, str] = {}
    taken: set[str] = set()
    for place, node in enumerate(graph.inputs):
        wanted = printable(node.name) or f"input{place}"
        name, attempt = wanted, 2
        while name in taken:
            name, attempt = f"{wanted}.{attempt}", attempt + 1
        taken.add(name)
        labels[node.id] = name
    bound = {id for output in graph.outputs for id in references(output.value)}
    results = (node for node in graph.nodes if node.types or node.id in bound)
    labels.update({node.id: f"%{place}" for place, node in enumerate(results)})
    return labels


def operation(node: Node, labels: dict[int, str]) -> str:
    """One operation with its results, as it stands in the text."""
    parts = [argument(part, labels) for part in node.args]
    parts += [f"{printable(name)}={argument(part, labels)}" for name, part in node.kwargs.items()]
    call = f"{op_name(node.op)}({', '.join(parts)})"
    if not node.types:
        return f"{labels[node.id]} = {call}" if node.id in labels else call
    types = [type_text(type) for type in node.types]
    result = types[0] if len(types) == 1 else f"({', '.join(types)})"
    return f"{label(node.id, labels)}: {result} = {call}"


def comment(node: Node, labels: dict[int, str]) -> str:
    """Where an operation stands and which memory it shares or writes."""
    notes = []
    if node.position != Position(0, 0):
        notes.append(f"{node.position.line}:{node.position.column}")
    if node.scope:
        notes.append(f"in {printable(node.scope)}")
    if node.view_of is not None and node.view_of not in node.writes:
        notes.append(f"view of {label(node.view_of, labels)}")
    if node.writes:
        notes.append("writes " + ", ".join(label(id, labels) for id in node.writes))
    if node.moves:
        notes.append(f"moves {amount(node.moves)}")
    return ", ".join(notes)


def op_name(op: str) -> str:
    """Short name of an operation.

    Examples
    --------
    >>> op_name("numpy.linalg.solve"), op_name("ndarray.sum"), op_name("aten.mul.Tensor")
    ('linalg.solve', '.sum', 'aten.mul.Tensor')
    """
    if op.startswith("ndarray."):
        return printable(op.removeprefix("ndarray"))
    return printable(op.removeprefix("numpy.").removeprefix("kernel."))


def type_text(type: ValueType) -> str:
    """Type of a value, with its layout where that is not C order.

    Strides are counted in elements where the dtype allows it.

    Examples
    --------
    >>> type_text(ValueType("array", "float64", (3, 4), (8, 24)))
    'float64[3,4] F'
    >>> type_text(ValueType("array", "float64", (3,), (16,)))
    'float64[3] strides(2)'
    """
    layout = _layout(type)
    return printable(f"{type} {layout}" if layout else str(type))


def label(id: int, labels: dict[int, str]) -> str:
    """Name of a value; a node that is not in the graph shows as ``%?id``."""
    return labels.get(id, f"%?{id}")


def argument(value: Argument, labels: dict[int, str]) -> str:
    """One argument, index or output, written much as Python would.

    Examples
    --------
    >>> argument((Slice(1, -1), None, [0, 2], ...), {})
    '(1:-1, None, [0, 2], ...)'
    """
    match value:
        case Ref(id):
            return label(id, labels)
        case DType(name):
            return printable(name)
        case Constant():
            return printable(constant(value))
        case Size(text, values):
            return text or str(values[0])
        case Slice():
            return _slice(value, labels)
        case None:
            return "None"
        case str():
            return shorten(printable(repr(value)), 60)
        case EllipsisType():
            return "..."
        case tuple():
            return f"({_items(value, labels)}{',' if len(value) == 1 else ''})"
        case list():
            return f"[{_items(value, labels)}]"
        case _:
            return number(value)


def _items(values: Iterable[Argument], labels: dict[int, str]) -> str:
    found = [argument(part, labels) for part in values]
    if len(found) > ITEMS:
        found[ITEMS - 1 :] = [f"… {len(found) - ITEMS + 1} more"]
    return ", ".join(found)


def _slice(value: Slice, labels: dict[int, str]) -> str:
    def part(bound: Argument) -> str:
        return "" if bound is None else argument(bound, labels)

    text = f"{part(value.start)}:{part(value.stop)}"
    return text if value.step is None else f"{text}:{part(value.step)}"


def _header(graph: Graph, labels: dict[int, str]) -> str:
    inputs = [
        f"{labels[node.id]}: {', '.join(map(type_text, node.types))}".removesuffix(": ")
        for node in graph.inputs
    ]
    line = f"{graph.level} ({', '.join(inputs)}):"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"{graph.level} (", *(f"    {part}," for part in inputs), "  ):"])


def _layout(type: ValueType) -> str:
    shape, strides = type.shape, type.strides
    if type.kind != "array" or len(strides) != len(shape) or 0 in shape:
        return ""
    size = itemsize(type.dtype)
    if size is None:
        # Unknown width: the innermost stride of a packed array is the only clue.
        size = min((abs(stride) for stride in strides if stride), default=1)
    if _packed(shape[::-1], strides[::-1], size):
        return ""
    if _packed(shape, strides, size):
        return "F"
    if all(stride % size == 0 for stride in strides):
        return f"strides({','.join(str(stride // size) for stride in strides)})"
    return f"strides({','.join(map(str, strides))} bytes)"


def _packed(shape: tuple[int, ...], strides: tuple[int, ...], size: int) -> bool:
    """Whether elements lie close together, the first axis varying fastest."""
    return all(
        length == 1 or stride == expected
        for length, stride, expected in zip(shape, strides, _steps(shape, size), strict=True)
    )


def _steps(shape: tuple[int, ...], size: int) -> Iterator[int]:
    for length in shape:
        yield size
        size *= length
