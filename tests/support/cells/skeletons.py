"""Hooks that perform the plain Python operation, and handles that run cells."""

from __future__ import annotations

import ast
import builtins
import collections
import functools
import itertools
import operator
import sys
import types
from collections.abc import Callable, Collection, Sequence
from typing import Any

from jupyter_npcompile.cell import (
    FRAME,
    HANDLE,
    CellProgram,
    FunctionProgram,
    Region,
    build_cell,
    function_code,
    region_code,
)

UNBOUND = object()
"""Stands for an input that has no value."""

BINARY = {
    "Add": operator.add,
    "Sub": operator.sub,
    "Mult": operator.mul,
    "MatMult": operator.matmul,
    "Div": operator.truediv,
    "FloorDiv": operator.floordiv,
    "Mod": operator.mod,
    "Pow": operator.pow,
    "LShift": operator.lshift,
    "RShift": operator.rshift,
    "BitOr": operator.or_,
    "BitXor": operator.xor,
    "BitAnd": operator.and_,
}
AUGMENTED = {
    "Add": operator.iadd,
    "Sub": operator.isub,
    "Mult": operator.imul,
    "MatMult": operator.imatmul,
    "Div": operator.itruediv,
    "FloorDiv": operator.ifloordiv,
    "Mod": operator.imod,
    "Pow": operator.ipow,
    "LShift": operator.ilshift,
    "RShift": operator.irshift,
    "BitOr": operator.ior,
    "BitXor": operator.ixor,
    "BitAnd": operator.iand,
}
UNARY = {"USub": operator.neg, "UAdd": operator.pos, "Invert": operator.invert}
COMPARED: dict[str, Callable[[Any, Any], Any]] = {
    "Eq": operator.eq,
    "NotEq": operator.ne,
    "Lt": operator.lt,
    "LtE": operator.le,
    "Gt": operator.gt,
    "GtE": operator.ge,
    "Is": operator.is_,
    "IsNot": operator.is_not,
    "In": lambda left, right: left in right,
    "NotIn": lambda left, right: left not in right,
}


class Hooks:
    """Performs every operation as Python would."""

    slice = staticmethod(slice)

    def __init__(self, bind: Callable[[str, Any], None] = lambda name, value: None) -> None:
        self._bind = bind
        self.statements: list[int] = []
        self.positions: list[tuple[str, tuple[int, int]]] = []

    def _at(self, hook: str, at: tuple[int, int]) -> None:
        self.positions.append((hook, at))

    def name(self, name: str, value: Any, /) -> Any:
        if value is UNBOUND:
            raise NameError(f"name {name!r} is not defined")
        return value

    def call(self, at: tuple[int, int], function: Any, /, *args: Any, **kwargs: Any) -> Any:
        self._at("call", at)
        return function(*args, **kwargs)

    def attribute(self, at: tuple[int, int], obj: Any, name: str, /) -> Any:
        self._at("attribute", at)
        return getattr(obj, name)

    def subscript(self, at: tuple[int, int], obj: Any, index: Any, /) -> Any:
        self._at("subscript", at)
        return obj[index]

    def binary(self, at: tuple[int, int], op: str, left: Any, right: Any, /) -> Any:
        self._at("binary", at)
        return BINARY[op](left, right)

    def unary(self, at: tuple[int, int], op: str, value: Any, /) -> Any:
        self._at("unary", at)
        return UNARY[op](value)

    def compare(self, at: tuple[int, int], op: str, left: Any, right: Any, /) -> Any:
        self._at("compare", at)
        return COMPARED[op](left, right)

    def truth(self, at: tuple[int, int], value: Any, /) -> bool:
        self._at("truth", at)
        return bool(value)

    def iterate(self, at: tuple[int, int], value: Any, /) -> Any:
        self._at("iterate", at)
        return iter(value)

    def unpack(self, at: tuple[int, int], value: Any, count: int, star: int | None, /) -> Any:
        self._at("unpack", at)
        names = [f"t{i}" for i in range(count)]
        targets = [f"*{name}" if i == star else name for i, name in enumerate(names)]
        scope: dict[str, Any] = {"value": value}
        left, right = f"[{', '.join(targets)}]", f"({', '.join(names)}{',' if names else ''})"
        exec(f"{left} = value\nresult = {right}", scope)
        return scope["result"]

    def store(self, at: tuple[int, int], obj: Any, index: Any, value: Any, /) -> None:
        self._at("store", at)
        obj[index] = value

    def augment(self, at: tuple[int, int], op: str, left: Any, right: Any, /) -> Any:
        self._at("augment", at)
        return AUGMENTED[op](left, right)

    def format(self, at: tuple[int, int], value: Any, conversion: str | None, spec: str, /) -> str:
        self._at("format", at)
        convert: dict[str | None, Callable[[Any], Any]] = {
            None: lambda value: value,
            "s": str,
            "r": repr,
            "a": ascii,
        }
        return format(convert[conversion](value), spec)

    def statement(self, index: int, /) -> None:
        self.statements.append(index)

    def bind(self, index: int, name: str, value: Any, /) -> None:
        assert index == self.statements[-1]
        self._bind(name, value)


class Around(tuple["Loops", int]):
    """Is told that a loop is over."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        frame, loop = self
        frame.drop(loop)


class Loops:
    """What guarded loops ask of their frame; they stay what they are."""

    iter = iter

    around = Around

    done = False

    def __init__(self) -> None:
        self.plain: Any = collections.defaultdict(bool)
        self.iterators: dict[int, Any] = {}
        self.written = self.over = False
        self.leaves = True
        self.ended = False
        self.lengths: dict[int, int] = {}

    def keep(self, loop: int, iterator: Any) -> Any:
        assert loop not in self.iterators
        self.iterators[loop] = iterator
        return iterator

    def begin(self, loop: int, iterator: Any = None) -> bool:
        if iterator is not None:
            self.keep(loop, iterator)
        self.over = False
        return False

    def native(self, loop: int) -> bool:
        self.over, self.leaves = False, True
        return False

    def rest(self, loop: int) -> Any:
        return self.iterators[loop]

    alone = rest

    def chunk(self, loop: int) -> Any:
        self.lengths[loop] = self.lengths.get(loop, 0) + 1
        return itertools.islice(
            self.iterators.get(loop, itertools.repeat(None)), self.lengths[loop] % 3 + 1
        )

    def back(self, loop: int) -> bool:
        return True

    def skips(self, loop: int) -> bool:
        return False

    forgets = skips

    def drop(self, loop: int) -> None:
        self.iterators.pop(loop, None)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        assert not self.iterators
        self.ended = True


class Native(Loops):
    """A handle whose answer is always to run the statement natively."""

    def __init__(self, program: CellProgram | None = None, filename: str = "<cell>") -> None:
        super().__init__()
        self.program = program
        self.filename = filename
        self.result: Any = None
        self.asked: list[tuple[int, int]] = []

    def at(self, region: int, index: int) -> bool:
        self.asked.append((region, index))
        return True

    def take(self, region: int, index: int) -> Any:
        raise AssertionError("nothing was skipped")

    def define(self, index: int) -> Callable[[types.FunctionType], types.FunctionType]:
        assert self.program is not None
        program = self.program.functions[index].program
        return functools.partial(compiled, program, handle=self.handle_for(program))

    def handle_for(self, program: FunctionProgram) -> Any:
        native = Native(self.program, self.filename)
        return types.SimpleNamespace(native=None, within=False, unasked=0, activate=lambda: native)


class Late(dict[int, bool]):
    """Says no so often for each loop, then yes."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self.after = after
        self.asked: collections.Counter[int] = collections.Counter()

    def __missing__(self, loop: int) -> bool:
        self.asked[loop] += 1
        return self.asked[loop] > self.after


class Switching(Native):
    """A handle that goes on in the twin of each loop after so many iterations.

    Functions run in their twins two of three times, and are timed in one of them.
    """

    def __init__(self, program: CellProgram, filename: str, after: int) -> None:
        super().__init__(program, filename)
        self.after = after
        self.plain = Late(after)

    def handle_for(self, program: FunctionProgram) -> Any:
        assert self.program is not None
        cell, turns = self.program, itertools.count()

        def activate() -> Switching | None:
            turn = next(turns) % 3
            if turn == 0:
                return None
            frame = Switching(cell, self.filename, self.after)
            frame.written = turn == 2
            return frame

        return types.SimpleNamespace(native=None, within=False, unasked=0, activate=activate)


class Replay(Native):
    """A handle that runs instrumented regions with plain hooks.

    Parameters
    ----------
    program : CellProgram
        The cell.
    namespace : dict
        Its global names.
    step : int
        Number of statements a segment covers; 0 for all.
    """

    def __init__(
        self, program: CellProgram, namespace: dict[str, Any], filename: str, step: int = 0
    ) -> None:
        super().__init__(program, filename)
        self.namespace = namespace
        self.step = step
        self.segment: tuple[int, int, int] | None = None

    def at(self, region: int, index: int) -> bool:
        assert self.program is not None
        self.run(self.program.regions[region], index, self.namespace)
        return False

    def run(
        self, region: Region, index: int, values: dict[str, Any], own: Collection[str] = ()
    ) -> dict[str, Any]:
        """Run the segment that starts at `index`, unless one covers it."""
        if self.segment is not None and self.segment[0] == region.id:
            first, stop = self.segment[1:]
            if first < index < stop:
                return {}
        stop = min(index + (self.step or 99), len(region.statements))
        self.segment = region.id, index, stop
        made = region_code(region, index, self.filename, stop)
        local: dict[str, Any] = {}

        def bind(name: str, value: Any) -> None:
            if name == "<display>":
                self.result = value
            elif region.scope == "module":
                self.namespace[name] = value
            local[name] = value

        inputs = [look_up(name, values, self.namespace, own) for name in made.parameters]
        hooks = Hooks(bind)
        types.FunctionType(made.code, {"__builtins__": {}})(hooks, *inputs)
        assert hooks.statements == list(range(index, stop))
        return local

    def handle_for(self, program: FunctionProgram) -> Any:
        return types.SimpleNamespace(
            native=None, within=False, unasked=0, activate=lambda: ReplayFrame(self, program)
        )


class ReplayFrame(Loops):
    """State of one call of a compiled function that is replayed."""

    def __init__(self, handle: Replay, program: FunctionProgram) -> None:
        super().__init__()
        self.handle, self.function = handle, program
        self.values: dict[str, Any] = {}
        assert handle.program is not None
        self.runner = Replay(handle.program, handle.namespace, handle.filename, handle.step)

    def at(self, region: int, index: int) -> bool:
        frame = sys._getframe(1)
        code = frame.f_code
        own = {*code.co_varnames, *code.co_cellvars, *code.co_freevars}
        found = self.runner.run(self.function.regions[region], index, frame.f_locals, own)
        self.values.update(found)
        return False

    def take(self, region: int, index: int) -> Any:
        part = self.function.regions[region]
        if part.statements[index].kind == "return":
            return self.values["<return>"]
        return tuple(self.values[name] for name in part.taken(index))


def look_up(
    name: str, values: dict[str, Any], namespace: dict[str, Any], own: Collection[str]
) -> Any:
    """Return the value of `name`; names of the function itself are never global."""
    for place in (values,) if name in own else (values, namespace, vars(builtins)):
        if name in place:
            return place[name]
    return UNBOUND


def compiled(
    program: FunctionProgram, native: types.FunctionType, *, handle: Any
) -> types.FunctionType:
    """Return `native` with the code of its skeleton."""
    code = function_code(program, native.__code__.co_filename, native.__code__.co_flags)
    cells = dict(zip(native.__code__.co_freevars, native.__closure__ or (), strict=True))
    cells[HANDLE] = types.CellType(handle)
    function = types.FunctionType(
        code,
        native.__globals__,
        native.__name__,
        native.__defaults__,
        tuple(cells[name] for name in code.co_freevars),
    )
    function.__kwdefaults__ = native.__kwdefaults__
    return function


def run_tree(tree: ast.Module, filename: str, namespace: dict[str, Any]) -> Any:
    """Run a cell as IPython does and return what its last expression displays."""
    body: Sequence[ast.stmt] = tree.body
    last = body[-1] if body else None
    if isinstance(last, ast.Expr):
        body = body[:-1]
    exec(compile(ast.Module(list(body), []), filename, "exec", dont_inherit=True), namespace)
    if not isinstance(last, ast.Expr):
        return None
    return eval(compile(ast.Expression(last.value), filename, "eval"), namespace)


def run_cell(
    source: str,
    namespace: dict[str, Any],
    *,
    filename: str = "<cell>",
    step: int | None = None,
    switch: int | None = None,
) -> Any:
    """Run a cell through its skeleton; `step` None runs every statement natively.

    Then `switch` says after how many iterations loops go on in their twins.
    """
    program = build_cell(ast.parse(source), source, handle="__handle__")
    handle = Native(program, filename)
    if step is not None:
        handle = Replay(program, namespace, filename, step)
    elif switch is not None:
        handle = Switching(program, filename, switch)
    namespace["__handle__"] = handle
    try:
        return run_tree(program.tree, filename, namespace)
    finally:
        del namespace["__handle__"]
        assert FRAME not in namespace
