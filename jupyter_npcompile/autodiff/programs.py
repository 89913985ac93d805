"""A run of a function, and the same as a function of tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import field
from typing import Any

import numpy as np

from jupyter_npcompile.autodiff.hooks import TapeHooks
from jupyter_npcompile.autodiff.interruption import unharmed, variable
from jupyter_npcompile.autodiff.taints import uncut
from jupyter_npcompile.autodiff.tape import Tape
from jupyter_npcompile.autodiff.trees import LEAF, Tree, flatten, map_leaves
from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.tracer.memory import is_supported

TensorFunction = Callable[..., "list[Any]"]

CAPTURED = -1
"""The place, among arguments, of what a function captures from a run around it."""

_outer: ContextVar[Tape | None] = variable("outer", None)


@contextmanager
def inside(tape: Tape | None) -> Iterator[None]:
    """Runs that begin here capture what is active on a tape."""
    token = _outer.set(tape)
    try:
        yield
    finally:
        _outer.reset(token)


@dataclass
class Program:
    """What is differentiated: a function of tensors, and what it gave in this run.

    Parameters
    ----------
    function : callable
        From one tensor for each leaf to one tensor for each output.
    leaves : list
        The values of the leaves: ndarrays, NumPy scalars, Python numbers.
    trees : dict of int to Tree
        Structure of the arguments that hold leaves, by position, in order.
    outputs : list
        The values of the outputs, or something like them.
    tree : Tree
        Their structure.
    aux : object
        What the function gave besides.
    exact : bool
        Whether ``outputs`` are values; otherwise they only show shapes and
        dtypes.
    tape : Tape or None
        Of the run, if there was one.
    """

    function: TensorFunction
    leaves: list[Any]
    trees: dict[int, Tree]
    outputs: list[Any]
    tree: Tree
    aux: Any = None
    exact: bool = True
    tape: Tape | None = field(default=None, repr=False)

    def values(self) -> list[Any]:
        """The values of the outputs."""
        if self.exact:
            return self.outputs
        from jupyter_npcompile.autodiff.pullbacks import plain, tensors

        return [plain(tensor) for tensor in self.function(*tensors(self.leaves))]

    def captures(self, outer: Sequence[int]) -> tuple[int, ...]:
        """Places of outer arguments, and of what was captured, if something was."""
        return (*outer, CAPTURED) if CAPTURED in self.trees else tuple(outer)

    def places(self, position: int) -> range:
        """Which leaves belong to an argument."""
        start = 0
        for known, tree in self.trees.items():
            if known == position:
                return range(start, start + tree.leaves)
            start += tree.leaves
        raise KeyError(position)


def demand_inexact(value: Any, what: str = "grad") -> None:
    """Make sure that something can be differentiated with respect to a value.

    Raises
    ------
    TypeError
        As JAX does for integers, and for arrays that compute in a way of their own.
    """
    own = getattr(type(value), "__array_ufunc__", np.ndarray.__array_ufunc__)
    if isinstance(value, np.ndarray) and own is not np.ndarray.__array_ufunc__:
        raise TypeError(
            f"{what} does not follow a {type(value).__name__}, which computes in a way of its own. "
            "np.asarray gives its numbers."
        )
    dtype = value.dtype if isinstance(value, np.ndarray | np.generic) else None
    if dtype is None:
        if type(value) in (float, complex):
            return
        shown = type(value).__name__
    else:
        if dtype.kind in "fc" and is_supported(dtype):
            return
        shown = str(dtype)
    raise TypeError(
        f"{what} requires real- or complex-valued inputs (input dtype that is a sub-dtype of "
        f"np.inexact), but got {shown}. Convert it to float, or choose other argnums."
    )


def program_of(
    function: Any,
    args: Sequence[Any],
    kwargs: dict[str, Any],
    positions: Sequence[int],
    *,
    has_aux: bool = False,
    what: str = "grad",
    once: bool = False,
) -> Program:
    """Run a function once, following what depends on some of its arguments.

    Parameters
    ----------
    function : callable
        Plain, or itself a derivative.
    args, kwargs
        Its arguments.
    positions : sequence of int
        Arguments that are differentiated, ascending.
    has_aux : bool
        Whether it gives a pair, of which the second part is handed through.
    what : str
        Name of the caller, for errors.
    once : bool
        Whether it will be differentiated once: then iterations of long loops
        are not recorded, but run again.
    """
    for position in positions:
        for leaf in flatten(args[position])[0]:
            demand_inexact(leaf, what)
    own = getattr(function, "program", None)
    if own is not None and getattr(function, "is_derivative", False):
        found: Program = own(args, kwargs, tuple(positions))
        return found
    with unharmed():
        return _run(function, args, kwargs, positions, has_aux, once)


def _run(
    function: Any,
    args: Sequence[Any],
    kwargs: dict[str, Any],
    positions: Sequence[int],
    aux: bool,
    once: bool,
) -> Program:
    tape = Tape(_outer.get())
    tape.repeats = once and tape.parent is None
    hooks = TapeHooks(tape)
    given, trees = list(args), dict[int, Tree]()
    for position in positions:
        found, tree = flatten(args[position])
        trees[position] = tree
        given[position] = tree.build([tape.leaf(leaf) for leaf in found])
    with inside(None):
        try:
            result = hooks.call(None, function, *given, **kwargs)
        finally:
            tape.write_back()
    extra = None
    if aux:
        if not isinstance(result, tuple) or len(result) != 2:
            raise TypeError("has_aux=True needs a function that returns a pair (value, aux)")
        result, extra = result
    outputs, tree = flatten(result)
    forward = Outputs(tape, outputs)
    leaves = [tape.values[id] for id in tape.leaves]  # as they were: the run may have written them
    if tape.captured:
        trees[CAPTURED] = flatten(tuple(tape.captured))[1]
    return Program(
        forward,
        leaves,
        trees,
        [uncut(v) for v in outputs],
        tree,
        map_leaves(uncut, extra),
        tape=tape,
    )


class Outputs:
    """Outputs of a run as a function of its leaves; those that depend on none are constants.

    Parameters
    ----------
    tape : Tape
        Of the run.
    outputs : list
        The values.
    """

    def __init__(self, tape: Tape, outputs: list[Any]) -> None:
        self.nodes = [tape.node_of(value) for value in outputs]
        lost = tape.tainted_in(outputs)
        if lost is not None:
            raise lost.refuse()
        self._constants = [
            value.copy() if isinstance(value, np.ndarray) else value for value in outputs
        ]
        self._tape = tape
        self._forward: Any = None

    @property
    def depends(self) -> bool:
        """Whether any output depends on a leaf."""
        return any(node is not None for node in self.nodes)

    def __call__(self, *leaves: Any) -> list[Any]:
        """Compute the outputs from tensors."""
        from jupyter_npcompile.autodiff.evaluation import Forward, tensor_of
        from jupyter_npcompile.autodiff.sites import sent

        if self._forward is None:
            wanted = [node for node in self.nodes if node is not None]
            self._forward = Forward(self._tape, wanted)
        made = iter(self._forward(*leaves))
        return [
            sent(tensor_of(value).clone()) if node is None else next(made)
            for node, value in zip(self.nodes, self._constants, strict=True)
        ]


def bytes_of(program: Program) -> int:
    """Bytes that a derivative takes: every value on the way, and its gradient."""
    return 0 if program.tape is None else program.tape.nbytes


def scalar_output(program: Program, what: str = "grad") -> None:
    """Make sure that a function gives one real number.

    Raises
    ------
    TypeError
        When it does not.
    """
    if program.tree is not LEAF and program.tree != LEAF:
        raise TypeError(
            f"{what} only defined for scalar-output functions; the output is a "
            f"{'None' if program.tree.kind is None else program.tree.kind.__name__}. "
            "has_aux=True returns more than the value"
        )
    value = program.outputs[0]
    shape = np.shape(value)
    if shape != ():
        raise TypeError(
            f"Gradient only defined for scalar-output functions. Output had shape: {shape}."
        )
    kind = np.asarray(value).dtype
    if kind.kind != "f":
        raise TypeError(
            f"{what} requires real-valued outputs (output dtype that is a sub-dtype of "
            f"np.floating), but got {kind}."
        )
