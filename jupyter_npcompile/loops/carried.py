"""Elements that an iteration has from the ones before it.

In ``y[n] = x[n] - a * y[n - 1]`` each iteration waits for what the last one has
written, and memory takes longer to give it back than the arithmetic. Where a loop
writes in one place only, and in each of its iterations, what it has written stays
in variables.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

DEEPEST = 4
"""How many iterations back an element may be."""

LONGEST = 60
"""Lines of C++ in an iteration that is written several times."""

TOGETHER = 4
"""How many times."""

_HEAD = re.compile(r"for \(; (\w+) < (\w+); \1\+\+\) \{$")
_LABEL = re.compile(r"next_\w+: ;$")
_JUMPS = re.compile(r"\b(goto|for|while|LOOK|continue)\b|\w: ;$")


class Carried:
    """What a loop over numbers writes, as its next iterations read it.

    Parameters
    ----------
    counter : str
        The name that counts the iterations.
    array : str
        The name of the array.
    parts : list of ast.expr
        The indices of what is written; one of them counts with the loop.
    dimension : int
        Which one.
    count : int
        How often it is written in the text of the loop.
    step : int
        What is added to the counter.

    Attributes
    ----------
    others : frozenset of int
        How far from the counter it writes, too: what lies behind the place is not read again.
    is_spoiled : bool
        Whether something is written under a condition.
    depth : int
        How many iterations back an element is read.
    variables : list of str
        The C++ variables: what was written last, one iteration before it, and so on.
    """

    def __init__(
        self,
        counter: str,
        array: str,
        parts: list[ast.expr],
        dimension: int,
        count: int,
        step: int,
        others: frozenset[int] = frozenset(),
    ) -> None:
        self.counter = counter
        self.array = array
        self.parts = parts
        self.dimension = dimension
        self.count = count
        self.step = step
        self.others = others
        self.is_spoiled = False
        self.depth = 0
        self.variables: list[str] = []
        self._written = self._before = self._all = 0
        self._done: set[int | None] = set()
        self._key = self._others_of(parts)

    @classmethod
    def of(cls, node: ast.For) -> Carried | None:
        r"""What a loop carries in an array, if it writes nothing else.

        Examples
        --------
        >>> def carries(text):
        ...     return Carried.of(ast.parse(text).body[0]) is not None
        >>> carries("for i in range(1, n): y[i] = y[i - 1] + x[i]")
        True
        >>> carries("for i in range(1, n): y[i] = y[i - 1]; x[i] = 0")
        False
        >>> carries("for i in range(1, n):\n  if x[i]: y[i] = y[i - 1]")
        False
        """
        nodes = [n for statement in node.body for n in ast.walk(statement)]
        stores = [n for n in nodes if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)]
        step = _step(node.iter)
        if not stores or step is None or not isinstance(node.target, ast.Name):
            return None
        if any(isinstance(n, ast.Continue) for n in nodes):
            return None
        counter = node.target.id
        found = _place(stores[0])
        if found is None:
            return None
        array, parts = found
        counting = [k for k, part in enumerate(parts) if _mentions(part, counter)]
        if len(counting) != 1 or offset(parts[counting[0]], counter) is None:
            return None
        if all(ast.dump(s) == ast.dump(stores[0]) for s in stores):
            if not _always_writes(node.body):
                return None
            return cls(counter, array, parts, counting[0], len(stores), step)
        return cls._of_many(node, counter, stores, counting[0], step)

    @classmethod
    def _of_many(
        cls, node: ast.For, counter: str, stores: list[ast.Subscript], dimension: int, step: int
    ) -> Carried | None:
        """What a loop carries that writes beside each other: a swap of neighbours."""
        places = [_place(store) for store in stores]
        first = places[0]
        offsets: dict[int, list[ast.expr]] = {}
        for place in places:
            if place is None or first is None or place[0] != first[0] or abs(step) != 1:
                return None
            if len(place[1]) != len(first[1]):
                return None
            far = offset(place[1][dimension], counter)
            same = all(
                ast.dump(a) == ast.dump(b)
                for k, (a, b) in enumerate(zip(place[1], first[1], strict=True))
                if k != dimension
            )
            if far is None or not same:
                return None
            offsets[far] = place[1]
        assert first is not None
        last = max(offsets, key=lambda far: far * step)
        others = frozenset(offsets) - {last}
        return cls(counter, first[0], offsets[last], dimension, len(stores), step, others)

    def distance(self, array: str, parts: Sequence[ast.expr]) -> int:
        """How many iterations ago an element was written; 0 if it was not, or nobody knows."""
        if array != self.array or len(parts) != len(self.parts):
            return 0
        here = offset(parts[self.dimension], self.counter)
        there = offset(self.parts[self.dimension], self.counter)
        if here is None or there is None or self._others_of(parts) != self._key:
            return 0
        far, rest = divmod(there - here, self.step)
        between = any(0 < (other - here) * self.step < far for other in self.others)
        if between or (self.others and here in self._done):
            return 0
        return far if not rest and 0 < far <= DEEPEST else 0

    def is_written(self, array: str, parts: Sequence[ast.expr]) -> bool:
        """Whether these are the array and the indices that the loop writes to."""
        return array == self.array and list(map(ast.dump, parts)) == list(map(ast.dump, self.parts))

    def begin(self, writes: int) -> None:
        """The loop is written from its beginning; so many writes to memory came before."""
        self._written, self._before = 0, writes
        self._done = set()

    def kept(self, part: ast.expr) -> None:
        """An element is written, whose index is this where it counts."""
        self._written += 1
        self._done.add(offset(part, self.counter))

    def writes_too(self, array: str, parts: Sequence[ast.expr]) -> bool:
        """Whether these are the array and the indices of another place that is written."""
        if array != self.array or len(parts) != len(self.parts):
            return False
        far = offset(parts[self.dimension], self.counter)
        return far in self.others and self._others_of(parts) == self._key

    def under(self, node: ast.If) -> None:
        """Something is written under a condition."""
        stores = (n for n in ast.walk(node) if isinstance(n, ast.Subscript))
        self.is_spoiled |= bool(self.others) and any(isinstance(n.ctx, ast.Store) for n in stores)

    def end(self, writes: int) -> None:
        """The loop is written to its end."""
        self._all = writes - self._before

    @property
    def holds(self) -> bool:
        """Whether nothing else was written than what is kept."""
        if not self.depth:
            return True
        return not self.is_spoiled and self._written == self._all == self.count

    def shifts(self) -> list[str]:
        """C++ for the beginning of an iteration."""
        names = self.variables[: self.depth + 1]
        return [f"{names[k]} = {names[k - 1]};" for k in range(self.depth, 0, -1)]

    def _others_of(self, parts: Sequence[ast.expr]) -> list[str]:
        return [ast.dump(part) for k, part in enumerate(parts) if k != self.dimension]


def offset(node: ast.expr, counter: str) -> int | None:
    """How far an index is from the counter of a loop; None if that is not written there.

    Examples
    --------
    >>> texts = ("i", "i - 2", "3 + i", "2 * i", "i - n")
    >>> [offset(ast.parse(text, mode="eval").body, "i") for text in texts]
    [0, -2, 3, None, None]
    """
    if isinstance(node, ast.Name):
        return 0 if node.id == counter else None
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add | ast.Sub):
        return None
    left, right = node.left, node.right
    if isinstance(left, ast.Constant) and isinstance(node.op, ast.Add):
        left, right = right, left
    if not isinstance(right, ast.Constant) or type(right.value) is not int:
        return None
    far = offset(left, counter)
    if far is None:
        return None
    return far + right.value if isinstance(node.op, ast.Add) else far - right.value


def _step(sequence: ast.expr) -> int | None:
    """What a loop that is written over a range adds to its counter."""
    if not isinstance(sequence, ast.Call) or sequence.keywords:
        return None
    if len(sequence.args) < 3:
        return 1
    try:
        step = ast.literal_eval(sequence.args[2])
    except ValueError:
        return None
    return step if type(step) is int and step else None


def unrolled(lines: Sequence[str]) -> list[str]:
    """A loop, written so that some iterations stand beside each other.

    What is carried changes places in them, and nothing has to be moved between what one iteration
    writes and the next one reads.
    """
    heads = [k for k, line in enumerate(lines) if _HEAD.match(line)]
    if len(heads) != 1:
        return [*lines]
    (head,) = heads
    end = _end_of(lines, head)
    body = [line for line in lines[head + 1 : end] if not _LABEL.match(line)]
    if len(body) > LONGEST or any(_JUMPS.search(line) for line in body):
        return [*lines]
    found = _HEAD.match(lines[head])
    assert found is not None
    counter, stop = found.groups()
    one = ["{", *body, f"{counter}++;", "}"]
    several = [f"while ({counter} + {TOGETHER} <= {stop}) {{", *one * TOGETHER, "}"]
    return [*lines[:head], *several, *lines[head:]]


def _end_of(lines: Sequence[str], head: int) -> int:
    """The line of the brace that closes the one at the end of a line."""
    depth = 0
    for k in range(head, len(lines)):
        depth += lines[k].count("{") - lines[k].count("}")
        if not depth:
            return k
    raise ValueError("a brace is not closed")


def _always_writes(body: Sequence[ast.stmt]) -> bool:
    """Whether the end of a body is only reached where an element was assigned."""
    for statement in body:
        if isinstance(statement, ast.Assign):
            if any(isinstance(target, ast.Subscript) for target in statement.targets):
                return True
        elif isinstance(statement, ast.AugAssign):
            if isinstance(statement.target, ast.Subscript):
                return True
        elif isinstance(statement, ast.If):
            if _always_writes(statement.body) and _always_writes(statement.orelse):
                return True
        elif isinstance(statement, ast.Break | ast.Return | ast.Raise):
            return True
    return False


def _place(node: ast.Subscript) -> tuple[str, list[ast.expr]] | None:
    """The name and the indices of an element: ``a[i][j]`` is ``a[i, j]``."""
    parts = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    if isinstance(node.value, ast.Name):
        return node.value.id, parts
    if not isinstance(node.value, ast.Subscript):
        return None
    inner = _place(node.value)
    return None if inner is None else (inner[0], [*inner[1], *parts])


def _mentions(node: ast.expr, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(node))
