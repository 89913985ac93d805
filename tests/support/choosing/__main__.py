"""Measures every test, and writes down which ones `make test` runs: ``make choose``.

usage: python -m tests.support.choosing [--again] [--share 0.98] [--seconds 1200]
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import os
import subprocess
import sys
import sysconfig
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

from tests.support.choosing.choice import Test, as_chosen, choose
from tests.support.choosing.recording import records
from tests.support.choosing.statements import FOLDER, index
from tests.support.compiling.batches import TOGETHER
from tests.support.paths import CHECKOUT
from tests.support.session.selection import FILE, Chosen, is_chosen, read, split

WHERE = CHECKOUT / "build" / "choosing"

KEPT = (
    "tests/browser/test_compiled_cell.py::test_a_cell_is_compiled_and_marked[lab]",
    "tests/browser/test_graph_widget.py::test_a_graph_is_opened_and_walked_through",
    "tests/project/test_notebooks.py::test_it_runs_and_its_exercises_fail_unsolved_and_pass_solved"
    "[01_first_cell]",
)
"""What `make test` runs in any case: the browser, and the first notebook."""

CHOSEN_RUN = CHECKOUT / "build" / "pytest-chosen.xml"

HEAD = """\
# Of families that are named here `make test` runs these examples, and all of the others.
# `make choose` writes this; to add an example by hand is fine.
"""

START = (
    "import os; os.environ.get({folder!r}) and (__import__('sys').path.insert(0, {checkout!r}), "
    "__import__('tests.support.choosing.statements', fromlist=['start']).start())\n"
)
"""A line that every Python of the environment runs when it starts."""


def main() -> None:
    """Measure, unless that has been done, choose, and say what came of it."""
    parser = argparse.ArgumentParser(description="Choose what `make test` runs.")
    parser.add_argument("--again", action="store_true", help="do not measure: that has been done")
    parser.add_argument("--share", type=float, default=0.98, help="of what all tests reach")
    parser.add_argument("--seconds", type=float, default=1200.0, help="of all processes together")
    options = parser.parse_args()
    os.environ[FOLDER] = str(WHERE)
    if not options.again:
        measure()
    tests, outside = measured()
    kept = [name for name in tests if name.startswith(KEPT)]
    write(as_chosen(choose(tests, options.share, options.seconds, kept), tests))
    print(account(tests, outside, read()))


def measure() -> None:
    """Run all tests, and record them."""
    WHERE.mkdir(parents=True, exist_ok=True)
    for path in WHERE.glob("*.*"):
        path.unlink()
    index()
    hook = Path(sysconfig.get_path("purelib")) / "npcompile_choosing.pth"
    hook.write_text(START.format(folder=FOLDER, checkout=str(CHECKOUT)))
    command = [sys.executable, "-m", "pytest", "-q", "-n", "3", "--dist", "loadfile"]
    try:
        subprocess.run([*command, "-p", "tests.support.choosing.recording"], check=False)
    finally:
        hook.unlink()


def measured() -> tuple[dict[str, Test], set[int]]:
    """All tests, and what is reached outside of any, by being imported for instance."""
    tests: dict[str, Test] = {}
    outside: set[int] = set()
    for record in records(WHERE):
        reached = set(record.reached.tolist())
        if record.nodeid:
            tests[record.nodeid] = Test(record.seconds, reached)
        else:
            outside |= reached
    for test in tests.values():
        test.reached -= outside
    for name, seconds in timed(CHOSEN_RUN).items():
        if name in tests:
            tests[name].seconds = seconds
    for name in beyond_a_batch(tests):
        tests[name].seconds = math.inf
    return tests, outside


def timed(path: Path) -> dict[str, float]:
    """What tests took when `make test` ran last, if it has: what the first of some compiles.

    Some tests are dear only where others are left out, whose work they then do.
    """
    cases = ElementTree.parse(path).iter("testcase") if path.exists() else ()
    found = {}
    for case in cases:
        file = (case.get("classname") or "").replace(".", "/")
        found[f"{file}.py::{case.get('name')}"] = float(case.get("time") or 0.0)
    return found


def beyond_a_batch(tests: Mapping[str, Test]) -> list[str]:
    """Examples that are compiled with others: more than one batch of a family is too dear."""
    found, counts = [], Counter[tuple[str, str]]()
    for name in tests:
        file, family, _ = split(name)
        counts[file, family] += 1
        if counts[file, family] > TOGETHER and is_batched(file):
            found.append(name)
    return found


@functools.cache
def is_batched(file: str) -> bool:
    """Whether tests of a file are compiled some at a time."""
    return "compiled_together" in (CHECKOUT / file).read_text(encoding="utf-8")


def write(chosen: Chosen, path: Path = FILE) -> None:
    """Write `tests/chosen.toml`."""
    lines = [HEAD]
    for file, families in sorted(chosen.items()):
        lines.append(f"\n[{json.dumps(file)}]\n")
        for family, examples in sorted(families.items()):
            listed = "".join(f"    {json.dumps(example)},\n" for example in sorted(examples))
            lines.append(
                f"{json.dumps(family)} = [\n{listed}]\n"
                if listed
                else f"{json.dumps(family)} = []\n"
            )
    path.write_text("".join(lines), encoding="utf-8")


def account(tests: Mapping[str, Test], outside: set[int], chosen: Chosen) -> str:
    """What is chosen, and how much of the package it reaches."""
    every = outside.union(*(test.reached for test in tests.values()))
    taken = {name: test for name, test in tests.items() if is_chosen(name, chosen)}
    reached = outside.union(*(test.reached for test in taken.values()))
    seconds = sum(test.seconds for test in taken.values())
    return (
        f"{len(taken)} of {len(tests)} tests, {seconds:.0f} s of all processes together; "
        f"{len(reached)} of {len(every)} statements ({len(reached) / len(every):.2%}) "
        f"that all of them reach"
    )


if __name__ == "__main__":
    main()
