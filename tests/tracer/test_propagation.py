"""Where NaN and infinity show, and no warning is missed in programs that are drawn."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given
from hypothesis import settings as budget

import jupyter_npcompile
from jupyter_npcompile.graph.nodes import Node, Ref, ValueType
from jupyter_npcompile.tracer import propagation
from jupyter_npcompile.tracer.lowering.lookup import find_kernel
from jupyter_npcompile.tracer.lowering.trace import Trace
from jupyter_npcompile.tracer.lowering.ufuncs import Loop
from jupyter_npcompile.tracer.propagation import is_harmless, shown_by

EXTREMES = (0.0, -0.0, 1.0, -1.0, 2.5, -0.5, np.inf, -np.inf, np.nan, 1e38, -1e38, 1e-40)
SHOWING = sorted(propagation._ELEMENTWISE | propagation._FIRST | {"numpy.power"})


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("op", SHOWING)
@pytest.mark.filterwarnings("ignore")
def test_kernels_show_what_numpy_shows(op: str, dtype: str) -> None:
    """NaN and infinity of the operands are in what NumPy and what kernels make of them."""
    name = op.removeprefix("numpy.")
    ufunc = getattr(np, name)
    tables = [np.array(column, dtype) for column in zip(*combinations(ufunc.nin), strict=True)]
    type = ValueType("array", dtype, (len(tables[0]),), (tables[0].itemsize,))
    positive = 0.5 if name == "power" else Ref(1)
    args = (Ref(0), positive)[: ufunc.nin]
    nodes = {k: Node(k, "input", types=(type,)) for k in range(2)}
    shown = shown_by(Node(2, op, args, types=(type,)), nodes, frozenset())
    assert 0 in shown
    if name == "power":
        tables = [tables[0], np.full_like(tables[0], 0.5)]
    kind = (np.dtype(dtype),)
    kernel = find_kernel(name)
    loop = Loop(Trace(), kind * ufunc.nin, kind)
    made = kernel(loop, *(torch.from_numpy(table) for table in tables))
    for result in (ufunc(*tables), made.numpy()):
        for k in shown:
            assert not np.isfinite(result[~np.isfinite(tables[k])]).any()


def combinations(count: int) -> list[tuple[float, ...]]:
    return list(itertools.product(EXTREMES, repeat=count))


LARGE = st.sampled_from([1.0, 0.5, 1e-5, -1.0, 1e25, -1e280, 1e300, 2, -3, 0, 1, 10**400])


@given(
    name=st.sampled_from(["add", "subtract", "multiply", "divide"]),
    constant=LARGE,
    first=st.booleans(),
    dtype=st.sampled_from(["float64", "float32"]),
    value=st.floats(allow_nan=True, width=32) | st.sampled_from([np.inf, 0.0]),
    top=st.booleans(),
)
def test_constants_do_no_harm(
    name: str, constant: Any, first: bool, dtype: str, value: float, top: bool
) -> None:
    operands = (constant, Ref(0)) if first else (Ref(0), constant)
    type = ValueType("array", dtype, (1,), (np.dtype(dtype).itemsize,))
    if not is_harmless(Node(1, f"numpy.{name}", operands, types=(type,))):
        return
    number = float(np.finfo(dtype).max) * (1 if value > 0 else -1) if top else value
    array = np.array([number], dtype)
    with np.errstate(all="raise", under="ignore"):
        result = getattr(np, name)(*((constant, array) if first else (array, constant)))
    assert np.isfinite(result[0]) == np.isfinite(number)


@pytest.fixture(autouse=True)
def forced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", "aten")
    monkeypatch.setattr(jupyter_npcompile.settings, "first_run_check", "off")


ONE = ["log", "exp", "sqrt", "negative", "absolute", "sin", "square", "arctan", "tanh", "arccosh"]
TWO = ["add", "subtract", "multiply", "divide", "maximum", "hypot", "fmod"]


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Text of a function of two arrays: chains with branches, writes and constants."""
    names, lines = ["x", "y"], ["def function(x, y):"]

    def pick(*choices: str) -> str:
        return draw(st.sampled_from(choices))

    for k in range(draw(st.integers(2, 6))):
        a, b, c = pick(*names[-2:]), pick(*names), pick(*names)
        number = pick("1.0", "-0.5", "2", "1e300", "0.25")
        two = pick(*TWO)
        made = pick(
            *[f"np.{pick(*ONE)}({a})"] * 3,
            *[f"np.{two}({a}, {b})", f"np.{two}({b}, {a})"],
            *[f"np.{two}({a}, {number})", f"np.{two}({number}, {a})"],
            *[f"np.where({a} > {number}, {b}, {c})"] * 2,
            *[f"{a}[::-1]", f"{a} ** {pick('2', '0.5', '-1')}", f"np.full(3, {a}.sum())"],
        )
        lines.append(f"v{k} = {made}")
        names.append(f"v{k}")
        written = pick("", "", f"v{k}", f"v{k}", *names)
        if written:
            target = pick(f"{written}[:]", f"{written}[1:]", written)
            lines.append(f"{target} {pick('*', '+') if target == written else ''}= {number}")
    return "\n    ".join([*lines, f"return np.arctan({names[-1]} + x)"])


TAME = np.array([1.25, 2.5, 1.75]), np.array([2.25, 1.5, 3.5])
WILD = st.lists(st.sampled_from([1.5, 0.0, -1.0, 1e200, 800.0, np.inf]), min_size=3, max_size=3)


@budget(max_examples=150, suppress_health_check=list(HealthCheck))
@given(programs(), WILD, WILD)
def test_no_warning_of_a_program_is_missed(text: str, x: list[float], y: list[float]) -> None:
    namespace: dict[str, Any] = {"np": np}
    exec(text, namespace)
    function = namespace["function"]
    compiled = jupyter_npcompile.compile(function)
    for values in (TAME, TAME, (x, y), TAME, (y, x)):
        assert outcome(compiled, values) == outcome(function, values), text


def outcome(function: Any, values: Any) -> tuple[set[str], str]:
    """What a call warns of, whatever how often, and what it gives."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = function(*map(np.array, values))
    with np.printoptions(precision=10):
        return {str(warning.message) for warning in caught}, repr(result)
