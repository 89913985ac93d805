"""Functions of a module, compiled where they stand: somebody else's tests and programs."""

from __future__ import annotations

import contextlib
import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import jupyter_npcompile


@dataclass
class Place:
    """Where a function stands, and what stands there when tests run compiled."""

    owner: Any
    name: str
    plain: Any
    compiled: Any = None

    def put(self, value: Any) -> None:
        setattr(self.owner, self.name, value)


@contextlib.contextmanager
def in_place(places: list[Place]) -> Iterator[None]:
    """Have compiled functions stand in for the plain ones."""
    for place in places:
        place.put(place.compiled)
    try:
        yield
    finally:
        for place in places:
            place.put(place.plain)


def reached(module: types.ModuleType, name: str, owner: type | None = None) -> list[Place]:
    """Compile a function and the functions of its module that it reaches.

    Parameters
    ----------
    module : module
        Where it is defined.
    name : str
        What it is called.
    owner : type, optional
        The class whose method it is.

    Returns
    -------
    list of Place
        Where compiled functions are to stand.
    """
    places: dict[tuple[int, str], Place] = {}
    classes = [kind for kind in getattr(owner, "__mro__", ()) if kind is not object]
    unseen = [name, "setup_method", "setup"]
    seen = set()
    while unseen:
        name = unseen.pop()
        if name in seen:
            continue
        seen.add(name)
        for where in (*classes, module):
            plain = vars(where).get(name)
            if not _is_own(plain, module):
                continue
            for place in _places_of(where, name, plain):
                places[id(place.owner), place.name] = place
                unseen += _names(getattr(place.plain, "__func__", place.plain).__code__)
            break
    for place in places.values():
        place.compiled = _compiled(place.plain)
    return [place for place in places.values() if place.compiled is not None]


def _is_own(value: Any, module: types.ModuleType) -> bool:
    function = getattr(value, "__func__", value)
    return isinstance(function, types.FunctionType) and function.__module__ == module.__name__


def _places_of(owner: Any, name: str, value: Any) -> Iterator[Place]:
    """Where the function itself stands, which decorators may have hidden in a closure."""
    given = getattr(value, "hypothesis", None)
    if given is not None:
        yield Place(given, "inner_test", given.inner_test)
        return
    inner = getattr(value, "__wrapped__", None)
    if inner is None or not isinstance(value, types.FunctionType):
        yield Place(owner, name, value)
        return
    for cell in value.__closure__ or ():
        if cell.cell_contents is inner and isinstance(inner, types.FunctionType):
            yield Place(cell, "cell_contents", inner)


def _names(code: types.CodeType) -> set[str]:
    found = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found |= _names(constant)
    return found


def _compiled(value: Any) -> Any:
    if isinstance(value, staticmethod | classmethod):
        made = _compiled(value.__func__)
        return None if made is None else type(value)(made)
    made = jupyter_npcompile.compile(value)
    return made if isinstance(made, types.FunctionType) else None
