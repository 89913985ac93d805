"""Gradients of whole programs: the benchmarks' and others, as they are, disturbed and compiled."""

from __future__ import annotations

import ast
import inspect
import random
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import jupyter_npcompile as npc
from jupyter_npcompile.autodiff.joint import joint_module
from jupyter_npcompile.autodiff.replays import Replay, record_call
from tests.benchmarks import programs
from tests.support.gradients.mathematics import FUNCTIONAL, PROGRAMS, with_other_numpy
from tests.support.gradients.programs import (
    INTEGERS,
    NOT_SMOOTH,
    TIED,
    TINY,
    check,
    leaves_of,
    loss_of,
    untied,
)

MEASURED = [n for n in programs.names() if n not in INTEGERS | NOT_SMOOTH]
DIFFERENTIABLE = [*MEASURED, *PROGRAMS]

UNABLE = {
    ("autograd", "reprojection"): "its `cross` does not broadcast",
    ("autograd", "procrustes"): "it has no derivative of full singular vectors",
}
"""What other tools cannot differentiate."""


def load(name: str) -> Any:
    if name in PROGRAMS:
        return PROGRAMS[name]
    program = programs.load(name)
    return untied(program) if name in TIED else program


def named(run: Callable[..., Any]) -> str:
    return run.__name__


def size_of(program: Any) -> dict[str, int]:
    return TINY.get(program.name, program.sizes["small"])


def test_there_are_enough() -> None:
    assert len(DIFFERENTIABLE) >= 60


def test_the_others_compute_with_integers() -> None:
    for name in sorted(INTEGERS):
        program = load(name)
        assert check(program, size_of(program)).status == "skipped"


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_gradient(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", "aten")
    program = load(name)
    verdict = check(program, size_of(program))
    assert verdict.status == "right", verdict.detail


def disturbed(run: Callable[..., Any], folder: Path, seed: int) -> Any:
    """The program with a print and an ``if`` on the values it computes, at random places."""
    module = inspect.getmodule(run)
    name = run.__name__
    source = Path(module.__file__).read_text()  # type: ignore[union-attr, arg-type]
    tree = ast.parse(source)
    function = next(
        part for part in tree.body if isinstance(part, ast.FunctionDef) and part.name == name
    )
    chance = random.Random(f"{module.__name__} {name} {seed}")  # type: ignore[union-attr]
    blocks = [
        part.body
        for part in ast.walk(function)
        if isinstance(part, ast.FunctionDef | ast.For | ast.While | ast.If)
    ]
    blocks = [block for block in blocks if places_in(block)]
    for _ in range(3):
        block = chance.choice(blocks)
        place = chance.choice(places_in(block))
        target = block[place].targets[0].id  # type: ignore[attr-defined]
        block.insert(place + 1, ast.parse(f"print({target!r}, {target})").body[0])
        block.insert(
            place + 2,
            ast.parse(
                f"if np.ravel(np.real({target})).sum() > 0:\n    seen_above_zero = {target}"
            ).body[0],
        )
    text = ast.unparse(ast.fix_missing_locations(tree))
    path = folder / f"disturbed_{seed}.py"
    path.write_text(text)
    made = types.ModuleType(f"disturbed_{name}")
    made.__file__ = str(path)
    sys.modules[made.__name__] = made
    try:
        exec(compile(text, str(path), "exec"), vars(made))
    finally:
        del sys.modules[made.__name__]
    return vars(made)[name]


def places_in(block: list[ast.stmt]) -> list[int]:
    """Where a block binds a name to a value that may be an array or a number."""
    return [
        k
        for k, statement in enumerate(block)
        if isinstance(statement, ast.Assign)
        and isinstance(statement.targets[0], ast.Name)
        and isinstance(statement.value, ast.BinOp | ast.Call | ast.Subscript | ast.UnaryOp)
        and not (
            isinstance(statement.value, ast.Call)
            and (isinstance(statement.value.func, ast.Name) or is_generator(statement.value.func))
        )
    ]


def is_generator(function: ast.expr) -> bool:
    return isinstance(function, ast.Attribute) and function.attr == "default_rng"


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_gradient_across_break_points(
    name: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(npc.settings, "tier", "aten")
    program = load(name)
    for seed in range(2):
        try:
            run = disturbed(program.run, tmp_path, seed)
        except IndexError:
            pytest.skip("it binds no names")
        broken = check(program, size_of(program), run)
        assert broken.status == "right", broken.detail
        assert capsys.readouterr().out


# -- compiled

BRANCHING = frozenset(
    {"conjugate_gradient", "hmm_forward", "huffman_like_merging", "implicit_oscillator"}
    | {"lu_solve", "matrix_exponential", "newton_intersections", "page_rank"}
    | {"pendulum_energy", "power_iteration", "pressure_jacobi", "sparse_gauss_seidel"}
    | {"sparse_rows", "bootstrap_ratio", "kdv_solitons", "mean_curvature", "binomial_tree"}
)
"""Programs that values decide about, that draw, or that compute with numbers of Python's.

They stay on the tape.
"""

FACTORS = ("gaussian_process", "procrustes")
"""Programs whose derivative follows the factors that NumPy chose: these their graphs do not know,
but what is compiled takes them from NumPy."""

LONG = frozenset(
    {"bilateral_filter", "biquad_filter", "cholesky_loops", "epidemic", "holt_smoothing"}
    | {"kalman_filter", "kepler_orbit", "lotka_volterra", "network_training"}
    | {"quaternion_attitude", "tridiagonal_lines", "wave_2d"}
)
"""Programs with loops that are too long to be compiled unrolled."""

REPLAYED = [n for n in DIFFERENTIABLE if n not in BRANCHING | {*FACTORS} | LONG | {"mandelbrot"}]

SHORT = (
    *("attention", "conv_channels", "cross_entropy", "gaussian_mixture"),
    *("great_circle", "pooling", "ridge_regression", "softmax_rows"),
    *("spectral_poisson", "standardise", "welch_spectrum", "assembly"),
    *("kmeans", "drawdowns", "limited_advection", "median_filter"),
    *("pca", "black_scholes", "logistic_map_ensemble", "split_step"),
    *("conv_pixels", "laplacian_3d", "cubic_spline", "alternating_least_squares"),
    *FACTORS,
    *(name for name in map(named, FUNCTIONAL) if name in REPLAYED),
)
"""Programs for which a test can wait for the compiler: without loops, or with short ones."""


LOOPS = (
    *("heat_3d", "nbody", "truss"),
    *("holt_smoothing", "kalman_filter", "lotka_volterra"),
)
"""Some with loops, which the compiler takes as loops."""

COMPILED = (*SHORT, *LOOPS)


def losses(name: str) -> tuple[Any, Any]:
    """What is differentiated, and where."""
    program = load(name)
    return loss_of(program, program.make(**size_of(program)))


def agree(found: Any, expected: Any) -> None:
    """Value and gradients are the same, but for rounding."""
    (value, gradients), (wanted, others) = found, expected
    np.testing.assert_allclose(value, wanted, rtol=1e-9)
    for one, other in zip(gradients, others, strict=True):
        size = float(np.max(np.abs(other), initial=0.0))
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-9 * size + 1e-12 * abs(wanted))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(BRANCHING))
def test_what_branches_is_not_replayed(name: str) -> None:
    with np.errstate(all="ignore"):
        loss, given = losses(name)
        assert isinstance(record_call(loss, (given,), {}, (0,)), str)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(LONG))
def test_what_is_long_is_not_compiled_at_once(name: str) -> None:
    with np.errstate(all="ignore"):
        loss, given = losses(name)
        assert "operations are too many" in str(record_call(loss, (given,), {}, (0,)))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", REPLAYED)
def test_joint_graph(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The graph that is compiled, run op by op: value and gradients are the tape's."""
    monkeypatch.setattr(npc.settings, "tier", "aten")
    with np.errstate(all="ignore"):
        loss, given = losses(name)
        expected = npc.value_and_grad(loss)(given)
        replay = record_call(loss, (given,), {}, (0,))
        assert isinstance(replay, Replay), replay
        replay.program = Joint(joint_module(replay.graph))
        made = replay.run((given,), {})
    assert made is not None
    zeros = [np.zeros_like(g) if m is None else m for g, m in zip(given, made[1], strict=True)]
    agree((made[0], zeros), expected)


class Joint:
    """Stands for what is compiled of a joint graph."""

    def __init__(self, module: Any) -> None:
        self.module = module

    def run(self, values: Any) -> list[Any]:
        results = self.module(*[torch.from_numpy(np.array(value)) for value in values])
        *numbers, _ = [tensor.resolve_conj().numpy() for tensor in results]
        return numbers


TOGETHER = 4
"""How many programs are compiled as one, which takes much less time than one by one."""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("first", range(0, len(COMPILED), TOGETHER), ids=lambda k: COMPILED[k])
def test_compiled_gradients(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with np.errstate(all="ignore"):
        pairs = [losses(name) for name in COMPILED[first : first + TOGETHER]]
        every = [given for _, given in pairs]

        def total(every: Any) -> Any:
            return sum(loss(given) for (loss, _), given in zip(pairs, every, strict=True))

        monkeypatch.setattr(npc.settings, "tier", "aten")
        wanted = [npc.value_and_grad(loss)(given) for loss, given in pairs]
        monkeypatch.setattr(npc.settings, "tier", "inductor")
        monkeypatch.setattr(npc.settings, "first_run_check", "raise")
        gradient = npc.value_and_grad(total)
        gradient(every)
        there = npc.settings.device != "cpu"  # loops are not rolled up there
        reasons = gradient._fast.reasons.values()
        assert all(there and "too many to be compiled at once" in reason for reason in reasons)
        value, found = gradient(every)
        np.testing.assert_allclose(value, sum(value for value, _ in wanted), rtol=1e-9)
        for one, (other, expected) in zip(found, wanted, strict=True):
            agree((other, one), (other, expected))


# -- other tools, where they are installed


@pytest.mark.parametrize("run", FUNCTIONAL, ids=named)
@pytest.mark.parametrize("tool", ["jax", "autograd"])
def test_other_tools_agree(tool: str, run: Callable[..., Any]) -> None:
    package = pytest.importorskip(tool)
    if (tool, run.__name__) in UNABLE:
        pytest.skip(UNABLE[tool, run.__name__])
    numpy: Any = pytest.importorskip(f"{tool}.numpy")
    if tool == "jax":
        package.config.update("jax_enable_x64", True)
    args = FUNCTIONAL[run]()
    places = tuple(leaves_of(args))
    expected = package.grad(with_other_numpy(run, numpy), places)(*args)
    made = npc.grad(run, places)(*args)
    for one, other in zip(made, expected, strict=True):
        np.testing.assert_allclose(one, np.asarray(other), rtol=1e-7, atol=1e-9)
