"""Which tests are run: those of ``make test``, the rest, or those that draw examples.

``tests/chosen.toml`` says which examples of a family ``make test`` runs. A family that it does
not name runs whole there, so a new test is part of ``make test`` from the start.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from tests.support.paths import CHECKOUT
from tests.support.session.seeds import FUZZING

FILE = CHECKOUT / "tests" / "chosen.toml"

PARTS = ("all", "chosen", "rest")

STALE = pytest.StashKey[list[str]]()
"""Of a configuration: examples that are chosen and do not exist, for a test to tell.

An error while tests are collected would end the processes of a run without a word.
"""

Chosen = Mapping[str, Mapping[str, list[str]]]
"""For each file, the families of which some are left out, and which examples are not.

A test without parameters is a family of one example, whose name is empty.
"""


def split(nodeid: str) -> tuple[str, str, str]:
    """File, family and example of a test.

    Examples
    --------
    >>> split("tests/test_a.py::test_b[x::y-[1]]")
    ('tests/test_a.py', 'test_b', 'x::y-[1]')
    >>> split("tests/test_a.py::TestB::test_c")
    ('tests/test_a.py', 'TestB::test_c', '')
    """
    file, _, name = nodeid.partition("::")
    family, _, example = name.partition("[")
    return file, family, example.removesuffix("]")


def read(path: Path = FILE) -> Chosen:
    """What is chosen."""
    found: Chosen = tomllib.loads(path.read_text(encoding="utf-8"))
    return found


def is_chosen(nodeid: str, chosen: Chosen) -> bool:
    """Whether ``make test`` runs a test.

    Examples
    --------
    >>> chosen = {"a.py": {"test_b": ["x"], "test_slow": []}}
    >>> [is_chosen("a.py::" + name, chosen) for name in ("test_b[x]", "test_b[y]", "test_slow")]
    [True, False, False]
    >>> is_chosen("a.py::test_new", chosen)
    True
    """
    file, family, example = split(nodeid)
    examples = chosen.get(file, {}).get(family)
    return examples is None or example in examples


def unknown(nodeids: Iterable[str], chosen: Chosen) -> list[str]:
    """Examples that are chosen and do not exist, in files that were collected, or are gone."""
    known = {split(nodeid) for nodeid in nodeids}
    families = {(file, family) for file, family, _ in known}
    files = {file for file, _, _ in known}
    return [
        f"{file}::{family}[{example}]"
        for file, found in chosen.items()
        if file in files or not (CHECKOUT / file).exists()
        for family, examples in found.items()
        for example in examples or [""]
        if (file, family, example) not in known
        and not (not examples and (file, family) in families)
    ]


def left_out(items: list[pytest.Item], config: pytest.Config) -> set[pytest.Item]:
    """Tests that do not belong to the part of the suite that is asked for.

    Parameters
    ----------
    items : list of pytest.Item
        All that were collected.
    config : pytest.Config
        Its option `part` is one of `PARTS`; `STALE` is noted there.
    """
    part = config.getoption("part")
    left = set() if FUZZING else {item for item in items if item.get_closest_marker("fuzz")}
    if part != "all":
        chosen = read()
        config.stash[STALE] = unknown((item.nodeid for item in items), chosen)
        left |= {item for item in items if is_chosen(item.nodeid, chosen) != (part == "chosen")}
    return left
