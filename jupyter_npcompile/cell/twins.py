"""Twins: the user's own statements, beside those that are guarded.

A guard costs a fraction of a microsecond. Around a statement that does no more
than an addition, that is as much again. Where nothing compiled fits, a loop
therefore goes on in its twin, the same statements without guards, as soon as
the frame says so; and a function runs as it was written.

    with frame.around((frame, 0)):
        if frame.begin(0, frame.iter(xs)):    # native code has run
            a, x = frame.results(0)
        if not frame.over:
            for x in frame.rest(0):
                ...                           # guarded
                if frame.plain[0]:
                    if frame.native(0):
                        a, x = frame.results(0)
                    if frame.leaves:
                        if not frame.over:
                            for x in frame.chunk(0):
                                ...           # as written
                            else:
                                if frame.back(0):
                                    continue  # with guards, for a look
                        break

A ``continue`` of such a loop ends an iteration, too; it says so, in case native code
has said before what would be known then:

            if test:
                if frame.plain[0] and frame.skips(0):
                    pass
                continue

While something is being compiled that may take over, the twin runs so many
iterations at a time that a look in between costs nothing. That of a ``while`` counts
them for that, which costs less than a guard:

                        for frame.tick in frame.chunk(0):
                            if not test:
                                break
                            ...               # as written
                        else:
                            if frame.back(0):
                                continue

A loop that native code cannot have (it holds an ``import``) does without the
questions for it. One in a function that holds a ``return`` may end the function:

        if frame.begin(0, frame.iter(xs)):
            if frame.returned:
                return frame.value()
            a, x = frame.results(0)
"""

from __future__ import annotations

import ast
import dis
from collections.abc import Sequence

from jupyter_npcompile.cell.program import Loop
from jupyter_npcompile.cell.syntax import (
    FUNCTIONS,
    Place,
    assign,
    attribute,
    blocks,
    call,
    clone,
    constant,
    descend,
    extent,
    load,
    point,
    replaced,
    store,
    within,
)

Declaration = ast.Global | ast.Nonlocal

DEEPEST = 6
"""Levels of blocks in a loop that has a twin: its statements are written once more for each."""

DEEPEST_TOGETHER = 16
"""Levels of blocks around it, and twice those in it: Python allows 20 in a function."""

_NEVER_CALLED = (ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.Set, ast.JoinedStr)


def has_twin(node: ast.For | ast.While, outside: int, *, in_function: bool) -> bool:
    """Whether a loop may have a twin.

    Parameters
    ----------
    node : ast.For or ast.While
        The loop.
    outside : int
        How many `levels` of blocks it lies in.
    in_function : bool
        Whether it is part of a function. In a cell the definitions in it are
        compiled, and Python's warnings about its syntax are shown: once.
    """
    inside = levels([node])
    if inside > DEEPEST or outside + 2 * inside > DEEPEST_TOGETHER or _jumps(node.orelse):
        return False
    for part in descend(node):
        if isinstance(part, Declaration):
            return False
        if not in_function and (isinstance(part, FUNCTIONS) or _may_warn(part)):
            return False
    return True


def is_plain(node: ast.For | ast.While, *, in_function: bool) -> bool:
    """Whether a loop holds only what native code may have, as far as its syntax tells.

    What its ``else`` holds is Python's to run.
    """
    plain = (*_PLAIN, ast.Return, ast.FunctionDef) if in_function else _PLAIN
    return all(
        not isinstance(part, ast.stmt) or isinstance(part, plain) or _sets_errors(part)
        for statement in node.body
        for part in ast.walk(statement)
    )


_PLAIN = (
    *(ast.For, ast.While, ast.If, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr),
    *(ast.Break, ast.Continue, ast.Pass, ast.Raise, ast.Assert, ast.Try, ast.Delete),
)


def _sets_errors(node: ast.stmt) -> bool:
    """Whether a statement looks like ``with np.errstate(...)``."""
    return isinstance(node, ast.With) and all(
        isinstance(item.context_expr, ast.Call)
        and ast.unparse(item.context_expr.func).rpartition(".")[2] == "errstate"
        for item in node.items
    )


def with_twin(
    loop: Loop,
    body: Sequence[ast.stmt],
    orelse: Sequence[ast.stmt],
    frame: str,
    *,
    in_function: bool,
) -> ast.stmt:
    """Give a guarded loop a twin, and native code its turn where that may be.

    Parameters
    ----------
    loop : Loop
        The loop as it was written.
    body, orelse : sequence of ast.stmt
        Its bodies with their guards.
    frame : str
        Name of the frame that the guards ask.
    in_function : bool
        Whether names are local: then the results of native code are assigned here.
    """
    node = loop.node
    place = point(node)
    number = constant(loop.id, place)
    asked = attribute(load(frame, place), "plain", place)
    test = ast.Subscript(asked, number, ast.Load(), **place)
    twin = _twin(loop, orelse, frame)
    leaving: list[ast.stmt] = [twin, ast.Break(**place)]
    if loop.native:
        over = attribute(load(frame, place), "over", place)
        go_on = ast.If(ast.UnaryOp(ast.Not(), over, **place), [twin], [], **place)
        leaves = attribute(load(frame, place), "leaves", place)
        leaving = [
            _native(loop, _ask(frame, "native", [clone(number)], place), frame, in_function),
            ast.If(leaves, [go_on, ast.Break(**place)], [], **place),
        ]
    switch = ast.If(test=test, body=leaving, orelse=[], **place)
    if loop.native:
        body = _Skips(loop.id, frame).bodies(body)
    made = replaced(node, body=[*body, switch], orelse=list(orelse))
    whole = extent(node)
    if isinstance(made, ast.While) or isinstance(node, ast.While):
        if not loop.native:
            return made
        enters = _ask(frame, "begin", [clone(number)], place)
        return _begun(loop, _native(loop, enters, frame, in_function), made, frame)
    place = extent(node.iter)
    iterator = _ask(frame, "iter", [clone(node.iter)], whole if _STATEMENT_ITERATES else place)
    kept = _ask(
        frame,
        "begin" if loop.native else "keep",
        [constant(loop.id, place), iterator],
        extent(iterator),
    )
    if not loop.native:
        made.iter = kept
        return _around(loop, [made], frame)
    made.iter = _ask(frame, "rest", [constant(loop.id, place)], place)
    return _begun(loop, _native(loop, kept, frame, in_function), made, frame)


def _twin(loop: Loop, orelse: Sequence[ast.stmt], frame: str) -> ast.For | ast.While:
    """The statements of a loop without guards."""
    node = loop.node
    twin = replaced(node, orelse=[clone(statement) for statement in orelse])
    place = point(node) if isinstance(node, ast.While) else extent(node.iter)
    number = constant(loop.id, place)
    if not loop.comes_back:
        if isinstance(twin, ast.For):
            twin.iter = _ask(frame, "alone", [number], place)
        return twin
    if isinstance(twin, ast.While):
        over = ast.If(ast.UnaryOp(ast.Not(), twin.test, **place), [ast.Break(**place)], [], **place)
        tick = ast.Attribute(load(frame, place), "tick", ast.Store(), **place)
        twin = ast.For(tick, ast.Constant(None, **place), [over, *twin.body], [], **extent(node))
    twin.iter = _ask(frame, "chunk", [number], place)
    back = _ask(frame, "back", [clone(number)], place)
    twin.orelse = [ast.If(back, [ast.Continue(**place)], [], **place)]
    return twin


def _begun(loop: Loop, native: ast.stmt, guarded: ast.stmt, frame: str) -> ast.stmt:
    """A loop after native code has had its turn."""
    place = point(loop.node)
    over = attribute(load(frame, place), "over", place)
    rest = ast.If(ast.UnaryOp(ast.Not(), over, **place), [guarded], [], **place)
    return _around(loop, [native, rest], frame)


def _around(loop: Loop, body: list[ast.stmt], frame: str) -> ast.stmt:
    """Have the frame let go of an iterator with its loop, however that is left."""
    place = point(loop.node)
    which = ast.Tuple([load(frame, place), constant(loop.id, place)], ast.Load(), **place)
    return within(_ask(frame, "around", [which], place), body, place)


def _native(loop: Loop, asks: ast.Call, frame: str, in_function: bool) -> ast.stmt:
    """A question whether native code has run, and what it has computed."""
    place = point(loop.node)
    returns: list[ast.stmt] = []
    if any(isinstance(part, ast.Return) for part in descend(loop.node)):
        test = attribute(load(frame, place), "returned", place)
        value = ast.Return(_ask(frame, "value", [], place), **place)
        returns.append(ast.If(test, [value], [], **place))
    if returns and not loop.names:
        return ast.If(asks, returns, [], **extent(asks))
    if not in_function or not loop.names:
        # Not an expression: IPython may be asked to display the values of all.
        return ast.If(asks, [ast.Pass(**place)], [], **extent(asks))
    targets: list[ast.expr] = [store(name, place) for name in loop.names]
    results = _ask(frame, "results", [constant(loop.id, place)], place)
    took = assign(ast.Tuple(targets, ast.Store(), **place), results, place)
    return ast.If(asks, [*returns, took], [], **extent(asks))


class _Skips(ast.NodeTransformer):
    """Has each ``continue`` of a loop tell the frame that an iteration is over.

    Where something runs after the ``continue`` (a ``finally``, or a handler that forgets the
    name of its error), the iteration is not over yet, and what was said of it is given up.
    """

    def __init__(self, loop: int, frame: str) -> None:
        self._loop = loop
        self._frame = frame
        self._method = "skips"

    def bodies(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Rewrite statements, and what lies in them."""
        made: list[ast.stmt] = []
        for statement in statements:
            found = self.visit(statement)
            made += found if isinstance(found, list) else [found]
        return made

    def visit_Continue(self, node: ast.Continue) -> list[ast.stmt]:
        place = point(node)
        number = constant(self._loop, place)
        asked = attribute(load(self._frame, place), "plain", place)
        test = ast.Subscript(asked, number, ast.Load(), **place)
        tells = _ask(self._frame, self._method, [clone(number)], place)
        # Not an expression: IPython may be asked to display the values of all.
        both = ast.BoolOp(ast.And(), [test, tells], **place)
        return [ast.If(both, [ast.Pass(**place)], [], **place), node]

    def visit_For(self, node: ast.For | ast.AsyncFor | ast.While) -> ast.stmt:
        return replaced(node, orelse=self.bodies(node.orelse))

    visit_AsyncFor = visit_While = visit_For

    def _whole(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> ast.stmt:
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = _whole

    def visit_Try(self, node: ast.Try | ast.TryStar) -> ast.stmt:
        before = self._method
        inside = "forgets" if node.finalbody else before
        self._method = inside
        body, orelse = self.bodies(node.body), self.bodies(node.orelse)
        handlers = []
        for handler in node.handlers:
            self._method = "forgets" if handler.name else inside
            handlers.append(replaced(handler, body=self.bodies(handler.body)))
        self._method = before
        finalbody = self.bodies(node.finalbody)
        return replaced(node, body=body, handlers=handlers, orelse=orelse, finalbody=finalbody)

    visit_TryStar = visit_Try


def as_written(statements: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Copy statements; declarations of names have been made already."""
    copies = [clone(statement) for statement in statements]
    if not declarations(statements):
        return copies
    return [_Undeclared().visit(statement) for statement in copies]


def declarations(statements: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Return the ``global`` and ``nonlocal`` statements among statements, at any depth."""
    found: list[ast.stmt] = []
    for statement in statements:
        if isinstance(statement, Declaration):
            found.append(clone(statement))
        elif not isinstance(statement, (ast.ClassDef, *FUNCTIONS)):
            for _, body in blocks(statement):
                found += declarations(body)
    return found


class _Undeclared(ast.NodeTransformer):
    def visit_Global(self, node: ast.Global) -> ast.stmt:
        return ast.Pass(**extent(node))

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.stmt:
        return ast.Pass(**extent(node))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.stmt:
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.stmt:
        return node


def levels(statements: Sequence[ast.stmt]) -> int:
    r"""Return how deeply blocks lie in each other, as Python counts them.

    Examples
    --------
    >>> levels(ast.parse("for x in xs:\n    if x:\n        while y: pass").body)
    2
    """
    deepest = 0
    for statement in statements:
        if not isinstance(statement, (ast.ClassDef, *FUNCTIONS)):
            inner = [levels(body) for _, body in blocks(statement)]
            deepest = max([deepest, *(level(statement) + levels for levels in inner)])
    return deepest


def level(statement: ast.stmt) -> int:
    """Return how many levels of blocks a statement puts around what lies in it."""
    if isinstance(statement, (ast.For, ast.AsyncFor, ast.While)):
        return 1
    return 0 if isinstance(statement, (ast.If, ast.Match)) else 2


def _jumps(statements: Sequence[ast.stmt]) -> bool:
    """Whether statements leave, or begin anew, a loop around them."""
    for statement in statements:
        if isinstance(statement, ast.Break | ast.Continue):
            return True
        if isinstance(statement, (ast.For, ast.AsyncFor, ast.While)):
            if _jumps(statement.orelse):
                return True
        elif not isinstance(statement, (ast.ClassDef, *FUNCTIONS)) and any(
            _jumps(body) for _, body in blocks(statement)
        ):
            return True
    return False


def _may_warn(node: ast.AST) -> bool:
    """Whether Python's compiler may warn of a node."""
    if isinstance(node, ast.Assert):
        return isinstance(node.test, ast.Tuple)
    if isinstance(node, ast.Call):
        return isinstance(node.func, _NEVER_CALLED)
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, _NEVER_CALLED)
    if isinstance(node, ast.Compare) and any(isinstance(op, ast.Is | ast.IsNot) for op in node.ops):
        return any(isinstance(part, _NEVER_CALLED) for part in (node.left, *node.comparators))
    return False


def _ask(frame: str, method: str, arguments: list[ast.expr], place: Place) -> ast.Call:
    # Python shows a call of an attribute that spans lines at its last line.
    start = Place(
        lineno=place["lineno"],
        col_offset=place["col_offset"],
        end_lineno=place["lineno"],
        end_col_offset=place["col_offset"],
    )
    return call(attribute(load(frame, start), method, start), arguments, place)


def _statement_iterates() -> bool:
    """Whether a traceback shows the whole statement, not its expression, for ``for k in 5``."""
    code = compile("for k in 5: pass", "<loop>", "exec")
    (found,) = (i.positions for i in dis.get_instructions(code) if i.opname == "GET_ITER")
    return found is not None and found.col_offset == 0


_STATEMENT_ITERATES = _statement_iterates()
