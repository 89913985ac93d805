"""The results as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tests.benchmarks import promises
from tests.benchmarks.accounting import (
    Standing,
    calls_until_faster,
    numpy_seconds,
    standing,
    worst,
)
from tests.benchmarks.markdown import NOTHING, escaped, number, table, time
from tests.benchmarks.plans import ORDER, Plan
from tests.benchmarks.results import Measured, Results, Row
from tests.benchmarks.rivals import Matches
from tests.benchmarks.stability import Disagreement, between_runs, disagreements, within_run
from tests.benchmarks.tools import COMPARED, NUMPY, OURS, TOOLS, Tool
from tests.benchmarks.waiting import Waits

HOW = """\
## How to read this

Figures say how many times as fast as NumPy a tool is: 2 is twice as fast, 0.5 takes twice as long.

- **Steady state**: median over pairs of NumPy and the tool, taken in turns in one process, both \
with one thread, after compiling. npcompile runs with its default settings, so it may have kept \
NumPy.
- **First result**: seconds until the first call returns, in a process that has just started on a \
machine that has used the tool before, but not this program. Importing the tool comes on top. \
npcompile answers with NumPy's result and compiles meanwhile; *ready* is when that is done. \
Another process has claimed some memory just before, which a virtual machine would otherwise have \
to get from its host first. That does not always help: where first results are compared with \
NumPy's, what the operating system took in them is left out on both sides.
- **Restart**: the same first call in a new process that finds the caches of the first.
- **Time-outs and errors**: whoever waits in vain falls back to NumPy. They count as NumPy's time \
plus the time that was lost, larger sizes of the program included.
- **Wrong** results are marked, and the program is in no mean of that tool.
- JAX gets its own arrays, converted before; the other tools get NumPy's. torch.compile gets the \
NumPy program as it is; Numba and JAX get versions written for them, beside each program.
- **Bound**: share of the memory bandwidth that the program would need if every input were read \
once and every output written once.
- Memory is the most that a process used that ran the program at its large size with all \
threads, the tool included, before NumPy ran beside it.
- A time-out: no first result within {first:.0f} s, or the calls after it too slow to be timed. \
npcompile is given {settle:.0f} s to compile and some more to decide what is faster, and timed \
as it is then.
"""


@dataclass(frozen=True)
class Report:
    """A report to be written.

    Parameters
    ----------
    plan : Plan
        How much was measured.
    results : Results
        What was measured.
    programs : tuple of str
        What should have been measured.
    earlier : Results, optional
        A run before this one, to compare with.
    waits : Waits, optional
        First results that were measured in turns.
    matches : Matches, optional
        What was timed in turns with torch.compile.
    """

    plan: Plan
    results: Results
    programs: tuple[str, ...]
    earlier: Results | None = None
    waits: Waits | None = None
    matches: Matches | None = None

    @property
    def tools(self) -> list[Tool]:
        """The tools of which there is any row, NumPy aside."""
        known = {tool for _, tool in self.results.rows}
        return [tool for tool in COMPARED if tool.name in known]

    def text(self) -> str:
        """All of it."""
        parts = [
            "# Benchmarks",
            _machine(self.results),
            self._missing(),
            "![Speed and waiting time of each class of programs](results.svg)",
            self.overall(),
            self._classes(),
            self._worst(),
            promises.section(self.results, self.waits, self.matches),
            HOW.format(first=self.plan.limits.first, settle=self.plan.settle),
            self._stability(),
            self._programs(),
            self.matches.section() if self.matches is not None else "",
            self._waiting(),
            self.waits.section() if self.waits is not None else "",
            self._repaying(),
            self._threads(),
            self._marks(),
            self._captures(),
        ]
        return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"

    def _rows(self, tool: Tool) -> list[Row]:
        rows = (row for row in self.results.rows.values() if row.tool == tool.name)
        return sorted(rows, key=lambda row: (row.kind, row.program))

    def _row(self, program: str, tool: Tool) -> Row | None:
        return self.results.rows.get((program, tool.name))

    def _missing(self) -> str:
        notes = [
            f"{_label(name)} was not measured: {why}." for name, why in self.results.skipped.items()
        ]
        for tool in TOOLS:
            absent = [name for name in self.programs if self._row(name, tool) is None]
            if absent and tool.name not in self.results.skipped:
                which = ", ".join(absent) if len(absent) < 9 else f"{len(absent)} programs"
                notes.append(f"Not measured yet in {tool.label}: {which}.")
        return "\n".join(f"> {note}" for note in notes)

    def overall(self) -> str:
        """Every tool over all programs."""
        sizes = [size for size in ORDER if size in self.plan.sizes]
        header = ["", "all programs", "programs", *sizes, "finished only"]
        header += ["all threads"] if self.plan.threaded else []
        header += ["late", "failed", "wrong", "no version", "call, µs", "import, s", "first use, s"]
        lines = []
        for tool in self.tools:
            one = standing(self.results, tool.name)
            cells = [f"**{tool.label}**", f"**{number(one.mean)}**", str(one.programs)]
            cells += [number(one.sizes.get(size)) for size in sizes]
            cells += [number(one.finished)]
            cells += [number(one.threaded)] if self.plan.threaded else []
            cells += [str(len(part)) for part in (one.late, one.failed, one.wrong, one.without)]
            cells += self._cost(tool)
            lines.append(cells)
        title = "## Over all programs (geometric means, NumPy = 1)\n\n"
        foot = (
            "\n\nA call: a * x + y on three numbers, steady state; NumPy itself takes "
            f"{self._cost(NUMPY)[0]} µs. First use: until it runs compiled with empty caches, "
            "once a machine. Whoever uses npcompile has NumPy's results meanwhile, others wait."
        )
        return title + table(header, lines) + foot

    def _cost(self, tool: Tool) -> list[str]:
        cost = self.results.overheads.get(tool.name)
        if cost is None:
            return [NOTHING] * 3
        return [number(cost.timing.tool_s * 1e6), number(cost.import_s), number(cost.first_use_s)]

    def _classes(self) -> str:
        standings = [standing(self.results, tool.name) for tool in self.tools]
        kinds = sorted({row.kind for row in self.results.rows.values()})
        lines = [
            [kind, str(self._count(kind)), *(number(one.classes.get(kind)) for one in standings)]
            for kind in kinds
        ]
        header = ["class", "programs", *(tool.label for tool in self.tools)]
        return "## By class (geometric means)\n\n" + table(header, lines)

    def _count(self, kind: str) -> int:
        return len({row.program for row in self.results.rows.values() if row.kind == kind})

    def _worst(self) -> str:
        found = worst(self.results, OURS.name)
        if found is None:
            return ""
        program, value = found
        row = self.results.rows[program, OURS.name]
        sizes = ", ".join(f"{size} {_ending(one)}" for size, one in _in_order(row.single))
        return f"Worst program of {OURS.label}: **{program}**, {number(value)} ({sizes})."

    def _stability(self) -> str:
        parts = ["## Do two runs agree?"]
        if self.plan.restart:
            found = [
                d
                for tool in self.tools
                for d in disagreements(tool.name, *within_run(self.results, tool.name))
            ]
            parts.append(_agreement("Two processes of this run, at the medium size", found))
        if self.earlier is not None:
            found = [
                d
                for tool in self.tools
                for d in disagreements(
                    tool.name, *between_runs(self.results, self.earlier, tool.name)
                )
            ]
            parts.append(_agreement("This run and the one before it, at the medium size", found))
        if len(parts) == 1:
            parts.append("Measured once only: not known.")
        return "\n\n".join(parts)

    def _programs(self) -> str:
        header = ["program", "class", "size", "NumPy", *(tool.label for tool in self.tools)]
        header += ["tier", "segments", "breaks", "bound"]
        lines = []
        for program, kind in self._named():
            for size in (size for size in ORDER if size in self.plan.sizes):
                seconds = numpy_seconds(self.results, program, size)
                cells = [program, kind, size, time(seconds)]
                for tool in self.tools:
                    row = self._row(program, tool)
                    cells.append(_ending(row.single.get(size) if row else None))
                ours = self._row(program, OURS)
                cells += _capture(ours.single.get(size) if ours else None)
                lines.append(cells)
        return "## Every program: steady state, one thread\n\n" + table(header, lines)

    def _named(self) -> list[tuple[str, str]]:
        return sorted(
            {(row.program, row.kind) for row in self.results.rows.values()},
            key=lambda pair: (pair[1], pair[0]),
        )

    def _waiting(self) -> str:
        size = self.plan.sizes[0]
        header = ["program", *(f"{tool.label}: first" for tool in self.tools)]
        header += [f"{OURS.label}: ready"] if OURS in self.tools else []
        header += [f"{tool.label}: restart" for tool in self.tools] if self.plan.restart else []
        lines = []
        for program, _ in self._named():
            rows = [self._row(program, tool) for tool in self.tools]
            firsts = [row.single.get(size) if row else None for row in rows]
            cells = [program, *map(_first, firsts)]
            if OURS in self.tools:
                ours = firsts[self.tools.index(OURS)]
                cells.append(_ready(ours))
            if self.plan.restart:
                cells += [_restarted(row) for row in rows]
            lines.append(cells)
        imports = ", ".join(f"{tool.label} {self._cost(tool)[1]} s" for tool in self.tools)
        return (
            f"## Every program: waiting, {size} size\n\n"
            f"Importing the tool comes on top: {imports}.\n\n{table(header, lines)}"
        )

    def _repaying(self) -> str:
        size = self.plan.sizes[0]
        header = ["program", *(f"{tool.label}: calls" for tool in self.tools)]
        header += [f"{tool.label}: MB" for tool in TOOLS] if self.plan.threaded else []
        lines = []
        for program, _ in self._named():
            rows = [self._row(program, tool) for tool in self.tools]
            cells = [program, *(_repaid(row.single.get(size) if row else None) for row in rows)]
            if self.plan.threaded:
                cells += [_memory(self._row(program, tool)) for tool in TOOLS]
            lines.append(cells)
        return (
            "## Every program: calls and memory\n\n"
            f"After how many calls at the {size} size the first result is paid for by the speed, "
            f"importing aside; and the most memory used.\n\n{table(header, lines)}"
        )

    def _threads(self) -> str:
        if not self.plan.threaded:
            return ""
        header = ["program", "size", *(tool.label for tool in self.tools)]
        header += [f"{tool.label}: threads at work" for tool in self.tools]
        lines = []
        for program, _ in self._named():
            for size in self.plan.threaded:
                rows = [self._row(program, tool) for tool in self.tools]
                measured = [row.threaded.get(size) if row else None for row in rows]
                if not any(measured):
                    continue
                cores = [one.timing.cores if one and one.timing else None for one in measured]
                cells = [program, size, *map(_ending, measured), *map(number, cores)]
                lines.append(cells)
        return "## Every program: all threads, NumPy with all threads too\n\n" + table(
            header, lines
        )

    def _marks(self) -> str:
        parts = []
        for tool in self.tools:
            one = standing(self.results, tool.name)
            parts += self._marked(tool, one)
        return "## Wrong, late, failed, or not there\n\n" + "\n".join(parts or ["None."])

    def _marked(self, tool: Tool, one: Standing) -> list[str]:
        lines = []
        for word, names in (
            ("wrong", one.wrong),
            ("late", one.late),
            ("failed", one.failed),
            ("no version", one.without),
        ):
            for name in sorted(names):
                row = self.results.rows[name, tool.name]
                what = "; ".join(
                    dict.fromkeys(
                        f"{size}: {m.message}" if word != "no version" else m.message
                        for size, m in (*_in_order(row.single), *_in_order(row.threaded))
                        if m.message
                    )
                )
                lines.append(f"- {tool.label}, `{name}` {word}: {escaped(what)}")
        return lines

    def _captures(self) -> str:
        lines = []
        for row in self._rows(OURS):
            for size, measured in _in_order(row.single):
                found = measured.capture
                if found is None or size != self.plan.sizes[0]:
                    continue
                notes = [*found.breaks, *dict.fromkeys(found.notes)][:6]
                if not found.settled:
                    notes.insert(0, "still compiling when it was timed")
                if found.replaced:
                    notes.insert(0, f"{found.replaced} results were replaced by NumPy's")
                if notes:
                    lines.append(f"- `{row.program}`: {escaped('; '.join(notes))}")
        if not lines:
            return ""
        return f"## What {OURS.label} says of each program\n\n" + "\n".join(lines)


def _machine(results: Results) -> str:
    dates = sorted({row.date for row in results.rows.values()})
    when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}" if dates else "never"
    facts = {"measured": when, **results.machine}
    if results.bandwidth:
        facts["copy, one thread"] = f"{results.bandwidth / 1e9:.1f} GB/s"
    return " · ".join(f"{name}: {value}" for name, value in facts.items())


def _label(name: str) -> str:
    return next(tool.label for tool in TOOLS if tool.name == name)


def _in_order(sizes: dict[str, Measured]) -> list[tuple[str, Measured]]:
    return sorted(sizes.items(), key=lambda item: ORDER.index(item[0]))


def _ending(measured: Measured | None) -> str:
    """The steady state, or how it ended."""
    if measured is None or measured.status == "no peer":
        return NOTHING
    match measured.status:
        case "ok" if measured.timing is not None:
            return number(measured.timing.ratio)
        case "timeout":
            return f"time-out, {measured.lost_s:.0f} s"
        case "error":
            return f"error, {measured.lost_s:.0f} s"
        case "not tried":
            return f"not tried, {measured.lost_s:.0f} s"
        case _:
            return "**wrong**"


def _capture(measured: Measured | None) -> list[str]:
    if measured is None or measured.capture is None:
        return [NOTHING] * 4
    found = measured.capture
    bound = f"{measured.bound:.0%}" if measured.bound is not None else NOTHING
    tier = found.tier if found.settled else f"{found.tier}, compiling"
    return [tier, str(found.segments), str(len(found.breaks)), bound]


def _first(measured: Measured | None) -> str:
    if measured is None or measured.first_s is None:
        return _ending(measured)
    return time(measured.first_s)


def _ready(measured: Measured | None) -> str:
    if measured is None:
        return NOTHING
    endless = measured.capture is not None and not measured.capture.settled
    return f"> {time(measured.ready_s)}" if endless else time(measured.ready_s)


def _repaid(measured: Measured | None) -> str:
    if measured is None or measured.status != "ok":
        return NOTHING
    calls = calls_until_faster(measured)
    return "never" if calls is None else f"{calls:.0f}"


def _restarted(row: Row | None) -> str:
    return time(row.restart.again.first_s if row and row.restart else None)


def _memory(row: Row | None) -> str:
    peaks = [one.peak_mb for one in row.threaded.values() if one.peak_mb] if row else []
    return f"{peaks[0]:.0f}" if peaks else NOTHING


def _agreement(what: str, found: Sequence[Disagreement]) -> str:
    if not found:
        return f"{what}: every class agrees within 15 %."
    lines = [
        f"- {_label(one.tool)}, {one.kind}: {number(one.first)}, then {number(one.second)}; "
        f"most of it is `{one.program}`: {escaped(one.why)}"
        for one in found
    ]
    return f"{what}: these classes differ by more than 15 %.\n\n" + "\n".join(lines)
