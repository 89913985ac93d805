"""What the compile worker of gradients builds with. Imports torch: only that worker imports it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from torch.fx import Node

from jupyter_npcompile.autodiff.folding import folded
from jupyter_npcompile.autodiff.joint import joint_module
from jupyter_npcompile.autodiff.loop_building import backward, forward
from jupyter_npcompile.autodiff.loop_drivers import HELPERS
from jupyter_npcompile.autodiff.loop_operations import plans
from jupyter_npcompile.autodiff.rolling import SHORTEST
from jupyter_npcompile.autodiff.stages import (
    LOOPS,
    Stage,
    bases,
    demand_plain,
    is_library,
    is_view,
    made_dense,
    name_of,
    piece_module,
    stages_of,
)
from jupyter_npcompile.graph import to_json as graph_json
from jupyter_npcompile.graph.nodes import Graph, ValueType
from jupyter_npcompile.runtime.building import FOUND, example, probe, support
from jupyter_npcompile.runtime.compile_errors import UnbuildableError
from jupyter_npcompile.runtime.native import toolchain
from jupyter_npcompile.runtime.native.build import CONSTANTS
from jupyter_npcompile.runtime.native.generated import Generated, read
from jupyter_npcompile.runtime.native.gxx import LIBRARY
from jupyter_npcompile.runtime.native.inductor import inductor_code, with_constants
from jupyter_npcompile.runtime.native.manifest import Manifest, PieceManifest, to_json
from jupyter_npcompile.runtime.native.translation import entry, translation_unit

__all__ = ["FOUND", "build", "example", "probe", "support"]

_ALIGNMENT = 64
_CALLED = re.compile(r"aten\.(\w+)")

UNROLLED = 800
"""Operations of a graph that is compiled as it is where its loops cannot be."""

MAX_ATTEMPTS = 6
"""How many operations may turn out to be calls of libraries."""


def build(graph: Graph, folder: Path, headers: Path, progress: Callable[[str], None]) -> Any:
    """Differentiate, generate and compile: see `runtime.native.build.build`."""
    progress("lower")
    try:
        builder, steps = _generated(graph, progress, rolls=True)
    except UnbuildableError:  # iterations that call a library, for one
        if not SHORTEST <= len(graph.nodes) <= UNROLLED:
            raise
        builder, steps = _generated(graph, progress, rolls=False)
    source = translation_unit(builder.generated) if builder.generated else ""
    if builder.loops:
        source = "\n".join([source, HELPERS, *builder.loops])
    if source:
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
        self.loops: list[str] = []
        self.pieces: list[PieceManifest] = []
        self.constants: list[np.ndarray] = []
        self.tensors: list[Any] = []
        self.placeholders: list[Node] = []
        self.outputs: list[Node] = []
        self._offset = 0
        self._spares = 0
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
        """Pieces and calls in order."""
        stages = stages_of(self.module, self._more)
        found: list[Any] = []
        for stage in stages:
            if stage.piece:
                found.append(self._piece(stage))
            for node in stage.calls:
                found += self._loop(node) if name_of(node) in LOOPS else self._call(node)
        for node in self.outputs:
            found += self._views(node)
        return found

    def _needed_outside(self, stage: Stage) -> list[Node]:
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

    def _piece(self, stage: Stage) -> Any:
        outputs = self._needed_outside(stage)
        if not outputs:
            raise UnbuildableError("a piece that nobody needs")
        try:
            generated, inputs, constants = _compiled_piece(self.module, stage, outputs)
        except UnbuildableError:
            if not made_dense(outputs):
                raise
            generated, inputs, constants = _compiled_piece(self.module, stage, outputs)
            for node in outputs:
                if "dense" in node.meta:
                    node.meta["val"] = node.meta["val"].contiguous()
        assert isinstance(generated.scratch, int)  # of sizes that are numbers
        index = len(self.pieces)
        self.pieces.append(
            PieceManifest(
                self._entry(generated),
                tuple((self.ids[node], _type(node)) for node in inputs),
                tuple((_array_type(array), self._place(array)) for array in constants),
                tuple((self.ids[node], _type(node)) for node in outputs),
                (),
                (),
                0,
                generated.scratch,
            )
        )
        self._made |= set(outputs)
        return ["piece", index]

    def _entry(self, generated: Generated) -> str:
        self.generated.append(generated)
        return entry(len(self.generated) - 1)

    def _iteration(self, module: torch.fx.GraphModule) -> tuple[str, int, list[np.ndarray]]:
        """Compile an iteration of a loop."""
        small, constants = with_constants(folded(module, is_library))
        generated = _read(small)
        assert isinstance(generated.scratch, int)
        return self._entry(generated), generated.scratch, constants

    def _loop(self, node: Node) -> list[Any]:
        """A loop is a piece: it takes tensors in C order, and gives several."""
        given, number, *asked = node.args
        plan = plans[int(str(number))]
        name = f"npcompile_loop_{len(self.loops)}"
        if asked:
            built = backward(
                plan, [bool(flag) for flag in cast(Any, asked[0])], name, self._iteration
            )
        else:
            built = forward(plan, name, self._iteration)
        found: list[Any] = []
        inputs = []
        for value in cast("list[Node]", given):
            found += self._views(value)
            inputs.append((self.ids[value], _dense(value.meta["val"])))
        outputs = []
        items = {int(str(user.args[1])): user for user in node.users}
        for k, value in enumerate(node.meta["val"]):
            id = self.ids[items[k]] if k in items else self._spare()
            outputs.append((id, _dense(value)))
        self._made |= set(items.values())
        self.loops.append(built.text)
        constants = tuple((_array_type(array), self._place(array)) for array in built.constants)
        made = PieceManifest(
            name, tuple(inputs), constants, tuple(outputs), (), (), 0, built.scratch
        )
        self.pieces.append(made)
        return [*found, ["piece", len(self.pieces) - 1]]

    def _spare(self) -> int:
        """A number for a value that nobody needs."""
        self._spares += 1
        return len(self.ids) + self._spares

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
        if isinstance(value, torch.dtype):
            return {"dtype": str(value).removeprefix("torch.")}
        if isinstance(value, float):
            return {"float": value.hex()}
        return value


def _compiled_piece(
    module: torch.fx.GraphModule, stage: Stage, outputs: list[Node]
) -> tuple[Generated, list[Node], list[np.ndarray]]:
    """What Inductor makes of a piece, the nodes that it takes, and its constants."""
    small, inputs = piece_module(module, stage.piece, outputs)
    small, constants = with_constants(small)
    return _read(small), inputs, constants


def _read(small: torch.fx.GraphModule) -> Generated:
    """What Inductor generates for a graph without constants."""
    places = [n.meta["val"] for n in small.graph.nodes if n.op == "placeholder"]
    (end,) = (node for node in small.graph.nodes if node.op == "output")
    strides = [tuple(map(int, v.meta["val"].stride())) for v in cast(Any, end.args[0])]
    largest = max((v.numel() for v in places), default=0)
    return read(inductor_code(small, places, largest), len(places), strides)


def _dense(value: torch.Tensor) -> ValueType:
    """The type of a tensor in C order."""
    size, strides = value.element_size(), []
    for length in reversed(value.shape):
        strides.append(size)
        size *= int(length)
    name = str(value.dtype).removeprefix("torch.")
    return ValueType("array", name, tuple(map(int, value.shape)), tuple(strides[::-1]))


def _type(node: Node) -> ValueType:
    value = node.meta["val"]
    size = value.element_size()
    return ValueType(
        "array",
        str(value.dtype).removeprefix("torch."),
        tuple(map(int, value.shape)),
        tuple(int(s) * size for s in value.stride()),
    )


def _array_type(array: np.ndarray) -> ValueType:
    return ValueType("array", array.dtype.name, array.shape, array.strides)
