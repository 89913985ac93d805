"""Lowered graphs compiled by Inductor, against NumPy."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from torch._inductor import config, standalone_compile

from jupyter_npcompile.tracer.lowering import INDUCTOR, LoweringError, lower
from tests.support.lowering.programs import Program, copied, run, same, tensor_of
from tests.tracer.lowering.test_lowering import CASES, Case
from tests.tracer.lowering.test_programs import PROGRAMS, build
from tests.tracer.lowering.test_ufuncs import UFUNCS, named, operands, special

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

STEP = 6
"""One case of so many is compiled; all of them run op by op in their own tests."""


TOGETHER = 12
"""So many are compiled as one program: much larger ones take Inductor minutes."""


def compare(program: Program, tolerance: Callable[[int], tuple[float, float]]) -> None:
    """Compile a program, run it once and compare every output."""
    lowered = lower(program.graph())
    examples = [tensor_of(copied(value)) for value in program.given]
    with warnings.catch_warnings(), config.patch(INDUCTOR):
        warnings.simplefilter("ignore")
        compiled: Any = standalone_compile(
            lowered.module, examples, dynamic_shapes="from_example_inputs"
        )
    expected, found, _ = run(program, lowered, compiled)
    ids = (*lowered.allocations, *lowered.writes)
    for id, a, b in zip(ids, expected, found, strict=True):
        same(a, b, *tolerance(id))


@pytest.mark.parametrize("start", range(0, len(CASES), STEP * TOGETHER))
def test_cases(start: int) -> None:
    program = Program()
    owners: dict[int, Case] = {}
    for case in CASES[start : start + STEP * TOGETHER : STEP]:
        result = program(
            case.op,
            *map(lifted(program), case.args),
            **{key: lifted(program)(value) for key, value in case.kwargs.items()},
        )
        for handle in result if isinstance(result, list) else [result]:
            if handle is not None:
                program.output(**{f"y{handle.id}": handle})
                owners[program.graph().roots()[handle.id]] = case
    compare(program, lambda id: _tolerance(owners.get(id)))


def _tolerance(case: Case | None) -> tuple[float, float]:
    return (4.0, 1e-12) if case is None else (case.ulp, case.rtol)


def lifted(program: Program) -> Callable[[Any], Any]:
    """Make arrays among arguments inputs of a program."""

    def lift(x: Any) -> Any:
        if isinstance(x, np.ndarray | np.generic):
            return program.input(x)
        return type(x)(map(lift, x)) if isinstance(x, tuple | list) else x

    return lift


@pytest.mark.parametrize("dtype", ["int64", "uint32", "float16", "float64", "complex64"])
def test_ufuncs(dtype: str) -> None:
    program = Program()
    for name in UFUNCS:
        ufunc = named(name)
        assert ufunc is not None
        args = operands(name, dtype)
        if ufunc is np.reciprocal:
            args = (special(dtype)[special(dtype) != 0],)
        alone = Program()
        try:
            alone.output(y=alone(name, *map(alone.input, args)))
            lower(alone.graph())
        except (TypeError, LoweringError, ValueError):
            continue
        result = program(name, *map(program.input, args))
        for handle in result if isinstance(result, list) else [result]:
            program.output(**{f"y{handle.id}": handle})
    compare(program, lambda id: (64.0, 0.0))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_precision_of_ufuncs(dtype: str) -> None:
    rng = np.random.default_rng(3)
    parts = [rng.normal(size=99) * scale for scale in (1.0, 1e3, 1e-4, 1e-8)]
    x = np.concatenate([*parts, rng.uniform(-1, 1, 99)]).astype(dtype)
    program = Program()
    one, two = program.input(x), program.input(rng.permutation(x))
    for name in UFUNCS:
        ufunc = named(name)
        if ufunc is None or "f->" not in " ".join(ufunc.types) or ufunc is np.ldexp:
            continue
        result = program(name, *(one, two)[: ufunc.nin])
        for handle in result if isinstance(result, list) else [result]:
            program.output(**{f"y{handle.id}": handle})
    compare(program, lambda id: (64.0, 0.0))


def test_half_precision_is_rounded_at_every_step() -> None:
    program = Program()
    x = program.input(np.linspace(0.1, 60000.0, 200).astype("float16"))
    program.output(y=x * 2 / 2, z=program("numpy.exp", 1 / x) * x + 0.1)
    compare(program, lambda id: (0.0, 0.0))


@pytest.mark.parametrize("start", range(4))
def test_programs(start: int) -> None:
    for make in PROGRAMS[start::8]:
        compare(build(make), lambda id: (4.0, 1e-12))
