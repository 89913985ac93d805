"""Names of NumPy that mean something else: before we are imported, and when something first runs.

Each in a process of its own: what is found out once is kept.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import CHECKOUT
from tests.support.session.processes import PATIENCE

PATCH = """
import functools
import numpy as np
seen = []
def patched(name, wraps):
    real = getattr(np, name)
    def loud(*args, **kwargs):
        seen.append(name)
        return real(*args, **kwargs) + 1000
    setattr(np, name, functools.wraps(real)(loud) if wraps else loud)
    return real
"""

RUN = """
import jupyter_npcompile as npc
npc.settings.tier = {tier!r}
def f(x):
    total = 0.0
    for k in range(3):
        total += np.{name}(x[k:]).sum()
    return total, np.{name}(x) * 2
made = npc.compile(f, ahead=True)
{between}
x = np.linspace(0.1, 0.9, 6)
for step in range(4):
    expected = f(x)
    told, seen[:] = list(seen), []
    got = made(x)
    assert seen == told, (step, seen, told)
    seen.clear()
    assert abs(got[0] - expected[0]) < 1e-9
    np.testing.assert_allclose(got[1], expected[1], rtol=1e-12)
{after}
for step in range(4):
    expected, got = f(x), made(x)
    assert not seen
    assert abs(got[0] - expected[0]) < 1e-9
    np.testing.assert_allclose(got[1], expected[1], rtol=1e-12)
"""


def succeeds(folder: Path, text: str) -> None:
    """Run a program, which has its source in a file, in a process of its own."""
    path = folder / "program.py"
    path.write_text(text)
    done = subprocess.run(
        [sys.executable, str(path)], capture_output=True, text=True, timeout=PATIENCE, cwd=CHECKOUT
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("tier", ["aten", "auto"])
@pytest.mark.parametrize("name", ["sin", "mean", "cumsum"])
@pytest.mark.parametrize("when", ["before", "later"])
@pytest.mark.parametrize("wraps", [False, True])
def test_what_has_the_name_of_a_function_of_numpy(
    tmp_path: Path, tier: str, name: str, when: str, wraps: bool
) -> None:
    patch = f"real = patched({name!r}, {wraps})"
    undone = f"np.{name} = real"
    before, between = (patch, "") if when == "before" else ("", patch)
    run = RUN.format(tier=tier, name=name, between=between, after=undone)
    succeeds(tmp_path, PATCH + before + run)


KINDS = {
    "partial": "functools.partial(loud)",
    "mock": "mock.MagicMock(side_effect=loud)",
    "method": "type('C', (), {'m': functools.wraps(real)(lambda self, *a: loud(*a))})().m",
    "ufunc": "np.frompyfunc(loud, 1, 1)",
    "object": "np.poly1d([1.0, 2.0])",
}

BEFORE = """
import functools
import numpy as np
from unittest import mock
seen, real = [], np.{name}
def loud(*args):
    seen.append(1)
    return real(*args) + 1000
np.{name} = {value}
import jupyter_npcompile as npc
npc.settings.tier = "auto"
def f(x):
    return np.{name}(x) * 2
x = np.linspace(0.1, 0.9, 6)
made = npc.compile(f, ahead=True)
for step in range(3):
    seen.clear()
    expected = f(x)
    told = len(seen)
    seen.clear()
    got = made(x)
    assert len(seen) == told, (step, len(seen), told)
    np.testing.assert_array_equal(np.asarray(got, float), np.asarray(expected, float))
"""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["sin", "mean"])
def test_other_kinds_of_things(tmp_path: Path, kind: str, name: str) -> None:
    succeeds(tmp_path, BEFORE.format(name=name, value=KINDS[kind]))


def test_operators_are_no_names(tmp_path: Path) -> None:
    """Who binds another function to ``np.add`` has not changed what ``+`` does."""
    program = BEFORE.format(name="add", value="loud").replace("np.add(x) * 2", "x + 1")
    succeeds(tmp_path, program)
