"""``%%npcompile --check``: the cell runs in NumPy, a copy compiled, and both are compared."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.views import MIME_TYPE
from tests.magic.test_magic import Shell
from tests.support.cells.native import assert_same
from tests.support.compiling.broken import broken_lowering, last_element, plus_one


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    monkeypatch.setattr(npc.settings, "tier", "aten")
    made = Shell()
    yield made
    made.ip.run_line_magic("unload_ext", "jupyter_npcompile")


def text(shell: Shell) -> str:
    """What the check shows, as text."""
    (bundle,) = [b for b in shell.shown if MIME_TYPE in b]
    assert "<script" not in str(bundle["text/html"])
    return str(bundle["text/plain"])


def check(shell: Shell, source: str, setup: str = "", options: str = "") -> str:
    """Run a cell under ``--check``, after a setup that is not."""
    if setup:
        shell.ip.run_cell(setup)
    shell.run(f"%%npcompile --check{options}\n{source}")
    return text(shell)


BROKEN = [
    ("numpy.cumsum", plus_one, "z = x * 2\ny = np.cumsum(z)\nw = y + 1", 3, 4, "np.cumsum",
     "np.cumsum(np.array([0.0]))", {"y", "w"}),
    ("numpy.cumsum", last_element, "y = np.exp(x).cumsum()", 2, 4, "ndarray.cumsum",
     "np.array([0.0, 0.0]).cumsum()", {"y"}),
    ("numpy.hypot", plus_one, "for k in range(3):\n    x = np.hypot(x, k)\n    print(k)", 3, 8,
     "np.hypot", "np.hypot(np.array([0.0]), 0)", {"x"}),
    ("numpy.add", plus_one, "v = x[1:]\nv += 3", 3, 0, "np.add",
     "a = np.array([0.0]); np.add(a, 3, out=a)", {"x", "v"}),
    ("numpy.clip", plus_one, "if True:\n    x.clip(0, 1)", 3, 4, "ndarray.clip", "", set()),
    ("numpy.clip", plus_one, "x.clip(0, 1)", 2, 0, "ndarray.clip",
     "np.array([0.0]).clip(0, 1)", {"displayed value"}),
    ("setitem", None, "x[::2] = 5", 2, 0, "ndarray.__setitem__", "a = np.array([0.0]); a[::2] = 5",
     {"x"}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("op", "instead", "source", "line", "column", "function", "smallest", "names"),
    BROKEN,
    ids=[f"{case[0]}-{k}" for k, case in enumerate(BROKEN)],
)
def test_a_broken_lowering_is_named(
    shell: Shell,
    op: str,
    instead: Any,
    source: str,
    line: int,
    column: int,
    function: str,
    smallest: str,
    names: set[str],
) -> None:
    setup = "x = np.linspace(0, 1, 6)"
    assert "the same as NumPy" in check(shell, source, setup)
    with broken_lowering(op, instead or _no_store):
        said = check(shell, source, setup)
        if not names:
            assert "the same as NumPy" in said  # nobody sees the value
            return
    assert f"line {line}, column {column}: {function}" in said
    if smallest:
        assert f"smallest   {smallest}" in said
    found = [row.split()[1:] for row in said.splitlines() if row.startswith("  value")]
    assert {" ".join(words).split(":")[0] for words in found} == names
    reference: dict[str, Any] = {"np": np, "print": lambda *_: None}
    exec(f"{setup}\n{source}", reference)
    assert np.array_equal(shell.ip.user_ns["x"], reference["x"])
    assert "the same as NumPy" in check(shell, source, setup), "the broken artifact was kept"


def _no_store(lowering: Any, trace: Any, *args: Any, **kwargs: Any) -> Any:
    return None


SAME = [
    "y = np.sin(x) * 2\nx[1:] += 1\nprint('hello', y.sum())\ny",
    "z = x[99]",
    "x[0] = 7\nraise ValueError('stop')",
    "w = np.log(x - 1)",
    "import warnings\nwarnings.warn('careful')\ny = x + 1",
    "np.random.rand(3) + x[:3]",
    "g = rng.normal(size=3) * 2\nh = rng.integers(9)",
    "r = f(x)\nfor i in range(3):\n    r = f(r) + np.cos(r)",
    "a.step()\nb = a.v + 1",
    "def h(x):\n    return np.sqrt(x)\n\nclass C:\n    pass\nc = C()\nc.v = h(x)\no = [c, c.v]",
    "del v\nx *= 2",
    "y = v\nv += 1\nz = [x, v]",
    "eval('x + 1')",
    "%time k = np.ones(3) * 2",
    "import asyncio\nawait asyncio.sleep(0)\nm = x * 2\nm",
    "x * 2;",
    "t = (i * x for i in range(3))\ns = [u.sum() for u in t]",
    "with np.errstate(all='raise'):\n    y = x / 2",
    "np.seterr(divide='ignore')\ny = x / 2",
    "lst.append(x * 2)\nd['k'] = lst[-1]",
    "import sys\nsys.stdout.write('raw\\n')\ny = x.T",
    "raise SystemExit(3)",
    "x = 1 +",
    "# nothing but a comment",
    "_ = x * 2\n_",
    "global_name = x.view(np.int64)\nx.flags.writeable = False\ny = x + 1",
    "frozen + 1\nq = frozen[::-1]",
]  # fmt: skip
SETUP = """
x = np.linspace(0, 1, 6)
v = x[1:]
n = 1
lst, d = [x], {}
frozen = np.arange(4)
frozen.flags.writeable = False
rng = np.random.default_rng(3)
def f(a):
    global n
    n = n + 1
    x[0] = n
    return a * n
class A:
    def __init__(self, v):
        self.v = v
    def step(self):
        x[0] = 99
        self.v = self.v * 2
a = A(x)
"""


@pytest.mark.parametrize("source", SAME)
@pytest.mark.filterwarnings("ignore:To exit:UserWarning")
def test_the_cell_is_numpys_and_nothing_differs(shell: Shell, source: str) -> None:
    seen = []
    for head in ("# plain", "%%npcompile --check"):
        for name in _NAMES:
            shell.ip.user_ns.pop(name, None)
        shell.ip.run_cell(SETUP)
        np.random.seed(1)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            error = shell.run(f"{head}\n{source}")
        names = {k: repr(v) for k, v in shell.ip.user_ns.items() if k in _NAMES}
        names["state"] = repr(np.random.get_state()[1][:5])
        seen.append((names, type(error), str(error)[:30], [str(w.message) for w in caught]))
    assert seen[1] == seen[0]
    if "1 +" in source or source.startswith("#"):
        return
    said = text(shell)
    assert "the same as NumPy" in said
    assert "failed" not in said


_NAMES = ("x", "v", "y", "z", "r", "n", "s", "b", "d", "lst", "g", "k", "m", "frozen", "q")


def test_the_copy_is_neither_seen_nor_heard(
    shell: Shell, capsys: pytest.CaptureFixture[str]
) -> None:
    check(shell, "display(x)\nprint('once')\nx += 1", "x = np.ones(3)")
    assert capsys.readouterr().out.count("once") == 1
    assert len(shell.shown) == 2
    assert shell.ip.user_ns["x"].tolist() == [2, 2, 2]


def test_a_function_without_source_sees_what_the_cell_binds() -> None:
    """A fault of the recorder that the check found."""
    setup = "x = np.arange(3.0); k = 2; exec('f = lambda v: v * k')"
    assert_same("a = f(x)\nk = 3\nb = f(x)", setup=setup)


def test_shared_memory_that_no_base_shows(shell: Shell) -> None:
    setup = "x = np.arange(5.0); s = np.lib.stride_tricks.as_strided(x, (3, 3), (8, 8))"
    said = check(shell, "s += 1\nx += 1\nz = s * 2", setup)
    assert "the same as NumPy" in said
    assert "every time" not in said


def test_lambdas_are_looked_into_beside_magics(shell: Shell) -> None:
    said = check(shell, "f = lambda v: v * 2\n%time y = np.ones(3)\nz = f(y)")
    assert "the same as NumPy" in said
    report = npc.last_report()
    assert report is not None
    assert [line.line for line in report.lines if line.status == "compiled"] == [2, 4]


def test_an_interrupted_cell_does_not_run_again(
    shell: Shell, capsys: pytest.CaptureFixture[str]
) -> None:
    shell.run("%%npcompile --check\nx = np.ones(3)\nprint('once')\nraise KeyboardInterrupt")
    out = capsys.readouterr().out
    assert out.count("once") == 2  # printed, and in the traceback
    assert "nothing to compare" in out


def test_nobody_is_asked_twice(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def answer(prompt: str = "") -> str:
        asked.append(prompt)
        return "3"

    monkeypatch.setattr("builtins.input", answer)
    assert "the same as NumPy" in check(shell, "n = int(input('n? '))\nx = np.ones(n) * 2")
    assert asked == ["n? "]
    assert input() == "3"


def test_quiet_shows_only_differences(shell: Shell) -> None:
    shell.run("%%npcompile --check --quiet\nx = np.arange(4.0) * 2")
    assert shell.shown == []
    with broken_lowering("numpy.multiply", plus_one):
        shell.run("%%npcompile --check --quiet\nx = np.arange(4.0) * 2")
    assert "np.multiply" in text(shell)


def test_a_fault_of_the_checker_is_one_line(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*args: object, **kwargs: object) -> None:
        raise RuntimeError("broken on purpose")

    monkeypatch.setattr("jupyter_npcompile.runtime.cell_comparison.contrasted", broken)
    assert shell.run("%%npcompile --check\nx = np.ones(3) * 2") is None
    assert shell.ip.user_ns["x"].tolist() == [2, 2, 2]
    assert "the check failed: RuntimeError: broken on purpose" in capsys.readouterr().out
    monkeypatch.setattr("jupyter_npcompile.runtime.cell_comparison.CopiedNamespace", broken)
    assert shell.run("%%npcompile --check\nx = np.ones(4)") is None
    assert len(shell.ip.user_ns["x"]) == 4
    assert "runs unchecked: RuntimeError: broken on purpose" in capsys.readouterr().out


def test_what_cannot_be_copied_is_passed_and_named(shell: Shell) -> None:
    said = check(
        shell,
        "y = x * 2\nfirst = lock",
        "import threading\nlock = threading.Lock()\nx = np.ones(2)",
    )
    assert "the same as NumPy" in said
    assert "cannot be copied: lock" in said


def test_the_report_of_the_checked_cell_can_be_asked_for(shell: Shell) -> None:
    check(shell, "x = np.ones(3) * 2")
    report = npc.last_report()
    assert report is not None
    assert [line.status for line in report.lines] == ["compiled"]


def test_another_program_may_call_the_magic(shell: Shell) -> None:
    with broken_lowering("numpy.multiply", plus_one):
        shell.published.outputs.clear()
        shell.ip.run_cell_magic("npcompile", "--check", "x = np.ones(3) * 2")
    assert shell.ip.user_ns["x"].tolist() == [2, 2, 2]
    assert "line 2, column 4: np.multiply" in text(shell)


def test_shell_state_is_put_back(shell: Shell) -> None:
    before = shell.ip.user_module, id(shell.ip.user_ns), shell.ip.display_pub
    check(shell, "%time x = np.ones(3)\nprint(1)")
    assert (shell.ip.user_module, id(shell.ip.user_ns), shell.ip.display_pub) == before
