"""Fixes as a person sees them: diffs, as text and HTML."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

from jupyter_npcompile.graph.constants import printable
from jupyter_npcompile.graph.fixes import Declined, Fix, FixesData
from jupyter_npcompile.views.html import style

MIME_TYPE = "application/vnd.jupyter-npcompile.fixes.v1+json"
"""What the JupyterLab extension puts a button beside each diff for."""

_KINDS = {"+": "added", "-": "removed", "…": "gap"}


def fixes_bundle(data: FixesData) -> dict[str, Any]:
    """Bundle text, HTML and JSON of what was found.

    Examples
    --------
    >>> sorted(fixes_bundle(FixesData("x = 1")))
    ['application/vnd.jupyter-npcompile.fixes.v1+json', 'text/html', 'text/plain']
    """
    return {
        "text/plain": fixes_text(data),
        "text/html": fixes_html(data),
        MIME_TYPE: data.to_dict(),
    }


def fixes_text(data: FixesData) -> str:
    """Write fixes as text: for each a title, what it gains, and the diff.

    Examples
    --------
    >>> print(fixes_text(FixesData("x = 1", refusal="line 1 calls f")))
    no fix was tried: line 1 calls f
    """
    lines = [printable(data.summary)]
    for fix in data.fixes:
        lines += ["", f"line {fix.line}: {printable(fix.title)}", f"  {printable(fix.gain)}"]
        lines += [f"  {printable(note)}" for note in fix.notes]
        lines += [f"    {printable(line)}".rstrip() for line in fix.diff()]
    if data.declined:
        lines += ["", *_declined(data.declined)]
    return "\n".join(lines)


def fixes_html(data: FixesData) -> str:
    """Render fixes as HTML that needs neither scripts nor an extension."""
    parts = [f'<div class="npcompile-summary"><strong>{_text(data.summary)}</strong></div>']
    parts += map(_fix, data.fixes)
    parts += map(_more, _declined(data.declined))
    return f'<div class="npcompile-report"><style>{style()}</style>{"".join(parts)}</div>'


def _fix(fix: Fix) -> str:
    said = "".join(map(_more, (fix.gain, *fix.notes)))
    rows = []
    for line in fix.diff():
        kind = _KINDS.get(line[:1], "kept")
        # The line feed counts where styles are removed: else it is the end of a block.
        rows.append(f'<span class="npcompile-{kind}">{_text(line)}\n</span>')
    diff = "".join(rows)
    return (
        f'<section class="npcompile-fix"><div><b>Line {fix.line}:</b> {_text(fix.title)}</div>'
        f'{said}<pre class="npcompile-diff">{diff}</pre></section>'
    )


def _declined(declined: tuple[Declined, ...]) -> Iterator[str]:
    for one in declined:
        yield f"line {one.line}: not offered: {one.title}, since {printable(one.reason)}"


def _more(text: str) -> str:
    return f'<div class="npcompile-more">{_text(text)}</div>'


def _text(text: str) -> str:
    return escape(printable(text))
