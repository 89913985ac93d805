"""What names hold in parts: the values of a dict, the attributes of an object.

`params["dt"]` and `self.dt` are inputs of a native loop like names are. A loop neither
replaces them nor adds any, and nothing else runs meanwhile: so they may be looked up
when it begins. That has to be without effects, as it is for a plain `dict` with texts as
keys, and for attributes that lie in the `__dict__` of an object whose class looks them
up as `object` does.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.loops.redefined import SAME, Redefined

LARGEST = 100
"""Entries of what is looked into."""

DEEPEST = 3
"""Records in each other."""

_LOOK_UP = (object.__getattribute__, types.SimpleNamespace.__getattribute__)
_OWN = (types.GetSetDescriptorType, types.MemberDescriptorType)
_REPLACE = (object.__setattr__, types.SimpleNamespace.__setattr__)


@dataclass(frozen=True)
class Step:
    """From a record to an entry of it.

    Parameters
    ----------
    owner : type
        The class of the record: `dict`, or that of an object.
    name : str
        The key, or the attribute.
    of_class : bool
        Whether it is an attribute of the class, and not of the object.

    Examples
    --------
    >>> Step(dict, "dt").entry({"dt": 0.5})
    0.5
    """

    owner: type
    name: str
    of_class: bool = False

    def entry(self, record: Any) -> Any:
        """The entry.

        Raises
        ------
        LookupError
            When the record is of another class, or has no such entry.
        """
        if type(record) is not self.owner:
            raise LookupError(self.name)
        if isinstance(record, dict):
            return record[self.name]
        if not self.of_class:
            return record.__dict__[self.name]
        if self.name in record.__dict__:
            raise LookupError(self.name)
        return inspect.getattr_static(self.owner, self.name)

    def replace(self, record: Any, value: Any) -> None:
        """Put something else there."""
        if self.owner is dict:
            record[self.name] = value
        else:
            setattr(record, self.name, value)

    @property
    def text(self) -> str:
        """How it is written.

        Examples
        --------
        >>> Step(dict, "dt").text
        "['dt']"
        """
        return f"[{self.name!r}]" if self.owner is dict else f".{self.name}"


@dataclass(frozen=True)
class FreeVariable:
    """A name that a function reads and does not bind: of a closure, global, or built in.

    Two functions that read the same variable have equal ones.

    Parameters
    ----------
    function : types.FunctionType
        The function.
    name : str
        The name.

    Attributes
    ----------
    place : int
        Identity of what holds the variable: a cell, or the names of a module.

    Examples
    --------
    >>> offset = 0.5
    >>> FreeVariable(lambda x: x + offset, "offset").value()
    0.5
    """

    function: types.FunctionType = field(compare=False)
    name: str
    place: int = field(init=False)

    def __post_init__(self) -> None:
        cell = self.cell
        object.__setattr__(self, "place", id(self.function.__globals__ if cell is None else cell))

    @property
    def cell(self) -> types.CellType | None:
        """Where the variable of a closure lies."""
        return self._cell_of(self.function)

    def _cell_of(self, function: types.FunctionType) -> types.CellType | None:
        names = function.__code__.co_freevars
        if self.name not in names or function.__closure__ is None:
            return None
        return function.__closure__[names.index(self.name)]

    def value(self, redefined: Redefined = SAME) -> Any:
        """What it is bound to.

        Parameters
        ----------
        redefined : mapping
            Functions that were defined anew.

        Raises
        ------
        LookupError
            When it is not bound.
        """
        function: Any = redefined.get(self.function, self.function)
        cell = self._cell_of(function)
        if cell is not None:
            try:
                return cell.cell_contents
            except ValueError:
                raise LookupError(self.name) from None
        if self.name in function.__globals__:
            return function.__globals__[self.name]
        return function.__builtins__[self.name]


Path = tuple[str | Step | FreeVariable, ...]
"""A name, or a variable of a function, and from there steps, and attributes of modules."""


def text_of(path: Path) -> str:
    """A path as it is written.

    Examples
    --------
    >>> text_of(("params", Step(dict, "dt")))
    "params['dt']"
    """
    return "".join(part.text if isinstance(part, Step) else _name(part) for part in path)


def _name(part: str | Step | FreeVariable) -> str:
    return part if isinstance(part, str) else part.name


def name_of(path: Path) -> str | None:
    """A name in C++ for what is at the end of a path; None where texts are no identifiers.

    Examples
    --------
    >>> name_of(("params", Step(dict, "dt")))
    '06params_2dt'
    """
    texts = [_name(part) for part in path]
    if not all(text.isidentifier() and text.isascii() for text in texts):
        return None
    # No name of the user's begins with a digit.
    return "0" + "_".join(f"{len(text)}{text}" for text in texts)


def reached(path: Path, namespace: Mapping[str, Any], redefined: Redefined = SAME) -> Any:
    """What is at the end of a path.

    Parameters
    ----------
    path : path
        Where it is.
    namespace : mapping
        Names, and what they are bound to.
    redefined : mapping
        Functions that were defined anew.

    Raises
    ------
    LookupError, AttributeError
        When it is not there.

    Examples
    --------
    >>> reached(("params", Step(dict, "dt")), {"params": {"dt": 0.5}})
    0.5
    """
    first, *rest = path
    assert not isinstance(first, Step)
    value = namespace[first] if isinstance(first, str) else first.value(redefined)
    for part in rest:
        assert not isinstance(part, FreeVariable)
        value = part.entry(value) if isinstance(part, Step) else getattr(value, part)
    return value


@dataclass(frozen=True)
class Record:
    """What is known of a dict or an object while a loop is translated.

    Parameters
    ----------
    type : type
        Its class.
    entries : dict of str to object
        What is known of its entries.
    """

    type: type
    entries: dict[str, Any] = field(compare=False)

    @classmethod
    def of(cls, value: Any, known: Callable[[Any, int], Any], depth: int) -> Record | None:
        """What is known of a value, if it is a record.

        Parameters
        ----------
        value : object
            Anything.
        known : callable
            What is known of an entry, where so many records may lie in each other.
        depth : int
            How many records may lie in each other.

        Examples
        --------
        >>> Record.of({"dt": 0.5, 3: 4}, lambda value, depth: type(value), 1).entries
        {'dt': <class 'float'>}
        >>> Record.of([1], type, 1) is None
        True
        """
        found = _entries(value) if depth else None
        if found is None or len(found) > LARGEST:
            return None
        texts = [name for name in found if type(name) is str]
        return cls(type(value), {name: known(found[name], depth - 1) for name in texts})

    def attribute(self, name: str) -> Any:
        """An attribute of its class: as it lies there.

        Raises
        ------
        AttributeError
            When there is none.
        """
        return inspect.getattr_static(self.type, name)


def _entries(value: Any) -> dict[Any, Any] | None:
    kind: Any = type(value)
    if kind is dict:
        return dict(value)
    if kind.__getattribute__ not in _LOOK_UP or kind.__setattr__ not in _REPLACE:
        return None
    if not kind.__dictoffset__ or isinstance(value, type | types.ModuleType):
        return None
    if type(inspect.getattr_static(kind, "__dict__")) not in _OWN:
        return None
    return {name: entry for name, entry in vars(value).items() if not _has_effects(kind, name)}


def _has_effects(kind: type, name: Any) -> bool:
    """Whether a class has something by this name that is asked before the object is."""
    try:
        found = inspect.getattr_static(kind, name)
    except AttributeError:
        return False
    return hasattr(found, "__set__") or hasattr(found, "__delete__")
