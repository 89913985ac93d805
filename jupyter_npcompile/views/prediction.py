"""A prediction in words."""

from __future__ import annotations

from collections.abc import Sequence

from jupyter_npcompile.graph.amounts import size
from jupyter_npcompile.graph.prediction import Prediction, Rates
from jupyter_npcompile.views.timing import duration

MARGIN = 1.2
"""How many times as fast as now counts as a gain, in a prediction this rough."""


def prediction_text(device: str, found: Sequence[Prediction], rates: Rates) -> str:
    """Say for each segment what it takes now and would take on a device, and whether that helps.

    Examples
    --------
    >>> rates = Rates(1e9, 1e9, 1e10, 1e-5, 1e11, "assumed")
    >>> segment = Prediction((2, 4), "numpy", 5000.0, 8000, 8000, 16.0, 50.0)
    >>> print(prediction_text("cuda", [segment], rates))
    what if this ran on cuda? A prediction, not a measurement; rates assumed
    lines 2-4: numpy now, 5 ms; on cuda 66 µs: 16 µs for copies (8.0 kB there, 8.0 kB back), \
50 µs for kernels
    all of it, once: 5 ms now, 66 µs on cuda: 76 times as fast
    """
    if not found:
        return "nothing was captured: there is nothing to run elsewhere"
    lines = [f"what if this ran on {device}? A prediction, not a measurement; rates {rates.source}"]
    for one in found:
        first, last = one.lines
        where = f"line {first}" if first == last else f"lines {first}-{last}"
        lines.append(
            f"{where}: {one.now} now, {duration(one.now_us)}; on {device} {duration(one.us)}: "
            f"{duration(one.copies_us)} for copies ({size(one.to_device)} there, "
            f"{size(one.to_host)} back), {duration(one.kernels_us)} for kernels"
        )
    lines.append(_verdict(device, found))
    return "\n".join(lines)


def _verdict(device: str, found: Sequence[Prediction]) -> str:
    measured = [one for one in found if one.now_us]
    if not measured:
        return "nothing of it has been timed yet: run it again"
    now = sum(one.now_us or 0.0 for one in measured)
    there = sum(one.us for one in measured)
    kernels = sum(one.kernels_us for one in measured)
    text = f"all of it, once: {duration(now)} now, {duration(there)} on {device}: "
    if now > MARGIN * there:
        return f"{text}{_times(now / there)} times as fast"
    if now > MARGIN * kernels:
        return (
            f"{text}no gain, because of the copies; {_times(now / kernels)} times as fast where "
            "data stays there"
        )
    return f"{text}no gain"


def _times(ratio: float) -> str:
    return f"{ratio:.2g}" if ratio < 100 else f"{ratio:.0f}"
