"""What is shown while somebody waits for a compile."""

from __future__ import annotations

from html import escape

from jupyter_npcompile.runtime.durations import PHASES
from jupyter_npcompile.runtime.progress import Progress

WIDTH = 24
"""Characters of the bar in a terminal."""


def progress_text(progress: Progress) -> str:
    """One line of text.

    Examples
    --------
    >>> print(progress_text(Progress("C++", 0.5, 2.0, 1.9)))
    npcompile [############            ] C++ · about 1.9 s left
    >>> print(progress_text(Progress("", 1.0, 3.14, 0.0, over=True)))
    npcompile: compiled in 3.1 s
    """
    if progress.over:
        return f"npcompile: {_end(progress)}"
    filled = round(WIDTH * progress.fraction)
    bar = "#" * filled + " " * (WIDTH - filled)
    return f"npcompile [{bar}] {_phase(progress)} · {_left(progress)}"


def progress_html(progress: Progress) -> str:
    """A bar, and the phases with the present one in bold."""
    return f'<div class="npcompile-progress">{_shown(progress)}</div>'


def _shown(progress: Progress) -> str:
    if progress.over:
        return f"<small>{_end(progress)}</small>"
    phases = " · ".join(
        f"<b>{escape(name)}</b>" if name == progress.phase else escape(name) for name in PHASES
    )
    waiting = "" if progress.phase else "waiting for the compiler · "
    return (
        f'<progress value="{progress.fraction:.3f}" max="1" aria-label="compiling"></progress> '
        f"<small>{waiting}{phases} · {_left(progress)}</small>"
    )


def _end(progress: Progress) -> str:
    done = "interrupted after" if progress.cancelled else "compiled in"
    return f"{done} {progress.elapsed:.1f} s"


def _phase(progress: Progress) -> str:
    return progress.phase or "waiting for the compiler"


def _left(progress: Progress) -> str:
    if not progress.phase:
        return f"{progress.elapsed:.1f} s"
    if progress.left < 0.05:
        return f"{progress.elapsed:.1f} s, longer than usual"
    return f"about {progress.left:.1f} s left"
