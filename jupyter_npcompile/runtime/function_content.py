"""What a function is, with all that it reads: whether two of them are interchangeable.

A function that is sent to another process arrives as a new one, with new global names, each
time. Where nothing but constants, modules and functions can be reached from it, and it binds none
of them anew, what has been compiled for the one that came first serves those after it.
"""

from __future__ import annotations

import hashlib
import opcode
import sys
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from jupyter_npcompile.cell.factory import every_code
from jupyter_npcompile.runtime.kept_code import KeptCodeError, digest_of, text_of_constant
from jupyter_npcompile.tracer.sources import as_defined

DEEPEST = 8
"""Functions that are read from each other, at the most."""

_BINDS = frozenset(
    opcode.opmap[f"{what}_{where}"]
    for what in ("STORE", "DELETE")
    for where in ("GLOBAL", "NAME", "ATTR")
)
"""What binds global names, or attributes, which functions have, too."""

_REACHES = frozenset(
    {"setattr", "delattr", "globals", "vars", "exec", "eval", "__dict__", "__globals__"}
)
"""Names of what may do the same."""

_BINDS_AROUND = frozenset(opcode.opmap[name] for name in ("STORE_DEREF", "DELETE_DEREF"))

_SHARED = (type, types.BuiltinFunctionType, np.ufunc)
"""What is the same object wherever it is read from, and holds nothing of the user's."""


def content_of(function: types.FunctionType) -> bytes | None:
    """A digest of a function and of what it reads; None where something may change.

    It holds as long as somebody keeps the function: classes count by their identity.

    Examples
    --------
    >>> def made(by):
    ...     return lambda x: by * x
    >>> content_of(made(2)) == content_of(made(2)), content_of(made(2)) == content_of(made(2.0))
    (True, False)
    >>> content_of(made([2])) is None
    True
    """
    found = hashlib.sha256()
    try:
        for part in _parts(function, function.__globals__, {}):
            found.update(f"{len(part)} ".encode() + part)
    except (KeptCodeError, RecursionError):
        return None
    return found.digest()


def _parts(
    function: types.FunctionType, names: dict[str, Any], seen: dict[int, int]
) -> Iterator[bytes]:
    """All that tells a function from others; those that were met have numbers."""
    written = as_defined(function)
    if written is not function:
        yield b"compiled"
    if id(written) in seen:
        yield f"again {seen[id(written)]}".encode()
        return
    seen[id(written)] = len(seen)
    if len(seen) > DEEPEST or vars(written) or vars(function).keys() - {"__wrapped__"}:
        raise KeptCodeError("functions with attributes, or too many")
    for default in (*(written.__defaults__ or ()), *(written.__kwdefaults__ or {}).values()):
        text_of_constant(default, is_fixed=True)
    code = written.__code__
    yield digest_of(written)
    yield f"{code.co_firstlineno} ".encode() + code.co_linetable
    reads = set[str]()
    for one in every_code(code):
        operations = set(one.co_code[::2])
        binds = operations & _BINDS or (one.co_freevars and operations & _BINDS_AROUND)
        if binds or _REACHES.intersection(one.co_names):
            raise KeptCodeError("a name around it is bound anew")
        reads.update(one.co_names)
    values = dict(zip(code.co_freevars, written.__closure__ or (), strict=True))
    for name, cell in values.items():
        try:
            value = cell.cell_contents
        except ValueError:
            raise KeptCodeError(f"`{name}` is not bound") from None
        yield name.encode()
        yield from _value(value, names, seen)
    around = written.__globals__
    for name in sorted(reads):
        if name in around:
            yield name.encode()
            yield from _value(around[name], names, seen)


def _value(value: Any, names: dict[str, Any], seen: dict[int, int]) -> Iterator[bytes]:
    if type(value) is types.FunctionType and value.__globals__ is names:
        yield from _parts(value, names, seen)
    elif isinstance(value, types.ModuleType):
        yield f"module {value.__name__} {id(value)}".encode()
    elif isinstance(value, type) and not _is_imported(value):
        raise KeptCodeError("a class that came along: its methods may bind names anew")
    elif isinstance(value, (*_SHARED, types.FunctionType)) or (
        getattr(value, "__module__", None) == "numpy" and callable(value)
    ):
        yield f"object {id(value)}".encode()
    else:
        yield text_of_constant(value, is_fixed=True).encode("utf-8", "surrogatepass")


def _is_imported(kind: type) -> bool:
    """Whether a class is one of a module, for all functions that arrive."""
    module = sys.modules.get(kind.__module__)
    return kind.__module__ != "__main__" and getattr(module, kind.__name__, None) is kind
