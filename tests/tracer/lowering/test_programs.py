"""Programs with views, writes and aliases, lowered and held against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from jupyter_npcompile.graph import to_text
from jupyter_npcompile.tracer.lowering import lower
from tests.support.lowering.programs import Program, check, run

X = np.arange(10.0)
A = np.arange(12.0).reshape(3, 4)
Z = np.array([1 + 2j, 3 - 1j, -2j])


def slice_write(p: Program) -> None:
    x = p.input(X)
    x[1:-1] = 0.5 * (x[:-2] + x[2:])
    p.output(x=x)


def overlapping_write(p: Program) -> None:
    x = p.input(X)
    x[1:] = x[:-1]
    p.output(x=x)


def view_of_view(p: Program) -> None:
    x = p.input(X)
    y = x[2:8]
    z = y[::2]
    z += 100
    p.output(y=y, z=z)


def read_after_write_of_base(p: Program) -> None:
    x = p.input(X)
    y = x[::-1]
    x[0] = 50.0
    p.output(last=y[9], total=p("numpy.sum", y))


def write_through_reversed(p: Program) -> None:
    x = p.input(X)
    y = x[::-1]
    y[:3] = [7.0, 8.0, 9.0]
    p.output(x=x)


def write_through_reversed_step(p: Program) -> None:
    x = p.input(X)
    y = x[8:1:-3]
    y *= -1
    p.output(y=y)


def swap_elements(p: Program) -> None:
    x = p.input(X)
    first, second = x[0], x[1]
    x[0] = second
    x[1] = first
    p.output(x=x)


def transposed_write(p: Program) -> None:
    a = p.input(A)
    t = p("ndarray.T", a)
    t[1] = 5.0
    t += p("numpy.arange", 3)
    p.output(t=t)


def reshaped_write(p: Program) -> None:
    a = p.input(A)
    flat = p("ndarray.reshape", a, -1)
    flat[5] = -1.0
    flat[::4] = 9.0
    p.output(a=a)


def copied_reshape_is_apart(p: Program) -> None:
    a = p.input(A)
    flat = p("ndarray.reshape", p("ndarray.T", a), -1)
    flat[0] = 99.0
    p.output(a=a, flat=flat)


def flatten_is_apart(p: Program) -> None:
    a = p.input(A)
    flat = p("ndarray.flatten", a)
    flat += 1
    p.output(a=a, flat=flat)


def diagonal_of_real(p: Program) -> None:
    z = p.input(Z)
    real, imag = p("ndarray.real", z), p("ndarray.imag", z)
    real += 10
    imag[0] = 0.0
    p.output(z=z, both=real + imag)


def real_of_real_is_itself(p: Program) -> None:
    x = p.input(X)
    same = p("ndarray.real", x)
    same += 1
    p.output(x=x)


def asarray_is_itself(p: Program) -> None:
    x = p.input(X)
    y = p("numpy.asarray", x)
    y[0] = 3.0
    p.output(x=x, y=y)


def split_parts_are_views(p: Program) -> None:
    a = p.input(A)
    left, right = p("numpy.split", a, 2, axis=1)
    left += right
    right[0] = 0.0
    p.output(a=a)


def mask_write(p: Program) -> None:
    x = p.input(X)
    x[x > 4] = 0.0
    p.output(x=x)


def mask_add(p: Program) -> None:
    a = p.input(A)
    mask = a > 4
    a[mask] = -1.0
    a[p("numpy.any", mask, axis=1)] = p("numpy.arange", 4.0)
    p.output(a=a)


def fancy_write_last_wins(p: Program) -> None:
    x = p.input(X)
    places = p.input(np.array([1, 3, 1, -1]))
    x[places] = p("numpy.arange", 4.0)
    p.output(x=x)


def fancy_and_slices(p: Program) -> None:
    a = p.input(np.arange(60.0).reshape(3, 4, 5))
    rows = p.input(np.array([0, 2]))
    picked = a[rows, 1:3]
    apart = a[rows, :, rows]
    mixed = a[0, :, rows]
    a[rows, 0] = 1.0
    a[1, [0, 2], ::2] = p("numpy.ones", 3)
    p.output(picked=picked, apart=apart, mixed=mixed, new=a[:, None, [1, 2], 0])


def integer_that_changes(p: Program) -> None:
    a = p.input(A)
    k = p.input(np.int64(-2))
    row = a[k]
    row += 1
    a[k, 0] = 9.0
    p.output(element=a[k, k], row=row)


def augmented_item(p: Program) -> None:
    x = p.input(X)
    value = x[3]
    value += 2
    x[3] = value
    part = x[4:6]
    part *= 3
    x[4:6] = part
    p.output(x=x)


def empty_then_filled(p: Program) -> None:
    u = p.input(A)
    v = p("numpy.empty", (3, 4))
    v[...] = u
    v[:, 0] = 0.0
    p("ndarray.fill", v[0], 7)
    p.output(v=v, w=v[1:])


def unsigned_in_place(p: Program) -> None:
    x = p.input(np.array([1, 65535, 3], np.uint16))
    x += 1
    x <<= 2
    y = p("ndarray.astype", x, np.dtype("uint64"))
    y -= 5
    p.output(x=x, y=y)


def in_place_keeps_the_dtype(p: Program) -> None:
    x = p.input(np.arange(4, dtype=np.float32))
    y = p.input(np.full(4, 0.1))
    x += y
    x *= 3
    p.output(x=x)


def ufunc_with_out_and_where(p: Program) -> None:
    x, y = p.input(X), p("numpy.zeros", 10)
    p("numpy.sqrt", x, out=y, where=x > 3)
    p("numpy.add.reduce", x, out=y[0:1], keepdims=True)
    p("numpy.add.at", y, [1, 1, 2], 1.0)
    p.output(y=y)


def sort_of_a_column(p: Program) -> None:
    a = p.input(np.array([[3.0, 1.0], [1.0, 5.0], [2.0, 0.0]]))
    p("ndarray.sort", a[:, 0])
    p.output(a=a)


def fortran_order(p: Program) -> None:
    a = p.input(np.asfortranarray(A))
    b = a + 1
    c = p("numpy.copy", b)
    flat = p("numpy.ravel", b, "K")
    p.output(b=b, c=c, flat=flat, d=p("ndarray.T", b) * 2, z=p("numpy.zeros_like", a))


def permuted_order(p: Program) -> None:
    a = p.input(np.arange(24.0).reshape(2, 3, 4).transpose(2, 0, 1))
    b = a * 2
    b[0] = 0.0
    p.output(b=b)


def backwards_in_the_order_of_memory(p: Program) -> None:
    """Axes that go backwards stay so: only the order of the axes is that of memory."""
    a = p.input(np.arange(24.0).reshape(2, 3, 4))
    b = p("numpy.transpose", a[::-1, :, ::-2], (2, 0, 1))
    p.output(flat=p("numpy.ravel", b, "K"), same=p("ndarray.flatten", b, "K"))


def two_names_for_one(p: Program) -> None:
    x = p.input(X)
    y = x + 1
    z = y[2:]
    z += 1
    p.output(y=y, z=z, w=y)


def broadcast_is_materialised(p: Program) -> None:
    x = p.input(X)
    wide = p("numpy.broadcast_to", x, (2, 10))
    p.output(copy=p("numpy.copy", wide), full=p("numpy.full", (2, 3), x[1]))


def newton(p: Program) -> None:
    x = p("numpy.full_like", p.input(X), 1.0)
    target = p.input(X)
    for _ in range(3):
        x -= (x * x - target) / (2 * x)
    p.output(x=x)


def python_numbers(p: Program) -> None:
    x, k, f = p.input(X.astype("float32")), p.input(3), p.input(0.5)
    number = p("python.add", p("python.float", p("numpy.sum", x)), f)
    p.output(y=x * k, z=x + f, n=p("numpy.multiply", x, number))


def window(p: Program) -> None:
    x, k = p.input(X), p.input(2)
    part = x[k : p("python.add", k, 3)]
    part += 1
    p.output(part=part)


def divmod_and_parts(p: Program) -> None:
    x = p.input(X)
    whole, rest = p("numpy.divmod", x, 3.0)
    mantissa, exponent = p("numpy.frexp", x)
    p.output(whole=whole, rest=rest, m=mantissa, e=exponent)


PROGRAMS: list[Callable[[Program], None]] = [
    slice_write,
    overlapping_write,
    view_of_view,
    read_after_write_of_base,
    write_through_reversed,
    write_through_reversed_step,
    swap_elements,
    transposed_write,
    reshaped_write,
    copied_reshape_is_apart,
    flatten_is_apart,
    diagonal_of_real,
    real_of_real_is_itself,
    asarray_is_itself,
    split_parts_are_views,
    mask_write,
    mask_add,
    fancy_write_last_wins,
    fancy_and_slices,
    integer_that_changes,
    augmented_item,
    empty_then_filled,
    unsigned_in_place,
    in_place_keeps_the_dtype,
    ufunc_with_out_and_where,
    sort_of_a_column,
    fortran_order,
    permuted_order,
    backwards_in_the_order_of_memory,
    two_names_for_one,
    broadcast_is_materialised,
    newton,
    python_numbers,
    window,
    divmod_and_parts,
]


def build(make: Callable[[Program], None]) -> Program:
    program = Program()
    make(program)
    return program


@pytest.mark.parametrize("make", PROGRAMS, ids=lambda f: f.__name__)
def test_program(make: Callable[[Program], None]) -> None:
    lowered = check(build(make), ulp=4, rtol=1e-12)
    for node in lowered.module.graph.nodes:
        if isinstance(node.target, torch._ops.OpOverload):
            assert not node.target._schema.is_mutable


def test_outputs_share_no_memory() -> None:
    program = Program()
    x = program.input(A)
    program.output(copy=program("ndarray.copy", x), turned=program("ndarray.flatten", x))
    program.output(constant=program("numpy.asarray", [1.0, 2.5, 3.0]))
    module = lower(program.graph()).module
    given = torch.from_numpy(A.copy())
    first, second = module(given), module(given)
    places = {t.untyped_storage().data_ptr() for t in (*first, *second, given)}
    assert len(places) == 7


def test_text_of_the_lowered_graph() -> None:
    program = build(slice_write)
    aten = lower(program.graph()).aten
    assert to_text(aten) == TEXT
    assert {node.position.line for node in aten.nodes} >= {4, 5}


TEXT = """\
aten (x1: float64[10]):
  %0: float64[8] = aten.slice.Tensor(x1, 0, 0, 8)               # 2:4
  %1: float64[8] = aten.slice.Tensor(x1, 0, 2, 10)              # 3:4
  %2: float64[8] = aten.add.Tensor(%0, %1)                      # 4:4
  %3: float64[8] = aten.mul.Tensor(%2, 0.5)                     # 5:4
  %4: float64[10] = aten.slice_scatter.default(x1, %3, 0, 1, 9)  # 6:4
  return x1=%4"""


# -- what must not pass in silence


def _again(make: Callable[[Program], Any], *inputs: Any) -> bool:
    """Lower with the first inputs, run with others; whether the checks pass."""
    program = build(make)
    lowered = lower(program.graph())
    program.given = list(inputs)
    return run(program, lowered)[2]


def test_singular_matrix_fails_a_check() -> None:
    def make(p: Program) -> None:
        p.output(y=p("numpy.linalg.inv", p.input(np.eye(2))))

    assert _again(make, np.eye(2) * 3)
    assert not _again(make, np.ones((2, 2)))


def test_not_positive_definite_fails_a_check() -> None:
    def make(p: Program) -> None:
        p.output(y=p("numpy.linalg.cholesky", p.input(np.eye(2))))

    assert not _again(make, -np.eye(2))


@pytest.mark.parametrize(("k", "fine"), [(2, True), (-3, True), (3, False), (-4, False)])
def test_index_out_of_bounds_fails_a_check(k: int, fine: bool) -> None:
    def make(p: Program) -> None:
        p.output(y=p.input(A)[p.input(np.int64(1))], z=p.input(A)[p.input(np.array([1]))])

    assert _again(make, A, np.int64(k), A, np.array([k])) is fine


def test_negative_integer_power_fails_a_check() -> None:
    def make(p: Program) -> None:
        p.output(y=p.input(np.arange(1, 4)) ** p.input(np.arange(3)))

    assert _again(make, np.arange(3), np.arange(3))
    assert not _again(make, np.arange(3), -np.arange(3))


def test_division_by_zero_fails_a_check() -> None:
    def make(p: Program) -> None:
        p.output(y=p.input(np.arange(1, 4)) // p.input(np.arange(1, 4)))

    assert not _again(make, np.arange(3), np.arange(3))


def test_conversion_out_of_range_fails_a_check() -> None:
    def make(p: Program) -> None:
        p.output(y=p("ndarray.astype", p.input(X), np.dtype("int32")))

    assert _again(make, X - 5)
    assert not _again(make, X * 1e9)
    assert not _again(make, X * np.nan)


def test_window_of_another_length_fails_a_check() -> None:
    assert _again(window, X, 5)
    assert not _again(window, X, 8)


def test_equal_elements_fail_the_check_of_an_unstable_argsort() -> None:
    def make(p: Program) -> None:
        p.output(y=p("numpy.argsort", p.input(X)))

    assert not _again(make, X * 0)


def test_lstsq_of_another_rank_fails_a_check() -> None:
    def make(p: Program) -> None:
        parts = p("numpy.linalg.lstsq", p.input(A.T + np.eye(4, 3)), p.input(np.arange(4.0)))
        p.output(y=parts[0], residuals=parts[1])

    assert not _again(make, np.ones((4, 3)), np.arange(4.0))
