"""What holds for every test."""

from __future__ import annotations

import atexit
import builtins
import gc
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

# Before NumPy and torch are imported: the machines that run this are small and
# busy, and threads that wait for each other cost more than they bring.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Compile workers of this process and of kernels that tests start leave the processors to nobody:
# beside other busy processes what they are asked for would take for ever.
os.environ.setdefault("NPCOMPILE_NICENESS", "0")

# Tests neither use nor fill the cache of the person who runs them.
if "NPCOMPILE_CACHE_DIR" not in os.environ:
    os.environ["NPCOMPILE_CACHE_DIR"] = tempfile.mkdtemp(prefix="npcompile-tests-")
    atexit.register(shutil.rmtree, os.environ["NPCOMPILE_CACHE_DIR"], ignore_errors=True)

import numpy as np
from IPython.core.interactiveshell import InteractiveShell

import jupyter_npcompile
from jupyter_npcompile.magic import extension
from jupyter_npcompile.runtime import (
    compile_worker,
    notices,
    recollections,
    translations,
    whole_function,
)
from jupyter_npcompile.runtime.selector import allowance, thresholds
from jupyter_npcompile.runtime.settings import settings
from tests.support.compiling.segment_batches import BUILDING
from tests.support.session import again, progress, seeds, selection, summary
from tests.support.session.distribution import Units, place, turned, unit
from tests.support.session.processes import PATIENCE, processes

__all__ = ["processes"]

# The product's own, which can also build many segments at once.
compile_worker.worker.module = BUILDING
# A compile is given up by what ends a test that hangs.
compile_worker.LONGEST = PATIENCE

# Time says nothing on a busy machine, nor does that examples take long to make. The same
# examples are drawn each time, but for `make fuzz`.
hypothesis.settings.register_profile(
    "project",
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
    derandomize=not seeds.FUZZING,
    database=None,
)
hypothesis.settings.load_profile("project")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("npcompile")
    group.addoption("--part", choices=selection.PARTS, default="all", help="see tests/chosen.toml")
    group.addoption("--minutes", type=float, help="after these no other file is begun")
    group.addoption("--turn", type=int, help="begin elsewhere for each number")
    group.addoption("--resume", type=Path, metavar="FILE", help="go on from what it holds")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    if seeds.FUZZING:
        config.option.hypothesis_seed = str(seeds.SEED)
    summary.begin()
    resumed = config.getoption("resume")
    if resumed is not None and not hasattr(config, "workerinput"):
        progress.begin(resumed)
        config.pluginmanager.register(progress.Progress(resumed))
    # Who starts something in the background has it ignore interrupts, which some tests send.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Bring tests into order; leave out those that are not asked for."""
    turn, resumed = config.getoption("turn"), config.getoption("resume")
    if turn is None:
        items.sort(key=place)
    else:
        items.sort(key=lambda item: turned(unit(item.nodeid), turn))
    left = selection.left_out(items, config)
    if resumed is not None:
        left |= progress.left_out(items, resumed)
    if left:
        config.hook.pytest_deselected(items=list(left))
        items[:] = [item for item in items if item not in left]


def pytest_collection_finish() -> None:
    """What is there before the first test stays there: no search for garbage goes through it."""
    gc.collect()
    gc.freeze()


def pytest_runtest_setup() -> None:
    """What an example in a docstring has shown is no longer `_`: IPython leaves that alone."""
    vars(builtins).pop("_", None)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Distribute tests over processes, where there are several."""
    if config.getoption("dist") != "loadfile":
        return None
    return Units(config, log, config.getoption("minutes"))


@pytest.fixture(autouse=True)
def _error_state() -> Iterator[None]:
    """What a test says about floating-point errors ends with it."""
    before = np.geterr()
    yield
    np.seterr(**before)


@pytest.fixture(autouse=True)
def _device(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With ``NPCOMPILE_TEST_DEVICE`` gradients are computed there, as cells run there."""
    device = os.environ.get("NPCOMPILE_TEST_DEVICE", "").partition(" ")[0]
    if device and "autodiff" in request.path.parts:
        monkeypatch.setattr(jupyter_npcompile.settings, "device", device)


@pytest.fixture
def monkeypatch(_settings: None, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Patches end before the settings come back: those that were set meanwhile return to nobody."""
    return monkeypatch


@pytest.fixture
def on_the_cpu(_device: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is tested is how the CPU computes gradients, wherever others are computed."""
    monkeypatch.setattr(jupyter_npcompile.settings, "device", "cpu")


@pytest.fixture(autouse=True)
def _settings() -> Iterator[None]:
    """So do its settings."""
    names = ("tier", "first_run_check", "device", "dtype")
    before = {name: getattr(settings, name) for name in names}
    yield
    for name, value in before.items():
        setattr(settings, name, value)


@pytest.fixture(autouse=True)
def _notices() -> None:
    """What an earlier test was told is not shown in this one, and may be said again."""
    notices.forget()


@pytest.fixture(autouse=True)
def _allowance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Our own work may hold up a run as long as it likes: how fast a machine is decides nothing.

    What the true allowance does is tested in `test_allowance`. A cell that an interrupt
    has ended shares its own until the next one begins, which may be in no other test.
    """
    allowance.share(None)
    monkeypatch.setattr(thresholds, "AT_ONCE", 1e6)
    monkeypatch.setattr(thresholds, "EARNED", -1e6)


@pytest.fixture(autouse=True)
def _segments(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Functions without loops run in segments, lest the clock decides what a test sees.

    Tests with `straight_functions` let them have a native form.
    """
    if "straight_functions" not in request.fixturenames:
        for name in ("FEWEST", "FEWEST_AHEAD"):
            monkeypatch.setattr(whole_function, name, 10**9)


@pytest.fixture
def straight_functions() -> None:
    """Functions without loops may become one piece of native code."""


@pytest.fixture(autouse=True)
def _recollections(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What other tests have compiled decides nothing.

    Tests with `recollections_count` know what earlier kernels found out about loops.
    """
    if "recollections_count" not in request.fixturenames:
        monkeypatch.setattr(recollections, "recall", lambda name: None)
        monkeypatch.setattr(translations, "marked", lambda mark: None)


@pytest.fixture
def recollections_count() -> None:
    """Loops that earlier kernels have compiled are native from the first run on."""


@pytest.fixture(autouse=True)
def _workers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The compile workers outlive the shells of tests: to start one is seconds of work.

    A test with `workers_end` has them end when the last extension goes, as kernels do.
    """
    if "workers_end" not in request.fixturenames:
        monkeypatch.setattr(extension, "stop_all", lambda: None)


@pytest.fixture
def workers_end() -> None:
    """With the last extension that goes the compile workers end."""


@pytest.fixture(autouse=True)
def _no_shell() -> Iterator[None]:
    """What a test displays goes to its own IPython, or is printed."""
    yield
    if InteractiveShell.initialized():
        InteractiveShell.clear_instance()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what tests have written down, and how what failed is run again."""
    for text in summary.told():
        terminalreporter.write_line(text)
    stats = terminalreporter.stats
    for line in again.lines([r.nodeid for key in ("failed", "error") for r in stats.get(key, ())]):
        terminalreporter.write_line(f"again: {line}")
