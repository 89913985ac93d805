"""One line for each failure, which makes it happen again."""

from __future__ import annotations

import shlex

from tests.support.session.seeds import FUZZING, SEED, VARIABLE

PYTEST = ".venv/bin/python -m pytest"


def line(nodeid: str, seed: int | None) -> str:
    """What a person types.

    Examples
    --------
    >>> line("tests/test_a.py::test_b[1 2]", 4711)
    "NPCOMPILE_SEED=4711 .venv/bin/python -m pytest 'tests/test_a.py::test_b[1 2]'"
    >>> line("tests/test_a.py::test_b", None)
    '.venv/bin/python -m pytest tests/test_a.py::test_b'
    """
    command = f"{PYTEST} {shlex.quote(nodeid)}"
    return command if seed is None else f"{VARIABLE}={seed} {command}"


def lines(nodeids: list[str]) -> list[str]:
    """The lines of a session's failures."""
    found = list(dict.fromkeys(nodeids))
    return [line(nodeid, SEED if FUZZING else None) for nodeid in found]
