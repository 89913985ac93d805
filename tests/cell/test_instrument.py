"""Instrumented regions and helper functions."""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
from typing import Any

import pytest

from jupyter_npcompile.cell import HOOKS, NotTraceable, build_cell, helper_code, region_code
from tests.support.cells.skeletons import UNBOUND, Hooks


def helper(source: str, namespace: dict[str, Any] | None = None) -> tuple[Any, Any, Hooks]:
    """Return a function as written, in its traced form, and the hooks of that."""
    source = textwrap.dedent(source)
    space: dict[str, Any] = {"k": 10} if namespace is None else namespace
    exec(compile(source, "<helper>", "exec", dont_inherit=True), space)
    node = ast.parse(source).body[-1]
    assert isinstance(node, ast.FunctionDef)
    native = space[node.name]
    hooks = Hooks()
    code = helper_code(node, "<helper>", native.__code__.co_freevars)
    cells = {HOOKS: types.CellType(hooks)}
    closure = tuple(cells[name] for name in code.co_freevars)
    traced = types.FunctionType(code, space, native.__name__, native.__defaults__, closure)
    traced.__kwdefaults__ = native.__kwdefaults__
    return native, traced, hooks


HELPERS = {
    "straight": ("def f(x, y=2, *z, w=3, **v):\n    t = x * y + k\n    return t, z, w, v", (3,)),
    "branches": (
        "def f(x):\n    if x > 1 and not x > 5: return 'a'\n    elif x: return 'b'\n"
        "    else:\n        pass\n    return 'c'",
        (3,),
    ),
    "loops": (
        "def f(n):\n    s = []\n    for i, (j, *r) in [(1, (2, 3)), (4, (5,))]:\n"
        "        if i > n: break\n        s += [i * j, *r]\n    else:\n        s = None\n"
        "    while n > 0:\n        n -= 1\n        if n % 2: continue\n        s.append(n)\n"
        "    else:\n        s[0:1] = [9]\n    return s",
        (3,),
    ),
    "loop over items": (
        "def f(n):\n    s = [0]\n    for s[0] in range(n): s.append(s[0])\n    return s",
        (3,),
    ),
    "assert": ("def f(x):\n    assert x > 0, f'no {x}'\n    return x", (-1,)),
    "assert holds": ("def f(x):\n    assert x > 0 or x is None, 1 / 0\n    return x", (1,)),
    "raise": ("def f(x):\n    raise ValueError(x + 1) from KeyError(x)", (1,)),
    "annotated": ("def f(x: int) -> int:\n    y: no_such = x + 1\n    z: int\n    return y", (1,)),
    "annotated only": ("def f(x):\n    k: int\n    return k", (1,)),
    "unbound": ("def f(x):\n    if x > 5:\n        y = x\n    return y", (1,)),
    "nested": (
        "def f(x):\n    'doc'\n    def g(a, b=x + 1, *, c=k):\n        'inner'\n"
        "        return a + b + c + x\n    x = x + 1\n    return g(x), (lambda q: q + x)(1)",
        (1,),
    ),
    "walrus": (
        "def f(x):\n    if (y := x + 1) > 1:\n        return y\n    return [z := y, z]",
        (1,),
    ),
    "comprehension": (
        "def f(x):\n    return [[i * j + k for j in range(i)] for i in x]",
        ([1, 2],),
    ),
    "recursive": ("def f(n):\n    return 1 if n < 2 else n * f(n - 1)", (5,)),
    "item store": (
        "def f(x):\n    x[0], x[1:] = x[1], [k]\n    x[-1] += 5\n    return x",
        ([1, 2],),
    ),
    "returns nothing": ("def f(x):\n    x.append(1)\n    return", ([],)),
    "global name": ("def f(x):\n    return missing + x", (1,)),
    "star only": ("def f(*x):\n    return len(x) + sum(x)", (1, 2)),
    "positional only": ("def f(x, /, y=1, *, z=2):\n    return x + y + z", (1,)),
    "docstring only": ("def f():\n    'doc'", ()),
    "shadowed builtin": ("def f(x):\n    len = x + 1\n    return len", (1,)),
}


def result(function: Any, arguments: tuple[Any, ...]) -> Any:
    fresh = [list(value) if isinstance(value, list) else value for value in arguments]
    try:
        return function(*fresh), fresh
    except Exception as error:
        cause = type(error.__cause__)
        frame = inspect.getinnerframes(error.__traceback__)[-1]  # type: ignore[arg-type]
        return type(error), str(error), cause, frame.lineno if frame.function == "f" else None


@pytest.mark.parametrize("name", HELPERS)
def test_helper_is_the_function(name: str) -> None:
    source, arguments = HELPERS[name]
    native, traced, _ = helper(source)
    assert result(traced, arguments) == result(native, arguments)
    assert traced.__doc__ == native.__doc__
    assert traced.__code__.co_firstlineno == native.__code__.co_firstlineno
    assert (
        inspect.signature(traced)
        .replace(return_annotation=inspect.Signature.empty)
        .parameters.keys()
        == inspect.signature(native).parameters.keys()
    )


def test_helper_with_closure() -> None:
    node = ast.parse("def f(x):\n    return x + a + f(x - 1) if x else b").body[0]
    assert isinstance(node, ast.FunctionDef)
    code = helper_code(node, "<helper>", ("a", "b", "f"))
    assert code.co_freevars == (HOOKS, "a", "b", "f")
    cells = {HOOKS: Hooks(), "a": 1, "b": 100, "f": lambda x: 50}
    closure = tuple(types.CellType(cells[name]) for name in code.co_freevars)
    function = types.FunctionType(code, {}, "f", (), closure)
    assert (function(2), function(0)) == (53, 100)


def test_lambda_as_helper() -> None:
    node = ast.parse("lambda x, y=1: x + y * 2", mode="eval").body
    assert isinstance(node, ast.Lambda)
    code = helper_code(node, "<helper>")
    function = types.FunctionType(code, {}, "f", (1,), (types.CellType(Hooks()),))
    assert function(3) == 5
    assert code.co_name == "<lambda>"


def test_only_outer_names_go_through_the_hook() -> None:
    seen: list[str] = []

    class Noting(Hooks):
        def name(self, name: str, value: Any, /) -> Any:
            seen.append(name)
            return super().name(name, value)

    node = ast.parse("def f(x):\n    y = len(x)\n    return [y + i + k for i in x]").body[0]
    assert isinstance(node, ast.FunctionDef)
    code = helper_code(node, "<helper>")
    function = types.FunctionType(code, {"k": 1}, "f", (), (types.CellType(Noting()),))
    assert function([1, 2]) == [4, 5]
    assert seen == ["len", "k", "k"]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("for i in x:\n    try: pass\n    finally: break", "finally that leaves"),
        ("try: pass\nexcept* E: pass", "try"),
        ("with x: pass", "with"),
        ("yield x", "generator function"),
        ("global y\ny = 1", "global or nonlocal"),
        ("class A: pass", "class definition"),
        ("import math", "import"),
        ("from math import pi", "import"),
        ("del x", "del"),
        ("match x:\n    case [1]: pass", "match"),
        ("x.y = 1", "assigns an attribute"),
        ("x.y += 1", "assigns an attribute"),
        ("x.y: int = 1", "assigns an attribute"),
        ("for x.y in z: pass", "assigns an attribute"),
        ("x = locals()", "uses locals"),
        ("return super().f()", "uses super"),
        ("return x.__private", "private name"),
        ("async def g(): pass", "asynchronous function"),
        ("@x\ndef g(): pass", "decorated function"),
        ("def g():\n    yield", "generator function"),
        ("return [i async for i in x]", "await"),
        ("return await x", "await"),
        ("return a and (b := c)", "assignment expression (:=) in a lazy operand"),
    ],
)
def test_what_helpers_may_not_hold(body: str, reason: str) -> None:
    node = ast.parse("def f(x):\n" + textwrap.indent(body, "    ")).body[0]
    assert isinstance(node, ast.FunctionDef)
    with pytest.raises(NotTraceable) as caught:
        helper_code(node, "<helper>")
    assert caught.value.reason == reason


def test_region_reports_statements_and_bindings() -> None:
    source = "x, y = a + 1, 2\ny += x\na[0:1] = y * 2\ny * 2"
    tree = ast.parse(source)
    (region,) = build_cell(tree, source, handle="H").regions
    bound: list[tuple[str, Any]] = []
    hooks = Hooks(lambda name, value: bound.append((name, value)))
    made = region_code(region, 0, "<cell>")
    assert made.parameters == ("a",)

    class Number(int):
        def __setitem__(self, index: slice, value: int) -> None:
            bound.append((str(index), value))

    types.FunctionType(made.code, {})(hooks, Number(4))
    assert hooks.statements == [0, 1, 2, 3]
    assert bound == [
        ("x", 5),
        ("y", 2),
        ("y", 7),
        ("slice(0, 1, None)", 14),
        ("<display>", 14),
    ]


def test_part_of_a_region() -> None:
    source = "x = a + 1\ny = x + b\nz = y + x"
    (region,) = build_cell(ast.parse(source), source, handle="H").regions
    made = region_code(region, 1, "<cell>", 2)
    assert (made.parameters, made.start, made.stop) == (("x", "b"), 1, 2)
    hooks = Hooks()
    types.FunctionType(made.code, {})(hooks, 1, 2)
    assert hooks.statements == [1]
    assert hooks.positions == [("binary", (2, 4))]


def test_unbound_input_fails_where_it_is_read() -> None:
    source = "x = a + 1\ny = x + late"
    (region,) = build_cell(ast.parse(source), source, handle="H").regions
    bound: dict[str, Any] = {}
    made = region_code(region, 0, "<cell>")
    with pytest.raises(NameError, match="late") as caught:
        types.FunctionType(made.code, {})(Hooks(bound.__setitem__), 1, UNBOUND)
    assert bound == {"x": 2}
    assert caught.traceback[1].lineno + 1 == 2


def test_arguments_may_have_any_name() -> None:
    source = "x = f(at=1, function=2, self=3, name=4)"
    (region,) = build_cell(ast.parse(source), source, handle="H").regions
    bound: dict[str, Any] = {}
    made = region_code(region, 0, "<cell>")
    types.FunctionType(made.code, {})(Hooks(bound.__setitem__), lambda **given: given)
    assert bound["x"] == {"at": 1, "function": 2, "self": 3, "name": 4}
