"""Code of a function whose handle is a free variable.

A rewritten function is compiled inside a factory function. The parameters of
the factory are its free variables, so the code can be joined with the
closure cells of the original function and one more cell for the handle.
"""

from __future__ import annotations
import __future__

import ast
import contextlib
import inspect
import types
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar, cast

from jupyter_npcompile.cell.program import FunctionProgram
from jupyter_npcompile.cell.syntax import (
    bare_arguments,
    constant,
    define,
    extent,
    parameters,
    point,
)

Made = TypeVar("Made")

FACTORY = "__factory__"
"""Name of the function that the code is nested in."""


def nest(node: ast.FunctionDef, body: list[ast.stmt], outer: Sequence[str]) -> ast.Module:
    """Return a module with `node`, given a new body, inside a factory function.

    The parameters `outer` of the factory are free variables of the function.
    Its own name stays global unless it is among them, as a function that
    calls itself expects. Defaults and annotations are left out, and of decorators
    all but the place where code begins for Python: nothing of this is ever run.
    """
    inner = define(node.name, bare_arguments(node.args), body, extent(node))
    inner.decorator_list = [constant(None, point(it)) for it in node.decorator_list]
    statements: list[ast.stmt] = [inner]
    if node.name not in outer:
        statements.insert(0, ast.Global(names=[node.name], **point(node)))
    factory = define(FACTORY, parameters(outer, point(node)), statements, extent(node))
    return ast.Module(body=[factory], type_ignores=[])


def function_code(program: FunctionProgram, filename: str, flags: int = 0) -> types.CodeType:
    """Compile a function program and return the code of the function.

    Parameters
    ----------
    program : FunctionProgram
        The function's skeleton.
    filename : str
        File name for tracebacks.
    flags : int
        ``co_flags`` of the original code; ``__future__`` features are kept.

    Returns
    -------
    types.CodeType
        Its ``co_freevars`` are those of the original code and the handle's
        name, as far as the function uses them.
    """
    code = nested_code(program.factory, program.name, filename, flags)
    return _requalified(code, code.co_qualname, program.qualname)


def nested_code(factory: ast.Module, name: str, filename: str, flags: int = 0) -> types.CodeType:
    """Compile a module made by `nest` and return the code of its function."""
    module = compiled(factory, filename, flags & _FUTURE)
    outer = code_named(module, FACTORY)
    code = code_named(outer, name)
    nested = (code.co_flags & ~inspect.CO_NESTED) | (flags & inspect.CO_NESTED)
    return code.replace(co_flags=nested)


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Ignore warnings without `warnings.catch_warnings`.

    That makes Python forget which warnings were shown, so that a warning of
    the user's loop would be shown once more for each time we compile.
    """
    filters = cast("list[object]", warnings.filters)
    entry = ("ignore", None, Warning, None, 0)
    filters.insert(0, entry)
    try:
        yield
    finally:
        if entry in filters:
            filters.remove(entry)


def _if_undisturbed(make: Callable[[], Made]) -> Made:
    """Do it, once more where another thread has done the same meanwhile.

    Python 3.11 counts the depth of trees in one place for all threads, and raises then.
    """
    try:
        return make()
    except SystemError:
        return make()


def compiled(tree: ast.Module, filename: str, flags: int = 0) -> types.CodeType:
    """Compile a module without the warnings that its source has given already."""
    with _silence():
        code: types.CodeType = _if_undisturbed(
            lambda: compile(tree, filename, "exec", flags=flags, dont_inherit=True)
        )
    return code


def parsed(source: str) -> ast.Module:
    """Parse a module without the warnings that it has given already."""
    with _silence():
        return _if_undisturbed(lambda: ast.parse(source))


def every_code(code: types.CodeType) -> Iterator[types.CodeType]:
    """A code object, and those of the functions and comprehensions in it.

    Examples
    --------
    >>> code = (lambda x: [lambda: y for y in x]).__code__
    >>> {one.co_name for one in every_code(code)} >= {"<lambda>"}
    True
    """
    yield code
    for value in code.co_consts:
        if isinstance(value, types.CodeType):
            yield from every_code(value)


def code_named(code: types.CodeType, name: str) -> types.CodeType:
    """Return the code object `name` among the constants of `code`."""
    for value in code.co_consts:
        if isinstance(value, types.CodeType) and value.co_name == name:
            return value
    raise LookupError(f"no code named {name}")


def moved(code: types.CodeType, filename: str) -> types.CodeType:
    """Return code as if it had been compiled for a file of another name, nested scopes included.

    Examples
    --------
    >>> code = compile("f = lambda: 1", "a", "exec")
    >>> again = moved(code, "b")
    >>> again.co_filename, again.co_consts[0].co_filename, again is code
    ('b', 'b', False)
    """
    constants = tuple(
        moved(value, filename) if isinstance(value, types.CodeType) else value
        for value in code.co_consts
    )
    return code.replace(co_filename=filename, co_consts=constants)


def _requalified(code: types.CodeType, old: str, new: str) -> types.CodeType:
    """Return `code` with its qualified name and those of nested scopes changed."""
    constants = tuple(
        _requalified(value, old, new)
        if isinstance(value, types.CodeType) and value.co_qualname.startswith(old + ".")
        else value
        for value in code.co_consts
    )
    return code.replace(co_qualname=new + code.co_qualname[len(old) :], co_consts=constants)


def _future_flags() -> int:
    """Return the compiler flags of all ``__future__`` features."""
    flags = 0
    for name in __future__.all_feature_names:
        flags |= getattr(__future__, name).compiler_flag
    return flags & ~inspect.CO_NESTED  # shares its bit with nested_scopes


_FUTURE = _future_flags()
