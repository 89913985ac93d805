"""Loops over the indices of an array, ``for i, j in np.ndindex(m.shape)``: loops in each other."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import numpy as np

from jupyter_npcompile.cell.syntax import assign, load, point, store
from jupyter_npcompile.loops import elementwise
from jupyter_npcompile.loops.calls import elements, number
from jupyter_npcompile.loops.kinds import Declined, Number
from jupyter_npcompile.loops.source import breaks_of
from jupyter_npcompile.loops.values import Items, Known, Scalar

if TYPE_CHECKING:
    from jupyter_npcompile.loops.translator import Translator

WALKS = ("ndindex", "ndenumerate")
"""What goes through indices."""

SIZE = Number("py", "int64", 40)


def unfolded(t: Translator, node: ast.For) -> ast.For | None:
    """The loop as loops over numbers; None when it is none over indices."""
    call = node.iter
    if not isinstance(call, ast.Call) or call.keywords:
        return None
    if ast.unparse(call.func).rpartition(".")[2] not in WALKS:
        return None
    function = t.expression(call.func)
    if not isinstance(function, Known) or function.value not in (np.ndindex, np.ndenumerate):
        return None
    if breaks_of(node) or not call.args:
        raise Declined("break in a loop over indices", node.lineno)
    # No name of the user's begins with a digit.
    mark, place = f"0{node.lineno}_{node.col_offset}", point(node)
    values = t.expressions(call.args)
    body: list[ast.stmt] = list(node.body)
    target = node.target
    if function.value is np.ndenumerate:
        if not isinstance(target, ast.Tuple) or len(target.elts) != 2 or len(values) != 1:
            raise Declined("such a loop over elements", node.lineno)
        array = elementwise.materialise(t.writer, elements(values[0]))
        t.assign(f"{mark}of", array)
        sizes = [Scalar(f"{array.code}.n[{d}]", SIZE) for d in range(array.ndim)]
        target, element = target.elts
    else:
        first = values[0]
        sizes = [number(size) for size in (first.items if isinstance(first, Items) else values)]
    for k, size in enumerate(sizes):
        t.writer.emit(f"NEED({size.code} >= 0);")
        t.assign(f"{mark}size{k}", size)
    names = [f"{mark}at{k}" for k in range(len(sizes))]
    parts = target.elts if isinstance(target, ast.Tuple) else []
    given = [part.id for part in parts if isinstance(part, ast.Name)]
    if len(given) == len(parts) == len(sizes):
        names = given
    elif sizes:
        indices = ast.Tuple([load(name, place) for name in names], ast.Load(), **place)
        body.insert(0, assign(target, indices, place))
    if function.value is np.ndenumerate:
        indices = ast.Tuple([load(name, place) for name in names], ast.Load(), **place)
        item = ast.Subscript(load(f"{mark}of", place), indices, ast.Load(), **place)
        body.insert(0, assign(element, item, place))
    made: list[ast.stmt] = body
    for k, name in reversed(list(enumerate(names))):
        bound = load(f"{mark}size{k}", place)
        numbers = ast.Call(load("range", place), [bound], [], **place)
        made = [ast.For(store(name, place), numbers, made, [], None, **place)]
    if not isinstance(made[0], ast.For):
        raise Declined("a loop over no indices", node.lineno)
    return made[0]
