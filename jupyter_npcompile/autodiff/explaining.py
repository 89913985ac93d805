"""What a report says of the gradient of a function: its operations, forward and backward."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from jupyter_npcompile.autodiff.errors import GradientError
from jupyter_npcompile.autodiff.function_runs import run_again
from jupyter_npcompile.autodiff.subjects import Differentiated, differentiated
from jupyter_npcompile.autodiff.transforms import Gradient


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

    run = run_again(derivative, args, kwargs)
    program, given = run.program, run.args
    tape = program.tape
    target = None if tape is None else tape.node_of(program.outputs[0])
    if tape is None or target is None:
        raise GradientError("there is no graph of this gradient: the value depends on no argument")
    graph = tape.callers.shown(Forward(tape, [target], len(tape.recorder.nodes)).graph)
    labels = {id(value): name for name, value in zip(run.names, given, strict=True)}
    inputs = tuple(
        replace(node, name=labels.get(id(tape.values[node.id]), "")) for node in graph.inputs
    )
    source, tree, first = _text(derivative.function)
    graph = replace(graph, inputs=inputs)
    return differentiated(graph, target, run.leaves(), run.output, source, tree, first)


def _text(function: Any) -> tuple[str, ast.Module, int]:
    """The text of a function, where it can be read, and its first line."""
    function = inspect.unwrap(function)
    try:
        lines, first = inspect.getsourcelines(function)
        text = textwrap.dedent("".join(lines))
        tree = ast.parse(text)
    except (OSError, TypeError, SyntaxError):
        return "", ast.Module([], []), 1
    if not _holds(tree, function):  # the text of something else whose file has the same name
        return "", ast.Module([], []), 1
    first = max(first, 1)
    return "".join(lines), ast.increment_lineno(tree, first - 1), first


def _holds(tree: ast.Module, function: Any) -> bool:
    """Whether a text can be that of a function: it has one of its name."""
    code = getattr(function, "__code__", None)
    if code is None:
        return True
    if code.co_name == "<lambda>":
        return any(isinstance(node, ast.Lambda) for node in ast.walk(tree))
    return any(getattr(node, "name", "") == code.co_name for node in ast.walk(tree))
