"""What a report says of the gradient of a function: its operations, forward and backward."""

from __future__ import annotations

import ast
import contextlib
import inspect
import io
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from jupyter_npcompile.autodiff.errors import GradientError
from jupyter_npcompile.autodiff.programs import program_of, scalar_output
from jupyter_npcompile.autodiff.subjects import Differentiated, differentiated
from jupyter_npcompile.autodiff.transforms import Gradient
from jupyter_npcompile.autodiff.trees import flatten
from jupyter_npcompile.runtime.copies import Copier


def differentiated_function(
    derivative: Gradient, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Differentiated:
    """Follow a function once, on copies of its arguments, without its values.

    Parameters
    ----------
    derivative : Gradient
        Its ``grad`` or ``value_and_grad``.
    args, kwargs
        Arguments for it.

    Raises
    ------
    GradientError
        When what the function returns depends on nothing that is differentiated, or it
        is a derivative itself.
    """
    from jupyter_npcompile.autodiff.evaluation import Forward

    copier = Copier()
    given = list(copier.copy(tuple(args)))
    function = derivative.function
    asked = derivative.positions(given)
    with contextlib.redirect_stdout(io.StringIO()):
        program = program_of(
            *(function, given, copier.copy(dict(kwargs)), sorted(set(asked))),
            has_aux=derivative.has_aux,
            what=derivative.what,
        )
    scalar_output(program, derivative.what)
    tape = program.tape
    target = None if tape is None else tape.node_of(program.outputs[0])
    if tape is None or target is None:
        raise GradientError("there is no graph of this gradient: the value depends on no argument")
    names = _names(derivative, given)
    leaves: dict[str, int] = {}
    order = iter(tape.leaves)
    for position in program.trees:
        count = program.trees[position].leaves
        for place in range(count):
            suffix = f"[{place}]" if flatten(given[position])[1].leaves > 1 else ""
            leaves[f"{names[position]}{suffix}"] = next(order)
    graph = Forward(tape, [target], len(tape.recorder.nodes)).graph
    labels = {id(value): name for name, value in zip(names, given, strict=True)}
    inputs = tuple(
        replace(node, name=labels.get(id(tape.values[node.id]), "")) for node in graph.inputs
    )
    source, tree, first = _text(function)
    graph = replace(graph, inputs=inputs)
    output = getattr(function, "__name__", "")
    output = output if output.isidentifier() else "value"  # <lambda>
    return differentiated(graph, target, leaves, output, source, tree, first)


def _names(derivative: Gradient, args: Sequence[Any]) -> list[str]:
    """What the function calls its positional arguments."""
    try:
        known = list(inspect.signature(derivative.function).parameters.values())
    except (TypeError, ValueError):
        known = []
    plain = [one.name for one in known if one.kind != one.VAR_POSITIONAL]
    return [plain[k] if k < len(plain) else f"args[{k}]" for k in range(len(args))]


def _text(function: Any) -> tuple[str, ast.Module, int]:
    """The text of a function, where it can be read, and its first line."""
    try:
        lines, first = inspect.getsourcelines(inspect.unwrap(function))
        text = textwrap.dedent("".join(lines))
        tree = ast.parse(text)
    except (OSError, TypeError, SyntaxError):
        return "", ast.Module([], []), 1
    first = max(first, 1)
    return "".join(lines), ast.increment_lineno(tree, first - 1), first
