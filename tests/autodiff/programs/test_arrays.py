"""Programs on arrays: gradients, tangents and compiled graphs against central differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided, sliding_window_view

import jupyter_npcompile as npc
from tests.support.gradients.joint import joint_gradient
from tests.support.gradients.verdicts import programs_in, slopes

X = np.random.default_rng(5).uniform(0.4, 1.9, 12)

W = np.linspace(-1.0, 1.5, 12)

W6 = np.linspace(0.5, 1.7, 6)


def view_of_view(x):
    a = x.reshape(3, 4).copy()
    b = a[1:, ::2]
    c = b.T[::-1]
    c *= 2
    c[0] += a[0, :2]
    return (a * W.reshape(3, 4)).sum() + b.prod()


def view_written_before_read(x):
    a = np.zeros((4, 3))
    v = a.ravel()
    v[...] = x
    w = a[::-1]
    w[0, 0] = x[1] ** 2
    return (a * a * W.reshape(4, 3)).sum()


def view_transposed_aug(x):
    a = x.reshape(3, 4).copy()
    a.T[1] += a[:, 2] ** 2
    a.T[2] -= a.T[1]
    return (a**2 * W.reshape(3, 4)).sum()


def overlap_aug(x):
    a = x.copy()
    a[1:] *= a[:-1]
    a[::-1][:5] -= a[:5]
    return (a * W).sum()


def out_where(x):
    a = x * 3
    np.exp(x, out=a, where=x > 1)
    np.negative(a, out=a, where=x < 0.7)
    return (a * W).sum()


def out_self(x):
    a = x.copy()
    np.multiply(a, a[::-1], out=a)
    np.add.accumulate(a, out=a)
    return (a * W).sum()


def out_tuple(x):
    a, b = (np.empty(12), np.empty(12))
    np.modf(x * 2, a, b)
    c, d = np.divmod(x, 0.37, out=(a, b))
    return (a * W).sum() + c.sum() * 0


def out_take(x):
    a = np.empty(4)
    np.take(x, [1, 1, 3, 11], out=a)
    np.clip(a, 0.8, 1.5, out=a)
    return (a * W[:4]).sum()


def add_at(x):
    a = np.zeros(5)
    np.add.at(a, [0, 1, 1, 3, 0, 4, 4, 4, 2, 2, 1, 0], x**2)
    np.subtract.at(a, [0, 0], x[:2])
    np.multiply.at(a, [1, 1], x[2:4])
    return (a**2).sum()


def max_at(x):
    a = np.zeros(3)
    np.maximum.at(a, [0, 1, 1, 2, 0, 1, 2, 2, 2, 2, 1, 0], x)
    return (a * W[:3]).sum()


def add_at_2d(x):
    a = np.zeros((3, 3))
    np.add.at(a, ([0, 0, 2], [1, 1, 2]), x[:3] * x[3:6])
    np.add.at(a, (slice(None), [0, 0]), x[6:8])
    return (a**2).sum()


def reduceat(x):
    return (
        (np.add.reduceat(x**2, [0, 4, 2, 9]) * W[:4]).sum()
        + np.multiply.reduceat(x, [0, 3, 3, 8]).sum()
        + np.maximum.reduceat(x, [0, 5]).sum()
    )


def fancy_repeat_store(x):
    a = np.zeros(5)
    a[[0, 1, 1, 3, 0]] = x[:5] ** 2
    a[[2, 2]] += x[5:7]
    return (a * W[:5]).sum() + (a**2).sum()


def fancy_2d_store(x):
    a = x.reshape(3, 4).copy()
    a[[0, 0, 2], [1, 1, 3]] = x[4:7]
    a[:, [0, 2]] *= x[:2]
    a[np.ix_([0, 2], [1, 3])] -= x[0]
    return (a**2).sum()


def bool_store(x):
    a = x.copy()
    m = a > 1
    a[m] = np.cumsum(a[~m])[0] * np.arange(m.sum())
    a[~m] **= 2
    return (a * W).sum()


def put_(x):
    a = np.zeros(8)
    np.put(a, [0, 3, 3, 9], x[:4], mode="wrap")
    np.place(a, a == 0, x[4:6])
    np.copyto(a, x[:8], where=a > 1.4)
    a.put([2], x[0] ** 2)
    return (a * W[:8]).sum()


def put_along(x):
    a = x.reshape(3, 4).copy()
    np.put_along_axis(a, np.argmax(a, 1)[:, None], x[:3, None] ** 2, 1)
    return (np.take_along_axis(a, np.argsort(a, axis=1), 1) * W.reshape(3, 4)).sum()


def piecewise_(x):
    return (
        np.piecewise(x, [x < 0.8, x > 1.4], [lambda v: v**2, lambda v: 3 * v, lambda v: -v]) @ W
        + np.piecewise(x, x > 1, [5.0]).sum()
    )


def stride_tricks_(x):
    return (
        (as_strided(x, (4, 3), (16, 8)) ** 2).sum()
        + (sliding_window_view(x, 3).max(1) * W[:10]).sum()
        + sliding_window_view(x.reshape(3, 4), (2, 2)).prod((2, 3)).sum()
    )


def stride_write(x):
    a = x.copy()
    v = as_strided(a, (4, 4), (16, 8))
    v[1] *= 2
    b = np.broadcast_to(x[:1], (3,))
    return (a * W).sum() + b.sum() + np.broadcast_arrays(x[:3], x[3:6, None])[0].sum()


def einsum_(x):
    m, n = (x.reshape(3, 4), x.reshape(4, 3))
    return (
        np.einsum("ij,ji", m, n)
        + np.einsum("ij->j", m) @ W[:4]
        + np.einsum("ii->i", n[:3]) @ W[:3]
        + np.einsum("...j,j", m, x[:4]).sum()
        + np.einsum(m, [0, 1], n, [1, 2], [2, 0]).sum()
        + np.einsum("ij,jk,kl->", m, n, m, optimize=True)
        + np.einsum("i,i,i", x, x, W)
        + np.einsum("ij,ij->i", m, m, optimize="greedy").prod()
    )


def einsum_view(x):
    a = x.reshape(3, 4)[:, :3].copy()
    d = np.einsum("ii->i", a)
    d *= x[:3]
    return (a**2).sum()


def convolve_(x):
    return (
        sum(((np.convolve(x, x[:3], m) ** 2).sum() for m in ("full", "same", "valid")))
        + np.convolve(x[:2], x).sum()
        + (np.correlate(x, x[2:7], "full") ** 2).sum()
        + np.correlate(x[:3], x, "same") @ W
    )


def linalg_complex(x):
    a = x[:9].reshape(3, 3) + 1j * x[3:].reshape(3, 3) + 2 * np.eye(3)
    return (
        abs(np.linalg.det(a))
        + np.abs(np.linalg.inv(a)).sum()
        + np.linalg.solve(a, x[:3] + 0j).real.sum()
        + np.linalg.norm(a)
        + np.linalg.eigvalsh(a @ a.conj().T)[1]
        + np.linalg.svd(a)[1] @ W[:3]
        + np.linalg.cholesky(a @ a.conj().T).imag.sum()
    )


def eig_(x):
    a = x[:9].reshape(3, 3) + np.diag([1.0, 3.0, 5.0])
    w = np.linalg.eigvals(a)
    v, u = np.linalg.eig(a)
    return np.sort(w.real) @ W[:3] + np.abs(u[0]).sum() + np.sum(np.abs(w) ** 2)


def fft_odd(x):
    y = x[:11]
    return (
        np.abs(np.fft.fft(y)).sum()
        + np.abs(np.fft.rfft(y)[3])
        + np.fft.irfft(np.fft.rfft(y), 11)[2]
        + np.fft.irfft(np.fft.rfft(y))[2]
        + np.abs(np.fft.fft(y, 16)[5])
        + np.abs(np.fft.fft(y, 7)[2])
        + np.fft.hfft(y[:5] + 0j).sum() * W[2]
        + np.fft.hfft(y[:5] + 1j * y[3:8], 9) @ W[:9]
        + np.abs(np.fft.ihfft(y)) @ W6
    )


def fft_write(x):
    f = np.fft.rfft(x)
    f[3:] = 0
    f[1] *= 1j
    f.real[0] = x[1]
    f.imag[2] += x[0] ** 2
    return np.fft.irfft(f, 12) @ W


def nans(x):
    y = x.copy()
    y[3] = np.nan
    return np.nanstd(y) + np.nanvar(y, ddof=1) + np.nanmean(y)


def zeros_prod(x):
    y = x * np.array([1, 0, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1.0])
    z = x.copy()
    z[2] -= x[2]
    return (
        np.prod(y)
        + np.prod(z)
        + np.cumprod(z) @ W
        + np.cumprod(y).sum()
        + np.multiply.accumulate(z)[5]
        + np.multiply.reduce(z[1:4])
        + np.nanprod(z)
    )


def zeros_power(x):
    z = x - x[0]
    return (
        (z**2).sum()
        + (z**3).sum()
        + z[0] ** 2
        + np.power(z, 2.0).sum()
        + np.abs(x) ** 1.5 @ W
        + (2.0**z).sum()
        + np.float_power(x, 2).sum()
    )


def kinks(x):
    return (
        np.abs(x - 1).sum()
        + np.maximum(x, 1.1).sum()
        + np.clip(x, 0.7, 1.3) @ W
        + np.fmax(x, W).sum()
        + np.fmin(x, 1.0).sum()
        + np.sign(x).sum()
        + np.heaviside(x - 1, 0.5).sum()
        + np.ptp(x)
        + np.fabs(-x).sum()
        + np.copysign(x, W) @ W
    )


def flat_write(x):
    a = x.reshape(3, 4).copy()
    a.flat[::2] = x[:6] ** 2
    a.flat[1] += x[0]
    a.flat = a.flat[::-1] if False else a.ravel() * 2
    return (a * W.reshape(3, 4)).sum()


def complex_chain(x):
    z = x[:6] + 1j * x[6:]
    w = np.exp(1j * z) * np.conj(z) / (z + 2)
    z[1] = w[0]
    z *= 1 - 0.5j
    z.imag[2:4] = x[:2]
    return (
        np.abs(z).sum()
        + np.angle(w).sum()
        + (z * w.conj()).real.sum()
        + np.abs(np.sqrt(z)).prod()
        + np.real(np.log(z) ** 2).sum()
        + (np.sinh(z) * np.tan(w)).imag.sum()
        + np.power(z, 1.5).real.sum()
        + np.prod(z).imag
        + np.real_if_close(z + 0).real.sum()
        + np.vdot(z, w).imag
        + np.cumprod(z)[3].real
        + np.mean(z).imag
        + np.abs(np.var(z))
        + np.square(z).real.sum()
        + np.reciprocal(z).imag.sum()
    )


def prints(x):
    s = 0.0
    for i, v in enumerate(x):
        if v > 1:
            print(i, v)
            s = s + v**2
        elif i % 2:
            s *= v
        else:
            s -= float(v)
        assert s == s
    return s if s > 0 else -s


def loop_inplace(x):
    u = x.reshape(3, 4).copy()
    for k in range(5):
        u[1:-1, 1:-1] += 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] - 2 * u[1:-1, 1:-1])
        u[0] = u[-1] * 0.9
        u[:, k % 4] *= 1.1
    return (u**2).sum()


def swap(x):
    a, b = (x[:6].copy(), x[6:].copy())
    for _ in range(3):
        a, b = (b, a * b)
    a[0], a[1] = (a[1], a[0])
    a[:] = a[::-1]
    a[[0, 1]] = a[[1, 0]]
    a[2:4], b[2:4] = (b[2:4], a[2:4])
    return a @ W6 + (b * b).sum()


def scalars(x):
    a = x[0]
    a += 1
    b = np.float64(a) * 2
    c = (
        b.real
        + b.conj()
        + b.T
        + b.sum()
        + b.reshape(1)[0]
        + b.astype(float)
        + b.item()
        + b.clip(0, 100)
        + b.squeeze()
        + b.ravel()[0]
        + b.copy()
        + abs(b)
        + (-b) ** 2
        + divmod(b, 3)[1]
        + round(b, 1) * 0
        + pow(b, 2)
    )
    d = np.asarray(b)
    d[...] = 5
    return c + d + b.flatten()[0] + np.array(b)[()] + b.mean() + b[()] + b[...] + b[None][0]


def zero_d(x):
    a = np.array(x[0])
    a += x[1]
    a[()] = a**2
    a[...] *= 2
    b = a[None]
    b[0] = a * 3
    np.add(a, 1, out=a)
    return a * x[2] + float(b) if b.ndim == 0 else a * x[2] + b[0]


def shadow(x):
    y = x
    y = y * 2
    x[0] = 5.0
    z = x
    z[1] = y[0]
    return (y * x).sum()


def global_const_write(x):
    c = np.arange(12.0)
    s = (c * x).sum()
    c *= 2
    s = s + (c * x**2).sum()
    c[:] = x
    return s + (c * x).sum()


def view_base(x):
    y = x * 1
    v = y[2:5]
    v.base[0] = x[1] ** 2
    v.shape = (3, 1)
    v[0, 0] = x[0]
    y.shape = (3, 4)
    y[0] *= 2
    y.resize((3, 4)) if False else None
    return (y * W.reshape(3, 4)).sum()


def swapaxes_write(x):
    a = np.zeros((2, 3, 2))
    a.swapaxes(0, 1)[:] = x.reshape(3, 2, 2)
    np.rollaxis(a, 2)[0] += 1
    a[..., 0].T[...] *= x[0]
    np.squeeze(a[:, 1:2])[0] = x[1]
    np.diagonal(a).sum()
    a.reshape(-1)[3] = x[2] ** 2
    np.atleast_3d(a)[0, 0, 0] = x[3]
    return (a.ravel() * W).sum() + (a**2).sum()


def setattr_real(x):
    z = np.zeros(6, complex)
    z.real = x[:6]
    z.imag = x[6:] ** 2
    z.real[::2] += 1
    return (np.abs(z) ** 2).sum() + z[1].imag


def complex_views(x):
    a, z = np.zeros((2, 3), complex), np.zeros((), complex)
    flat, turned, real, same = a.reshape(-1), a.T, a.real, z[...]
    flat[...] = x[:6] * (1 + 2j)
    turned[0] *= 1j
    real[1] += x[6:9]
    z[...] = x[0] * (1 + 1j)
    np.sinh(z * 1j, out=same)
    return (np.abs(a) ** 2 * W6.reshape(2, 3)).sum() + turned.imag[1].sum() + z.imag * x[1]


def structured(x):
    r = np.zeros(3, dtype=[("a", float), ("b", float)])
    r["a"] = x[:3]
    r["b"] = x[3:6] ** 2
    return (r["a"] * r["b"]).sum()


def spectral_loop(x):
    u = x + 0j
    k = np.fft.fftfreq(12)
    for _ in range(4):
        h = np.fft.fft(u)
        h *= np.exp(-(k**2) * x[0])
        h[6:] *= 0.9
        u = np.fft.ifft(h)
        u.real += 0.01 * x
    return np.abs(u) @ W


def attention_(x):
    q = x.reshape(3, 4)
    s = q @ q.T / 2
    s[np.triu_indices(3, 1)] = -np.inf
    e = np.exp(s - s.max(-1, keepdims=True))
    return (e / e.sum(-1, keepdims=True) @ q * W.reshape(3, 4)).sum()


def safe_where(x):
    z = x - x[0]
    return np.where(z != 0, np.sqrt(np.where(z > 0, z, 1.0)), 0.0) @ W


PROGRAMS = programs_in(globals())

REFUSED = {stride_write, structured}


@pytest.fixture(autouse=True)
def tape(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", "aten")


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore")
def test_gradients_are_those_of_numpy(f: Callable[..., Any]) -> None:
    if f in REFUSED:
        with pytest.raises(npc.GradientError):
            npc.grad(f)(X.copy())
        return
    wanted = slopes(f, X)
    close = {"rtol": 1e-4, "atol": 1e-5 * max(1.0, float(np.abs(wanted).max()))}
    np.testing.assert_allclose(npc.grad(f)(X.copy()), wanted, **close)
    direction = np.linspace(-1, 1, 12)
    _, tangent = npc.jvp(f, (X.copy(),), (direction,))
    np.testing.assert_allclose(tangent, wanted @ direction, **close)
    joint = joint_gradient(f, X)
    if not isinstance(joint, str):
        np.testing.assert_allclose(joint, wanted, **close)
