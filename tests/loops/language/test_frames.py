"""Names of loops, and of functions in them: each has its own, and asks for what it lacks."""

from __future__ import annotations

import numpy as np

from jupyter_npcompile.loops.errors import NONE
from jupyter_npcompile.loops.frames import Frame, Jumps, NeedsInput, NeedsValue
from jupyter_npcompile.loops.kinds import BOOL
from jupyter_npcompile.loops.records import Step
from tests.loops.test_program import translated
from tests.support.loops.native_loops import define


def test_a_function_has_names_of_its_own() -> None:
    helper = define("def helper(a):\n    i = a * 2\n    t = i + 1\n    return t\n")
    code = translated("for i in range(9): t = helper(a[i])", helper=helper, a=np.ones(9))
    assert code.inputs == ("a",)
    assert set(code.outputs) == {"i", "t"}
    assert [function for function, _, _ in code.codes] == [helper]


def test_frames_begin_with_nothing_bound() -> None:
    frame = Frame("v_", {"n": 3}.__getitem__, frozenset({"t"}), is_loop=True)
    assert frame.lookup("n") == 3
    assert (frame.env, frame.held, frame.closures) == ({}, {}, {})
    assert frame.ignored == NONE
    jumps = Jumps({"t": BOOL}, {}, "_1", NONE)
    assert (jumps.head, jumps.ends, jumps.breaks) == ({"t": BOOL}, [], [])


def test_what_is_asked_for_has_a_name() -> None:
    path = ("p", Step(dict, "dt"))
    asked = NeedsInput("p.dt", path, BOOL, replaces=True)
    assert (str(asked), asked.name, asked.path, asked.type, asked.replaces) == (
        *("p.dt", "p.dt", path, BOOL),
        True,
    )
    assert NeedsValue("axis").name == "axis"
