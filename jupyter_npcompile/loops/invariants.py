"""What is the same for all rows: ``np.sqrt(v)`` in ``x / np.sqrt(v)``, computed once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from jupyter_npcompile.loops.costs import DIVISION, element_cost
from jupyter_npcompile.loops.values import Applied, Lazy, Ref, Scalar


def once(value: Lazy | Scalar, make: Callable[[Applied], Ref]) -> Lazy | Scalar:
    """The same expression, in which what is dear and has fewer dimensions is an array.

    Parameters
    ----------
    value : array or number
        The expression.
    make : callable
        Makes an array of a part of it.

    Examples
    --------
    >>> from jupyter_npcompile.loops.kinds import ArrayType
    >>> x, v = (Ref(name, ArrayType("float64", n, True)) for name, n in (("x", 2), ("v", 1)))
    >>> root = Applied("math::sqrt({0})", (v,), "float64", 1)
    >>> made = once(Applied("{0} / {1}", (x, root), "float64", 2), lambda part: v)
    >>> [operand.code for operand in made.operands]
    ['x', 'v']
    """
    return _once(value, value.ndim, make) if isinstance(value, Applied) else value


def _once(value: Applied, ndim: int, make: Callable[[Applied], Ref]) -> Applied:
    operands: list[Lazy | Scalar] = []
    for operand in value.operands:
        if not isinstance(operand, Applied):
            operands.append(operand)
        elif 0 < operand.ndim < ndim and element_cost([operand], []) >= DIVISION:
            operands.append(make(operand))
        else:
            operands.append(_once(operand, ndim, make))
    return replace(value, operands=tuple(operands))
