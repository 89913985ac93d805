"""Assignments under a comparison, ``if c > best: best = c``: one of two values, without a branch.

The processor guesses wrongly where a branch goes as the numbers come. What is read and
written is the same whichever way it goes: names, and elements that are known to be in bounds.
So it is with ``if c & 1: c = (c >> 1) ^ p`` and ``else: c >>= 1``, in whatever steps that is
written: arithmetic of bits raises nothing, and takes less time than one wrong guess.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from jupyter_npcompile.cell.syntax import load, point, substituted
from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.loops import arithmetic, cuts
from jupyter_npcompile.loops.joins import join
from jupyter_npcompile.loops.kinds import ArrayType, Declined, Number
from jupyter_npcompile.loops.values import Ref, Scalar

if TYPE_CHECKING:
    from jupyter_npcompile.loops.statements import Statements

MOST = 4
"""Assignments that are made without a branch."""

LARGEST = 60
"""Nodes of an expression that several statements become."""

_BITS = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.RShift)

_ORDER = re.compile(r"\(+(lt|le|gt|ge)<(double|float)>\((\w+), (\w+)\)\)+")

_RAISES = re.compile(r"\bchecked_|\bNEED\(|\bat\(")


@dataclass(frozen=True)
class Choice:
    """What decides.

    Parameters
    ----------
    test : str
        C++: a truth value.
    order, c : str
        The comparison of floats that it is, and their C++ type; else empty.
    sides : tuple of str
        What is compared.
    """

    test: str
    order: str = ""
    c: str = ""
    sides: tuple[str, ...] = ()

    def between(self, new: str, old: str, c: str) -> str:
        """C++ for one of two numbers of a C++ type."""
        if self.order and c == self.c:  # the compiler has no such way for doubles
            return f"picked_{self.order}<{c}>({', '.join(self.sides)}, {new}, {old})"
        return f"({self.test} ? {new} : {old})"


def chosen(t: Statements, node: ast.If) -> bool:
    """Write an ``if`` without a branch; False where it is not of this kind."""
    first, second = _bits_of(node.body), _bits_of(node.orelse)
    if first and second is not None and _are_numbers(t, {*first} ^ {*second}):
        if not (_is_test(t, node.test) or _is_bits(node.test) or isinstance(node.test, ast.Name)):
            return False
        sides = [
            (name, first.get(name, _name(name, node)), second.get(name, _name(name, node)))
            for name in {**first, **second}
        ]
        return _tried(t, node.test, lambda choice: _each_of(t, choice, sides))
    if node.orelse:
        return False
    if not _is_test(t, node.test):
        return False
    groups = [_assignments(t, statement) for statement in node.body]
    if not 0 < sum(map(len, groups)) <= MOST or not all(groups):
        return False
    return _tried(t, node.test, lambda choice: all(_written(t, g, choice) for g in groups))


def _tried(t: Statements, test: ast.expr, write: Callable[[Choice], bool]) -> bool:
    """Write a test and what depends on it; False, and nothing, where something may be raised."""
    w, before = t.writer, dict(t.frame.env)
    mark, writes = w.mark(), t.writes
    w.emit("{")
    try:
        choice = _choice(t, _test(t, test))
        begin = len(w.lines)
        good = choice is not None and write(choice)
        # What may be raised is so in some cases only.
        good = good and not any(map(_RAISES.search, w.lines[begin:]))
    except Declined:
        good = False
    w.emit("}")
    if not good:
        w.back(mark)
        t.frame.env = before
        t.writes = writes
    return good


def _bits_of(body: Sequence[ast.stmt]) -> dict[str, ast.expr] | None:
    """What names are bound to by statements that do no more than arithmetic of bits.

    Examples
    --------
    >>> def shown(text):
    ...     found = _bits_of(ast.parse(text).body)
    ...     return found and {name: ast.unparse(value) for name, value in found.items()}
    >>> shown("r >>= 1; r ^= p; s = r & t")
    {'r': 'r >> 1 ^ p', 's': '(r >> 1 ^ p) & t'}
    >>> shown("r = r + 1"), shown("")
    (None, {})
    """
    found: dict[str, ast.expr] = {}
    for node in body:
        if isinstance(node, ast.AugAssign):
            target: ast.expr = node.target
        elif isinstance(node, ast.Assign) and len(node.targets) == 1:
            (target,) = node.targets
        else:
            return None
        if not isinstance(target, ast.Name):
            return None
        value = node.value if isinstance(node, ast.Assign) else _new_value(node, target)
        if not _is_bits(value):
            return None
        found[target.id] = substituted(value, found)
        if sum(1 for _ in ast.walk(found[target.id])) > LARGEST:
            return None
    return found


def _are_numbers(t: Statements, names: Collection[str]) -> bool:
    """Whether names, which only one side binds, are numbers before."""
    return all(isinstance(t.frame.env.get(name), Number) for name in names)


def _name(name: str, node: ast.If) -> ast.expr:
    return load(name, point(node))


def _new_value(node: ast.AugAssign, target: ast.Name) -> ast.BinOp:
    """What ``name op= value`` binds the name to, if it is a number."""
    old = ast.copy_location(ast.Name(target.id, ast.Load()), target)
    return ast.copy_location(ast.BinOp(old, node.op, node.value), node)


def _is_bits(node: ast.expr) -> bool:
    """Whether something is arithmetic of the bits of names and numbers."""
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, _BITS)
        and all(
            isinstance(side, ast.Name | ast.Constant) or _is_bits(side)
            for side in (node.left, node.right)
        )
    )


def _each_of(
    t: Statements, choice: Choice, sides: Sequence[tuple[str, ast.expr, ast.expr]]
) -> bool:
    """Bind names to one of two integers; False where they are none of one type."""
    found = [(name, _one_of(t, choice, pair)) for name, *pair in sides]
    for name, value in found:
        if value is None:
            return False
        t.assign(name, value)
    return True


def _one_of(t: Statements, choice: Choice, sides: Sequence[ast.expr]) -> Scalar | None:
    """One of two integers; None where they are none of one type."""
    values = [t.settled(t.expression(side)) for side in sides]
    scalars = [value for value in values if isinstance(value, Scalar)]
    types = [value.type for value in scalars]
    if len(types) < 2 or types[0].dtype != types[1].dtype or types[0].kind not in "iu":
        return None
    type = join(*types)
    if not isinstance(type, Number) or type.is_tagged:
        return None
    w, c = t.writer, type.c
    new, old = (w.hold(c, f"({c}){value.code}") for value in scalars)
    return Scalar(w.hold(c, f"picked_bits<{c}>({choice.test}, {new}, {old})"), type)


def _is_test(t: Statements, node: ast.expr) -> bool:
    """Whether something is a comparison, or several that may all be made."""
    if isinstance(node, ast.BoolOp):
        first, *others = node.values
        return (_is_test(t, first) or _is_plain(t, first)) and all(
            _is_harmless(t, part) for part in others
        )
    return isinstance(node, ast.Compare) and len(node.ops) == 1


def _is_harmless(t: Statements, node: ast.expr) -> bool:
    """Whether a part of a test may be computed where Python does not come to it."""
    if isinstance(node, ast.BoolOp):
        return all(_is_harmless(t, part) for part in node.values)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return _is_harmless(t, node.operand)
    if isinstance(node, ast.Compare):
        return len(node.ops) == 1 and all(
            _is_plain(t, side) for side in (node.left, node.comparators[0])
        )
    return _is_plain(t, node)


def _test(t: Statements, node: ast.expr) -> str:
    """C++ for a test, of which all parts are computed.

    Raises
    ------
    Declined
        Where a part may raise that Python would not come to.
    """
    if not isinstance(node, ast.BoolOp):
        return t.condition(node)
    w, parts = t.writer, []
    for k, part in enumerate(node.values):
        begin = len(w.lines)
        parts.append(w.hold("bool", _test(t, part), "b"))
        if k and any(map(_RAISES.search, w.lines[begin:])):
            raise Declined("a part of a test that may raise")
    return "(" + (" & " if isinstance(node.op, ast.And) else " | ").join(parts) + ")"


def _assignments(t: Statements, node: ast.stmt) -> list[tuple[ast.expr, ast.expr]]:
    """Targets and values of a statement; nothing where it does more than copy."""
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add | ast.Sub):
        counted = isinstance(node.value, ast.Constant) and type(node.value.value) is int
        if not isinstance(node.target, ast.Name) or not counted:
            return []
        return [(node.target, _new_value(node, node.target))]
    if not isinstance(node, ast.Assign) or len(node.targets) > 1:
        return []
    target, value = node.targets[0], node.value
    pairs: list[tuple[ast.expr, ast.expr]] = [(target, value)]
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        if len(target.elts) != len(value.elts):
            return []
        pairs = [*zip(target.elts, value.elts, strict=True)]
    if not all(_is_plain(t, part) for pair in pairs for part in pair):
        return []
    stores = any(isinstance(target, ast.Subscript) for target, _ in pairs)
    carried = t.frame.carried
    return [] if stores and carried is not None and not carried.others else pairs


def _is_plain(t: Statements, node: ast.expr) -> bool:
    """Whether something is a name, a number, or an element that is known to be in bounds."""
    if isinstance(node, ast.Name | ast.Constant):
        return True
    proof = t.frame.proof
    if proof is None or not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name):
        return False
    known = t.frame.env.get(node.value.id)
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return (
        isinstance(known, ArrayType)
        and known.ndim == len(parts)
        and node.value.id not in proof.bound
        and all(proof.admits(part, t.frame.env) for part in parts)
    )


def _choice(t: Statements, test: str) -> Choice | None:
    """What decides, held while names change; None where that is known now."""
    w = t.writer
    if test in ("true", "false"):
        return None
    found = _ORDER.fullmatch(test)
    if found is None:
        return Choice(w.hold("bool", test, "b"))
    order, c, *sides = found.groups()
    held = tuple(w.hold(c, side) for side in sides)
    return Choice(w.hold("bool", f"{order}<{c}>({', '.join(held)})", "b"), order, c, held)


def _written(t: Statements, group: list[tuple[ast.expr, ast.expr]], choice: Choice | None) -> bool:
    """Write one statement; False where a type changes, or something may be raised."""
    assert choice is not None
    w = t.writer
    values = [t.settled(t.expression(value)) for _, value in group]
    for (target, _), value in zip(group, values, strict=True):
        if not isinstance(value, Scalar) or value.type.mixed:
            return False
        if not choice.order and value.type.dtype == "float64":
            return False
        if isinstance(target, ast.Name):
            known = t.frame.env.get(target.id)
            if not isinstance(known, Number) or known.mixed or known.dtype != value.type.dtype:
                return False
            old = t.read(target.id)
            type = join(known, value.type)
            assert isinstance(old, Scalar)
            assert isinstance(type, Number)
            tag = f"({choice.test} ? {arithmetic.tag_of(value)} : {arithmetic.tag_of(old)})"
            code = choice.between(value.code, old.code, type.c)
            held = w.hold("int", tag) if type.is_tagged else ""
            t.assign(target.id, Scalar(w.hold(type.c, code), type, held))
            continue
        assert isinstance(target, ast.Subscript)
        owner = t.expression(target.value)
        if not isinstance(owner, Ref) or value.type.dtype != owner.dtype:
            return False
        places = t.proven(target, owner, t.indices(target.slice))
        numbers = [place for place in places if isinstance(place, Scalar) and place.proven]
        if len(numbers) < owner.ndim:
            return False
        element = cuts.element(owner, numbers)
        c = value.type.c
        kept = t.kept(target, owner, places)
        old_code = w.hold(c, element, "e") if kept is None else kept.code
        held = w.hold(c, choice.between(value.code, old_code, c), "x")
        w.emit(f"{element} = {held};")
        t.keep(target, owner, places, held)
        t.note_write(owner)
    return True
