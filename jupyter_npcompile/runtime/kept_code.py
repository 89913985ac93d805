"""The translation of a loop as bytes that another kernel can read.

What was translated holds objects of this kernel: functions of the user's, modules, what NumPy
computes with. They are written down by where they are found from the loop, and for functions
by what they do. Who reads that looks there again. Where something else is found by then,
nothing is taken over, and the loop is translated as if nobody had seen it.
"""

from __future__ import annotations

import hashlib
import io
import pickle
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any

import numpy as np

from jupyter_npcompile.cell.factory import every_code
from jupyter_npcompile.loops.functions import find
from jupyter_npcompile.loops.given import type_of
from jupyter_npcompile.loops.guarded import recipe_of
from jupyter_npcompile.loops.hosts import is_host
from jupyter_npcompile.loops.library.random_numbers import LEGACY
from jupyter_npcompile.loops.library.transforms import ufuncs
from jupyter_npcompile.loops.loop_code import Assumption, LoopCode
from jupyter_npcompile.loops.records import FreeVariable, Path, Step, reached
from jupyter_npcompile.runtime.loop_form import is_same
from jupyter_npcompile.tracer.sources import as_defined

_NAMES = (
    *("source", "inputs", "outputs", "fixed", "assumptions", "written", "hosts", "signature"),
    *("draws_legacy", "printed", "paths", "stored", "apart"),
)
"""Fields of `LoopCode`, all but its functions."""

_FIELDS = attrgetter(*_NAMES)

LARGEST = 100_000
"""Characters or bytes of a constant, at the most: to compare it would take long."""

MOST = 1000
"""Items of a constant, at the most."""

_PLAIN = (type(None), type(Ellipsis), bool, int, float, complex, str, bytes)

_PACKAGES = ("numpy", __name__.partition(".")[0])
"""Their versions are part of the name of what is kept."""

Known = tuple[Path, types.FunctionType]
"""A function of the user's, and where it is found."""


class KeptCodeError(Exception):
    """Something cannot be written down, or is not what it was."""


def written_down(code: LoopCode) -> bytes:
    """Write a translation down.

    Parameters
    ----------
    code : LoopCode
        It has not run yet.

    Raises
    ------
    KeptCodeError
        When something in it cannot be found again.

    Examples
    --------
    >>> code = LoopCode("", ("x",), (), {}, (Assumption(("np",), np),), (), ())
    >>> read_again(written_down(code), {"np": np}) == code
    True
    >>> read_again(written_down(code), {"np": sys})
    Traceback (most recent call last):
    jupyter_npcompile.runtime.kept_code.KeptCodeError: `np` is something else
    """
    stream = io.BytesIO()
    functions = list(_functions(code))
    try:
        for number, (path, function) in enumerate(functions):
            _Writer(stream, functions[:number]).dump((path, digest_of(function)))
        _Writer(stream, functions).dump(code)
        known = _shared([function for _, function in functions]), _types(code, {})
        _Writer(stream, functions).dump(known)
    except (pickle.PicklingError, TypeError, AttributeError, RecursionError) as error:
        raise KeptCodeError(str(error)) from error
    return pickle.dumps((len(functions), stream.getvalue()))


def read_again(data: bytes, namespace: Mapping[str, Any]) -> LoopCode:
    """Read a translation, where all that it assumes holds.

    Parameters
    ----------
    data : bytes
        What `written_down` has made, of the same versions of everything.
    namespace : mapping of str to object
        What names are bound to where the loop begins.

    Raises
    ------
    KeptCodeError
        When something is not what it was.
    """
    functions: list[types.FunctionType] = []
    try:
        count, content = pickle.loads(data)
        stream = io.BytesIO(content)
        for _ in range(count):
            path, digest = _Reader(stream, functions).load()
            function = reached(path, namespace)
            if type(function) is not types.FunctionType or digest_of(function) != digest:
                raise KeptCodeError(f"`{function}` is another function")
            functions.append(function)
        code: LoopCode = _Reader(stream, functions).load()
        if _Reader(stream, functions).load() != (_shared(functions), _types(code, namespace)):
            raise KeptCodeError("variables are shared in another way, or of other types")
        for assumption in code.assumptions:
            if not is_same(reached(assumption.path, namespace), assumption.value):
                raise KeptCodeError(f"`{assumption.path[0]}` is something else")
    except KeptCodeError:
        raise
    except Exception as error:  # of another version of the user's modules, or damaged
        raise KeptCodeError(f"{type(error).__name__}: {error}") from error
    return code


def digest_of(function: types.FunctionType) -> bytes:
    """What a function does, apart from what it reads of names around it.

    Raises
    ------
    KeptCodeError
        When its defaults tell nothing of themselves in another kernel.

    Examples
    --------
    >>> one, two, three = (lambda x: x + 1), (lambda y: y + 1), (lambda x: x + 1.0)
    >>> digest_of(one) == digest_of(lambda x: x + 1), digest_of(one) == digest_of(three)
    (True, False)
    """
    written = as_defined(function)  # its text is what counts, as for a translation
    found = hashlib.sha256()
    for part in (*_parts(written.__code__), written.__defaults__, written.__kwdefaults__):
        found.update(text_of_constant(part).encode("utf-8", "surrogatepass") + b"\0")
    return found.digest()


def _parts(code: types.CodeType) -> Iterator[Any]:
    """All of a code object but for where it was written."""
    for one in every_code(code):
        yield one.co_code.hex()
        yield from (one.co_name, one.co_names, one.co_varnames, one.co_freevars, one.co_cellvars)
        yield from (one.co_argcount, one.co_posonlyargcount, one.co_kwonlyargcount, one.co_flags)
        yield from (it for it in one.co_consts if not isinstance(it, types.CodeType))


def text_of_constant(value: Any, *, is_fixed: bool = False) -> str:
    """A constant in words that no other one has.

    Parameters
    ----------
    value : object
        Of Python's or NumPy's plain types.
    is_fixed : bool
        Whether it must be one that nobody can change: no list, and no dict.

    Raises
    ------
    KeptCodeError
        When it is something else.

    Examples
    --------
    >>> text_of_constant((1, 1.0, "one"))
    "tuple(int 1,float 1.0,str 'one')"
    """

    def text(value: Any) -> str:
        kind = type(value)
        if len(value) > LARGEST if kind in (str, bytes) else _count(value) > MOST:
            raise KeptCodeError("something large")
        if kind in _PLAIN:
            return f"{kind.__name__} {value!r}"
        if kind is tuple or (kind is list and not is_fixed):
            return f"{kind.__name__}({','.join(map(text, value))})"
        if kind is frozenset:
            return f"frozenset({','.join(sorted(map(text, value)))})"
        if kind is dict and not is_fixed:
            return f"dict({','.join(f'{text(k)}:{text(v)}' for k, v in value.items())})"
        if isinstance(value, np.generic) and _is_plain(value):
            return f"{value.dtype!r} {value.tobytes().hex()}"
        if isinstance(value, np.dtype) and value.isbuiltin:
            return f"dtype {value.str}"
        if not is_fixed and isinstance(value, type | types.ModuleType | types.BuiltinFunctionType):
            return f"{getattr(value, '__module__', '')} {value.__name__}"
        if not is_fixed and isinstance(value, np.ufunc):
            return f"ufunc {value.__name__}"
        raise KeptCodeError(f"a {kind.__name__}")

    return text(value)


def _count(value: Any) -> int:
    return len(value) if type(value) in (tuple, list, dict, frozenset) else 0


def _is_plain(value: np.generic) -> bool:
    """Whether a scalar of NumPy's is one that nobody can change."""
    dtype = value.dtype
    return type(value) is dtype.type and bool(dtype.isbuiltin) and dtype.kind in "biufcmM"


def _shared(functions: Sequence[types.FunctionType]) -> list[list[int]]:
    """Which functions have cells and global names in common: each of these has a number."""
    numbers: dict[int, int] = {}
    return [
        [
            numbers.setdefault(id(place), len(numbers))
            for place in (function.__globals__, *(function.__closure__ or ()))
        ]
        for function in functions
    ]


def _types(code: LoopCode, namespace: Mapping[str, Any]) -> list[str]:
    """The types of inputs that functions read: those that the loop reads are in its name."""
    paths = (path for path in code.paths.values() if isinstance(path[0], FreeVariable))
    return [repr(type_of(reached(path, namespace))) for path in paths]


def _functions(code: LoopCode) -> Iterator[Known]:
    """The user's functions, each one after those from which it is found."""
    left: dict[int, Known] = {}
    for assumption in reversed(code.assumptions):
        function, path = assumption.value, assumption.path
        if type(function) is types.FunctionType and not _is_global(function):
            left[id(function)] = path, function
            if (written := as_defined(function)) is not function:
                left[id(written)] = (*path, "__wrapped__"), written
    while left:
        found = [
            key
            for key, (path, _) in left.items()
            if not (isinstance(path[0], FreeVariable) and id(path[0].function) in left)
        ]
        if not found:
            raise KeptCodeError("functions that are found from each other")
        yield from (left.pop(key) for key in found)


def _is_global(function: types.FunctionType) -> bool:
    """Whether a function is NumPy's or ours, which is found by its name."""
    package = (function.__module__ or "").partition(".")[0]
    return package in _PACKAGES and "<locals>" not in function.__qualname__


class _Writer(pickle.Pickler):
    """Writes what a translation holds.

    Parameters
    ----------
    stream : io.BytesIO
        Where to.
    functions : list of (path, function)
        Those of the user's that may be in it.
    """

    def __init__(self, stream: io.BytesIO, functions: list[Known]) -> None:
        super().__init__(stream, protocol=5)
        self._numbers = {id(function): k for k, (_, function) in enumerate(functions)}

    def persistent_id(self, value: Any) -> tuple[str, Any] | None:
        """How an object is found that is not written down itself."""
        if isinstance(value, types.FunctionType) and not _is_global(value):
            if id(value) in self._numbers:
                return "function", self._numbers[id(value)]
            if recipe_of(value) is None:
                raise pickle.PicklingError(f"`{value.__name__}` is not found from the loop")
        if isinstance(value, types.ModuleType):
            return "module", value.__name__
        if isinstance(value, np.ufunc):
            return _place_of(value)
        return ("legacy", None) if value is LEGACY else None

    def reducer_override(self, value: Any) -> Any:
        """How an object is made again."""
        if isinstance(value, LoopCode):
            functions = tuple(function for function, *_ in value.codes)
            return _code, (functions, *_FIELDS(value))
        if isinstance(value, Assumption):
            return Assumption, (value.path, value.value)
        if isinstance(value, Step):
            return Step, (value.owner, value.name, value.of_class)
        if isinstance(value, FreeVariable):
            return FreeVariable, (value.function, value.name)
        if isinstance(value, np.dtype) and value is np.dtype(value.str):
            return np.dtype, (value.str,)  # which gives the same object again
        recipe = recipe_of(value)
        return NotImplemented if recipe is None else recipe


def _code(functions: tuple[types.FunctionType, ...], *values: Any) -> LoopCode:
    """Put a translation together, with functions as they are now: they do what they did."""
    codes = tuple((it, it.__code__, it.__defaults__) for it in functions)
    return LoopCode(codes=codes, **dict(zip(_NAMES, values, strict=True)))


def _place_of(ufunc: np.ufunc) -> tuple[str, Any]:
    if getattr(np, ufunc.__name__, None) is ufunc:
        return "ufunc", ufunc.__name__
    for name, known in ufuncs().items():
        if known is ufunc:
            return "transform", name
    raise pickle.PicklingError(f"{ufunc} is not NumPy's")


class _Reader(pickle.Unpickler):
    """Reads what `_Writer` has written."""

    def __init__(self, stream: io.BytesIO, functions: list[types.FunctionType]) -> None:
        super().__init__(stream)
        self._find: dict[str, Callable[[Any], Any]] = {
            "function": functions.__getitem__,
            "module": sys.modules.__getitem__,
            "ufunc": lambda name: _own(getattr(np, name), name),
            "transform": lambda name: ufuncs()[name],
            "legacy": lambda _: LEGACY,
        }

    def persistent_load(self, place: tuple[str, Any]) -> Any:
        """What is found there."""
        kind, where = place
        return self._find[kind](where)

    def find_class(self, module: str, name: str) -> Any:
        """A class or a function of a module that is imported: nothing is imported for this."""
        if module not in sys.modules:
            raise KeptCodeError(f"{module} is not imported")
        found = super().find_class(module, name)
        if not callable(found) or isinstance(found, type) or _is_ours(module):
            return found
        return _own(found, name.rpartition(".")[2])


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] == _PACKAGES[1]


def _own(found: Any, name: str) -> Any:
    """A function that is found under its name, if nobody has put another one there."""
    is_python = type(found) is types.BuiltinFunctionType
    if getattr(found, "__name__", "") != name or not (
        is_python or find(found) is not None or is_host(found)
    ):
        raise KeptCodeError(f"{name} is another function")
    return found
