"""What the benchmarks' results come to: accounting, stability, report, picture."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.benchmarks import (
    accounting,
    bandwidth,
    markdown,
    notebook,
    plans,
    progress,
    promises,
    publishing,
    timing,
    tools,
)
from tests.benchmarks.accounting import calls_until_faster, factor, standing, worst
from tests.benchmarks.picture import picture
from tests.benchmarks.plans import FULL, QUICK
from tests.benchmarks.publishing import write
from tests.benchmarks.report import Report
from tests.benchmarks.results import Capture, Measured, Overhead, Restart, Results, Row, Status
from tests.benchmarks.stability import between_runs, disagreements, within_run
from tests.benchmarks.timing import Timing


def timed(ratio: float, numpy_s: float = 1.0, spread: float = 0.0) -> Timing:
    high = ratio * (1 + spread)
    return Timing(numpy_s, numpy_s / ratio, ratio, ratio, high, pairs=5, cores=1.0)


def ok(ratio: float, numpy_s: float = 1.0, **more: object) -> Measured:
    first = Measured("ok", first_s=2.0, ready_s=3.0, timing=timed(ratio, numpy_s))
    return dataclasses.replace(first, **more)  # type: ignore[arg-type]


def row(program: str, tool: str, kind: str = "products", **sizes: Measured) -> Row:
    return Row(program, kind, tool, "key", "2026-01-02", import_s=0.5, single=dict(sizes))


def results(*rows: Row) -> Results:
    found = Results({"processor": "a machine", "numpy": "2.0"}, bandwidth=1e10)
    for one in rows:
        found.add(one)
    return found


# -- promises


def test_what_falls_short_is_listed() -> None:
    found = results(
        row("a", "numpy", medium=ok(1.0)),
        row("a", "ours", medium=ok(0.9, first_s=2.0)),
        row("a", "torch", medium=ok(1.5)),
        row("b", "numpy", medium=ok(1.0, 1e-5, first_s=0.01)),
        row("b", "ours", medium=ok(0.9, 1e-5, first_s=0.04)),
        row("c", "numpy", medium=ok(1.0, 1e-5, first_s=0.01)),
        row("c", "ours", medium=ok(0.5, 1e-5, first_s=0.07)),
        row("d", "numpy", medium=ok(1.0, first_s=0.3, system_s=0.2)),
        row("d", "ours", medium=ok(2.0, first_s=0.9, system_s=0.78)),
    )
    assert [one.program for one in promises.slower(found)] == ["a", "c"]
    assert [one.program for one in promises.late(found)] == ["c"]  # memory is not our delay
    assert [one.what for one in promises.behind(found)] == ["0.90 against 1.50"]
    text = promises.section(found)
    assert "`a`, medium: 0.90 of NumPy's speed" in text
    assert "`c`, medium: 10.0 µs above NumPy" in text
    assert "`a`, medium: 0.90 against 1.50" in text
    others = results(*(one for one in found.rows.values() if one.tool != "torch"))
    assert "torch.compile was not measured" in promises.section(others)
    assert not promises.section(results())


def test_classes_are_compared_with_the_best_peer() -> None:
    kind = "stencil time loops"
    found = results(
        row("a", "ours", kind, medium=ok(6.0)),
        row("a", "numba", kind, medium=ok(6.5)),
        row("a", "jax", kind, medium=ok(2.0)),
    )
    stencils, *others, every = promises.aims(found)
    assert (stencils.peer, stencils.is_met) == ("Numba", True)
    assert not any(one.is_met for one in others)
    assert not every.is_met  # six is less than 1.5 times 6.5


# -- JSON


def test_results_survive_json(tmp_path: Path) -> None:
    capture = Capture(("inductor", "numpy"), 2, 1, ("line 3: print",), notes=("why",))
    full = dataclasses.replace(
        row("a", "ours", medium=ok(2.0, capture=capture, bound=0.5)),
        threaded={"large": Measured("timeout", lost_s=3.0, message="late")},
        restart=Restart(0.1, ok(1.5)),
    )
    found = results(full, row("a", "numpy", medium=ok(1.0)))
    found.overheads["ours"] = Overhead("key", "2026-01-02", 0.1, 5.0, timed(0.5))
    found.skipped["jax"] = "not installed"
    path = tmp_path / "results.json"
    found.write(path)
    assert Results.read(path) == found
    assert [name.name for name in tmp_path.iterdir()] == ["results.json"]


def test_results_of_another_version_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text('{"schema": 0}')
    assert Results.read(path) == Results()
    with pytest.raises(ValueError, match="schema 0"):
        Results.from_json(path.read_text())
    assert Results.read(tmp_path / "none.json") == Results()


# -- accounting


@pytest.mark.parametrize("status", ["timeout", "error", "not tried"])
def test_lost_time_is_added_to_that_of_numpy(status: Status) -> None:
    lost = Measured(status, lost_s=3.0)
    assert factor(lost, 1.0) == 0.25
    found = results(row("a", "numpy", small=ok(1.0)), row("a", "jax", small=lost))
    assert standing(found, "jax").mean == 0.25


def test_wrong_results_and_missing_versions_are_in_no_mean() -> None:
    found = results(
        row("a", "jax", small=ok(4.0), large=ok(100.0, status="wrong")),
        row("b", "jax", small=Measured("no peer")),
        row("c", "jax", small=ok(3.0)),
    )
    one = standing(found, "jax")
    assert one.mean == pytest.approx(3.0)
    assert one.programs == 1
    assert (one.wrong, one.without) == (("a",), ("b",))


def test_every_program_counts_once() -> None:
    found = results(
        row("a", "ours", small=ok(1.0), medium=ok(4.0)),
        row("b", "ours", small=ok(8.0)),
        row("c", "ours", "particles", small=ok(1.0)),
    )
    one = standing(found, "ours")
    assert one.mean == pytest.approx((2 * 8 * 1) ** (1 / 3))
    assert one.classes == {"products": pytest.approx(4.0), "particles": pytest.approx(1.0)}
    assert one.sizes == {"small": pytest.approx(2.0), "medium": pytest.approx(4.0)}
    assert worst(found, "ours") == ("c", 1.0)


def test_what_finished_has_a_mean_of_its_own() -> None:
    late = Measured("timeout", lost_s=999.0)
    found = results(
        row("a", "numpy", small=ok(1.0), large=ok(1.0)),
        row("a", "torch", small=ok(4.0), large=late),
    )
    one = standing(found, "torch")
    assert one.finished == pytest.approx(4.0)
    assert one.mean == pytest.approx((4.0 * 1e-3) ** 0.5)
    assert one.late == ("a",)


def test_calls_that_repay_the_first_result() -> None:
    assert calls_until_faster(ok(2.0, first_s=2.5)) == pytest.approx(4.0)
    assert calls_until_faster(ok(2.0, first_s=0.0)) == 1.0
    assert calls_until_faster(ok(0.9)) is None


# -- stability


def restarted(program: str, first: Measured, second: Measured, tool: str = "ours") -> Row:
    made = row(program, tool, medium=first)
    return dataclasses.replace(made, restart=Restart(0.1, second))


def test_runs_that_agree() -> None:
    found = results(restarted("a", ok(2.0), ok(2.2)))
    assert disagreements("ours", *within_run(found, "ours")) == []


def test_a_class_that_differs_names_the_program_and_the_reason() -> None:
    noisy = dataclasses.replace(ok(3.0), timing=timed(3.0, spread=0.4))
    found = results(restarted("calm", ok(2.0), ok(2.0)), restarted("noisy", ok(2.0), noisy))
    (one,) = disagreements("ours", *within_run(found, "ours"))
    assert (one.kind, one.program) == ("products", "noisy")
    assert one.first == pytest.approx(2.0)
    assert one.second == pytest.approx(6**0.5)
    assert "40% already" in one.why


def test_another_tier_is_a_reason() -> None:
    found = results(
        restarted(
            "a",
            ok(2.0, capture=Capture(("inductor",))),
            ok(1.0, capture=Capture(("numpy",))),
        )
    )
    (one,) = disagreements("ours", *within_run(found, "ours"))
    assert one.why == "another tier won: inductor, then numpy"


def test_numpy_itself_may_have_moved() -> None:
    found = results(row("a", "jax", medium=ok(2.0, numpy_s=1.0)))
    earlier = results(row("a", "jax", medium=ok(4.0, numpy_s=2.0)))
    (one,) = disagreements("jax", *between_runs(found, earlier, "jax"))
    assert one.first == pytest.approx(4.0)
    assert one.second == pytest.approx(2.0)
    assert one.why == "NumPy took 2.00 times as long in one process as in the other"


# -- report and picture


def everything() -> Results:
    capture = Capture(("inductor",), 1, 1, ("line 3: `print`",), notes=("a <note> | more",))
    ours = dataclasses.replace(
        restarted("a", ok(2.0, capture=capture, bound=0.25), ok(2.0, capture=capture)),
        threaded={"large": ok(3.0, peak_mb=123.4)},
    )
    found = results(
        row("a", "numpy", medium=ok(1.0, numpy_s=0.01)),
        ours,
        row("a", "numba", medium=Measured("timeout", lost_s=25.0, message="no answer in 25 s")),
        row("a", "jax", medium=ok(5.0, status="wrong", message="another result than NumPy's")),
        row("a", "torch", medium=Measured("error", lost_s=1.0, message="TypeError: no")),
    )
    found.overheads["ours"] = Overhead("key", "2026-01-02", 0.1, 5.0, timed(0.5, 1e-6))
    found.skipped["other"] = "not installed"
    return found


def test_report_shows_what_there_is() -> None:
    found = everything()
    found.skipped = {}
    text = Report(FULL, found, ("a", "b")).text()
    assert "measured: 2026-01-02 · processor: a machine · numpy: 2.0" in text
    assert "> Not measured yet in npcompile: b." in text
    assert "Worst program of npcompile: **a**, 2.00 (medium 2.00)." in text
    assert "| a | products | medium | 10.0 ms | 2.00 | time-out, 25 s | **wrong** |" in text
    assert "| error, 1 s | inductor | 1 | 1 | 25% |" in text
    assert "- JAX, `a` wrong: medium: another result than NumPy's" in text
    assert "- Numba, `a` late: medium: no answer in 25 s" in text
    assert "a &lt;note> \\| more" in text
    assert "Two processes of this run, at the medium size: every class agrees" in text
    assert "| a | 3 | - | - | - | - | 123 | - | - | - |" in text
    assert "None" not in text
    assert "nan" not in text


def test_report_of_an_empty_or_partial_run_is_written() -> None:
    assert "Not measured yet" in Report(QUICK, Results(), ("a",)).text()
    found = results(row("a", "ours", medium=Measured("error", message="no")))
    assert "error, 0 s" in Report(QUICK, found, ("a",)).text()


def test_report_says_which_tool_was_skipped() -> None:
    found = results(row("a", "numpy", medium=ok(1.0)))
    found.skipped = {"jax": "not installed"}
    assert "> JAX was not measured: not installed." in Report(QUICK, found, ("a",)).text()


def test_report_compares_with_an_earlier_run() -> None:
    found = results(row("a", "ours", medium=ok(1.0)))
    earlier = results(row("a", "ours", medium=ok(2.0)))
    text = Report(QUICK, found, ("a",), earlier).text()
    assert "these classes differ by more than 15 %" in text
    assert "- npcompile, products: 2.00, then 1.00; most of it is `a`" in text


def test_picture_has_a_mark_for_every_tool_and_class() -> None:
    root = ElementTree.fromstring(picture(everything()))
    titles = [node.text or "" for node in root.iter("{http://www.w3.org/2000/svg}title")]
    assert "npcompile, products: 2.00" in titles
    assert "npcompile, all programs: 2.50 s" in titles
    assert "Numba, products: 25.5 s" in titles
    assert not [title for title in titles if title.startswith("JAX, products: 5")]
    labels = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "products" in labels


def test_picture_of_nothing_is_a_picture() -> None:
    assert ElementTree.fromstring(picture(Results())).tag.endswith("svg")


def test_report_and_picture_are_written(tmp_path: Path) -> None:
    found = everything()
    found.skipped = {}
    assert "npcompile" in write(tmp_path, FULL, found)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["results.md", "results.svg"]


def test_report_is_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publishing, "HERE", tmp_path / "target")
    (tmp_path / "target").mkdir()
    with pytest.raises(FileNotFoundError):
        publishing.publish(tmp_path)
    found = everything()
    found.skipped = {}
    found.write(tmp_path / "results.json")
    write(tmp_path, FULL, found)
    for times in ("old", "new"):
        (tmp_path / publishing.GRADIENTS).write_text(f"## Gradients\n\n{times} times\n")
        publishing.publish(tmp_path)
    target = tmp_path / "target"
    files = {"RESULTS.md", "results.json", "results.svg"}
    assert {path.name for path in target.iterdir()} == files
    kept = Results.read(target / "results.json")
    assert kept.rows.keys() == found.rows.keys()
    report = (tmp_path / "target" / "RESULTS.md").read_text()
    assert report.endswith("\n\n## Gradients\n\nnew times\n")


@pytest.mark.parametrize(
    "module", [accounting, bandwidth, markdown, plans, progress, publishing, timing]
)
def test_examples_hold(module: object) -> None:
    import doctest

    failed, tried = doctest.testmod(module)  # type: ignore[arg-type]
    assert tried > 0
    assert failed == 0


def test_the_notebook_is_measured_without_the_other_tools(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    known = tools.metadata.version

    def installed(name: str) -> str:
        assert name in ("numpy", "torch"), f"{name} may be missing"
        return known(name)

    monkeypatch.setattr(tools.metadata, "version", installed)
    case = notebook.Case(1.5, 1.0, 3.0, 2.0)
    monkeypatch.setattr(notebook, "measure", lambda: {"ahead": {"cold": case}})
    notebook.save(tmp_path / "notebook.json")
    text = notebook.read(tmp_path / "notebook.json")
    assert text.startswith(notebook.HEADING)
    assert notebook.MEANING["cold"] in text
