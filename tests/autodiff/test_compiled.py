"""Compiled gradients: the joint graph against the tape, and through the whole compiler."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import jupyter_npcompile as npc
from jupyter_npcompile.autodiff.chunks import LOOP
from jupyter_npcompile.autodiff.factorizations import FACTORIZATIONS
from jupyter_npcompile.autodiff.folding import folded
from jupyter_npcompile.autodiff.joint import joint_module
from jupyter_npcompile.autodiff.programs import program_of
from jupyter_npcompile.autodiff.replays import LONGEST, Replay, record_call
from jupyter_npcompile.autodiff.selector import impurity
from jupyter_npcompile.autodiff.stages import is_library, name_of
from jupyter_npcompile.runtime.selector import thresholds

RNG = np.random.default_rng(3)
V = RNG.uniform(0.3, 2.0, 12)
M = RNG.uniform(0.3, 2.0, (5, 4))


def elementwise(x: Any) -> Any:
    return np.sum(np.exp(-x * x) * np.tanh(x) + np.where(x > 1, np.log(x), x**3))


def writes(x: Any) -> Any:
    y = np.zeros_like(x)
    y[1:-1] = x[2:] - x[:-2]
    y[::2] *= x[::2]
    y[::-1][0] += 2 * x[0]
    return np.sum(y**2)


def layers(p: Any, x: Any) -> Any:
    hidden = np.tanh(x @ p["w"] + p["b"])
    return np.mean((hidden @ p["v"]) ** 2)


def algebra(a: Any) -> Any:
    square = a.T @ a + np.eye(4)
    return np.sum(np.linalg.solve(square, a[0])) + np.linalg.det(square) / 100


def spectrum(x: Any) -> Any:
    return np.sum(np.abs(np.fft.fft(x)) ** 2 * np.arange(x.size))


def wavenumbers(x: Any) -> Any:
    k = 2 * np.pi * np.fft.rfftfreq(x.size)
    smooth = np.fft.irfft(np.fft.rfft(x) * np.exp(-(k**2)), x.size)
    return np.sum(smooth * np.fft.fft(np.arange(x.size)).real)


def order(x: Any) -> Any:
    return np.sum(np.sort(x) * np.arange(x.size)) + np.median(x) + np.max(x) - np.cumsum(x)[3]


def gathered(x: Any) -> Any:
    places = np.array([3, 1, 3, 0])
    return np.sum(x[places] ** 2) + np.sum(np.diff(x) ** 2) + np.std(x)


def products_and_parts(x: Any) -> Any:
    first, second = np.split(np.cumprod(x), 2)
    return np.sum(first * second) + np.sum(np.logaddexp.accumulate(x[:3])) + first @ second


CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (elementwise, (V,)),
    (writes, (V,)),
    (layers, ({"w": RNG.normal(size=(4, 3)), "b": np.zeros(3), "v": np.ones(3)}, M)),
    (algebra, (M,)),
    (spectrum, (V,)),
    (wavenumbers, (V,)),
    (order, (V,)),
    (gathered, (V,)),
    (lambda a, b: np.sum(np.multiply.outer(a, b)) ** 2, (V, 3.0)),
]


def leaves(gradient: Any) -> list[Any]:
    return list(gradient.values()) if isinstance(gradient, dict) else [gradient]


def named(value: Any) -> str:
    return getattr(value, "__name__", "")


@pytest.mark.parametrize(("f", "args"), CASES, ids=named)
def test_the_joint_graph_gives_what_the_tape_gives(
    f: Callable[..., Any], args: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(npc.settings, "tier", "aten")
    replay = record_call(f, args, {}, (0,))
    assert isinstance(replay, Replay), replay
    module = joint_module(replay.graph)
    for node in module.graph.nodes:
        if isinstance(node.target, torch._ops.OpOverload):
            assert not node.target._schema.is_mutable
    namespace = {"args": args, "kwargs": {}}
    given = [torch.from_numpy(np.array(s.fetch(namespace))) for s in replay.recording.sources]
    value, *gradients, check = module(*given)
    expected, wanted = npc.value_and_grad(f)(*args)
    assert bool(check)
    np.testing.assert_allclose(value, expected, rtol=1e-12)
    by_id = dict(zip(replay.order, gradients, strict=True))
    for id, other in zip(replay.leaves, leaves(wanted), strict=True):
        np.testing.assert_allclose(by_id[id], other, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("f", "args"), CASES, ids=named)
def test_what_depends_on_no_input_is_a_constant(f: Callable[..., Any], args: Any) -> None:
    replay = record_call(f, args, {}, (0,))
    assert isinstance(replay, Replay), replay
    module = joint_module(replay.graph)
    namespace = {"args": args, "kwargs": {}}
    given = [torch.from_numpy(np.array(s.fetch(namespace))) for s in replay.recording.sources]
    before = [result.clone() for result in module(*given)]
    count = len(module.graph.nodes)
    after = folded(module, is_library)(*given)
    for one, other in zip(after, before, strict=True):
        np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-14)
    assert len(module.graph.nodes) <= count
    depends = set()
    for node in module.graph.nodes:
        if node.op == "placeholder" or any(used in depends for used in node.all_input_nodes):
            depends.add(node)
    calls = [node for node in module.graph.nodes if node.op == "call_function"]
    assert not [node for node in calls if is_library(node) and node not in depends]


def test_bits_that_are_looked_at_as_integers_stay_integers() -> None:
    replay = record_call(lambda x: np.sum(np.frexp(x)[0] * np.frexp(x)[1]), (V,), {}, (0,))
    assert isinstance(replay, Replay), replay
    folded(module := joint_module(replay.graph), is_library)
    value, gradient, check = module(torch.from_numpy(V))
    fraction, exponent = np.frexp(V)
    assert bool(check)
    np.testing.assert_allclose(value, np.sum(fraction * exponent))
    np.testing.assert_allclose(gradient, exponent * 0.5**exponent)


def filled(x: Any) -> Any:
    counts = np.zeros(3, int)
    counts.fill(x[0])
    return np.sum(counts * 2.0)


def test_a_value_without_derivative_has_a_graph() -> None:
    """The tape refuses it; where a graph is asked for, it is zero."""
    replay = record_call(filled, (V,), {}, (0,))
    assert isinstance(replay, Replay), replay
    value, gradient, _ = joint_module(replay.graph)(torch.from_numpy(V))
    assert float(value) == filled(V)
    np.testing.assert_array_equal(gradient, np.zeros_like(V))


def quotients(a: Any) -> Any:
    return np.sum(a[0] / a[1]) + np.sum(a[2] + a[3])


def test_what_is_needed_twice_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    replay = record_call(quotients, ([*M],), {}, (0,))
    assert isinstance(replay, Replay), replay
    before = joint_module(replay.graph)
    count = calls_of(before, "div")
    assert calls_of(folded(before, is_library), "div") < count
    monkeypatch.setattr(npc.settings, "tier", "inductor")
    gradient = npc.grad(quotients)
    for _ in range(2):
        found = gradient([*M])
        np.testing.assert_allclose(found[1], -M[0] / M[1] ** 2)
        assert not np.shares_memory(found[2], found[3])  # though their elements are the same


def calls_of(module: torch.fx.GraphModule, name: str) -> int:
    return sum(node.op == "call_function" and name_of(node) == name for node in module.graph.nodes)


def selected_spectrum(x: Any) -> Any:
    return np.real(np.fft.ifftn(x**2)[1, 1])


def test_constants_that_were_views_lie_as_their_description_says() -> None:
    """Compiled code reads them by the strides that the graph tells."""
    replay = record_call(selected_spectrum, (M,), {}, (0,))
    assert isinstance(replay, Replay), replay
    module = folded(joint_module(replay.graph), is_library)
    constants = [node for node in module.graph.nodes if node.op == "get_attr"]
    assert constants
    for node in constants:
        assert node.meta["val"].stride() == getattr(module, str(node.target)).stride()


def factors(a: Any) -> Any:
    square = a.T @ a + np.diag(np.arange(4.0))
    values, vectors = np.linalg.eigh(square)
    q, r = np.linalg.qr(a)
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    weights = np.arange(16.0).reshape(4, 4)
    return (
        np.sum(vectors**3 * weights) + np.sqrt(values[1]) + np.sum(q[:, 2] * r[1, 2])
        + np.sum(u[0] * s) + np.sum(vh * weights) + np.sum(np.linalg.cholesky(square) * weights)
        + np.linalg.eigvalsh(square)[2]
    )  # fmt: skip


@pytest.mark.parametrize("name", ["_linalg_eigh", "linalg_qr", "_linalg_svd"])
def test_numpy_computes_the_factors(name: str) -> None:
    matrix = M.T @ M
    made = FACTORIZATIONS[name](torch.from_numpy(matrix))
    wanted = {"_linalg_eigh": np.linalg.eigh, "linalg_qr": np.linalg.qr}.get(name, np.linalg.svd)
    for one, other in zip(made, wanted(matrix), strict=True):
        np.testing.assert_array_equal(one.numpy(), other)


@pytest.mark.slow
@pytest.mark.usefixtures("on_the_cpu")
def test_factors_are_compiled_with_numpy_s_signs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", "inductor")
    monkeypatch.setattr(npc.settings, "first_run_check", "raise")
    gradient = npc.value_and_grad(factors)
    gradient(M)
    assert gradient._fast.reasons == {}
    value, found = gradient(M[::-1].copy())
    monkeypatch.setattr(npc.settings, "tier", "aten")
    expected, wanted = npc.value_and_grad(factors)(M[::-1].copy())
    np.testing.assert_allclose(value, expected, rtol=1e-12)
    np.testing.assert_allclose(found, wanted, rtol=1e-8, atol=1e-10)
    with pytest.raises(np.linalg.LinAlgError):
        npc.grad(lambda a: np.sum(np.linalg.cholesky(a)))(-np.eye(2))


@pytest.mark.parametrize(("steps", "reason"), [(60, ""), (8000, "iteration by iteration")])
def test_a_loop_that_is_short_enough_is_compiled_as_a_whole(steps: int, reason: str) -> None:
    def f(x: Any) -> Any:
        for _ in range(steps):
            x = x + 0.01 * np.sin(x) * np.cos(x)
        return np.sum(x)

    tape = program_of(f, (V,), {}, (0,), once=True)
    assert any(step.what == LOOP for step in tape.tape.steps.values())
    found = impurity(tape)
    assert reason in found
    assert bool(reason) == bool(found)


def test_a_long_graph_is_compiled_for_who_calls_it_often(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[int] = []
    monkeypatch.setattr(npc.settings, "tier", "auto")
    monkeypatch.setattr(thresholds, "LONG_TAPES", 4)
    monkeypatch.setattr(
        Replay, "begin", lambda replay, waits=False: begun.append(len(replay.graph.nodes))
    )

    def f(x: Any) -> Any:
        total = np.zeros_like(x)
        for part in [np.sin(x + k) for k in range(90)]:  # each iteration reads another array
            total = 0.5 * total + part
        return np.sum(total)

    gradient = npc.grad(f)
    for calls in range(1, 6):
        gradient(V)
        whole = [count for count in begun if count > LONGEST]  # others are single iterations
        assert len(whole) == (calls >= 4)


def test_what_is_not_pure_is_not_replayed() -> None:
    def prints(x: Any) -> Any:
        print(x)
        return np.sum(x)

    def branches(x: Any) -> Any:
        return np.sum(x) if x[0] > 0 else np.sum(x**2)

    assert "print" in str(record_call(prints, (V,), {}, (0,)))
    assert "depends on a value" in str(record_call(branches, (V,), {}, (0,)))


@pytest.mark.slow
@pytest.mark.parametrize(("f", "args"), CASES[:5])
def test_compiled_gradients_are_used(
    f: Any, args: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(npc.settings, "tier", "inductor")
    monkeypatch.setattr(npc.settings, "first_run_check", "raise")
    gradient = npc.value_and_grad(f)
    _, first = gradient(*args)
    assert gradient._fast.reasons == {}
    (replay,) = gradient._fast.replays.values()
    assert replay.confirmed
    moved = (1.1 * args[0], *args[1:]) if isinstance(args[0], np.ndarray) else args
    value, second = gradient(*moved)
    monkeypatch.setattr(npc.settings, "tier", "aten")
    expected, wanted = npc.value_and_grad(f)(*moved)
    monkeypatch.setattr(npc.settings, "tier", "inductor")
    np.testing.assert_allclose(value, expected, rtol=1e-12)
    assert type(value) is type(expected)
    for one, other in zip(leaves(second), leaves(wanted), strict=True):
        assert type(one) is type(other)
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)
    assert len(leaves(first)) == len(leaves(second))
    # other shapes are another signature, and NumPy's errors stay NumPy's
    with np.errstate(all="raise"):
        gradient(*moved)


def labelled(x: Any, rows: Any, labels: Any) -> Any:
    y = x * 2
    y[np.arange(len(labels)), labels] -= 1
    y[rows, labels] = x[:, 0] * np.arange(5.0)
    return np.sum(y * y)


def test_a_store_takes_work_for_its_values_only() -> None:
    """Indices of which one counts up name no element twice; of others the last value wins."""
    args = (M, np.array([4, 1, 4, 0, 1]), np.array([0, 2, 0, 3, 2]))
    replay = record_call(labelled, args, {}, (0,))
    assert isinstance(replay, Replay), replay
    module = joint_module(replay.graph)
    names = [str(node.target) for node in module.graph.nodes]
    assert sum("scatter_reduce" in name for name in names) == 1
    given = [
        torch.from_numpy(s.fetch({"args": args, "kwargs": {}})) for s in replay.recording.sources
    ]
    value, gradient, check = module(*given)
    assert bool(check)
    expected, wanted = npc.value_and_grad(labelled)(*args)
    steps = [0.5e-6 * np.eye(20)[k].reshape(5, 4) for k in range(20)]
    slopes = [(labelled(M + s, *args[1:]) - labelled(M - s, *args[1:])) / 1e-6 for s in steps]
    np.testing.assert_allclose(value, expected, rtol=1e-12)
    np.testing.assert_allclose(gradient, wanted, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(gradient.reshape(-1), slopes, rtol=1e-5, atol=1e-5)


SHARED = V


def of_two(a: Any, b: Any) -> Any:
    return np.sum(a * np.sin(b) + SHARED * a) + np.sum(b[3:] * a[:-3])


@pytest.mark.parametrize("asked", [(0, 1), (1, 0), (0,), (1,)])
def test_an_array_may_be_several_arguments(
    asked: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is differentiated is nothing else's memory, as on the tape."""
    monkeypatch.setattr(npc.settings, "tier", "aten")
    replay = record_call(of_two, (V, V), {}, asked)
    assert isinstance(replay, Replay), replay
    module = joint_module(replay.graph)
    moving = (V, V.copy(), V + 1)  # what is not differentiated is `SHARED`, and has to stay that
    for args in itertools.product(*(moving if k in asked else (V,) for k in range(2))):
        assert replay.holds(args, {})
        value, *found, check = module(*[torch.from_numpy(v) for v in replay.values(args, {})])
        assert bool(check)
        expected, wanted = npc.value_and_grad(of_two, asked)(*args)
        np.testing.assert_allclose(value, expected, rtol=1e-12)
        by_id = dict(zip(replay.order, found, strict=True))
        for id, other in zip(replay.leaves, wanted, strict=True):
            np.testing.assert_allclose(by_id[id], other, rtol=1e-12)


def test_what_is_not_differentiated_may_not_change_how_it_shares_memory() -> None:
    def written(a: Any, b: Any, c: Any) -> Any:
        return np.sum(a * b * c)

    other = V + 1
    replay = record_call(written, (V, other, other[::-1][::-1]), {}, (0,))
    assert isinstance(replay, Replay), replay
    assert replay.holds((V, other, other[...]), {})
    assert not replay.holds((V, other, V + 2), {})


@pytest.mark.slow
def test_reversed_and_permuted_views_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    def of_views(x: Any, m: Any, k: Any, w: Any) -> Any:
        rows = m @ x[: m.shape[1]]
        return np.sum(rows * w[: len(rows)]) ** 2 + np.sum(x**3) + np.sum(k * np.sin(k[::-1]))

    rng = np.random.default_rng(8)
    x, w = rng.normal(size=9)[::-1], rng.normal(size=12)[::-2]
    m, k = rng.normal(size=(6, 4))[:, ::-1], rng.normal(size=(4, 2, 3))[::-1].transpose(2, 0, 1)
    monkeypatch.setattr(npc.settings, "tier", "aten")
    expected, wanted = npc.value_and_grad(of_views, (0, 1, 2))(x, m, k, w)
    monkeypatch.setattr(npc.settings, "tier", "inductor")
    monkeypatch.setattr(npc.settings, "first_run_check", "raise")
    gradient = npc.value_and_grad(of_views, (0, 1, 2))
    gradient(x, m, k, w)
    assert gradient._fast.reasons == {}
    for _ in range(2):
        value, found = gradient(x, m, k, w)
        np.testing.assert_allclose(value, expected, rtol=1e-12)
        for one, other in zip(found, wanted, strict=True):
            assert one.flags.c_contiguous
            assert one.flags.owndata
            np.testing.assert_allclose(one, other, rtol=1e-12)
    (replay,) = gradient._fast.replays.values()
    assert replay.confirmed


@pytest.mark.slow
@pytest.mark.usefixtures("on_the_cpu")
def test_an_array_given_twice_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", "inductor")
    monkeypatch.setattr(npc.settings, "first_run_check", "raise")
    gradient = npc.grad(of_two, (0, 1))
    gradient(V, V)
    assert gradient._fast.reasons == {}
    assert gradient._fast.direct
    for args in ((V, V), (V, V + 1)):
        assert gradient._fast.at_once(args, {}) is not None
        found = gradient(*args)
        monkeypatch.setattr(npc.settings, "tier", "aten")
        for one, other in zip(found, npc.grad(of_two, (0, 1))(*args), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12)
        monkeypatch.setattr(npc.settings, "tier", "inductor")


def test_other_arguments_have_replays_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last part of the data is smaller, an exponent changes: both stay compiled."""
    monkeypatch.setattr(npc.settings, "tier", "inductor")

    def loss(w: Any, x: Any, n: int) -> Any:
        return np.sum((x @ w) ** n) if n > 2 else np.sum(x @ w)

    gradient = npc.grad(loss)
    w = np.array([0.5, -0.2, 1.1])
    parts = [(np.ones((4, 3)), 3), (np.full((2, 3), 0.7), 3), (np.ones((4, 3)), 2)]
    expected = [gradient(w, *part) for part in parts]
    assert gradient._fast.reasons == {}
    assert [replay.confirmed for replay in gradient._fast.replays.values()] == [True] * 3
    for part, known in zip(parts, expected, strict=True):
        assert gradient._fast.run(gradient.signature((w, *part), [0]), (w, *part), {}, [0])
        np.testing.assert_allclose(gradient(w, *part), known, rtol=1e-14)


def test_what_changes_with_every_call_is_not_compiled_forever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun: list[Replay] = []
    monkeypatch.setattr(npc.settings, "tier", "auto")
    monkeypatch.setattr(Replay, "begin", lambda replay, waits=False: begun.append(replay))

    def loss(w: Any, n: int) -> Any:
        return np.sum(w ** np.arange(n)[-1])

    gradient = npc.grad(loss)
    for n in range(1, 60):
        gradient(np.array([0.5, -0.2]), n)
    assert len(begun) == thresholds.VARIANTS


@pytest.mark.parametrize("f", [order, products_and_parts])
def test_operations_with_several_results_are_compiled(
    f: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What Inductor compiles to several results, and library calls and views with several."""
    monkeypatch.setattr(npc.settings, "tier", "inductor")
    gradient = npc.grad(f)
    expected = gradient(V)
    assert gradient._fast.reasons == {}
    np.testing.assert_allclose(gradient(V), expected, rtol=1e-12)
    monkeypatch.setattr(npc.settings, "tier", "aten")
    np.testing.assert_allclose(gradient(V), expected, rtol=1e-9)


def bits(x: Any) -> Any:
    fraction, exponent = np.frexp(x * 3.0)
    return np.sum(fraction * np.arange(x.size)) + np.sum(exponent * x)


def updated(x: Any) -> Any:
    """The update of one complex element takes a call with a format of memory."""
    z = x + 0.2j
    np.arctanh.at(z, 2)
    return np.sum(z.real * z.imag * np.arange(x.size)) + np.sum((z * z.conj()).real)


@pytest.mark.slow
@pytest.mark.parametrize("f", [bits, updated])
def test_integers_and_calls_with_formats_are_compiled(
    f: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(npc.settings, "first_run_check", "raise")
    monkeypatch.setattr(npc.settings, "tier", "inductor")
    gradient = npc.grad(f)
    expected = gradient(V / 3)
    assert gradient._fast.reasons == {}
    np.testing.assert_allclose(gradient(V / 3), expected, rtol=1e-12)


PARTS: dict[str, Callable[..., Any]] = {
    "a sum": lambda a, b: np.sin(a + b).sum(),
    "joined": lambda a, b: (np.concatenate([a, b * a]) ** 2).sum(),
    "stacked": lambda a, b: (np.stack([a, b], axis=1) ** 3).sum(),
    "reversed": lambda a, b: (a[::-1] * np.append(b, 1.0)[1:]).sum(),
}
"""Functions whose gradients are the same array, or the parts of one."""


@pytest.mark.slow
@pytest.mark.parametrize("name", PARTS)
def test_gradients_that_are_parts_of_one_array_are_compiled(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    f = PARTS[name]
    monkeypatch.setattr(npc.settings, "first_run_check", "raise")
    monkeypatch.setattr(npc.settings, "tier", "inductor")
    gradient = npc.grad(f, argnums=(0, 1))
    for size in (5, 9, 40):  # the second is compiled for all sizes
        a, b = RNG.normal(size=(2, size))
        for _ in range(3):
            made = gradient(a, b)
            assert not np.shares_memory(*made)
        monkeypatch.setattr(npc.settings, "tier", "aten")
        wanted = npc.grad(f, argnums=(0, 1))(a, b)
        monkeypatch.setattr(npc.settings, "tier", "inductor")
        for one, expected in zip(made, wanted, strict=True):
            np.testing.assert_allclose(one, expected, rtol=1e-12)
    assert not gradient._fast.reasons
