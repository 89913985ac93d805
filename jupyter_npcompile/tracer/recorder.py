"""The recorder: builds the NumPy-level captured graph while NumPy computes the values."""

from __future__ import annotations

import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.graph.nodes import Argument, Node, Position, Ref, Slice, ValueType
from jupyter_npcompile.tracer.breaks import Break, NeedsCopy
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
from jupyter_npcompile.tracer.interpret import encode, value_type
from jupyter_npcompile.tracer.memory import (
    SUPPORTED_DTYPES,
    Array,
    address,
    clone_owner,
    owner,
    protect,
    rebase,
    traceable,
)
from jupyter_npcompile.tracer.operations import is_numpy_function
from jupyter_npcompile.tracer.sources import (
    AttributeSource,
    ForwardSource,
    ItemSource,
    Source,
    reversal,
)
from jupyter_npcompile.tracer.traced import BoundMethod, Opaque, Traced, is_traced

if TYPE_CHECKING:
    from jupyter_npcompile.tracer.hooks import Hooks

MAX_NODES = 2000
"""A segment longer than this is cut: compilers need seconds per hundred nodes."""

MAX_NESTING = 8
"""Containers nested more deeply are not looked into; one may hold itself."""

MAX_ELEMENTS = 64
"""Longer lists, tuples and dicts are not looked into."""

READ_ONLY_VIEWS = frozenset({"numpy.broadcast_to", "numpy.diagonal", "ndarray.diagonal"})
"""Views that NumPy makes read-only although their base is not."""

_CONSTANTS = (str, bytes, bool, type(None), type(Ellipsis), range, slice, np.dtype)
_IDENTITIES = (
    types.ModuleType,
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    type,
    np.ufunc,
    type(np.sum),
)


@dataclass(frozen=True, slots=True)
class Hidden:
    """Memory that NumPy allocated for a result and that only ``base`` shows.

    ``x[::2].reshape(2, -1)`` is a view of a copy that has no name.

    Parameters
    ----------
    type : ValueType
        Of the array that owns the memory.
    offset : int
        In bytes, of the result in it.
    """

    type: ValueType
    offset: int


class Recorder:
    """Collects the nodes, inputs and guards of one recording.

    Parameters
    ----------
    writable : frozenset of int
        ``id`` of the owners of inputs that the recording writes: they are
        copied, all other inputs are protected.
    """

    def __init__(self, writable: frozenset[int] = frozenset()) -> None:
        self.inputs: list[Node] = []
        self.sources: list[Source] = []
        self.nodes: list[Node] = []
        self.guards: list[Guard] = []
        self.arrays: list[tuple[Source, Array]] = []
        self.position = Position(0, 0)
        self.scope: list[str] = []
        self.seconds = 0.0
        self.inlined: set[tuple[str, int]] = set()
        self.hidden: dict[int, Hidden] = {}
        self.frozen: set[int] = set()
        self._read_only: set[int] = set()
        self.mutations = 0
        self._foreign: dict[int, tuple[Any, Any, Source]] = {}
        self._forward: dict[int, Array] = {}
        self._depth = 0
        self._writable = writable
        self._lifted: dict[Source, Any] = {}
        self._arrays: dict[int, tuple[Array, Traced]] = {}
        self._clones: dict[int, tuple[Array, Array]] = {}
        self._originals: dict[int, Array] = {}
        self._count = 0

    # -- inputs

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
        if kind in (int, float, complex):
            self.guards.append(TypeGuard(source, kind))
            return Traced(hooks, value, None, source)
        if issubclass(kind, np.generic) and value.dtype.name in SUPPORTED_DTYPES:
            self.guards.append(TypeGuard(source, kind))
            return Traced(hooks, value, self.new_input(source, value), source)
        if kind in _CONSTANTS or isinstance(value, np.dtype):
            self.guards.append(ValueGuard(source, value))
            return value
        if isinstance(value, types.FunctionType):
            self.guards.append(FunctionGuard(source, value, value.__code__, value.__defaults__))
            return value
        if isinstance(value, _IDENTITIES) or (callable(value) and is_numpy_function(value)):
            self.guards.append(IdentityGuard(source, value))
            return value
        if kind in (tuple, list, dict) and len(value) <= MAX_ELEMENTS and self._depth < MAX_NESTING:
            self._depth += 1
            try:
                return self._lift_container(hooks, source, value)
            finally:
                self._depth -= 1
        return self._opaque(source, value)

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

    def forget_contents(self, container: Any) -> None:
        """Let go of what was assumed about the contents of a container that will change."""
        found = self.origin(container)
        if found is not None:
            self.guards = [
                guard
                for guard in self.guards
                if not (isinstance(guard, LengthGuard) and guard.source == found[1])
                and not _inside(guard.source, found[1])
            ]
            self.arrays = [
                (source, array) for source, array in self.arrays if not _inside(source, found[1])
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
            traced = self._lift_reversed(hooks, source, stand_in)
        else:
            traced = Traced(hooks, stand_in, self.new_input(source, value), source)
        self._arrays[id(value)] = (value, traced)
        assert traced.id is not None
        self._originals[traced.id] = value
        return traced

    def new_input(self, source: Source, value: Any) -> int:
        """Add an input node for a value and return its id."""
        node = Node(self._next(), "input", types=(value_type(value),), name=str(source))
        self.inputs.append(node)
        self.sources.append(source)
        return node.id

    def _lift_reversed(self, hooks: Hooks, source: Source, stand_in: Array) -> Traced:
        """Enter an array with negative strides as a reversed view of one without."""
        index = reversal(stand_in)
        forward = stand_in[index]
        whole = Traced(hooks, forward, self.new_input(ForwardSource(source), forward))
        traced: Traced = self.record(hooks, "getitem", (whole, index), {}, stand_in)
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
            When it belongs to nothing the recording knows.
        """
        if not is_traced(target) or not isinstance(target.value, np.ndarray):
            raise Break("effect", "something other than a traced array is written")
        base = owner(target.value)
        for value, _ in self._arrays.values():
            if owner(value) is base:
                if not value.flags.writeable:
                    raise Break("error", "NumPy raises ValueError: the array is read-only")
                raise NeedsCopy(id(base))

    def real(self, traced: Traced) -> Any:
        """The user's own array behind an input; for anything else what NumPy computed."""
        return traced.value if traced.id is None else self._originals.get(traced.id, traced.value)

    def is_writeable(self, traced: Traced) -> bool:
        """What ``x.flags.writeable`` says of the real array."""
        if traced.id in self._read_only:
            return False
        if traced.id in self._originals:
            return bool(self._originals[traced.id].flags.writeable)
        base = owner(traced.value)
        for value, _ in self._arrays.values():
            if owner(value) is base:
                return bool(value.flags.writeable)
        return bool(traced.value.flags.writeable)

    # -- nodes

    def record(
        self,
        hooks: Hooks,
        op: str,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        result: Any,
        writes: tuple[Traced, ...] = (),
    ) -> Any:
        """Add a node for an operation that NumPy has just computed.

        Parameters
        ----------
        hooks : Hooks
            What the traced results call.
        op : str
            Name of the operation (see ``Node``).
        args, kwargs
            Its arguments, traced or constant.
        result : object
            What NumPy returned.
        writes : tuple of Traced
            Arrays it wrote into.

        Returns
        -------
        object
            The result, traced; several results keep their tuple or list.
        """
        if len(self.nodes) >= MAX_NODES:
            raise Break(
                "limit",
                f"more than {MAX_NODES} operations in one segment: a loop was unrolled",
                "move the loop out of the helper function, into the cell",
            )
        several = isinstance(result, tuple | list)
        results = list(result) if several else ([] if result is None else [result])
        node = Node(
            id=self._next(),
            op=op,
            args=tuple(self.reference(arg) for arg in args),
            kwargs={key: self.reference(arg) for key, arg in kwargs.items()},
            types=tuple(_result_type(op, value) for value in results),
            position=self.position,
            view_of=None if several else self._shared(result, args, kwargs),
            writes=tuple(w.id for w in writes if w.id is not None),
            scope="/".join(self.scope),
        )
        self.nodes.append(node)
        if not several:
            if result is None:
                return None
            self._note_hidden(node, result)
            return Traced(hooks, result, node.id)
        every = (*args, *kwargs.values())
        items = [self._item(hooks, node, k, value, every) for k, value in enumerate(results)]
        if isinstance(result, tuple) and hasattr(result, "_fields"):
            return type(result)(*items)  # a named tuple, as np.linalg.eigh returns
        return type(result)(items)

    def _item(
        self, hooks: Hooks, several: Node, index: int, value: Any, args: tuple[Any, ...]
    ) -> Traced:
        node = Node(
            id=self._next(),
            op="item",
            args=(Ref(several.id), index),
            types=(several.types[index],),
            position=several.position,
            view_of=self._shared(value, args, {}),
            scope=several.scope,
        )
        self.nodes.append(node)
        self._note_hidden(node, value)
        return Traced(hooks, value, node.id)

    def _note_hidden(self, node: Node, value: Any) -> None:
        if not isinstance(value, np.ndarray):
            return
        if node.op in READ_ONLY_VIEWS or node.view_of in self._read_only:
            self._read_only.add(node.id)
        if node.view_of is not None:
            return
        if not value.flags.writeable:
            self.frozen.add(node.id)
        if value.base is not None:
            base = owner(value)
            if base is not value and base.base is None:
                offset = address(value) - address(base)
                self.hidden[node.id] = Hidden(value_type(base), offset)

    def reference(self, value: Any) -> Argument:
        """The argument that stands for a value in a node.

        Raises
        ------
        Break
            When the value is neither traced nor a constant.
        """
        if is_traced(value):
            if value.id is None:
                value.id = self.new_input(value.source, value.value)
            return Ref(value.id)
        if isinstance(value, Opaque):
            raise Break("input", _opaque_reason(value))
        if isinstance(value, slice):
            return Slice(*(self.reference(v) for v in (value.start, value.stop, value.step)))
        if type(value) is tuple:
            return tuple(self.reference(item) for item in value)
        if type(value) is list:
            return [self.reference(item) for item in value]
        if isinstance(value, np.ndarray):
            raise Break("input", "an array that tracing has not seen being made")
        if isinstance(value, BoundMethod) or (callable(value) and not isinstance(value, type)):
            raise Break("call", "a function is passed to a NumPy call")
        if value is object or value is str or value is bytes:
            raise Break("input", f"arrays of {value.__name__} are not traced")
        try:
            return encode(value)
        except TypeError:
            raise Break("input", f"a {type(value).__name__} is passed to a NumPy call") from None

    def _shared(self, result: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> int | None:
        """The argument whose memory the result shares."""
        if not isinstance(result, np.ndarray):
            return None
        base = owner(result)
        candidates = [t for t in traced_in((*args, *kwargs.values())) if t.id is not None]
        for traced in candidates:
            if traced.value is result:
                return traced.id
        for traced in candidates:
            if isinstance(traced.value, np.ndarray) and owner(traced.value) is base:
                return traced.id
        return None

    def _next(self) -> int:
        self._count += 1
        return self._count - 1


def _result_type(op: str, value: Any) -> ValueType:
    if isinstance(value, np.ndarray | np.generic):
        if type(value) is np.ma.MaskedArray or value.dtype.name not in SUPPORTED_DTYPES:
            raise Break("input", f"`{op}` gives {value.dtype} values, which are not traced")
    elif type(value) not in (bool, int, float, complex):
        raise Break("value", f"`{op}` gives a {type(value).__name__}")
    return value_type(value)


def _inside(source: Source, container: Source) -> bool:
    """Whether a source is an element of a container, at any depth."""
    while isinstance(source, ItemSource | AttributeSource):
        source = source.parent
        if source == container:
            return True
    return False


def _opaque_reason(opaque: Opaque) -> str:
    value = opaque.value
    if isinstance(value, np.ndarray):
        what = f"{type(value).__name__} of {value.dtype}"
    else:
        what = type(value).__name__
    return f"`{opaque.source}` is a {what}, which is not traced"


def traced_in(values: Any) -> Iterator[Traced]:
    """Traced values in nested containers, in order."""
    if is_traced(values):
        yield values
    elif isinstance(values, dict):
        for value in values.values():
            yield from traced_in(value)
    elif isinstance(values, tuple | list):
        for value in values:
            yield from traced_in(value)
    elif isinstance(values, slice):
        yield from traced_in((values.start, values.stop, values.step))


def concrete_in(values: Any) -> Any:
    """The same structure with NumPy's values in place of traced ones."""
    if is_traced(values):
        return values.value
    if isinstance(values, Opaque):
        raise Break("input", _opaque_reason(values))
    if type(values) in (tuple, list):
        return type(values)(concrete_in(value) for value in values)
    if type(values) is dict:
        return {key: concrete_in(value) for key, value in values.items()}
    if isinstance(values, slice):
        return slice(*(concrete_in(v) for v in (values.start, values.stop, values.step)))
    return values
