"""Random draws: NumPy's own, made before the segment runs, in the order of the code.

A draw changes nothing but its stream. So a recording may draw in order to see
what comes out, and turn the stream back; and a replay may draw all that the
statements would draw, then compute. The numbers are inputs of the graph.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph.nodes import Ref, ValueType
from jupyter_npcompile.tracer.breaks import DRAW, RANDOM, Break
from jupyter_npcompile.tracer.evaluation import PythonErrors, evaluate
from jupyter_npcompile.tracer.interpret import value_type
from jupyter_npcompile.tracer.memory import owner, traceable
from jupyter_npcompile.tracer.nested import traced_in
from jupyter_npcompile.tracer.recipes import Container, Recipe, concrete, recipe
from jupyter_npcompile.tracer.sources import DrawSource, Source
from jupyter_npcompile.tracer.streams import DRAWS, is_known
from jupyter_npcompile.tracer.structure import structural
from jupyter_npcompile.tracer.traced import Traced

if TYPE_CHECKING:
    from jupyter_npcompile.tracer.hooks import Hooks

MAX_DRAWS = 500
"""Draws in one segment; more of them are a loop that was unrolled."""

_STRUCTURAL = frozenset(
    {"size", "axis", "replace", "shuffle", "dtype", "endpoint", "method", "check_valid", "tol"}
    | {"args", "x"}
)
"""Parameters that decide on the shape or type of what is drawn, or how."""


@dataclass(frozen=True, slots=True)
class Draw:
    """One draw of a segment.

    Parameters
    ----------
    generator : Source
        Where the generator is found.
    method : str
        Which of its methods is called.
    args : tuple of Recipe
        Positional arguments.
    kwargs : dict of str to Recipe
        Keyword arguments.
    type : ValueType
        What is drawn, down to the memory layout; other things invalidate the recording.
    """

    generator: Source
    method: str
    args: tuple[Recipe, ...]
    kwargs: dict[str, Recipe]
    type: ValueType


def draw(
    hooks: Hooks,
    source: Source,
    generator: Any,
    name: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Traced:
    """Draw, and make an input of what is drawn.

    Parameters
    ----------
    hooks : Hooks
        Of the caller.
    source : Source
        Where the generator was found.
    generator : numpy.random.Generator or numpy.random.RandomState
        From which to draw.
    name : str
        The method.
    args, kwargs
        Its arguments.

    Raises
    ------
    Break
        When NumPy has to draw where the draw stands.
    """
    recorder, call = hooks.recorder, f"{source}.{name}"
    if name not in DRAWS or not is_known(generator):
        raise Break("host", f"`{call}`: {RANDOM}", DRAW)
    if len(recorder.draws) >= MAX_DRAWS:
        raise Break("limit", f"more than {MAX_DRAWS} draws in one segment: a loop was unrolled")
    with PythonErrors():
        bound = _signature(generator.__class__, name).bind(generator, *args, **kwargs)
    if bound.arguments.get("out") is not None:
        raise Break("host", f"`{call}`: {RANDOM}", DRAW)
    for parameter in _STRUCTURAL & bound.arguments.keys():
        bound.arguments[parameter] = structural(hooks, bound.arguments[parameter])
    args, kwargs = bound.args[1:], bound.kwargs
    inputs = {node.id for node in recorder.inputs}
    recipes = [recipe(value, recorder, {}) for value in (*args, *kwargs.values())]
    if any(needed not in inputs for made in recipes for needed in _needed(made)) or any(
        isinstance(t.value, np.ndarray) and id(owner(t.value)) in recorder.touched
        for t in traced_in([args, kwargs])
    ):
        raise Break("host", f"`{call}` draws with values that the graph computes", DRAW)
    recorder.streams.note(generator)
    plain = concrete(args), concrete(kwargs)
    result = evaluate(hooks, getattr(generator, name), *plain)
    if not _is_plain(result, plain):
        raise Break("host", f"`{call}` gives a {type(result).__name__}: {RANDOM}", DRAW)
    number = recorder.new_input(DrawSource(len(recorder.draws), f"{call}()"), result)
    recorder.draws.append(
        Draw(
            source,
            name,
            tuple(recipes[: len(args)]),
            dict(zip(kwargs, recipes[len(args) :], strict=True)),
            value_type(result),
        )
    )
    recorder.drawn[number] = result
    return Traced(hooks.root, result, number)


@functools.cache
def _signature(kind: Hashable, name: str) -> inspect.Signature:
    return inspect.signature(getattr(kind, name))


def _needed(made: Recipe) -> Iterator[int]:
    """Nodes whose values a recipe needs."""
    if isinstance(made, Ref):
        yield made.id
    elif isinstance(made, Container):
        for item in made.items:
            yield from _needed(item)


def _is_plain(result: Any, given: Any) -> bool:
    """Whether a draw is new numbers: no text, no view of an argument."""
    if isinstance(result, np.ndarray):
        return traceable(result) and not _shares(result, given)
    if isinstance(result, np.generic):
        return traceable(np.asarray(result))
    return type(result) in (int, float)


def _shares(result: Any, given: Any) -> bool:
    if isinstance(given, tuple | list):
        return any(_shares(result, item) for item in given)
    if isinstance(given, dict):
        return _shares(result, tuple(given.values()))
    return isinstance(given, np.ndarray) and np.may_share_memory(result, given)
