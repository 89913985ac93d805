"""Copies in which what hung together still hangs together."""

from __future__ import annotations

import threading
import types
from typing import Any

import numpy as np

from jupyter_npcompile.runtime.copied_namespace import CopiedNamespace, reachable
from jupyter_npcompile.runtime.copies import Copier, LenientCopier


def test_one_object_stays_one_object() -> None:
    x = np.arange(4.0)
    both = [x, x[1:], x]
    both.append(both)
    made = Copier().copy([both, both, {"k": x}])
    assert made[0] is made[1]
    assert made[0][3] is made[0]
    assert made[0][0] is made[0][2] is made[2]["k"]
    assert made[0][1].base is made[0][0]
    assert made[0][0] is not x


def test_arrays_in_objects_stay_views() -> None:
    x = np.arange(4.0)
    holder = types.SimpleNamespace(view=x[1:], me=None)
    holder.me = holder
    a, b = Copier().copy((holder, x))
    assert a.view.base is b
    assert a.me is a


def test_what_cannot_be_copied_is_passed() -> None:
    lock = threading.Lock()
    copier = LenientCopier()
    assert copier.copy([lock])[0] is lock
    assert copier.shared == ["lock"]
    assert copier.copy(np) is np
    assert copier.copy(np.sin) is np.sin


def run(space: dict[str, Any], source: str) -> None:
    exec(source, space)


def test_functions_work_on_the_copy() -> None:
    space: dict[str, Any] = {"__name__": "__main__"}
    run(
        space,
        "n = 0\nlog = []\n"
        "def count(k=1):\n    global n\n    n += k\n    log.append(n)\n    return n\n"
        "def twice():\n    return count() + count()\n"
        "def maker():\n    total = [0]\n    def add():\n        total[0] += 1\n"
        "        return total[0]\n    return add\nadd = maker()\n",
    )
    copy = CopiedNamespace(space, ["twice", "add"])
    assert set(copy.copied) == {"twice", "count", "n", "log", "add"}
    assert copy.space["twice"]() == 3
    assert (copy.space["n"], copy.space["log"]) == (2, [1, 2])
    assert (space["n"], space["log"]) == (0, [])
    copy.space["add"]()
    assert space["add"]() == 1


def test_methods_work_on_the_copy_for_a_while() -> None:
    space: dict[str, Any] = {"__name__": "__main__"}
    run(
        space,
        "n = 0\nclass Counter:\n    def step(self):\n        global n\n        n += 1\n"
        "    @property\n    def now(self):\n        return n\n"
        "    @staticmethod\n    def read():\n        return n\nc = Counter()\n",
    )
    copy = CopiedNamespace(space, ["c"])
    with copy.methods():
        copy.space["c"].step()
        assert copy.space["c"].now == copy.space["c"].read() == 1
    assert (copy.space["n"], space["n"]) == (1, 0)
    assert space["c"].now == 0


def test_code_that_can_reach_everything_gets_everything() -> None:
    space = {"a": 1, "b": 2, "_i": "", "f": len}
    assert reachable(space, {"a"}) == ["a"]
    assert set(reachable(space, {"eval"}, hidden=("_i",))) == {"a", "b", "f"}
