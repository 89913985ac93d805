"""What a loop goes through: how often, and its items by position."""

from __future__ import annotations

from collections.abc import Callable

from jupyter_npcompile.loops import cuts, elementwise, indexing, lists, small_arrays
from jupyter_npcompile.loops.calls import elements, number
from jupyter_npcompile.loops.kinds import SIZE, Declined, Number
from jupyter_npcompile.loops.names import Names
from jupyter_npcompile.loops.values import (
    Bounds,
    Cut,
    Items,
    Listed,
    Locked,
    Ref,
    Scalar,
    Value,
    Zipped,
)


def settled(t: Names, value: Value) -> Value:
    """A sequence that the body of the loop cannot change."""
    if isinstance(value, Bounds):
        parts = [t.settled(part) for part in (value.start, value.stop, value.step)]
        start, stop, step = (number(part) for part in parts)
        return Bounds(start, stop, step)
    if isinstance(value, Zipped):
        return Zipped(tuple(settled(t, part) for part in value.parts))
    if isinstance(value, Items):
        value = lists.display(t, value.items)
    if isinstance(value, Listed):
        return lists.iterated(t, value)
    value = elements(value)
    if isinstance(value, Locked) and value.ndim > 1:
        raise Declined("a loop over the rows of a read-only view", t.line)
    value = t.settled(value.view if isinstance(value, Locked) else value)
    assert isinstance(value, Ref)
    small_arrays.gone_through(t, value)
    return value


def begin(t: Names, sequence: Value) -> tuple[str, Callable[[str], Value]]:
    """How often a loop over a sequence runs, and its item by position."""
    w = t.writer
    if isinstance(sequence, Bounds):
        return _range(t, sequence)
    if isinstance(sequence, Zipped):
        found = [begin(t, part) for part in sequence.parts]
        least = found[0][0]
        for count, _ in found[1:]:
            least = f"math::min<i64>({least}, {count})"
        return least, lambda k: Items(tuple(item(k) for _, item in found))
    if isinstance(sequence, Listed):
        return lists.iteration(t, sequence)
    ref = elementwise.materialise(w, elements(sequence))

    def item(position: str) -> Value:
        index = Scalar(position, SIZE, proven=True)
        full: list[cuts.Index] = [index, *[Cut(None, None, None)] * (ref.ndim - 1)]
        return indexing.read(w, ref, full)

    return f"{ref.code}.n[0]", item


def _range(t: Names, bounds: Bounds) -> tuple[str, Callable[[str], Value]]:
    w = t.writer
    start, stop, step = bounds.start, bounds.stop, bounds.step
    for bound in (start, stop, step):
        if bound.type.bits > 40:
            w.emit(f"NEED({bound.code} < (i64)1 << 40 && {bound.code} > -((i64)1 << 40));")
    a, b = f"(i64){start.code}", f"(i64){stop.code}"
    bits = min(40, max(start.type.bits, stop.type.bits))
    if step.const == 1:
        count = w.hold("i64", f"{b} > {a} ? {b} - {a} : (i64)0", "n")
        first = w.hold("i64", a)

        def item(position: str) -> Value:
            code = position if start.const == 0 else f"({first} + {position})"
            return Scalar(code, Number("py", "int64", bits))

        return count, item
    s = w.hold("i64", f"(i64){step.code}")
    first = w.hold("i64", a)
    w.emit(f"NEED({s} != 0);")
    count = w.hold(
        "i64",
        f"{s} > 0 ? ({b} > {first} ? ({b} - {first} - 1) / {s} + 1 : (i64)0) : "
        f"({b} < {first} ? ({first} - {b} - 1) / (-{s}) + 1 : (i64)0)",
        "n",
    )
    return count, lambda k: Scalar(f"({first} + {k} * {s})", SIZE)


def known_count(sequence: Value) -> float:
    """How often a loop over a range or an array runs, if that is known; else infinity."""
    if isinstance(sequence, Ref):
        length = sequence.type.length(0)
        return float("inf") if length is None else length
    if not isinstance(sequence, Bounds):
        return float("inf")
    parts = [part.const for part in (sequence.start, sequence.stop, sequence.step)]
    if any(type(part) is not int for part in parts) or not parts[2]:
        return float("inf")
    return len(range(*parts))
