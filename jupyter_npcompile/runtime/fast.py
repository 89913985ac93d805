"""The fast way into native code: what a plan assumes and does, written as one Python function.

A plan that is a single native piece is turned into straight-line code: fetch
the names, compare what must be the same objects, call the piece (which checks
the arrays itself), and hand out the results. Where anything is not as it was
recorded the function returns None, and the plan is looked at in full.
"""

from __future__ import annotations

import builtins
import math
import operator
import sys
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, TypeAlias

import numpy as np

from jupyter_npcompile.graph.nodes import Ref
from jupyter_npcompile.runtime.namespace import DISPLAY
from jupyter_npcompile.runtime.native.program import Program
from jupyter_npcompile.runtime.plan import Plan
from jupyter_npcompile.runtime.straight import Expressions
from jupyter_npcompile.tracer.guards import ArrayGuard, Guard, IdentityGuard, TypeGuard, ValueGuard
from jupyter_npcompile.tracer.interpret import gives_target
from jupyter_npcompile.tracer.interrupts import at_once
from jupyter_npcompile.tracer.memory import Array
from jupyter_npcompile.tracer.recipes import FromSource, Literal, Recipe
from jupyter_npcompile.tracer.sources import (
    OPERATORS,
    SOURCES,
    AttributeSource,
    CellSource,
    ClosureSource,
    ComputedSource,
    GlobalSource,
    ItemSource,
    NameSource,
    ObjectSource,
    Source,
    closed_over,
)

Fast: TypeAlias = Callable[[dict[str, Any], dict[str, Any]], "dict[str, Any] | None"]
"""``fast(locals, globals)``: what names are bound to, or None."""

_STATE: ContextVar[Any] | None = getattr(
    sys.modules.get("numpy._core.umath"), "_extobj_contextvar", None
)
"""Where NumPy keeps its floating-point error state, if it is where it was."""


_ERRORS = (LookupError, AttributeError, ValueError, TypeError, ArithmeticError, MemoryError)
"""What fetching a value, or Python's own arithmetic, may raise: then the plan raises it, or not."""


class NotSimpleError(Exception):
    """The plan needs more than the fast way has."""


def specialise(
    plan: Plan, own: frozenset[str], scratch: Mapping[int, Array] | None = None
) -> Fast | None:
    """Write the fast way into a plan's artifact.

    Parameters
    ----------
    plan : Plan
        A plan that is ready and has been checked.
    own : frozenset of str
        The names that are local to the function; empty for a cell.
    scratch : mapping of int to numpy.ndarray, optional
        Arrays that are written to instead of the inputs, by input id.

    Returns
    -------
    callable or None
        None where the plan is not simple enough.
    """
    try:
        return _Writer(plan, own, scratch or {}).function()
    except NotSimpleError:
        return None


class Fetcher:
    """Writes lines of Python that fetch values and look whether they are as they were.

    Parameters
    ----------
    own : frozenset of str
        The names that are local to the function; empty for a cell.
    """

    def __init__(self, own: frozenset[str]) -> None:
        self._own = own
        self._objects: dict[str, Any] = {
            "B": vars(builtins),
            "errors_of_fetching": _ERRORS,
        }
        self._expressions = Expressions(self._node, self._objects)
        self._names: dict[Source, str] = {}
        self._lines: list[str] = []

    def _node(self, id: int) -> str:
        """A variable that holds the value of a node."""
        raise NotSimpleError

    def _check_error_state(self, expected: Mapping[str, object]) -> None:
        self._objects["errors"] = np.geterr
        self._objects["expected"] = dict(expected)
        test = "errors() != expected"
        if _STATE is not None and np.geterr() == expected:
            # The very same state object is the same state, and quick to compare.
            self._objects["state"], self._objects["same"] = _STATE.get, _STATE.get()
            test = f"state() is not same and {test}"
        self._lines.append(f"if {test}: return None")

    # -- sources

    def _value(self, source: Source) -> str:
        """A variable that holds the value of a source."""
        if source not in self._names:
            expression = self._expression(source)  # which may need variables of its own
            self._names[source] = name = f"v{len(self._names)}"
            self._lines.append(f"{name} = {expression}")
        return self._names[source]

    def _expression(self, source: Source) -> str:
        if isinstance(source, NameSource):
            name = source.name
            if name in self._own:
                return f"L[{name!r}]"
            return f"(G[{name!r}] if {name!r} in G else B[{name!r}])"
        if isinstance(source, GlobalSource):
            module = self._object(source.module)
            name = source.name
            return f"({module}[{name!r}] if {name!r} in {module} else B[{name!r}])"
        if isinstance(source, CellSource):
            return f"{self._object(source.cell)}.cell_contents"
        if isinstance(source, ClosureSource):
            return f"{self._object(closed_over)}({self._value(source.parent)}, {source.index})"
        if isinstance(source, AttributeSource):
            return f"{self._value(source.parent)}.{source.name}"
        if isinstance(source, ItemSource) and isinstance(source.key, str | int):
            return f"{self._value(source.parent)}[{source.key!r}]"
        if isinstance(source, ObjectSource):
            return self._object(source.value)
        if isinstance(source, ComputedSource):
            operands = [
                self._value(operand) if isinstance(operand, SOURCES) else self._object(operand)
                for operand in source.operands
            ]
            return f"{self._object(OPERATORS[source.operation])}({', '.join(operands)})"
        raise NotSimpleError

    def _object(self, value: Any) -> str:
        return self._expressions.object(value)

    # -- guards

    def _demand(self, guard: Guard) -> None:
        value = self._value(guard.source)
        if isinstance(guard, IdentityGuard):
            self._lines.append(f"if {value} is not {self._object(guard.value)}: return None")
        elif isinstance(guard, ValueGuard) and _is_plain(guard.value):
            kind, expected = self._object(type(guard.value)), self._object(guard.value)
            self._lines.append(
                f"if type({value}) is not {kind} or {value} != {expected}: return None"
            )
        else:
            self._lines.append(f"if not {self._object(guard.holds)}({value}): return None")


class _Writer(Fetcher):
    def __init__(self, plan: Plan, own: frozenset[str], scratch: Mapping[int, Array]) -> None:
        super().__init__(own)
        artifact = plan.artifact
        program = artifact.program if artifact is not None else None
        piece = program.only if isinstance(program, Program) else None
        if piece is None or piece.bound is None or piece.manifest.masks:
            raise NotSimpleError
        recording = plan.recording
        if recording.draws or recording.hidden or recording.frozen:
            raise NotSimpleError
        self._plan = plan
        self._recording = recording
        self._manifest = piece.manifest
        self._bound = piece.bound
        self._is_cell = not own
        self._scratch = scratch
        self._nodes = recording.graph.by_id()
        self._sources = dict(
            zip((node.id for node in recording.graph.inputs), recording.sources, strict=True)
        )
        self._views: dict[int, str] = {}
        self._made: dict[int, str] = {}
        self._results = {id: k for k, (id, _) in enumerate(piece.manifest.outputs)}

    def function(self) -> Fast:
        recording = self._recording
        inputs = self._sources
        taken = {source for id, source in inputs.items() if id in dict(self._manifest.inputs)}
        arrays = {inputs[node.id] for node in recording.graph.inputs if node.type.kind == "array"}
        sources, aliasing = recording.aliasing
        distinct = all(entry[0] == k and entry[2] == k for k, entry in enumerate(aliasing))
        if not distinct or set(sources) != arrays or not arrays <= taken:
            raise NotSimpleError
        self._check_error_state(self._plan.errors)
        writeable: dict[int, bool] = {}
        for guard in recording.guards:
            if isinstance(guard, ArrayGuard) and guard.source in taken:
                id = next(id for id, source in inputs.items() if source == guard.source)
                writeable[id] = guard.writeable
            elif not (isinstance(guard, TypeGuard) and guard.source in taken):
                self._demand(guard)
        self._objects["piece"] = self._bound(writeable)
        arguments = ", ".join(self._value(inputs[id]) for id, _ in self._manifest.inputs)
        self._lines.append(f"r = piece({arguments})")
        self._lines.append("if r is None or r is False: return None")
        bindings = {name: self._recipe(recipe) for name, recipe in recording.recipes.items()}
        self._lines.append(f"b = {_dict(bindings)}")
        if self._manifest.writes:
            self._write(bindings)
        self._lines.append("return b")
        return self._compiled()

    def _write(self, bindings: Mapping[str, str]) -> None:
        """Write into inputs, and bind the names of a cell: all, or nothing on an interrupt."""
        count = len(self._manifest.outputs)
        self._objects |= {"at_once": at_once, "setitem": operator.setitem}
        steps = []
        for k, (id, _) in enumerate(self._manifest.writes):
            target = self._value(self._sources[id])
            if id in self._scratch:
                target = self._object(self._scratch[id])
            steps.append(f"(setitem, {target}, ..., r[{count + k}])")
        if self._is_cell and not self._scratch:
            named = {name: value for name, value in bindings.items() if name != DISPLAY}
            steps.append(f"(G.update, {_dict(named)})")
        self._lines.append(f"at_once(({', '.join(steps)},))")

    def _compiled(self) -> Fast:
        made: Fast = written("fast", "L, G", self._lines, self._objects)
        return made

    # -- results

    def _recipe(self, recipe: Recipe) -> str:
        if isinstance(recipe, Ref):
            return self._node(recipe.id)
        if isinstance(recipe, Literal):
            return self._object(recipe.value)
        if isinstance(recipe, FromSource):
            return self._value(recipe.source)
        if recipe.type is not tuple or recipe.keys is not None:
            raise NotSimpleError
        if id(recipe) not in self._made:  # a tuple that has two names stays one tuple
            items = "".join(f"{self._recipe(item)}, " for item in recipe.items)
            self._made[id(recipe)] = f"t{len(self._made)}"
            self._lines.append(f"{self._made[id(recipe)]} = ({items})")
        return self._made[id(recipe)]

    def _node(self, id: int) -> str:
        """A variable that holds the value of a node: a result, an input, or a view of one."""
        if id in self._results:
            return f"r[{self._results[id]}]"
        if id in self._sources:
            return self._value(self._sources[id])
        if id not in self._views:
            node = self._nodes[id]
            if node.view_of is None:
                raise NotSimpleError
            if gives_target(node, self._nodes):
                return self._node(node.view_of)
            value = self._expressions.of(node)  # which may need others
            self._views[id] = name = f"w{len(self._views)}"
            self._lines.append(f"{name} = {value}")
        return self._views[id]


def _dict(items: Mapping[str, str]) -> str:
    """The text of a dict."""
    return f"{{{', '.join(f'{name!r}: {value}' for name, value in items.items())}}}"


def _is_plain(value: Any) -> bool:
    """Whether equality and type are all there is to a value."""
    if isinstance(value, float):
        return math.isfinite(value) and value != 0
    return type(value) in (int, bool, str, type(None))


def written(
    name: str, parameters: str, lines: Sequence[str], objects: Mapping[str, Any]
) -> Callable[..., Any]:
    """Compile a function that was written for one purpose.

    Parameters
    ----------
    name : str
        What tracebacks call it.
    parameters : str
        Its parameters.
    lines : sequence of str
        Its body.
    objects : mapping of str to object
        What its other names mean; with ``errors_of_fetching``, which make it return None.

    Examples
    --------
    >>> names = {"two": 2, "errors_of_fetching": IndexError}
    >>> half = written("half", "x", ["return x[0] / two"], names)
    >>> half([3]), half([])
    (1.5, None)
    """
    text = "\n".join(
        (
            f"def make({', '.join(objects)}):",
            f"    def {name}({parameters}):",
            "        try:",
            *(f"            {line}" for line in lines),
            "        except errors_of_fetching: return None",
            f"    return {name}",
            "",
        )
    )
    space: dict[str, Any] = {}
    exec(compile(text, f"<npcompile {name}>", "exec"), space)
    made: Callable[..., Any] = space["make"](**objects)
    return made
