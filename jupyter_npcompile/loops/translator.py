"""From the statements of a loop to C++, with the types that its names have at the moment."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from jupyter_npcompile.cell.syntax import constant, extent, point
from jupyter_npcompile.loops import cuts, index_loops, lists, walks
from jupyter_npcompile.loops.bounds import Proof, renamed
from jupyter_npcompile.loops.calls import number
from jupyter_npcompile.loops.carried import Carried, unrolled
from jupyter_npcompile.loops.frames import Jumps, NeedsInput
from jupyter_npcompile.loops.fusion.fusing import Fusing
from jupyter_npcompile.loops.kinds import Declined
from jupyter_npcompile.loops.library import mapped
from jupyter_npcompile.loops.overflow import for_vectors, lazily
from jupyter_npcompile.loops.values import Bounds, Items, Listed, Ref, Scalar, Value

LONGEST = 16
"""Items of a tuple over which a loop in the loop goes."""


BRIEF, SHORT = 4, 64
"""Iterations of a loop, known while it is translated, of which each looks at its own indices, and
in which nobody looks at the clock."""

BLOCK = 1024
"""Iterations of a loop without another in it, or arrays, between two looks at the clock."""

_ARRAYS = re.compile(r"\bfor \(|\brun\b")
"""C++ that takes as long as an array is large."""


ROUNDS = 8
"""Attempts at finding types that hold in every iteration."""


class Translator(Fusing):
    """Writes loops in loops, and all that is in them."""

    def settle(
        self, write: Callable[[Jumps], bool], *, runs: bool = False, endless: bool = False
    ) -> Jumps:
        """Write a loop, again and again, until the types at its head hold for every iteration.

        Parameters
        ----------
        write : callable
            Writes the loop; says whether the end of the body can be reached.
        runs : bool
            Whether it has at least one iteration.
        endless : bool
            Whether only ``break`` ends it.
        """
        w = self.writer
        before = dict(self.frame.env)
        head, exit = dict(before), dict(before)
        mark = w.mark()
        for _ in range(ROUNDS):
            w.back(mark)
            jumps = Jumps(head, exit, w.name(), self.ignored)
            self.frame.env = dict(head)
            self.convert_all(before, head)
            self.jumps.append(jumps)
            try:
                if write(jumps):
                    jumps.ends.append(dict(self.frame.env))
            finally:  # what is declined here may be written in another way
                self.jumps.pop()
            new_head = self.joined(head, *jumps.ends)
            exits = [*jumps.breaks]
            if not endless and (jumps.ends or not runs):
                exits += [self.joined(*jumps.ends) if runs else new_head]
            new_exit = self.joined(*exits) if exits else new_head
            if new_head == head and new_exit == exit:
                self.frame.env = dict(exit)
                if not self.jumps:
                    self.head = head
                return jumps
            head, exit = new_head, new_exit
        raise Declined("the types of its names do not settle", self.line)

    def while_loop(self, node: ast.While) -> bool:
        """Write a ``while`` in the loop; False when what follows is never reached."""
        w = self.writer
        node = tested_inside(node)
        endless = isinstance(node.test, ast.Constant) and bool(node.test.value)

        def write(jumps: Jumps) -> bool:
            with w.block("for (;;)"):
                w.emit("LOOK(run);")
                if not endless:
                    with w.block():
                        test = self.condition(node.test)
                        self.leave(f"!({test})", jumps)
                reached = self.body(node.body)
                if reached:
                    self.convert_all(self.frame.env, jumps.head)
                w.emit(f"next_{jumps.number}: ;")
            w.emit(f"break_{jumps.number}: ;")
            return reached

        jumps = self.settle(write, endless=endless)
        return not endless or bool(jumps.breaks)

    def leave(self, condition: str, jumps: Jumps) -> None:
        """Leave a loop where a condition holds."""
        with self.writer.block(f"if ({condition})"):
            self.convert_all(jumps.head, jumps.exit)
            self.writer.emit(f"goto break_{jumps.number};")

    def for_loop(self, node: ast.For) -> None:
        """Write a ``for`` in the loop."""
        if self.written_out(node):
            return
        w = self.writer
        loops = index_loops.unfolded(self, node) or mapped.unfolded(self, node)
        if loops is not None:
            self.for_loop(loops)
            return
        w.emit("{")
        given = self.expression(node.iter)
        if isinstance(given, Listed) and lists.inner(given).type.item is None:
            w.emit("}")
            return  # there is nothing in it
        sequence = walks.settled(self, given)
        count, item = walks.begin(self, sequence)
        total, position = w.hold("i64", count, "n"), w.name("i")
        innermost = not has_loops(node)
        known = walks.known_count(sequence)

        def iteration(jumps: Jumps) -> bool:
            place = len(w.lines)
            with w.block():
                self.target(node.target, item(position))
            reached = self.body(node.body)
            if reached:
                self.convert_all(self.frame.env, jumps.head)
            if innermost and known > SHORT and is_long(w.lines[place:]):
                w.lines.insert(place, "LOOK(run);")
            self.shift(place)
            w.emit(f"next_{jumps.number}: ;")
            return reached

        def write(jumps: Jumps) -> bool:
            w.emit(f"i64 {position} = {ends[0]};")
            if not innermost or known <= SHORT:
                with w.block(f"for (; {position} < {total}; {position}++)"):
                    if not innermost:
                        w.emit("LOOK(run);")
                    reached = iteration(jumps)
            else:
                with w.block("for (;;)"):
                    stop = w.hold("i64", f"math::min<i64>({total}, {position} + {BLOCK})")
                    with w.block(f"for (; {position} < {stop}; {position}++)"):
                        reached = iteration(jumps)
                    # A short loop is looked at by the loop around it.
                    w.emit(f"if (LIKELY({position} >= {total})) break;", "LOOK(run);")
            with w.block():
                self.convert_all(jumps.head, jumps.exit)
            w.emit(f"break_{jumps.number}: ;")
            return reached

        proof = None
        if innermost and isinstance(sequence, Bounds) and known > BRIEF:
            proof = self.proof(node)
        ends = ("(i64)0", f"({total} - 1)")
        over = total if innermost else ""
        mark, before = w.mark(), dict(self.frame.env)
        around, self.frame.begun = self.frame.begun, frozenset()
        try:
            carried = None if proof is None else Carried.of(node)
            self.settle_with(proof, carried, write, item, ends, count=over)
        except (Declined, NeedsInput) as reason:
            begun = self.frame.begun
            if not begun or jumps_in(node):
                raise
            if isinstance(reason, NeedsInput) and reason.name not in begun:
                raise
            w.back(mark)
            self.frame.env = before
            self.first_iteration(node, item, total)
            ends = ("(i64)1", ends[1])
            carried = None if proof is None else Carried.of(node)
            self.settle_with(proof, carried, write, item, ends, count=over)
        finally:
            self.frame.begun |= around
        w.emit("}")

    def first_iteration(self, node: ast.For, item: Callable[[str], Value], total: str) -> None:
        """Write the first iteration of a loop apart: numbers become arrays in it.

        Without an iteration they would stay numbers: that is Python's to do.
        """
        w = self.writer
        for name in self.frame.begun:
            self.frame.clashes.pop(name, None)
        w.emit(f"NEED({total} > 0);")
        with w.block():
            self.target(node.target, item("(i64)0"))
        if not self.body(node.body):
            raise Declined("a loop that is left in its first iteration", node.lineno)

    def proof(self, node: ast.For) -> Proof | None:
        """What an innermost loop over numbers may know of its indices."""
        if not isinstance(node.target, ast.Name) or node.target.id[0].isdigit():
            return None  # a function as a loop that runs once has nothing to gain
        proof = Proof(node.target.id, node.body)
        return proof if proof.applies else None

    def settle_with(
        self,
        proof: Proof | None,
        carried: Carried | None,
        write: Callable[[Jumps], bool],
        item: Callable[[str], Value],
        ends: tuple[str, str],
        *,
        runs: bool = False,
        count: str = "",
    ) -> None:
        """Write a loop, without checks of indices where those can be made before it.

        Parameters
        ----------
        proof : Proof or None
            What it may know of its indices.
        carried : Carried or None
            What it may have from the iterations before.
        write : callable
            As for `settle`.
        item : callable
            Its counter, by position.
        ends : tuple of str
            The first position and the last.
        runs : bool
            As for `settle`.
        count : str
            How many iterations an innermost loop in the loop has; integers may be looked at
            when it is over.
        """
        w, frame = self.writer, self.frame
        before = dict(frame.env)
        mark = w.mark()
        frame.proof, frame.carried = proof, carried
        try:
            self.settle(self.counted(write), runs=runs)
            if carried is not None and not carried.holds:
                w.back(mark)
                frame.env = dict(before)
                frame.carried = carried = None
                self.settle(write, runs=runs)
        finally:
            frame.proof = frame.carried = None
        unchecked = for_vectors(w.lines[mark.lines :]) if count else w.lines[mark.lines :]
        waits = carried is not None and carried.depth > 0
        if waits:
            unchecked = unrolled(unchecked)
        lazy = lazily(unchecked, count) if count and not waits else None
        needs = () if proof is None else tuple(proof.needs)
        if not needs and lazy is None:
            w.lines[mark.lines :] = unchecked
            return
        w.back(mark)
        frame.env = dict(before)
        good = w.name("good")
        w.emit(f"bool {good} = {'true' if lazy is None else '!careful_'};")
        with w.block():
            for position in ends if needs else ():
                assert proof is not None
                # No name of the user's begins with a digit.
                name = w.name("0end")
                self.assign(name, item(position))
                for need in needs:
                    index = self.expression(renamed(need.index, proof.counter, name))
                    place = cuts.as_index(number(index))
                    size = f"{need.array}.n[{need.dimension}]"
                    w.emit(f"{good} = {good} && (uint64_t)({place}) < (uint64_t){size};")
            if carried is not None and carried.depth:
                self.steps_as(carried, item, ends[0], good)
        w.emit(f"if (LIKELY({good})) {{")
        if carried is not None and carried.depth:
            frame.env = dict(before)
            self.before_first(carried, item, ends)
        w.emit(*(unchecked if lazy is None else lazy.lines), "} else {")
        frame.env = dict(before)
        self.settle(write, runs=runs)
        w.emit("}")

    def counted(self, write: Callable[[Jumps], bool]) -> Callable[[Jumps], bool]:
        """The same, with the writes to memory counted for what is carried."""

        def counting(jumps: Jumps) -> bool:
            carried = self.frame.carried
            if carried is None:
                return write(jumps)
            carried.begin(self.writes)
            reached = write(jumps)
            carried.end(self.writes)
            return reached

        return counting

    def shift(self, place: int) -> None:
        """At the beginning of an iteration, what was written last was so one iteration ago."""
        carried = self.frame.carried
        if carried is not None:
            self.writer.lines[place:place] = carried.shifts()

    def steps_as(
        self, carried: Carried, item: Callable[[str], Value], first: str, good: str
    ) -> None:
        """Look whether the counter steps as it is written, and elements lie apart."""
        w = self.writer
        here, there = number(item(first)).code, number(item(f"({first} + 1)")).code
        w.emit(f"{good} = {good} && {there} - {here} == {carried.step};")
        owner = self.read(carried.array)
        assert isinstance(owner, Ref)
        w.emit(f"{good} = {good} && {owner.code}.s[{carried.dimension}] != 0;")

    def before_first(
        self, carried: Carried, item: Callable[[str], Value], ends: tuple[str, str]
    ) -> None:
        """What the first iteration reads of what those before it would have written."""
        w = self.writer
        owner = self.read(carried.array)
        assert isinstance(owner, Ref)
        with w.block(f"if ({ends[0]} <= {ends[1]})"):
            name = w.name("0end")
            self.assign(name, item(ends[0]))
            parts = [renamed(part, carried.counter, name) for part in carried.parts]
            places = [number(self.expression(part)) for part in parts]
            for back in range(1, carried.depth + 1):
                indices = [replace(place, proven=True) for place in places]
                far = indices[carried.dimension]
                code = f"({far.code} - {back} * ({carried.step}))"
                indices[carried.dimension] = replace(far, code=code)
                element = cuts.element(owner, indices)
                w.emit(f"{carried.variables[back - 1]} = {element};")

    def written_out(self, node: ast.For) -> bool:
        """Write a short loop over a tuple, once for each item; False for any other loop."""
        w, mark, before = self.writer, self.writer.mark(), dict(self.frame.env)
        w.emit("{")
        items = self.unrolled(node)
        if items is None:
            # What has been written of the items would be done twice.
            w.back(mark)
            self.frame.env = before
            return False
        for one in items:
            with w.block():
                self.target(node.target, one)
            if not self.body(node.body):
                raise Declined("a jump in a loop over a tuple", node.lineno)
        w.emit("}")
        return True

    def unrolled(self, node: ast.For) -> tuple[Value, ...] | None:
        """The items of a short loop over a tuple, which is written once for each of them."""
        if not isinstance(node.iter, ast.Tuple | ast.List | ast.Name):
            return None
        sequence = self.expression(node.iter)
        if not isinstance(sequence, Items):
            return None
        jumps = ast.Break | ast.Continue
        if len(sequence.items) > LONGEST or any(isinstance(n, jumps) for n in ast.walk(node)):
            return None
        computed = any(isinstance(v, Scalar) and v.const is None for v in sequence.items)
        if computed and any(isinstance(n, ast.With) for n in ast.walk(node)):
            raise Declined("np.errstate in a loop over a tuple", node.lineno)
        return tuple(map(self.settled, sequence.items))


def tested_inside(node: ast.While) -> ast.While:
    """A ``while`` whose test binds names has it in its body: what is bound is so afterwards.

    Examples
    --------
    >>> print(ast.unparse(tested_inside(ast.parse("while (n := n - 1) > 2: x += n").body[0])))
    while True:
        if not (n := (n - 1)) > 2:
            break
        x += n
    """
    if not any(isinstance(part, ast.NamedExpr) for part in ast.walk(node.test)):
        return node
    place = point(node.test)
    leaves = ast.If(ast.UnaryOp(ast.Not(), node.test, **place), [ast.Break(**place)], [], **place)
    return ast.While(constant(True, place), [leaves, *node.body], [], **extent(node))


def jumps_in(node: ast.For) -> bool:
    """Whether anything jumps in a loop."""
    return any(isinstance(part, ast.Break | ast.Continue) for part in ast.walk(node))


def has_loops(node: ast.For | ast.While) -> bool:
    """Whether a loop is in a loop."""
    loops = ast.For | ast.While | ast.ListComp | ast.GeneratorExp
    return any(isinstance(n, loops) for statement in node.body for n in ast.walk(statement))


def is_long(lines: Sequence[str]) -> bool:
    """Whether C++ goes through arrays: each iteration of a loop with it looks at the clock."""
    return any(map(_ARRAYS.search, lines))
