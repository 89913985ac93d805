"""Data classes of ours are those of the standard library, and are made in less time."""

from __future__ import annotations

import collections.abc
import copy
import dataclasses
import inspect
import pickle
import typing
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import jupyter_npcompile.dataclass as ours

_make: Any = ours.dataclass

FIELDS: dict[str, dict[str, Any]] = {
    "plain": {},
    "default": {"default": 7},
    "factory": {"default_factory": list},
    "hidden": {"default": 1, "repr": False, "compare": False},
    "by name": {"kw_only": True},
    "by name with default": {"default": "x", "kw_only": True},
    "by name with factory": {"default_factory": dict, "kw_only": True},
    "later": {"init": False},
    "later with default": {"default": 3, "init": False},
    "later with factory": {"default_factory": set, "init": False},
}
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"frozen": True},
    {"slots": True},
    {"frozen": True, "slots": True},
    {"frozen": True, "slots": True, "order": True},
    {"eq": False},
    {"frozen": True, "eq": False},
    {"repr": False},
)


def declared(kinds: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Fields of these kinds, those without a default first."""
    required = {"plain", "by name", "later"}
    for number, kind in enumerate(sorted(kinds, key=lambda it: it not in required)):
        yield f"f{number}", FIELDS[kind]


def both(kinds: list[str], options: dict[str, Any], body: dict[str, Any]) -> tuple[Any, Any]:
    """The same class, made by the library and by us."""
    made = []
    for make in (dataclasses.dataclass, _make):
        namespace = {name: dataclasses.field(**field) for name, field in declared(kinds) if field}
        namespace["__annotations__"] = {name: int for name, _ in declared(kinds)}
        made.append(make(**options)(type("Made", (), {**namespace, **body})))
    return made[0], made[1]


def seen(call: Any) -> Any:
    """What comes of a call: its result, or which error."""
    try:
        return call()
    except Exception as error:
        return type(error)


def state(made: Any) -> dict[str, Any]:
    return {it.name: getattr(made, it.name, "unbound") for it in dataclasses.fields(made)}


@given(
    st.lists(st.sampled_from(list(FIELDS)), max_size=6),
    st.sampled_from(OPTIONS),
    st.booleans(),
    st.integers(0, 7),
)
def test_classes_that_nobody_chose(
    kinds: list[str], options: dict[str, Any], goes_on: bool, count: int
) -> None:
    noted: list[Any] = []
    body = {"__post_init__": lambda self: noted.append(type(self))} if goes_on else {}
    theirs, made = both(kinds, options, body)
    signatures = [str(inspect.signature(it)).replace("<NotGiven>", "") for it in (theirs, made)]
    assert signatures[0] == signatures[1]
    assert theirs.__match_args__ == made.__match_args__
    fields = list(declared(kinds))
    named = {name: name for name, field in fields if field.get("kw_only")}
    for call in (lambda it: it(*range(count)), lambda it: it(*range(count), **named)):
        one, other = seen(lambda: call(theirs)), seen(lambda: call(made))  # noqa: B023
        if isinstance(one, type):
            assert one is other
            continue
        assert state(one) == state(other)
        later = [name for name, field in fields if field == {"init": False}]
        if options.get("repr") is not False and not later:
            assert repr(one) == repr(other)
        twins = [call(it) for it in (theirs, made)]
        for compare in ("__eq__", "__lt__", "__ge__"):
            found = [
                seen(lambda: getattr(it, compare)(twin))  # noqa: B023
                for it, twin in zip((one, other), twins, strict=True)
            ]
            assert found[0] == found[1], compare
        assert seen(lambda: one.__eq__(3)) == seen(lambda: other.__eq__(3))  # noqa: B023
        if options.get("eq") is not False:
            assert seen(lambda: hash(one)) == seen(lambda: hash(other))  # noqa: B023
        for name, _ in fields[:1]:
            changed = [seen(lambda: setattr(it, name, 5)) for it in (one, other)]  # noqa: B023
            assert changed[0] == changed[1]
    assert len(set(noted)) == 2 * bool(noted)


@_make(frozen=True, slots=True)
class Point:
    """Where something is."""

    x: float
    y: float = 0.5
    tags: tuple[str, ...] = dataclasses.field(default=(), compare=False)


@_make(frozen=True)
class Named(Point):
    """That has a name."""

    name: str = "p"

    def __repr__(self) -> str:
        return f"<{self.name}>"


def test_they_are_copied_and_pickled() -> None:
    for point in (Point(1.0), Named(1.0, name="q")):
        for other in (copy.copy(point), copy.deepcopy(point), pickle.loads(pickle.dumps(point))):
            assert other == point
            assert repr(other) == repr(point)
    assert dataclasses.replace(Point(1.0), y=2.0) == Point(1.0, 2.0)
    assert dataclasses.asdict(Point(1.0)) == {"x": 1.0, "y": 0.5, "tags": ()}
    with pytest.raises(dataclasses.FrozenInstanceError):
        Point(1.0).x = 2.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        del Named(1.0).name


def test_subclasses() -> None:
    """What is no field of a frozen class may be set in a plain subclass; abstract ones end."""

    class More(Point):
        def __init__(self) -> None:
            super().__init__(1.0)
            self.more = 5

    made = More()
    made.more = 6
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.x = 2.0
    assert dataclasses.replace(Named(1.0), name="r").name == "r"

    @_make(frozen=True)
    class Key(collections.abc.Hashable):
        a: int

    assert hash(Key(1)) == hash((1,))


def test_a_class_may_say_how_it_is_kept() -> None:
    @_make(frozen=True, slots=True)
    class Kept:
        a: int

        def __getstate__(self) -> list[int]:
            return [self.a + 1]

    assert copy.copy(Kept(1)) == Kept(2)


def test_defaults_that_are_no_arguments_belong_to_the_class() -> None:
    for make in (dataclasses.dataclass, _make):

        @make
        class Base:
            y: int = dataclasses.field(default=3, init=False)

        class Other(Base):
            y = 5

        assert (Base().y, Other().y) == (3, 5)


def test_order_is_that_of_tuples() -> None:
    nan = float("nan")
    for make in (dataclasses.dataclass, _make):

        @make(order=True)
        class One:
            a: float

        @make(order=True)
        class Nothing:
            pass

        assert One(nan) <= One(nan)
        assert One(1.0) < One(2.0)
        assert Nothing() <= Nothing()


def test_what_is_not_possible_is_said() -> None:
    with pytest.raises(TypeError, match="is frozen, and defines __setattr__"):
        _make(frozen=True)(type("Made", (), {"__setattr__": lambda *_: None}))
    for wrong in ({"self": "int"}, {"a": "InitVar[int]"}):
        with pytest.raises(TypeError, match="neither a field `self` nor an InitVar"):
            _make(type("Made", (), {"__annotations__": wrong}))


def test_annotations_can_be_evaluated() -> None:
    assert typing.get_type_hints(Named.__init__)["name"] is str


def test_what_a_class_defines_itself_stays() -> None:
    body = {
        "__init__": lambda self: None,
        "__repr__": lambda self: "own",
        "__eq__": lambda self, other: True,
    }
    for options in OPTIONS[:4]:
        theirs, made = both([], options, body)
        assert repr(made()) == repr(theirs()) == "own"
        assert (made() == 1) is (theirs() == 1) is True
        assert (made.__hash__ is None) is (theirs.__hash__ is None)


def test_values_are_compared_as_in_tuples() -> None:
    """What is the same object counts as equal: NaN, and arrays, whose truth is nobody's."""
    nan = float("nan")
    assert Point(nan) == Point(nan)
    assert Point(1.0) != Named(1.0)
    assert hash(Point(1.0, 2.0)) == hash((1.0, 2.0))


def test_one_form_serves_all_classes_that_are_alike() -> None:
    before = len(ours._INITIALIZERS)
    for _ in range(20):
        both(["plain", "plain", "default"], {"frozen": True}, {})
    assert len(ours._INITIALIZERS) <= before + 1
