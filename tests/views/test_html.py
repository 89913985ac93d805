"""The HTML form: complete, escaped, small, readable without its styles."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser

import pytest

from jupyter_npcompile.graph import (
    BreakPoint,
    CapturedGraph,
    LineReport,
    RegionReport,
    ReportData,
)
from jupyter_npcompile.views import to_html
from tests.support.graph_examples import chain, hostile_report, report

VOID = {"rect", "path", "polygon", "ellipse", "br"}


class Page(HTMLParser):
    """Checks that tags nest, and keeps tags, attributes and text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.stack: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(page)
        self.close()
        assert self.stack == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.stack.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.stack:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())


@pytest.fixture(params=["dot", "own"])
def renderer(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Once with Graphviz, where it is installed, once without."""
    if request.param == "own":
        monkeypatch.setenv("PATH", "")
    return str(request.param)


def test_everything_is_there(renderer: str) -> None:
    page = Page(to_html(report()))
    assert "3 of 5 lines compiled · 1 break point · 6.5x NumPy · inductor + numpy, cpu" in page.text
    assert "lap = u[2:] - 2 * u[1:-1] + u[:-2]" in page.text
    assert "break point: print shows a value → print after the loop" in page.text
    assert "NumPy: the caller's array is read-only" in page.text
    assert "lap: float64[98]" in page.text
    assert "NumPy is faster here" in page.text
    assert "6.5x" in page.text
    assert "multiply(2, ·)" in page.text
    assert "Lowered to ATen" in page.text
    tags = [tag for tag, _ in page.tags]
    assert tags.count("svg") == 1
    assert tags.count("details") == 5


def test_collapsed_under_the_summary() -> None:
    first = next(attrs for tag, attrs in Page(to_html(report())).tags if tag == "details")
    assert "open" not in first


def test_words_stand_beside_signs() -> None:
    words = [part.strip() for part in Page(to_html(report())).words]
    for word in ("compiled", "NumPy", "Python", "break point"):
        assert word in words


def test_what_is_said_of_a_region_stands_below_its_row() -> None:
    """Beside the signature it would be out of sight."""
    said = "no native loop: line 5: print"
    regions = (RegionReport(0, (3, 6), "numpy", note=said), RegionReport(1, (4, 4), "inductor"))
    page = Page(to_html(replace(report(), regions=regions)))
    (remark,) = [attrs for tag, attrs in page.tags if attrs.get("class") == "npcompile-remark"]
    columns = sum(tag == "th" for tag, _ in page.tags)
    assert remark["colspan"] == str(columns - 1)
    assert said in page.text


def test_nothing_from_outside(renderer: str) -> None:
    page = to_html(report())
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "url(" not in page
    assert "@import" not in page


def test_every_rule_is_scoped() -> None:
    style = to_html(ReportData()).split("<style>")[1].split("</style>")[0]
    for rule in style.split("}")[:-1]:
        for selector in rule.split("{")[0].split(","):
            assert selector.strip().startswith(".npcompile-report"), selector


def test_hostile_strings(renderer: str) -> None:
    source = to_html(hostile_report())
    page = Page(source)
    names = {name for _, attrs in page.tags for name in attrs}
    assert not {tag for tag, _ in page.tags} & {"script", "iframe", "object"}
    assert not any(name.startswith("on") for name in names)
    assert "<script" not in source
    assert "]]>" not in source
    assert source.count("<style") == source.count("</style") == 1
    assert '<script>alert("1")</script>' in page.text
    source.encode("utf-8")


def test_large_reports_stay_small(renderer: str) -> None:
    line = "y = np.add(x, '<&\"\\'>' * 3)  # " + "é<" * 200
    count = 2000
    data = ReportData(
        lines=tuple(LineReport(n, n, line, "host", "<" * 900, "&" * 900) for n in range(2, count)),
        breaks=tuple(BreakPoint(n, 4, "call", "<" * 900) for n in range(2, count)),
        regions=tuple(RegionReport(n, (n, n), "inductor", "<" * 900) for n in range(2, count)),
        graph=CapturedGraph(tuple(chain(400, 100) for _ in range(9)), (chain(3000, 10),)),
    )
    page = to_html(data)
    assert len(page.encode()) < 200_000
    text = Page(page).text
    assert "more lines" in text
    assert "more regions" in text
    assert "more segments, not drawn" in text


def test_empty_report() -> None:
    page = Page(to_html(ReportData()))
    assert page.text == "nothing to compile: no line holds NumPy work"


def test_indentation_survives_nbconvert() -> None:
    """It collapses blank text outside ``<pre>``."""
    assert "<pre>    lap = " in to_html(report())
