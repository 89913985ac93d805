"""What may reach the world is seen, however it gets to where it is called."""

from __future__ import annotations

import ast
import functools
import operator
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.runtime.effects import effect
from tests.support.loops.native_loops import define

SENT: list[Any] = []

send = define("""
def send(order, *rest):
    open("never", "w").write(order)
    return 0.0
""")


class Sender:
    """Its methods and operators send."""

    __slots__ = ("rate",)

    def __init__(self) -> None:
        self.rate = 2.0

    def __add__(self, other: Any) -> Any:
        return open("never", "w").write(str(other))

    def plain(self, x: Any) -> Any:
        return x


class Holder:
    """Holds what sends."""

    def __init__(self, what: Any) -> None:
        self.what = what


class Sending(type):
    """Calls of its classes send."""

    def __call__(cls, *args: Any) -> Any:
        return send("order")


class Answering:
    """Whatever it is asked for is written down."""

    def __getattr__(self, name: str) -> Any:
        SENT.append(name)
        return 0.0

    def __call__(self) -> float:
        return 1.0


def closing_over(function: Any) -> Any:
    def inner(x: Any) -> Any:
        return function(x)

    return inner


def wrapped(function: Any) -> Any:
    @functools.wraps(function)
    def inner(*args: Any) -> Any:
        send("called")
        return function(*args)

    return inner


def plain(x: Any) -> Any:
    return x * 2


@functools.lru_cache
def remembered(x: float) -> float:
    return x * 2


NAMES = {
    "np": np,
    "operator": operator,
    "functools": functools,
    "send": send,
    "plain": plain,
    "remembered": remembered,
    "x": np.arange(3.0),
    "words": ["a", "b"],
    "table": {"go": send},
    "deep": [({"go": (plain, send)},)],
    "made": defaultdict(send),
    "bag": Holder(send),
    "sender": Sender(),
    "senders": [Sender()],
    "closed": closing_over(send),
    "decorated": wrapped(plain),
    "ours": npc.compile(send),
    "partly": functools.partial(send, "order"),
    "cached": functools.lru_cache(send),
    "vectorized": np.vectorize(send),
    "hidden": np.frompyfunc(send, 1, 1),
    "objects": np.array([send, 1.0], dtype=object),
    "method": Holder.__init__,
    "file": SENT.append,
    "default": define("def default(v, act=send):\n    return act(v)", {"send": send}),
    "Sent": Sending("Sent", (), {}),
    "numbers": list(map(float, range(50_000))),
    "ufunc": np.add,
}

REACHING = [
    *("send('order')", "list(map(send, words))", "sorted(words, key=send)", "max(words, key=send)"),
    *("table['go']('order')", "{'go': send}['go']('order')", "deep[0][0]['go'][1]('order')"),
    *("made['x']", "bag.what('order')", "sender + 1", "senders[0] + 1", "closed('order')"),
    *("decorated(x)", "ours('order')", "partly()", "cached('order')", "vectorized(words)"),
    *("hidden(words)", "objects[0]('order')", "default('order')", "np.vectorize(send)(words)"),
    *("np.frompyfunc(send, 1, 1)(words)", "functools.reduce(send, words)", "[send][0]('order')"),
    *(
        "np.apply_along_axis(send, 0, x)",
        "np.fromfunction(send, (2,))",
        "np.piecewise(x, [x>1], [send])",
    ),
    *("len = send\nlen('order')", "plain = send\nplain('order')", "f = lambda g: g(1)\nf(send)"),
    *("getattr(np, 'save')('f', x)", "np.__dict__['save']('f', x)", "vars(np)['save']('f', x)"),
    *("operator.methodcaller('tofile', 'f')(x)", "x.tofile('f')", "(x + 1).tofile('f')"),
    *("[s.tofile for s in [x]][0]('f')", "np.save('f', x)", "f = np.save\nf('f', x)"),
    *(
        "import os\nos.remove('f')",
        "from os import remove as plain\nplain('f')",
        "__import__('os')",
    ),
    *("import this", "open('f')", "exec('1')", "eval('1')", "input()", "breakpoint()", "np.pi = 3"),
    *("@send\ndef g(): pass", "class A(metaclass=send): pass", "with send('order'): pass"),
    *("for s in map(send, words): pass", "[send(w) for w in words]", "assert send('order') == 0"),
    *("def g(act=send): return act('order')\ng()", "print(*map(send, words))", "f'{send(1)}'"),
    *("Sent()", "list(map(Sent, words))"),
    "match 1:\n    case int() if send('order'): pass",
]

HARMLESS = [
    *("y = np.sin(x) + x.sum()", "print(x.mean(), plain(x))", "sorted(words, key=len)"),
    *("list(map(plain, x))", "np.vectorize(plain)(x)", "remembered(2.0)", "sum(numbers)"),
    *("f = np.vectorize(lambda t: t * 2)\nf(x)", "def g(t):\n    return abs(t)\nlist(map(g, x))"),
    *("rng = np.random.default_rng(0)\nrng.normal(size=3)", "np.random.rand(2)", "ufunc.reduce(x)"),
    *("import numpy as np\nnp.ones(3)", "from math import sqrt\nsqrt(2)", "x[x > 1] = 0"),
    *("class P:\n    def __init__(self): self.v = 1\nP().v", "raise ValueError('no')"),
    *("words.append('c')", "'a b'.split()", "[w.upper() for w in words]", "x.astype(float).T"),
    *("functools.partial(plain, 2)()", "operator.itemgetter(1)(words)", "np.linalg.norm(x)"),
]


@pytest.mark.parametrize("source", REACHING)
def test_what_reaches_the_world_is_seen(source: str) -> None:
    assert effect(ast.parse(source), NAMES) != ""


@pytest.mark.parametrize("source", HARMLESS)
def test_what_computes_only_may_run_again(source: str) -> None:
    assert effect(ast.parse(source), NAMES) == ""


@pytest.mark.parametrize("source", ["y = answering()", "y = answering.rate + 1"])
def test_to_look_asks_objects_for_nothing(source: str) -> None:
    SENT.clear()
    effect(ast.parse(source), {"answering": Answering()})
    assert SENT == []
