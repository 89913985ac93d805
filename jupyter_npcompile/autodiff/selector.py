"""Tape or compiled code: which one gives the gradients of a function, by measurement."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from jupyter_npcompile.autodiff.chunks import LOOP
from jupyter_npcompile.autodiff.direct import Direct, direct
from jupyter_npcompile.autodiff.programs import Program
from jupyter_npcompile.autodiff.replays import LONG, LONGEST, RECORDED, Replay, record_call
from jupyter_npcompile.autodiff.sites import Site
from jupyter_npcompile.autodiff.trees import flatten
from jupyter_npcompile.runtime.check import DifferenceError
from jupyter_npcompile.runtime.device.device import DeviceError
from jupyter_npcompile.runtime.selector import thresholds
from jupyter_npcompile.runtime.selector.back_off import growth
from jupyter_npcompile.runtime.selector.race import Race
from jupyter_npcompile.runtime.settings import settings

CLOSE = 1e-6
"""Relative difference of gradients that count as the same, in double precision."""


NOISE = 1e-13
"""What may be left of a gradient that is zero, relative to the value."""


class GradientSelector:
    """What is known about one function, by signature.

    Parameters
    ----------
    function : callable
        What is differentiated.
    site : Site
        Where it is computed.
    usable : bool
        Whether a replay can give everything that is asked for.
    """

    def __init__(self, function: Callable[..., Any], site: Site, *, usable: bool) -> None:
        self.function = function
        self.site = site
        self.usable = usable and not getattr(function, "is_derivative", False)
        self.replays: dict[tuple[Any, int], Replay] = {}
        self.reasons: dict[Any, str] = {}
        self.direct: dict[tuple[Any, int], Direct] = {}
        self._races: dict[tuple[Any, int], Race] = {}
        self._calls: dict[Any, int] = {}
        self._long: set[Any] = set()

    def at_once(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The value, and the gradient of each argument that was asked for; None if not so fast."""
        if self._is_off():
            return None
        for written in self.direct.values():
            made = written(args, kwargs)
            if made is not None:
                return made
        return None

    def run(
        self, signature: Any, args: Sequence[Any], kwargs: dict[str, Any], asked: Sequence[int]
    ) -> tuple[Any, dict[int, list[Any]]] | None:
        """The value, and gradients by argument; None when the tape must run."""
        if self._is_off():
            return None
        key = self._holding(signature, args, kwargs)
        replay = None if key is None else self.replays[key]
        if replay is None or not replay.confirmed:
            return None
        return self._replayed(replay, args, kwargs, asked)

    def _holding(
        self, signature: Any, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> tuple[Any, int] | None:
        """The replay whose assumptions are met by a call."""
        for key, replay in self.replays.items():
            if key[0] == signature and replay.holds(args, kwargs):
                return key
        return None

    def _replayed(
        self, replay: Replay, args: Sequence[Any], kwargs: dict[str, Any], asked: Sequence[int]
    ) -> tuple[Any, dict[int, list[Any]]] | None:
        try:
            made = replay.run(args, kwargs)
        except DeviceError as error:
            self.site.leave(str(error))
            self.replays.clear()
            self.reasons.clear()
            return None
        if made is None:
            return None
        value, gradients = made
        queue = iter(gradients)
        found: dict[int, list[Any]] = {}
        for position in asked:
            found[position] = [_like(next(queue), leaf) for leaf in flatten(args[position])[0]]
        return value, found

    def consider(
        self,
        signature: Any,
        args: Sequence[Any],
        kwargs: dict[str, Any],
        asked: Sequence[int],
        program: Program,
        found: Sequence[Any],
        seconds: float,
    ) -> None:
        """The tape has given gradients: compile, compare, or leave it at that."""
        if not self.usable or self._is_off():
            return
        forced = self._is_forced()
        key = self._holding(signature, args, kwargs)
        if key is None and signature not in self.reasons:
            known = sum(other == signature for other, _ in self.replays)
            self._calls[signature] = self._calls.get(signature, 0) + 1
            # What changes with every call is not worth compiling: each variant waits for longer.
            is_long = signature in self._long
            enough = thresholds.LONG_TAPES if is_long else thresholds.TAPES * growth(known, 1)
            if known < thresholds.VARIANTS and (forced or self._calls[signature] >= enough):
                key = self._begin((signature, known), args, kwargs, asked, program)
        if key is None or self.replays[key].confirmed or not self.replays[key].wait(0):
            return
        if self.replays[key].program is None:
            self._drop(key, self.replays[key].reason)
        elif self.replays[key].holds(args, kwargs):
            self._judge(key, args, kwargs, asked, found, seconds, forced)

    def _begin(
        self,
        key: tuple[Any, int],
        args: Sequence[Any],
        kwargs: dict[str, Any],
        asked: Sequence[int],
        program: Program,
    ) -> tuple[Any, int] | None:
        signature = key[0]
        reason = impurity(program)
        patient = settings.tier != "inductor"  # who forces that waits for it
        longest = LONG if patient else LONGEST
        rolls = self.site.device is None
        made: Replay | str = reason or record_call(
            self.function, args, kwargs, asked, longest, rolls=rolls
        )
        if isinstance(made, str):
            self._drop(key, made)
            return None
        if made.operations > LONGEST and self._calls[signature] < thresholds.LONG_TAPES:
            self._long.add(signature)
            return None
        self._calls[signature] = 0
        self.replays[key] = made
        made.site = self.site
        made.begin(waits=self._is_forced())
        return key

    def _is_off(self) -> bool:
        """Whether nothing is compiled: operation by operation, the tape is as good on the CPU."""
        if settings.tier == "aten":
            return self.site.device is None
        return settings.tier == "numpy"

    def _is_forced(self) -> bool:
        """Whether time decides nothing."""
        device = self.site.device
        if device is None:
            return settings.tier == "inductor"
        return settings.tier != "auto" or not device.competes

    def _judge(
        self,
        key: tuple[Any, int],
        args: Sequence[Any],
        kwargs: dict[str, Any],
        asked: Sequence[int],
        found: Sequence[Any],
        seconds: float,
        forced: bool,
    ) -> None:
        """Compare the first compiled gradients with the tape's, and the times."""
        replay = self.replays[key]
        made = self._replayed(replay, args, kwargs, asked)
        began = perf_counter()
        again = self._replayed(replay, args, kwargs, asked)
        took = perf_counter() - began
        if self.site.reason and not self.replays:
            return  # the device has failed
        if made is None or again is None:
            self._drop(key, "NumPy would warn or raise")
            return
        gradients = [g for position in asked for g in made[1][position]]
        ordered = [g for position in asked for g in _ordered(position, asked, args, found)]
        value = abs(float(made[0]))
        scale = max(1.0, value) if math.isfinite(value) else 1.0
        for one, other in zip(gradients, ordered, strict=True):
            if not _same(one, other, NOISE * scale):
                self._drop(key, "compiled gradients differ from the tape's")
                if settings.first_run_check == "raise":
                    raise DifferenceError(f"compiled: {one!r}, tape: {other!r}")
                return
        race = self._races.setdefault(key, Race(thresholds.GRADIENTS))
        race.add(True, seconds)
        race.add(False, took)
        slower = False if forced else race.slower
        if slower is False:
            del self._races[key]
            replay.confirmed = True
            written = direct(replay, args, kwargs, asked)
            if written is not None:
                self.direct[key] = written
        elif slower:
            plain, compiled = race.seconds
            self._drop(key, f"the tape is faster: {plain:.2g} s, compiled {compiled:.2g} s")

    def _drop(self, key: tuple[Any, int], reason: str) -> None:
        for known in (self.replays, self.direct, self._races):
            known.pop(key, None)
        self.reasons[key[0]] = reason


def impurity(program: Program) -> str:
    """Why a run cannot be replayed, or ``""``."""
    tape = program.tape
    if tape is None:
        return "a derivative of a derivative"
    operations = tape.skipped + len(tape.recorder.nodes)
    size = tape.nbytes // 2 // max(len(tape.recorder.nodes), 1)
    if (
        operations > 2 * RECORDED or operations * size > thresholds.HELD
    ):  # a tape has more than a graph
        return "its loops are differentiated iteration by iteration"
    steps = [step for step in tape.steps.values() if step.what != LOOP]
    if tape.effects or steps or tape.custom or tape.held:
        return "it does more than NumPy computes"
    return "what it prints is printed every time" if tape.printed else ""


def _ordered(
    position: int, asked: Sequence[int], args: Sequence[Any], found: Sequence[Any]
) -> list[Any]:
    """The tape's gradients of one argument; its leaves are in ascending order of arguments."""
    start = 0
    for known in sorted(set(asked)):
        count = flatten(args[known])[1].leaves
        if known == position:
            return list(found[start : start + count])
        start += count
    raise KeyError(position)


def _like(gradient: Any, leaf: Any) -> Any:
    if gradient is None:
        return (
            np.zeros_like(leaf) if isinstance(leaf, np.ndarray) else np.zeros((), _dtype(leaf))[()]
        )
    if isinstance(leaf, np.ndarray):
        return gradient
    return gradient[()]


def _dtype(leaf: Any) -> Any:
    return leaf.dtype if isinstance(leaf, np.generic) else np.dtype(type(leaf))


def _same(one: Any, other: Any, noise: float) -> bool:
    close = CLOSE if np.asarray(other).dtype.itemsize >= 8 else 1e-2
    size = float(np.max(np.abs(other), initial=0.0, where=np.isfinite(other)))
    return np.shape(one) == np.shape(other) and bool(
        np.allclose(one, other, rtol=close, atol=close * size + noise, equal_nan=True)
    )
