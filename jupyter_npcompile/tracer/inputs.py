"""Inputs of a recording: values from outside, what stands for them, and what was assumed."""

from __future__ import annotations

import inspect
import types
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.graph.nodes import Node, Size
from jupyter_npcompile.graph.sizes import LEAST
from jupyter_npcompile.tracer.brackets import is_indexed
from jupyter_npcompile.tracer.breaks import Break, NeedsCopy, Postponed
from jupyter_npcompile.tracer.floating import looks_finite
from jupyter_npcompile.tracer.guards import (
    ArrayGuard,
    DTypeGuard,
    FunctionGuard,
    Guard,
    IdentityGuard,
    LengthGuard,
    TypeGuard,
    ValueGuard,
)
from jupyter_npcompile.tracer.interpret import value_type
from jupyter_npcompile.tracer.memory import (
    Array,
    clone_owner,
    is_supported,
    is_writeable,
    overlaps_itself,
    owner,
    protect,
    rebase,
    traceable,
)
from jupyter_npcompile.tracer.operations import is_numpy_function
from jupyter_npcompile.tracer.patience import Endless, Patience
from jupyter_npcompile.tracer.sources import (
    AttributeSource,
    ForwardSource,
    ItemSource,
    Source,
    as_defined,
    reversal,
)
from jupyter_npcompile.tracer.traced import Opaque, Traced, is_traced

if TYPE_CHECKING:
    from jupyter_npcompile.tracer.hooks import Hooks

READING = 8
"""How many times as many bytes are read as copied, in the same time."""

MAX_NESTING = 8
"""Containers nested more deeply are not looked into; one may hold itself."""

MAX_ELEMENTS = 64
"""Longer lists, tuples and dicts are not looked into."""

OVERLAPS = "elements of what is written share memory: the order in which NumPy writes decides"

_CONSTANTS = (str, bytes, bool, type(None), type(Ellipsis), range, slice, np.dtype)
_IDENTITIES = (
    types.ModuleType,
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    type,
    np.ufunc,
    type(np.sum),
)


class Inputs:
    """Collects the inputs and guards of one recording.

    Parameters
    ----------
    writable : frozenset of int
        ``id`` of the owners of inputs that the recording writes: they are
        copied, all other inputs are protected.
    patience : Patience
        For what there is time.

    Attributes
    ----------
    free : mapping of Source to int
        Integers that may be bounds of slices without being fixed, and what
        they were earlier.
    """

    def __init__(
        self,
        writable: frozenset[int] = frozenset(),
        patience: Patience | None = None,
    ) -> None:
        self.inputs: list[Node] = []
        self.sources: list[Source] = []
        self.guards: list[Guard] = []
        self._values: set[ValueGuard] = set()
        self.arrays: list[tuple[Source, Array]] = []
        self._read_only: set[int] = set()
        self._doubtful: set[int] = set()
        self._changing: Source | None = None
        self._foreign: dict[int, tuple[Any, Any, Source]] = {}
        self._forward: dict[int, Array] = {}
        self._functions: dict[int, tuple[types.FunctionType, FunctionGuard]] = {}
        self._depth = 0
        self._writable = writable
        self.patience: Patience = patience or Endless()
        self._lifted: dict[Source, Any] = {}
        self._numbers: dict[tuple[str, type], int] = {}
        self._arrays: dict[int, tuple[Array, Traced]] = {}
        self._clones: dict[int, tuple[Array, Array]] = {}
        self._originals: dict[int, Array] = {}
        self._count = self._copied = 0
        self.free: Mapping[Source, int] = {}

    def fix(self, source: Source, value: Any) -> None:
        """A recording depends on a value: guard it, once, however often it is asked for."""
        guard = ValueGuard(source, value)
        if guard not in self._values:
            self._values.add(guard)
            self.guards.append(guard)

    def is_free(self, value: Any) -> bool:
        """Whether a value is an integer from outside that may be another one in a replay."""
        return (
            is_traced(value)
            and value.source in self.free
            and type(value.value) is int
            and value.value >= LEAST
        )

    def lift(self, hooks: Hooks, source: Source, value: Any) -> Any:
        """Turn a value found outside the traced code into an input or a guarded constant.

        Parameters
        ----------
        hooks : Hooks
            What traced values call.
        source : Source
            Where it was found.
        value : object
            What was found.

        Returns
        -------
        object
            A traced value, a container of them, a constant, or an opaque input.
        """
        if source in self._lifted:
            return self._lifted[source]
        result = self._lift(hooks, source, value)
        self._lifted[source] = result
        return result

    def _lift(self, hooks: Hooks, source: Source, value: Any) -> Any:
        kind = type(value)
        if kind is np.ndarray:
            return self._lift_array(hooks, source, value)
        if kind is int and not -(2**63) <= value < 2**63:
            self.guards.append(ValueGuard(source, value))
            return value
        if kind in (int, float, complex):
            self.guards.append(TypeGuard(source, kind))
            return Traced(hooks, value, None, source)
        if issubclass(kind, np.generic) and is_supported(value.dtype):
            self.guards.append(TypeGuard(source, kind))
            return Traced(hooks, value, self.new_input(source, value), source)
        if kind in _CONSTANTS or isinstance(value, np.dtype):
            self.guards.append(ValueGuard(source, value))
            return value
        if isinstance(value, types.FunctionType):
            self._lift_function(source, value)
            return value
        if isinstance(value, _IDENTITIES) or _is_numpy_function(value) or is_indexed(value):
            self.guards.append(IdentityGuard(source, value))
            return value
        if kind in (tuple, list, dict) and len(value) <= MAX_ELEMENTS and self._depth < MAX_NESTING:
            self._depth += 1
            try:
                return self._lift_container(hooks, source, value)
            finally:
                self._depth -= 1
        return self._opaque(source, value)

    def _lift_function(self, source: Source, value: types.FunctionType) -> None:
        defined = as_defined(value)
        guard = FunctionGuard.of(source, value, alone=id(defined) not in self._functions)
        self.guards.append(guard)
        self.pin(value)
        self._functions.setdefault(id(defined), (defined, guard))

    def function_source(self, function: types.FunctionType) -> Source | None:
        """Where a function was found, or the compiled one that it is behind."""
        found = self._functions.get(id(function))
        return None if found is None else found[1].source

    def pin(self, function: types.FunctionType) -> None:
        """Demand the very same function in a replay: it matters which one it is."""
        defined = as_defined(function)
        _, guard = self._functions.get(id(defined), (None, None))
        if guard is not None and guard.alone:
            strict = replace(guard, alone=False)
            self.guards = [strict if one is guard else one for one in self.guards]
            self._functions[id(defined)] = defined, strict

    def _opaque(self, source: Source, value: Any) -> Opaque:
        self.guards.append(TypeGuard(source, type(value)))
        return Opaque(value, source)

    def _lift_container(self, hooks: Hooks, source: Source, value: Any) -> Any:
        self.guards.append(TypeGuard(source, type(value)))
        if isinstance(value, dict):
            if not all(type(key) in (str, int) for key in value):
                return self._opaque(source, value)
            self.guards.append(LengthGuard(source, tuple(value)))
            lifted: Any = {k: self.lift(hooks, ItemSource(source, k), v) for k, v in value.items()}
        else:
            self.guards.append(LengthGuard(source, len(value)))
            lifted = type(value)(
                self.lift(hooks, ItemSource(source, k), v) for k, v in enumerate(value)
            )
        self._foreign[id(lifted)] = (lifted, value, source)
        return lifted

    def origin(self, container: Any) -> tuple[Any, Source] | None:
        """The user's own list, tuple or dict behind a lifted one, and where it was found."""
        found = self._foreign.get(id(container))
        return None if found is None else found[1:]

    def note_change(self, container: Any) -> None:
        """A container is about to change, which no recording does."""
        found = self.origin(container)
        self._changing = None if found is None else found[1]

    def forget_contents(self) -> None:
        """Let go of what was assumed about the contents of a container that is about to change.

        Only where nothing was captured: then it is no condition for what ends the recording,
        and it will be something else the next time.
        """
        container = self._changing
        if container is None:
            return
        self.guards = [
            guard
            for guard in self.guards
            if not (isinstance(guard, LengthGuard) and guard.source == container)
            and not _inside(guard.source, container)
        ]
        self.arrays = [
            (source, array) for source, array in self.arrays if not _inside(source, container)
        ]

    def is_local(self, container: Any) -> bool:
        """Whether a list or dict was made by the traced code, which may then change it."""
        return type(container) in (list, dict) and id(container) not in self._foreign

    def _lift_array(self, hooks: Hooks, source: Source, value: Array) -> Any:
        if not traceable(value):
            self.guards.append(DTypeGuard(source, value.dtype))
            return Opaque(value, source)
        self.guards.append(
            ArrayGuard(source, value.dtype, value.shape, value.strides, value.flags.writeable)
        )
        self.arrays.append((source, value))
        if id(value) in self._arrays:
            return self._arrays[id(value)][1]
        base = owner(value)
        if id(base) in self._writable:
            clone = self._clones.get(id(base))
            if clone is None:
                self._copied += base.nbytes
                if not self.patience.may_copy(self._copied):
                    raise Postponed
                clone = self._clones[id(base)] = (base, clone_owner(base))
            elif any(owner(known) is base for known, _ in self._arrays.values()):
                raise Break(
                    "input",
                    f"`{source}` shares memory with another input, and one of them is written",
                    "write into a copy, or keep the two apart",
                )
            stand_in = rebase(value, base, clone[1])
            if not value.flags.writeable:
                stand_in.flags.writeable = False
        else:
            stand_in = protect(value)
        if any(stride < 0 for stride in value.strides) and value.size:
            traced = self.lift_reversed(hooks, source, stand_in)
        else:
            traced = Traced(hooks, stand_in, self.new_input(source, value), source)
        self._arrays[id(value)] = (value, traced)
        assert traced.id is not None
        self._originals[traced.id] = value
        return traced

    def release(self) -> None:
        """Let go of every array at once, not when the garbage collector finds the cycles."""
        for known in (self._lifted, self._arrays, self._clones, self._originals):
            known.clear()
        self._forward.clear()
        self._foreign.clear()
        self.arrays.clear()

    def new_input(self, source: Source, value: Any) -> int:
        """Add an input node for a value and return its id."""
        free = type(value) is int and value >= LEAST and source in self.free
        node = Node(
            self._next(),
            "input",
            (Size("", (value, self.free[source])),) if free else (),
            types=(value_type(value),),
            name=str(source),
            finite=looks_finite(
                value, lambda nbytes: self.patience.may_copy(nbytes // READING, kept=False)
            ),
        )
        self.inputs.append(node)
        self.sources.append(source)
        return node.id

    def number_input(self, source: Source, value: Any) -> int:
        """The input for a number that Python computed: one for the same arithmetic, however often.

        Operations that repeat are seen to be a loop (`autodiff.rolling`) because they use the same.
        """
        key = repr(source), type(value)  # equal sources differ where 0.0 and -0.0 do
        if key not in self._numbers:
            self._numbers[key] = self.new_input(source, value)
        return self._numbers[key]

    def lift_reversed(self, hooks: Hooks, source: Source, stand_in: Array) -> Traced:
        """Enter an array with negative strides as a reversed view of one without."""
        index = reversal(stand_in)
        forward = stand_in[index]
        whole = Traced(hooks, forward, self.new_input(ForwardSource(source), forward))
        traced: Traced = hooks.recorder.record(hooks, "getitem", (whole, index), {}, stand_in)
        traced.source = source
        assert whole.id is not None
        self._forward[whole.id] = forward
        return traced

    def stand_ins(self) -> dict[int, Array]:
        """By input id, the array that stood in for the real one during the recording."""
        found = {
            traced.id: traced.value for _, traced in self._arrays.values() if traced.id is not None
        }
        return found | self._forward

    # -- writes

    def open_for_writing(self, target: Any) -> None:
        """Make sure that memory may be written, or ask for a recording that may.

        Raises
        ------
        NeedsCopy
            When the memory belongs to an input that is protected.
        Break
            When it belongs to nothing the recording knows, or NumPy's order of writes decides.
        """
        if not is_traced(target) or not isinstance(target.value, np.ndarray):
            raise Break("effect", "something other than a traced array is written")
        base = owner(target.value)
        if overlaps_itself(target.value.shape, target.value.strides):
            raise Break("host", OVERLAPS, "write into a copy, or into the array behind it")
        for value, _ in self._arrays.values():
            if owner(value) is base:
                if not is_writeable(value):
                    raise Break("error", "NumPy raises ValueError: the array is read-only")
                raise NeedsCopy(id(base))

    def real(self, traced: Traced) -> Any:
        """The user's own array behind an input; for anything else what NumPy computed."""
        return traced.value if traced.id is None else self._originals.get(traced.id, traced.value)

    def is_writeable(self, traced: Traced) -> bool:
        """What ``x.flags.writeable`` says of the real array.

        Raises
        ------
        Break
            When NumPy warns of that flag.
        """
        if traced.id in self._doubtful:
            raise Break("value", "NumPy warns of the flags of what np.broadcast_arrays gives")
        if traced.id in self._read_only:
            return False
        if traced.id in self._originals:
            return bool(self._originals[traced.id].flags.writeable)
        base = owner(traced.value)
        for value, _ in self._arrays.values():
            if owner(value) is base:
                return is_writeable(value)
        return is_writeable(traced.value)

    def _next(self) -> int:
        self._count += 1
        return self._count - 1


def _is_numpy_function(value: Any) -> bool:
    """Whether a value is a function of NumPy, not an instance of a class that can be called."""
    if isinstance(inspect.getattr_static(type(value), "__call__", None), types.FunctionType):
        return False  # np.poly1d([1, 2]), np.vectorize(f): they hold what they compute with
    return callable(value) and is_numpy_function(value)


def _inside(source: Source, container: Source) -> bool:
    """Whether a source is an element of a container, at any depth."""
    while isinstance(source, ItemSource | AttributeSource):
        source = source.parent
        if source == container:
            return True
    return False
