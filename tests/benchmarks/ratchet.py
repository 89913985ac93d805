"""Counts that must not grow, on fixed programs, without a clock.

``make ratchet`` writes them to ``ratchet.json``; a test compares. Programs run
at their small size with ATen operations one by one, so that no compiler is
needed and every count is the same on every machine.
"""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import jupyter_npcompile as npc
from jupyter_npcompile.loops import courtesy
from jupyter_npcompile.runtime import artifacts
from jupyter_npcompile.runtime.stats import counters
from tests.benchmarks.programs import load

FILE = Path(__file__).with_name("ratchet.json")
PACKAGE = str(Path(npc.__file__).parent)

CLOCKED = courtesy.__file__
"""Its functions are called the more often the slower a machine is."""

Counts = dict[str, int]

WARM = 2
"""Calls before one is counted: the first records, the second may record again."""


def chain(x: Any, y: Any) -> Any:
    """Elementwise work and a reduction, in one segment."""
    z = np.exp(-x * x) * np.sin(y) + 0.5 * x
    return np.sqrt(np.abs(z)).sum()


def store(x: Any) -> Any:
    """Stores into slices, also of what was stored."""
    y = x.copy()
    y[1:-1] = 0.5 * (x[:-2] + x[2:])
    y[0], y[-1] = y[1], y[-2]
    return y


def loop(x: Any, steps: int) -> Any:
    """A time loop in Python around two segments a step."""
    for step in range(steps):
        x = x + 0.1 * (np.roll(x, 1) - x)
        if step % 2:
            x = x - x.mean()
    return x


def until(x: Any) -> Any:
    """A loop that ends when the data say so."""
    total = x.sum()
    while total > 1.0:
        x = x * 0.5
        total = x.sum()
    return x


def broken(x: Any) -> Any:
    """What cannot be captured stands between what can."""
    y = x * 2.0
    text = np.array2string(y[:2])
    return y + len(text)


def helper(x: Any) -> Any:
    """A function of its own is captured with its caller."""
    return _square(x) + _square(x + 1.0)


def _square(x: Any) -> Any:
    return x * x


def masked(x: Any) -> Any:
    """A mask selects what is summed."""
    return x[x > 0.25].sum()


def _arguments(count: int) -> dict[str, tuple[Any, ...]]:
    x = np.linspace(0.0, 1.0, count)
    return {
        "chain": (x, x[::-1].copy()),
        "store": (x,),
        "loop": (x, 4),
        "until": (x,),
        "broken": (x,),
        "helper": (x,),
        "masked": (x,),
    }


FUNCTIONS: dict[str, Callable[..., Any]] = {
    function.__name__: function for function in (chain, store, loop, until, broken, helper, masked)
}

PROGRAMS = (
    "black_scholes",
    "conjugate_gradient",
    "edit_distance",
    "heat_3d",
    "holt_smoothing",
    "kepler_orbit",
    "limited_advection",
    "lu_solve",
    "mandelbrot",
    "sieve",
    "softmax_rows",
    "split_step",
)
"""Programs of the benchmarks that are counted too."""


def names() -> tuple[str, ...]:
    """Everything that is counted."""
    return (*FUNCTIONS, *PROGRAMS)


def count(name: str) -> Counts:
    """Count one program.

    Returns
    -------
    dict of str to int
        ``segments``, ``host lines``, ``break points`` of the report;
        ``recordings``, ``artifacts``, ``fallbacks`` until it is warm, and
        ``late recordings`` from then on; ``recompiles`` for arguments of
        another shape; ``dispatches`` and ``python calls`` of our own functions
        during one warm call.
    """
    if name in FUNCTIONS:
        function, args, others = FUNCTIONS[name], _arguments(100)[name], _arguments(150)[name]
    else:
        program = load(name)
        function, args = program.run, program.make(**program.sizes["small"])
        others = None
    npc.wait(300)  # what others have begun would be counted when it is done
    with _settings():
        artifacts.clear()
        counters.clear()
        compiled = npc.compile(function)
        for _ in range(WARM):
            compiled(*args)
        made = dict(npc.stats())
        calls = python_calls(lambda: compiled(*args))
        warm = dict(npc.stats())
        report = npc.last_report()
        assert report is not None
        if others is not None:
            compiled(*others)
        return {
            "segments": sum(region.segments for region in report.regions),
            "host lines": sum(line.status == "host" for line in report.lines),
            "break points": len(report.breaks),
            "recordings": made["recordings"],
            "artifacts": made["artifacts"],
            "fallbacks": warm["fallbacks"],
            "late recordings": warm["recordings"] - made["recordings"],
            "recompiles": npc.stats()["recompiles"],
            "dispatches": warm["dispatches"] - made["dispatches"],
            "python calls": calls,
        }


@contextmanager
def _settings() -> Iterator[None]:
    before = npc.settings.tier, npc.settings.first_run_check
    npc.settings.tier, npc.settings.first_run_check = "aten", "raise"
    try:
        yield
    finally:
        npc.settings.tier, npc.settings.first_run_check = before


def python_calls(call: Callable[[], Any]) -> int:
    """How many Python functions of this package are called meanwhile.

    Those of torch and NumPy are not counted, they change with the versions;
    neither are comprehensions, which are functions in some versions of Python. Nor is
    what a clock decides: who keeps account of time, and what goes with garbage.
    """
    total = 0

    def profile(frame: FrameType, event: str, _: Any) -> None:
        nonlocal total
        code = frame.f_code
        if (
            event == "call"
            and code.co_filename.startswith(PACKAGE)
            and code.co_filename != CLOCKED
            and not (code.co_name.startswith("<") and code.co_name.endswith("comp>"))
        ):
            total += 1

    before = sys.getprofile()
    gc.collect()
    gc.disable()
    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(before)
        gc.enable()
    return total


def committed() -> dict[str, Counts]:
    """The counts that must not grow."""
    known: dict[str, Counts] = json.loads(FILE.read_text())
    return known


def grown(known: Mapping[str, int], found: Mapping[str, int]) -> list[str]:
    """What is more than it was.

    Examples
    --------
    >>> grown({"segments": 1, "recompiles": 2}, {"segments": 2, "recompiles": 1})
    ['segments: 1 before, 2 now']
    """
    return [
        f"{what}: {known[what]} before, {number} now"
        for what, number in found.items()
        if number > known[what]
    ]


def write() -> str:
    """Write what is counted now; returns what has changed."""
    before = committed() if FILE.exists() else {}
    now = {name: count(name) for name in names()}
    FILE.write_text(json.dumps(now, indent=1) + "\n")
    changes = [
        f"{name}: {what}: {before.get(name, {}).get(what, '-')} -> {number}"
        for name, counts in now.items()
        for what, number in counts.items()
        if before.get(name, {}).get(what) != number
    ]
    return "\n".join(changes) or "nothing has changed"


if __name__ == "__main__":
    print(write())
