"""Compiled gradients: native pieces and calls of torch's libraries, on ndarrays."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from jupyter_npcompile.autodiff.factorizations import FACTORIZATIONS
from jupyter_npcompile.autodiff.library_table import TABLE, entries
from jupyter_npcompile.graph.nodes import Graph
from jupyter_npcompile.runtime.compile_worker import CompileWorker
from jupyter_npcompile.runtime.compiled import Store
from jupyter_npcompile.runtime.native.build import CONSTANTS
from jupyter_npcompile.runtime.native.gxx import LIBRARY
from jupyter_npcompile.runtime.native.manifest import from_json
from jupyter_npcompile.runtime.native.program import Piece, load_dispatch, load_steps
from jupyter_npcompile.runtime.own_library import checked


class JointProgram:
    """Value and gradients of a function, compiled.

    Parameters
    ----------
    data : mapping
        The manifest.
    pieces : sequence of Piece
        Native code.
    constants : bytes
        Elements of arrays that are part of the graph.
    """

    def __init__(self, data: Mapping[str, Any], pieces: Sequence[Piece], constants: bytes) -> None:
        self.inputs = [int(id) for id in data["inputs"]]
        self.outputs = [int(id) for id in data["outputs"]]
        memory = np.frombuffer(constants, np.uint8)
        self.constants: dict[int, Any] = {}
        for id, offset, dtype, shape in data["constants"]:
            count = int(np.prod(shape)) * np.dtype(dtype).itemsize
            flat = np.frombuffer(memory[offset : offset + count].tobytes(), dtype)
            self.constants[int(id)] = flat.reshape(shape)
        self.steps = [_step(step, pieces) for step in data["steps"]]

    def run(self, values: Sequence[Any]) -> list[Any] | None:
        """Value and gradients, each as an array; None when NumPy would raise or warn.

        Parameters
        ----------
        values : sequence
            One ndarray or number for each input of the graph.
        """
        known = self.known(values)
        for step in self.steps:
            step(known)
        *results, check = [_array(known[id]) for id in self.outputs]
        return results if check else None

    def known(self, values: Sequence[Any]) -> dict[int, Any]:
        """What is known before the first step, by the numbers of nodes."""
        known: dict[int, Any] = dict(self.constants)
        for id, value in zip(self.inputs, values, strict=True):
            known[id] = value if isinstance(value, np.ndarray) else np.asarray(value)
        return known

    @staticmethod
    def array(value: Any) -> Any:
        """A value as an array."""
        return _array(value)

    @staticmethod
    def tensor(value: Any) -> Any:
        """A value as a tensor."""
        return _tensor(value)


def _array(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value
    return value.resolve_conj().resolve_neg().numpy()


def _tensor(value: Any) -> Any:
    import torch

    if not isinstance(value, np.ndarray):
        return value
    return torch.from_numpy(value if value.flags.writeable else value.copy())


def _step(step: Any, pieces: Sequence[Piece]) -> Any:
    if step[0] == "piece":
        return PieceStep(pieces[step[1]])
    return CallStep(*step[1:])


class PieceStep:
    """A call of native code.

    Parameters
    ----------
    piece : Piece
        The code.

    Attributes
    ----------
    call : callable
        Gives a tuple of arrays; nothing for values of other types.
    inputs, outputs : list of int
        Numbers of nodes.
    strides : list of tuple
        Those of the inputs.
    """

    def __init__(self, piece: Piece) -> None:
        self.call = piece.call
        self.inputs = [id for id, _ in piece.manifest.inputs]
        self.strides = [kind.strides for _, kind in piece.manifest.inputs]
        self.outputs = [id for id, _ in piece.manifest.outputs]

    def __call__(self, known: dict[int, Any]) -> None:
        """Take what is known, and add to it."""
        assert self.call is not None
        values = []
        for id, strides in zip(self.inputs, self.strides, strict=True):
            array = _array(known[id])
            values.append(array if array.strides == strides else fitted(array, strides))
        results = self.call(*values)
        if not results:
            raise ValueError("a value of another type than the code was compiled for")
        known.update(zip(self.outputs, results, strict=True))


def fitted(array: Any, strides: tuple[int, ...]) -> Any:
    """The same elements with these strides."""
    if array.strides == strides:
        return array
    order = sorted(range(array.ndim), key=lambda axis: -strides[axis])
    dense = np.ascontiguousarray(array.transpose(order))
    made = dense.transpose(np.argsort(order))
    if made.strides == strides:
        return made
    return np.lib.stride_tricks.as_strided(made, array.shape, strides)


class CallStep:
    """A call of torch between two pieces.

    Parameters
    ----------
    name : str
        The ATen operation, with its overload.
    args, kwargs
        As they were written down.
    id : int
        The number of the node.
    """

    def __init__(self, name: str, args: list[Any], kwargs: dict[str, Any], id: int) -> None:
        import operator

        import torch

        packet, _, overload = name.partition(".")
        if packet == "getitem":
            self.function: Any = operator.getitem
        elif packet in FACTORIZATIONS:
            self.function = FACTORIZATIONS[packet]
        else:
            found = getattr(torch.ops.aten, packet, None) or getattr(torch.ops.prims, packet)
            self.function = getattr(found, overload or "default")
        self.name, self.args, self.kwargs, self.id = name, args, kwargs, id

    def __call__(self, known: dict[int, Any]) -> None:
        """Take what is known, and add to it."""
        args = [_argument(arg, known) for arg in self.args]
        kwargs = {key: _argument(arg, known) for key, arg in self.kwargs.items()}
        known[self.id] = self.function(*args, **kwargs)

    @staticmethod
    def constant(value: Any) -> Any:
        """An argument that is no node."""
        return _argument(value, {})


def _argument(value: Any, known: Mapping[int, Any]) -> Any:
    if isinstance(value, list):
        return [_argument(item, known) for item in value]
    if isinstance(value, dict):
        if "node" in value:
            return _tensor(known[value["node"]])
        if "float" in value:
            return float.fromhex(value["float"])
        if "complex" in value:
            return complex(*map(float.fromhex, value["complex"]))
        import torch

        return getattr(torch, value["torch"])
    return value


def _load(graph: Graph, manifest: Mapping[str, Any], folder: Path, support: Path) -> JointProgram:
    constants, dispatch = (folder / CONSTANTS).read_bytes(), load_dispatch(support)
    library = folder / LIBRARY
    steps = load_steps(from_json(manifest["pieces"]), library, constants, dispatch)
    pieces = tuple(step for step in steps if isinstance(step, Piece))
    if pieces:  # the library is loaded then, and knows nothing yet
        found = entries(dispatch)
        with checked(library) as name:
            table = (ctypes.c_void_p * len(found)).in_dll(ctypes.CDLL(name), TABLE)
        table[:] = [*found]
    return JointProgram(manifest, pieces, constants)


worker = CompileWorker("jupyter_npcompile.autodiff.building")
"""Builds gradients; started when the first one is needed."""

store = Store(_load, worker)
"""Where compiled gradients come from."""
