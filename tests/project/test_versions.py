"""The versions that ``scripts/matrix.sh`` tests with, and the page about them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tests.support.paths import CHECKOUT

CORNERS = sorted((CHECKOUT / "tests" / "constraints").glob("*.txt"))
PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]


def pins(corner: str) -> dict[str, str]:
    text = (CHECKOUT / "tests" / "constraints" / f"{corner}.txt").read_text()
    lines = [line.partition("==") for line in text.splitlines() if not line.startswith("#")]
    return {name.lower(): version for name, _, version in lines}


@pytest.mark.parametrize("requirement", PROJECT["dependencies"])
def test_the_oldest_corner_has_what_the_package_still_allows(requirement: str) -> None:
    name, _, oldest = requirement.partition(">=")
    pinned = pins("oldest")[name]
    assert pinned == oldest or pinned.removeprefix(oldest).strip(".0") == ""


@pytest.mark.parametrize("path", CORNERS, ids=lambda path: path.stem)
def test_a_corner_names_its_python_and_one_version_of_each_package(path: Path) -> None:
    first, *others = path.read_text().splitlines()
    assert re.fullmatch(r"# Python 3\.\d+", first)
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in others)


def test_every_python_that_is_tested_is_named_in_the_metadata() -> None:
    tested = {path.read_text().splitlines()[0].removeprefix("# Python ") for path in CORNERS}
    prefix = "Programming Language :: Python :: 3."
    named = {it.rpartition(" ")[2] for it in PROJECT["classifiers"] if it.startswith(prefix)}
    assert named == tested


def test_the_page_has_a_row_for_each_corner() -> None:
    page = (CHECKOUT / "docs" / "dev" / "versions.md").read_text()
    rows = [line.split("|")[1].strip() for line in page.splitlines() if line.startswith("|")]
    assert {path.stem for path in CORNERS} <= set(rows)
