"""Instrumented expressions: same values, order and errors; a position for each operation."""

from __future__ import annotations

import ast
import contextlib
import types
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_npcompile.cell import HOOKS, NotTraceable, Region, build_cell, region_code
from jupyter_npcompile.cell.instrument import region_tree
from tests.support.cells.skeletons import Hooks, look_up

LOG: list[str] = []
"""What happened, in order."""


class Spy:
    """A value that notes every operation on it and answers by its label."""

    def __init__(self, label: str) -> None:
        self.label = label if len(label) < 60 else f"#{zlib.crc32(label.encode()):x}"

    def __hash__(self) -> int:
        return zlib.crc32(self.label.encode())

    def __repr__(self) -> str:
        return f"<{self.label}>"

    def __bool__(self) -> bool:
        entry = f"bool {self.label}"
        if LOG[-1:] != [entry]:  # how often one value is tested in a row is CPython's own affair
            LOG.append(entry)
        return zlib.crc32(self.label.encode()) % 2 == 0

    def __iter__(self) -> Iterator[Spy]:
        LOG.append(f"iter {self.label}")
        return iter([Spy(f"{self.label}.{i}") for i in range(2 + hash(self) % 2)])

    def __contains__(self, item: object) -> bool:
        LOG.append(f"{self.label} contains {item!r}")
        return bool(zlib.crc32(f"{self.label}{item!r}".encode()) % 2)

    def __getattr__(self, name: str) -> Spy:
        if name.startswith("__"):
            raise AttributeError(name)
        LOG.append(f"{self.label}.{name}")
        if name == "missing":
            raise AttributeError(f"no {name}")
        return Spy(f"{self.label}.{name}")

    def __call__(self, *args: object, **kwargs: object) -> Spy:
        LOG.append(f"{self.label}(*{args}, **{kwargs})")
        return Spy(f"{self.label}(*{args}, **{kwargs})")

    def __getitem__(self, index: object) -> Spy:
        LOG.append(f"{self.label}[{index!r}]")
        return Spy(f"{self.label}[{index!r}]")

    def __setitem__(self, index: object, value: object) -> None:
        LOG.append(f"{self.label}[{index!r}] = {value!r}")

    def __format__(self, spec: str) -> str:
        LOG.append(f"format {self.label} {spec!r}")
        return f"{{{self.label}}}"

    def keys(self) -> list[str]:
        LOG.append(f"keys {self.label}")
        return ["p", "q"]


def _spied(name: str) -> Callable[..., Any]:
    def operation(self: Spy, *others: object) -> Any:
        LOG.append(f"{self.label} {name} {others}")
        return Spy(f"{self.label} {name} {others}")

    return operation


for _name in [
    "add",
    "radd",
    "iadd",
    "sub",
    "rsub",
    "mul",
    "rmul",
    "imul",
    "matmul",
    "truediv",
    "rtruediv",
    "mod",
    "rmod",
    "floordiv",
    "pow",
    "rpow",
    "lshift",
    "rshift",
    "and",
    "rand",
    "or",
    "ror",
    "ior",
    "xor",
    "neg",
    "pos",
    "invert",
    "lt",
    "le",
    "gt",
    "ge",
    "eq",
    "ne",
]:
    setattr(Spy, f"__{_name}__", _spied(_name))


def spies() -> dict[str, Any]:
    return {name: Spy(name) for name in "abcd"}


def outcome(run: Callable[[dict[str, Any]], None]) -> tuple[list[str], dict[str, str], str]:
    """Run code on fresh spies: what happened, what the names hold, which error."""
    LOG.clear()
    namespace, error = spies(), ""
    try:
        run(namespace)
    except (AttributeError, TypeError, NameError, ValueError, IndexError, KeyError) as caught:
        error = type(caught).__name__
    names = {name: repr(value) for name, value in namespace.items() if name != "__builtins__"}
    return list(LOG), names, error


def regions_of(source: str) -> tuple[Region, ...]:
    return build_cell(ast.parse(source), source, handle="H", display_last=False).regions


@contextlib.contextmanager
def _no_syntax_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        yield


def check(source: str) -> None:
    """Compare the plain and the instrumented run of a straight-line cell."""
    # The operations around it make one region of all statements.
    source = f"first = a + b\n{source}\nlast = c + d"

    def plainly(namespace: dict[str, Any]) -> None:
        with _no_syntax_warnings():
            code = compile(source, "<cell>", "exec", dont_inherit=True)
        exec(code, namespace)

    def instrumented(namespace: dict[str, Any]) -> None:
        (region,) = regions_of(source)
        made = region_code(region, 0, "<cell>")
        hooks = Hooks(namespace.__setitem__)
        inputs = [look_up(name, namespace, {}, ()) for name in made.parameters]
        types.FunctionType(made.code, {})(hooks, *inputs)

    assert outcome(instrumented) == outcome(plainly)
    for region in regions_of(source):
        check_positions(region)


HOOK_OF: dict[type[ast.AST], str] = {
    ast.Call: "call",
    ast.BinOp: "binary",
    ast.FormattedValue: "format",
    ast.AugAssign: "augment",
}


def expected_positions(region: Region) -> Counter[tuple[str, tuple[int, int]]]:
    """Count the hook calls that the operations of a region should have."""
    found: Counter[tuple[str, tuple[int, int]]] = Counter()
    for statement in region.statements:
        for node in ast.walk(statement.node):
            for hook, at in _hooks_of(node):
                found[hook, (at.lineno, at.col_offset)] += 1
    return found


def _hooks_of(node: ast.AST) -> Iterator[tuple[str, Any]]:
    if isinstance(node, (ast.Call, ast.BinOp, ast.AugAssign)):
        yield HOOK_OF[type(node)], node
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Subscript):
            yield "subscript", node.target
    elif isinstance(node, ast.FormattedValue):
        yield "format", node.value
    elif isinstance(node, ast.Attribute):
        yield "attribute", node
    elif isinstance(node, ast.Subscript):
        yield ("subscript" if isinstance(node.ctx, ast.Load) else "store"), node
    elif isinstance(node, ast.UnaryOp):
        if not isinstance(node.op, ast.Not) and not isinstance(node.operand, ast.Constant):
            yield "unary", node
    elif isinstance(node, ast.Compare):
        for _ in node.ops:
            yield "compare", node
    elif isinstance(node, ast.Starred):
        if isinstance(node.ctx, ast.Load):
            yield "iterate", node.value
    elif isinstance(node, ast.comprehension):
        yield "iterate", node.iter
    elif isinstance(node, (ast.Tuple, ast.List)) and isinstance(node.ctx, ast.Store):
        yield "unpack", node


def check_positions(region: Region) -> None:
    tree = region_tree(region, 0, len(region.statements))
    found: Counter[tuple[str, tuple[int, int]]] = Counter()
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == HOOKS
        ):
            hook = node.func.attr
            if hook in ("name", "slice", "statement", "bind", "truth"):
                continue
            at = node.args[0]
            assert isinstance(at, ast.Constant)
            found[hook, at.value] += 1  # type: ignore[index]
    assert found == expected_positions(region)


SOURCES = [
    "x = a + b * c - d",
    "x = -a + ~b - (+c) + (-1) + (not d)",
    "x = a < b",
    "x = a < b < c < d",
    "x = a in b\ny = a not in c is d\nz = a is not None",
    "x = a and b and c\ny = a or b or c",
    "x = (a and b) or (c and not d)",
    "x = not (a and b or c)",
    "x = a if b else c\ny = a if b and not c or d else d",
    "x = a if a < b < c else d",
    "x = a.p.q(b, *c, *d, k=a, **{'m': b}, **c)",
    "x = a[b]\ny = a[1:2, ..., None, b:c:d, ::2]\nz = a[:]",
    "x = a[*b, 1:2]",
    "a[b.i()] = c.v()\na[1:2] = b + c",
    "a[b.i(), c:d] += d.v()\na[1] *= b",
    "a += b\nb |= c\nx = a + b",
    "x = y = a[b.i()] = c + d",
    "x, y = a + b",
    "x, (y, *z), b[x.i()] = a.p, b + c, d",
    "*x, y = a + b",
    "[x, *y] = a + b\n() = a[0:0] or []",
    "x = [a + i for i in b]\ny = {i: i + j for i in a if i if i < b for j in i}",
    "x = [i + k for i, (j, *k) in [(a, (b, c, d)), (a, b)] if j]",
    "x = [a for a in a if a + b]\ny = {i for i in {a, b}}",
    "x = list(i + a for i in b)\ny = sum((i for i in [1, 2, 3]), a)",
    "x = [[i + j for j in i] for i in a + b]",
    "x = [i for i in (a and b)]\ny = [i for i in a if b or c]\nz = [i for i in [a < b < c]]",
    "x = (lambda p, q=a + b, *r, s=c.k: p + q + s)(d)",
    "x = (lambda: b + a)()\nb = a + c\ny = (lambda: b + a)()",
    "x = [*a, b + c, *d]\ny = (*a,)\nz = {*a, b} or {a: b, **c}",
    "x = f'{a} {b + c!r:>{d}} {a.p=} {c!s} {d!a:{a}{b}}'\ny = a + b",
    "x = a.missing + b\ny = a + b",
    "x = a + b\ny = nowhere + x",
    "x = a + b\nx = x + c\nx += d\ny = x + a",
    "x = (a\n  + b\n    * c.p(d,\n  a))",
    "a.p()\nb[1]\na < b < c\na and b",
    "x = a + 1; y = x[0]",
    "x = a @ b // c % d ** a << b >> c & d | a ^ b",
    "x = {a + b: c + d, 'k': a}\ny = x.get(a)",
    "x = a + b if __debug__ else c",
    "x = 1 < 2 < a\ny = 1 and a.p or 2",
    "x = a.p(b if c else d)(*[a, b])(**{'z': c})",
    "x = print_ = (a, b + c, [d, (a,)])",
]


@pytest.mark.parametrize("source", SOURCES)
def test_same_as_plain_python(source: str) -> None:
    check(source)


def _join(parts: list[str]) -> str:
    return ", ".join(parts)


def expressions() -> st.SearchStrategy[str]:
    """Generate expressions over the names a to d, all parenthesised."""
    atoms = st.sampled_from(["a", "b", "c", "d", "a", "b", "1", "-2", "'s'", "None", "..."])

    def extend(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        some = st.lists(inner, min_size=1, max_size=3)
        binary = st.sampled_from(["+", "-", "*", "@", "/", "%", "//", "&", "|", "^", "<<"])
        comparison = st.sampled_from(["<", "<=", "==", "!=", ">", "in", "not in", "is", "is not"])
        slices = st.builds("{}:{}:{}".format, inner | st.just(""), inner, st.just("") | inner)
        starred = st.builds("*{}".format, inner)
        keywords = st.dictionaries(st.sampled_from(["k", "m"]), inner, max_size=2).map(
            lambda given: [f"{name}={value}" for name, value in given.items()]
        )
        arguments = st.builds(
            lambda first, named: _join([*first, *named]),
            st.lists(inner | starred, max_size=2),
            keywords,
        )
        clause = st.builds(
            " for {} in {}{}".format,
            st.sampled_from(["a", "i", "i, j", "i, *j", "(i, (j, *a))"]),
            inner,
            st.just("") | st.builds(" if {}".format, inner),
        )
        clauses = st.lists(clause, min_size=1, max_size=2).map("".join)
        return st.one_of(
            st.builds("({} {} {})".format, inner, binary, inner),
            st.builds("({}{})".format, st.sampled_from(["-", "~", "not "]), inner),
            st.builds("({} {} {})".format, inner, comparison, inner),
            st.builds("({} {} {} {} {})".format, inner, comparison, inner, comparison, inner),
            st.lists(inner, min_size=2, max_size=3).map(lambda p: f"({' and '.join(p)})"),
            st.lists(inner, min_size=2, max_size=3).map(lambda p: f"({' or '.join(p)})"),
            st.builds("({} if {} else {})".format, inner, inner, inner),
            st.builds("({}).{}".format, inner, st.sampled_from(["p", "q", "missing"])),
            st.builds("({})[{}]".format, inner, inner | slices),
            st.builds("({})[{}, {}]".format, inner, inner | starred, slices),
            st.builds("({})({})".format, inner, arguments),
            st.lists(inner | starred, min_size=1, max_size=3).map(lambda p: f"[{_join(p)}]"),
            some.map(lambda p: f"({_join(p)},)"),
            st.builds("{{'k': {}, **{}}}".format, inner, inner),
            st.builds("[{}{}]".format, inner, clauses),
            st.builds("list({}{})".format, inner, clauses),
            st.builds("{{1: {}{}}}".format, inner, clauses),
            st.builds("(lambda i, j={}: {})({})".format, inner, inner, inner),
            st.builds("(lambda: {})()".format, inner),
        )

    return st.recursive(atoms, extend, max_leaves=12)


def statements() -> st.SearchStrategy[str]:
    value = expressions()
    return st.one_of(
        st.builds("x = {}".format, value),
        st.builds("b = {}".format, value),
        st.builds("a += {}".format, value),
        st.builds("{}[{}] = {}".format, st.sampled_from("abc"), value, value),
        st.builds("{}[{}:{}] *= {}".format, st.sampled_from("abc"), value, value, value),
        st.builds("x, *y = {}".format, value),
        st.builds("(x, (y, b)), a[{}] = z = {}".format, value, value),
        value,
    )


@settings(max_examples=150, deadline=None)
@given(st.lists(statements(), min_size=1, max_size=3))
def test_generated_code_is_the_same(lines: list[str]) -> None:
    check("\n".join(lines))


def test_columns_are_characters() -> None:
    source = "é = a; ü = 'ß' * é.real + a[0]"
    region = regions_of(source)[0]
    tree = region_tree(region, 0, 1)
    positions = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    assert (1, source.index("'ß'")) in positions
    assert (1, source.index("é.real")) in positions
    assert (1, source.index("a[0]")) in positions


def test_values_are_evaluated_once() -> None:
    calls: list[str] = []

    def tell(name: str, value: object) -> object:
        calls.append(name)
        return value

    source = (
        "x = tell('a', 0) and tell('b', 1) or tell('c', 2)\ny = 1 < tell('d', 0) < tell('e', 5)"
    )
    namespace: dict[str, Any] = {"tell": tell}
    (region,) = regions_of(source)
    made = region_code(region, 0, "<cell>")
    types.FunctionType(made.code, {})(Hooks(namespace.__setitem__), tell)
    assert calls == ["a", "c", "d"]
    assert (namespace["x"], namespace["y"]) == (2, False)


@pytest.mark.parametrize(
    ("source", "reason", "column"),
    [
        ("x = a + vars", "uses vars", 8),
        ("x = a.__secret + 1", "private name", 4),
    ],
)
def test_refusals_name_the_place(source: str, reason: str, column: int) -> None:
    (region,) = regions_of(source)
    with pytest.raises(NotTraceable) as caught:
        region_code(region, 0, "<cell>")
    assert (caught.value.reason, caught.value.line, caught.value.column) == (reason, 1, column)
