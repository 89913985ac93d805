"""Measures in a process of its own, and says what it finds, one JSON object a line.

Usage: ``python -m tests.benchmarks.worker REQUEST``, where the request is the
JSON of a `Request`. The kinds of request:

``sizes``
    Each size in turn: first result, memory before NumPy runs for comparison,
    steady state against NumPy, correctness. Where compiling does not end, the
    worker does, so that it does not disturb the sizes that are left.
``first``
    The first result at one size, and nothing else.
``match``
    This package and the tool in pairs, once both have compiled.
``calls``
    The first calls at one size, one after the other, and nothing else.
``overhead``
    Three numbers: what a call costs.

A line ``{"event": "first", ...}`` tells that the first result is there: who
waits allows a tool only so much time for it.
"""

from __future__ import annotations

import copy
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from time import perf_counter
from typing import Any

START = perf_counter()

import numpy as np  # noqa: E402

from jupyter_npcompile.runtime.bandwidth import copy_bandwidth  # noqa: E402
from tests.benchmarks.bandwidth import share  # noqa: E402
from tests.benchmarks.programs import Program, load  # noqa: E402
from tests.benchmarks.results import Capture, Measured, Status  # noqa: E402
from tests.benchmarks.timing import Subject, Timing, interleaved  # noqa: E402
from tests.benchmarks.tools import OURS, Run, Tool, named  # noqa: E402

Emit = Callable[..., None]

BRIEF = 1e-3
"""Seconds; calls that take less are made `MANY` times in a round, as a loop would."""

MANY = 200

FIRST = 5
"""Calls of the first use: nothing is compiled for a function without loops before the third one."""

CALLS = 12
"""Calls in a round, of those that take longer."""

ROUND = 1.5
"""Seconds after which a round ends with the present call."""

DECIDING = 8.0
"""Seconds for all rounds of a size, besides the time in which a tool compiles."""


CLAIMED = 640 << 20
"""Bytes: no program needs more at once."""

TOUCH = """
import mmap
memory = mmap.mmap(-1, {0})
for place in range(0, {0}, mmap.PAGESIZE):
    memory[place] = 1
"""


@dataclass(frozen=True)
class Request:
    """What a worker is asked to do.

    Parameters
    ----------
    kind : {"sizes", "first", "match", "calls", "overhead", "bandwidth"}
        See the module.
    tool : str
        In which tool.
    program : str
        Which program.
    sizes : list of str
        At which sizes, in this order.
    budget : float
        Seconds of pairs per size, or of calls.
    pairs : int
        Pairs per size, or calls, at the most.
    settle : float
        Seconds to wait for what compiles in the background.
    bandwidth : float, optional
        Bytes per second that a copy moves.
    """

    kind: str
    tool: str
    program: str = ""
    sizes: list[str] = field(default_factory=list)
    budget: float = 1.0
    pairs: int = 15
    settle: float = 30.0
    bandwidth: float | None = None


class Trial:
    """One program in one tool at one size.

    Parameters
    ----------
    tool : Tool
        The tool.
    program : Program
        The program.
    size : str
        Its size.
    run : callable
        The program, prepared.
    """

    def __init__(self, tool: Tool, program: Program, size: str, run: Run) -> None:
        self.tool, self.program, self.size = tool, program, size
        self.args = program.make(**program.sizes[size])
        held = tool.arguments(self.args)
        self.native = self._subject(program.run, self.args)
        self.compiled = self._subject(run, held)
        self.first_s = self.system_s = 0.0
        self.ready_s = 0.0
        self.settled = True
        self.peak_mb = 0.0

    def _subject(self, run: Run, args: tuple[Any, ...]) -> Subject:
        mutates = self.program.mutates
        return Subject(run, (lambda: copy.deepcopy(args)) if mutates else (lambda: args), mutates)

    def first(self) -> None:
        """Call it for the first time."""
        before = system_seconds()
        self.first_s, _ = self.compiled.sample(1)
        self.system_s = system_seconds() - before

    def settle(self, timeout: float) -> None:
        """Call it until the tool has nothing left to compile or to decide."""
        began = perf_counter()
        self.settled = steady(self.compiled, self.tool, timeout)
        self.ready_s = self.first_s + perf_counter() - began
        self.peak_mb = peak_megabytes()

    def compare(self, budget: float, pairs: int) -> tuple[Timing, str]:
        """Time it against NumPy; also what is wrong with its results, if anything."""
        self.native.sample(1)
        expected = self.native.result
        agrees = self._agrees(self.compiled.result, expected)
        message = "" if agrees else "another result than NumPy's"
        timing = interleaved(self.native, self.compiled, budget, pairs)
        if not message and not self._agrees(self.compiled.result, expected):
            message = "another result than NumPy's, after some calls"
        return timing, message

    def _agrees(self, result: Any, expected: Any) -> bool:
        if not self.program.agrees(result, expected):
            return False
        if self.program.check is not None:
            arguments = self.native.arguments()
            try:
                self.program.check(as_numpy(result), *arguments)
            except AssertionError:
                return False
        return True

    def measured(self, timing: Timing, message: str, bandwidth: float | None) -> Measured:
        """Everything about it."""
        moved = self.program.bytes_moved
        bound = None
        if moved is not None and bandwidth is not None:
            least = moved(**self.program.sizes[self.size])
            bound = share(least, timing.tool_s, bandwidth)
        status: Status = "wrong" if message else "ok"
        return Measured(
            status=status,
            first_s=self.first_s,
            system_s=self.system_s,
            ready_s=self.ready_s,
            timing=timing,
            message=message,
            bound=bound,
            peak_mb=self.peak_mb,
            capture=capture(self.settled) if self.tool.name == "ours" else None,
        )


def steady(subject: Subject, tool: Tool, timeout: float) -> bool:
    """Call something in rounds until a round gives the tool nothing to do.

    That is the state in which somebody who goes on working with it has it.

    Parameters
    ----------
    subject : Subject
        What is called.
    tool : Tool
        In which tool.
    timeout : float
        Seconds in which the tool may compile, all rounds together.

    Returns
    -------
    bool
        Whether nothing is being compiled any more.
    """
    deciding = DECIDING
    while True:
        began = perf_counter()
        idle = tool.settle(max(timeout, 0.0))
        before = tool.activity()
        waited = perf_counter()
        _round(subject)
        timeout -= waited - began
        deciding -= perf_counter() - waited
        # A round may also have put something in the queue that has not begun.
        if deciding < 0 or (tool.activity() == before and tool.settle(0.0)):
            return idle


def _round(subject: Subject) -> None:
    """Make some calls, as somebody does who uses it."""
    until = perf_counter() + ROUND
    for _ in range(CALLS):
        seconds, _ = subject.sample(1)
        if perf_counter() > until:
            return
    if seconds < BRIEF:
        subject.sample(MANY)


def as_numpy(value: Any) -> Any:
    """Arrays and numbers as NumPy has them; tuples stay tuples."""
    if isinstance(value, tuple | list):
        return tuple(as_numpy(item) for item in value)
    return np.asarray(value)[()]


def capture(settled: bool) -> Capture:
    """What the last compiled function's report and the counters say."""
    import jupyter_npcompile as npc

    report, counters = npc.last_report(), npc.stats()
    if report is None:
        return Capture(settled=settled)
    return Capture(
        tiers=tuple(region.tier for region in report.regions),
        segments=sum(region.segments for region in report.regions),
        artifacts=sum(region.artifacts for region in report.regions),
        breaks=tuple(f"line {point.line}: {point.reason}" for point in report.breaks),
        host_lines=sum(line.status == "host" for line in report.lines),
        recordings=counters["recordings"],
        recompiles=counters["recompiles"],
        fallbacks=counters["fallbacks"],
        replaced=counters["replaced"],
        settled=settled,
        notes=tuple(region.note for region in report.regions if region.note),
    )


def settle_allocator() -> None:
    """Free one large array, as any session has done that worked with data before.

    Until then the C library asks the system for the memory of every array
    anew, which makes NumPy several times slower at some sizes; from then on it
    keeps what is freed. Tools that allocate while they are imported would
    otherwise speed up NumPy beside them.
    """
    np.empty(31 << 20, np.uint8)


def claim_memory() -> None:
    """Have another process use some memory, which the system has at hand when it ends.

    A virtual machine gives memory that is free for some seconds back to its host.
    What comes first then waits for it: twenty times as long as for memory that is
    there, and longer than some programs take.
    """
    subprocess.run([sys.executable, "-c", TOUCH.format(CLAIMED)], check=True)


def system_seconds() -> float:
    """Seconds in which the operating system has worked for this thread so far."""
    who = getattr(resource, "RUSAGE_THREAD", resource.RUSAGE_SELF)
    return resource.getrusage(who).ru_stime


def peak_megabytes() -> float:
    """The most memory that this process has used so far."""
    unit = 1024 if sys.platform != "darwin" else 1
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def clear_counters() -> None:
    """Let the counters start at zero for the next size."""
    from jupyter_npcompile.runtime.stats import counters

    counters.clear()


def sizes(request: Request, emit: Emit) -> None:
    """Each size in turn."""
    tool, program = named(request.tool), load(request.program)
    prepare, bandwidth = _imported(tool, program, emit), request.bandwidth
    for size in request.sizes:
        if tool.name == "ours":
            clear_counters()
        trial = Trial(tool, program, size, prepare())
        claim_memory()
        trial.first()
        emit("first", size=size, seconds=trial.first_s)
        trial.settle(request.settle)
        timing, message = trial.compare(request.budget, request.pairs)
        emit("size", size=size, measured=asdict(trial.measured(timing, message, bandwidth)))
        if not trial.settled:
            break


def first(request: Request, emit: Emit) -> None:
    """The first result at a size."""
    tool, program = named(request.tool), load(request.program)
    trial = Trial(tool, program, request.sizes[0], _imported(tool, program, emit)())
    claim_memory()
    trial.first()
    emit("first", size=trial.size, seconds=trial.first_s, system=trial.system_s)


def calls(request: Request, emit: Emit) -> None:
    """The first calls at a size, as somebody makes them who does not wait for a compiler."""
    tool, program = named(request.tool), load(request.program)
    trial = Trial(tool, program, request.sizes[0], _imported(tool, program, emit)())
    seconds: list[float] = []
    while len(seconds) < request.pairs and sum(seconds) < request.budget:
        seconds.append(trial.compiled.sample(1)[0])
        if len(seconds) == 1:
            emit("first", size=trial.size, seconds=seconds[0])
    emit("calls", seconds=seconds)
    tool.settle(request.settle)  # what it has compiled by then is there for the next process


def match(request: Request, emit: Emit) -> None:
    """Time a tool and this package in pairs."""
    program, size = load(request.program), request.sizes[0]
    tools = named(request.tool), OURS
    imported = [_imported(tool, program, emit) for tool in tools]
    theirs, ours = (
        Trial(tool, program, size, prepare()) for tool, prepare in zip(tools, imported, strict=True)
    )
    claim_memory()
    for trial in (theirs, ours):
        trial.first()
        trial.settle(request.settle)
    emit("first", size=size, seconds=theirs.first_s)
    timing = interleaved(theirs.compiled, ours.compiled, request.budget, request.pairs)
    emit("match", timing=asdict(timing))


def overhead(request: Request, emit: Emit) -> None:
    """Three numbers, in a tool that has never been used on this machine."""
    tool = named(request.tool)
    began = perf_counter()
    run = tool.wrap(axpy)
    import_s = perf_counter() - began
    emit("ready", import_s=import_s)
    args = (2.0, np.arange(3.0), np.ones(3))
    native = Subject(axpy, lambda: args)
    held = tool.arguments(args)
    compiled = Subject(run, lambda: held)
    began = perf_counter()
    for _ in range(FIRST):
        compiled.sample(1)
        tool.settle(request.settle)
    first_use_s = perf_counter() - began
    steady(compiled, tool, request.settle)
    emit("first", size="", seconds=first_use_s)
    timing = interleaved(native, compiled, request.budget, request.pairs)
    emit("overhead", first_use_s=first_use_s, timing=asdict(timing))
    if tool.name == "ours":
        # Loops have a compiler of their own, with things to find out about the machine, too; and
        # segments have one, which no loop has started.
        tool.wrap(decay)(np.ones(20_000))
        tool.settle(request.settle)
        _use_segments(args)


def _use_segments(args: tuple[Any, ...]) -> None:
    """Have a segment compiled, as somebody has who works with large arrays."""
    import jupyter_npcompile as npc

    before, npc.settings.tier = npc.settings.tier, "inductor"
    try:
        npc.compile(axpy)(*args)
    finally:
        npc.settings.tier = before


def axpy(a: Any, x: Any, y: Any) -> Any:
    """What is called to see what a call costs."""
    return a * x + y


def decay(x: Any) -> Any:
    """A loop over single elements."""
    total = 0.0
    for value in x:
        total = 0.5 * total + value
    return total


def bandwidth(_: Request, emit: Emit) -> None:
    """How fast memory is copied."""
    emit("ready", import_s=0.0)
    emit("bandwidth", bandwidth=copy_bandwidth())


def _imported(tool: Tool, program: Program, emit: Emit) -> Callable[[], Run]:
    """Import a tool, and say how long it took."""
    began = perf_counter()
    prepare = tool.load(program)
    # NumPy's own import began with this process.
    emit("ready", import_s=perf_counter() - (START if tool.name == "numpy" else began))
    return prepare


def main(text: str) -> None:
    """Do what is asked."""
    # What programs and compilers print must not be taken for what we say.
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def emit(event: str, **data: Any) -> None:
        print(json.dumps({"event": event, **data}), file=channel, flush=True)

    settle_allocator()
    request = Request(**json.loads(text))
    kinds = {
        "sizes": sizes,
        "first": first,
        "match": match,
        "calls": calls,
        "overhead": overhead,
        "bandwidth": bandwidth,
    }
    try:
        kinds[request.kind](request, emit)
    except Exception as error:
        headline = (str(error).strip() or "no message").splitlines()[0]
        emit("error", message=f"{type(error).__name__}: {headline}"[:300])
        raise
    finally:
        channel.flush()


if __name__ == "__main__":
    main(sys.argv[1])
    # A compile may still be under way in the background: nobody needs its end.
    sys.stderr.flush()
    os._exit(0)
