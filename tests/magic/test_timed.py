"""What ``%%timeit`` times is compiled, and means what it means without us."""

from __future__ import annotations

import ast
import builtins
import random
import re
import timeit
import traceback
import types
from collections.abc import Iterator
from time import sleep
from typing import Any

import numpy as np
import pytest
from IPython.core.magics.execution import ExecutionMagics, TimeitResult

import jupyter_npcompile as npc
from jupyter_npcompile.magic.timed import TimedCells
from jupyter_npcompile.runtime import history, planning
from jupyter_npcompile.runtime.function_handle import FunctionHandle
from jupyter_npcompile.runtime.selector.rest import Rest
from tests.magic.test_magic import Shell
from tests.support.session.processes import PATIENCE
from tests.support.session.seeds import seeds

NUMBERS = re.compile(r"[\d.,]+ ?([nµμm]?s)")

SETUPS = [
    "",
    "a = 2.0",
    "a = np.ones(4)",
    "a = x; t = 0",
    "a, b = x * 2, 1.0",
    "import math; a = math.pi",
    "f = lambda: a; a = 1.5",
    "f = lambda: b",
    "def f(): return t",
    "x = x.copy()",
    "seen.append('setup')",
    "b = missing",
    "global total; total = 5",
]

BOUND = "a, b, c, t = 2.0, x * 1.5, x + 1, 0.0; later = [lambda: 7]; f = lambda: a + b"
"""A setup with which most bodies run to their end."""

BODIES = [
    "a = a + 1",
    "b = np.sqrt(x) + a",
    "b = np.sqrt(x) * 2",
    "t = t + x.sum()",
    "np.exp(x) + 1",
    "seen.append(np.sum(b))",
    "seen.append(np.sum(a))",
    "x = x * 2",
    "x[0] += 1",
    "g[1:] -= x[1:]",
    "for k in range(3):\n    t = x * k\n    seen.append(t.sum())",
    "for k in range(3):\n    x * k",
    "for k in range(len(seen) % 3):\n    b = x * k",
    "if len(seen) % 2:\n    c = x + 1\nseen.append(c.sum())",
    "if len(seen) > 2:\n    b = x - 1",
    "while len(seen) % 3:\n    seen.append(np.max(x))",
    "del b",
    "try:\n    seen.append(np.sum(late))\nexcept NameError as error:\n    seen.append(str(error))",
    "late = x + 1",
    "def h(v):\n    return v * b\nseen.append(np.sum(h(x)))",
    "later.append(lambda: a)",
    "seen.append(np.sum(later[-1]()))",
    "seen.append(np.sum(f()))",
    "total = x.sum()",
    "global total\ntotal = x.sum()",
    "seen.append(sorted(locals()))",
    "seen.append(_i)",
    "print(x.sum())",
    "with np.errstate(divide='ignore'):\n    b = x / (x - x)",
    "seen.append(1 / (len(seen) - 4))",
    "t = double(x).sum()",
    "import math\nb = math.floor(x[0]) + x",
    "b, *c = x * 2, x + 1",
    "seen.append((w := x * 3)[1])",
    "seen.append([v * b for v in x])",
    "class C:\n    value = x + 1\nseen.append(C.value[0])",
    "raise KeyError('stop')",
    "x / (x - x)",
    "b = rng.normal(size=4) * x",
    "np.random.rand(4) + x",
    "y is 1",
    "'text'",
]


ODD = [
    part
    for part in BODIES
    if re.match(r"raise|x /|del|global|y is|class|x = x|'|def|seen.*(1 /|locals|late|_i)", part)
]
"""Those of which most raise, or keep the others from being compiled."""


def shell_with(tier: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    monkeypatch.setattr(npc.settings, "tier", tier)
    monkeypatch.setattr(npc.settings, "first_run_check", "raise")
    made = Shell()
    yield made
    made.ip.run_line_magic("unload_ext", "jupyter_npcompile")


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    yield from shell_with("aten", monkeypatch)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    yield from shell_with("auto", monkeypatch)


def names() -> dict[str, Any]:
    """What the notebook holds."""

    def double(v: Any) -> Any:
        return v * 2

    x = np.arange(1.0, 5.0)
    np.random.seed(3)
    rng = np.random.default_rng(3)
    return {"x": x, "g": np.ones(4), "y": 1, "seen": [], "later": [], "double": double, "rng": rng}


def outcome(shell: Shell, capsys: pytest.CaptureFixture[str], source: str) -> list[Any]:
    """What can be seen of a cell: what it prints and raises, what happens, all names."""
    shell.ip.user_ns.update(names())
    before = {*shell.ip.user_ns, "__warningregistry__"}
    capsys.readouterr()
    error = shell.run(source)
    printed = NUMBERS.sub("N s", capsys.readouterr().out).split("\n")
    shown = [line for line in printed if "±" in line or line[:1].isdigit()]
    left = {name: shell.ip.user_ns.pop(name) for name in set(shell.ip.user_ns) - before}
    changed = [shell.ip.user_ns[name] for name in ("x", "g", "seen")]
    streams = shell.ip.user_ns["rng"].bit_generator.state, np.random.get_state(legacy=False)
    return [shown, repr(error), left, changed, *streams]


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same, rounding aside."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[k], other[k]) for k in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, np.ndarray | float):
        return type(one) is type(other) and np.allclose(one, other, equal_nan=True)
    if isinstance(one, TimeitResult):
        return (one.loops, one.repeat) == (other.loops, other.repeat)
    if callable(one) or isinstance(one, types.ModuleType):
        return type(one) is type(other)
    return bool(one == other)


def drawn(seed: int) -> tuple[str, str, list[str]]:
    """Options and setup, a body, and the heads with which that is compiled."""
    draw = random.Random(seed)
    usual = [part for part in BODIES if part not in ODD]
    parts = draw.choices(usual, k=draw.randrange(1, 6))
    if draw.random() < 0.4:
        parts.insert(draw.randrange(len(parts) + 1), draw.choice(ODD))
    if draw.random() < 0.5:
        parts.append("seen.append([np.sum(a), np.sum(b), np.sum(t)])")
    parts.sort(key=lambda part: not part.startswith("global"))
    runs = f"-n{draw.randrange(1, 5)} -r{draw.randrange(1, 4)}{draw.choice(['', ' -q', ' -v v'])}"
    setup = BOUND if draw.random() < 0.7 else draw.choice(SETUPS)
    option = draw.choice(["", " --quiet", " --ahead --quiet", " --device standin"])
    ours, head = f"%%npcompile{option}", f"%%timeit {runs} {setup}".rstrip()
    return head, "\n".join(parts), [f"{ours}\n{head}", f"{head}\n{ours}"]


@pytest.mark.drawn
@pytest.mark.parametrize("seed", seeds(24))
@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_a_timed_body_means_what_it_means_without_us(
    shell: Shell, capsys: pytest.CaptureFixture[str], seed: int
) -> None:
    head, body, heads = drawn(seed)
    expected = outcome(shell, capsys, f"{head}\n{body}")
    for ours in heads:
        for _ in range(2):
            found = outcome(shell, capsys, f"{ours}\n{body}")
            assert same(expected, found), (ours, body, expected, found)
    shell.ip.run_line_magic("npcompile", "on")
    found = outcome(shell, capsys, f"{head}\n{body}")
    assert same(expected, found), (head, body, expected, found)


NATIVE = {
    "names": ("", "b = np.exp(-x * x) + g\nt = b.sum()"),
    "carried": ("a, t = x * 1.0, np.float64(0)", "a = a * 0.5 + x\nt += a.sum()"),
    "written": ("", "g[1:] += x[:-1] * 0.25\ng[:] = g * 0.5"),
    "values": ("", "np.sin(x) * g\ng[:] = g + 1.0\nx * 2"),
    "branches": ("t = 0", "t += 1\nif t % 2:\n    b = x * t\nelse:\n    c = x + t\ng[:] = g + t"),
    "loop": ("s = 0.0", "for k in range(len(x)):\n    s += x[k] * g[k]\n    b = x * k\ng[0] += 1"),
    "a function's value": ("", "double(x)\ng[:] = g + 1.0"),
    "loop of values": ("", "for k in range(3):\n    np.cos(x * k)\ng[:] = g + 0.125"),
    "views": ("a = x * 1.0", "b = a[1:]\nb += 1.0\nc = a[::-1]"),
}


@pytest.mark.slow
@pytest.mark.usefixtures("straight_functions")
@pytest.mark.parametrize("name", NATIVE)
def test_native_code_for_all_of_a_body_binds_what_python_binds(
    patient: Shell, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    setup, body = NATIVE[name]
    head = f"%%timeit -n40 -r3 -q {setup}".rstrip()
    expected = outcome(patient, capsys, f"{head}\n{body}")
    for _ in range(2):
        found = outcome(patient, capsys, f"%%npcompile --ahead --quiet\n{head}\n{body}")
        assert same(expected, found), (expected, found)
    handle = history.last()
    assert isinstance(handle, FunctionHandle)
    assert handle.whole is not None
    forms = handle.whole.forms
    assert sum(form.iterations for form in forms) > 10, handle.whole.closed


def report_of_last() -> Any:
    report = npc.last_report()
    assert report is not None
    return report


@pytest.mark.parametrize(
    ("body", "reason"),
    [("print(np.sqrt(x))", "print"), ("if g[0] > 5:\n    b = np.sqrt(x)", "not run")],
)
def test_lines_that_numpy_runs_have_a_reason(shell: Shell, body: str, reason: str) -> None:
    shell.ip.user_ns.update(names())
    assert shell.run(f"%%npcompile\n%%timeit -n2 -r1\n{body}") is None
    reasons = [line.reason or "" for line in report_of_last().lines]
    assert any(one.startswith(reason) for one in reasons), reasons


@pytest.mark.parametrize(
    ("setup", "body", "reason"),
    [
        ("", "c = 1\nglobal total\ntotal = np.sqrt(x)", "line 4: global or nonlocal"),
        ("", "b = np.sqrt(x)\nseen.append(sorted(locals()))", "line 4: uses locals"),
        ("", "b = np.sqrt(x)\ndel b", "line 4: a name is unbound"),
        ("", "for k in range(3):\n    b = x * k\nb + 1", "line 3: b may be read before"),
        ("", "ok = len(seen) > 5 and (w := 3)\nseen.append(1)", "line 3: `:=`"),
        ("", "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    pass", "line 5: a name is unb"),
        ("", "a = x.sum()\nlater.append(lambda: a)", "line 3: a is read by a function"),
        ("a = 1; del a", "if y > 5:\n    c = a", "line 3: reads what the setup may"),
        ("z = y < 0 and (a := 3)", "if y > 5:\n    c = a", "line 3: reads what the setup may"),
        ("", "if y > 5:\n    c = _t1", "line 3: reads what the setup may"),
        ("a = np.ones(4)", "a.resize(8)\nseen.append(a.size)", "line 3: resize counts"),
        ("f = lambda: b", "b = np.sqrt(x)", "line 3: a function of the setup"),
        ("global total; total = 1", "total = np.sqrt(x)", "line 3: the setup declares"),
        ("if y: a = 1", "np.sqrt(x) + a", "line 3: reads what the setup may not"),
    ],
)
def test_what_would_mean_something_else_is_plain_numpy(
    shell: Shell, capsys: pytest.CaptureFixture[str], setup: str, body: str, reason: str
) -> None:
    shell.ip.user_ns.update(names())
    head = f"%%timeit -n2 -r1 {setup}".rstrip()
    expected = outcome(shell, capsys, f"{head}\n{body}")
    before = npc.stats()["dispatches"]
    assert same(expected, outcome(shell, capsys, f"%%npcompile\n{head}\n{body}"))
    assert npc.stats()["dispatches"] == before
    assert shell.run(f"%%npcompile\n{head}\n{body}") is None
    assert f"npcompile: plain NumPy is timed: {reason}" in capsys.readouterr().out


@pytest.mark.parametrize(
    "heads", ["%%npcompile|%%timeit -n2 -r1 a = 1", "%%timeit -n2|%%npcompile"]
)
@pytest.mark.parametrize("fails", ["1 / 0", "b = missing + x", "b = x + np.ones(3)", "return 1"])
def test_errors_have_the_line_that_they_have_in_the_cell(
    shell: Shell, heads: str, fails: str
) -> None:
    shell.ip.user_ns.update(names())
    error = shell.run(heads.replace("|", "\n") + f"\nc = x * 2\n{fails}")
    plain = shell.run(f"%%timeit -n2 -r1\n\n\nc = x * 2\n{fails}")
    assert isinstance(error, Exception)
    assert type(error) is type(plain)
    if isinstance(error, SyntaxError):
        assert error.lineno == 4
        return
    assert str(error) == str(plain)
    *_, (frame, line) = traceback.walk_tb(error.__traceback__)
    assert (frame.f_code.co_filename, frame.f_code.co_name) == ("<magic-timeit>", "inner")
    assert line == 4


def test_what_fails_of_ours_leaves_it_to_numpy(
    shell: Shell, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("ours")

    source = "%%npcompile\n%%timeit -n2 -r1\nb = np.sqrt(x)\nseen.append(b[1])"
    shell.ip.user_ns.update(names())
    with monkeypatch.context() as patch:
        patch.setattr(Rest, "begins", None)  # what it then raises comes from our code
        assert shell.run(source) is None
    assert len(shell.ip.user_ns["seen"]) == 2
    report = report_of_last()
    assert (report.lines[0].reason or "").startswith("internal error: TypeError")
    assert report.lines[0].status == "host"
    monkeypatch.setattr(TimedCells, "cell", fail)
    assert shell.run(source) is None
    assert len(shell.ip.user_ns["seen"]) == 4
    assert "plain NumPy is timed: RuntimeError: ours" in capsys.readouterr().out


@pytest.mark.parametrize("option", ["", " --ahead"])
def test_who_compiles_ahead_does_not_time_that(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    """By a clock that stands still, what is left out has taken less than nothing."""
    if "-v" not in (ExecutionMagics.timeit.__doc__ or ""):
        pytest.skip("this IPython keeps no result of %timeit")

    def late(*arguments: Any, **keywords: Any) -> Any:
        sleep(0.1)
        return original(*arguments, **keywords)

    original = planning.prepare
    monkeypatch.setattr(planning, "prepare", late)
    monkeypatch.setattr(timeit, "default_timer", lambda: 0.0)
    shell.ip.user_ns.update(names())
    source = f"%%npcompile --quiet{option}\n%%timeit -n1 -r1 -q -v v\nb = np.sqrt(x)"
    assert shell.run(source) is None
    seconds = shell.ip.user_ns["v"].best
    assert seconds <= -0.1 if option else seconds == 0.0


def test_other_names_of_the_magic_do_the_same(shell: Shell) -> None:
    shell.ip.user_ns.update(names())
    assert shell.run("%alias_magic often timeit") is None
    assert shell.run("%%npcompile\n%%often -n2 -r1\nb = np.sqrt(x)") is None
    assert report_of_last().summary.startswith("1 of 1 line compiled")


def test_every_cell_may_be_timed(shell: Shell) -> None:
    """Then the setup and the call of the magic have no report of their own."""
    shell.ip.user_ns.update(names())
    before = npc.stats()["dispatches"]
    assert shell.run("%timeit -n2 -r1 np.sqrt(x)") is None
    assert (npc.stats()["dispatches"], shell.shown) == (before, [])
    shell.ip.run_line_magic("npcompile", "on")
    for source in ("%%timeit -n2 -r1 a = x\nb = np.sqrt(a)", "%timeit -n2 -r1 np.sqrt(x) + 1"):
        assert shell.run(source) is None
        assert len(shell.shown) == 1
        assert report_of_last().summary.startswith("1 of 1 line compiled")
    loop = "for k in range(3):\n    %timeit -n2 -r1 np.sqrt(x) + k"
    assert shell.run(loop) is None
    assert len(shell.shown) == 1


@pytest.mark.parametrize("option", ["--check", "--grad b"])
def test_what_is_about_names_does_not_go_with_it(shell: Shell, option: str) -> None:
    shell.ip.user_ns.update(names())
    error = shell.run(f"%%npcompile {option}\n%%timeit -n2 -r1\nb = np.sqrt(x)")
    assert "leave out" in str(error)


def test_a_magic_that_we_do_not_know_makes_a_function_of_a_cell(shell: Shell) -> None:
    def wrapped(line: str, cell: str) -> None:
        ip: Any = shell.ip
        tree = ip.transform_ast(ip.compile.ast_parse(ip.transform_cell(cell)))
        outer = ast.parse("def run():\n    pass\nrun()")
        outer.body[0].body = tree.body  # type: ignore[attr-defined]
        exec(compile(ast.fix_missing_locations(outer), "<wrapped>", "exec"), ip.user_ns)

    shell.ip.register_magic_function(wrapped, "cell", "wrapped")
    shell.ip.user_ns.update(names())
    assert shell.run("%%npcompile\n%%wrapped\nb = np.sqrt(x)\nseen.append(b[1])") is None
    assert len(shell.ip.user_ns["seen"]) == 1
    assert report_of_last().lines[0].status != "compiled"


BEHAVIOUR = {
    "suppressed": "import contextlib\nb = np.sqrt(x)\n"
    "with contextlib.suppress(ZeroDivisionError):\n    c = 1 / 0\nseen.append(1)",
    "objects": "Loud()\nb = np.sqrt(x)\nseen.append('after')",
    "counted": "b = np.ones(4)\nb[1:]\nb.resize(8)\nseen.append(b.size)",
    "annotation": "b = np.sqrt(x)\ndef h(v: missing): return v",
    "annotated": "b = np.sqrt(x)\nclass A:\n    v: missing",
    "imported": "import math\nb = np.sqrt(x) * math.pi\nseen.append(b.sum())",
    "itself": "b = np.sqrt(x)\nif len(seen) < 1:\n    seen.append(1)\n"
    "    get_ipython().run_cell(seen_source[0])\nseen.append(2)",
}


@pytest.mark.parametrize("name", BEHAVIOUR)
def test_it_behaves_as_ever(shell: Shell, capsys: pytest.CaptureFixture[str], name: str) -> None:
    class Loud:
        def __del__(self) -> None:
            shell.ip.user_ns["seen"].append("gone")

    shell.ip.user_ns["Loud"] = Loud
    cells = [f"{ours}%%timeit -q -n3 -r2\n{BEHAVIOUR[name]}" for ours in ("", "%%npcompile -q\n")]
    cells[1] = cells[1].replace("%%npcompile -q", "%%npcompile --quiet")
    found = []
    for cell in cells:
        shell.ip.user_ns["seen_source"] = [cell]
        found.append(outcome(shell, capsys, cell))
    assert same(*found), found


def test_what_is_timed_again_is_compiled_already(shell: Shell) -> None:
    shell.ip.user_ns.update(names())
    source = "%%npcompile --quiet\n%%timeit -n2 -r1 a = 3\nb = np.sqrt(x) + a"
    assert shell.run(source) is None
    before = npc.stats()["recordings"]
    assert shell.run(source) is None
    assert npc.stats()["recordings"] == before
    shell.ip.run_line_magic("npcompile", "clear")
    before = npc.stats()["recordings"]
    assert shell.run(source) is None
    assert npc.stats()["recordings"] > before


def test_nothing_of_ours_is_left(shell: Shell) -> None:
    shell.ip.user_ns.update(names())
    before = {*vars(builtins), *shell.ip.user_ns}
    for body in ("b = np.sqrt(x)", "b = np.sqrt(x) + missing"):
        shell.run(f"%%npcompile --ahead --quiet\n%%timeit -n2 -r1\n{body}")
    assert {
        name for name in {*vars(builtins), *shell.ip.user_ns} - before if "npc" in name
    } == set()


@pytest.mark.slow
def test_in_a_kernel() -> None:
    import nbclient
    import nbformat

    cells = [
        "%load_ext jupyter_npcompile\nimport numpy as np, jupyter_npcompile as npc\n"
        "npc.settings.tier = 'inductor'\nx = np.linspace(0, 1, 2000)",
        "%%npcompile --ahead\n%%timeit -o scale = 2.0\ny = np.exp(-x * x) * scale\nz = y.sum()",
        "_.loops, _.repeat, 'y' in globals()",
        "%%timeit -n1 -r1\n%%npcompile\ny = np.exp(x)\n1 / 0",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(it) for it in cells])
    nbclient.NotebookClient(notebook, timeout=PATIENCE, allow_errors=True).execute()
    texts = [
        "\n".join(
            out.get("text", "") + out.get("data", {}).get("text/plain", "") + out.get("ename", "")
            for out in cell.outputs
        )
        for cell in notebook.cells
    ]
    assert "mean ± std. dev. of 7 runs" in texts[1]
    assert "2 of 2 lines compiled" in texts[1], texts[1]
    assert re.search(r"\(\d+, 7, False\)", texts[2])
    assert "ZeroDivisionError" in texts[3]
    assert "1 of 1 line c" in texts[3]
