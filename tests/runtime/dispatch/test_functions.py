"""Compiled functions of any kind have the lines that they have in their file."""

from __future__ import annotations

import asyncio
import functools
import inspect
import linecache
import sys
import traceback
import warnings
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc

FILE = "<forms>"

BODY = """
    y = 1 / np.sqrt(
        x)
    for k in range(2):
        while x[0] < k - 1:
            raise ValueError(
                "here")
    return y
"""

FORMS = {
    "a decorator": "@comp\ndef f(x):" + BODY,
    "several": "@other\n@comp\n@other\ndef f(\n    x,\n    k=2,\n):\n    'Text.'\n" + BODY,
    "a call": "@other\ndef f(x):" + BODY + "f = comp(f)",
    "lambda": "f = comp(lambda x: 1 / np.sqrt(x) if x[0] >= 0 else\n  np.linalg.inv(x))",
    "nested": "def g(k):\n  if k:\n    @other\n    @comp\n    def f(x):"
    + BODY.replace("\n", "\n  ")
    + "\n    return f\nf = g(1)",
    "within": "@comp\ndef f(x):\n  def g(x):" + BODY.replace("\n", "\n  ") + "\n  return g(x) + 1",
    "indented": "if 1:\n  @comp\n  def f(x):" + BODY.replace("\n", "\n  "),
    "locals": "@other\n@comp\ndef f(x):" + BODY.replace("    return", "    locals()\n    return"),
    **{
        f"method {heads}": "class A:\n  "
        + "\n  ".join(heads.split())
        + f"\n  {kind} f({own}x):"
        + BODY.replace("\n", "\n  ").replace("return", result)
        + "\nf = A().f"
        for heads, kind, own, result in (
            ("@comp", "def", "self, ", "return"),
            ("@comp @other", "def", "self, ", "locals(); return"),
            ("@comp", "def", "self, ", "yield"),
            ("@comp", "async def", "self, ", "return"),
            ("@staticmethod @comp", "def", "", "return"),
            ("@comp @staticmethod", "def", "", "return"),
            ("@classmethod @comp", "def", "cls, ", "return"),
            ("@comp @classmethod", "def", "cls, ", "return"),
        )
    },
}


@pytest.mark.parametrize("action", ["always", "error"])
@pytest.mark.parametrize("form", FORMS)
def test_every_kind_of_function_has_its_lines(
    form: str, action: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(npc.settings, "tier", "aten")
    source = FORMS[form]
    text = [line + "\n" for line in source.split("\n")]
    monkeypatch.setitem(linecache.cache, FILE, (len(source), None, text, FILE))
    code = compile(source, FILE, "exec")
    told = []
    for made in (lambda function: function, npc.compile):
        names = {"np": np, "comp": made, "other": lambda function: function}
        exec(code, names)
        told.append([seen(names["f"], value, action) for value in (0.0, -1.0) for _ in range(2)])
        npc.wait()
    heads = {k for k, line in enumerate(text, 1) if line.lstrip().startswith(("def", "@"))}
    for plain, compiled in zip(*told, strict=True):
        assert plain[:-1] == compiled[:-1]
        assert plain[-1] - heads == compiled[-1] - heads


def seen(function: Callable[..., Any], value: float, action: Any) -> tuple[Any, ...]:
    """What a person sees of the lines of a call."""
    lines = set()

    def trace(frame: FrameType, event: str, _: object) -> Any:
        if frame.f_code.co_filename == FILE:
            lines.add(frame.f_lineno)
        return trace

    before, error = sys.gettrace(), None
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter(action)
        sys.settrace(trace)
        try:
            result = function(np.array([value, value]))
            if inspect.isgenerator(result):
                list(result)
            elif inspect.isawaitable(result):
                asyncio.run(result)
        except Exception as caught:
            error = caught
        finally:
            sys.settrace(before)
    walked = [] if error is None else list(traceback.walk_tb(error.__traceback__))
    own = [(frame, line) for frame, line in walked if frame.f_code.co_filename == FILE]
    return (
        *(type(error), str(error), [line for _, line in own]),
        [frame.f_lineno for frame, _ in own],
        [(str(one.message), one.filename, one.lineno) for one in warned],
        lines,
    )


def test_a_compiled_function_without_source_is_bound_as_it_was() -> None:
    class Plain:
        size: Any = functools.partial(len)
        ufunc: Any = np.negative
        bound: Any = [1, 2].index

    class Held:
        size = npc.compile(Plain.__dict__["size"])
        ufunc = npc.compile(Plain.ufunc)
        bound = npc.compile(Plain.bound)

    def found(held: Any) -> tuple[Any, ...]:
        # A partial function is bound by later Pythons, of which 3.13 warns.
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                size = held.size([1])
            except TypeError:
                size = None
        return size, [str(one.message) for one in warned], held.ufunc(1), held.bound(2)

    assert found(Held()) == found(Plain())
    assert found(Held())[2:] == (-1, 1)


def test_a_function_that_is_left_as_it_is_answers_inspect() -> None:
    def left(x: Any, k: int = 2, *, p: int = 3) -> Any:
        return sorted(locals()), x.sum()

    made = npc.compile(left)
    assert made(np.ones(2))[0] == ["k", "p", "x"]
    assert inspect.getfullargspec(made) == inspect.getfullargspec(left)
    assert inspect.signature(made) == inspect.signature(left)
    for name in ("__code__", "__defaults__", "__kwdefaults__", "__globals__", "__closure__"):
        assert getattr(made, name) is getattr(left, name)
    assert not hasattr(npc.compile(np.sum.__call__), "__code__")
