"""Figures as Markdown."""

from __future__ import annotations

import math
from collections.abc import Sequence

from jupyter_npcompile.graph.amounts import size
from tests.benchmarks.devices.figures import Figure
from tests.benchmarks.markdown import escaped, time

WAYS = {"copied": "from and to host memory", "stays": "data stays there"}


def table(figures: Sequence[Figure]) -> str:
    """One table for each program: NumPy first, the others against it."""
    names = dict.fromkeys(figure.program for figure in figures)
    return "\n\n".join(_program(name, figures) for name in names)


def _program(name: str, figures: Sequence[Figure]) -> str:
    rows = [figure for figure in figures if figure.program == name]
    numpy = {figure.dtype: figure.seconds for figure in rows if figure.tool == "NumPy"}
    lines = [
        f"**{name}**",
        "",
        "| | | | a step | times NumPy | copied a step | error |",
        "|---|---|---|--:|--:|--:|--:|",
    ]
    for dtype in dict.fromkeys(figure.dtype for figure in rows):
        for figure in rows:
            if figure.dtype == dtype:
                lines.append(_row(figure, numpy.get(dtype)))
    return "\n".join(lines)


def _row(figure: Figure, numpy: float | None) -> str:
    begin = f"| {figure.dtype} | {figure.tool} "
    if math.isnan(figure.seconds):
        return f"{begin}| {escaped(figure.note)} | | | | |"
    is_numpy = figure.tool == "NumPy"
    way = "" if is_numpy else WAYS[figure.way]
    speed = "" if is_numpy or numpy is None else f"{numpy / figure.seconds:.3g}"
    copied = "" if figure.copied is None else size(figure.copied)
    error = "" if figure.error is None else f"{figure.error:.1e}"
    return f"{begin}| {way} | {time(figure.seconds)} | {speed} | {copied} | {error} |"
