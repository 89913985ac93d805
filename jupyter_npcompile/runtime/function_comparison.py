"""A function compared with its compiled form."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from jupyter_npcompile.graph.comparison import ComparisonData, Difference
from jupyter_npcompile.runtime import history
from jupyter_npcompile.runtime.comparison import (
    RETURNED,
    Verdict,
    contrasted,
    forced_tier,
    located,
    patience,
    reasons,
    sifted,
    work_lines,
)
from jupyter_npcompile.runtime.copies import LenientCopier
from jupyter_npcompile.runtime.devices import with_precision
from jupyter_npcompile.runtime.functions import compile_callable, handle_of
from jupyter_npcompile.runtime.inspection import Abandoned, Inspection
from jupyter_npcompile.runtime.observation import RANDOM, Observation, random_state, watching
from jupyter_npcompile.runtime.policy import Options
from jupyter_npcompile.runtime.reference import TIER
from jupyter_npcompile.runtime.settings import settings
from jupyter_npcompile.runtime.subjects import report_of
from jupyter_npcompile.runtime.trial import Trial


def compare_function(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    tier: str | None,
) -> ComparisonData:
    """Run a function in NumPy and compiled, on copies, and compare everything.

    Parameters
    ----------
    function : callable
        Plain or compiled.
    args, kwargs
        What it is called with.
    tier : str or None
        ``"aten"``, ``"inductor"``, or by what there is.
    """
    before = history.last()
    try:
        with random_state() as state:
            return _FunctionTrial(function, args, kwargs, tier, state).compare()
    finally:
        history.remember(before)


RUNS = 2
"""How often the compiled function runs: recorded and replayed, then only replayed."""


class _FunctionTrial:
    def __init__(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        tier: str | None,
        state: dict[str, Any],
    ) -> None:
        known = handle_of(function)
        default = with_precision(settings.device, settings.dtype)
        self.options = Options(default if known is None else known.options.device)
        self.function = function if known is None else vars(function)["__wrapped__"]
        self.arguments = args, kwargs
        self.tier = tier or forced_tier(self.options.device)
        self.state = state
        self.names = _parameters(self.function, args, kwargs)
        code = getattr(inspect.unwrap(self.function), "__code__", None)
        self.filename = None if code is None else code.co_filename

    def compare(self) -> ComparisonData:
        native = self.run(self.function)
        inspection = Inspection(self.tier, patience=patience(native))
        compiled = self._compiled(self.tier, inspection)
        verdict = Verdict(inspection)
        result, grown, unstable, notes = None, 0, list[str](), list[str]()
        differences: list[Difference] = []
        for number in range(RUNS):
            inspection.begin()
            result = contrasted(native, self.run(compiled), inspection)
            found = sifted(
                native,
                result,
                inspection,
                lambda: self.run(self.function),
                lambda by_operations: self.run(self._compiled(TIER, by_operations)),
            )
            unstable, notes, grown = (
                list(dict.fromkeys((*unstable, *found[0]))),
                list(dict.fromkeys((*notes, *found[1]))),
                max(grown, found[2], result.rounding),
            )
            known = {(d.kind, d.name) for d in differences}
            for difference in verdict.differences(result):
                if (difference.kind, difference.name) not in known:
                    late = "only in the second compiled call" if number else difference.note
                    differences.append(replace(difference, note=late))
        handle = handle_of(compiled)
        assert handle is not None
        report = report_of(handle)
        captured, lines = work_lines(report)
        return ComparisonData(
            subject=getattr(self.function, "__name__", type(self.function).__name__),
            tier=self.tier,
            differences=tuple(located(differences, report)),
            names=tuple(name for name in native.names if name != RANDOM),
            arrays=0 if result is None else result.arrays,
            rounding=grown,
            relative=0.0 if result is None else result.relative,
            captured=captured,
            lines=lines,
            unstable=tuple(unstable),
            notes=(*notes, *inspection.notes, *reasons(report)),
        )

    def _compiled(self, tier: str, inspection: Inspection) -> Callable[..., Any]:
        trial = Trial(tier, inspection.witness)
        return compile_callable(self.function, replace(self.options, trial=trial))

    def run(self, function: Callable[..., Any]) -> Observation:
        """Call it on fresh copies, from the same random state."""
        copier = LenientCopier()
        args, kwargs = copier.copy(self.arguments[0]), copier.copy(self.arguments[1])
        seen = Observation()
        np.random.set_state(self.state)
        with (
            contextlib.suppress(Abandoned),
            watching(seen, lambda filename: filename == self.filename),
        ):
            value = function(*args, **kwargs)
            seen.names[RETURNED] = list(value) if inspect.isgenerator(value) else value
        values = (*args, *kwargs.values())
        given = dict(zip(self.names, values, strict=True))
        seen.names = {**given, **seen.names, RANDOM: np.random.get_state(legacy=False)}
        return seen


def _parameters(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> list[str]:
    """Names for the arguments: those of the function where it says them."""
    try:
        signature = inspect.signature(function)
        kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        named = [name for name, p in signature.parameters.items() if p.kind in kinds]
    except (TypeError, ValueError):
        named = []
    names = [*named[: len(args)], *(f"args[{k}]" for k in range(len(named), len(args)))]
    return [*names, *kwargs]
