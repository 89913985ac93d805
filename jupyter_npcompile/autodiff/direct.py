"""Compiled gradients without detours: what a replay assumes and does, as one Python function.

It fetches the arguments, looks whether they are as they were, calls pieces and
libraries in order, and puts the result together. Where anything is not as it
was recorded it gives None, and the call takes the long way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from jupyter_npcompile.autodiff.array_steps import step_of
from jupyter_npcompile.autodiff.compiled import CallStep, JointProgram, PieceStep, fitted
from jupyter_npcompile.autodiff.trees import LEAF, Tree, flatten
from jupyter_npcompile.runtime.fast import Fetcher, NotSimpleError, written
from jupyter_npcompile.tracer.guards import ArrayGuard
from jupyter_npcompile.tracer.sources import ItemSource, NameSource, Source

if TYPE_CHECKING:
    from jupyter_npcompile.autodiff.replays import Replay

Direct: TypeAlias = Callable[[tuple[Any, ...], dict[str, Any]], Any]
"""``direct(args, kwargs)``: value and gradients, or None."""


def direct(
    replay: Replay, args: Sequence[Any], kwargs: dict[str, Any], asked: Sequence[int]
) -> Direct | None:
    """Write a replay as one function; None where it needs more than that.

    Parameters
    ----------
    replay : Replay
        Compiled, and compared with the tape.
    args, kwargs
        A call for which it holds.
    asked : sequence of int
        The arguments that are differentiated, in the order of the result.
    """
    try:
        return _Writer(replay, args, kwargs, asked).function()
    except NotSimpleError:
        return None


class _Writer(Fetcher):
    def __init__(
        self, replay: Replay, args: Sequence[Any], kwargs: dict[str, Any], asked: Sequence[int]
    ) -> None:
        super().__init__(frozenset())
        if not isinstance(replay.program, JointProgram):
            raise NotSimpleError
        self._replay, self._program = replay, replay.program
        self._args, self._asked = args, asked
        self._known = self._program.known(replay.values(args, kwargs))
        self._variables: dict[int, str] = {}
        self._arrays: set[int] = set()

    def function(self) -> Direct:
        """The function."""
        recording = self._replay.recording
        sources, known = self._replay.sharing
        if any(entry[0] != k or entry[2] != k for k, entry in enumerate(known)):
            raise NotSimpleError
        self._check_error_state(dict(self._replay.errors))
        self._check_structures()
        for guard in recording.guards:
            if isinstance(guard, ArrayGuard):
                self._check_array(guard)
            else:
                self._demand(guard)
        for k, one in enumerate(sources):  # nothing is written: only identity could be seen
            for other in sources[:k]:
                self._lines.append(f"if {self._value(one)} is {self._value(other)}: return None")
        for node, source in zip(recording.graph.inputs, recording.sources, strict=True):
            self._variables[node.id] = self._value(source)
        for id, variable in zip(self._program.inputs, list(self._variables.values()), strict=True):
            kind = type(self._known[id])
            name = f"n{id}"
            plain = kind is np.ndarray and isinstance(self._given(id), np.ndarray)
            self._lines.append(f"{name} = {variable}" if plain else f"{name} = asarray({variable})")
            self._variables[id] = name
            self._arrays.add(id)
        self._objects |= {"asarray": np.asarray, "fitted": fitted}
        for id, constant in self._program.constants.items():
            self._variables[id] = self._object(constant)
            self._arrays.add(id)
        for step in self._program.steps:
            step(self._known)
            if isinstance(step, PieceStep):
                self._piece(step)
            else:
                self._call(step)
        return self._returned()

    def _given(self, id: int) -> Any:
        return self._replay.values(self._args, {})[self._program.inputs.index(id)]

    # -- what is assumed

    def _expression(self, source: Source) -> str:
        if isinstance(source, NameSource) and source.name in ("args", "kwargs"):
            return source.name
        return super()._expression(source)

    def _check_array(self, guard: ArrayGuard) -> None:
        value = self._value(guard.source)
        shape, strides = self._object(guard.shape), self._object(guard.strides)
        self._lines.append(
            f"if type({value}) is not {self._object(np.ndarray)} or {value}.shape != {shape} "
            f"or {value}.strides != {strides} or {value}.dtype is not {self._object(guard.dtype)} "
            f"or not {value}.flags.aligned: return None"
        )

    def _check_structures(self) -> None:
        """Arguments that are differentiated are taken apart as they were."""
        count = self._object(len(self._args))
        self._lines.append(f"if len(args) != {count}: return None")
        for position in self._asked:
            tree = flatten(self._args[position])[1]
            self._check_tree(tree, ItemSource(NameSource("args"), position))

    def _check_tree(self, tree: Tree, source: Source) -> None:
        if tree == LEAF:
            return
        if tree.kind is None:
            raise NotSimpleError
        value = self._value(source)
        keys = tree.keys if issubclass(tree.kind, dict) else range(len(tree.parts))
        test = f"tuple({value}) != {self._object(tuple(keys))}"
        if not issubclass(tree.kind, dict):
            test = f"len({value}) != {len(tree.parts)}"
        self._lines.append(
            f"if type({value}) is not {self._object(tree.kind)} or {test}: return None"
        )
        for key, part in zip(keys, tree.parts, strict=True):
            self._check_tree(part, ItemSource(source, key))

    # -- what is done

    def _piece(self, step: PieceStep) -> None:
        given = []
        for id, strides in zip(step.inputs, step.strides, strict=True):
            variable = self._array(id)
            if self._strides(id) != strides:
                name = f"{variable}_{len(self._lines)}"
                self._lines.append(f"{name} = fitted({variable}, {strides})")
                variable = name
            given.append(variable)
        call = self._object(step.call)
        names = [f"n{id}" for id in step.outputs]
        self._lines.append(f"r = {call}({', '.join(given)})")
        self._lines.append("if not r: return None")
        self._lines.append(f"{', '.join(names)}, = r")
        self._variables |= dict(zip(step.outputs, names, strict=True))
        self._arrays |= set(step.outputs)

    def _strides(self, id: int) -> Any:
        value = self._known[id]
        if isinstance(value, np.ndarray) and id in self._arrays:
            return value.strides
        return None  # what NumPy makes in the place of a tensor may lie otherwise

    def _call(self, step: CallStep) -> None:
        made = self._known[step.id]
        name = f"n{step.id}"
        own = step_of(step.name, step.args, step.kwargs)
        real = not isinstance(made, list | tuple) and not made.is_complex()
        if own is not None and real:
            call = self._object(own)
            args = ", ".join(self._argument(arg, self._array) for arg in step.args)
            self._lines.append(f"{name} = {call}({args})")
            self._arrays.add(step.id)
        else:
            call = self._object(step.function)
            parts = [self._argument(arg, self._tensor) for arg in step.args]
            parts += [f"{k}={self._argument(v, self._tensor)}" for k, v in step.kwargs.items()]
            self._lines.append(f"{name} = {call}({', '.join(parts)})")
        self._variables[step.id] = name

    def _argument(self, value: Any, variable: Callable[[int], str]) -> str:
        if isinstance(value, list):
            return f"[{', '.join(self._argument(item, variable) for item in value)}]"
        if isinstance(value, dict) and "node" in value:
            return variable(value["node"])
        return self._object(CallStep.constant(value))

    def _array(self, id: int) -> str:
        """A variable that holds a value as an array."""
        if id not in self._arrays:
            name = f"a{id}"
            self._objects["array_of"] = JointProgram.array
            self._lines.append(f"{name} = array_of({self._variables[id]})")
            return name
        return self._variables[id]

    def _tensor(self, id: int) -> str:
        """A variable that holds a value as a tensor."""
        if id in self._arrays:
            name = f"t{id}"
            self._objects["tensor_of"] = JointProgram.tensor
            self._lines.append(f"{name} = tensor_of({self._variables[id]})")
            return name
        return self._variables[id]

    # -- what comes out

    def _returned(self) -> Direct:
        *results, check = [self._array(id) for id in self._program.outputs]
        self._lines.append(f"if not {check}: return None")
        value, *gradients = results
        replay = self._replay
        kind = replay.recording.graph.by_id()[replay.target].type.kind
        by_id = dict(zip(replay.order, gradients, strict=True))
        unused = any(id is None for id in replay.leaves)
        if unused or replay.turned or len(set(results)) != len(results):
            raise NotSimpleError
        queue = iter(replay.leaves)
        parts = []
        for position in self._asked:
            leaves, tree = flatten(self._args[position])
            found = []
            for leaf in leaves:
                name = by_id.pop(next(queue) or 0, "")
                if not name:
                    raise NotSimpleError  # two leaves would share one array
                found.append(name if isinstance(leaf, np.ndarray) else f"{name}[()]")
            build = self._object(tree.build)
            parts.append(found[0] if tree == LEAF else f"{build}([{', '.join(found)}])")
        value = value if kind == "array" else f"{value}[()]"
        self._lines.append(f"return {value}, [{', '.join(parts)}]")
        made: Direct = written("direct", "args, kwargs", self._lines, self._objects)
        return made
