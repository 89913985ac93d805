"""Kernels and what stands between them as one function in C++. Imports torch.

Between two pieces of native code stands a product of matrices, or a call of a
library. Where that can be made from C++, no Python comes between them: a
gradient is one call then, and an iteration of a loop may have products in it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import field

import numpy as np
import torch
from torch import Tensor
from torch.fx import Node
from torch.fx.node import map_arg

from jupyter_npcompile.autodiff.stages import bases, is_library, is_view
from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.runtime.compile_errors import UnbuildableError
from jupyter_npcompile.runtime.native.scratch import aligned, packed

TYPES = {
    torch.float64: "double",
    torch.float32: "float",
    torch.complex128: "npcompile_complex",
    torch.int64: "int64_t",
    torch.int32: "int32_t",
    torch.int16: "int16_t",
    torch.int8: "int8_t",
    torch.uint8: "uint8_t",
    torch.bool: "bool",
}


class NotNativeError(UnbuildableError):
    """A call is left to Python."""


def demand(condition: bool, reason: str = "operands of another kind") -> None:
    """Make sure that a call has a form in C++.

    Raises
    ------
    NotNativeError
        When it does not.
    """
    if not condition:
        raise NotNativeError(reason)


class Layouts:
    """How values lie in memory: tensors without elements, views of others with their offsets.

    What the graph says of a view is not asked: where its base was put into another order, that
    has changed, too.
    """

    def __init__(self) -> None:
        self._known: dict[Node, Tensor] = {}

    def of(self, node: Node) -> Tensor:
        """The layout of a value.

        Raises
        ------
        NotNativeError
            When it is a view that has to be a copy.
        """
        if node not in self._known:
            self._known[node] = self._found(node)
        return self._known[node]

    def _found(self, node: Node) -> Tensor:
        if node.op == "call_function" and is_view(node) and not is_library(node):
            args, kwargs = map_arg((node.args, node.kwargs), self.of)
            try:
                made: Tensor = node.target(*args, **kwargs)  # type: ignore[operator]
            except RuntimeError as error:
                raise NotNativeError(str(error)) from None
            return made
        value = node.meta["val"]
        if not isinstance(value, Tensor):
            raise NotNativeError("several values")
        strides = tuple(map(int, value.stride()))
        shape = tuple(map(int, value.shape))
        if node.op == "get_attr":  # constants lie row by row
            return torch.empty(shape, dtype=value.dtype, device="meta")
        return torch.empty_strided(shape, strides, dtype=value.dtype, device="meta")


def nbytes(layout: Tensor) -> int:
    """The memory that a value takes."""
    if not layout.numel():
        return 0
    last = sum((n - 1) * s for n, s in zip(layout.shape, layout.stride(), strict=True))
    return (last + 1) * layout.element_size()


def ctype(layout: Tensor) -> str:
    """The type of its elements in C++."""
    if layout.dtype not in TYPES:
        raise NotNativeError(f"elements of {layout.dtype}")
    return TYPES[layout.dtype]


def over(shape: Sequence[int], strides: Sequence[Sequence[int]], statement: str) -> str:
    """A statement for each index; it sees an offset ``o0``, ``o1``, ... for each row of strides.

    Examples
    --------
    >>> over((3,), [(2,)], "x[o0] = 0;")
    'for (int64_t k0 = 0; k0 < 3; ++k0) { const int64_t o0 = k0 * 2; x[o0] = 0; }'
    """
    heads = [f"for (int64_t k{d} = 0; k{d} < {n}; ++k{d}) " for d, n in enumerate(shape)]
    terms = [[f"k{d} * {s}" for d, s in enumerate(row) if s] for row in strides]
    parts = [f"o{k} = {' + '.join(row) or '0'}" for k, row in enumerate(terms)]
    offsets = f"const int64_t {', '.join(parts)}; " if parts else ""
    return f"{''.join(heads)}{{ {offsets}{statement} }}"


def copied(layout: Tensor, source: str, to: str, other: Tensor | None = None) -> str:
    """A statement that copies a value, to where it lies row by row or as another does."""
    kind = ctype(layout)
    other = torch.empty(layout.shape, device="meta") if other is None else other
    move = f"(({kind}*)({to}))[o1] = ((const {kind}*)({source}))[o0];"
    return over(layout.shape, [layout.stride(), other.stride()], move)


Write = Callable[[Sequence[str], Sequence[str], str], Sequence[str]]
"""From the addresses of what a link takes, of what it makes, and of its scratch memory, to
statements."""


@dataclass
class Link:
    """A step of a chain.

    Parameters
    ----------
    takes : list of Node
        What it reads, as it lies in memory.
    makes : list of (Node or None)
        What it writes; None for what nobody needs.
    sizes : list of int
        Of the latter, in bytes.
    write : callable
        Gives its statements: see `Write`. Constants follow what it takes.
    scratch : int
        Bytes that it needs besides.
    constants : list of numpy.ndarray
        Elements that are known.
    is_alias : bool
        Whether it makes nothing new: what it takes, seen as elements of another type.
    """

    takes: list[Node]
    makes: list[Node | None]
    sizes: list[int]
    write: Write
    scratch: int = 0
    constants: list[np.ndarray] = field(default_factory=list)
    is_alias: bool = False


def kernel(
    entry: str,
    takes: list[Node],
    makes: list[Node | None],
    sizes: list[int],
    scratch: int,
    constants: list[np.ndarray],
    rows: Sequence[Tensor] = (),
) -> Link:
    """A link that calls an entry point, be it of a piece or of a loop.

    Parameters
    ----------
    entry : str
        The entry point.
    takes, makes, sizes, scratch, constants
        Of the link.
    rows : sequence of Tensor
        The layouts of what it takes, if it wants that row by row.
    """
    room, places = aligned(scratch), dict[int, int]()
    for k, layout in enumerate(rows):
        if not layout.is_contiguous():
            places[k] = room
            room += aligned(layout.numel() * layout.element_size())

    def write(given: Sequence[str], made: Sequence[str], own: str) -> list[str]:
        addresses = list(given)
        for k, place in places.items():
            addresses[k] = f"{own} + {place}"
        inputs, outputs = ", ".join(addresses) or "nullptr", ", ".join(made) or "nullptr"
        return [
            *(copied(rows[k], given[k], addresses[k]) for k in places),
            f"{{ char* in[] = {{{inputs}}}; char* out[] = {{{outputs}}};",
            f"  if ({entry}(in, out, {own}, sizes)) return 1; }}",
        ]

    return Link(takes, makes, sizes, write, room, constants)


@dataclass
class Chain:
    """A function in C++.

    Parameters
    ----------
    name : str
        Its entry point.
    text : str
        C++.
    scratch : int
        Bytes of scratch memory.
    constants : list of numpy.ndarray
        What it takes after its inputs.
    before : str
        An entry point that is called once before, with the same memory; empty if there is none.
    """

    name: str
    text: str
    scratch: int
    constants: list[np.ndarray]
    before: str = ""


class _Memory:
    """Where values are while a chain runs."""

    def __init__(self, links: Sequence[Link], given: Sequence[Node], once: int) -> None:
        self.links, self.once = links, once
        self.places = {node: f"inputs[{k}]" for k, node in enumerate(given)}
        self.constants: list[np.ndarray] = []
        self._first = len(given)
        self.scratch = 0
        self._nobody: dict[tuple[int, int], str] = {}
        self._rooms: list[str] = []
        self._aliases = {
            node: link.takes[0]
            for link in links
            if link.is_alias
            for node in link.makes
            if node is not None
        }

    def constant(self, array: np.ndarray) -> str:
        """The address of elements that are known."""
        self.constants.append(array)
        return f"inputs[{self._first + len(self.constants) - 1}]"

    def owner(self, node: Node) -> Node:
        """Whose memory a value is in."""
        base, _ = bases(node)
        return self.owner(self._aliases[base]) if base in self._aliases else base

    def is_all(self, node: Node) -> bool:
        """Whether a value is all that is in its memory, as it was made there."""
        return bases(node)[0] is node and (
            node not in self._aliases or self.is_all(self._aliases[node])
        )

    def plan(self, last: dict[Node, int]) -> None:
        """Give memory to what has none; ``last`` says which step uses a value last."""
        wanted: list[tuple[int, int, int]] = []
        for k, link in enumerate(self.links):
            if link.scratch:
                wanted.append((link.scratch, k, k))
            for node, size in zip(link.makes, link.sizes, strict=True):
                if link.is_alias:
                    continue
                if node is None or node not in self.places:
                    until = k if node is None else last.get(node, k)
                    if k < self.once <= until:
                        until = len(self.links)  # it is there in every iteration
                    wanted.append((size, k, until))
        offsets, self.scratch = packed(wanted)
        found = iter(offsets)
        for k, link in enumerate(self.links):
            self._rooms.append(f"(scratch + {next(found)})" if link.scratch else "scratch")
            for n, node in enumerate(link.makes):
                if link.is_alias:
                    continue
                if node is None:
                    self._nobody[k, n] = f"(scratch + {next(found)})"
                elif node not in self.places:
                    self.places[node] = f"(scratch + {next(found)})"

    def statements(self, k: int, layouts: Layouts) -> Sequence[str]:
        """What a link does."""
        link = self.links[k]
        if link.is_alias:
            return []
        given = [self.address(node, layouts) for node in link.takes]
        given += [self.constant(array) for array in link.constants]
        made = [
            self._nobody[k, n] if node is None else self.places[node]
            for n, node in enumerate(link.makes)
        ]
        return link.write(given, made, self._rooms[k])

    def address(self, node: Node, layouts: Layouts) -> str:
        """Where a value is."""
        base, _ = bases(node)
        if base in self._aliases:
            self.places[base] = self.address(self._aliases[base], layouts)
        if base.op == "get_attr" and base not in self.places:
            tensor = getattr(base.graph.owning_module, str(base.target))
            self.places[base] = self.constant(tensor.detach().contiguous().numpy())
        layout = layouts.of(node)
        offset = int(layout.storage_offset()) * layout.element_size()
        return f"{self.places[base]} + {offset}" if offset else self.places[base]


def chained(
    name: str,
    links: Sequence[Link],
    layouts: Layouts,
    given: Sequence[Node],
    results: Sequence[Node],
    *,
    dense: bool = False,
    once: int = 0,
) -> Chain:
    """Write links down as one function.

    Parameters
    ----------
    name : str
        Its entry point: like that of a piece.
    links : sequence of Link
        In order.
    layouts : Layouts
        Of all values.
    given : sequence of Node
        Its inputs.
    results : sequence of Node
        Its outputs.
    dense : bool
        Whether these lie row by row; otherwise they are what links make, as they make it.
    once : int
        How many links, from the first on, need run only once for many calls.
    """
    memory = _Memory(links, given, once)
    made = {node for link in links if not link.is_alias for node in link.makes}
    last: dict[Node, int] = {}
    for k, link in enumerate(links):
        for node in link.takes:
            last[memory.owner(node)] = k
    copies: list[tuple[Node, str]] = []
    for k, node in enumerate(results):
        owner = memory.owner(node)
        direct = memory.is_all(node) and owner in made and owner not in memory.places
        early = any(owner in link.makes for link in links[:once])
        if direct and not early and (not dense or layouts.of(node).is_contiguous()):
            memory.places[owner] = f"outputs[{k}]"
        else:
            copies.append((node, f"outputs[{k}]"))
            last[owner] = len(links)
    memory.plan(last)
    bodies = [memory.statements(k, layouts) for k in range(len(links))]
    ends = []
    for node, to in copies:
        layout = layouts.of(node)
        ends.append(copied(layout, memory.address(node, layouts), to, None if dense else layout))
    first = [line for body in bodies[:once] for line in body]
    rest = [line for body in bodies[once:] for line in body]
    text = _function(name, [*rest, *ends])
    before = f"{name}_before" if once else ""
    if once:
        text = f"{_function(before, first)}\n{text}"
    return Chain(name, text, memory.scratch, memory.constants, before)


def _function(name: str, lines: Collection[str]) -> str:
    head = f'extern "C" int {name}(char** inputs, char** outputs, char* scratch,'
    body = [f"  {line}" for line in lines]
    return "\n".join((head, "    const int64_t* sizes) {", *body, "  return 0;", "}"))
