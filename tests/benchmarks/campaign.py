"""Starts workers, one after the other, and keeps what they say."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tests.benchmarks import early, machine, waiting
from tests.benchmarks.children import LATE, Event, Limits, events
from tests.benchmarks.early import AGAIN, Calls, Early
from tests.benchmarks.plans import Plan, smaller
from tests.benchmarks.programs import Program
from tests.benchmarks.progress import Progress
from tests.benchmarks.results import Measured, Overhead, Restart, Results, Row, Status
from tests.benchmarks.rivals import Match, Matches
from tests.benchmarks.timing import Timing
from tests.benchmarks.tools import NUMBA, NUMPY, OURS, TORCH, Tool, processors
from tests.benchmarks.waiting import First, Waits
from tests.benchmarks.worker import Request

SECOND_CHANCE = 5.0
"""Seconds for a first result, or to compile, where another size took too long."""

STILL = 12.0
"""Seconds to wait for compiles where another size had not enough."""

FIRST_USE = 240.0
"""Seconds for the first use of a tool on a machine."""

MATCH = 120.0
"""Seconds until two tools have compiled and decided, one after the other, besides first results."""

Start = Callable[[Request, int, Limits], Iterable[Event]]
"""Starts a worker with so many threads, and yields its events."""


@dataclass
class Heard:
    """What one worker said.

    Parameters
    ----------
    import_s : float, optional
        Seconds to import the tool.
    sizes : dict of str to Measured
        What it measured.
    first_s : dict of str to float
        First results of which the rest may be missing.
    failure : tuple, optional
        Status, seconds that were lost, message.
    """

    import_s: float | None = None
    sizes: dict[str, Measured] = field(default_factory=dict)
    first_s: dict[str, float] = field(default_factory=dict)
    failure: tuple[Status, float, str] | None = None

    @classmethod
    def of(cls, said: Iterable[Event]) -> Heard:
        """Listen to a worker until it ends."""
        heard = cls()
        for event in said:
            heard.hear(event)
        return heard

    def hear(self, event: Event) -> None:
        """Take in one event."""
        match event:
            case {"event": "ready"}:
                self.import_s = event["import_s"]
            case {"event": "first"}:
                self.first_s[event["size"]] = event["seconds"]
            case {"event": "size"}:
                self.sizes[event["size"]] = Measured.from_dict(event["measured"])
            case {"event": "error"}:
                self.failure = "error", event["seconds"], event["message"]
            case {"event": "late"}:
                self.failure = "timeout", event["seconds"], f"no answer in {event['seconds']:.0f} s"

    def failed(self, size: str) -> Measured:
        """What the size has come to at which the worker failed."""
        assert self.failure is not None
        status, lost_s, message = self.failure
        first_s = self.first_s.get(size)
        return Measured(status, first_s, lost_s=lost_s + (first_s or 0.0), message=message)


def by_size(start: Start, request: Request, threads: int, limits: Limits) -> Heard:
    """Measure each size; where one fails, those smaller get a second chance, larger ones none."""
    whole = Heard()
    left = list(request.sizes)
    while left:
        heard = Heard.of(start(replace(request, sizes=left), threads, limits))
        whole.sizes |= heard.sizes
        if whole.import_s is None:
            whole.import_s = heard.import_s
        request = _less_patient(request, heard.sizes)
        left = [size for size in left if size not in heard.sizes]
        if heard.failure is None and heard.sizes:
            continue
        if not left:
            break
        size = left.pop(0)
        whole.sizes[size] = failed = heard.failed(size)
        again = smaller(left, size)
        for larger in [other for other in left if other not in again]:
            whole.sizes[larger] = replace(
                failed, status="not tried", first_s=None, message=f"{size}: {failed.message}"
            )
        left = again
        limits = replace(limits, first=min(limits.first, SECOND_CHANCE))
    return whole


def _less_patient(request: Request, sizes: dict[str, Measured]) -> Request:
    """Wait no longer than that for compiles where one has taken too long already."""
    if all(one.capture is None or one.capture.settled for one in sizes.values()):
        return request
    return replace(request, settle=min(request.settle, STILL))


def measure(program: Program, tool: Tool, plan: Plan, start: Start, request: Request) -> Row:
    """Measure one program in one tool.

    Parameters
    ----------
    program : Program
        The program.
    tool : Tool
        The tool.
    plan : Plan
        How much.
    start : callable
        Starts workers, all with the same caches, which are empty at first.
    request : Request
        What they are asked; its kind and sizes are filled in.
    """
    row = Row(program.name, program.kind, tool.name, row_key(program, tool, plan), machine.today())
    if not tool.has(program):
        message = program.no_peer.get(tool.name, "there is no version of it")
        return replace(
            row, single={size: Measured("no peer", message=message) for size in plan.sizes}
        )
    cold = by_size(start, replace(request, sizes=list(plan.sizes)), 1, plan.limits)
    row = replace(row, import_s=cold.import_s, single=cold.sizes)
    request = _less_patient(request, cold.sizes)
    works = [size for size in plan.sizes if cold.sizes[size].timing is not None]
    if plan.restart and plan.sizes[0] in works and tool is not NUMPY:
        row = replace(row, restart=_restart(start, request, plan))
    if processors() > 1:
        row = replace(row, threaded=_threaded(start, request, plan, cold.sizes))
    return row


def _threaded(
    start: Start, request: Request, plan: Plan, single: dict[str, Measured]
) -> dict[str, Measured]:
    """The same with all threads; what failed with one is not tried, and costs the same."""
    measured = {
        size: replace(single[size], status="not tried", message=f"{size}, one thread: failed")
        for size in plan.threaded
        if single[size].timing is None
    }
    left = [size for size in plan.threaded if size not in measured]
    if left:
        asked = replace(request, sizes=left, bandwidth=None)
        measured |= by_size(start, asked, processors(), plan.limits).sizes
    return measured


def _restart(start: Start, request: Request, plan: Plan) -> Restart | None:
    """The first size in a new process; None where that one fails."""
    size = plan.sizes[0]
    heard = Heard.of(start(replace(request, sizes=[size], bandwidth=None), 1, plan.limits))
    if heard.import_s is None or size not in heard.sizes:
        return None
    return Restart(heard.import_s, heard.sizes[size])


def row_key(program: Program, tool: Tool, plan: Plan) -> str:
    """What a row's figures depend on."""
    return f"{plan.key}-{machine.key(tool, program.name)}"


class Campaign:
    """Everything a plan asks for.

    Parameters
    ----------
    plan : Plan
        How much is measured.
    folder : Path
        Where the results, the logs and the caches are.
    programs : sequence of Program
        What is measured.
    tools : sequence of Tool
        In which tools.
    progress : Progress
        Who is told.
    """

    def __init__(
        self,
        plan: Plan,
        folder: Path,
        programs: Sequence[Program],
        tools: Sequence[Tool],
        progress: Progress,
    ) -> None:
        self.plan, self.folder, self.progress = plan, folder, progress
        self.programs, self.tools = programs, tools
        self.path = folder / "results.json"
        self.results = Results.read(self.path)
        self.cache = folder / "cache" / "now"

    def run(self) -> bool:
        """Measure what is not there yet; False when the time was not enough."""
        usable = [tool for tool in self.tools if tool.installed]
        self.results.machine = machine.describe(usable)
        for tool in self.tools:
            self.results.skipped.pop(tool.name, None)
            if tool not in usable:
                self.results.skipped[tool.name] = "not installed"
                self.progress.say(f"{tool.label} is not installed: measured without it")
        todo = [
            (tool, program)
            for tool in usable
            for program in self.programs
            if not self.results.has(program.name, tool.name, row_key(program, tool, self.plan))
        ]
        self.progress.begin([tool.effort for tool, _ in todo], self.plan.minutes * 60)
        if self.results.bandwidth is None or todo:
            self._bandwidth()
        for tool, program in todo:
            if self.progress.is_over:
                break
            self.progress.show(f"{program.name} in {tool.label}")
            self._overhead(tool)
            self._fill(tool)
            asked = self._request("sizes", tool, program=program.name)
            self.results.add(measure(program, tool, self.plan, self._start, asked))
            self.results.write(self.path)
            self.progress.step()
        shutil.rmtree(self.cache, ignore_errors=True)
        self.results.write(self.path)
        return self.progress.end()

    def turns(self) -> Waits:
        """First results of NumPy and of this package, in turns.

        Raises
        ------
        RuntimeError
            When a program gives none.
        """
        tools = {tool.name: tool for tool in (NUMPY, OURS)}
        figures = waiting.figures(program.name for program in self.programs)
        for tool in tools.values():
            self._overhead(tool)

        def take(name: str, program: str, size: str) -> First:
            self._fill(tools[name])
            asked = self._request("first", tools[name], program=program, sizes=[size])
            for event in self._start(asked, 1, self.plan.limits):
                if event["event"] == "first":
                    return First(event["seconds"], event["system"])
            raise RuntimeError(f"{program} at {size} gives no result in {name}: see its log")

        waits = [waiting.measured(*figure, take) for figure in self._each(figures)]
        return Waits(machine.describe(tools.values()), waits=tuple(waits))

    def matches(self, figures: Sequence[tuple[str, str]]) -> Matches:
        """Steady states of torch.compile and of this package, in pairs.

        Parameters
        ----------
        figures : sequence of tuple of str
            Programs and sizes.

        Raises
        ------
        RuntimeError
            When a program cannot be timed in both.
        """
        limits = replace(self.plan.limits, first=self.plan.limits.first + MATCH)
        self._overhead(OURS)
        found = []
        for program, size in self._each(figures):
            self._fill(OURS)
            asked = self._request("match", TORCH, program=program, sizes=[size])
            said = {event["event"]: event for event in self._start(asked, 1, limits)}
            if "match" not in said:
                raise RuntimeError(f"{program} at {size} cannot be timed in both: see its log")
            found.append(Match(program, size, Timing(**said["match"]["timing"])))
        return Matches(machine.describe((OURS, TORCH)), matches=tuple(found))

    def early(self) -> Early:
        """The first calls of NumPy, of this package and of Numba, if it is installed."""
        tools = [tool for tool in (NUMPY, OURS, NUMBA) if tool.installed]
        for tool in tools:
            self._overhead(tool)
        programs = {program.name: program for program in self.programs}
        calls: list[Calls] = []
        for name, size in self._each(early.figures(programs)):
            for tool in tools:
                if tool.has(programs[name]):
                    calls += self._first_calls(name, size, tool)
        return Early(machine.describe(tools), calls=tuple(calls))

    def _first_calls(self, program: str, size: str, tool: Tool) -> Iterator[Calls]:
        """Of a program that the tool has not seen; and again, where it keeps what it has seen."""
        self._fill(tool)
        asked = replace(
            self._request("calls", tool, program=program, sizes=[size]),
            pairs=early.COUNTS[-1],
            budget=early.LONGEST,
            settle=early.SETTLE,
        )
        limits = replace(self.plan.limits, rest=early.LONGEST + early.SETTLE)
        for name in (tool.name, f"{tool.name} {AGAIN}") if tool is OURS else (tool.name,):
            said = {event["event"]: event for event in self._start(asked, 1, limits)}
            found = said.get("calls", {}).get("seconds", ())
            message = str(said.get("error", {}).get("message", "" if found else "too late"))
            yield Calls(program, size, name, tuple(found), message)

    def _each(self, figures: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
        """Programs and sizes that are measured in turns, one after the other."""
        self.progress.begin([1.0] * len(figures), float("inf"))
        for program, size in figures:
            self.progress.show(f"{program}, {size}, in turns")
            yield program, size
            self.progress.step()
        shutil.rmtree(self.cache, ignore_errors=True)
        self.progress.end()

    def _request(self, kind: str, tool: Tool, **more: Any) -> Request:
        plan = self.plan
        return Request(
            kind,
            tool.name,
            budget=plan.budget,
            pairs=plan.pairs,
            settle=plan.settle,
            bandwidth=self.results.bandwidth,
            **more,
        )

    def _start(self, request: Request, threads: int, limits: Limits) -> Iterable[Event]:
        log = self.folder / "logs" / f"{request.program or 'all'}-{request.tool}.txt"
        return events(request, threads, self.cache, limits, log)

    def _bandwidth(self) -> None:
        for event in self._start(self._request("bandwidth", NUMPY), 1, self.plan.limits):
            if event["event"] == "bandwidth":
                self.results.bandwidth = event["bandwidth"]

    def _overhead(self, tool: Tool) -> None:
        """Use a tool for the first time; what that leaves in its cache is kept."""
        primed = self._primed(tool)
        key = f"{self.plan.key}-{machine.key(tool)}"
        known = self.results.overheads.get(tool.name)
        if primed.is_dir() and known is not None and known.key == key:
            return
        shutil.rmtree(primed, ignore_errors=True)
        shutil.rmtree(self.cache, ignore_errors=True)
        # Whoever uses a tool for the first time waits, once: compilers look at the machine.
        # Cut short, this would be left to every program that follows.
        limits = Limits(ready=120, first=FIRST_USE, rest=60)
        request = replace(self._request("overhead", tool), settle=FIRST_USE)
        import_s = 0.0
        for event in self._start(request, 1, limits):
            if event["event"] == "ready":
                import_s = event["import_s"]
            elif event["event"] == "overhead":
                timing = Timing(**event["timing"])
                self.results.overheads[tool.name] = Overhead(
                    key, machine.today(), import_s, event["first_use_s"], timing
                )
            elif event["event"] in ("error", LATE):
                self.progress.say(f"{tool.label}: {event.get('message', 'too late')}")
        self.cache.mkdir(parents=True, exist_ok=True)
        self.cache.rename(primed)

    def _primed(self, tool: Tool) -> Path:
        return self.cache.with_name(f"primed-{tool.name}")

    def _fill(self, tool: Tool) -> None:
        """Give the next program the cache of a machine that knows the tool, not the program.

        It is always the same folder: precompiled headers hold its name.
        """
        shutil.rmtree(self.cache, ignore_errors=True)
        shutil.copytree(self._primed(tool), self.cache, copy_function=os.link, symlinks=True)
