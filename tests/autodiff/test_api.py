"""grad and its kin: results against NumPy, across break points, and where a gradient stops."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.autodiff.trees import flatten
from tests.support.gradients import gradient_helper

X = np.array([0.7, 1.3, 2.1])
best = 1e9
history: list[Any] = []


@pytest.fixture(autouse=True)
def tape(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", "aten")


def numeric(f: Callable[..., Any], x: np.ndarray, step: float = 1e-6) -> np.ndarray:
    found = np.zeros_like(x)
    for k in range(x.size):
        up, down = x.copy(), x.copy()
        up.flat[k] += step
        down.flat[k] -= step
        found.flat[k] = (f(up) - f(down)) / (2 * step)
    return found


# -- statements across which gradients flow


def in_place(x: Any) -> Any:
    y = np.zeros(4)
    y[1:] = x
    y[::-1][0] *= 2
    y[y > 1] += 1
    np.multiply(y, 3, out=y)
    return np.sum(y**2)


def early_view(x: Any) -> Any:
    buffer = np.ones((2, 3))
    row, last = buffer[1], buffer[:, -1]
    buffer[1] = x
    return np.sum(row**2) + np.sum(last**3)


def host_conversions(x: Any) -> Any:
    total = 0.0
    for value in x:
        total += float(value) * value.item() + math.sin(value)
    return total + sum(x.tolist()) + x.flat[1] ** 2


def branches_and_loops(x: Any) -> Any:
    y = x.copy()
    count = 0
    while y.sum() < 50:
        y = y * 1.5
        count += 1
    if y[0] > y[1]:
        return y[0]
    return y[1] * count + max(y) + min(y[0], y[2]) + sorted(y)[1]


def containers(x: Any) -> Any:
    found: dict[str, Any] = {"a": [x[0]], "b": x[1:]}
    found["a"].append(x[1] * 2)
    squares = [v**2 for v in found["a"]]
    (one, two), *rest = squares, 3
    names = {k: np.sum(v) for k, v in found.items()}
    return one * two + names["b"] + len(rest) + np.sum(np.array(squares))


def helpers(x: Any) -> Any:
    layer = gradient_helper.Layer(x) + gradient_helper.Layer(x**2)
    matrix = np.arange(6.0).reshape(2, 3) / 5
    products = sum(gradient_helper.pairs(x))
    folded = functools.reduce(lambda a, b: a * b, list(x))
    return np.sum(layer(matrix)) + layer.norm + products + folded + gradient_helper.softplus(x)[0]


def statements(x: Any) -> Any:
    import numpy.linalg as la

    with np.errstate(all="ignore"):
        y = np.where(x > 0, np.log(x), 0)
    try:
        y = y / la.norm(y)
    except ValueError:
        return 0.0
    finally:
        z = y.copy()
    match len(x):
        case 3:
            z **= 2
        case _:
            z = z + 1
    del y
    assert z.shape == (3,)
    return f"{z[0]:.3f}" and np.sum(z * np.arange(3)) + list(z)[-1]


def numpy_python(x: Any) -> Any:
    rows = np.apply_along_axis(lambda r: r * r.sum(), 0, np.stack([x, x**2]))
    pieces = np.piecewise(x, [x < 1, x >= 1], [lambda v: v**2, lambda v: v**3])
    every = np.vectorize(lambda v: v * 2 if v > 1 else v**2)(x)
    return (
        rows.sum() + pieces.sum() + every.sum() + np.gradient(x)[1] + np.median(x)
        + np.partition(x, 1)[1] + np.unique(x)[0] + np.interp(1.0, x, x**2)
        + np.polyval(x, 2.0) + np.einsum("i,j->", x, x) + np.convolve(x, x).sum()
    )  # fmt: skip


def linear_algebra(x: Any) -> Any:
    a = np.outer(x, x) + np.diag(x + 2)
    values, vectors = np.linalg.eigh(a)
    q, r = np.linalg.qr(a)
    u, s, _ = np.linalg.svd(a)
    return (
        np.sum(np.linalg.solve(a, x)) + np.linalg.det(a) / 50 + np.sum(np.linalg.inv(a)[0])
        + np.linalg.cholesky(a)[2, 1] + values[0] + vectors[0, 0] ** 2 + q[0, 1] + r[0, 2]
        + u[1, 0] ** 2 + s[1] + np.linalg.norm(a) + np.linalg.lstsq(a, x, rcond=None)[0][0]
        + np.linalg.eigvals(a).real.max()
    )  # fmt: skip


def spectra(x: Any) -> Any:
    z = np.fft.fft(x) * (1 + 2j)
    return np.abs(z[1]) + z.real.sum() + np.angle(z[2]) + np.fft.irfft(np.fft.rfft(x), 3)[0]


PROGRAMS = [
    in_place, early_view, host_conversions, branches_and_loops, containers, helpers, statements,
    numpy_python, linear_algebra, spectra,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradients_are_those_of_numpy(f: Callable[..., Any]) -> None:
    value, gradient = npc.value_and_grad(f)(X)
    assert value == f(X.copy())
    assert type(gradient) is np.ndarray
    np.testing.assert_allclose(gradient, numeric(f, X), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_second_derivatives(f: Callable[..., Any]) -> None:
    if f in (numpy_python, linear_algebra, branches_and_loops):
        f = functools.partial(lambda g, x: g(x), f)
    wanted = np.array([numeric(lambda x, k=k: npc.grad(f)(x)[k], X, 1e-5) for k in range(3)])
    size = max(1.0, float(np.max(np.abs(wanted))))
    np.testing.assert_allclose(npc.hessian(f)(X), wanted, rtol=1e-4, atol=1e-5 * size)
    v = np.array([1.0, -2.0, 0.5])
    np.testing.assert_allclose(npc.hvp(f, X, v), wanted @ v, rtol=1e-4, atol=1e-4 * size)


def test_what_is_printed_appears_once_and_effects_happen_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    history.clear()

    def f(x: Any) -> Any:
        global best
        loss = np.sum(x**2)
        if loss < best:
            best = loss
        history.append(loss)
        print("loss", loss)
        return loss * 2

    gradient = npc.grad(f)
    np.testing.assert_allclose(gradient(X), 4 * X)
    assert capsys.readouterr().out == f"loss {np.sum(X**2)}\n"
    assert history == [np.sum(X**2)]
    assert type(history[0]) is np.float64
    (check,) = gradient.checks.values()
    assert check.status == "unchecked"


# -- shapes and structures as in JAX


def test_argnums_aux_and_structures() -> None:
    def f(p: Any, y: float, *, scale: float = 1.0) -> Any:
        return scale * np.sum(p["w"] * p["b"][0]) * y, {"seen": p["w"].shape}

    p = {"w": X, "b": (2.0, np.float32(3.0))}
    (value, aux), (dp, dy) = npc.value_and_grad(f, (0, 1), has_aux=True)(p, 4.0, scale=2.0)
    assert aux == {"seen": (3,)}
    assert value == 16 * X.sum()
    np.testing.assert_allclose(dp["w"], np.full(3, 16.0))
    assert isinstance(dp["b"], tuple)
    assert dp["b"][0] == 8 * X.sum()
    assert dp["b"][1] == 0
    assert dp["b"][1].dtype == np.float32
    assert dy == 4 * X.sum()
    assert isinstance(dy, np.float64)
    assert npc.grad(f, -1, has_aux=True)(p, 4.0)[0] == 2 * X.sum()


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_a_gradient_has_the_dtype_and_shape_of_its_argument(dtype: str) -> None:
    x = np.arange(6).reshape(2, 3).astype(dtype)[:, ::-1]
    found = npc.grad(lambda v: np.sum(np.abs(v * v)))(x)
    assert found.dtype == x.dtype
    assert found.shape == x.shape


def test_the_convention_for_complex_numbers_is_jax_s() -> None:
    z = np.array([1.0 + 2.0j])
    np.testing.assert_allclose(npc.grad(lambda v: np.sum(np.abs(v) ** 2))(z), 2 * z.conj())
    np.testing.assert_allclose(npc.vjp(lambda v: v**3, z)[1](np.ones(1, complex))[0], 3 * z**2)


@pytest.mark.parametrize("value", [3, np.arange(3), np.bool_(True), np.float128(1)])
def test_what_is_no_float_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="real- or complex-valued inputs"):
        npc.grad(lambda v: np.sum(v * 2.0))(value)


def test_results_must_be_real_scalars() -> None:
    with pytest.raises(TypeError, match="scalar-output"):
        npc.grad(lambda v: v * 2)(X)
    with pytest.raises(TypeError, match="real-valued outputs"):
        npc.grad(lambda v: np.sum(v) * 1j)(X)
    with pytest.raises(TypeError, match="scalar-output"):
        npc.grad(lambda v: (np.sum(v), 1))(X)
    with pytest.raises(TypeError, match="argnums"):
        npc.grad(lambda v: v, 2)(1.0)


def test_a_function_of_its_arguments_twice_and_of_a_global() -> None:
    np.testing.assert_allclose(npc.grad(lambda a, b: np.sum(a * b))(X, X), X)
    np.testing.assert_allclose(npc.grad(lambda a: np.sum(a * X))(X), X)


def test_in_place_writes_reach_the_caller() -> None:
    def f(x: Any) -> Any:
        x *= 2
        return np.sum(x**2)

    x = X.copy()
    np.testing.assert_allclose(npc.grad(f)(x), 8 * X)
    np.testing.assert_array_equal(x, 2 * X)


def test_derivatives_are_those_of_the_argument_before_it_was_written() -> None:
    def f(x: Any) -> Any:
        x *= 2
        return np.sum(x**3)

    ones = np.ones(3)
    np.testing.assert_allclose(npc.jvp(f, (X.copy(),), (ones,))[1], np.sum(24 * X**2))
    np.testing.assert_allclose(npc.vjp(f, X.copy())[1](1.0)[0], 24 * X**2)
    np.testing.assert_allclose(npc.hvp(f, X.copy(), ones), 48 * X)
    np.testing.assert_allclose(npc.hessian(f)(X.copy()), np.diag(48 * X))
    gradient, tangent = npc.jvp(npc.grad(f), (X.copy(),), (ones,))
    np.testing.assert_allclose(gradient, 24 * X**2)
    np.testing.assert_allclose(tangent, 48 * X)
    inner = npc.grad(lambda x: np.sum(npc.grad(f)(x)))
    np.testing.assert_allclose(inner(X.copy()), 48 * X)
    with pytest.raises(npc.GradientError, match="writes into its argument"):
        npc.grad(lambda x: np.sum(npc.grad(f)(x) * x))(X.copy())


def test_derivatives_compose() -> None:
    assert npc.grad(npc.grad(npc.grad(np.sin)))(0.3) == pytest.approx(-math.cos(0.3))
    inner = npc.grad(lambda w: npc.grad(lambda x: w * x**2)(3.0))
    assert inner(2.0) == pytest.approx(6.0)
    np.testing.assert_allclose(npc.jacobian(npc.grad(lambda x: np.sum(x**3)))(X), np.diag(6 * X))
    value, tangent = npc.jvp(npc.grad(lambda x: np.sum(x**3)), (X,), (np.ones(3),))
    np.testing.assert_allclose(value, 3 * X**2)
    np.testing.assert_allclose(tangent, 6 * X)
    np.testing.assert_allclose(
        npc.grad(lambda v: np.sum(npc.vjp(lambda u: u**2 * v, v)[1](v)[0]))(X), 6 * X**2
    )


def test_jacobians_have_the_shapes_of_jax() -> None:
    def f(a: Any, b: Any) -> Any:
        return {"p": np.outer(a, b), "q": [np.sum(a)]}

    a, b = X, np.ones(2)
    made = npc.jacobian(f, (0, 1))(a, b)
    assert [part.shape for part in made["p"]] == [(3, 2, 3), (3, 2, 2)]
    assert [part.shape for part in made["q"][0]] == [(3,), (2,)]
    np.testing.assert_allclose(npc.jacobian(np.cumsum)(X), np.tril(np.ones((3, 3))))
    wide = npc.jacobian(lambda t: np.outer(t, t))(X[:2])
    np.testing.assert_allclose(wide, npc.autodiff.transforms.Jacobian(
        lambda t: np.outer(t, t), mode="reverse")(X[:2]))  # fmt: skip


def test_hessians_of_numbers_and_of_nothing_have_the_shapes_of_jax() -> None:
    assert npc.hessian(lambda x: x**3)(2.0) == 12
    found = npc.hessian(lambda p: np.sum(p["a"] ** 3) * p["b"])({"a": X, "b": 2.0})
    np.testing.assert_allclose(found["a"]["a"], np.diag(12 * X))
    np.testing.assert_allclose(found["b"]["a"], 3 * X**2)
    assert found["b"]["b"] == 0
    nothing = np.zeros(0)
    assert npc.jacobian(lambda x: x**2)(nothing).shape == (0, 0)
    assert npc.jacobian(lambda x: np.ones(2) + np.sum(x))(nothing).shape == (2, 0)
    assert npc.hessian(lambda x: np.sum(x**2))(nothing).shape == (0, 0)


def test_vjp_and_jvp_demand_what_fits() -> None:
    with pytest.raises(TypeError, match="must be tuples"):
        npc.jvp(np.sin, X, X)
    with pytest.raises(TypeError, match="do not match"):
        npc.jvp(np.sin, (X,), (X[:2],))
    value, pull = npc.vjp(lambda a, b: (a * b, a), X, X)
    np.testing.assert_allclose(pull((X, np.ones(3)))[0], X * X + 1)
    np.testing.assert_allclose(pull((X, np.ones(3)))[1], X * X)
    with pytest.raises(ValueError, match="cotangent"):
        pull(X)
    assert len(value) == 2


def test_elementwise_and_per_example() -> None:
    np.testing.assert_allclose(npc.elementwise_grad(np.sin)(X), np.cos(X))
    data, target = np.arange(12.0).reshape(4, 3), np.arange(4.0)
    found = npc.vmap_grad(lambda w, x, y: (w @ x - y) ** 2, in_axes=(None, 0, 0))(X, data, target)
    np.testing.assert_allclose(found, 2 * (data @ X - target)[:, None] * data)


def test_examples_in_nested_arguments() -> None:
    def f(p: Any, x: Any) -> Any:
        return np.sum(p["w"] * x + p["b"][0]) ** 2

    p, x = {"w": X, "b": (np.array([1.0, 2.0]),)}, np.arange(6.0).reshape(2, 3)
    found = npc.vmap_grad(f, in_axes=({"w": None, "b": 0}, 0))(p, x)
    for k in range(2):
        one = npc.grad(f)({"w": X, "b": (p["b"][0][k],)}, x[k])
        np.testing.assert_allclose(found["w"][k], one["w"])
        np.testing.assert_allclose(found["b"][0][k], one["b"][0])
    with pytest.raises(ValueError, match="structure"):
        npc.vmap_grad(f, in_axes=({"w": None}, 0))(p, x)


def test_check_grads() -> None:
    npc.check_grads(lambda x: np.sum(np.sin(x) * x))(X)
    npc.check_grads(lambda x, y: np.outer(np.exp(x), y), modes=["rev"], order=1)(X, X)
    wrong = npc.register_vjp(lambda x: x**2, lambda g, result, x: g * x)
    with pytest.raises(AssertionError):
        npc.check_grads(lambda x: np.sum(wrong(x)), modes=["rev"], order=1)(X)


def test_ties_share_the_gradient() -> None:
    np.testing.assert_allclose(npc.grad(np.max)(np.array([1.0, 2.0, 2.0])), [0, 0.5, 0.5])


def test_sinc_bends_at_zero() -> None:
    np.testing.assert_allclose(npc.hessian(np.sinc)(0.0), -(np.pi**2) / 3)
    x = np.array([0.0, 1e-5, 3e-4, 4e-4, 0.3])
    np.testing.assert_allclose(
        npc.value_and_grad(lambda x: np.sum(np.sinc(x)))(x)[0], 4.0 + np.sinc(0.3), rtol=1e-6
    )
    bend = npc.elementwise_grad(npc.elementwise_grad(np.sinc))(x)
    np.testing.assert_allclose(bend[:4], -(np.pi**2) / 3, rtol=1e-5)


def test_zero_is_no_special_point_of_smooth_functions() -> None:
    for f, slope in (
        (np.arctanh, 1.0), (np.expm1, 1.0), (np.sinh, 1.0), (np.arcsinh, 1.0), (np.log1p, 1.0),
        (np.tan, 1.0), (np.square, 0.0), (np.abs, 0.0), (np.sinc, 0.0),
    ):  # fmt: skip
        assert npc.grad(f)(0.0) == slope
    assert npc.grad(np.sqrt)(0.0) == math.inf
    assert npc.grad(np.cbrt)(0.0) == math.inf


def test_a_zero_tangent_stays_zero_where_a_slope_is_infinite() -> None:
    """The edges of a window do not depend on its shape."""
    for f in (
        lambda x: np.kaiser(6, x),
        lambda x: np.sqrt(x * np.array([0.0, 1.0, 2.0])),
        lambda x: (x * np.array([0.0, 1.0, 2.0])) ** 0.5,
        lambda x: np.cbrt(x * np.array([0.0, 1.0, -2.0])),
        lambda x: np.arcsin(np.stack([0.0 * x + 1.0, x / 4])),
        lambda x: np.arccos(np.stack([0.0 * x - 1.0, x / 4])),
        lambda x: np.arccosh(np.stack([0.0 * x + 1.0, x + 2])),
    ):
        slopes = (f(2.5 + 1e-6) - f(2.5 - 1e-6)) / 2e-6
        value, tangent = npc.jvp(f, (2.5,), (1.0,))
        np.testing.assert_array_equal(value, f(2.5))
        np.testing.assert_allclose(tangent, slopes, rtol=1e-5, atol=1e-8)
        np.testing.assert_allclose(npc.jacobian(f)(2.5), slopes, rtol=1e-5, atol=1e-8)
        loss = npc.grad(lambda x, f=f: np.sum(f(x) * np.arange(len(f(2.5)))))
        bend = (loss(2.5 + 1e-5) - loss(2.5 - 1e-5)) / 2e-5
        np.testing.assert_allclose(npc.grad(loss)(2.5), bend, rtol=1e-4, atol=1e-6)


def test_what_a_mask_leaves_out_has_no_gradient() -> None:
    x = np.array([0.0, 4.0])
    found = npc.grad(lambda x: np.sum(np.where(x > 0, np.sqrt(x), 0.0)))(x)
    np.testing.assert_array_equal(found, [0.0, 0.25])


# -- where a gradient stops


LIBRARY = np.frompyfunc(lambda v: v**3, 1, 1)


def library(x: Any) -> Any:
    return LIBRARY(x).astype(float)


STOPS = {
    "int": lambda x: np.sum(x) * int(x[0]),
    "astype": lambda x: np.sum(x.astype(int) * 1.5),
    "np.int64": lambda x: np.sum(x) * np.int64(x[0]),
    "np.int32 of an array": lambda x: np.sum(np.int32(x) * 1.5),
    "integer store": lambda x: _stored(x),
    "ndarray.fill": lambda x: _written(lambda counts: counts.fill(x[0])),
    "ndarray.put": lambda x: _written(lambda counts: counts.put([1], x[0])),
    "np.put_along_axis": lambda x: _written(lambda n: np.put_along_axis(n, PLACES, x[:2], 0)),
    "np.copyto": lambda x: _written(lambda counts: np.copyto(counts, x, casting="unsafe")),
    "np.full": lambda x: np.sum(np.full(3, x[1], int) * 2.0),
    "out of integers": lambda x: _written(lambda n: np.add(x, 1, out=n, casting="unsafe")),
    "text": lambda x: np.sum(np.array([str(v) for v in x]).astype(float)),
    "library": lambda x: np.sum(library(x)),
}


PLACES = np.array([2, 0])


def _written(write: Any) -> Any:
    counts = np.zeros(3, int)
    write(counts)
    return np.sum(counts * 2.0)


def _stored(x: Any) -> Any:
    counts = np.zeros(3, int)
    counts[:] = x
    return np.sum(counts * 2.0)


@pytest.mark.parametrize("name", STOPS)
def test_a_gradient_that_would_be_lost_is_an_error(name: str) -> None:
    with pytest.raises(npc.GradientError) as caught:
        npc.grad(STOPS[name])(X)
    error = caught.value
    assert error.reason
    assert "``" not in error.reason
    assert error.hint
    if name != "text":
        assert error.line > 0
        assert error.filename.endswith("test_api.py")


def test_integers_that_are_written_in_steps_are_no_error() -> None:
    def f(x: Any) -> Any:
        above, exponents = np.zeros(3, bool), np.zeros(3, np.int32)
        np.greater(x, 1.0, out=above)
        fractions = np.frexp(x, out=(None, exponents))[0]
        return np.sum(above * x) + np.sum(fractions * exponents)

    slope = 0.5 ** np.frexp(X)[1] * np.frexp(X)[1]
    np.testing.assert_allclose(npc.grad(f)(X), (X > 1.0) + slope)


def test_what_is_off_the_path_is_no_error() -> None:
    def f(x: Any) -> Any:
        label = str(int(x[0]))
        place = int(np.argmax(x))
        rounded = x.astype(int)
        return np.sum(x[place] ** 2) + len(label) + 0.0 * len(rounded)

    np.testing.assert_allclose(npc.grad(f)(X), [0, 0, 2 * X[2]])


def test_steps_have_the_derivative_zero_and_leave_a_note() -> None:
    program = npc.autodiff.programs.program_of(
        lambda x: np.sum(np.floor(x) + np.sign(x) + (x > 1)), (X,), {}, (0,)
    )
    assert program.tape is not None
    notes = [note.text for note in program.tape.notes]
    assert [note.partition(" ")[0] for note in notes] == ["`np.floor`", "`np.sign`", "a"]
    np.testing.assert_array_equal(npc.grad(lambda x: np.sum(np.floor(x)))(X), np.zeros(3))


ORDERS = {
    "columns": lambda a: np.asfortranarray(a),
    "transposed": lambda a: a.T,
    "with gaps": lambda a: np.repeat(a, 2, axis=0)[::2].T,
    "backwards": lambda a: a[::-1, ::-1],
    "backwards and transposed": lambda a: a.T[:, ::-1],
}


@pytest.mark.parametrize("name", ORDERS)
def test_the_check_keeps_the_order_of_arguments_in_memory(name: str) -> None:
    def f(x: Any) -> Any:
        return np.sum(x.ravel(order="A") ** 2 * np.arange(6) + np.ravel(x, "K") * np.arange(6))

    x = ORDERS[name](np.arange(1.0, 7.0).reshape(2, 3))
    gradient = npc.value_and_grad(f)
    value, _ = gradient(x)
    assert value == f(x)
    (check,) = gradient.checks.values()
    assert check.status == "agrees"


def written_behind(x: Any) -> Any:
    y = x.ravel()
    y *= 2.0
    return np.sum(x * x) + np.sum(y * np.arange(y.size))


def shaped_behind(x: Any) -> Any:
    y = x.reshape(-1)
    y[0] = 7.0
    return np.sum(x * x) + np.sum(y)


@pytest.mark.parametrize("f", [written_behind, shaped_behind])
@pytest.mark.parametrize("name", [*ORDERS, "rows", "repeated"])
def test_what_is_a_view_in_numpy_is_one_on_the_tape(name: str, f: Any) -> None:
    """Whether `x.ravel()` is a view of an argument follows from how that lies in memory."""

    def argument() -> Any:
        if name == "repeated":
            return np.broadcast_to(np.arange(3.0), (2, 3))
        x = np.arange(1.0, 13.0).reshape(3, 4)
        return x[:, ::2] if name == "rows" else ORDERS[name](x)

    plain, followed = argument(), argument()
    value = f(plain)
    made, _ = npc.value_and_grad(f)(followed)
    assert made == value
    np.testing.assert_array_equal(followed, plain)


def test_stop_gradient_cuts() -> None:
    f = npc.grad(lambda x: np.sum(npc.stop_gradient(x) * x))
    np.testing.assert_allclose(f(X), X)
    (check,) = f.checks.values()
    assert check.status == "agrees"
    held = {"a": X, "b": [1.0]}
    assert flatten(npc.stop_gradient(held))[1] == flatten(held)[1]


def test_a_registered_derivative() -> None:
    def vjp(g: Any, result: Any, x: Any, power: int = 3) -> Any:
        return g * power * x ** (power - 1)

    npc.register_vjp(library, vjp)
    try:
        np.testing.assert_allclose(npc.grad(lambda x: np.sum(library(x) * x))(X), 4 * X**3)
    finally:
        npc.autodiff.vjps._REGISTRY.clear()


def test_an_agreeing_check_and_single_precision() -> None:
    f = npc.grad(lambda x: np.sum(x**2))
    f(X)
    f(X + 1)
    assert [check.status for check in f.checks.values()] == ["agrees"]
    f(X.astype("float32"))
    assert "single precision" in str(list(f.checks.values())[1])


def test_random_numbers_are_drawn_once() -> None:
    rng = np.random.default_rng(5)
    f = npc.grad(lambda x: np.sum(x * rng.normal(size=3)))
    expected = np.random.default_rng(5).normal(size=6)
    np.testing.assert_array_equal(f(X), expected[:3])
    np.testing.assert_array_equal(f(X), expected[3:])
    (check,) = f.checks.values()
    assert check.status == "agrees"


def test_errors_are_those_of_the_function() -> None:
    with pytest.raises(ZeroDivisionError):
        npc.grad(lambda x: x / 0)(1.0)
    with pytest.raises(ValueError, match="could not be broadcast"):
        npc.grad(lambda x: np.sum(x + np.ones(2)))(X)


def test_the_bessel_function_is_smooth_at_zero() -> None:
    curvature = npc.grad(npc.grad(lambda x: np.i0(x)))
    np.testing.assert_allclose(curvature(0.0), 0.5, rtol=1e-9)
    np.testing.assert_allclose(npc.grad(lambda x: np.i0(x))(-1.0), -0.565159103992485, rtol=1e-9)
