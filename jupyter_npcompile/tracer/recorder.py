"""The recorder: builds the NumPy-level captured graph while NumPy computes the values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph.nodes import Argument, Constant, Node, Position, Ref, Slice, ValueType
from jupyter_npcompile.tracer import floating
from jupyter_npcompile.tracer.breaks import Break, Postponed
from jupyter_npcompile.tracer.inputs import Inputs
from jupyter_npcompile.tracer.interpret import encode, value_type
from jupyter_npcompile.tracer.memory import WRITEABLE, Array, address, is_supported, owner
from jupyter_npcompile.tracer.nested import concrete_in, traced_in
from jupyter_npcompile.tracer.patience import Patience
from jupyter_npcompile.tracer.streams import Streams
from jupyter_npcompile.tracer.table.libraries import LIBRARY_CALLS
from jupyter_npcompile.tracer.traced import BoundMethod, Opaque, Traced, is_traced

if TYPE_CHECKING:
    from jupyter_npcompile.tracer.draws import Draw
    from jupyter_npcompile.tracer.hooks import Hooks

MAX_NODES = 2000
"""A segment longer than this is cut: compilers need seconds per hundred nodes."""

STEPS = 64
"""Operations of traced code, of NumPy or not, between two looks at the clock."""

MAX_STEPS = 4_000
"""Operations of Python, such as those of a list comprehension, between two of NumPy: to follow
each takes many times as long as to run it."""

READ_ONLY_VIEWS = frozenset(
    {
        *("numpy.broadcast_to", "numpy.diagonal", "ndarray.diagonal"),
        "numpy.lib.stride_tricks.sliding_window_view",
    }
)
"""Views that NumPy makes read-only although their base is not."""


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
    call : int
        The node whose results share it.
    memory : int
        Which memory of that call, should there be several.
    """

    type: ValueType
    offset: int
    call: int
    memory: int


class Recorder(Inputs):
    """Collects the nodes, inputs and guards of one recording.

    Parameters
    ----------
    writable : frozenset of int
        ``id`` of the owners of inputs that the recording writes.
    patience : Patience, optional
        For what there is time; for everything by default.
    """

    max_nodes: float = MAX_NODES
    """How long it may grow."""

    tolerant = False
    """Whether NumPy's warnings and errors are let through: it runs for good, not dry."""

    chosen: frozenset[str] = frozenset()
    """Operations without lowering that are recorded: who replays them has one of his own."""

    def __init__(
        self,
        writable: frozenset[int] = frozenset(),
        patience: Patience | None = None,
    ) -> None:
        super().__init__(writable, patience)
        self.nodes: list[Node] = []
        self.position = Position(0, 0)
        self.scope: list[str] = []
        self.seconds = 0.0
        self.kept_seconds = 0.0
        self.library_seconds = self._counted = 0.0
        self.inlined: dict[tuple[str, int], None] = {}
        self.hidden: dict[int, Hidden] = {}
        self.frozen: set[int] = set()
        self.mutations = 0
        self.varying: set[int] = set()
        self._known: dict[int, int] = {}
        self.touched: set[int] = set()
        self.draws: list[Draw] = []
        self.drawn: dict[int, Any] = {}
        self.streams = Streams()
        self.spare: Traced | None = None
        self._steps = self._seen = 0

    def release(self) -> None:
        """Turn the streams of random numbers back, and let go of every array."""
        self.streams.rewind()
        self.streams = Streams()
        self.drawn.clear()
        super().release()

    def step(self) -> None:
        """One operation of the traced code begins: Python's own take time, too.

        Raises
        ------
        Postponed
            When there is no time left.
        Break
            When Python computes for long, and NumPy does not.
        """
        self._steps += 1
        if self._steps % STEPS == 0:
            self.demand_patience()
            if len(self.nodes) != self._seen:
                self._seen, self._steps = len(self.nodes), 0
            elif self._steps > MAX_STEPS:
                raise Break("limit", f"more than {MAX_STEPS} operations of Python without NumPy's")

    def begin_statement(self) -> None:
        """What came before is kept, whatever becomes of this statement."""
        self.kept_seconds = self.seconds
        self.demand_patience()

    def demand_patience(self) -> None:
        """End the recording when it has held up the user's code for long enough.

        Raises
        ------
        Postponed
            When it has.
        """
        if self.patience.is_over(self.seconds, self.seconds - self.kept_seconds):
            raise Postponed

    def demand_short_loop(self, before: int, done: int, left: int) -> None:
        """End the recording when a loop would clearly make it too long.

        Parameters
        ----------
        before : int
            Operations when the loop began.
        done, left : int
            Iterations that are over, and those to come.

        Raises
        ------
        Break
            When it would be twice as long as it may.
        """
        grown = len(self.nodes) - before
        if before + grown + grown * left / done > 2 * self.max_nodes:
            self._stop_unrolling()

    def _stop_unrolling(self) -> NoReturn:
        raise Break(
            "limit",
            f"more than {self.max_nodes} operations in one segment: a loop was unrolled",
            "move the loop out of the helper function, into the cell",
        )

    def stand_ins(self) -> dict[int, Array]:
        """By input id, the array that stood in for the real one during the recording."""
        drawn = {id: v for id, v in self.drawn.items() if isinstance(v, np.ndarray)}
        return super().stand_ins() | drawn

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
        self.demand_patience()
        if len(self.nodes) >= self.max_nodes:
            self._stop_unrolling()
        every = traced_in((*args, *kwargs.values()))
        itself = None if writes else self._argument_itself(result, every)
        several = isinstance(result, tuple | list)
        results = list(result) if several else ([] if result is None else [result])
        node = Node(
            id=self._next(),
            op=op,
            args=tuple(self.reference(arg) for arg in args),
            kwargs={key: self.reference(arg) for key, arg in kwargs.items()},
            types=tuple(_result_type(op, value) for value in results),
            position=self.position,
            view_of=None if several or itself is not None else self._shared(result, every),
            writes=tuple(w.id for w in writes if w.id is not None),
            scope="/".join(self.scope),
            **self._watched(op, results),
        )
        self._demand_seen(node, args)
        self.nodes.append(node)
        if op in LIBRARY_CALLS:
            self.library_seconds += self.seconds - self._counted
        self._counted = self.seconds
        self.touched.update(id(owner(w.value)) for w in writes)
        is_known = all(map(self.is_known, every))
        if not is_known:
            has_size = several or (isinstance(result, np.ndarray) and result.ndim > 0)
            if has_size and (self._selects(op, args) or self._varies(every)):
                self.varying.add(node.id)
            for target in writes:
                self._forget(target)
        if not several:
            if result is None or itself is not None:
                return itself
            self._note_hidden(node, node, result)
            if not writes and is_known:
                self._note_known(node, result)
            return Traced(hooks, result, node.id)
        items = []
        for k, value in enumerate(results):
            itself = self._argument_itself(value, every)
            items.append(self._item(hooks, node, k, value, every) if itself is None else itself)
        if isinstance(result, tuple) and hasattr(result, "_fields"):
            return type(result)(*items)  # a named tuple, as np.linalg.eigh returns
        return type(result)(items)

    def _watched(self, op: str, results: list[Any]) -> dict[str, Any]:
        """What a replay has to look for in the results of an operation."""
        return {
            "reports": floating.reported() if floating.is_watched(op) else (),
            "finite": not floating.may_surprise(op) or all(map(floating.is_finite, results)),
        }

    def _demand_seen(self, node: Node, args: tuple[Any, ...]) -> None:
        """Make sure that a replay can notice what NumPy would report."""
        if not floating.is_seen(node):
            raise Break("host", f"np.errstate asks to notice underflow inside `{node.op}`")
        if floating.is_hidden(node.op, *map(concrete_in, (*args[:1], *args[2:]))):
            raise Break("host", f"`{node.op}` stores floating-point numbers as others")

    def _forget(self, target: Traced) -> None:
        """What shares memory with an array that is written is no constant any more."""
        base = id(owner(target.value))
        self._known = {id: memory for id, memory in self._known.items() if memory != base}

    def is_known(self, traced: Traced) -> bool:
        """Whether the value is the same in every replay: it follows from constants of the code.

        What nobody has written (``np.empty``) is zero, here and in every replay.
        """
        return traced.id in self._known

    @staticmethod
    def _argument_itself(result: Any, args: list[Traced]) -> Traced | None:
        """The argument that NumPy gave back unchanged, as ``np.asarray(x)`` does.

        A NumPy scalar does so, too (``s.real``); truth values are two objects for all.
        """
        if not isinstance(result, np.ndarray | np.generic) or isinstance(result, np.bool_):
            return None
        return next((traced for traced in args if traced.value is result), None)

    def _note_known(self, node: Node, value: Any) -> None:
        self._known[node.id] = id(owner(value) if isinstance(value, np.ndarray) else value)

    def _item(
        self, hooks: Hooks, several: Node, index: int, value: Any, args: list[Traced]
    ) -> Traced:
        itself = self._argument_itself(value, args)
        if itself is not None:
            return itself
        node = Node(
            id=self._next(),
            op="item",
            args=(Ref(several.id), index),
            types=(several.types[index],),
            position=several.position,
            view_of=self._shared(value, args),
            scope=several.scope,
        )
        self.nodes.append(node)
        self._note_hidden(node, several, value)
        if all(map(self.is_known, args)):
            self._note_known(node, value)
        return Traced(hooks, value, node.id)

    def _note_hidden(self, node: Node, call: Node, value: Any) -> None:
        if not isinstance(value, np.ndarray):
            return
        if node.op in READ_ONLY_VIEWS or node.view_of in self._read_only:
            self._read_only.add(node.id)
        if call.op == "numpy.broadcast_arrays" or node.view_of in self._doubtful:
            self._doubtful.add(node.id)
            if node.view_of is None and value.base is not None:
                raise Break("host", "`np.broadcast_arrays` repeats a number, with a warning")
        if node.view_of is not None:
            return
        if not value.flags.num & WRITEABLE:
            self.frozen.add(node.id)
        if value.base is not None:
            base = owner(value)
            if base is not value and base.base is None:
                if not is_supported(base.dtype):
                    raise Break("host", f"`{call.op}` gives a view of {base.dtype} memory")
                if base.size == 0:
                    raise Break("host", f"`{call.op}` gives a view of an empty array")
                offset = address(value) - address(base)
                self.hidden[node.id] = Hidden(value_type(base), offset, call.id, id(base))

    def _selects(self, op: str, args: tuple[Any, ...]) -> bool:
        """Whether the size of what an index gives depends on more than sizes."""
        if op != "getitem":
            return False
        items = args[1] if isinstance(args[1], tuple) else (args[1],)
        slices = [item for item in items if isinstance(item, slice)]
        return _is_masked(args[1]) or any(map(self.is_free, traced_in(slices)))

    def _varies(self, value: Any) -> bool:
        return any(traced.id in self.varying for traced in traced_in(value))

    def demand_fixed_size(self, value: Any) -> None:
        """Make sure that the size of an array does not depend on the data.

        Raises
        ------
        Break
            When a mask has selected its elements.
        """
        if self._varies(value):
            raise Break(
                "value",
                "the size of a selection depends on the data",
                "np.count_nonzero(mask) counts what a mask selects, and is captured",
            )

    def reference(self, value: Any) -> Argument:
        """The argument that stands for a value in a node.

        Raises
        ------
        Break
            When the value is neither traced nor a constant.
        """
        if is_traced(value):
            if value.id is None:
                value.id = self.number_input(value.source, value.value)
            return Ref(value.id)
        if isinstance(value, Constant):
            return value
        if isinstance(value, Opaque):
            raise Break("input", value.reason)
        if isinstance(value, slice):
            return Slice(*(self.reference(v) for v in (value.start, value.stop, value.step)))
        if type(value) is tuple:
            return tuple(self.reference(item) for item in value)
        if type(value) is list:
            return [self.reference(item) for item in value]
        if type(value) is range:
            return encode(np.asarray(value))
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

    @staticmethod
    def _shared(result: Any, args: list[Traced]) -> int | None:
        """The argument whose memory the result shares."""
        if not isinstance(result, np.ndarray):
            return None
        base = owner(result)
        candidates = [traced for traced in args if traced.id is not None]
        for traced in candidates:
            if traced.value is result:
                return traced.id
        for traced in candidates:
            if isinstance(traced.value, np.ndarray) and owner(traced.value) is base:
                return traced.id
        return None


def _is_masked(index: Any) -> bool:
    """Whether the size of ``x[index]`` depends on the values of a mask."""
    return any(np.asarray(t.value).dtype == bool for t in traced_in(index))


def _is_masked_array(value: Any) -> bool:
    # To name `np.ma` imports it, which takes 20 ms: only where there may be one.
    is_plain = type(value) is np.ndarray or isinstance(value, np.generic)
    return not is_plain and type(value) is np.ma.MaskedArray


def _result_type(op: str, value: Any) -> ValueType:
    if isinstance(value, np.ndarray | np.generic):
        if _is_masked_array(value) or not is_supported(value.dtype):
            what = "text, which is" if value.dtype.kind in "SU" else f"{value.dtype}, which is"
            raise Break("input", f"`{op.replace('numpy.', 'np.', 1)}` gives {what} not traced")
    elif type(value) not in (bool, int, float, complex):
        raise Break("value", f"`{op}` gives a {type(value).__name__}")
    return value_type(value)
