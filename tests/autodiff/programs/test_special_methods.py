"""Methods of classes written in Python, whoever calls them: their gradients are followed."""

from __future__ import annotations

import abc
import bisect
import functools
import itertools
import math
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from tests.support.gradients.verdicts import programs_in, verdict

X = np.array([1.3, 0.7, 2.1])


class Prop:
    def __init__(s, v):
        s._v = v

    @property
    def w(s):
        return s._v * 2

    @w.setter
    def w(s, v):
        s._v = v**2

    @functools.cached_property
    def c(s):
        return s._v**3


class Attr:
    def __init__(s, v):
        s.__dict__["v"] = v

    def __getattr__(s, n):
        if n.startswith("_"):
            raise AttributeError(n)
        return s.__dict__["v"] * len(n)

    def __setattr__(s, n, v):
        s.__dict__[n] = v * 2


class Desc:
    def __get__(s, o, k):
        return o.v**2

    def __set__(s, o, v):
        o.v = v * 3


class HasDesc:
    d = Desc()

    def __init__(s, v):
        s.v = v


class Num:
    def __init__(s, v):
        s.v = v

    def __add__(s, o):
        return Num(s.v + getattr(o, "v", o))

    __radd__ = __add__

    def __mul__(s, o):
        return Num(s.v * getattr(o, "v", o))

    __rmul__ = __mul__

    def __neg__(s):
        return Num(-s.v)

    def __abs__(s):
        return Num(s.v**2)

    def __pow__(s, o):
        return Num(s.v**o)

    def __truediv__(s, o):
        return Num(s.v / getattr(o, "v", o))

    def __rtruediv__(s, o):
        return Num(o / s.v)

    def __lt__(s, o):
        return bool(s.v < o.v)

    def __round__(s, n=0):
        return s.v * 2

    def __divmod__(s, o):
        return (s.v * 3, s.v)

    def __float__(s):
        return float(s.v)

    def __iter__(s):
        return iter([s.v, s.v**2])

    def __len__(s):
        return 2

    def __getitem__(s, k):
        return s.v * (k + 1)

    def __call__(s, o):
        return s.v * o

    def __enter__(s):
        return s.v**2

    def __exit__(s, *a):
        s.v = s.v * 0

    def __contains__(s, o):
        return True

    def __matmul__(s, o):
        return s.v * o.v

    def __floordiv__(s, o):
        return s.v * 7

    def __mod__(s, o):
        return s.v * 5

    def __and__(s, o):
        return s.v * 5

    def __or__(s, o):
        return s.v * 6

    def __lshift__(s, o):
        return s.v * o

    def __invert__(s):
        return s.v**2

    def __pos__(s):
        return s.v**3

    def __reversed__(s):
        return iter([s.v * 3])

    def __iadd__(s, o):
        s.v = s.v * o
        return s

    def __delitem__(s, k):
        s.v = s.v**2

    def __setitem__(s, k, v):
        s.v = s.v * v

    def __floor__(s):
        return s.v * 4

    def __index__(s):
        return 1

    def __bool__(s):
        return True


class Sq:
    def __init__(s, v):
        s.v = v**2


def setter(x):
    a = Prop(x[0])
    a.w = x[1]
    a.w *= x[0]
    return a.w


def cached(x):
    a = Prop(x[0])
    return a.c * a.c * x[1]


def getattr_(x):
    a = Attr(x[0])
    a.q = x[1]
    return a.abc * a.q + a.zz + getattr(a, "nope", 0)


def setattr_(x):
    a = Attr(x[0])
    a.q = x[1]
    return a.q * x[0]


def descriptor(x):
    a = HasDesc(x[0])
    a.d = x[1]
    return a.d + x[0]


def numlike(x):
    a, b = (Num(x[0]), Num(x[1]))
    c = a + b * 2 + 3 * a
    c = c / b + 1 / a
    return (-c).v * (c**2).v


def sum_user(x):
    return sum([Num(v) for v in x], Num(0.0)).v


def abs_user(x):
    return abs(Num(x[0])).v * x[1]


def round_user(x):
    return round(Num(x[0])) * x[1]


def divmod_user(x):
    return divmod(Num(x[0]), 2)[0] * x[1]


def float_user(x):
    return float(Num(x[0])) * x[1]


def list_user(x):
    return list(Num(x[0]))[1] * x[1] + tuple(Num(x[1]))[1]


def star_user(x):
    return np.add(*Num(x[0])) * x[1] + [*Num(x[1])][1]


def comp_user(x):
    return sum([v**2 for v in Num(x[0])]) + sum({k: v for k, v in enumerate(Num(x[1]))}.values())


def with_user(x):
    n = Num(x[0])
    with n as q:
        y = q * x[1]
    return y + n.v


def matmul_user(x):
    return (
        Num(x[0]) @ Num(x[1])
        + Num(x[0]) // 2
        + Num(x[1]) % 2
        + (Num(x[0]) & 1)
        + (Num(x[0]) | 1)
        + (Num(x[1]) << 3)
    )


def unary_user(x):
    return ~Num(x[0]) + +Num(x[1])


def reversed_user(x):
    return sum(reversed(Num(x[0])))


def setitem_user(x):
    a = Num(x[0])
    a[0] = x[1]
    a[1] *= x[2]
    del a[0]
    return a.v


def floor_user(x):
    return math.floor(Num(x[0])) * x[1]


def sort_user(x):
    return sorted([Num(v) for v in x])[0].v ** 2 + min([Num(v) for v in x]).v


def map_class2(x):
    return sum((n.v for n in map(Sq, x)))


def list_append_class(x):
    fs = []
    fs.append(Sq)
    return fs[0](x[0]).v * x[1]


def polynomial(x):
    return np.polynomial.Polynomial(x)(x[0]) + np.polynomial.Polynomial(x).deriv()(0.3)


def exec_ns(x):
    ns = {"a": x[0]}
    exec("b = a ** 2", ns)
    return ns["b"] * x[1]


def evals(x):
    return eval("x[0] ** 2") * x[1]


def execs(x):
    y = x * 1
    exec("y[0] = 3 * y[1]")
    return y.sum()


def inherit_list(x):

    class L(list):
        def total(s):
            return sum(s)

    l = L(x)
    l.append(x[0] ** 2)
    return l.total()


def inherit_ndarray(x):

    class A(np.ndarray):
        pass

    return x.view(A).sum() * 1.0


def inherit_dict(x):

    class D(dict):
        def __missing__(s, k):
            return x[0] ** 2

        def __getattr__(s, k):
            return s[k]

    d = D(a=x[1])
    return d["z"] * d.a


def metaclass_call(x):

    class M(type):
        def __call__(cls, v):
            o = object.__new__(cls)
            o.v = v**2
            return o

    class A(metaclass=M):
        pass

    return A(x[0]).v * x[1]


def new_(x):

    class A:
        def __new__(cls, v):
            o = object.__new__(cls)
            o.v = v**2
            return o

    return A(x[0]).v * x[1]


def init_subclass(x):

    class B(abc.ABC):
        def __init__(s, v):
            s.v = v**2

        @abc.abstractmethod
        def f(s): ...

    class A(B):
        def __init__(s, v):
            super().__init__(v * 2)

        def f(s):
            return s.v * 3

    return A(x[0]).f() * x[1]


def host_out(x):
    b = np.zeros(3)
    struct.pack_into("d", b, 0, float(x[0]))
    return b.sum() * x[1]


def groupby_(x):
    return sum((sum(g) * k for k, g in itertools.groupby(x, key=lambda v: v > 1)))


def chain_iterable(x):
    return sum(itertools.chain.from_iterable([x, x**2]))


def dropwhile_(x):
    return sum(itertools.dropwhile(lambda v: v > 1, x)) + sum(
        itertools.filterfalse(lambda v: v > 1, x)
    )


def bisect_(x):
    return x[0] * bisect.bisect([0.5, 1.0, 1.5], x[0]) + bisect.bisect_left([0.5, 1.0], x[1])


@pytest.fixture(autouse=True)
def tape(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", "aten")


PROGRAMS = programs_in(globals())

REFUSED = {evals, execs, exec_ns, inherit_ndarray, host_out}


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore")
def test_special_methods_are_followed(f: Callable[..., Any]) -> None:
    assert verdict(f, X) == ("refused" if f in REFUSED else "right")
