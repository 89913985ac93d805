"""How benchmarks are measured: pairs, workers, time-outs, campaigns."""

from __future__ import annotations

import dataclasses
import io
import itertools
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from tests.benchmarks import campaign, machine, worker
from tests.benchmarks import timing as timings
from tests.benchmarks.campaign import Campaign, by_size, measure
from tests.benchmarks.children import Event, Limits, events
from tests.benchmarks.plans import FULL, ORDER, QUICK, one_of_each
from tests.benchmarks.programs import Program, load, names
from tests.benchmarks.progress import Progress
from tests.benchmarks.results import Capture, Measured, Results, Row
from tests.benchmarks.timing import Subject, interleaved, summarise
from tests.benchmarks.tools import JAX, NUMBA, NUMPY, OURS, Tool, environment
from tests.benchmarks.worker import CALLS, MANY, Request, Trial, steady

LIMITS = Limits()


def program(run: Any = None, **changes: Any) -> Program:
    made = Program(
        name="doubled",
        kind="elementwise chains",
        title="Twice a number.",
        sizes={size: {"n": n} for n, size in enumerate(ORDER, 3)},
        make=lambda n: (np.arange(float(n)),),
        run=run or (lambda x: x * 2),
        rtol=1e-12,
        atol=0.0,
        mutates=False,
        peers=frozenset(),
        no_peer={"jax": "as an example"},
        bytes_moved=lambda n: 16 * n,
        check=None,
    )
    return dataclasses.replace(made, **changes)


# -- timing


def test_figures_are_medians_of_the_pairs() -> None:
    timing = summarise([(2.0, 1.0), (9.0, 3.0), (4.0, 1.0), (8.0, 1.0), (5.0, 1.0)], cpu=14.0)
    assert (timing.numpy_s, timing.tool_s, timing.ratio) == (5.0, 1.0, 4.0)
    assert (timing.low, timing.high, timing.pairs, timing.cores) == (3.0, 5.0, 5, 2.0)
    assert timing.spread == pytest.approx(2 / 3)


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What the clock says, as long as nobody changes it."""
    made = [0.0]
    monkeypatch.setattr(timings, "perf_counter", lambda: made[0])
    return made


def test_pairs_take_turns(now: list[float]) -> None:
    order: list[str] = []

    def slow(name: str, seconds: float) -> None:
        order.append(name)
        now[0] += seconds

    numpy = Subject(slow, lambda: ("numpy", 0.003))
    tool = Subject(slow, lambda: ("tool", 0.006))
    timing = interleaved(numpy, tool, budget=10.0, most=4)
    assert timing.pairs == 4
    assert order[-8:] == ["numpy", "tool", "tool", "numpy"] * 2
    assert timing.ratio == pytest.approx(0.5)


def test_slow_programs_give_fewer_pairs(now: list[float]) -> None:
    def slow() -> None:
        now[0] += 0.02

    subject = Subject(slow, tuple)
    assert interleaved(subject, subject, budget=0.001, most=9).pairs == 1
    assert interleaved(subject, subject, budget=0.01, most=9).pairs == 2
    assert interleaved(subject, subject, budget=0.03, most=9).pairs == 3


def test_arguments_that_change_are_fresh_each_time() -> None:
    def run(x: Any) -> None:
        assert x[0] == 0
        x[0] = 1

    trial = Trial(NUMPY, program(run, mutates=True), "small", run)
    trial.first()
    assert trial.compiled.sample(3)[0] >= 0
    assert trial.compiled.loops() <= 20


# -- a worker's trial of one size


def tried(prog: Program, run: Any) -> Measured:
    trial = Trial(NUMPY, prog, "small", run)
    trial.first()
    trial.settle(1.0)
    timing, message = trial.compare(0.01, 3)
    return trial.measured(timing, message, bandwidth=1e9)


def test_right_results_are_measured() -> None:
    measured = tried(program(), lambda x: x + x)
    assert measured.status == "ok"
    assert measured.timing is not None
    assert measured.first_s is not None
    assert measured.ready_s is not None
    assert measured.ready_s >= measured.first_s
    assert measured.bound == pytest.approx(16 * 3 / 1e9 / measured.timing.tool_s)


def test_wrong_results_are_marked() -> None:
    measured = tried(program(), lambda x: x * 2.001)
    assert (measured.status, measured.message) == ("wrong", "another result than NumPy's")


def test_results_that_become_wrong_are_marked() -> None:
    calls = itertools.count()
    measured = tried(program(), lambda x: x * 2 if next(calls) < 1 + CALLS + MANY else x)
    assert (measured.status, measured.message) == (
        "wrong",
        "another result than NumPy's, after some calls",
    )


def test_results_that_break_a_law_are_marked() -> None:
    def check(result: Any, x: Any) -> None:
        assert np.all(result >= x)

    assert tried(program(check=check), lambda x: x * 2).status == "ok"
    # The same wrong result from NumPy and from the tool.
    assert tried(program(lambda x: -x, check=check), lambda x: -x).status == "wrong"


def test_capture_says_what_ran() -> None:
    import jupyter_npcompile as npc

    before = npc.settings.tier, npc.settings.first_run_check
    npc.settings.tier, npc.settings.first_run_check = "aten", "raise"
    try:
        worker.clear_counters()
        run = OURS.load(program(_doubled))()
        run(np.arange(3.0))
        found = worker.capture(settled=True)
    finally:
        npc.settings.tier, npc.settings.first_run_check = before
    assert (found.tiers, found.tier, found.segments, found.recordings) == (("aten",), "aten", 1, 1)


def _doubled(x: Any) -> Any:
    return x * 2


# -- processes


def test_worker_measures_in_a_process(tmp_path: Path) -> None:
    request = Request("overhead", "numpy", budget=0.01, pairs=3)
    said = list(events(request, 1, tmp_path / "cache", LIMITS, tmp_path / "log.txt"))
    assert [event["event"] for event in said] == ["ready", "first", "overhead"]
    assert said[-1]["timing"]["ratio"] > 0


def test_worker_that_is_late_is_stopped(tmp_path: Path) -> None:
    limits = Limits(ready=0.002)  # Python itself takes longer to start
    request = Request("overhead", "numpy")
    said = list(events(request, 1, tmp_path / "cache", limits, tmp_path / "log.txt"))
    assert [event["event"] for event in said] == ["late"]
    assert said[0]["seconds"] >= 0.002


def test_worker_that_fails_says_why(tmp_path: Path) -> None:
    request = Request("sizes", "numpy", program="no_such_program", sizes=["small"])
    said = list(events(request, 1, tmp_path / "cache", LIMITS, tmp_path / "log.txt"))
    assert [event["event"] for event in said] == ["error"]
    assert "no_such_program" in said[0]["message"]
    assert "Traceback" in (tmp_path / "log.txt").read_text()


def test_every_tool_gets_the_same_threads(tmp_path: Path) -> None:
    one, two = environment(1, tmp_path), environment(2, tmp_path)
    assert {one[name] for name in one if name.endswith("_THREADS")} == {"1"}
    assert {two[name] for name in two if name.endswith("_THREADS")} == {"2"}
    assert "XLA_FLAGS" in one
    assert "XLA_FLAGS" not in two


# -- campaigns


def good(size: str, ratio: float = 2.0, *, settled: bool = True) -> list[Event]:
    timing = summarise([(ratio, 1.0)], 1.0)
    capture = Capture(settled=settled)
    measured = Measured("ok", first_s=0.5, ready_s=0.5, timing=timing, capture=capture)
    return [
        {"event": "first", "size": size, "seconds": 0.5},
        {"event": "size", "size": size, "measured": asdict(measured)},
    ]


class Workers:
    """Workers that fail at some sizes."""

    def __init__(self, failing: dict[str, Event], unsettled: tuple[str, ...] = ()) -> None:
        self.failing, self.unsettled = failing, unsettled
        self.asked: list[tuple[Request, int, Limits]] = []

    def __call__(self, request: Request, threads: int, limits: Limits) -> Iterable[Event]:
        self.asked.append((request, threads, limits))
        yield {"event": "ready", "import_s": 0.25}
        for size in request.sizes:
            if size in self.failing:
                yield self.failing[size]
                return
            yield from good(size, settled=size not in self.unsettled)
            if size in self.unsettled:
                return


LATE: Event = {"event": "late", "seconds": 25.0}


def test_all_sizes_are_measured_by_one_worker() -> None:
    workers = Workers({})
    heard = by_size(workers, Request("sizes", "jax", sizes=["medium", "small"]), 1, LIMITS)
    assert heard.import_s == 0.25
    assert {size: one.status for size, one in heard.sizes.items()} == {
        "medium": "ok",
        "small": "ok",
    }
    assert len(workers.asked) == 1


def test_what_is_late_is_tried_smaller_but_not_larger() -> None:
    workers = Workers({"medium": LATE})
    heard = by_size(workers, Request("sizes", "jax", sizes=["medium", "small", "large"]), 1, LIMITS)
    assert heard.sizes["medium"] == Measured("timeout", lost_s=25.0, message="no answer in 25 s")
    assert heard.sizes["small"].status == "ok"
    assert heard.sizes["large"].status == "not tried"
    assert heard.sizes["large"].lost_s == 25.0
    assert [request.sizes for request, *_ in workers.asked] == [
        ["medium", "small", "large"],
        ["small"],
    ]
    assert workers.asked[1][2].first < LIMITS.first


def test_sizes_after_an_endless_compile_get_a_process_of_their_own() -> None:
    workers = Workers({}, unsettled=("medium",))
    asked = Request("sizes", "ours", sizes=["medium", "small", "large"])
    heard = by_size(workers, asked, 1, LIMITS)
    assert {one.status for one in heard.sizes.values()} == {"ok"}
    assert [request.sizes for request, *_ in workers.asked] == [
        ["medium", "small", "large"],
        ["small", "large"],
    ]
    assert workers.asked[1][0].settle < workers.asked[0][0].settle


def test_what_comes_first_is_kept_when_the_rest_is_late() -> None:
    heard = campaign.Heard.of([*good("small")[:1], {"event": "late", "seconds": 40.0}])
    failed = heard.failed("small")
    assert (failed.status, failed.first_s, failed.lost_s) == ("timeout", 0.5, 40.5)


def test_row_of_a_program_that_works(monkeypatch: pytest.MonkeyPatch) -> None:
    workers = Workers({})
    monkeypatch.setattr(campaign, "processors", lambda: 2)
    row = measure(program(), OURS, FULL, workers, Request("sizes", "ours"))
    assert set(row.single) == set(FULL.sizes)
    assert set(row.threaded) == {"large"}
    assert row.restart is not None
    assert row.restart.again.status == "ok"
    asked = [(request.sizes, threads) for request, threads, _ in workers.asked]
    assert asked == [(list(FULL.sizes), 1), (["medium"], 1), (["large"], 2)]


def test_row_of_a_program_that_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(campaign, "processors", lambda: 2)
    error = {"event": "error", "message": "TypeError: no", "seconds": 3.0}
    row = measure(program(), OURS, FULL, Workers(dict.fromkeys(ORDER, error)), Request("", "ours"))
    assert {size: one.status for size, one in row.single.items()} == {
        "medium": "error",
        "small": "error",
        "large": "not tried",
    }
    assert row.single["medium"].message == "TypeError: no"
    assert row.restart is None
    assert row.threaded["large"].status == "not tried"


def test_row_of_a_program_without_a_version_for_the_tool() -> None:
    workers = Workers({})
    tool = dataclasses.replace(JAX, distributions=())  # it need not be installed here
    row = measure(program(), tool, FULL, workers, Request("", "jax"))
    assert {one.status for one in row.single.values()} == {"no peer"}
    assert row.single["small"].message == "as an example"
    assert workers.asked == []


def test_quick_plan_has_every_class() -> None:
    programs = [load(name) for name in names()]
    chosen = one_of_each(programs)
    assert {p.kind for p in chosen} == {p.kind for p in programs}
    assert len(chosen) == len({p.kind for p in programs})
    assert len(QUICK.sizes) < len(FULL.sizes)


class Counted(Campaign):
    """A campaign whose workers are made up."""

    workers = Workers({})

    def _start(self, request: Request, threads: int, limits: Limits) -> Iterable[Event]:
        if request.kind == "bandwidth":
            return [{"event": "bandwidth", "bandwidth": 1e9}]
        if request.kind == "overhead":
            return []
        return self.workers(request, threads, limits)


def run_campaign(folder: Path, tools: list[Tool], minutes: float = 1.0) -> tuple[bool, str]:
    stream = io.StringIO()
    plan = dataclasses.replace(QUICK, minutes=minutes)
    chosen = [load(name) for name in names()[:2]]
    complete = Counted(plan, folder, chosen, tools, Progress(stream)).run()
    return complete, stream.getvalue()


def test_campaign_goes_on_where_it_was(tmp_path: Path) -> None:
    Counted.workers = Workers({})
    assert run_campaign(tmp_path, [NUMPY], minutes=0.0)[0] is False
    assert Results.read(tmp_path / "results.json").rows == {}
    assert run_campaign(tmp_path, [NUMPY])[0] is True
    asked = len(Counted.workers.asked)
    assert asked == 2
    complete, shown = run_campaign(tmp_path, [NUMPY])
    assert complete
    assert len(Counted.workers.asked) == asked
    assert "0 rows measured" in shown
    # Something that a row depends on has changed.
    found = Results.read(tmp_path / "results.json")
    first = next(iter(found.rows.values()))
    found.add(dataclasses.replace(first, key="another"))
    found.write(tmp_path / "results.json")
    assert run_campaign(tmp_path, [NUMPY])[0] is True
    assert len(Counted.workers.asked) == asked + 1


def test_tools_that_are_not_installed_are_skipped_with_a_message(tmp_path: Path) -> None:
    Counted.workers = Workers({})
    absent = dataclasses.replace(NUMBA, module="no_such_module")
    complete, shown = run_campaign(tmp_path, [NUMPY, absent])
    assert complete
    assert "Numba is not installed: measured without it" in shown
    found = Results.read(tmp_path / "results.json")
    assert found.skipped == {"numba": "not installed"}
    assert {row.tool for row in found.rows.values()} == {"numpy"}


def test_key_depends_on_the_program_and_on_our_sources() -> None:
    assert machine.key(NUMPY, names()[0]) != machine.key(NUMPY, names()[1])
    assert machine.key(NUMPY) != machine.key(OURS)
    assert machine.key(NUMPY) != machine.key(NUMPY, protocol=0)
    assert machine.key(NUMPY, names()[0]) == machine.key(NUMPY, names()[0])


def test_progress_says_how_long_it_takes() -> None:
    stream = io.StringIO()
    now = itertools.count(0, 10)
    progress = Progress(stream, clock=lambda: float(next(now)))
    progress.begin([1.0, 2.0], 1e9)
    progress.show("first")
    progress.step()
    progress.show("second")
    assert "0/2 first (0:10)" in stream.getvalue()
    assert "1/2 second (0:20, about 0:40 left)" in stream.getvalue()
    assert progress.end() is False
    assert "run this again to measure the 1 that are left" in stream.getvalue()


def test_rows_hold_the_key_of_their_plan() -> None:
    doubled = load(names()[0])
    full, quick = (campaign.row_key(doubled, NUMPY, plan) for plan in (FULL, QUICK))
    assert full != quick
    row = Row(doubled.name, doubled.kind, "numpy", full, "2026-01-01")
    found = Results()
    found.add(row)
    assert found.has(doubled.name, "numpy", full)
    assert not found.has(doubled.name, "numpy", quick)


def test_first_use_is_not_cut_short(tmp_path: Path) -> None:
    """What a tool finds out about the machine must not be left to every program."""
    asked: list[Request] = []

    class Listening(Counted):
        def _start(self, request: Request, threads: int, limits: Limits) -> Iterable[Event]:
            asked.append(request)
            if request.kind == "overhead":
                assert limits.first >= 180
                (self.cache / "inductor").mkdir(parents=True)
            else:
                assert request.kind == "bandwidth" or (self.cache / "inductor").is_dir()
            return super()._start(request, threads, limits)

    Listening.workers = Workers({})
    chosen = [load(name) for name in names()[:2]]
    assert Listening(QUICK, tmp_path, chosen, [NUMPY], Progress(io.StringIO())).run()
    kinds = [request.kind for request in asked]
    assert kinds[:3] == ["bandwidth", "overhead", "sizes"]
    assert min(request.settle for request in asked if request.kind == "overhead") >= 180


def test_rounds_go_on_while_something_waits_to_be_compiled() -> None:
    """What a round puts in a queue changes no counter before it begins."""

    class Queueing:
        calls, queued = 0, False

        def settle(self, timeout: float) -> bool:
            idle = not self.queued
            if timeout > 0:
                self.queued = False
            return idle or timeout > 0

        def activity(self) -> tuple[int, ...]:
            return ()

        def run(self) -> None:
            self.calls += 1
            self.queued |= self.calls == 3

    tool = Queueing()
    subject = Subject(tool.run, tuple)
    assert steady(subject, cast("Tool", tool), 5.0)
    before = tool.calls
    assert not tool.queued
    steady(subject, cast("Tool", tool), 5.0)
    # The first time there was one round more.
    assert before == 2 * (tool.calls - before)
