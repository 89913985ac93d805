"""Loops over indices, ``for i, j in np.ndindex(m.shape)``: loops in each other."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.cell.names import bound_names
from jupyter_npcompile.cell.syntax import assign, clone, constant, load, point, store
from jupyter_npcompile.loops import arithmetic, elementwise
from jupyter_npcompile.loops.calls import elements, integer, number
from jupyter_npcompile.loops.kinds import SIZE, Declined
from jupyter_npcompile.loops.source import PYTHONS, breaks_of
from jupyter_npcompile.loops.values import (
    Applied,
    Bounds,
    Gathered,
    Items,
    Known,
    Ref,
    Scalar,
    Value,
)

if TYPE_CHECKING:
    from jupyter_npcompile.loops.translator import Translator

WALKS = (np.ndindex, np.ndenumerate, itertools.product, itertools.combinations)
"""What goes through indices."""

MOST = 4
"""Loops that one over combinations is written as."""


def unfolded(t: Translator, node: ast.For) -> ast.For | None:
    """The loop as loops over numbers; None when it is none over indices."""
    call = node.iter
    if isinstance(call, ast.Attribute) and call.attr == "flat":
        owner = t.expression(call.value)
        if not isinstance(owner, Ref | Applied | Gathered):
            return None
        return _loops(t, node, np.ndenumerate, [owner], {})
    if not isinstance(call, ast.Call) or any(k.arg is None for k in call.keywords):
        return None
    if ast.unparse(call.func).rpartition(".")[2] not in {walk.__name__ for walk in WALKS}:
        return None
    function = t.expression(call.func)
    if not isinstance(function, Known) or function.value not in WALKS:
        return None
    arguments = [arg.value if isinstance(arg, ast.Starred) else arg for arg in call.args]
    values = t.expressions([*arguments, *(keyword.value for keyword in call.keywords)])
    kwargs = {str(k.arg): v for k, v in zip(call.keywords, values[len(arguments) :], strict=True)}
    args: Sequence[Value] = values[: len(arguments)]
    if any(isinstance(arg, ast.Starred) for arg in call.args):
        if len(args) > 1 or function.value is not np.ndindex or not isinstance(args[0], Items):
            raise Declined("a starred argument", node.lineno)
        args = args[0].items
    return _loops(t, node, function.value, args, kwargs)


def _loops(
    t: Translator,
    node: ast.For,
    walk: Any,
    args: Sequence[Value],
    kwargs: Mapping[str, Value],
) -> ast.For:
    # No name of the user's begins with a digit.
    mark, place = f"0{node.lineno}_{node.col_offset}", point(node)
    if walk is np.ndenumerate and len(args) == 1:
        args = [elementwise.materialise(t.writer, elements(args[0]))]
    bounds = _bounds(t, walk, args, kwargs)
    if not 0 < len(bounds) <= MOST:
        raise Declined("a loop over no indices, or over many", node.lineno)
    for k, one in enumerate(bounds):
        t.assign(f"{mark}from{k}", one.start)
        t.assign(f"{mark}to{k}", one.stop)
    names = [f"{mark}at{k}" for k in range(len(bounds))]
    body: list[ast.stmt] = [*(clone(node) if breaks_of(node) else node).body]
    target: ast.expr | None = node.target
    if walk is np.ndenumerate:
        element: ast.expr = node.target
        target = None
        if isinstance(node.iter, ast.Call):
            if not isinstance(element, ast.Tuple) or len(element.elts) != 2:
                raise Declined("such a loop over elements", node.lineno)
            target, element = element.elts
        (owner,) = args
        t.assign(f"{mark}of", owner)
    parts = target.elts if isinstance(target, ast.Tuple) else []
    given = [part.id for part in parts if isinstance(part, ast.Name)]
    if len(given) == len(parts) == len(bounds) and not {*given} & bound_names(body):
        names = given
    elif target is not None:
        body.insert(0, assign(target, _tuple(names, node), place))
    if walk is np.ndenumerate:
        of = load(f"{mark}of", place)
        item = ast.Subscript(of, _tuple(names, node), ast.Load(), **place)
        body.insert(0, assign(element, item, place))
    if walk is itertools.combinations:
        ranges = _rising(mark, names, node)
    else:
        _none_without_all(t, bounds)
        ranges = [_call_of_range(f"{mark}from{k}", f"{mark}to{k}", node) for k in range(len(names))]
    return _nested(t, f"{mark}left", names, ranges, body, node)


def _tuple(names: Sequence[str], node: ast.For) -> ast.Tuple:
    place = point(node)
    return ast.Tuple([load(name, place) for name in names], ast.Load(), **place)


def _bounds(
    t: Translator, walk: Any, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> list[Bounds]:
    """Between which numbers each index goes."""
    if walk is itertools.product and {*kwargs} <= {"repeat"}:
        return list(map(_range, args)) * integer(kwargs.get("repeat", arithmetic.constant(1)))
    if kwargs or not args or (walk is np.ndenumerate and len(args) > 1):
        raise Declined("a loop over indices with these arguments", t.line)
    if walk is itertools.combinations:
        return [_range(args[0])] * (integer(args[1]) if len(args) == 2 else 0)
    if walk is np.ndenumerate:
        (array,) = args
        assert isinstance(array, Ref)
        return [_until(Scalar(f"{array.code}.n[{d}]", SIZE)) for d in range(array.ndim)]
    first = args[0]
    sizes = [number(size) for size in (first.items if isinstance(first, Items) else args)]
    for size in sizes:
        t.writer.emit(f"NEED({size.code} >= 0);")
    return list(map(_until, sizes))


def _until(size: Scalar) -> Bounds:
    return Bounds(arithmetic.constant(0), size, arithmetic.constant(1))


def _range(value: Value) -> Bounds:
    if not isinstance(value, Bounds) or value.step.const != 1:
        raise Declined("such a loop over something else than ranges")
    return value


def _none_without_all(t: Translator, bounds: Sequence[Bounds]) -> None:
    """Leave it to Python where only inner loops are empty: no name is bound there."""
    tests = [f"(i64){one.stop.code} > (i64){one.start.code}" for one in bounds]
    if len(tests) > 1:
        t.writer.emit(f"NEED(!({tests[0]}) || ({' && '.join(tests[1:])}));")


def _call_of_range(start: str, stop: str, node: ast.For) -> ast.expr:
    place = point(node)
    bounds: list[ast.expr] = [load(start, place), load(stop, place)]
    return ast.Call(load(f"{PYTHONS}range", place), bounds, [], **place)


def _rising(mark: str, names: Sequence[str], node: ast.For) -> list[ast.expr]:
    """The ranges of indices that rise: the last ones have to have places left."""
    place = point(node)
    made: list[ast.expr] = []
    for k in range(len(names)):
        left = constant(len(names) - 1 - k, place)
        stop = ast.BinOp(load(f"{mark}to{k}", place), ast.Sub(), left, **place)
        start: ast.expr = load(f"{mark}from{k}", place)
        if k:
            start = ast.BinOp(load(names[k - 1], place), ast.Add(), constant(1, place), **place)
        made.append(ast.Call(load(f"{PYTHONS}range", place), [start, stop], [], **place))
    return made


def _nested(
    t: Translator,
    flag: str,
    names: Sequence[str],
    ranges: Sequence[ast.expr],
    body: list[ast.stmt],
    node: ast.For,
) -> ast.For:
    """Loops in each other; what leaves the innermost leaves all of them."""
    place = point(node)
    made = ast.For(store(names[-1], place), ranges[-1], body, [], None, **place)
    breaks = breaks_of(made) if len(names) > 1 else []
    for inside, index in breaks:
        inside.insert(index, assign(store(flag, place), constant(True, place), place))
    if breaks:
        t.assign(flag, arithmetic.constant(False))
    for name, numbers in reversed(list(zip(names[:-1], ranges[:-1], strict=True))):
        inner: list[ast.stmt] = [made]
        if breaks:
            inner.append(ast.If(load(flag, place), [ast.Break(**place)], [], **place))
        made = ast.For(store(name, place), numbers, inner, [], None, **place)
    return made
