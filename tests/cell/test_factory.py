"""Code of compiled functions keeps what people and tools look at."""

from __future__ import annotations
import __future__

import ast
import types
import warnings
from typing import Any

import pytest

from jupyter_npcompile.cell import HANDLE, build_function, factory, function_code

FUNCTIONS = {
    "plain": "def f(a, b=1): return a + b",
    "all kinds": "def f(a, /, b, *c, d, e=2, **g):\n    'doc'\n    return a + b",
    "annotated": "def f(a: int, *b: str, c: float = 1.0) -> list:\n    x: int = a + 1",
    "closures inside": "def f(a):\n    b = a + 1\n    return (lambda: b)() + sum(b for _ in a)",
    "recursive": "def f(n):\n    return n * f(n - 1) if n else 1",
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_code_attributes(name: str) -> None:
    source = "\n\n" + FUNCTIONS[name]
    namespace: dict[str, Any] = {}
    exec(compile(source, "<cell>", "exec", dont_inherit=True), namespace)
    node = ast.parse(source).body[0]
    assert isinstance(node, ast.FunctionDef)
    native = namespace["f"].__code__
    code = function_code(build_function(node), "<cell>", native.co_flags)
    for attribute in (
        *("co_name", "co_qualname", "co_firstlineno", "co_flags", "co_filename"),
        *("co_argcount", "co_posonlyargcount", "co_kwonlyargcount"),
    ):
        assert getattr(code, attribute) == getattr(native, attribute), attribute
    count = native.co_argcount + native.co_kwonlyargcount
    assert code.co_varnames[:count] == native.co_varnames[:count]
    assert code.co_freevars == (HANDLE,)
    assert code.co_consts[0] == native.co_consts[0]
    names = [value.co_qualname for value in code.co_consts if isinstance(value, types.CodeType)]
    assert names == [
        value.co_qualname for value in native.co_consts if isinstance(value, types.CodeType)
    ]


def test_free_names_and_qualified_name() -> None:
    node = ast.parse("def f(x):\n    g = lambda: f(x)\n    return x + a").body[0]
    assert isinstance(node, ast.FunctionDef)
    program = build_function(node, qualname="outer.<locals>.f", free_names=("a", "f"))
    code = function_code(program, "<cell>", 0x13)
    assert code.co_freevars == (HANDLE, "a", "f")
    assert code.co_qualname == "outer.<locals>.f"
    (inner,) = [value for value in code.co_consts if isinstance(value, types.CodeType)]
    assert inner.co_qualname == "outer.<locals>.f.<locals>.<lambda>"


def test_first_line_is_the_decorator() -> None:
    node = ast.parse("@a\n@b\ndef f(x):\n    return x + 1").body[0]
    assert isinstance(node, ast.FunctionDef)
    assert function_code(build_function(node), "<cell>").co_firstlineno == 1


def test_future_features_are_kept() -> None:
    node = ast.parse("def f(x):\n    return x + 1").body[0]
    assert isinstance(node, ast.FunctionDef)
    flag = __future__.annotations.compiler_flag
    assert function_code(build_function(node), "<cell>", flag).co_flags & flag
    assert not function_code(build_function(node), "<cell>").co_flags & flag


def test_lambda_becomes_a_function() -> None:
    node = ast.parse("lambda x: x + 1", mode="eval").body
    assert isinstance(node, ast.Lambda)
    code = function_code(build_function(node), "<cell>")
    assert (code.co_name, code.co_argcount) == ("<lambda>", 1)


def test_warnings_are_not_given_twice() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        node = ast.parse("def f(x):\n    return x + 1 is 5").body[0]
    assert isinstance(node, ast.FunctionDef)
    function_code(build_function(node), "<cell>")  # a warning would be an error here


def test_who_is_disturbed_by_another_thread_parses_again(monkeypatch: pytest.MonkeyPatch) -> None:
    real, left = ast.parse, [SystemError("AST constructor recursion depth mismatch")]

    def disturbed(source: str) -> ast.Module:
        if left:
            raise left.pop()
        return real(source)

    monkeypatch.setattr(ast, "parse", disturbed)
    assert ast.dump(factory.parsed("x = 1")) == ast.dump(real("x = 1"))
    assert not left
