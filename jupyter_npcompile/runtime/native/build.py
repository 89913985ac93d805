"""Builds the native code of a segment. Imports torch: it runs in the process that compiles."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph import to_json as graph_json
from jupyter_npcompile.graph.families import symbols_of
from jupyter_npcompile.graph.nodes import Graph, Size, ValueType
from jupyter_npcompile.graph.sizes import LEAST, recorded, refined
from jupyter_npcompile.runtime.arrays import dense_strides, plain_type
from jupyter_npcompile.runtime.compile_errors import UnbuildableError
from jupyter_npcompile.runtime.native import toolchain
from jupyter_npcompile.runtime.native.extents import Extents, holds
from jupyter_npcompile.runtime.native.generated import Generated, read
from jupyter_npcompile.runtime.native.gxx import LIBRARY
from jupyter_npcompile.runtime.native.inductor import (
    inductor_code,
    with_constants,
    with_or_without_vectors,
)
from jupyter_npcompile.runtime.native.kernels import kernel_graph
from jupyter_npcompile.runtime.native.limits import elements
from jupyter_npcompile.runtime.native.manifest import Manifest, PieceManifest, to_json
from jupyter_npcompile.runtime.native.nests import NO_NESTS, Nests, collected, mark
from jupyter_npcompile.runtime.native.pieces import LibraryCall, Piece, Step, cut
from jupyter_npcompile.runtime.native.rehearsal import rehearse
from jupyter_npcompile.runtime.native.translation import (
    Layout,
    entry,
    layout_entry,
    translation_unit,
)
from jupyter_npcompile.tracer.lowering.errors import UnsupportedError

if TYPE_CHECKING:
    from jupyter_npcompile.tracer.lowering import Lowered
    from jupyter_npcompile.tracer.lowering.symbols import Symbols

CONSTANTS = "constants.bin"

SOURCE = "kernels.cpp"

MAX_ATTEMPTS = 6
"""How often more nodes are handed to NumPy before a segment is given up."""

_ALIGNMENT = 64
_PRODUCTS = frozenset(
    str.split(
        "mm bmm addmm baddbmm mv addmv dot vdot convolution cumsum cumprod cummax cummin sort topk "
        "logcumsumexp kthvalue median nanmedian searchsorted histc bincount _fft_c2c _fft_r2c "
        "_fft_c2r _linalg_det _linalg_slogdet linalg_inv_ex _linalg_solve_ex linalg_lu_factor_ex "
        "linalg_qr _linalg_svd _linalg_eigh linalg_cholesky_ex linalg_lstsq lu_unpack"
    )
)
"""ATen operations for which a compiler calls a library."""

_CALLED = re.compile(r"torch\.ops\.aten\.(\w+)")


@dataclass(frozen=True)
class _Built:
    """A piece after code generation."""

    piece: Piece
    lowered: Lowered
    generated: Generated
    constants: tuple[np.ndarray, ...]
    nests: Nests = NO_NESTS


def build(graph: Graph, folder: Path, headers: Path, progress: Callable[[str], None]) -> Any:
    """Lower, generate and compile a segment.

    Parameters
    ----------
    graph : Graph
        NumPy level.
    folder : Path
        Where the library and the constants are written.
    headers : Path
        Folder of precompiled headers.
    progress : callable
        Is given each phase when it begins: ``lower``, ``generate``, ``C++``.

    Returns
    -------
    dict
        The manifest, as JSON.

    Raises
    ------
    jupyter_npcompile.tracer.lowering.LoweringError
        When a node has no faithful form in ATen.
    UnbuildableError
        When what Inductor generates cannot be called natively.
    jupyter_npcompile.runtime.native.gxx.CompilerFailedError
        When the C++ compiler is missing or fails.
    """
    return with_or_without_vectors(lambda: _built(graph, folder, headers, progress))


def _built(graph: Graph, folder: Path, headers: Path, progress: Callable[[str], None]) -> Any:
    from jupyter_npcompile.tracer.lowering import lower

    progress("lower")
    sizes = symbols_of(graph)
    whole = lower(graph, sizes)
    if sizes:
        graph = _refined(graph, whole)
    library = _library_nodes(whole)
    for _ in range(MAX_ATTEMPTS):
        steps = cut(graph, library)
        try:
            built = _generate(steps, whole if not library else None, sizes, progress)
            break
        except _MoreLibraryError as more:
            if more.nodes <= library:
                raise UnbuildableError(str(more)) from None
            library |= more.nodes
    else:
        raise UnbuildableError("too many operations that are calls of libraries")
    native = [one.generated for one in built.values()]
    layouts = [_layout(one) if sizes else None for one in built.values()]
    source = translation_unit(native, layouts) if any(_makes(one) for one in built.values()) else ""
    if source:
        progress("C++")
        path = folder / SOURCE
        path.write_text(source)
        toolchain.compile_library(path, folder / LIBRARY, headers)
    offsets: list[int] = []
    with open(folder / CONSTANTS, "wb") as file:
        for one in built.values():
            for array in one.constants:
                file.write(bytes(-file.tell() % _ALIGNMENT))
                offsets.append(file.tell())
                file.write(array.tobytes())
    places = iter(offsets)
    kernels, nests = kernel_graph(recorded(graph), steps, _nests(built))
    numbers = {place: index for index, place in enumerate(built)}
    manifest = Manifest(
        tuple(
            step.node
            if isinstance(step, LibraryCall)
            else _manifest(built[place], numbers[place], places)
            for place, step in enumerate(steps)
        ),
        "Sleef_" in source or "vec::" in source,
        graph_json(whole.aten),
        graph_json(kernels),
        graph_json(graph) if sizes else None,
        {str(id): shapes for id, shapes in whole.lengths.items()} if sizes else {},
        nests,
    )
    seconds = rehearse(manifest.pieces, folder / LIBRARY, folder / CONSTANTS)
    return to_json(replace(manifest, rehearsed=seconds))


def build_timed(source: str, folder: Path, headers: Path, progress: Callable[[str], None]) -> Any:
    """Compile what `ticks.timed_source` has written; its manifest is empty."""
    progress("C++")
    path = folder / "timed.cpp"
    path.write_text(source)
    toolchain.compile_library(path, folder / LIBRARY, headers)
    return {}


def _nests(built: Mapping[int, _Built]) -> dict[int, tuple[Nests, Sequence[int]]]:
    """For each piece its loop nests, and which nodes its first results are."""
    return {
        place: (one.nests, (*one.lowered.allocations, *one.lowered.writes))
        for place, one in built.items()
    }


def _itemsize(dtype: str) -> int:
    return np.dtype(dtype).itemsize


def _refined(graph: Graph, lowered: Lowered) -> Graph:
    """A general graph with the shapes that its lowering has found out."""
    if lowered.selections:
        raise UnbuildableError("a mask selects elements")
    for node in graph.nodes:
        if len(lowered.lengths.get(node.id, ())) != len(node.types):
            raise UnbuildableError(f"the shape of what `{node.op}` gives is not known")
    return refined(graph, lowered.lengths, _itemsize)


class _MoreLibraryError(Exception):
    def __init__(self, reason: str, nodes: set[int]) -> None:
        super().__init__(reason)
        self.nodes = nodes


def _library_nodes(lowered: Lowered) -> set[int]:
    """Nodes for which Inductor would call a library."""
    import torch
    from torch._inductor.lowering import fallbacks

    from jupyter_npcompile.tracer.lowering.aten import ORIGIN

    found: set[int] = set()
    for node in lowered.module.graph.nodes:
        if node.op != "call_function" or ORIGIN not in node.meta:
            continue
        name = _aten_name(node.target)
        values = [node.meta.get("val"), *(n.meta.get("val") for n in node.all_input_nodes)]
        is_complex = any(isinstance(v, torch.Tensor) and v.is_complex() for v in values)
        if name in _PRODUCTS or node.target in fallbacks or is_complex:
            found.add(node.meta[ORIGIN])
    return found - {-1}


def _aten_name(target: Any) -> str:
    return str(getattr(getattr(target, "overloadpacket", target), "__name__", target))


def _generate(
    steps: Sequence[Step],
    whole: Lowered | None,
    sizes: Sequence[Size],
    progress: Callable[[str], None],
) -> dict[int, _Built]:
    """What was generated for each piece, by its place among the steps."""
    from jupyter_npcompile.tracer.lowering import lower

    built: dict[int, _Built] = {}
    for place, step in enumerate(steps):
        if isinstance(step, LibraryCall):
            continue
        lowered = whole or lower(step.graph, sizes)
        more = _library_nodes(lowered) if whole is None else set()
        if more:
            raise _MoreLibraryError("calls of libraries", more)
        progress("generate")
        built[place] = _generated(step, lowered)
    return built


def _generated(piece: Piece, lowered: Lowered) -> _Built:
    from jupyter_npcompile.tracer.lowering.aten import ORIGIN

    module, constants = with_constants(lowered.module)
    (end,) = (node for node in module.graph.nodes if node.op == "output")
    placeholders = [n.meta["val"] for n in module.graph.nodes if n.op == "placeholder"]
    results = [value.meta["val"] for value in end.args[0]]
    symbols = lowered.symbols
    extents = _extents(symbols)
    strides = [[extents.read(symbols.text(s)) for s in value.stride()] for value in results]
    if not results or not any(n.op == "call_function" for n in module.graph.nodes):
        return _Built(piece, lowered, Generated((), ()), tuple(constants))
    work = elements(recorded(piece.graph))
    mark(module, ORIGIN)
    with collected() as nests:
        text = inductor_code(module, placeholders, work, lowered if symbols.sizes else None)
    inputs = len(placeholders) - len(symbols.sizes)
    try:
        generated = read(text, inputs, strides, Extents(_examples(symbols)))
    except UnbuildableError as error:
        called = _CALLED.search(str(error))
        if called is None:
            raise
        raise _MoreLibraryError(str(error), _origins(lowered, called.group(1))) from None
    (found,) = nests
    return _Built(piece, lowered, generated, tuple(constants), found)


def _examples(symbols: Symbols) -> list[int]:
    return [size.values[0] for size in symbols.sizes]


def _extents(symbols: Symbols) -> Extents:
    """The symbols by the names that we gave them."""
    extents = Extents(_examples(symbols))
    for index, size in enumerate(symbols.sizes):
        extents.name(size.text, index)
    return extents


def _layout(built: _Built) -> Layout:
    """What the values of a piece look like: its array inputs, then its results.

    Raises
    ------
    UnbuildableError
        When it does not hold for all recordings it is made from.
    """
    lowered, symbols = built.lowered, built.lowered.symbols
    try:
        conditions = symbols.conditions()
        if symbols.free:
            # Views, orders in memory and broadcasting are as they were recorded.
            texts = {n for shapes in lowered.lengths.values() for shape in shapes for n in shape}
            conditions += tuple(
                f"{text} >= {LEAST}" for text in sorted(texts) if not text.isdigit()
            )
    except UnsupportedError as error:
        raise UnbuildableError(str(error)) from None
    for k in range(len(symbols.sizes[0].values)):
        if not holds(conditions, {size.text: size.values[k] for size in symbols.sizes}):
            raise UnbuildableError("it is other code for other sizes")
    extents = _extents(symbols)
    values = [n.meta["val"] for n in lowered.module.graph.nodes if n.op == "placeholder"]
    taken = values[len(symbols.sizes) :]
    arrays = [
        value
        for node, value in zip(built.piece.graph.inputs, taken, strict=False)
        if node.type.kind == "array"
    ]
    (end,) = (node for node in lowered.module.graph.nodes if node.op == "output")
    made = len(lowered.allocations) + len(lowered.writes)
    arrays += [node.meta["val"] for node in end.args[0][:made]]
    numbers: list[str] = []
    for tensor in arrays:
        size = extents.fixed(tensor.element_size())
        numbers += [extents.read(symbols.text(n)).text for n in tensor.shape]
        numbers += [(extents.read(symbols.text(n)) * size).text for n in tensor.stride()]
    return Layout(tuple(map(extents.condition, conditions)), tuple(numbers))


def _origins(lowered: Lowered, name: str) -> set[int]:
    from jupyter_npcompile.tracer.lowering.aten import ORIGIN

    return {
        node.meta[ORIGIN]
        for node in lowered.module.graph.nodes
        if node.op == "call_function" and _aten_name(node.target) == name and ORIGIN in node.meta
    } - {-1}


def _makes(built: _Built) -> bool:
    """Whether a piece has results, be they uninitialised memory."""
    lowered = built.lowered
    return bool(lowered.allocations or lowered.writes or lowered.checks)


def _manifest(built: _Built, index: int, places: Iterator[int]) -> PieceManifest:
    graph, lowered = recorded(built.piece.graph), built.lowered
    name = entry(index) if _makes(built) else ""
    sizes, scratch = lowered.symbols.sizes, built.generated.scratch
    types = {node.id: node.types[0] for node in (*graph.inputs, *graph.nodes) if node.types}
    for one in lowered.selections:
        types[one.id] = plain_type(types[one.id].dtype, one.shape)

    def made(id: int) -> tuple[int, ValueType]:
        kind = types[id]
        return id, ValueType(kind.kind, kind.dtype, kind.shape, dense_strides(kind))

    return PieceManifest(
        name,
        tuple((node.id, node.type) for node in graph.inputs),
        tuple(
            (plain_type(array.dtype.name, array.shape), next(places)) for array in built.constants
        ),
        tuple(made(id) for id in lowered.allocations),
        tuple(made(id) for id in lowered.writes),
        tuple((one.id, plain_type("bool", one.mask)) for one in lowered.selections),
        lowered.checks,
        scratch if isinstance(scratch, int) else 0,
        layout_entry(index) if name and sizes else "",
    )
