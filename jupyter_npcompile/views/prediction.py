"""A prediction in words."""

from __future__ import annotations

from collections.abc import Sequence

from jupyter_npcompile.graph.amounts import size
from jupyter_npcompile.graph.prediction import Prediction, Rates
from jupyter_npcompile.views.timing import duration

MARGIN = 1.2
"""How many times as fast as now counts as a gain, in a prediction this rough."""


def prediction_text(
    device: str,
    found: Sequence[Prediction],
    rates: Rates,
    loops: Sequence[tuple[int, int]] = (),
) -> str:
    """Say for each segment what it takes now and would take on a device, and whether that helps.

    Parameters
    ----------
    device : str
        Its name.
    found : sequence of Prediction
        One for each segment.
    rates : Rates
        How fast the device is.
    loops : sequence of (int, int)
        First and last lines of loops that native code has run as a whole.

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
    unseen = [
        f"{_where(lines)}: a native loop ran, which a device runs statement by statement. Run "
        "it with --device standin and ask again: then its segments are known"
        for lines in loops
        if not any(_is_inside(lines, other) for other in loops)
    ]
    if not found:
        return "\n".join(unseen) or "nothing was captured: there is nothing to run elsewhere"
    lines = [f"what if this ran on {device}? A prediction, not a measurement; rates {rates.source}"]
    for one in found:
        lines.append(
            f"{_where(one.lines)}: {one.now} now, {duration(one.now_us)}; "
            f"on {device} {duration(one.us)}: "
            f"{duration(one.copies_us)} for copies ({size(one.to_device)} there, "
            f"{size(one.to_host)} back), {duration(one.kernels_us)} for kernels"
        )
    return "\n".join([*lines, _verdict(device, found), *unseen])


def _is_inside(lines: tuple[int, int], others: tuple[int, int]) -> bool:
    return lines != others and others[0] <= lines[0] and lines[1] <= others[1]


def _where(lines: tuple[int, int]) -> str:
    first, last = lines
    return f"line {first}" if first == last else f"lines {first}-{last}"


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
