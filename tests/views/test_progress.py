"""What is shown while somebody waits."""

from __future__ import annotations

import pytest

from jupyter_npcompile.runtime.durations import GUESSES, PHASES
from jupyter_npcompile.runtime.progress import Progress, progress
from jupyter_npcompile.views.progress import progress_html, progress_text


@pytest.mark.parametrize("phase", ["", *PHASES])
def test_every_phase_has_its_place(phase: str) -> None:
    shown = progress(phase, 1.0, 0.001, GUESSES)
    assert 0 <= shown.fraction < 1
    assert (phase or "waiting for the compiler") in progress_text(shown)
    html = progress_html(shown)
    assert all(name in html for name in PHASES)
    assert html.count("<b>") == bool(phase)


def test_fractions_grow() -> None:
    found = [
        progress(phase, 0, part, GUESSES).fraction for phase in PHASES for part in (0, 0.01, 9)
    ]
    assert found == sorted(found)
    assert found[-1] == pytest.approx(1)


def test_what_takes_longer_than_usual() -> None:
    shown = progress("load", 12.0, 8.0, GUESSES)
    assert "12.0 s, longer than usual" in progress_text(shown)
    assert "12.0 s, longer than usual" in progress_html(shown)


def test_the_end() -> None:
    done = Progress("", 1.0, 2.0, 0.0, over=True)
    shown = '<div class="npcompile-progress"><small>compiled in 2.0 s</small></div>'
    assert progress_html(done) == shown
    stopped = Progress("", 1.0, 2.0, 0.0, over=True, cancelled=True)
    assert progress_text(stopped) == "npcompile: interrupted after 2.0 s"
