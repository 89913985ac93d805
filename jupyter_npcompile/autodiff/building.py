"""What the compile worker of gradients builds with. Imports torch: only that worker imports it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from torch.fx import Node

from jupyter_npcompile.autodiff.chains import (
    Chain,
    Layouts,
    Link,
    NotNativeError,
    chained,
    kernel,
    nbytes,
)
from jupyter_npcompile.autodiff.folding import folded
from jupyter_npcompile.autodiff.joint import joint_module
from jupyter_npcompile.autodiff.library_calls import helpers, library_link
from jupyter_npcompile.autodiff.loop_backward import backward
from jupyter_npcompile.autodiff.loop_drivers import HELPERS
from jupyter_npcompile.autodiff.loop_forward import forward
from jupyter_npcompile.autodiff.loop_operations import plans
from jupyter_npcompile.autodiff.rolling import SHORTEST
from jupyter_npcompile.autodiff.stages import (
    LOOPS,
    NAMED,
    Stage,
    bases,
    demand_plain,
    is_library,
    is_view,
    made_dense,
    name_of,
    piece_module,
    settled,
    stages_of,
)
from jupyter_npcompile.graph import to_json as graph_json
from jupyter_npcompile.graph.nodes import Graph, ValueType
from jupyter_npcompile.runtime.building import FOUND, example, probe, rest, support
from jupyter_npcompile.runtime.compile_errors import UnbuildableError
from jupyter_npcompile.runtime.native import toolchain
from jupyter_npcompile.runtime.native.build import CONSTANTS
from jupyter_npcompile.runtime.native.generated import Generated, read
from jupyter_npcompile.runtime.native.gxx import LIBRARY
from jupyter_npcompile.runtime.native.inductor import (
    inductor_code,
    with_constants,
    with_or_without_vectors,
)
from jupyter_npcompile.runtime.native.manifest import Manifest, PieceManifest, to_json
from jupyter_npcompile.runtime.native.translation import entry, translation_unit

__all__ = ["FOUND", "build", "example", "probe", "rest", "support"]

_ALIGNMENT = 64
_CALLED = re.compile(r"aten\.(\w+)")

UNROLLED = 800
"""Operations of a graph that is compiled as it is where its loops cannot be."""

MAX_ATTEMPTS = 6
"""How many operations may turn out to be calls of libraries."""


def build(graph: Graph, folder: Path, headers: Path, progress: Callable[[str], None]) -> Any:
    """Differentiate, generate and compile: see `runtime.native.build.build`."""
    return with_or_without_vectors(lambda: _built(graph, folder, headers, progress))


def _built(graph: Graph, folder: Path, headers: Path, progress: Callable[[str], None]) -> Any:
    progress("lower")
    try:
        builder, steps = _generated(graph, progress, rolls=True)
    except UnbuildableError:  # iterations that call a library, for one
        if not SHORTEST <= len(graph.nodes) <= UNROLLED:
            raise
        builder, steps = _generated(graph, progress, rolls=False)
    kernels = translation_unit(builder.generated)
    source = "\n".join([kernels, HELPERS, helpers(), *builder.texts])
    progress("C++")
    path = folder / "kernels.cpp"
    path.write_text(source)
    toolchain.compile_library(path, folder / LIBRARY, headers)
    with open(folder / CONSTANTS, "wb") as file:
        for constant in builder.constants:
            file.write(bytes(-file.tell() % _ALIGNMENT))
            file.write(constant.tobytes())
    pieces = to_json(Manifest(tuple(builder.pieces), "Sleef_" in source or "vec::" in source, {}))
    return {
        "aten": graph_json(Graph("aten")),
        "kernels": graph_json(Graph("kernels")),
        "pieces": pieces,
        "steps": steps,
        "inputs": [builder.ids[node] for node in builder.placeholders],
        "constants": builder.tensors,
        "outputs": [builder.ids[node] for node in builder.outputs],
    }


def _generated(
    graph: Graph, progress: Callable[[str], None], *, rolls: bool
) -> tuple[_Builder, list[Any]]:
    """Code for every piece; what Inductor calls a library for becomes a call of ours."""
    module = folded(joint_module(graph, rolls=rolls), is_library)
    progress("generate")
    more: set[str] = set()
    while True:
        builder = _Builder(module, more)
        try:
            return builder, builder.steps()
        except UnbuildableError as error:
            called = {name.rstrip("_") for name in _CALLED.findall(str(error))} - more
            if not called or len(more) >= MAX_ATTEMPTS:
                raise
            more |= called


class _Builder:
    def __init__(self, module: torch.fx.GraphModule, more: Collection[str]) -> None:
        self.module = module
        self._more = more
        self.ids: dict[Node, int] = {}
        self.generated: list[Generated] = []
        self.texts: list[str] = []
        self.pieces: list[PieceManifest] = []
        self.constants: list[np.ndarray] = []
        self.tensors: list[Any] = []
        self.placeholders: list[Node] = []
        self.outputs: list[Node] = []
        self._offset = 0
        self._names = 0
        for node in module.graph.nodes:
            self.ids[node] = len(self.ids)
            if node.op == "placeholder":
                self.placeholders.append(node)
            elif node.op == "output":
                self.outputs = list(node.args[0])
            elif node.op == "get_attr":
                self._constant(node)
        self._made: set[Node] = set(self.placeholders)

    def _constant(self, node: Node) -> None:
        array = getattr(self.module, str(node.target)).detach().contiguous().numpy()
        self.tensors.append([self.ids[node], self._place(array), array.dtype.name, array.shape])

    def _place(self, array: np.ndarray) -> int:
        self._offset += -self._offset % _ALIGNMENT
        offset = self._offset
        self.constants.append(array)
        self._offset += array.nbytes
        return offset

    def steps(self) -> list[Any]:
        """Chains of native code, and calls between them, in order."""
        layouts = Layouts()
        entries = self._entries(self.module, stages_of(self.module, self._more), layouts)
        users: dict[Node, set[int]] = {}
        for k, step in enumerate(entries):
            for node in step.takes if isinstance(step, Link) else step.all_input_nodes:
                users.setdefault(bases(node)[0], set()).add(k)
        for node in self.outputs:
            users.setdefault(bases(node)[0], set()).add(len(entries))
        found: list[Any] = []
        start = 0
        for is_native, group in itertools.groupby(entries, lambda step: isinstance(step, Link)):
            members = [*group]
            if is_native:
                inside = range(start, start + len(members))
                needed = {node for node, places in users.items() if places - {*inside}}
                found += self._chain(cast("list[Link]", members), layouts, needed)
            else:
                for node in cast("list[Node]", members):
                    found += self._call(node)
            start += len(members)
        for node in self.outputs:
            found += self._views(node)
        return found

    def _entries(
        self, module: torch.fx.GraphModule, stages: list[Stage], layouts: Layouts
    ) -> list[Link | Node]:
        """Everything that is done, in order: native code where it can be."""
        found: list[Link | Node] = []
        made: set[Node | None] = set()
        for stage in stages:
            outputs = _needed_outside(stage)
            if outputs:
                found.append(self._piece(module, stage, outputs, layouts))
            for node in stage.calls:
                if node in made:
                    continue
                link = self._native(node, layouts)
                made |= set(link.makes) if link else {node}
                found.append(link or node)
        return found

    def _native(self, node: Node, layouts: Layouts) -> Link | None:
        """What does the work of a call in C++, if anything can."""
        if name_of(node) in LOOPS:
            return self._loop(node, layouts)
        try:
            return library_link(node, layouts)
        except NotNativeError:
            return None

    def _piece(
        self,
        module: torch.fx.GraphModule,
        stage: Stage,
        outputs: list[Node],
        layouts: Layouts,
    ) -> Link:
        try:
            generated, inputs, constants = _compiled_piece(module, stage, outputs)
        except UnbuildableError:
            free = not made_dense(outputs)
            generated, inputs, constants = _compiled_piece(module, stage, outputs, free=free)
            for node, strides in zip(outputs, generated.orders, strict=True):
                value = node.meta["val"]
                if "dense" in node.meta:
                    node.meta["val"] = value.contiguous()
                elif free and _may_lie_otherwise(node):
                    node.meta["val"] = value.new_empty_strided(value.shape, strides)
        assert isinstance(generated.scratch, int)  # of sizes that are numbers
        self.generated.append(generated)
        name = entry(len(self.generated) - 1)
        sizes = [nbytes(layouts.of(node)) for node in outputs]
        return kernel(name, inputs, [*outputs], sizes, generated.scratch, constants)

    def _iteration(self, module: torch.fx.GraphModule, same: list[int]) -> Chain:
        """Compile an iteration of a loop."""
        module, layouts = folded(module, is_library), Layouts()
        given = [node for node in module.graph.nodes if node.op == "placeholder"]
        (end,) = (node for node in module.graph.nodes if node.op == "output")
        early = settled(module, [given[k] for k in same])
        late = {node for node in module.graph.nodes if node not in early}
        parts = [
            self._entries(module, stages_of(module, self._more, nodes), layouts)
            for nodes in (early, late)
        ]
        links = [link for part in parts for link in part if isinstance(link, Link)]
        others = [node for part in parts for node in part if isinstance(node, Node)]
        if others:
            raise UnbuildableError(f"{name_of(others[0])} in a loop")
        name = self._name()
        results = cast("list[Node]", end.args[0])
        once = len(parts[0])
        made = chained(name, links, layouts, given, results, dense=True, once=once)
        self.texts.append(made.text)
        return made

    def _name(self) -> str:
        self._names += 1
        return f"npcompile_chain_{self._names}"

    def _chain(self, links: list[Link], layouts: Layouts, needed: Collection[Node]) -> list[Any]:
        """Native code between two calls; ``needed`` is what others use."""
        made = [node for link in links for node in link.makes if node is not None]
        results = [node for node in made if node in needed]
        given: dict[Node, None] = {}
        for link in links:
            for node in link.takes:
                base, _ = bases(node)
                if base not in made and base.op != "get_attr":
                    given[base] = None
        chain = chained(self._name(), links, layouts, [*given], results)
        self.texts.append(chain.text)
        self.pieces.append(
            PieceManifest(
                chain.name,
                tuple((self.ids[node], _type(layouts.of(node))) for node in given),
                tuple((_array_type(array), self._place(array)) for array in chain.constants),
                tuple((self.ids[node], _type(layouts.of(node))) for node in results),
                (),
                (),
                0,
                chain.scratch,
            )
        )
        self._made |= set(made)
        return [["piece", len(self.pieces) - 1]]

    def _loop(self, node: Node, layouts: Layouts) -> Link:
        """A loop takes tensors in C order, and gives several."""
        given, number, *asked = node.args
        plan = plans[int(str(number))]
        name = f"npcompile_loop_{self._names}"
        if asked:
            built = backward(
                plan, [bool(flag) for flag in cast(Any, asked[0])], name, self._iteration
            )
        else:
            built = forward(plan, name, self._iteration)
        self.texts.append(built.text)
        takes = cast("list[Node]", given)
        items = {int(str(user.args[1])): user for user in node.users}
        makes = [items.get(k) for k in range(len(node.meta["val"]))]
        sizes = [value.numel() * value.element_size() for value in node.meta["val"]]
        rows = [layouts.of(value) for value in takes]
        return kernel(name, takes, makes, sizes, built.scratch, built.constants, rows)

    def _views(self, node: Node) -> list[Any]:
        """The views that must be taken before a value can be used."""
        found: list[Any] = []
        for view in bases(node)[1]:
            if view not in self._made:
                found.append(self._written(view))
        return found

    def _call(self, node: Node) -> list[Any]:
        if node in self._made:
            return []
        found: list[Any] = []
        for used in node.all_input_nodes:
            found += self._views(used)
        found.append(self._written(node))
        return found

    def _written(self, node: Node) -> Any:
        self._made.add(node)
        demand_plain(node.args)
        demand_plain(list(node.kwargs.values()))
        target = node.target
        name = (
            f"{name_of(node)}.{target._overloadname}"
            if isinstance(target, torch._ops.OpOverload)
            else name_of(node)
        )
        kwargs = {key: self._argument(value) for key, value in node.kwargs.items()}
        return ["call", name, self._argument(list(node.args)), kwargs, self.ids[node]]

    def _argument(self, value: Any) -> Any:
        if isinstance(value, Node):
            return {"node": self.ids[value]}
        if isinstance(value, list | tuple):
            return [self._argument(item) for item in value]
        if isinstance(value, NAMED):
            return {"torch": str(value).removeprefix("torch.")}
        if isinstance(value, complex):
            return {"complex": [value.real.hex(), value.imag.hex()]}
        if isinstance(value, float):
            return {"float": value.hex()}
        return value


def _needed_outside(stage: Stage) -> list[Node]:
    """Results of a piece that something else uses, perhaps through a view."""
    inside = set(stage.piece)

    def leaves(node: Node) -> bool:
        for user in node.users:
            if user.op == "output":
                return True
            if is_view(user) and user not in inside:
                if leaves(user):
                    return True
            elif user not in inside:
                return True
        return False

    return [node for node in stage.piece if leaves(node)]


def _compiled_piece(
    module: torch.fx.GraphModule, stage: Stage, outputs: list[Node], *, free: bool = False
) -> tuple[Generated, list[Node], list[np.ndarray]]:
    """What Inductor makes of a piece, the nodes that it takes, and its constants.

    ``free`` for results that may lie in any order.
    """
    small, inputs = piece_module(module, stage.piece, outputs)
    small, constants = with_constants(small)
    places = [n.meta["val"] for n in small.graph.nodes if n.op == "placeholder"]
    (end,) = (node for node in small.graph.nodes if node.op == "output")
    strides = [
        None if free and _may_lie_otherwise(node) else tuple(map(int, v.meta["val"].stride()))
        for node, v in zip(outputs, cast(Any, end.args[0]), strict=True)
    ]
    largest = max((v.numel() for v in places), default=0)
    generated = read(inductor_code(small, places, largest), len(places), strides)
    return generated, inputs, constants


def _may_lie_otherwise(node: Node) -> bool:
    """Whether nobody sees how a value lies in memory."""
    return not any(n.op == "output" or name_of(n) == "as_strided" for n in node.users)


def _type(layout: torch.Tensor) -> ValueType:
    size = layout.element_size()
    return ValueType(
        "array",
        str(layout.dtype).removeprefix("torch."),
        tuple(map(int, layout.shape)),
        tuple(int(s) * size for s in layout.stride()),
    )


def _array_type(array: np.ndarray) -> ValueType:
    return ValueType("array", array.dtype.name, array.shape, array.strides)
