"""The one line that stands under a cell."""

from __future__ import annotations

from collections.abc import Sequence

from jupyter_npcompile.graph.constants import printable, shorten

NOT_RUN = "not run"
"""Reason of a line that the run did not come to."""


def summarise(
    *,
    device: str,
    statuses: Sequence[str],
    reasons: Sequence[str | None],
    breaks: int,
    tiers: Sequence[str],
    notes: Sequence[str] = (),
    speed: float | None = None,
    not_run: int = 0,
) -> str:
    """Say in one line what was compiled, and if nothing was, why.

    Parameters
    ----------
    device : str
        Where segments run.
    statuses : sequence of str
        Status of every line. Lines of status ``python`` hold no NumPy work and
        are not counted.
    reasons : sequence of str or None
        Why lines are not compiled; the first one stands in the summary if
        nothing is.
    breaks : int
        Number of break points.
    tiers : sequence of str
        How the regions run.
    notes : sequence of str
        What the regions say about themselves.
    speed : float or None
        How many times as fast as NumPy the compiled regions ran.
    not_run : int
        Number of lines that the run did not come to.

    Examples
    --------
    >>> print(summarise(device="cpu", statuses=["compiled", "host", "python"], reasons=["np.save"],
    ...                 breaks=1, tiers=["inductor", "inductor"]))
    1 of 2 lines compiled · 1 break point · inductor, cpu
    >>> print(summarise(device="cpu", statuses=["python"], reasons=[], breaks=0, tiers=[]))
    nothing to compile: no line holds NumPy work
    """
    compiled = statuses.count("compiled")
    total = compiled + statuses.count("host")
    if not total and not_run:
        return f"nothing was compiled: {_count(not_run, 'line')} not run"
    if not total:
        return "nothing to compile: no line holds NumPy work"
    if not compiled:
        why = next((reason for reason in reasons if reason), "NumPy runs all of it")
        return f"0 of {_count(total, 'line')} compiled: {_line(why)}"
    ran = sorted(dict.fromkeys(tier for tier in tiers if tier), key="numpy".__eq__)
    verb = "captured" if set(ran) <= {"numpy", "tape"} else "compiled"
    # The tier of what runs on a device with memory of its own is its name.
    where = " + ".join(ran) if device in ran else f"{' + '.join(ran)}, cpu" if ran else device
    parts = [f"{compiled} of {_count(total, 'line')} {verb}", _count(breaks, "break point")]
    if speed is not None:
        parts.append(f"{speed:.2g}x NumPy" if speed < 10 else f"{speed:.0f}x NumPy")
    parts.append(where)
    note = next((note for note in notes if note), "")
    if verb == "captured" and note:
        parts.append(_line(note))
    return printable(" · ".join(parts))


def _line(text: str) -> str:
    return shorten(printable(" ".join(text.split())), 100)


def _count(number: int, thing: str) -> str:
    if not number:
        return f"no {thing}s"
    return f"{number} {thing}{'' if number == 1 else 's'}"
