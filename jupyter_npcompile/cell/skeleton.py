"""The skeleton: the user's own statements, each guarded by one question.

At module level a statement becomes ``if handle.at(region, index): <it>``; in
a function the frame object is asked, and the names that something may read
later are taken from it when the statement is skipped. Statements are never
changed, so what runs natively has the user's own tracebacks.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from dataclasses import replace

from jupyter_npcompile.cell.builder import Builder, Names, ask, question
from jupyter_npcompile.cell.callees import hand_on
from jupyter_npcompile.cell.factory import nest
from jupyter_npcompile.cell.lines import Lines
from jupyter_npcompile.cell.names import bound_names, deferred, local_names
from jupyter_npcompile.cell.program import (
    TOO_DEEP,
    CellProgram,
    FunctionProgram,
    FunctionSource,
    Line,
    NotTraceable,
    Region,
    Scope,
    Statement,
)
from jupyter_npcompile.cell.reach import may_hold, may_tell
from jupyter_npcompile.cell.regions import keeps_its_frame
from jupyter_npcompile.cell.syntax import (
    SourceText,
    as_definition,
    assign,
    attribute,
    call,
    clone,
    constant,
    descend,
    every_argument,
    extent,
    first_line_of,
    has_docstring,
    last_line,
    load,
    point,
    replaced,
    store,
    within,
)
from jupyter_npcompile.cell.twins import as_written, declarations, levels

HANDLE = "__npcompile__"
"""Free variable of a compiled function that holds its handle."""

FRAME = "__npcompile_frame__"
"""Local name of a compiled function that holds the state of one call."""

DEEPEST = 12
"""Levels of blocks in a function whose calls are timed; Python allows 20."""

_WATCHERS = frozenset({"breakpoint", "set_trace", "embed", "_getframe", "currentframe"})
"""Names that let code or a person look at a function's local variables."""


def build_cell(
    tree: ast.Module,
    source: str,
    *,
    handle: str,
    display_last: bool = True,
    display_all: bool = False,
    tells: bool = False,
    picks: Collection[str] = (),
) -> CellProgram:
    r"""Split a cell into skeleton and regions.

    Parameters
    ----------
    tree : ast.Module
        The parsed cell. It is not changed.
    source : str
        The text that the positions in `tree` refer to.
    handle : str
        Name under which the skeleton finds its handle object; unique.
    display_last : bool
        Whether the last expression of the cell is displayed.
    display_all : bool
        Whether IPython displays every expression: then they stay as they are.
    tells : bool
        Whether the handle is told what runs outside regions.
    picks : collection of str
        Names of functions for which the handle may have a compiled form: see `callees`.

    Returns
    -------
    CellProgram
        The skeleton is independent of `tree`; regions refer to its nodes. A
        cell that is nested too deeply to be rewritten is its own skeleton.

    Examples
    --------
    >>> source = "x = np.ones(3)\nprint(x)\nx + 1"
    >>> print(ast.unparse(build_cell(ast.parse(source), source, handle="H").tree))
    if H.at(0, 0):
        x = np.ones(3)
    print(x)
    if H.at(1, 0):
        H.result = x + 1
    H.result
    """
    text = SourceText.of(source)
    kind = _ShownCellBuilder if display_all else _CellBuilder
    try:
        builder = kind(handle, text, tells=tells and not display_all and may_tell(tree.body))
        builder.functions_tell = tells
        builder.picks = frozenset() if display_all else frozenset(picks)
        return _rewritten(tree, text, builder, display_last=display_last and not display_all)
    except RecursionError:
        lines = Lines(text, {}, {}).of(tree.body, "module", TOO_DEEP)
        return CellProgram(tree=tree, regions=(), functions=(), lines=lines)


def _rewritten(
    tree: ast.Module, text: SourceText, builder: _CellBuilder, *, display_last: bool
) -> CellProgram:
    last = tree.body[-1] if tree.body and display_last else None
    if isinstance(last, ast.Expr):
        builder.displayed = last
    if builder.picks:
        own = bound_names(tree.body)  # functions among them are compiled
        builder.picks = frozenset(it for it in builder.picks if it.partition(".")[0] not in own)
    body = builder.body(tree.body, None)
    hand_on(body, builder.picks, builder.handle, in_function=False)
    if builder.tells:
        body = [_held(builder.handle, node) for node in body]
    if builder.displayed is not None and id(builder.displayed) in builder.guarded:
        place = extent(builder.displayed)
        result = attribute(load(builder.handle, place), "result", place)
        body.append(ast.Expr(value=result, **place))
    holds = builder.tells and may_hold(tree.body, in_function=False)
    if holds and builder.displayed is not None:
        begins = point(builder.displayed)
        shows = ask(builder.handle, "shows", (), begins)
        body.insert(-1, ast.If(shows, [ast.Pass(**begins)], [], **begins))
    return CellProgram(
        tree=replaced(tree, body=body),
        regions=tuple(builder.regions),
        functions=tuple(builder.functions),
        lines=Lines(text, builder.guarded, builder.function_lines()).of(tree.body, builder.scope),
        loops=tuple(builder.loops),
        reaches=tuple(builder.reaches) if builder.tells else None,
        holds=holds,
        picks=builder.picks,
    )


def build_function(
    node: ast.FunctionDef | ast.Lambda,
    *,
    qualname: str | None = None,
    free_names: Sequence[str] = (),
    text: SourceText | None = None,
    tells: bool = False,
    picks: Collection[str] = (),
    follows: bool = False,
) -> FunctionProgram:
    r"""Split one function into skeleton and regions.

    Parameters
    ----------
    node : ast.FunctionDef or ast.Lambda
        The definition. It is not changed; its decorators are left out.
    qualname : str, optional
        Qualified name of the function, by default its name.
    free_names : sequence of str
        ``co_freevars`` of the function.
    text : SourceText, optional
        The text that the positions in `node` refer to.
    tells : bool
        Whether the frame is told what runs outside regions.
    picks : collection of str
        Names of functions for which the handle may have a compiled form: see `callees`.
    follows : bool
        Whether each call compares the defaults with those of the function it was made from.

    Raises
    ------
    NotTraceable
        If the function has to stay as it is, such as a generator function.

    Examples
    --------
    >>> program = build_function(ast.parse("def f(x):\n    y = x + 1\n    return y").body[0])
    >>> print(ast.unparse(program.factory.body[0].body[-1]))
    def f(x):
        __npcompile_frame__ = __npcompile__.native
        if __npcompile_frame__ is not None:
            __npcompile_frame__ = __npcompile_frame__(x)
            if __npcompile_frame__ is not __npcompile__:
                return __npcompile_frame__
        if __npcompile__.unasked > 0 and 'torch' not in __npcompile__.modules:
            __npcompile__.unasked -= 1
            __npcompile_frame__ = None
        else:
            __npcompile_frame__ = __npcompile__.activate()
            if __npcompile_frame__ is not None and __npcompile_frame__.done:
                return __npcompile_frame__.result
        if __npcompile_frame__ is None:
            y = x + 1
            return y
        with __npcompile_frame__:
            if __npcompile_frame__.written:
                y = x + 1
                return y
            if __npcompile_frame__.at(0, 0):
                y = x + 1
            else:
                y, = __npcompile_frame__.take(0, 0)
            return y
    """
    definition = as_definition(node)
    reason = keeps_its_frame(definition)
    if reason is not None:
        raise NotTraceable(reason, definition.lineno)
    text = SourceText() if text is None else text
    builder = _FunctionBuilder(definition, text, tells=tells and may_tell(definition.body))
    builder.picks = frozenset(picks)
    arguments = definition.args
    builder.follows = {
        "positional": follows and bool(arguments.defaults),
        "named": follows and any(it is not None for it in arguments.kw_defaults),
    }
    try:
        body = builder.rewritten()
    except RecursionError as error:
        raise NotTraceable(TOO_DEEP, definition.lineno) from error
    first_line = first_line_of(definition)
    return FunctionProgram(
        name=definition.name,
        qualname=definition.name if qualname is None else qualname,
        node=definition,
        first_line=first_line,
        factory=nest(definition, body, (HANDLE, *free_names)),
        free_names=tuple(free_names),
        handle=HANDLE,
        regions=tuple(builder.regions),
        lines=Lines(text, builder.guarded, {}).of(definition.body, "function"),
        loops=tuple(builder.loops),
        reaches=tuple(builder.reaches) if builder.tells else None,
        holds=builder.holds,
        picks=builder.picks,
        recurs=builder.recurs,
        follows=any(builder.follows.values()),
    )


def _held(handle: str, node: ast.stmt) -> ast.stmt:
    """Let results be late in a loop of a cell, as long as it runs.

    It is settled twice: an interrupt may strike where the first time begins.
    """
    place = point(node)
    parts = list(ast.walk(node))
    if not any(isinstance(part, (ast.For, ast.While)) for part in parts):
        return node  # outside loops each result is copied back once anyway
    if levels([node]) > DEEPEST or not may_hold([node], in_function=False):
        return node
    if not any(isinstance(part, ast.Attribute) and part.attr == "at" for part in parts):
        return node
    return within(attribute(load(handle, place), "late", place), [node], extent(node), times=2)


class _CellBuilder(Builder):
    scope: Scope = "module"

    def __init__(self, handle: str, text: SourceText, *, tells: bool) -> None:
        super().__init__(text, handle, tells=tells)
        self.handle = handle
        self.functions_tell = False
        self.functions: list[FunctionSource] = []

    def guard(self, region: Region, statement: Statement) -> ast.stmt:
        node, place = statement.node, point(statement.node)
        if node is self.displayed and isinstance(node, ast.Expr):
            result = ast.Attribute(load(self.handle, place), "result", ast.Store(), **place)
            body: ast.stmt = assign(result, clone(node.value), extent(node))
        else:
            body = clone(node)
        otherwise: list[ast.stmt] = []
        if isinstance(node, ast.AnnAssign):  # its annotation is evaluated whatever binds the name
            otherwise = [replaced(node, value=None)]
        return question(self.handle, region, statement, body, otherwise)

    def definition(self, node: ast.FunctionDef) -> ast.stmt:
        if node.decorator_list:
            return clone(node)
        try:
            program = build_function(
                node, text=self.text, tells=self.functions_tell, picks=self.picks
            )
        except NotTraceable:  # the report asks `stays_native` for the reason
            return clone(node)
        if not program.regions:
            return clone(node)
        index = len(self.functions)
        self.functions.append(
            FunctionSource(index, node.name, node.lineno, last_line(node), program)
        )
        place = point(node)
        decorator = ask(self.handle, "define", (index,), place)
        return replaced(node, decorator_list=[decorator])

    def function_lines(self) -> dict[int, tuple[int, tuple[Line, ...]]]:
        """Return index and lines of every compiled function, by its node."""
        return {
            id(function.program.node): (
                function.index,
                tuple(replace(line, function=function.index) for line in function.program.lines),
            )
            for function in self.functions
        }


class _ShownCellBuilder(_CellBuilder):
    scope: Scope = "shown"


class _FunctionBuilder(Builder):
    scope: Scope = "function"

    def __init__(self, node: ast.FunctionDef, text: SourceText, *, tells: bool) -> None:
        super().__init__(text, FRAME, tells=tells)
        self.node = node
        self.captured = deferred(node.body)
        calls = (part.func for part in descend(*node.body) if isinstance(part, ast.Call))
        named = any(isinstance(it, ast.Name) and it.id == node.name for it in calls)
        self.recurs = named and levels(node.body) < DEEPEST
        self.follows: dict[str, bool] = {}

    @property
    def holds(self) -> bool:
        """Whether the frame is told of everything, and of the end, however it comes."""
        body = self.node.body
        return self.tells and levels(body) < DEEPEST and may_hold(body, in_function=True)

    def rewritten(self) -> list[ast.stmt]:
        """Return the new body of the function."""
        node = self.node
        documented = int(has_docstring(node.body))
        body = self.body(node.body, self.captured | self.watched())
        if self.picks:
            own = local_names(node)
            self.picks = frozenset(it for it in self.picks if it.partition(".")[0] not in own)
            hand_on(body, self.picks, HANDLE, in_function=True)
        place = point(node)
        start = assign(store(FRAME, place), ask(HANDLE, "activate", (), place), place)
        rests = ast.Compare(load(FRAME, place), [ast.Is()], [constant(None, place)], **place)
        written = attribute(load(FRAME, place), "written", place)
        asked = [start, self.finished()]
        twin = self.twin()
        either = [ast.If(written, self.twin(), [], **place), *body[documented:]]
        return [
            *body[:documented],
            *declarations(node.body),
            *self.renewed(),
            *(self.deeper(asked) if self.recurs else self.spared(asked)),
            ast.If(rests, twin, [], **place),
            *(self.timed(either) if levels(node.body) < DEEPEST else either),
        ]

    def renewed(self) -> list[ast.stmt]:
        """Begin anew, where the function this was made from has been given other defaults."""
        place = point(self.node)
        fields = {"positional": "__defaults__", "named": "__kwdefaults__"}
        asked = [field for field in fields if self.follows.get(field)]
        if not asked:
            return []
        defaults = attribute(load(HANDLE, place), "defaults", place)
        source = attribute(defaults, "source", place)
        tests: list[ast.expr] = [
            ast.Compare(
                attribute(source, fields[field], place),
                [ast.IsNot()],
                [attribute(defaults, field, place)],
                **place,
            )
            for field in asked
        ]
        test = tests[0] if len(tests) == 1 else ast.BoolOp(ast.Or(), tests, **place)
        again = assign(store(FRAME, place), ask(HANDLE, "renewed", (), place), place)
        return [ast.If(test, [again, self.finished()], [], **place)]

    def twin(self) -> list[ast.stmt]:
        """What was written, up to a ``return``."""
        node = self.node
        twin = as_written(node.body[int(has_docstring(node.body)) :])
        if not twin or not isinstance(twin[-1], ast.Return):
            twin.append(ast.Return(value=None, **point(node.body[-1])))
        return twin

    def deeper(self, asked: list[ast.stmt]) -> list[ast.stmt]:
        """Run as it was written what calls itself, where the call around it does."""
        place = point(self.node)
        test = attribute(load(HANDLE, place), "within", place)
        rests = assign(store(FRAME, place), constant(None, place), place)
        return [ast.If(test, [rests], [*self.shortcut(), *asked], **place)]

    def spared(self, asked: list[ast.stmt]) -> list[ast.stmt]:
        """Run as it was written without asking how, where the handle has spared the call that."""
        place = point(self.node)
        left = attribute(load(HANDLE, place), "unasked", place)
        is_left = ast.Compare(left, [ast.Gt()], [constant(0, place)], **place)
        modules = attribute(load(HANDLE, place), "modules", place)
        alone = ast.Compare(constant("torch", place), [ast.NotIn()], [modules], **place)
        counted = ast.Attribute(load(HANDLE, place), "unasked", ast.Store(), **place)
        count = ast.AugAssign(counted, ast.Sub(), constant(1, place), **place)
        rests = assign(store(FRAME, place), constant(None, place), place)
        test = ast.BoolOp(ast.And(), [is_left, alone], **place)
        return [*self.shortcut(), ast.If(test=test, body=[count, rests], orelse=asked, **place)]

    def shortcut(self) -> list[ast.stmt]:
        """Have native code run the whole call, where the handle has some at hand."""
        place = point(self.node)

        def differs(other: ast.expr) -> ast.expr:
            return ast.Compare(load(FRAME, place), [ast.IsNot()], [other], **place)

        arguments: list[ast.expr] = [load(arg.arg, place) for arg in every_argument(self.node.args)]
        runs = assign(store(FRAME, place), call(load(FRAME, place), arguments, place), place)
        over = ast.Return(value=load(FRAME, place), **place)
        has_run = ast.If(differs(load(HANDLE, place)), [over], [], **place)
        offer = attribute(load(HANDLE, place), "native", place)
        return [
            assign(store(FRAME, place), offer, place),
            ast.If(differs(constant(None, place)), [runs, has_run], [], **place),
        ]

    def finished(self) -> ast.stmt:
        """Return what the handle has computed, when it has run the whole call."""
        place = point(self.node)
        runs = ast.Compare(load(FRAME, place), [ast.IsNot()], [constant(None, place)], **place)
        test = ast.BoolOp(ast.And(), [runs, attribute(load(FRAME, place), "done", place)], **place)
        made = ast.Return(value=attribute(load(FRAME, place), "result", place), **place)
        return ast.If(test=test, body=[made], orelse=[], **place)

    def timed(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Tell the frame when the call ends, however it does.

        Where results may be late it is told twice: an interrupt may strike where the
        first time begins.
        """
        place = point(self.node)
        return [within(load(FRAME, place), body, place, times=1 + self.holds)]

    def compound(self, node: ast.stmt, after: Names | None) -> ast.stmt:
        """Rewrite a statement that may hold others; declarations come first in the function."""
        if isinstance(node, ast.Global | ast.Nonlocal):
            return ast.Pass(**extent(node))
        return super().compound(node, after)

    def watched(self) -> Names:
        """Return all local names if something may look at them from outside."""
        for part in descend(self.node):
            name = part.id if isinstance(part, ast.Name) else getattr(part, "attr", None)
            if name in _WATCHERS:
                return local_names(self.node)
        return frozenset()

    def guard(self, region: Region, statement: Statement) -> ast.stmt:
        place = point(statement.node)
        taken = ask(FRAME, "take", (region.id, statement.index), place)
        names = region.taken(statement.index)
        otherwise: list[ast.stmt] = []
        if statement.kind == "return":
            otherwise = [ast.Return(value=taken, **place)]
        elif names:
            elements: list[ast.expr] = [store(name, place) for name in names]
            otherwise = [assign(ast.Tuple(elements, ast.Store(), **place), taken, place)]
        return question(FRAME, region, statement, clone(statement.node), otherwise)
