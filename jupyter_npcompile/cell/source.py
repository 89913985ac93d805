"""The syntax tree of a function that already exists.

Lines and columns are those of the file (or cell) the function was read from,
and the tree is checked against the function's code: a file that was changed
after it was imported must not be traced in place of what is loaded.
"""

from __future__ import annotations

import ast
import contextlib
import dis
import functools
import inspect
import linecache
import sys
import types
from collections.abc import Iterator

from jupyter_npcompile.cell.factory import nest, nested_code, parsed
from jupyter_npcompile.cell.syntax import FUNCTIONS, SourceText, as_definition, clone, is_private
from jupyter_npcompile.dataclass import dataclass


class SourceUnavailable(Exception):  # noqa: N818 - it names a state, not a mistake
    """A function whose source cannot be had, with the reason.

    Parameters
    ----------
    reason : str
        A short reason, for the report.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True, eq=False)
class Definition:
    """Where and how a function is written.

    Parameters
    ----------
    node : ast.FunctionDef or ast.Lambda
        Its definition, with lines and columns of the file.
    text : SourceText
        The file.
    filename : str
        Name of the file or cell.
    """

    node: ast.FunctionDef | ast.Lambda
    text: SourceText
    filename: str


def definition(function: object) -> Definition:
    """Return the definition of a Python function, method or lambda.

    Parameters
    ----------
    function : object
        A function; for a bound method its function is taken.

    Raises
    ------
    SourceUnavailable
        If it is no Python function, its source cannot be found, or the
        source is not what the function was compiled from.

    Examples
    --------
    >>> import textwrap
    >>> definition(textwrap.dedent).node.name
    'dedent'
    >>> try:
    ...     definition(len)
    ... except SourceUnavailable as error:
    ...     print(error)
    not written in Python
    """
    if isinstance(function, types.MethodType):
        function = function.__func__
    if not isinstance(function, types.FunctionType):
        raise SourceUnavailable("not written in Python")
    code = function.__code__
    if code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        raise SourceUnavailable("asynchronous function")
    lines = tuple(linecache.getlines(code.co_filename, function.__globals__))
    if not lines or code.co_firstlineno > len(lines):
        raise SourceUnavailable(f"no source text for {code.co_filename}")
    text = _text(lines)
    if code.co_name == "<lambda>":
        return Definition(_lambda(code, lines, text), text, code.co_filename)
    return Definition(_function(code, lines), text, code.co_filename)


@functools.lru_cache(maxsize=64)
def _text(lines: tuple[str, ...]) -> SourceText:
    return SourceText(tuple(line.rstrip("\r\n") for line in lines))


def _function(code: types.CodeType, lines: tuple[str, ...]) -> ast.FunctionDef:
    first = code.co_firstlineno
    tree = _parse_block(lines, first) or _parse_file(lines)
    for node in _functions_at(tree, first):
        if node.name == code.co_name and isinstance(node, ast.FunctionDef):
            if _is_source_of(node, code) or _has_rewritten_asserts(code):
                return node
            if any(_has_private_name(part) for part in ast.walk(node)):
                raise SourceUnavailable("uses names private to its class")
            break
    raise SourceUnavailable("its source has changed since it was defined")


def _has_rewritten_asserts(code: types.CodeType) -> bool:
    """Whether pytest has put code of its own in the place of ``assert`` statements."""
    return "@pytest_ar" in code.co_names


def _has_private_name(node: ast.AST) -> bool:
    name = getattr(node, "attr", getattr(node, "id", ""))
    return isinstance(name, str) and is_private(name)


def _parse_block(lines: tuple[str, ...], first: int) -> ast.Module | None:
    """Parse an indented block without moving it: columns stay those of the file.

    It ends before a line that is not indented further, unless that stands
    within a string or brackets: then what comes before it is no program.
    """
    indent = _indent(lines[first - 1])
    if indent and first == 1:
        return None  # no line is left for what it is indented under
    head = "\n" * (first - 2) + "if 1:\n" if indent else "\n" * (first - 1)
    for end in range(first, len(lines) + 1):
        line = lines[end] if end < len(lines) else ""
        if end < len(lines) and (_is_blank(line) or _indent(line) > indent):
            continue
        with contextlib.suppress(SyntaxError):
            return parsed(head + "".join(lines[first - 1 : end]))
    return None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_blank(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


@functools.lru_cache(maxsize=16)
def _parse_file(lines: tuple[str, ...]) -> ast.Module:
    try:
        return parsed("".join(lines))
    except SyntaxError as error:
        raise SourceUnavailable("its source is not plain Python") from error


def _functions_at(tree: ast.AST, first: int) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, FUNCTIONS):
            heads = (node, *node.decorator_list)
            if min([head.lineno for head in heads]) == first:
                yield node


@functools.lru_cache(maxsize=16)
def _lambdas(lines: tuple[str, ...]) -> tuple[ast.Lambda, ...]:
    """All of a file: a lambda is often made anew for each call of what it is written in."""
    return tuple(node for node in ast.walk(_parse_file(lines)) if isinstance(node, ast.Lambda))


def _lambda(code: types.CodeType, lines: tuple[str, ...], text: SourceText) -> ast.Lambda:
    """Find a lambda by its first line and, if several start there, by its columns."""
    found = [node for node in _lambdas(lines) if node.lineno == code.co_firstlineno]
    found = [node for node in found if _is_source_of(node, code)]
    if len(found) > 1:
        found = [node for node in found if _spans(node.body, code)]
    if len(found) != 1:
        reason = "several lambdas on its line" if found else "source not found at its line"
        raise SourceUnavailable(reason)
    return found[0]


def _spans(body: ast.expr, code: types.CodeType) -> bool:
    """Tell whether the positions in `code` are those of `body` as a whole."""
    positions = [part for part in code.co_positions() if None not in part]
    whole = (body.lineno, body.end_lineno, body.col_offset, body.end_col_offset)
    return whole in positions and all(
        (body.lineno, body.col_offset) <= (line or 0, column or 0)
        for line, _, column, _ in positions
        if line != code.co_firstlineno or column
    )


def _is_source_of(node: ast.FunctionDef | ast.Lambda, code: types.CodeType) -> bool:
    """Tell whether `node` compiles to the instructions of `code`."""
    written = as_definition(node)
    factory = nest(written, [clone(statement) for statement in written.body], code.co_freevars)
    try:
        compiled = nested_code(factory, written.name, code.co_filename, code.co_flags)
    except (SyntaxError, LookupError):
        return False
    return _same(compiled, code)


def _same(left: types.CodeType, right: types.CodeType) -> bool:
    """Compare what two code objects do, not where they stand."""
    if (
        left.co_names != right.co_names
        or left.co_varnames != right.co_varnames
        or left.co_freevars != right.co_freevars
        or len(left.co_consts) != len(right.co_consts)
    ):
        return False
    for one, other in zip(left.co_consts, right.co_consts, strict=True):
        if isinstance(one, types.CodeType) and isinstance(other, types.CodeType):
            if not _same(one, other):
                return False
        elif _exact(one) != _exact(other):
            return False
    return (
        left.co_code == right.co_code
        or _numbers(left) == _numbers(right)
        or _instructions(left) == _instructions(right)
    )


def _numbers(code: types.CodeType) -> list[tuple[int, int]]:
    """Much faster than `_instructions`, for code whose names and constants are the same."""
    listed: list[tuple[int, int]] = []
    high = 0
    for operation, low in zip(code.co_code[::2], code.co_code[1::2], strict=True):
        argument = high << 8 | low
        high = argument if operation == dis.EXTENDED_ARG else 0
        if operation not in _SKIPPED:
            alike = _METHOD if operation == _ATTRIBUTE else operation
            argument >>= _FLAGS.get(operation, 0)
            listed.append((alike, 0 if operation in _JUMPS else argument))
    return listed


def _exact(value: object) -> object:
    """Return something equal only for the same constants: 1, 1.0 and True differ."""
    if isinstance(value, tuple):
        return tuple(_exact(item) for item in value)
    if isinstance(value, frozenset):
        return frozenset(_exact(item) for item in value)
    return type(value), repr(value)


def _instructions(code: types.CodeType) -> list[tuple[str, object]]:
    """List the instructions in a form that does not depend on the module around them.

    The compiler loads ``re.sub`` of an imported ``re`` as an attribute and
    ``x.sub`` of another ``x`` as a method, which moves the jump targets too.
    """
    listed: list[tuple[str, object]] = []
    for instruction in dis.get_instructions(code):
        name, argument = instruction.opname, instruction.argval
        if name in _UNIMPORTANT:
            continue
        if instruction.opcode in _JUMPS:
            argument = None
        elif isinstance(argument, types.CodeType):
            argument = argument.co_name
        listed.append(("LOAD_ATTR" if name == "LOAD_METHOD" else name, _exact(argument)))
    return listed


_JUMPS = frozenset(dis.hasjrel) | frozenset(dis.hasjabs)
_UNIMPORTANT = ("CACHE", "PUSH_NULL", "PRECALL", "EXTENDED_ARG", "NOP")
_SKIPPED = frozenset(dis.opmap[name] for name in _UNIMPORTANT if name in dis.opmap) | {0}
_ATTRIBUTE = dis.opmap["LOAD_ATTR"]
_METHOD = dis.opmap.get("LOAD_METHOD", _ATTRIBUTE)
_FLAGS = {dis.opmap["LOAD_GLOBAL"]: 1, _ATTRIBUTE: int(sys.version_info >= (3, 12))}
"""Bits of an argument that say whether what is loaded is called."""
