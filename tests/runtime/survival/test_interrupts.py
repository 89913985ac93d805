"""The stop button at random moments: what has happened is what NumPy would have done by then."""

from __future__ import annotations

import contextlib
import gc
import operator
import os
import random
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.runtime import artifacts, cells, frame, preparing
from jupyter_npcompile.runtime.plan import Plan
from jupyter_npcompile.runtime.worker import compiler
from jupyter_npcompile.tracer import interrupts
from jupyter_npcompile.tracer.evaluation import WarningsShown
from jupyter_npcompile.tracer.streams import Streams
from tests.magic.test_magic import Shell
from tests.runtime.compile.test_compiled import Kernel, kernel, shell

__all__ = ["kernel", "shell"]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer"),
    # Python itself loses an interrupt that comes in a destructor, and says so.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

SETUP = """
import numpy as np
rng = np.random.default_rng(3)
np.random.seed(5)
a, b, n = np.arange(6.0), np.ones(6), 0
"""

DRAWING = (
    "first = 1",
    "a += 1",
    "b *= 1.5",
    "a += b",
    "c = a * 2",
    "a -= 0.5",
    "d = c + rng.normal(size=6)",
    "e = np.random.random(6) * d",
    "b[1:] = b[:-1] * 0.5",
    "s = a.sum() + b.sum()",
    "a[::2] += rng.random(3)",
    "f = np.sqrt(np.abs(e))",
    "n = 7",
)
PLAIN = tuple(line for line in DRAWING if "random" not in line and "rng" not in line)[:-2]
DRAWS = {"d": "rng.normal(size=6)", "e": "np.random.random(6)", "a[::2]": "rng.random(3)"}

NAMES = ("a", "b", "n", "first", "c", "d", "e", "s", "f")


def seen(space: dict[str, Any]) -> str:
    """Everything that the statements change."""
    values = {name: np.array(space[name]).tolist() for name in NAMES if name in space}
    legacy: Any = np.random.get_state(legacy=False)["state"]
    states = space["rng"].bit_generator.state, legacy["pos"], legacy["key"][:3].tolist()
    return repr((values, states))


def moments(statements: tuple[str, ...]) -> dict[str, int]:
    """What NumPy leaves when it is interrupted: between statements, or right after a draw."""
    space: dict[str, Any] = {}
    exec(SETUP, space)
    found = {seen(space): 0}
    for number, statement in enumerate(statements):
        target = statement.split(" ")[0]
        if target in DRAWS:
            before = space["rng"].bit_generator.state, np.random.get_state()
            exec(DRAWS[target], space)
            found[seen(space)] = number
            space["rng"].bit_generator.state = before[0]
            np.random.set_state(before[1])
        exec(statement, space)
        found[seen(space)] = number + 1
    return found


PHASES = {
    "recording.py": "record",
    "hooks.py": "record",
    "skeleton.py": "rewrite",
    "contest.py": "contest",
    "check.py": "check",
    "plan.py": "replay",
    "reporting.py": "report",
    "bundle.py": "report",
}


def phase_of(frame: FrameType | None) -> str:
    """What was going on where an interrupt struck."""
    while frame is not None:
        name = os.path.basename(frame.f_code.co_filename)
        if name in PHASES:
            return PHASES[name]
        frame = frame.f_back
    return "elsewhere"


struck: list[str] = []
"""What was going on at each interrupt: its traceback does not show that."""


def press_stop(number: int, frame: FrameType | None) -> None:
    """What the stop button does."""
    struck.append(phase_of(frame))
    signal.default_int_handler(number, frame)


@contextlib.contextmanager
def alarm() -> Iterator[Callable[[float], None]]:
    """Gives what has the stop button pressed after so many seconds, or never for 0."""
    is_set = False

    def ring(number: int, frame: FrameType | None) -> None:
        # Another thread may hear the signal, and this one of it when the clock is off again.
        if is_set:
            press_stop(number, frame)

    def press(seconds: float) -> None:
        nonlocal is_set
        is_set = seconds > 0
        signal.setitimer(signal.ITIMER_REAL, seconds)

    previous, told = signal.signal(signal.SIGALRM, ring), sys.unraisablehook
    # Python loses an interrupt that comes in a destructor. What else is lost is told when no
    # interrupt can strike who is told of it.
    lost: list[sys.UnraisableHookArgs] = []
    sys.unraisablehook = lost.append
    try:
        yield press
    finally:
        press(0)
        signal.signal(signal.SIGALRM, previous)
        sys.unraisablehook = told
        for found in lost:
            if not issubclass(found.exc_type, KeyboardInterrupt):
                told(found)
        gc.collect()  # coroutines of IPython's that were interrupted complain in this test


class Interrupted:
    """Runs one cell again and again, interrupts it, and looks at what it leaves."""

    def __init__(self, shell: Shell, statements: tuple[str, ...], magic: str) -> None:
        self.shell = shell
        self.cell = f"{magic}\n" + "\n".join(statements)
        self.known = moments(statements)
        self.last = len(statements)
        self.pace = 1.0
        self.counts: Counter[str] = Counter()
        self.phases: Counter[str] = Counter()

    def prepare(self, *, new: bool) -> None:
        """Begin anew, as a kernel that has seen the cell before, or never."""
        for name in NAMES:
            self.shell.ip.user_ns.pop(name, None)
        exec(SETUP, self.shell.ip.user_ns)
        if new:
            cells.forget()
            artifacts.clear()

    def seconds(self, *, new: bool) -> float:
        """How long it takes when nobody interrupts."""
        best = float("inf")
        for _ in range(4):
            self.prepare(new=new)
            began = time.perf_counter()
            assert self.shell.run(self.cell) is None
            best = min(best, time.perf_counter() - began)
            assert compiler.wait()
        return best

    def run(self, press: Callable[[float], None], seconds: float, *, new: bool) -> None:
        """Interrupt it once."""
        self.prepare(new=new)
        error: BaseException | None
        try:
            press(seconds * self.pace)
            try:
                error = self.shell.run(self.cell)
            finally:
                press(0)
        except KeyboardInterrupt as late:  # outside of what IPython catches
            error = late
        except (UnboundLocalError, AssertionError) as late:
            # Or where IPython has caught it, and falls over it: in Python 3.11 some jumps
            # have no line, and it shows the line of each frame.
            error = late.__context__
        assert error is None or isinstance(error, KeyboardInterrupt) or _is_pythons(error)
        reached = self.known.get(seen(self.shell.ip.user_ns))
        assert reached is not None, f"no moment of NumPy's: {seen(self.shell.ip.user_ns)}"
        if error is None:
            assert reached == self.last
            self.counts["done"] += 1
            self.pace *= 0.95  # so that some are interrupted, however fast the machine is by now
        else:
            self.counts["interrupted"] += 1
            self.pace *= 1.05
            self.counts["in the middle"] += 0 < reached < self.last
            self.phases[struck[-1]] += 1


def _is_pythons(error: BaseException) -> bool:
    """Whether Python's parser, interrupted, has raised an error of its own."""
    return isinstance(error, SystemError) and "AST constructor" in str(error)


def interrupt_many(
    shell: Shell, statements: tuple[str, ...], magic: str, count: int, seed: int
) -> Interrupted:
    """Interrupt a cell so many times, in its first, second and later runs."""
    dice = random.Random(seed)
    run = Interrupted(shell, statements, magic)
    state = np.geterr(), warnings.showwarning, signal.getsignal(signal.SIGINT)
    first = run.seconds(new=True)
    second = run.seconds(new=False)
    with alarm() as press:
        for _ in range(count):
            new = dice.random() < 0.4
            run.run(press, dice.uniform(1e-5, first if new else second), new=new)
            if dice.random() < 0.5:
                assert compiler.wait()  # so that the next run finds something compiled
            now = np.geterr(), warnings.showwarning, signal.getsignal(signal.SIGINT)
            assert now == state
    assert compiler.wait()
    run.prepare(new=False)
    assert shell.run(run.cell) is None
    assert run.known[seen(shell.ip.user_ns)] == run.last
    return run


@pytest.mark.parametrize(("magic", "least"), [("%%npcompile", 10), ("%%npcompile --quiet", 50)])
def test_three_hundred_interrupts(
    shell: Shell, kernel: Kernel, capsys: pytest.CaptureFixture[str], magic: str, least: int
) -> None:
    """A hundred and fifty for each: in recordings, checks, contests and replays.

    IPython notes no interrupt that comes while the report is shown: the cell has run then.
    """
    run = interrupt_many(shell, DRAWING, magic, 150, 5)
    assert sum(run.counts[kind] for kind in ("done", "interrupted")) == 150
    assert run.counts["interrupted"] >= least, run.counts
    assert len(run.phases) >= 2, run.phases


@pytest.fixture
def native(monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    """A shell in which what is compiled is real."""
    monkeypatch.setattr(npc.settings, "tier", "auto")
    monkeypatch.setattr(preparing, "faster", lambda numpy_us, compiled_us: True)
    made = Shell()
    yield made
    made.ip.run_line_magic("unload_ext", "jupyter_npcompile")


def test_interrupts_of_compiled_code(native: Shell) -> None:
    """Native code writes into arrays on its short way: all that a cell does, or nothing."""
    shell = native
    for _ in range(4):
        assert shell.run(SETUP) is None
        assert shell.run("%%npcompile --ahead --quiet\n" + "\n".join(PLAIN)) is None
    report = npc.last_report()
    assert report is not None
    assert [region.tier for region in report.regions] == ["inductor"], report.regions
    run = Interrupted(shell, PLAIN, "%%npcompile --ahead --quiet")
    dice = random.Random(9)
    seconds = run.seconds(new=False)
    before = npc.stats()["dispatches"]
    with alarm() as press:
        for _ in range(200):
            run.run(press, dice.uniform(1e-5, seconds), new=False)
    assert npc.stats()["dispatches"] > before
    assert run.counts["interrupted"] >= 50, run.counts


LONG = """
for step in range(count):
    y += 0.1 * x
    x -= 0.1 * y
"""


def test_a_loop_of_a_cell_that_has_run_for_a_while_is_stopped(
    native: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not in its first piece: names are bound to what has been computed before that, then."""
    shell = native
    monkeypatch.setattr(npc.settings, "tier", "native-loop")  # no segments that might be faster
    cell = "%%npcompile --ahead --quiet" + LONG
    assert shell.run("import numpy as np\nx, y = np.ones(200_000), np.ones(200_000)") is None
    for count in (30, 50):
        assert shell.run(f"count = {count}") is None
        assert shell.run(cell) is None
    report = npc.last_report()
    assert report is not None
    assert {region.tier for region in report.regions} == {"native-loop"}
    assert shell.run("count = 10**7; x[:], y[:] = 1, 1") is None
    # This process may be held up by what it computes: another one presses the key.
    key = subprocess.Popen(["bash", "-c", f"sleep 2.5; kill -INT {os.getpid()}"])
    assert isinstance(shell.run(cell), KeyboardInterrupt)
    key.wait()
    names = shell.ip.user_ns
    x, y = 1.0, 1.0
    for _ in range(names["step"] + 1):
        y += 0.1 * x
        x -= 0.1 * y
    np.testing.assert_array_equal(names["x"], np.full(200_000, x))
    np.testing.assert_array_equal(names["y"], np.full(200_000, y))


@pytest.mark.parametrize("cls", [frame.Frame, *frame.Frame.__subclasses__(), cells.CellHandle])
def test_no_slot_hides_what_a_frame_does(cls: type) -> None:
    """Such as the place at which an interrupt is heard."""
    inherited = {name for base in cls.__mro__[1:-1] for name in vars(base)}
    assert not inherited & {*vars(cls)["__slots__"]}


def test_signals_wait(capsys: pytest.CaptureFixture[str]) -> None:
    came: list[str] = []
    previous = signal.signal(signal.SIGUSR1, lambda number, frame: came.append("user"))

    def act() -> None:
        with interrupts.held():
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGUSR1)
            with interrupts.held():
                signal.raise_signal(signal.SIGINT)
            came.append("held")

    try:
        with pytest.raises(KeyboardInterrupt):
            act()
    finally:
        signal.signal(signal.SIGUSR1, previous)
    assert came == ["held", "user"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_signals_are_let_in() -> None:
    steps = []

    def act() -> None:
        with interrupts.held():
            signal.raise_signal(signal.SIGINT)
            steps.append(1)
            interrupts.allow()
            steps.append(2)

    with pytest.raises(KeyboardInterrupt):
        act()
    assert steps == [1]


def test_signals_are_let_in_while_another_thread_records() -> None:
    with interrupts.held():
        thread = threading.Thread(target=interrupts.allow)
        thread.start()
        thread.join()


def test_warnings_of_other_threads_are_shown(recwarn: pytest.WarningsRecorder) -> None:
    """Each thread collects its own; what stood there before stands there afterwards."""
    shown: list[str] = []
    before = warnings.showwarning
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = lambda message, *_args, **_kwargs: shown.append(str(message))
        ours = warnings.showwarning
        inside, outside = threading.Event(), threading.Event()

        def other() -> None:
            with WarningsShown() as found:
                inside.set()
                assert outside.wait()
                warnings.warn("collected there", stacklevel=1)
            assert found == ["collected there"]

        thread = threading.Thread(target=other)
        with WarningsShown() as found:
            thread.start()
            assert inside.wait()
            warnings.warn("collected here", stacklevel=1)
        warnings.warn("shown", stacklevel=1)
        outside.set()
        thread.join()
        assert warnings.showwarning is ours
    assert found == ["collected here"]
    assert shown == ["shown"]
    assert warnings.showwarning is before


def draw(x: Any, rng: np.random.Generator) -> Any:
    x += 1
    return x + rng.random(3)


def test_an_interrupt_comes_after_the_states_of_generators_are_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Their large integers are divided, and Python looks for signals when it divides."""
    monkeypatch.setattr(npc.settings, "tier", "auto")
    steps = Streams.steps

    def pressed(streams: Streams) -> list[tuple[Any, ...]]:
        divided = (operator.floordiv, 3**20_000, 7**5_000)
        return [(signal.raise_signal, signal.SIGINT), divided, *steps(streams)]

    fast, x, rng = npc.compile(draw), np.zeros(3), np.random.default_rng(1)
    with monkeypatch.context() as during:
        during.setattr(Streams, "steps", pressed)
        during.setattr(Streams, "rewind", lambda streams: interrupts.at_once(steps(streams)))
        with pytest.raises(KeyboardInterrupt):
            fast(x, rng)
    expected = np.random.default_rng(1)
    expected.random(3)
    np.testing.assert_array_equal(x, np.ones(3))
    assert rng.bit_generator.state == expected.bit_generator.state


def test_what_an_interrupted_run_has_computed_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", "auto")
    fast = npc.compile(draw)

    def press(plan: Plan) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as during:
        during.setattr(Plan, "take_first", press)
        with pytest.raises(KeyboardInterrupt):
            fast(np.zeros(3), np.random.default_rng(1))
    for seed in range(2, 8):
        x = np.full(3, 5.0)
        result = fast(x, np.random.default_rng(seed))
        np.testing.assert_array_equal(x, np.full(3, 6.0))
        np.testing.assert_array_equal(result, 6 + np.random.default_rng(seed).random(3))
