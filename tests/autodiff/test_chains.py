"""Gradients in one piece of native code: products, linear algebra and sums between kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch.fx import Graph, Node
from torch.fx.experimental.proxy_tensor import make_fx

import jupyter_npcompile as npc
from jupyter_npcompile.autodiff.chains import Layouts, Link, NotNativeError, chained, nbytes, over
from jupyter_npcompile.autodiff.factored import FACTORED
from jupyter_npcompile.autodiff.library_calls import library_link
from jupyter_npcompile.autodiff.library_table import FUNCTIONS
from jupyter_npcompile.autodiff.stages import name_of, settled, stages_of
from jupyter_npcompile.loops.library.linear_algebra import addresses

RNG = np.random.default_rng(14)

needs_library = pytest.mark.skipif(
    not addresses(FUNCTIONS), reason="NumPy's library has other names here"
)


def calls(function: Callable[..., Any], *shapes: tuple[int, ...]) -> list[Node]:
    """The operations of a function of matrices."""
    module = make_fx(function)(*(torch.rand(shape, dtype=torch.float64) for shape in shapes))
    return [node for node in module.graph.nodes if node.op == "call_function"]


def test_a_loop_over_an_index_knows_its_offsets() -> None:
    text = over((2, 3), [(3, 1), (0, 8)], "y[o1] += x[o0];")
    assert "o0 = k0 * 3 + k1 * 1, o1 = k1 * 8;" in text
    assert text.count("for (") == 2
    assert over((), [()], "f(o0);") == "{ const int64_t o0 = 0; f(o0); }"


def test_a_view_is_where_its_base_lies_now() -> None:
    """The graph says where it was before the base was put into another order."""
    nodes = calls(lambda x: (x.exp().t()[1:], x.sin()), (3, 4))
    base = nodes[0]
    view = next(node for node in nodes if name_of(node) == "slice")
    base.meta["val"] = torch.empty_strided((3, 4), (1, 3), dtype=torch.float64)
    layout = Layouts().of(view)
    assert layout.stride() == (3, 1)
    assert layout.storage_offset() == 3
    assert nbytes(layout) == 9 * 8


def test_a_view_that_has_to_be_a_copy_is_none() -> None:
    nodes = calls(lambda x: x.exp().view(12), (3, 4))
    nodes[0].meta["val"] = torch.empty_strided((3, 4), (1, 3), dtype=torch.float64)
    with pytest.raises(NotNativeError):
        Layouts().of(nodes[1])


def test_memory_is_shared_by_what_is_not_needed_at_a_time() -> None:
    graph = Graph()
    nodes = [graph.placeholder(f"x{k}") for k in range(6)]
    for node in nodes:
        node.meta["val"] = torch.empty(100, dtype=torch.float64)
    links = [
        Link([nodes[k]], [nodes[k + 1]], [800], lambda given, made, own: [f"{made[0]} {given[0]}"])
        for k in range(5)
    ]
    plain = chained("f", links, Layouts(), nodes[:1], nodes[-1:])
    assert plain.scratch == 2 * 832
    assert "outputs[0]" in plain.text
    assert not plain.before
    once = chained("f", links, Layouts(), nodes[:1], nodes[-1:], once=1)
    assert once.scratch == 3 * 832  # what is made once stays
    assert once.before == "f_before"


def test_parts_of_a_result_stand_behind_it() -> None:
    def f(a: Any, b: Any) -> Any:
        lu, pivots, _ = torch.ops.aten.linalg_lu_factor_ex.default(a.exp())
        return torch.ops.aten.linalg_lu_solve.default(lu, pivots, b.sin()).tanh()

    module = make_fx(f)(*(torch.rand(3, 3, dtype=torch.float64) for _ in range(2)))
    stages = [stage for stage in stages_of(module) if stage.piece or stage.calls]
    assert [len(stage.piece) for stage in stages] == [2, 0, 1]
    names = [[name_of(node) for node in stage.calls] for stage in stages]
    assert names == [["linalg_lu_factor_ex", *["getitem"] * 3], ["linalg_lu_solve"], []]


@pytest.mark.parametrize("in_rows", [True, False])
def test_factors_are_those_that_the_derivative_takes(in_rows: bool) -> None:
    """A solution is differentiated by the factors of the matrix itself, however that lies."""
    a = torch.rand(4, 4, dtype=torch.float64)
    a = a if in_rows else a.mT
    b = torch.rand(4, 2, dtype=torch.float64)
    solve = torch.ops.aten._linalg_solve_ex.default
    for one, other in zip(FACTORED[solve](a, b), solve(a, b), strict=True):
        torch.testing.assert_close(one, other)


def test_factors_of_what_stays_the_same_are_found_once() -> None:
    def step(a: Any, u: Any) -> Any:
        return torch.linalg.solve(torch.eye(3, dtype=torch.float64) + a, u.sin())

    places = (torch.rand(3, 3, dtype=torch.float64), torch.rand(3, 1, dtype=torch.float64))
    module = make_fx(step, decomposition_table={**FACTORED})(*places)
    given = [node for node in module.graph.nodes if node.op == "placeholder"]
    names = {name_of(node) for node in settled(module, given[:1])}
    assert "linalg_lu_factor_ex" in names
    assert not names & {"linalg_lu_solve", "sin"}
    assert {name_of(node) for node in settled(module, given[1:])} == {"sin"}


@needs_library
def test_what_the_library_cannot_do_is_left_to_python() -> None:
    (product,) = calls(lambda a, b: a @ b, (3, 4), (4, 5))
    assert library_link(product, Layouts()).makes == [product]
    (integers,) = [
        node
        for node in make_fx(torch.mm)(*(torch.ones(2, 2, dtype=torch.int64),) * 2).graph.nodes
        if node.op == "call_function"
    ]
    with pytest.raises(NotNativeError):
        library_link(integers, Layouts())
    ordered = calls(lambda a: torch.sort(a), (3, 4))[0]
    with pytest.raises(NotNativeError):
        library_link(ordered, Layouts())


# -- compiled


def products(p: Any) -> Any:
    """Operands of all sizes that lie in all ways."""
    a, b, v, w, s = p["a"], p["b"], p["v"], p["w"], p["s"]
    small = np.sum((a @ b) ** 2) + np.sum(a @ v) * np.sum(v @ b) + (v @ v) ** 2
    small += np.sum(np.tanh(a.T[::2] @ a[:, ::-1])) + np.sum(np.broadcast_to(v, (3, 4)) @ b)
    large = np.sum((w @ w.T) ** 2) + np.sum(np.sin(w.T @ w)) + np.sum(np.cos(w @ w[5]) * w[:, 3])
    large += np.sum(np.tanh(w[:, ::2] @ w[:, 1::2].T)) + np.sum(np.sin(w[:, 7] @ w))
    large += np.sum(np.sin(w.reshape(-1, 1)[:300] @ v[None]) ** 2)
    stacks = np.sum(np.tanh(s @ b) ** 2) + np.sum((s @ s.transpose(0, 2, 1)) ** 2)
    wide = w.reshape(2, 45, 80)
    stacks += np.sum(np.sin(wide @ wide.transpose(0, 2, 1) / 80))
    return small + large + stacks


def systems(p: Any) -> Any:
    a, b, s = p["a"], p["b"], p["s"]
    square = a @ a.T + 3 * np.eye(3)
    several = s @ s.transpose(0, 2, 1) + 2 * np.eye(3)
    skew = square + np.triu(np.ones((3, 3)))
    solved = np.sum(np.linalg.solve(square, a) ** 2) + np.sum(np.linalg.solve(skew.T, a[:, 0]))
    solved += np.sum(np.linalg.solve(skew, a) ** 2) + np.sum(np.linalg.solve(skew[:2, 1:3], a[:2]))
    solved += np.sum(np.linalg.solve(several, s) ** 2) + np.sum(np.linalg.inv(skew)[0] ** 2)
    factor = np.linalg.cholesky(square)
    return solved + np.sum(np.linalg.inv(several) ** 2) + np.sum(factor**3) + np.sum(b**2)


def scattered(p: Any) -> Any:
    w, places = p["w"], np.array([3, 1, 3, 0, 7])
    chosen = w[places, 2 * places] * 2.0
    total = np.zeros(10)
    np.add.at(total, places, chosen)
    made = w * 1.0
    made[places, places] -= chosen
    return np.sum(made**2) + np.sum(total**3) + np.sum(w[places] ** 2)


def implicit_steps(p: Any) -> Any:
    """The matrix stays the same: it is factorised once."""
    u = p["w"][:12, 0] * 1.0
    matrix = np.eye(12) * 2 + 0.1 * p["w"][:12, :12]
    for _ in range(15):
        u = np.linalg.solve(matrix, u + 0.1 * np.sin(u))
    return np.sum(u**2)


def filtered(p: Any) -> Any:
    """A matrix that changes from step to step is factorised in each."""
    state, spread = p["v"] * 1.0, np.eye(4)
    turn = np.eye(4) + 0.05 * (p["a"].T @ p["a"])
    for k in range(12):
        spread = turn @ spread @ turn.T * 0.8 + 0.1 * np.eye(4)
        gain = np.linalg.solve(spread + np.eye(4), spread)
        state = turn @ state * 0.9 + gain @ (p["v"] * np.sin(k) - state)
        spread = spread - gain @ spread
    return np.sum(state**2) + np.sum(spread)


def recurrent(p: Any) -> Any:
    """Products that are written out, and one that is a call."""
    h, g = np.zeros(80), np.zeros((4, 4))
    for k in range(10):
        h = np.tanh(p["w"].T @ (p["w"] @ h) * 0.001 + p["w"][k])
        g = np.tanh(p["a"].T @ p["a"] @ g * 0.1 + np.outer(p["v"], p["v"]))
    return np.sum(h**2) + np.sum(g)


def spectra(p: Any) -> Any:
    """Transforms of even and odd lengths, of one axis and several, forwards and back."""
    w, s = p["w"][:9, :14], p["s"]
    half = np.fft.rfft2(w)
    half[0, 0] = 0.0
    filtered = np.fft.irfft2(half * np.exp(-1j * np.arange(9.0))[:, None], s=w.shape)
    total = np.sum(filtered**2 * w) + np.sum(np.abs(np.fft.rfft(w[:, :13])) ** 2)
    total += np.sum(np.abs(np.fft.fft(w + 1j * w[::-1], axis=0, norm="ortho")) * w)
    z = np.fft.ifftn(s * np.exp(1j * s), axes=(0, 2))
    total += np.sum(z.real**2 * s) + np.sum(np.abs(z / (1 + z.conj() * z)) ** 2)
    total += np.sum(np.fft.irfft(np.fft.rfft(w, axis=0)[:, ::2], 9, axis=0) ** 3)
    return total + np.sum(np.real(np.fft.fft(w, 20, norm="forward").T[::3] @ (w + 2j)))


def wave_packet(p: Any) -> Any:
    """Complex numbers that a loop carries, and a factor that stays the same."""
    potential = p["w"][0, :16] ** 2
    k = 2 * np.pi * np.fft.fftfreq(16)
    psi = np.exp(-((np.arange(16) - 8.0) ** 2) / 9 + 0.3j * np.arange(16))
    for _ in range(12):
        psi = psi * np.exp(-0.1j * potential)
        psi = np.fft.ifft(np.exp(-0.1j * k**2) * np.fft.fft(psi))
    return np.sum(np.abs(psi) ** 2 * np.arange(16.0)) + psi[3].real


def complex_systems(p: Any) -> Any:
    """Factors that Python hands on lie column by column, and some numbers not beside others."""
    m = p["s"][0, :, :3] + 1j * p["s"][1, :, 1:] + 2 * np.eye(3)
    spectrum = np.fft.fft(p["w"][0, :24].reshape(4, 6), axis=1)
    every = spectrum[:, ::2] * (1 + 2j) + np.linalg.inv(m)[0]
    ends = np.abs(np.fft.ifft(spectrum[::3], axis=1)[:, 1::2]) @ p["v"][:3]
    return abs(np.linalg.det(m)) + np.abs(every.T @ spectrum[:, ::3]).sum() + ends.sum()


PARAMETERS = {
    "a": RNG.normal(size=(3, 4)),
    "b": RNG.normal(size=(4, 5)),
    "v": RNG.normal(size=4),
    "w": RNG.normal(size=(90, 80)) * 0.3,
    "s": RNG.normal(size=(2, 3, 4)),
}


@needs_library
@pytest.mark.slow
@pytest.mark.parametrize(
    "functions",
    [
        (products,),
        (systems, scattered),
        (spectra, wave_packet),
        (implicit_steps, filtered, recurrent),
    ],
    ids=["products", "systems", "spectra", "loops"],
)
@pytest.mark.usefixtures("on_the_cpu")
def test_a_gradient_is_one_piece(
    functions: tuple[Callable[..., Any], ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def total(p: Any) -> Any:
        return sum(f(p) for f in functions)

    monkeypatch.setattr(npc.settings, "first_run_check", "raise")
    monkeypatch.setattr(npc.settings, "tier", "aten")
    moved = {name: value * 1.01 for name, value in PARAMETERS.items()}
    value, wanted = npc.value_and_grad(total)(moved)
    monkeypatch.setattr(npc.settings, "tier", "inductor")
    gradient = npc.value_and_grad(total)
    gradient(PARAMETERS)
    assert gradient._fast.reasons == {}
    (replay,) = gradient._fast.replays.values()
    assert replay.confirmed
    assert len(replay.program.steps) == 1
    for _ in range(2):
        found, gradients = gradient(moved)
        np.testing.assert_allclose(found, value, rtol=1e-12)
        for name, one in gradients.items():
            np.testing.assert_allclose(one, wanted[name], rtol=1e-8, atol=1e-10, err_msg=name)


@pytest.mark.slow
def test_complex_values_lie_as_python_s_calls_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "first_run_check", "raise")
    monkeypatch.setattr(npc.settings, "tier", "aten")
    wanted = npc.grad(complex_systems)(PARAMETERS)
    monkeypatch.setattr(npc.settings, "tier", "inductor")
    gradient = npc.grad(complex_systems)
    gradient(PARAMETERS)
    assert gradient._fast.reasons == {}
    found = gradient(PARAMETERS)
    for name, one in found.items():
        np.testing.assert_allclose(one, wanted[name], rtol=1e-8, atol=1e-10, err_msg=name)
