"""Loop nests over elements, as C++: what is checked, and which memory is read how."""

from __future__ import annotations

from jupyter_npcompile.loops.kinds import ArrayType, Number
from jupyter_npcompile.loops.nests import Element, Loop
from jupyter_npcompile.loops.values import Applied, Gathered, Ref, Scalar
from jupyter_npcompile.loops.writer import Writer

X = Ref("x", ArrayType("float64", 2, True))
Y = Ref("y", ArrayType("float64", 1, False))
SUM = Applied("({0} + {1} * {2})", (X, Y, Scalar("s", Number("py", "float64"))), "float64", 2)


def written(value: Applied | Ref, dims: list[str], *, is_tested: bool = False) -> list[str]:
    """The nest that gives each element of a value to ``use``."""
    writer = Writer()
    loop = Loop(writer, dims)
    loop.is_tested = is_tested
    loop.prepare(value)

    def body(element: Element, counters: list[str]) -> None:
        writer.emit(f"use({element(value)});")

    loop.run(body)
    return writer.lines


def test_shapes_are_checked_and_broadcast() -> None:
    lines = written(SUM, ["n", "m"])
    checks = [line for line in lines if line.startswith("NEED")]
    assert checks == [
        "NEED(x.n[0] == n || x.n[0] == 1);",
        "NEED(x.n[1] == m || x.n[1] == 1);",
        "NEED(y.n[0] == m || y.n[0] == 1);",
    ]
    assert not [line for line in written(SUM, ["n", "m"], is_tested=True) if "NEED" in line]


def test_there_is_a_form_for_rows_that_lie_close() -> None:
    lines = written(SUM, ["n", "m"])
    close, apart = (line for line in lines if line.startswith("use("))
    assert "[k_2] + r_" in close
    assert "[k_2 * s_" in apart.split("+")[0]
    assert close.count("* s_") == apart.count("* s_") - 1  # nobody knows how y lies
    assert sum(line.startswith("if (") for line in lines) == 1
    assert not any(line.startswith("if (") for line in written(Y, ["n"]))


def test_there_is_a_form_for_the_steps_of_slices() -> None:
    second = Ref("z", ArrayType("float64", 1, False, apart=2))
    value = Applied("({0} * {1})", (X, second), "float64", 2)
    lines = written(value, ["n", "m"])
    assert len([line for line in lines if line.startswith("use(")]) == 3
    (step,) = (line for line in lines if line.endswith(" = 2;"))
    name = step.split()[2]
    assert f"if ({name} == 2) {{" in lines
    one = Ref("y", ArrayType("float64", 1, False))  # nobody knows how it lies
    mixed = Applied("({0} * {1} * {2})", (X, second, one), "float64", 2)
    assert len([line for line in written(mixed, ["n", "m"]) if line.startswith("use(")]) == 2


def test_rows_that_follow_each_other_are_one() -> None:
    lines = written(X, ["n", "m"])
    (one,) = (line for line in lines if line.startswith("const bool one"))
    assert one.count("==") == 1
    assert any("n * m : m" in line for line in lines)
    assert not any("bool one" in line for line in written(SUM, ["n", "m"]))  # y has no rows


def test_elements() -> None:
    writer = Writer()
    loop = Loop(writer, ["n"])
    chosen = Gathered(Y, Ref("i", ArrayType("int64", 1, True)), 1)
    loop.prepare(chosen)
    assert list(loop.leaves) == ["i"]
    assert loop.element(chosen, unit=True).startswith("y.p[at((i64)r_")
    thin = Ref("c", ArrayType("int8", 1, False, thin=True))
    loop.prepare(thin)
    assert loop.element(thin, unit=False).endswith("[0]")
    row = loop.leaves["i"].row
    assert loop.target(f"{row}[k]", chosen.index) == f"((int64_t *){row})[k]"  # type: ignore[arg-type]
    loop.locals["i"] = "t_9"
    assert loop.element(chosen.index, unit=True) == "t_9"
