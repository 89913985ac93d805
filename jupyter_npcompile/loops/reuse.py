"""Memory of the array that a name has had: what the name has next may lie there.

Arrays that are made anew in each iteration would go through two pieces of memory in turns, and a
cache holds one of them sooner than both. It has to be the name alone that has the array, and the
array all of its memory, which is seen when the loop runs.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence

from jupyter_npcompile.loops import elementwise
from jupyter_npcompile.loops.elementwise import leaves_of, sources_of
from jupyter_npcompile.loops.kinds import ArrayType, lengths_of
from jupyter_npcompile.loops.values import Applied, Ref
from jupyter_npcompile.loops.writer import Writer

_CALM = (
    *(ast.Name, ast.Constant, ast.Attribute, ast.Compare, ast.BinOp, ast.BoolOp, ast.UnaryOp),
    *(ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop),
)
"""What a mask is made of that calls nothing."""


def dying(node: ast.Assign) -> frozenset[str]:
    """Names of arrays of which a statement keeps some elements, and that nothing else reads in it.

    Examples
    --------
    >>> sorted(dying(ast.parse("a, b, c = a[inside], b[inside], d[b > 0]").body[0]))
    ['a']
    >>> sorted(dying(ast.parse("a = a[a > 0]").body[0]))
    ['a']
    """
    (target,) = node.targets[:1]
    targets = target.elts if isinstance(target, ast.Tuple) else [target]
    values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
    if len(node.targets) > 1 or len(targets) != len(values):
        return frozenset()
    bound = Counter(t.id for t in targets if isinstance(t, ast.Name))
    found = set()
    for place, value in enumerate(values):
        owner = value.value if isinstance(value, ast.Subscript) else None
        if not isinstance(owner, ast.Name) or bound[owner.id] != 1:
            continue
        assert isinstance(value, ast.Subscript)
        others = [*values[:place], *values[place + 1 :]]
        if not any(_names(other, owner.id) for other in others) and all(
            isinstance(part, _CALM) for part in ast.walk(value.slice)
        ):
            found.add(owner.id)
    return frozenset(found)


def _names(node: ast.expr, name: str) -> bool:
    return any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(node))


def memory(writer: Writer, owner: Ref, read: Sequence[Ref], dims: Sequence[str], test: str) -> Ref:
    """The memory of an array that a name has had, or new memory where it is not to be had.

    Parameters
    ----------
    writer : Writer
        Where it is written.
    owner : Ref
        The variable of the name.
    read : sequence of Ref
        What is read, and must not lie there.
    dims : sequence of str
        The new shape.
    test : str
        C++ for whether it fits.
    """
    made = writer.name("a")
    tests = [f"is_sole({owner.code})", test, *(f"{ref.code}.b != {owner.code}.b" for ref in read)]
    writer.emit(f"{owner.type.c} {made};")
    with writer.block(f"if ({' && '.join(dict.fromkeys(tests))})"):
        writer.emit(f"{made} = {owner.code};")
    with writer.block("else"):
        writer.emit(f"{made} = {elementwise.new(writer, owner.dtype, dims, in_memory=True).code};")
    type = ArrayType(owner.dtype, owner.ndim, True, lengths=lengths_of(dims))
    return Ref(made, type, is_fresh=True)


def computed(writer: Writer, owner: Ref, value: Applied) -> Ref:
    """An array with the elements of an expression, where the old one lies if that can be."""
    sources = sources_of(value)
    if any(source.code == owner.code for source in sources):
        return elementwise.materialise(writer, value)
    dims = elementwise.shape_of(writer, value)
    read = [*sources, *(leaf for leaf in leaves_of(value) if leaf.code != owner.code)]
    test = " && ".join(f"{owner.n(d)} == {n}" for d, n in enumerate(dims))
    held = elementwise.lowered(writer, value)
    made = memory(writer, owner, read, dims, test)
    elementwise.filled(writer, made, dims, held)
    return made
