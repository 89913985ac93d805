"""Regions in a report: how each runs, how long it takes, what it copies."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, field
from typing import Any

from jupyter_npcompile.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Precision:
    """What single precision costs where somebody has asked for it.

    Parameters
    ----------
    predicted : float
        The error to expect if nothing cancels, as a part of the largest number.
    measured : float or None
        The largest one in the first run, compared with NumPy; None where nobody looked.
    name : str
        Where that was.
    """

    predicted: float
    measured: float | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class Copies:
    """What a region has copied between the host and its device.

    Parameters
    ----------
    runs : int
        Runs of its segments so far.
    to_device, to_host : int
        Bytes that they have copied.
    spared : int
        Bytes that were on the device already.
    us : float
        Microseconds that copying has taken.
    arrays : tuple of (str, str, int)
        Of the last run: each variable, ``"to device"``, ``"to host"``,
        ``"there already"`` or ``"not back"``, and its bytes.
    precision : Precision or None
        What fewer digits cost, where it computes with fewer than the arrays have.
    unneeded : int
        Bytes of results that were not copied back, because nobody could look at them
        before they were gone or written anew.
    moments : tuple of (str, str)
        Of the last run: each variable that was copied back some time after it, and when.
    waiting : int
        Bytes of results that are there, and will be copied back when somebody may look.
    stranger : str
        The thread that may write into arrays, because of which nothing stays there.
    """

    runs: int
    to_device: int
    to_host: int
    spared: int
    us: float
    arrays: tuple[tuple[str, str, int], ...] = ()
    precision: Precision | None = None
    unneeded: int = 0
    moments: tuple[tuple[str, str], ...] = ()
    waiting: int = 0
    stranger: str = ""


@dataclass(frozen=True, slots=True)
class RegionReport:
    """A region and how it runs.

    Parameters
    ----------
    id : int
        Its number in the report.
    lines : tuple of int
        First and last line.
    tier : str
        How it runs now: ``numpy``, ``aten``, ``inductor``, ...
    signature : str
        What its compiled code is valid for.
    segments : int
        Pieces it was compiled in.
    artifacts : int
        Compiled results it holds, one per segment and signature.
    timings : dict of str to float or None
        ``trace_ms``, ``compile_ms``, ``numpy_us``, ``compiled_us`` as far as
        they were measured.
    note : str
        Anything else worth knowing, such as why it runs in NumPy.
    copies : Copies or None
        What it has copied, where it runs on a device with memory of its own.
    """

    id: int
    lines: tuple[int, int]
    tier: str
    signature: str = ""
    segments: int = 0
    artifacts: int = 0
    timings: dict[str, float | None] = field(default_factory=dict)
    note: str = ""
    copies: Copies | None = None


def region_to_dict(region: RegionReport) -> dict[str, Any]:
    """Write a region as JSON data.

    Examples
    --------
    >>> one = RegionReport(0, (2, 3), "inductor")
    >>> region_from_dict(region_to_dict(one)) == one
    True
    """
    return {
        "id": region.id,
        "lines": list(region.lines),
        "tier": region.tier,
        "signature": region.signature,
        "segments": region.segments,
        "artifacts": region.artifacts,
        "timings": {
            name: None if value is None or not math.isfinite(value) else float(value)
            for name, value in region.timings.items()
        },
        "note": region.note,
        "copies": None if region.copies is None else asdict(region.copies),
    }


def region_from_dict(data: Mapping[str, Any]) -> RegionReport:
    """The inverse of `region_to_dict`."""
    first, last = data["lines"]
    return RegionReport(
        id=data["id"],
        lines=(first, last),
        tier=data["tier"],
        signature=data["signature"],
        segments=data["segments"],
        artifacts=data["artifacts"],
        timings=dict(data["timings"]),
        note=data["note"],
        copies=_copies_from_dict(data.get("copies")),
    )


def _copies_from_dict(data: Mapping[str, Any] | None) -> Copies | None:
    if data is None:
        return None
    arrays = tuple((name, way, nbytes) for name, way, nbytes in data["arrays"])
    digits = data.get("precision")
    precision = None if digits is None else Precision(**digits)
    moments = tuple((name, when) for name, when in data.get("moments", ()))
    return Copies(**{**data, "arrays": arrays, "precision": precision, "moments": moments})
