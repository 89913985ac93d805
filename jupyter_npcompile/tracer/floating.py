"""Floating-point errors: where a replay must look whether NumPy would report one.

A recording shows no error, else it would have ended there. A replay has other
values, so the segment computes a flag with its results, and NumPy runs instead
where the flag says that it would warn or raise. Most operations hand NaN and
infinity on to whatever is computed from them, so that a look at the end of a
chain of operations is enough while everything that goes in is finite.

Nothing here imports torch.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Literal

import numpy as np

from jupyter_npcompile.graph.nodes import Argument, Constant, Graph, Node
from jupyter_npcompile.tracer.propagation import canonical, functions, is_harmless, shown_by

Look = Literal["never", "finite", "exact"]
"""How a node is looked at: not at all; whether its result is finite; or whether
its result is NaN or infinite where its operands are not."""

KINDS = ("divide", "over", "invalid")
"""Errors that NumPy reports by default, by their names in ``np.errstate``."""

UNDERFLOW = "under"
"""The error that NumPy reports only when it is asked to."""

SUMS = frozenset(
    {"numpy.add.reduce", "numpy.add.accumulate", "numpy.sum", "numpy.mean", "numpy.cumsum"}
)
"""Functions of many elements in which an underflow shows in the result."""


QUIET = functions(
    """
    einsum vdot convolve correlate interp empty empty_like bartlett blackman hamming hanning kaiser
    linalg.cond linalg.svd linalg.svdvals linalg.inv linalg.solve linalg.slogdet linalg.eigvalsh
    linalg.cholesky linalg.lstsq linalg.qr linalg.tensorsolve linalg.tensorinv linalg.matrix_rank
    fft.fftfreq fft.rfftfreq sort_complex nan_to_num isclose
    """
)
"""Functions whose arithmetic NumPy does not watch."""

SAFE = functions(
    """
    negative positive absolute fabs conjugate conj sign copysign rint floor ceil trunc fix
    maximum minimum fmax fmin arctan tanh arcsinh cbrt deg2rad radians heaviside signbit arctan2
    modf frexp spacing max min amax amin nanmax nanmin maximum.reduce minimum.reduce fmax.reduce
    fmin.reduce maximum.accumulate minimum.accumulate clip sort where take take_along_axis choose
    select compress tril triu diag diagflat diagonal concatenate concat stack vstack hstack dstack
    column_stack block tile repeat roll append pad insert delete split array_split hsplit vsplit
    dsplit unstack reshape ravel transpose permute_dims swapaxes moveaxis rollaxis squeeze
    expand_dims broadcast_to broadcast_arrays atleast_1d atleast_2d atleast_3d flip fliplr flipud
    rot90 real imag matrix_transpose copy asarray asanyarray array ascontiguousarray
    asfortranarray require asarray_chkfinite astype zeros ones full zeros_like ones_like full_like
    arange meshgrid eye identity tri indices linalg.diagonal linalg.matrix_transpose fft.fftshift
    fft.ifftshift
    """
) | {f"ndarray.{name}" for name in ("T", "mT", "flatten", "view", "flat", "real", "imag", "fill")}
"""Operations in which nothing can happen that NumPy would report."""

_LARGE = 4096

_LANGUAGE = ("python.", "math.", "getitem", "item")


def looks(graph: Graph) -> dict[int, Look]:
    """Say how each node of a graph must be looked at.

    Parameters
    ----------
    graph : Graph
        NumPy level.

    Returns
    -------
    dict of int to {"never", "finite", "exact"}
        By node id.

    Examples
    --------
    >>> from jupyter_npcompile.graph.nodes import Ref, ValueType
    >>> kind = (ValueType("array", "float64", (3,), (8,)),)
    >>> x = Node(0, "input", types=kind)
    >>> y = Node(1, "numpy.exp", (Ref(0),), types=kind, reports=KINDS)
    >>> z = Node(2, "numpy.add", (Ref(1), Ref(0)), types=kind, reports=KINDS)
    >>> looks(Graph("numpy", (x,), (y, z)))
    {1: 'never', 2: 'finite'}
    """
    roots, nodes = graph.roots(), graph.by_id()
    special = _special(graph, roots)
    changed = {roots[id] for node in graph.nodes for id in node.writes}
    written = frozenset(id for id in nodes if roots[id] in changed)
    found: dict[int, Look] = {}
    shown: set[int] = set()
    for node in reversed(graph.nodes):
        look: Look = "never"
        if can_report(node):
            if node.reports != KINDS or roots[node.id] in special:
                look = "exact"
            elif node.id not in shown or node.id in written:
                look = "finite"
        found[node.id] = look
        if look == "finite" or (node.id in shown and node.id not in written):
            shown |= shown_by(node, nodes, written)
    return {node.id: found[node.id] for node in graph.nodes}


def reported() -> tuple[str, ...]:
    """The errors that NumPy reports in its present state.

    Examples
    --------
    >>> with np.errstate(all="warn", divide="ignore", under="ignore"):
    ...     reported()
    ('over', 'invalid')
    """
    state = np.geterr()
    return tuple(
        kind
        for kind in (*KINDS, UNDERFLOW)
        if state[kind] != "ignore"  # type: ignore[literal-required]
    )


def is_seen(node: Node) -> bool:
    """Whether a replay can notice every error that NumPy would report at a node.

    Examples
    --------
    >>> from jupyter_npcompile.graph.nodes import ValueType
    >>> kind = (ValueType("array", "float64", (3,), (8,)),)
    >>> is_seen(Node(0, "numpy.matmul", types=kind, reports=KINDS))
    True
    >>> is_seen(Node(0, "numpy.matmul", types=kind, reports=(*KINDS, UNDERFLOW)))
    False
    """
    name = canonical(node.op)
    if UNDERFLOW not in node.reports or name in SAFE or name in SUMS:
        return True
    called = getattr(np, name.removeprefix("numpy."), None)
    if isinstance(called, np.ufunc):
        return called.signature is None
    if not is_at(node.op):
        return not node.types
    name = name.removesuffix(".at")
    loops = getattr(np, name.removeprefix("numpy.")).types
    return name in SAFE or not any(loop[-1] in "efdgFDG" for loop in loops)


def is_finite(value: object) -> bool:
    """Whether an array or number holds neither NaN nor infinity.

    Examples
    --------
    >>> is_finite(np.array([1.0, np.inf])), is_finite(3), is_finite(2j)
    (False, True, True)
    """
    if not isinstance(value, np.ndarray | np.generic):
        return not _is_special(value)
    if value.dtype.kind not in "fc":
        return True
    if value.size > _LARGE:  # their sum is NaN or infinite, and needs no memory
        with np.errstate(all="ignore"):
            if np.isfinite(np.add.reduce(value, axis=None)):
                return True
    return bool(np.isfinite(value).all())


def looks_finite(value: object, may_read: Callable[[int], bool]) -> bool:
    """Whether something holds neither NaN nor infinity, judged by a part of it if time is short.

    Where this is wrong, a replay finds what it did not expect, and NumPy runs.

    Parameters
    ----------
    value : object
        An array or a number.
    may_read : callable
        Whether there is time to read so many bytes.

    Examples
    --------
    >>> x = np.zeros(1_000_000)
    >>> x[1] = np.nan
    >>> looks_finite(x, lambda nbytes: True), looks_finite(x, lambda nbytes: False)
    (False, True)
    >>> x[-1] = np.inf
    >>> looks_finite(x, lambda nbytes: False)
    False
    """
    if isinstance(value, np.ndarray) and value.size > _LARGE and not may_read(value.nbytes):
        step = math.ceil((value.size / _LARGE) ** (1 / value.ndim))
        ahead = (slice(None, None, step),) * value.ndim
        behind = (slice(None, None, -step),) * value.ndim
        return is_finite(value[ahead]) and is_finite(value[behind])
    return is_finite(value)


def can_report(node: Node) -> bool:
    """Whether NumPy might report an error of finite operands at a node."""
    if is_at(node.op):  # it has no result: what it writes is looked at
        return bool(node.reports) and canonical(node.op.removesuffix(".at")) not in SAFE
    return (
        bool(node.reports)
        and any(type.dtype.startswith(("float", "complex")) for type in node.types)
        and all(0 not in type.shape for type in node.types)
        and canonical(node.op) not in SAFE
        and is_watched(node.op)
        and not (is_harmless(node) and UNDERFLOW not in node.reports)
    )


def is_at(op: str) -> bool:
    """Whether an operation is ``ufunc.at``.

    Examples
    --------
    >>> is_at("numpy.add.at"), is_at("numpy.add")
    (True, False)
    """
    return op.startswith("numpy.") and op.endswith(".at")


def is_hidden(op: str, *operands: object) -> bool:
    """Whether ``ufunc.at`` computes with floating-point numbers, and stores others.

    Then NaN and infinity cannot be seen in what it writes.

    Parameters
    ----------
    op : str
        The operation.
    operands : object
        The array that it writes, and the other operand if there is one.

    Examples
    --------
    >>> is_hidden("numpy.log10.at", np.array([True])), is_hidden("numpy.log10.at", np.ones(1))
    (True, False)
    >>> is_hidden("numpy.add.at", np.array([1]), 2)
    False
    """
    if not is_at(op) or np.asarray(operands[0]).dtype.kind in "fc":
        return False
    ufunc = getattr(np, op.removeprefix("numpy.").removesuffix(".at"))
    kinds = [type(x) if type(x) in (int, float) else np.asarray(x).dtype for x in operands]
    return any(kind.kind in "fc" for kind in ufunc.resolve_dtypes((*kinds, None)))


def is_watched(op: str) -> bool:
    """Whether NumPy watches for floating-point errors in an operation.

    Examples
    --------
    >>> is_watched("numpy.exp"), is_watched("ndarray.sum"), is_watched("numpy.einsum")
    (True, True, False)
    """
    return canonical(op) not in QUIET and not op.startswith(_LANGUAGE)


def may_surprise(op: str) -> bool:
    """Whether an operation can make NaN or infinity unnoticed of finite operands.

    Examples
    --------
    >>> may_surprise("numpy.linalg.cond"), may_surprise("numpy.exp")
    (True, False)
    """
    return canonical(op) in QUIET or op == "ndarray.view" or op.startswith(("python.", "math."))


def _special(graph: Graph, roots: dict[int, int]) -> set[int]:
    """Memory that may hold NaN or infinity without anything having been reported."""
    special = {node.id for node in graph.inputs if not node.finite}
    for node in graph.nodes:
        arguments = (*node.args, *node.kwargs.values())
        if (
            not node.finite
            or any(roots[id] in special for id in node.references())
            or any(map(_is_special, _constants(arguments)))
            or (node.reports != KINDS and is_watched(node.op))
        ):
            special.add(roots[node.id])
            special.update(roots[id] for id in node.writes)
    return special


def _constants(argument: Argument) -> Iterator[object]:
    if isinstance(argument, tuple | list):
        for part in argument:
            yield from _constants(part)
    elif isinstance(argument, Constant):
        if np.dtype(argument.type.dtype).kind in "fc":
            yield from np.frombuffer(argument.data, argument.type.dtype)
    else:
        yield argument


def _is_special(value: object) -> bool:
    if isinstance(value, np.inexact):
        return not np.isfinite(value)
    if isinstance(value, complex):
        return not (math.isfinite(value.real) and math.isfinite(value.imag))
    return isinstance(value, float) and not math.isfinite(value)
