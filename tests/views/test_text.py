"""The text form, as a terminal shows it."""

from __future__ import annotations

from jupyter_npcompile.graph import ReportData
from jupyter_npcompile.graph.facts import level_text
from jupyter_npcompile.views import to_text
from tests.support.graph_examples import HOSTILE, hostile_report, report

EXPECTED = """\
3 of 5 lines compiled · 1 break point · 6.5x NumPy · inductor + numpy, cpu

   1  %%npcompile
   2  # one explicit step of the heat equation
●  3  v = np.empty_like(u)                     v: float64[100]
·  4  for step in range(400):                  control flow
●  5      lap = u[2:] - 2 * u[1:-1] + u[:-2]   lap: float64[98]
●  6      v[1:-1] = u[1:-1] + alpha * lap
✕  7      print(f"{step:4d}")
          ╰ break point: print shows a value
            → print after the loop
◐  8      u += 1.0
          ╰ NumPy: the caller's array is read-only

● compiled   ◐ NumPy   · Python   ✕ break point

line 3: numpy, 1 segment, NumPy 1 µs, compiled 3 µs (0.33x), NumPy is faster here
  u: float64[100]
lines 5-6: inductor, 1 segment, NumPy 26 µs, compiled 4 µs (6.5x), compiling took 812 ms
  u: float64[100], alpha: python float"""


def test_report() -> None:
    assert to_text(report(), graph=False) == EXPECTED


def test_graph_follows() -> None:
    assert to_text(report()) == f"{EXPECTED}\n\n{level_text(report())}"
    assert "%4: float64[98] = subtract(%1, %3)     # 5:10, 98 FLOP\n" in level_text(report())


def test_graph_is_cut_short() -> None:
    text = to_text(report(), graph_lines=3)
    assert text.endswith("… 9 more lines: report.graph.to_text()")


def test_empty_report() -> None:
    assert to_text(ReportData()) == "nothing to compile: no line holds NumPy work"


def test_hostile_strings() -> None:
    text = to_text(hostile_report())
    assert HOSTILE not in text
    assert text.replace("\n", "").isprintable()
    text.encode("utf-8")
