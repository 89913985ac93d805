"""Names read, bound and read later."""

from __future__ import annotations

import ast

import pytest

from jupyter_npcompile.cell.names import deferred, loaded, local_names, reads_and_targets


@pytest.mark.parametrize(
    ("source", "reads", "targets"),
    [
        ("x = a + b", "a b", "x"),
        ("x = x + 1", "x", "x"),
        ("x += a", "x a", "x"),
        ("x[i] += a", "x i a", ""),
        ("x[i:j, k] = a", "a x i j k", ""),
        ("x, y[x] = a, b", "a b y", "x"),
        ("x, (y, *z) = a", "a", "x y z"),
        ("x = y = a", "a", "x y"),
        ("x, x = a", "a", "x"),
        ("f(a, *b, k=c, **d)", "f a b c d", ""),
        ("return_ = [i + a for i in b if c]", "b c a", "return_"),
        ("x = [x for x in x]", "x", "x"),
        ("x = [j for i in a for j in i + b]", "a b", "x"),
        ("x = {i: a for i in b}", "b a", "x"),
        ("x = sum(i for i in i)", "sum i", "x"),
        ("x = [[i for i in j] for j in a]", "a", "x"),
        ("x = lambda y, z=a: y + b", "a b", "x"),
        ("x = f'{a} {b:{c}}'", "a b c", "x"),
        ("x = a.b.c[d].e", "a d", "x"),
        ("x = __debug__", "", "x"),
        ("[x, *y] = a", "a", "x y"),
    ],
)
def test_reads_and_targets(source: str, reads: str, targets: str) -> None:
    found = reads_and_targets(ast.parse(source).body[0])
    assert found == (tuple(reads.split()), tuple(targets.split()))


def test_return_reads() -> None:
    (function,) = ast.parse("def f():\n    return a + b").body
    assert isinstance(function, ast.FunctionDef)
    assert reads_and_targets(function.body[0]) == (("a", "b"), ())


def test_loaded_is_generous() -> None:
    body = ast.parse("x += 1\ny = [z for z in a]\ndel w\nfor i in b: c = d\nx.y = e").body
    assert loaded(body) == {"x", "z", "a", "w", "b", "d", "e"}


def test_deferred_names_are_those_of_nested_scopes() -> None:
    body = ast.parse(
        "y = a\nf = lambda: b\ng = (c for i in y)\nh = [d for i in y]\ndef k(): return e\n"
        "class L:\n  m = n"
    ).body
    assert deferred(body) == {"b", "c", "y", "e", "n"}


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("y = z", "x y"),
        ("for i, (j, *k) in z: pass", "x i j k"),
        ("with z as w: pass", "x w"),
        ("try: pass\nexcept E as e: pass", "x e"),
        ("import a.b, c as d\nfrom e import g", "x a d g"),
        ("match z:\n    case [a, *b]: pass\n    case {'k': c, **d}: pass\n    case E() as e: pass",
         "x a b c d e"),
        ("def g(a, b=(c := 1)):\n    d = 1\nclass H(k := z):\n    e = 1", "x g c H k"),
        ("y = [(a := i) for i in z]", "x y a"),
        ("y = lambda q, r=(s := 1): (t := q)", "x y s"),
        ("y: int = 1", "x y"),
        ("del y", "x y"),
        ("y.a = 1; y[0] = 2", "x"),
    ],
)  # fmt: skip
def test_local_names(body: str, names: str) -> None:
    lines = "\n    ".join(body.split("\n"))
    source = f"def f(x):\n    {lines}"
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    assert local_names(function) == set(names.split())
    namespace: dict[str, object] = {}
    exec(source, namespace)
    code = namespace["f"].__code__  # type: ignore[attr-defined]
    compiled = {*code.co_varnames, *code.co_cellvars}
    assert local_names(function) <= compiled  # inlined comprehensions add theirs
