"""Numbers, times and tables as text."""

from __future__ import annotations

from collections.abc import Iterable

NOTHING = "-"


def number(value: float | None) -> str:
    """Three digits at the most, and never in powers of ten.

    Examples
    --------
    >>> number(1234.5), number(12.34), number(1.234), number(0.01234), number(None)
    ('1234', '12.3', '1.23', '0.012', '-')
    """
    if value is None:
        return NOTHING
    if value >= 100:
        return f"{value:.0f}"
    if value >= 10:
        return f"{value:.1f}"
    return f"{value:.2f}" if value >= 0.1 else f"{value:.2g}" if value >= 1e-4 else f"{value:.5f}"


def time(seconds: float | None) -> str:
    """Seconds in a unit that fits.

    Examples
    --------
    >>> time(1.5), time(0.0021), time(3.2e-6), time(-0.5)
    ('1.50 s', '2.10 ms', '3.20 µs', '-500 ms')
    """
    if seconds is None:
        return NOTHING
    if seconds < 0:
        return f"-{time(-seconds)}"
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{number(seconds / size)} {unit}"
    return f"{number(seconds / 1e-6)} µs"


def escaped(text: str) -> str:
    """Text that does not end a table's cell or begin a tag."""
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table.

    Examples
    --------
    >>> print(table(["a", "b"], [["1", "2"]]))
    | a | b |
    |---|---|
    | 1 | 2 |
    """
    cells = list(header)
    lines = [cells, ["---"] * len(cells), *map(list, rows)]
    return "\n".join(
        "|" + "|".join(line) + "|" if n == 1 else "| " + " | ".join(line) + " |"
        for n, line in enumerate(lines)
    )
