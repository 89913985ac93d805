"""What a cell might do outside its names: then it must not run a second time for a trial."""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Mapping
from typing import Any

import numpy as np

from jupyter_npcompile.cell import SourceUnavailable, definition

_BUILTINS = frozenset(
    (
        "abs",
        "all",
        "any",
        "ascii",
        "bin",
        "bool",
        "bytes",
        "bytearray",
        "callable",
        "chr",
        "complex",
        "dict",
        "divmod",
        "enumerate",
        "filter",
        "float",
        "format",
        "frozenset",
        "getattr",
        "hasattr",
        "hash",
        "hex",
        "id",
        "int",
        "isinstance",
        "issubclass",
        "iter",
        "len",
        "list",
        "map",
        "max",
        "memoryview",
        "min",
        "next",
        "object",
        "oct",
        "ord",
        "pow",
        "print",
        "range",
        "repr",
        "reversed",
        "round",
        "set",
        "slice",
        "sorted",
        "str",
        "sum",
        "super",
        "tuple",
        "type",
        "zip",
    )
)
"""Builtins that change nothing; what they print is caught."""

_MODULES = frozenset(
    (
        "bisect",
        "cmath",
        "collections",
        "copy",
        "dataclasses",
        "decimal",
        "fractions",
        "functools",
        "heapq",
        "itertools",
        "math",
        "numbers",
        "numpy",
        "operator",
        "random",
        "re",
        "scipy",
        "statistics",
        "string",
        "textwrap",
        "time",
        "typing",
    )
)
"""Modules whose functions change nothing but what they are given, and random numbers."""

_REACHING = frozenset(
    (
        "dump",
        "fromfile",
        "load",
        "loadtxt",
        "loadmat",
        "memmap",
        "open_memmap",
        "savemat",
        "save",
        "savetxt",
        "savez",
        "savez_compressed",
        "sleep",
        "tofile",
        "whosbest",
    )
)
"""Functions of theirs that read or write files, or wait."""

_METHODS = frozenset(
    name
    for kind in (
        np.ndarray,
        np.ufunc,
        np.random.Generator,
        np.random.RandomState,
        list,
        dict,
        set,
        str,
    )
    for name in dir(kind)
) | frozenset(dir(tuple) + dir(float) + dir(int))
"""Methods that may be called on what is only known when the cell runs."""

_DEPTH = 6
"""How far functions that call functions are followed."""


def effect(tree: ast.AST, namespace: Mapping[str, Any]) -> str:
    """Say what of some code might reach the world; empty when nothing is found.

    Parameters
    ----------
    tree : ast.AST
        The code.
    namespace : mapping
        What its names mean.

    Examples
    --------
    >>> effect(ast.parse("x = np.ones(3); print(x.sum())"), {"np": np})
    ''
    >>> effect(ast.parse("np.save('x.npy', x)"), {"np": np})
    'line 1 calls np.save, which may do something outside the cell'
    """
    return _Search(namespace).of(tree, _DEPTH)


class _Search:
    def __init__(self, namespace: Mapping[str, Any]) -> None:
        self.namespace = namespace
        self.defined: set[str] = set()
        self.seen: set[int] = set()

    def of(self, tree: ast.AST, depth: int) -> str:
        """The first effect in a piece of code."""
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
                self.defined.add(node.name)
            elif isinstance(node, ast.Assign) and self._makes_function(node.value):
                self.defined |= {t.id for t in node.targets if isinstance(t, ast.Name)}
        for node in ast.walk(tree):
            line = getattr(node, "lineno", 0)
            if isinstance(node, ast.Await | ast.AsyncFor | ast.AsyncWith):
                return f"line {line} awaits something"
            if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
                owner = self._value(node.value)
                if isinstance(owner, types.ModuleType):
                    return f"line {line} changes the module {owner.__name__}"
            if isinstance(node, ast.Call) and not self._is_harmless(node.func, depth):
                name = ast.unparse(node.func)
                short = name if len(name) < 40 else f"{name[:39]}…"
                return f"line {line} calls {short}, which may do something outside the cell"
        return ""

    def _makes_function(self, node: ast.expr) -> bool:
        """Whether a value is a function that is written there, or one of them vectorized."""
        vectorizes = isinstance(node, ast.Call) and self._value(node.func) is np.vectorize
        return vectorizes or isinstance(node, ast.Lambda)

    def _is_harmless(self, function: ast.expr, depth: int) -> bool:
        if isinstance(function, ast.Name) and function.id in self.defined:
            return True  # its body is searched as part of the code
        value = self._value(function)
        if value is _UNKNOWN:
            if isinstance(function, ast.Attribute):
                return function.attr in _METHODS and function.attr not in _REACHING
            return not isinstance(function, ast.Name)  # f(x)(y): f is looked at
        return self._is_known(value, depth)

    def _value(self, node: ast.expr) -> Any:
        """What a name, or an attribute of a module, means."""
        if isinstance(node, ast.Name):
            return self.namespace.get(node.id, getattr(builtins, node.id, _UNKNOWN))
        if isinstance(node, ast.Attribute):
            owner = self._value(node.value)
            if isinstance(owner, types.ModuleType | type):
                return getattr(owner, node.attr, _UNKNOWN)
            if owner is not _UNKNOWN and not isinstance(owner, _DATA):
                return getattr(type(owner), node.attr, None)
        return _UNKNOWN

    def _is_known(self, value: Any, depth: int) -> bool:
        name = getattr(value, "__name__", "")
        if isinstance(value, type) and issubclass(value, BaseException):
            return True
        if isinstance(value, types.BuiltinFunctionType | type) and value.__module__ == "builtins":
            return name in _BUILTINS
        module = str(getattr(value, "__module__", None) or type(value).__module__)
        if isinstance(value, np.ufunc | np.vectorize):
            inner = getattr(value, "pyfunc", None)
            found = getattr(inner, "__name__", "") in self.defined
            return inner is None or found or self._is_known(inner, depth)
        if module == "matplotlib.pyplot":
            return name not in ("savefig", "imsave", "switch_backend", "pause", "ginput")
        if module.partition(".")[0].lstrip("_") in _MODULES:  # parts in C begin with one
            return name not in _REACHING
        if module == "builtins" or isinstance(value, types.MethodDescriptorType):
            return name in _METHODS and name not in _REACHING
        if isinstance(value, types.FunctionType) and depth:
            return self._follows(value, depth)
        return False

    def _follows(self, function: types.FunctionType, depth: int) -> bool:
        """Whether a function of the notebook's own does nothing but compute."""
        if id(function) in self.seen:
            return True
        self.seen.add(id(function))
        try:
            node = definition(vars(function).get("__wrapped__", function)).node
        except SourceUnavailable:
            return False
        return not _Search(function.__globals__).of(node, depth - 1)


_UNKNOWN = object()
_DATA = (np.ndarray, np.generic, list, dict, set, tuple, str, int, float, complex)
"""What has methods that are judged by their names."""
