"""Gradients through the language: each function is compared with central differences."""

from __future__ import annotations

import collections
import copy
import dataclasses
import functools
import itertools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc

X = np.array([0.7, 1.3, 2.1])


G = np.array([1.0, 2.0, 3.0])


@dataclasses.dataclass
class P:
    w: object
    b: object = 0.0

    def f(self, x):
        return np.sum(self.w * x) + self.b


class Acc:
    total = 0.0

    def __init__(self):
        self.items = []

    def add(self, v):
        self.items.append(v)
        self.total += v
        return self

    def __len__(self):
        return len(self.items)

    def __getitem__(self, k):
        return self.items[k]

    def __iter__(self):
        return iter(self.items)

    def __enter__(self):
        return self

    def __exit__(self, *a):
        return False

    @staticmethod
    def sq(v):
        return v**2

    @classmethod
    def mk(cls):
        return cls()


class Sub(Acc):
    def __init__(self, k):
        super().__init__()
        self.k = k

    def add(self, v):
        return super().add(v * self.k)


def p1(x):
    p = P(x, x[0])
    return p.f(G)


def p2(x):
    a = Acc()
    for v in x:
        a.add(v**2)
    return a.total + sum(a) + a[1] + len(a)


def p3(x):
    s = Sub(x[1])
    for v in x:
        s.add(v)
    return s.total


def p4(x):
    return Acc.sq(x).sum() + Acc.mk().add(x[0]).total


def p5(x):
    with Acc() as a:
        a.add(x.prod())
    return a.total


def p6(x):
    d = collections.deque(maxlen=2)
    for v in x:
        d.append(v * 2)
    return sum(d) * d[0]


def p7(x):
    dd = collections.defaultdict(float)
    for i, v in enumerate(x):
        dd[i % 2] += v**2
    return dd[0] * dd[1]


def p8(x):
    return sum((v * w for v, w in zip(x, x[::-1])))


def p9(x):
    return functools.reduce(operator.mul, x)


def p10(x):
    return sum(itertools.accumulate(x))


def p11(x):
    return sum((a * b for a, b in itertools.combinations(x, 2)))


def p12(x):
    y = copy.deepcopy(x)
    y[0] = y[1] ** 2
    return y.sum()


def p13(x):
    M = np.zeros((3, 3))
    for i in range(3):
        for j in range(i + 1):
            M[i, j] = x[i] * x[j]
    return np.trace(M @ M.T)


def p14(x):
    A = np.arange(9.0).reshape(3, 3)
    A[np.tril_indices(3)] += x[0]
    A[:, 1] = x
    A[[0, 2]] = A[[2, 0]]
    return (A**2).sum()


def p15(x):
    m = x > 1
    y = x.copy()
    y[m] = y[m] ** 2
    y[~m] *= 3
    return y.sum()


def p16(x):
    return np.where(x > 1, x**2, np.nan_to_num(np.log(x - 1), nan=0.0)).sum()


def p17(x):
    return np.linalg.norm(x[:, None] - x[None, :] + np.eye(3))


def p18(x):
    return np.max([np.sum(x), x[0] * 10, 1.0])


def p19(x):
    return max(x, key=lambda v: -v) + min(x)


def p20(x):
    return sorted(x, key=lambda v: -v)[0] ** 2


def p21(x):
    a, b, c = x
    return a * b + c


def p22(x):
    a, *r = x**2
    return a + sum(r)


def p23(x):
    return np.float64(x[0]) * float(x[1]) * x[2].item()


def p24(x):
    return float(f"{2.0}") * x.sum()


def p25(x):
    return (lambda y=x[0] ** 2: y * 3)()


def p26(x):

    def inner():
        nonlocal x
        x = x * 2

    inner()
    return x.sum()


def p27(x):
    f = [lambda v, k=k: v * k for k in range(3)]
    return sum((g(v) for g, v in zip(f, x)))


def p28(x):
    return np.sum(np.array([[x[0], 1.0], [2.0, x[1]]]) @ np.array([x[2], 1.0]))


def p29(x):
    return np.einsum("i,ij,j", x, np.outer(x, x), x)


def p30(x):
    return np.sum(np.fromiter((v**2 for v in x), float))


def p31(x):
    return np.trapezoid(x**2, x)


def p32(x):
    return np.sum(np.polyfit(np.arange(3.0), x, 1))


def p33(x):
    return np.polynomial.polynomial.polyval(0.5, x)


def p34(x):
    return np.cov(np.stack([x, x**2]))[0, 1] + np.corrcoef(x, x**2)[0, 1]


def p35(x):
    return np.percentile(x, 30) + np.quantile(x, 0.6) + np.median(x)


def p36(x):
    y = np.empty_like(x)
    np.sin(x, out=y)
    np.add(y, x, out=y, where=x > 1)
    return y.sum()


def p37(x):
    it = iter(x)
    return next(it) * next(it)


def p38(x):
    return np.sum([v for row in np.outer(x, x) for v in row if v > 1])


def p39(x):
    i = 0
    s = 0.0
    while True:
        s += x[i] ** i
        i += 1
        if i == 3:
            break
    else:
        s = 0
    return s


def p40(x):
    return np.prod(x.tolist()) + np.hypot(*x[:2])


def p41(x):
    return np.lib.stride_tricks.sliding_window_view(x, 2).prod(axis=1).sum()


def p42(x):
    return (
        x.reshape(3, 1).T.ravel().dot(x)
        + x.cumsum()[-1]
        + x.std()
        + x.var(ddof=1)
        + x.clip(1, 2).sum()
    )


def p43(x):
    return (
        np.roll(x, 1) @ x
        + np.tile(x, 2).sum()
        + np.repeat(x, 2) @ np.arange(6.0)
        + np.pad(x, 1).sum()
    )


def p44(x):
    return (np.r_[x, 1.0] ** 2).sum() + np.c_[x, x].sum()


def p45(x):
    return np.piecewise(x, [x < 1], [lambda v: v**2, lambda v: v]).sum()


def p48(x):
    return (x[:, np.newaxis] * x).diagonal().sum() + x[..., -1]


def p49(x):
    z = x + 1j * x**2
    return abs(z).sum() + z.real @ z.imag + np.angle(z).sum()


def p50(x):
    y = x
    y += 1
    return (y * x).sum()


def p52(x):
    return sum((v * i[0] for i, v in np.ndenumerate(x)))


def p53(x):
    return np.vectorize(math.sin)(x).sum()


def p55(x):
    return (
        math.sqrt(x[0]) + math.hypot(x[0], x[1]) + math.exp(x[0]) + math.log(x[1], 2) + math.fsum(x)
    )


def p56(x):
    return np.interp(x, [0, 1, 3], [0, 2, 3]).sum()


def p57(x):
    return np.apply_over_axes(np.sum, np.outer(x, x), [0, 1]).sum()


def p58(x):
    return np.select([x < 1, x < 2], [x**2, x**3], 0).sum() + np.choose([0, 1, 0], [x, x**2]).sum()


def p59(x):
    a = {"x": x}
    a.update(y=x**2)
    return sum(np.sum(v) for v in a.values())


def p61(x):
    try:
        raise ValueError(x[0] ** 2)
    except ValueError as e:
        return e.args[0] * 2


def p62(x):
    return np.linalg.multi_dot([np.outer(x, x), np.outer(x, x), x]).sum()


def p63(x):
    return np.array(x, copy=True, ndmin=2).sum() + np.asarray(x)[0] + np.copy(x)[1]


def p64(x):
    return np.concatenate([np.sin(x) ** 2, np.max(x)[None]]).sum()


def p66(x):
    q = x.view()
    q[0] = q[0] ** 2
    return x.sum()


def p68(x):
    buf = bytearray(24)
    a = np.frombuffer(buf)
    a[:] = x
    return a.sum()


def p69(x):
    global HH
    HH = x**2
    return HH.sum()


def p70(x):
    return (
        np.sum(x, where=[True, False, True])
        + np.add.reduce(x)
        + np.multiply.accumulate(x)[2]
        + np.add.outer(x, x).sum()
    )


PROGRAMS = [
    value for name, value in list(globals().items()) if name[0] == "p" and name[1:].isdigit()
]

REFUSED = {
    "a matrix": lambda x: float((np.matrix(x) * np.matrix(x).T)[0, 0]),
    "a masked array": lambda x: (np.ma.masked_greater(x * x, 2) * 2).sum(),
    "nditer": lambda x: sum(float(v) for v in np.nditer(x)),
    "eval": lambda x: eval("x.sum()") + 0.0,
}


@pytest.fixture(autouse=True)
def tape(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", "aten")


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore")
def test_gradients_are_those_of_numpy(f: Callable[..., Any]) -> None:
    steps = 1e-6 * np.eye(3)
    expected = [(f(X + step) - f(X - step)) / 2e-6 for step in steps]
    np.testing.assert_allclose(npc.grad(f)(X.copy()), expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.filterwarnings("ignore")
def test_what_is_not_followed_is_an_error(name: str) -> None:
    with pytest.raises(npc.GradientError):
        npc.grad(REFUSED[name])(X)


def test_a_registered_derivative_gives_no_second_one() -> None:
    def cube(x: Any) -> Any:
        return np.frompyfunc(lambda v: v**3, 1, 1)(x).astype(float)

    npc.register_vjp(cube, lambda g, result, x: g * 3 * x**2)
    x = np.array([1.0, 2.0])

    def f(x: Any) -> Any:
        return np.sum(cube(x))

    np.testing.assert_allclose(npc.grad(f)(x), 3 * x**2)
    for second in (
        lambda: npc.hessian(f)(x),
        lambda: npc.grad(lambda x: np.sum(npc.grad(f)(x)))(x),
        lambda: npc.hvp(f, x, np.ones(2)),
    ):
        with pytest.raises(npc.GradientError, match="no derivative of its own"):
            second()
