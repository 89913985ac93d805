"""Functions that go to another process take their text along, and that of what they call."""

from __future__ import annotations

import linecache
import types
from pathlib import Path
from typing import Any

import pytest

from jupyter_npcompile.cell import definition
from jupyter_npcompile.runtime.sent_sources import place_of, reachable, settle, texts_of

TEXT = """import math

@staticmethod
def other(x):
    # a comment

    return x + 1

def first(x):
    return second(x) + (lambda y: other(y))(x)

def second(x):
    if x:
        return first(x - 1)
    return math.sqrt(x)

def unused(x):
    return x
"""


@pytest.fixture
def sent(tmp_path: Path) -> dict[str, Any]:
    """The names of a script."""
    names: dict[str, Any] = {"__name__": "__main__"}
    file = tmp_path / "script.py"
    file.write_text(TEXT)
    exec(compile(TEXT, str(file), "exec"), names)
    names["other"] = names["other"].__func__
    return names


def arrived(names: dict[str, Any]) -> dict[str, Any]:
    """The same functions, without their file."""
    made = dict(names)
    for name, value in names.items():
        if type(value) is types.FunctionType:
            code = value.__code__.replace(co_filename="<dynamic-code>")
            made[name] = types.FunctionType(code, made, name)
    return made


def test_what_a_function_calls_is_found(sent: dict[str, Any]) -> None:
    assert {one.__name__ for one in reachable(sent["first"])} == {"first", "second", "other"}
    texts = texts_of(sent["first"])
    _, lines = texts[place_of(sent["other"])]
    assert "".join(lines) == TEXT[TEXT.index("@static") : TEXT.index("\n\ndef first")] + "\n"


@pytest.mark.parametrize("there", ["the same", "another version", "nothing"])
def test_texts_are_found_where_they_arrive(sent: dict[str, Any], there: str) -> None:
    texts = texts_of(sent["first"])
    file = Path(sent["first"].__code__.co_filename)
    if there == "another version":
        file.write_text("\n" + TEXT)
    elif there == "nothing":
        file.unlink()
    linecache.clearcache()
    names = arrived(sent)
    settle(names["first"], texts)
    for name in ("first", "second", "other"):
        found = definition(names[name])
        assert found.node.name == name  # type: ignore[union-attr]
        is_named = names[name].__code__.co_filename == str(file)
        assert is_named == (there != "another version")
    assert names["unused"].__code__.co_filename == "<dynamic-code>"
    assert names["first"](0) == 1.0


def test_two_versions_have_texts_of_their_own(sent: dict[str, Any]) -> None:
    texts = texts_of(sent["first"])
    file = Path(sent["first"].__code__.co_filename)
    file.unlink()
    linecache.clearcache()
    one, two = arrived(sent), arrived(sent)
    settle(one["second"], texts)
    changed = {
        place: (name, tuple(f"{line.rstrip()} # \n" for line in lines))
        for place, (name, lines) in texts.items()
    }
    settle(two["second"], changed)
    for names in (one, two):
        assert definition(names["second"]).node.name == "second"  # type: ignore[union-attr]


def test_without_any_text_nothing_is_sent() -> None:
    names: dict[str, Any] = {}
    exec("def f(x):\n    return x", names)
    assert [lines for _, lines in texts_of(names["f"]).values()] == [()]
    settle(names["f"], texts_of(names["f"]))
    assert names["f"].__code__.co_filename == "<string>"
