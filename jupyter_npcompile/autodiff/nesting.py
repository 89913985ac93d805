"""Derivatives that the code itself takes while it is being differentiated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.autodiff.programs import CAPTURED, Program, inside
from jupyter_npcompile.autodiff.steps import lose, name_of
from jupyter_npcompile.autodiff.taints import Step
from jupyter_npcompile.autodiff.trees import flatten

if TYPE_CHECKING:
    from jupyter_npcompile.autodiff.hooks import TapeHooks
    from jupyter_npcompile.autodiff.transforms import Derivative


def on_tape(
    hooks: TapeHooks, derivative: Derivative, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Compute a derivative and enter it as an operation of the active arguments.

    Parameters
    ----------
    hooks : TapeHooks
        Of the outer run.
    derivative : Derivative
        ``grad(f)`` and its like.
    args, kwargs
        What it is called with.
    """
    import torch

    from jupyter_npcompile.autodiff.pullbacks import plain, tensors

    tape = hooks.tape
    if tape.has_active(kwargs):
        raise TypeError(f"{name_of(derivative)}: pass what is differentiated by position")
    outer = tuple(k for k, arg in enumerate(args) if tape.has_active(arg))
    with inside(tape):
        program = derivative.program(args, kwargs, outer)
    captured = program.leaves[len(program.leaves) - _count(program) :]
    leaves = [leaf for k in outer for leaf in flatten(args[k])[0]] + captured
    operands = tuple(
        tape.wrap(leaf) if tape.is_active(leaf) else _constant(hooks, before)
        for leaf, before in zip(leaves, program.leaves, strict=True)
    )
    with torch.no_grad():
        values = [plain(tensor) for tensor in program.function(*tensors(program.leaves))]
    if not leaves:
        result = program.tree.build(values)
        return (result, program.aux) if derivative.has_aux else result
    made = []
    for index, value in enumerate(values):

        def function(*given: Any, index: int = index) -> Any:
            return program.function(*given)[index]

        step = Step(derivative.what, tape.place, value, function=function)
        made.append(tape.step(step, value, operands))
    while tape.overwritten:
        reason = f"{derivative.what} of a function that writes into its argument"
        what = Step(derivative.what, tape.place, reason=reason, hint="give it a copy")
        lose(hooks, tape.overwritten.pop(), what)
    result = program.tree.build(made)
    return (result, program.aux) if derivative.has_aux else result


def _count(program: Program) -> int:
    tree = program.trees.get(CAPTURED)
    return 0 if tree is None else tree.leaves


def _constant(hooks: TapeHooks, leaf: Any) -> Any:
    return hooks.tape.wrap(np.array(leaf))
