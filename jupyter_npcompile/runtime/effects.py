"""What a cell might do outside its names: then it must not run a second time for a trial.

Whoever calls something has it from somewhere: a name, an attribute, a container that a name holds,
what a function closes over. So it does not matter what is called where. If everything callable
that code mentions, directly or through what its names hold, is known to compute only, nothing
else can happen.
"""

from __future__ import annotations

import abc
import ast
import builtins
import enum
import functools
import inspect
import sys
import types
from collections import ChainMap, deque
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np

from jupyter_npcompile.cell import SourceUnavailable, definition
from jupyter_npcompile.runtime.functions import handle_of


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BUILTINS = _words(
    "abs all any ascii bin bool bytes bytearray callable chr complex dict divmod enumerate "
    "filter float format frozenset hasattr hash hex id int isinstance issubclass iter len "
    "list map max min next object oct ord pow print range repr reversed round set slice "
    "sorted str sum super tuple type zip "
)
"""Builtins that change nothing; what they print is caught."""

_MODULES = _words(
    "bisect cmath collections copy dataclasses decimal fractions functools heapq itertools "
    "math matplotlib numbers numpy operator random re scipy statistics string textwrap time typing "
)
"""Modules whose functions change nothing but what they are given, and random numbers."""

_REACHING = _words(
    "DataSource dump frompyfunc fromfile fromregex genfromtxt ginput imsave load load_library "
    "loadmat loadtxt memmap mmread mmwrite open_memmap pause save savefig savemat savetxt savez "
    "savez_compressed sleep switch_backend tofile whosbest write "
)
"""Functions of theirs that read or write files, wait, or hide what is called."""

_HIDING = _words(
    "__builtins__ __class__ __closure__ __code__ __dict__ __func__ __getattribute__ "
    "__globals__ __self__ __subclasses__ attrgetter methodcaller "
)
"""With these one gets at things that are mentioned nowhere."""

_METHODS = frozenset(
    name
    for kind in (
        *(np.ndarray, np.ufunc, np.random.Generator, np.random.RandomState),
        *(list, dict, set, str, tuple, float, int, deque),
    )
    for name in dir(kind)
)
"""Methods that may be called on what is only known when the cell runs."""

_PLAIN = (type(None), bool, int, float, complex, str, bytes, range, slice, np.generic, np.dtype)
"""What holds nothing that could be called."""

_DESCRIPTORS = (
    *(types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType),
    *(types.GetSetDescriptorType, types.MemberDescriptorType),
)

_METACLASSES = (type, abc.ABCMeta, enum.EnumMeta)
"""Classes of classes that only make objects when they are called."""

_LARGEST = 10_000
"""Items of a container that are looked at."""

_UNKNOWN = object()


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
    >>> effect(ast.parse("y = list(map(send, x))"), {"send": sys.stdout.write})
    'line 1 uses send, which may do something outside the cell'
    """
    return _Search(namespace, set()).of(tree)


class _Search:
    """Looks for effects in code whose names mean something.

    Parameters
    ----------
    namespace : mapping
        What they mean.
    seen : set of int
        What has been looked at, by its `id`.
    """

    def __init__(self, namespace: Mapping[str, Any], seen: set[int]) -> None:
        self._imported: dict[str, Any] = {}
        self._names = ChainMap(self._imported, dict(namespace))
        self._seen = seen

    def of(self, tree: ast.AST) -> str:
        """The first effect in a piece of code."""
        nodes = list(ast.walk(tree))
        bases = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
        called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
        bound = {n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
        bound |= {node.arg for node in nodes if isinstance(node, ast.arg)}
        for node in nodes:
            if isinstance(node, ast.Import | ast.ImportFrom) and not self._imports(node):
                return f"line {node.lineno} imports something that is not loaded yet"
        for node in nodes:
            line = getattr(node, "lineno", 0)
            if isinstance(node, ast.Await | ast.AsyncFor | ast.AsyncWith):
                return f"line {line} awaits something"
            if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
                owner = self._value(node.value)
                if isinstance(owner, types.ModuleType):
                    return f"line {line} changes the module {owner.__name__}"
            is_read = isinstance(getattr(node, "ctx", None), ast.Load)
            harmless = True
            if isinstance(node, ast.Attribute) and is_read:
                harmless = self._attribute(node, id(node) in called, bound)
            elif isinstance(node, ast.Name) and is_read:
                value = self._value(node)
                is_base = id(node) in bases and isinstance(value, types.ModuleType)
                harmless = is_base or self._computes_only(value)
            elif isinstance(node, ast.Call) and not self._is_followed(node.func):
                harmless, node = False, node.func
            if not harmless:
                name = ast.unparse(node)
                short = name if len(name) < 40 else f"{name[:39]}…"
                does = "calls" if id(node) in called else "uses"
                return f"line {line} {does} {short}, which may do something outside the cell"
        return ""

    def _imports(self, node: ast.Import | ast.ImportFrom) -> bool:
        """Note what an import binds; whether it runs no module for the first time."""
        for alias in node.names:
            if isinstance(node, ast.Import):
                module = sys.modules.get(alias.name)
                shown = sys.modules.get(alias.name.partition(".")[0])
                if module is None or shown is None:
                    return False
                self._imported[alias.asname or shown.__name__] = module if alias.asname else shown
                continue
            module = sys.modules.get(node.module or "")
            value = getattr(module, alias.name, _UNKNOWN)
            if node.level or value is _UNKNOWN:
                return False
            self._imported[alias.asname or alias.name] = value
        return True

    def _attribute(self, node: ast.Attribute, is_called: bool, bound: set[str]) -> bool:
        if node.attr in _REACHING or node.attr in _HIDING:
            return False
        value = self._value(node)
        # What a name means that the code binds itself is known only when it runs.
        is_known = not (isinstance(node.value, ast.Name) and node.value.id in bound)
        if value is _UNKNOWN or not is_known:
            if is_called and node.attr not in _METHODS and value is _UNKNOWN:
                return False
            return value is _UNKNOWN or self._computes_only(value)
        return isinstance(value, types.ModuleType) or self._computes_only(value)

    def _is_followed(self, function: ast.expr) -> bool:
        """Whether what is called is a name, an attribute, or made by a call that is one."""
        if isinstance(function, ast.Call):
            return self._is_followed(function.func)
        return isinstance(function, ast.Name | ast.Attribute | ast.Lambda)

    def _value(self, node: ast.expr) -> Any:
        """What a name, or an attribute of a module or of something, means."""
        if isinstance(node, ast.Name):
            return self._names.get(node.id, getattr(builtins, node.id, _UNKNOWN))
        if isinstance(node, ast.Attribute):
            owner = self._value(node.value)
            if isinstance(owner, types.ModuleType | type):
                return getattr(owner, node.attr, _UNKNOWN)
            if owner is not _UNKNOWN:
                return getattr(type(owner), node.attr, _UNKNOWN)
        return _UNKNOWN

    def _computes_only(self, value: Any) -> bool:
        """Whether nothing that one can do with a value reaches the world."""
        if value is _UNKNOWN or isinstance(value, _PLAIN) or id(value) in self._seen:
            return True
        self._seen.add(id(value))
        if isinstance(value, types.FunctionType | types.MethodType | functools._lru_cache_wrapper):
            return self._function(value)
        if isinstance(value, type):
            return self._type(value) and (type(value) in _METACLASSES or self._type(type(value)))
        if isinstance(value, functools.partial):
            return all(map(self._computes_only, (value.func, value.args, value.keywords)))
        if isinstance(value, np.vectorize):
            return self._computes_only(value.pyfunc)
        if isinstance(value, property):
            return all(map(self._computes_only, (value.fget, value.fset, value.fdel)))
        if isinstance(value, staticmethod | classmethod):
            return self._computes_only(value.__func__)
        if isinstance(value, types.ModuleType):
            return _is_listed(value.__name__)
        if isinstance(value, _DESCRIPTORS):
            name = value.__name__
            is_own = isinstance(value, types.MemberDescriptorType) or name in (
                "__dict__",
                "__weakref__",
            )
            kind: type = value.__objclass__
            return is_own or (name not in _REACHING and _is_known_type(kind))
        if callable(value) and _is_part_of_its_module(value):
            return value.__name__ not in _REACHING | _HIDING
        if isinstance(value, np.ufunc):  # made of something that it does not show
            return False
        if isinstance(value, types.BuiltinMethodType):
            own = value.__self__
            is_method = own is not None and not isinstance(own, types.ModuleType)
            return is_method and value.__name__ not in _REACHING and self._computes_only(own)
        if not self._type(type(value)):
            return False
        items = _items(value)
        return items is not None and all(map(self._computes_only, items))

    def _type(self, kind: type) -> bool:
        """Whether no method of a class does anything but compute."""
        return all(
            _is_known_type(base) or all(map(self._computes_only, vars(base).values()))
            for base in kind.__mro__
        )

    def _function(self, function: Any) -> bool:
        """Whether a function of the user's own does nothing but compute."""
        if isinstance(function, types.MethodType):
            return self._computes_only(function.__self__) and self._computes_only(function.__func__)
        if _is_part_of_its_module(function):
            return function.__name__ not in _REACHING | _HIDING
        if isinstance(function, functools._lru_cache_wrapper):
            return self._computes_only(function.__wrapped__)
        if handle_of(function) is not None:  # one of ours: what it was made of
            function = vars(function)["__wrapped__"]
        try:
            node = definition(function).node
        except SourceUnavailable:
            return False
        cells = function.__closure__ or ()
        enclosed = dict(zip(function.__code__.co_freevars, cells, strict=True))
        closed = {name: cell.cell_contents for name, cell in enclosed.items() if _is_full(cell)}
        given = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
        names = {**function.__globals__, **closed}
        return all(map(self._computes_only, given)) and not _Search(names, self._seen).of(node)


def _is_listed(module: str) -> bool:
    return module.partition(".")[0].lstrip("_") in _MODULES  # parts in C begin with one


def _is_known_type(kind: type) -> bool:
    if kind.__module__ == "builtins":
        return kind.__name__ in _BUILTINS or issubclass(kind, BaseException)
    return _is_listed(kind.__module__)


def _is_part_of_its_module(value: Any) -> bool:
    """Whether something is what a listed module, or Python, has under its name."""
    if _answers_itself(type(value)):
        return False
    name = str(getattr(value, "__qualname__", None) or getattr(value, "__name__", ""))
    if isinstance(value, np.ufunc):
        places = [sys.modules.get(place) for place in ("numpy", "scipy.special")]
        return any(getattr(place, name, None) is value for place in places)
    module = getattr(value, "__module__", None) or ""
    if module == "builtins":
        return name in _BUILTINS and getattr(builtins, name, None) is value
    found: Any = sys.modules.get(module) if _is_listed(module) else None
    for part in name.split("."):
        found = getattr(found, part, None)
    return found is value


def _answers_itself(kind: type) -> bool:
    """Whether to ask objects of a class for an attribute runs a function of its own."""
    found = (inspect.getattr_static(kind, n, None) for n in ("__getattr__", "__getattribute__"))
    return any(isinstance(one, types.FunctionType) for one in found)


def _items(value: Any) -> Iterable[Any] | None:
    """What something holds; None where that cannot be told."""
    if isinstance(value, dict):
        factory = getattr(value, "default_factory", None)
        return _few([*value.keys(), *value.values(), factory])
    if isinstance(value, list | tuple | set | frozenset | deque):
        return _few(value)
    if isinstance(value, np.ndarray):
        return _few(value.ravel().tolist()) if value.dtype.hasobject else ()
    if _is_listed(type(value).__module__):
        return ()
    slots = [name for base in type(value).__mro__ for name in vars(base).get("__slots__", ())]
    return [*getattr(value, "__dict__", {}).values(), *(getattr(value, s, None) for s in slots)]


def _few(items: Collection[Any]) -> Collection[Any] | None:
    """Those that are no plain data, unless they are too many to be looked at."""
    left = [item for item in items if not isinstance(item, _PLAIN)]
    return left if len(left) <= _LARGEST else None


def _is_full(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True
