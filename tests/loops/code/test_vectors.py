"""Numbers that elements may have instead of their own: the compiler makes no branch of them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from jupyter_npcompile.loops.includes import complete
from jupyter_npcompile.runtime.native.gxx import command
from jupyter_npcompile.runtime.native.loop_headers import folders
from jupyter_npcompile.runtime.native.loop_toolchain import LOOPS
from tests.runtime.dispatch.test_whole_function import whole
from tests.support.loops.native_loops import define

pytestmark = pytest.mark.usefixtures("straight_functions")

CHOICES = (
    "np.maximum(x, 0) * 3",
    "np.clip(x, 0.0, 1.0) * 2 + y",
    "np.sqrt(np.maximum(x, 1e-12))",
    "1 / np.maximum(np.abs(x), 1e-3)",
    "np.minimum(np.maximum(x, 0), 1) ** 2",
    "np.where(x < 0, 0.0, x) * y",
    "np.maximum(x.astype(np.float32), 0) * 3",
)


@pytest.mark.parametrize("expression", CHOICES)
def test_numbers_to_choose_from_are_not_known(expression: str) -> None:
    function = define(f"def f(x, y):\n    return {expression}")
    x, y = np.random.default_rng(0).normal(size=(2, 1000))
    x[:6] = np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0
    native, state = whole(function, [x, y])
    assert not state.closed, state.closed
    assert "unknown<" in state.forms[0].code.source
    with np.errstate(all="ignore"):
        expected = function(x, y)
        for _ in range(3):
            np.testing.assert_array_equal(native(x, y), expected)


@pytest.mark.skipif(command() != ["g++"], reason="only g++ says why there are no vectors")
def test_the_compiler_makes_no_branches_of_them(tmp_path: Path) -> None:
    lines = [f"    r{k} = {expression}" for k, expression in enumerate(CHOICES)]
    names = ", ".join(f"r{k}" for k in range(len(CHOICES)))
    body = "\n".join([*lines, f"    return {names}"])
    _, state = whole(define(f"def f(x, y):\n{body}"), list(np.ones((2, 1000))))
    text = tmp_path / "loop.cpp"
    text.write_text(complete(state.forms[0].code.source))
    search = [f"-I{folder}" for folder in folders()]
    said = subprocess.run(
        ["g++", *LOOPS, "-fopt-info-vec-all", *search, str(text), "-o", str(tmp_path / "loop.so")],
        capture_output=True,
        text=True,
        check=True,
    ).stderr
    here = [line for line in said.splitlines() if line.startswith(str(text))]
    assert sum("loop vectorized" in line for line in here) >= len(CHOICES)
    assert not [line for line in here if "control flow in loop" in line]


def test_other_numbers_are_known() -> None:
    native, state = whole(define("def f(x, y):\n    return x * 2 + y / 4"), [np.ones(9)] * 2)
    assert "unknown<" not in state.forms[0].code.source
    assert native(np.ones(2), np.ones(2)).tolist() == [2.25, 2.25]
