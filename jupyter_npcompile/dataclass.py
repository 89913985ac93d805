"""Data classes as those of the standard library, made in a quarter of the time.

The library compiles five functions for each class. There are hundreds of classes here, and
whoever runs a first cell waits for all of them. So methods that do the same in every class
are closures, and ``__init__`` is compiled once for all classes whose fields are alike.
"""

from __future__ import annotations

import abc
import dataclasses
import operator
import sys
from collections.abc import Callable, Iterable
from reprlib import recursive_repr
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls: Any = None, /, **options: Any) -> Any:
        """Make a data class, see `dataclasses.dataclass`.

        Parameters
        ----------
        cls : type
            With annotations.
        **options
            ``frozen``, ``slots``, ``eq``, ``order`` and ``repr`` are as they are there. There are
            no others.

        Examples
        --------
        >>> @dataclass(frozen=True, slots=True)
        ... class Point:
        ...     x: float
        ...     y: float = 0.0
        >>> Point(1.0), Point(1.0) == Point(1.0, 0.0), dataclasses.replace(Point(1.0), y=2.0)
        (Point(x=1.0, y=0.0), True, Point(x=1.0, y=2.0))
        """
        return _made(cls, **options) if cls is not None else lambda cls: _made(cls, **options)


__all__ = ["dataclass"]

_Kind = str
"""How ``__init__`` treats a field: ``=`` has a default and ``+`` a factory, ``-`` is no argument,
``.`` has neither; with ``*`` it is given by name only."""

_INITIALIZERS: dict[tuple[tuple[_Kind, ...], bool, bool, bool], FunctionType] = {}
"""For each sequence of kinds: frozen or not, with slots or not, with ``__post_init__`` or not."""

_COMPARISONS: dict[int, tuple[FunctionType, FunctionType]] = {}
"""``__eq__`` and ``__hash__`` for each number of fields."""

_COMPARES = """
def __eq__(self, other):
    if other.__class__ is self.__class__:
        return ({ours}) == ({others})
    return NotImplemented

def __hash__(self):
    return hash(({ours}))
"""

_ORDER = operator.lt, operator.le, operator.gt, operator.ge

_NOT_GIVEN: Any = type("NotGiven", (), {"__repr__": lambda self: "<factory>"})()


def _made(
    cls: Any,
    *,
    frozen: bool = False,
    slots: bool = False,
    eq: bool = True,
    order: bool = False,
    repr: bool = True,
) -> Any:
    own = set(vars(cls))
    _refuse(cls, own, frozen=frozen)
    if vars(cls).get("__hash__") is None:
        own.discard("__hash__")  # Python has put it there, beside an ``__eq__``
    if not cls.__doc__:
        cls.__doc__ = cls.__name__  # the library would write down its signature
    cls = dataclasses.dataclass(cls, init=False, repr=False, eq=False, slots=slots)
    fields = dataclasses.fields(cls)
    given: dict[str, Any] = {"__init__": _initializer(cls, fields, frozen, slots)}
    if repr:
        given["__repr__"] = _representation([it.name for it in fields if it.repr])
    if eq:
        names = [it.name for it in fields if it.compare]
        given["__eq__"], hashed = _of_values(names)
        given["__hash__"] = hashed if frozen else None
        for compare in _ORDER if order else ():
            given[f"__{compare.__name__}__"] = _comparison(compare, names)
    if frozen:
        fixed = frozenset(it.name for it in fields)
        given["__setattr__"] = _fixed(cls, fixed, object.__setattr__)
        given["__delattr__"] = _fixed(cls, fixed, object.__delattr__)
        if slots:
            given |= {"__getstate__": _state, "__setstate__": _set_state}
    for name in given.keys() - own:
        setattr(cls, name, given[name])
    return abc.update_abstractmethods(cls)


def _refuse(cls: Any, own: set[str], *, frozen: bool) -> None:
    """Say so where a class wants what the library has and this has not."""
    annotations = vars(cls).get("__annotations__", {})
    if "self" in annotations or any("InitVar" in str(it) for it in annotations.values()):
        raise TypeError(f"{cls.__qualname__}: neither a field `self` nor an InitVar is possible")
    changes = {"__setattr__", "__delattr__"} & own
    if frozen and changes:
        raise TypeError(f"{cls.__qualname__} is frozen, and defines {', '.join(sorted(changes))}")


def _initializer(cls: Any, fields: Iterable[Any], frozen: bool, slots: bool) -> FunctionType:
    fields = sorted(fields, key=lambda it: it.kw_only)
    kinds = tuple(map(_kind, fields))
    key = kinds, frozen, slots, hasattr(cls, "__post_init__")
    pattern = _INITIALIZERS.get(key)
    if pattern is None:
        pattern = _INITIALIZERS[key] = _compiled(*key)
    defaults: dict[bool, dict[str, Any]] = {False: {}, True: {}}
    for kind, field in zip(kinds, fields, strict=True):
        if "-" not in kind and "." not in kind:
            default = field.default if "=" in kind else _NOT_GIVEN
            defaults["*" in kind][field.name] = default
    sources = zip(kinds, fields, strict=True)
    given = [it.default if "=" in kind else it.default_factory for kind, it in sources]
    outer = pattern(object.__setattr__, _NOT_GIVEN, *given)
    made = FunctionType(
        _renamed(outer.__code__, [it.name for it in fields]),
        vars(sys.modules.get(cls.__module__, abc)),  # for who evaluates annotations
        "__init__",
        tuple(defaults[False].values()),
        outer.__closure__,
    )
    made.__kwdefaults__ = defaults[True]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    made.__annotations__ = {it.name: it.type for it in fields if it.init} | {"return": None}
    return made


def _kind(field: Any) -> _Kind:
    missing = dataclasses.MISSING
    kind = "=" if field.default is not missing else "."
    if field.default_factory is not missing:
        kind = "+"
    return kind + ("*" if field.kw_only else "") + ("" if field.init else "-")


def _compiled(kinds: tuple[_Kind, ...], frozen: bool, slots: bool, goes_on: bool) -> FunctionType:
    """A function that makes an ``__init__`` whose arguments are called ``_0``, ``_1``."""
    arguments, body = ["self"], []
    for number, kind in enumerate(kinds):
        name = f"_{number}"
        if "-" not in kind:
            if "*" in kind and "*" not in arguments:
                arguments.append("*")
            arguments.append(name if "." in kind else f"{name}=None")
        elif "." in kind or ("=" in kind and not slots):
            continue  # somebody sets it later, or the class has it
        value = name
        if "-" in kind:
            value = f"default{name}()" if "+" in kind else f"default{name}"
        elif "+" in kind:
            value = f"default{name}() if {name} is not_given else {name}"
        body.append(f"put(self, '{name}', {value})" if frozen else f"self.{name} = {value}")
    if goes_on:
        body.append("self.__post_init__()")
    outer = ", ".join(["put", "not_given", *(f"default_{it}" for it in range(len(kinds)))])
    lines = [
        f"def pattern({outer}):",
        f"    def __init__({', '.join(arguments)}):",
        *(f"        {line}" for line in body or ["pass"]),
        "    return __init__",
    ]
    namespace: dict[str, Any] = {"__name__": __name__}
    exec("\n".join(lines), namespace)
    pattern: FunctionType = namespace["pattern"]
    return pattern


def _renamed(code: CodeType, fields: list[str]) -> CodeType:
    """Code of a pattern, for these fields instead of ``_0``, ``_1``."""
    names = {f"_{number}": name for number, name in enumerate(fields)}

    def renamed(found: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(names.get(it, it) if type(it) is str else it for it in found)

    return code.replace(
        co_varnames=renamed(code.co_varnames),
        co_names=renamed(code.co_names),
        co_consts=renamed(code.co_consts),
    )


def _of_values(names: list[str]) -> tuple[FunctionType, FunctionType]:
    """``__eq__`` and ``__hash__`` of what has these fields."""
    count = len(names)
    patterns = _COMPARISONS.get(count)
    if patterns is None:
        ours, others = ("".join(f"{it}._{k}, " for k in range(count)) for it in ("self", "other"))
        namespace: dict[str, Any] = {"__name__": __name__}
        exec(_COMPARES.format(ours=ours, others=others), namespace)
        patterns = _COMPARISONS[count] = namespace["__eq__"], namespace["__hash__"]
    equal, hashed = (FunctionType(_renamed(it.__code__, names), it.__globals__) for it in patterns)
    return equal, hashed


def _representation(names: list[str]) -> Callable[[Any], str]:
    @recursive_repr()
    def __repr__(self: Any) -> str:  # noqa: N807 - what it is called in tracebacks
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({values})"

    return __repr__


def _comparison(
    compare: Callable[[Any, Any], Any], names: list[str]
) -> Callable[[Any, object], Any]:
    def values(it: Any) -> tuple[Any, ...]:
        return tuple([getattr(it, name) for name in names])

    def compared(self: Any, other: object) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return compare(values(self), values(other))

    return compared


def _fixed(cls: Any, names: frozenset[str], change: Callable[..., None]) -> Callable[..., None]:
    """What changes attributes, but no fields; subclasses may have others."""

    def checked(self: Any, name: str, *value: object) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot change field {name!r}")
        change(self, name, *value)

    return checked


def _state(self: Any) -> list[Any]:
    return [getattr(self, it.name) for it in dataclasses.fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)
