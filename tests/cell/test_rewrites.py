"""Rewrites of a cell's text: what they change, and that they leave the rest alone."""

from __future__ import annotations

import ast
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_npcompile.cell.rewrites import (
    CellText,
    Edit,
    Kind,
    Situation,
    candidates,
    edited,
    observed,
    parse_cell,
)
from jupyter_npcompile.cell.rewrites.text import fields_of

FLOAT = Kind("numpy", "float64")


def rewritten(source: str, line: int, column: int, **kinds: Kind) -> list[str]:
    """Every rewrite of a cell with one break point; kinds by the text of expressions."""
    tree = parse_cell(source)
    text = CellText(source)
    known = {}
    for node in observed(tree.body, frozenset({line})):
        if isinstance(node, ast.expr):
            found = kinds.get(ast.unparse(node).replace(".", "_").replace("()", ""))
            if found is not None:
                known[id(node)] = found
    points = frozenset({(line, column)})
    situation = Situation(text, tree.body, points, known)
    return [edited(source, one.edits) for one in candidates(situation)]


def test_what_is_not_changed_stays_as_it_was_typed() -> None:
    source = (
        "%%npcompile\n"
        "größe = []   # für später\n"
        "for i in range( 10 ):  # zehn\n"
        "\té = x*i;  y = 2\n"
        "\tgröße . append( float( é.sum() ) )  # 'größe'\n"
        "z  =  1"
    )
    first = rewritten(
        source, 5, 1, float_é_sum=FLOAT, **{"float(é_sum)": Kind("python", "float64")}
    )[0]
    assert first == (
        "%%npcompile\n"
        "größe = np.empty(10)   # für später\n"
        "for i in range( 10 ):  # zehn\n"
        "\té = x*i;  y = 2\n"
        "\tgröße[i] = é.sum()  # 'größe'\n"
        "größe = größe.tolist()\n"
        "z  =  1"
    )


@pytest.mark.parametrize(
    "loop",
    [
        "for i in range(9):\n    if i > 3:\n        break\n    out.append(v)",
        "for i in range(9):\n    i = 2\n    out.append(v)",
        "for i in range(9):\n    out.append(v)\n    out.append(v)",
        "for i in range(n):\n    n = 3\n    out.append(v)",
        "for i in items:\n    out.append(v)",
        "for i in range(9):\n    if i:\n        out.append(v)",
        "for i in range(0, 9, 2):\n    out.append(v)",
        "for i in range(9):\n    out.append(v)\nelse:\n    pass",
    ],
)
def test_a_list_stays_where_its_length_is_not_known(loop: str) -> None:
    source = f"out = []\n{loop}\nr = np.array(out)"
    line = 1 + source[: source.index("out.append")].count("\n")
    column = len(source.split("\n")[line - 1]) - len("out.append(v)")
    assert not [text for text in rewritten(source, line, column, v=FLOAT) if "empty" in text]


def test_a_print_moves_with_its_comment_and_its_condition() -> None:
    source = (
        "for k in range(1, n):\n"
        "    x = x / k\n"
        "    if k % 5 == 1:\n"
        "        print(f'{k}: {x.sum():.3f}', x.sum(),\n"
        "              sep='; ')  # shown\n"
        "y = x + 1\n"
    )
    first = rewritten(source, 4, 8, x_sum=FLOAT)[0]
    assert first == (
        "x_sums = np.empty(n - 1)\n"
        "for k in range(1, n):\n"
        "    x = x / k\n"
        "    x_sums[k - 1] = x.sum()\n"
        "for k in range(1, n):\n"
        "    if k % 5 == 1:\n"
        "        print(f'{k}: {x_sums[k - 1]:.3f}', x_sums[k - 1],\n"
        "              sep='; ')  # shown\n"
        "y = x + 1\n"
    )


def test_an_elif_keeps_its_test() -> None:
    source = "if a:\n    pass\nelif x.sum() > 2:\n    pass"
    assert rewritten(source, 3, 5, x_sum=FLOAT) == []


VECTORIZED = [
    ("lambda t: t if t > 0 else -t", "lambda t: np.where(t > 0, t, -t)"),
    ("lambda t, u: max(t, u) ** 2", "lambda t, u: np.maximum(t, u) ** 2"),
    ("lambda t: 0 < t < 1 or not t > 5", "lambda t: ((0 < t) & (t < 1)) | (~(t > 5))"),
    ("lambda t: math.asin( t )+1", "lambda t: np.arcsin( t )+1"),
]


@pytest.mark.parametrize(("before", "after"), VECTORIZED)
def test_numbers_become_arrays(before: str, after: str) -> None:
    found = rewritten(f"f = np.vectorize({before})\ny = f(x)", 1, 4)
    assert found[0] == f"f = {after}\ny = f(x)"


@pytest.mark.parametrize(
    "function", ["lambda t: int(t)", "lambda t: s[t]", "lambda t, *u: t", "lambda t: 'a'.join(t)"]
)
def test_what_is_made_for_numbers_stays(function: str) -> None:
    assert rewritten(f"f = np.vectorize({function})\ny = f(x)", 1, 4) == []


EXPRESSIONS = ["x", "a[1:2]", "f(x, k=2)", "'}'", "{1: 2}[1]", "a == b", "a != b", "(lambda: 1)()"]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(EXPRESSIONS),
            st.sampled_from(["", ":.3f", "!r", "!r:>10", "=", ":{w}.{p}"]),
            st.text("ab {}", max_size=4),
        ),
        max_size=4,
    )
)
def test_fields_of_f_strings_are_found(parts: list[tuple[str, str, str]]) -> None:
    text = 'f"'
    for expression, end, between in parts:
        shielded = between.replace("{", "{{").replace("}", "}}")
        expression = f" {expression}" if expression.startswith("{") else expression
        text += f"{{{expression}{end}}}{shielded}"
    text += '"'
    node = ast.parse(text, mode="eval").body
    assert isinstance(node, ast.JoinedStr | ast.Constant)
    values = [
        part.value for part in getattr(node, "values", ()) if isinstance(part, ast.FormattedValue)
    ]
    found = [text[start:end].strip() for start, end in fields_of(text)]
    assert [ast.dump(ast.parse(one, mode="eval").body) for one in found] == [
        ast.dump(value) for value in values
    ]


@given(st.text(alphabet="aé\n", max_size=30), st.data())
def test_edits_that_do_not_overlap_do_not_meet(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=6)))
    pairs = list(zip(cuts[::2], cuts[1::2], strict=False))
    same = [Edit(start, end, text[start:end]) for start, end in pairs]
    assert edited(text, same) == text
    gone = edited(text, [Edit(start, end, "") for start, end in pairs])
    assert len(gone) == len(text) - sum(end - start for start, end in pairs)


def test_nodes_are_where_python_says() -> None:
    """Every node of this very file."""
    with open(__file__, encoding="utf-8") as file:
        source = file.read()
    text = CellText(source)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.expr) and sys.version_info >= (3, 12):
            assert text.of(node) == ast.get_source_segment(source, node)
        elif isinstance(node, ast.Name | ast.Attribute | ast.Call):
            segment = ast.get_source_segment(source, node)
            assert text.of(node) == segment
