"""What holds for every test."""

from __future__ import annotations

import atexit
import builtins
import gc
import os
import shutil
import signal
import tempfile
import zlib
from collections.abc import Iterator
from typing import Any

import hypothesis
import pytest

# Before NumPy and torch are imported: the machines that run this are small and
# busy, and threads that wait for each other cost more than they bring.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Tests neither use nor fill the cache of the person who runs them.
if "NPCOMPILE_CACHE_DIR" not in os.environ:
    os.environ["NPCOMPILE_CACHE_DIR"] = tempfile.mkdtemp(prefix="npcompile-tests-")
    atexit.register(shutil.rmtree, os.environ["NPCOMPILE_CACHE_DIR"], ignore_errors=True)

import numpy as np
from IPython.core.interactiveshell import InteractiveShell

import jupyter_npcompile
from jupyter_npcompile.magic import extension
from jupyter_npcompile.runtime import allowance, compile_worker, recollections, whole_function
from jupyter_npcompile.runtime.settings import settings
from tests import summary
from tests.distribution import Units, place
from tests.processes import processes
from tests.segment_batches import BUILDING

__all__ = ["processes"]

# The product's own, which can also build many segments at once.
compile_worker.worker.module = BUILDING

# Time says nothing on a busy machine, nor does that examples take long to make.
PATIENT: dict[str, Any] = {
    "deadline": None,
    "suppress_health_check": [hypothesis.HealthCheck.too_slow],
}
hypothesis.settings.register_profile("project", **PATIENT)
hypothesis.settings.register_profile("hunt", **PATIENT, max_examples=4000)
# The same examples each time: what a landing has to do with luck, it does elsewhere.
hypothesis.settings.register_profile("ci", **PATIENT, derandomize=True, database=None)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "project")

LARGE = {
    *("test_autodiff_arrays.py", "test_autodiff_calls.py", "test_autodiff_chains.py"),
    *("test_autodiff_compiled.py", "test_autodiff_compiled_rows.py", "test_autodiff_sciences.py"),
    *("test_autodiff_joint.py", "test_autodiff_loops.py", "test_autodiff_programs.py"),
    *("test_corpus.py", "test_cuda.py"),
    *("test_loops_fancy.py", "test_loops_fusing.py", "test_loops_linear_algebra.py"),
    *("test_loops_operands.py", "test_loops_random.py", "test_loops_reductions.py"),
    *("test_loops_rows.py", "test_loops_semantics.py", "test_loops_small_arrays.py"),
    *("test_loops_surroundings.py", "test_loops_transforms.py", "test_runtime_device_late.py"),
    *("test_runtime_compile_worker.py", "test_runtime_fast.py", "test_runtime_first_run.py"),
    *("test_runtime_footprint.py", "test_runtime_leaks.py", "test_runtime_sizes.py"),
    "test_runtime_recollections.py",
    *("test_runtime_whole_function.py", "test_same_as_native.py", "test_same_devices.py"),
    *("test_same_language.py", "test_same_programs.py", "test_same_published.py"),
    *("test_same_python.py", "test_tracer_floating.py", "test_tracer_lowering_compressed.py"),
    *("test_tracer_lowering_inductor.py", "test_tracer_lowering_random.py"),
    "test_tracer_lowering_ufunc_methods.py",
}
"""Families of many examples, of which `make test` runs one in four."""

LARGEST = {"test_autodiff_compiled_rows.py"}
"""Those of which it runs one in eight: each takes half a minute of the compiler."""


NATIVE = {"tests.native_loops", "tests.whole_functions", "tests.test_runtime_whole_function"}
"""Modules with which tests have loops and functions compiled."""


def makes_native_code(item: pytest.Item) -> bool:
    """Whether a test is in a module that uses one of these."""
    used = vars(item.module).values() if isinstance(item, pytest.Function) else ()
    return any(getattr(value, "__module__", None) in NATIVE for value in used)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Bring tests into order; leave out examples of families that the environment makes smaller.

    With ``NPCOMPILE_SAMPLE`` large families run one in four of theirs (`LARGEST`: in eight), drawn
    by that word, which may be ``"all"``. With ``NPCOMPILE_EACH`` every family runs so many at the
    most, from its first to its last, and nothing runs that has native code made, which takes
    seconds each time.
    """
    items.sort(key=place)
    word = os.environ.get("NPCOMPILE_SAMPLE", "all")
    most = int(os.environ.get("NPCOMPILE_EACH", "0"))
    examples = [item for item in items if hasattr(item, "callspec")]
    left: set[pytest.Item] = set()
    if word != "all":
        left |= {
            item
            for item in examples
            if item.path.name in LARGE
            and zlib.crc32(f"{word} {item.nodeid}".encode())
            % (8 if item.path.name in LARGEST else 4)
        }
    if most:
        families: dict[str, list[pytest.Item]] = {}
        for item in examples:
            families.setdefault(item.nodeid.split("[")[0], []).append(item)
        for family in families.values():
            step = max(len(family) / most, 1.0)
            kept = {int(k * step) for k in range(most)}
            left |= {item for place, item in enumerate(family) if place not in kept}
        left |= {item for item in items if makes_native_code(item)}
    if not left:
        return
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
    return Units(config, log) if config.getoption("dist") == "loadfile" else None


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
    if device and request.path.name.startswith("test_autodiff_"):
        monkeypatch.setattr(jupyter_npcompile.settings, "device", device)


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
def _allowance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Our own work may hold up a run as long as it likes: how fast a machine is decides nothing.

    What the true allowance does is tested in `test_runtime_allowance`. A cell that an interrupt
    has ended shares its own until the next one begins, which may be in no other test.
    """
    allowance.share(None)
    monkeypatch.setattr(allowance, "AT_ONCE", 1e6)


@pytest.fixture(autouse=True)
def _segments(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Functions without loops run in segments, lest the clock decides what a test sees.

    Tests with `straight_functions` let them have a native form.
    """
    if "straight_functions" not in request.fixturenames:
        monkeypatch.setattr(whole_function, "FEWEST", 10**9)


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


def pytest_configure(config: pytest.Config) -> None:
    summary.begin()
    # Who starts something in the background has it ignore interrupts, which some tests send.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what tests have written down."""
    for text in summary.told():
        terminalreporter.write_line(text)
