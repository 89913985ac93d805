"""Whole kernels with the real compiler: what one has compiled the next one has at once."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from jupyter_npcompile.runtime import cache as caches
from jupyter_npcompile.runtime.cache import Cache
from jupyter_npcompile.runtime.cache_folder import VARIABLE, make_folder
from jupyter_npcompile.runtime.native.compilers import WAYS
from jupyter_npcompile.runtime.worker_process import MARK
from tests.support.paths import CHECKOUT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("g++") is None, reason="nothing can be compiled without g++"),
]

NOTEBOOK = r"""
import json, sys
import numpy as np
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

config = Config()
config.HistoryManager.enabled = False
shell = InteractiveShell.instance(config=config, colors="nocolor")
shell.run_cell("%load_ext jupyter_npcompile\nimport numpy as np")
import jupyter_npcompile as npc

CELLS = [
    "x = np.linspace(0, 1, 400_000)\ny = np.exp(np.sin(x)) * x + 1",
    "def f(a):\n    return np.sqrt(a * a + 2).sum()\nt = f(y)",
    "z = y.copy()\nz[1:-1] = (z[:-2] + z[2:]) * 0.5\nm = z[y > 1].sum()",
]
for cell in CELLS:
    result = shell.run_cell(f"%%npcompile --quiet {' '.join(sys.argv[1:])}\n{cell}")
    assert result.success
if "--ahead" not in sys.argv:
    assert npc.wait()
notes = []
tiers = []
from jupyter_npcompile.runtime import cells, notices
for kept in cells._known.values():
    for state in [*kept.states, *(s for f in kept.functions for s in f.states)]:
        for plans in state.plans.values():
            for plan in plans:
                notes.append(plan.note)
                tiers.append(plan.artifact.tier if plan.artifact else "numpy")
names = shell.user_ns
json.dump({
    "values": [float(names["t"]), float(names["m"]), float(names["z"].sum())],
    "stats": npc.stats(),
    "torch": "torch" in sys.modules,
    "notes": notes,
    "tiers": tiers,
    "lines": notices.take(),
}, sys.stdout)
"""


@pytest.fixture
def environment(processes: Any, tmp_path: Path) -> dict[str, str]:
    """A kernel's environment, with a cache of its own."""
    folder = empty_cache(tmp_path / "cache")
    return {**os.environ, "PYTHONPATH": str(CHECKOUT), VARIABLE: str(folder)}


def empty_cache(root: Path) -> Path:
    """A cache without entries, in which the compiler knows the machine if any test has asked.

    It takes half a minute to find out, which the first compile of a session does anyhow.
    """
    made = Cache(root)
    made.prepare()
    for mark in caches.cache().compiler.glob(f"*/*/{MARK}"):
        found = mark.parent
        target = make_folder(make_folder(made.compiler / found.parent.name) / found.name)
        shutil.copytree(found, target, dirs_exist_ok=True)
    return root


def run(environment: dict[str, str], *options: str) -> dict[str, Any]:
    """Run the notebook in a fresh kernel."""
    done = subprocess.run(
        [sys.executable, "-c", NOTEBOOK, *options],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout[done.stdout.index('{"values"') :])
    return found


def test_the_next_kernel_has_it_at_once(environment: dict[str, str]) -> None:
    first = run(environment, "--ahead")
    assert first["stats"]["artifacts"] >= 3
    assert first["stats"]["fallbacks"] == first["stats"]["replaced"] == 0
    second = run(environment, "--ahead")
    assert second["values"] == pytest.approx(first["values"], rel=1e-12)
    assert second["stats"]["artifacts"] == 0
    assert second["stats"]["recalled"] == first["stats"]["artifacts"]
    assert not first["torch"]
    assert not second["torch"]
    assert first["lines"] == second["lines"] == []


def test_without_a_compiler(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    environment["PATH"] = str(tmp_path / "bin")
    found = run(environment)
    assert found["stats"]["artifacts"] == 0
    assert set(found["tiers"]) == {"numpy"}
    assert set(found["notes"]) <= {
        f"g++ is missing: {WAYS}; NumPy runs this cell",
        "plain Python",
        "",
    }
    assert any("g++ is missing" in note for note in found["notes"])
