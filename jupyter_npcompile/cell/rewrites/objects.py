"""Arrays of objects become arrays of numbers, and positions become masks."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_npcompile.cell.rewrites.candidates import (
    Candidate,
    Situation,
    numpy_function,
    statements,
)
from jupyter_npcompile.cell.rewrites.text import Edit

_FROM_VALUES = ("array", "asarray")
_FROM_SHAPE = ("empty", "zeros", "ones", "full")
_PYTHON = {"float64": "float", "int64": "int", "complex128": "complex", "bool": "bool"}


def numeric(situation: Situation) -> Iterator[Candidate]:
    """Leave ``dtype=object`` out where the array holds nothing but numbers."""
    text = situation.text
    for statement in statements(situation.body):
        line = situation.breaks_at(statement)
        if line is None or not isinstance(statement, ast.Assign):
            continue
        call = statement.value
        target = statement.targets[0]
        if not isinstance(call, ast.Call) or not isinstance(target, ast.Name):
            continue
        kind = situation.finals.get(target.id)
        dtype = next((keyword for keyword in call.keywords if keyword.arg == "dtype"), None)
        if (
            kind is None
            or kind.dtype not in _PYTHON
            or dtype is None
            or not _is_object(dtype.value)
        ):
            continue
        function = numpy_function(call.func, situation.numpy)
        if function in _FROM_SHAPE:
            edit = text.replace(dtype.value, _PYTHON[kind.dtype])
        elif function in _FROM_VALUES and call.args:
            others = [*call.args, *(k.value for k in call.keywords if k is not dtype)]
            before = max(
                (o for o in others if text.end(o) <= text.start(dtype.value)), key=text.end
            )
            edit = Edit(text.end(before), text.end(dtype.value), "")
        else:
            continue
        yield Candidate(
            line,
            "hold numbers instead of objects",
            (edit,),
            changed=("*",),
            notes=(f"{target.id} holds {kind.dtype} afterwards, which rounds and overflows",),
        )


def _is_object(node: ast.expr) -> bool:
    if isinstance(node, ast.Name):
        return node.id == "object"
    return isinstance(node, ast.Constant) and node.value in ("O", "object")


def masked(situation: Situation) -> Iterator[Candidate]:
    """Index with a mask instead of with the positions where it holds."""
    text = situation.text
    for statement in statements(situation.body):
        line = situation.breaks_at(statement)
        if line is None:
            continue
        edits = []
        for part in ast.walk(statement):
            if isinstance(part, ast.Subscript):
                found = _positions(part.slice, situation.numpy)
                if found is not None:
                    edits.append(text.replace(part.slice, text.of(found)))
        if edits:
            yield Candidate(line, "index with the mask itself", tuple(edits))


def _positions(node: ast.expr, numpy: str) -> ast.expr | None:
    """The mask of ``np.where(mask)``, ``np.where(mask)[0]`` or ``np.nonzero(mask)``."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        if node.slice.value != 0:
            return None
        node = node.value
    if (
        isinstance(node, ast.Call)
        and numpy_function(node.func, numpy) in ("where", "nonzero", "flatnonzero")
        and len(node.args) == 1
        and not node.keywords
    ):
        return node.args[0]
    return None
