"""What each kind of statement means in a native loop: what it means in Python and NumPy."""

# ruff: noqa: E501 - a row is a line

from __future__ import annotations

import ast
import textwrap
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

import jupyter_npcompile
from tests.support.compiling.batches import Batches
from tests.support.loops.native_batches import compiled_together
from tests.support.loops.native_loops import (
    Function,
    assert_same,
    compiled,
    define,
    how,
    outcome,
    reasons,
)


class Row(NamedTuple):
    """A loop.

    Parameters
    ----------
    name : str
        What it is about.
    arguments : str
        ``name=expression, ...``: made anew for each run; ``R`` draws random numbers.
    body : str
        The statements.
    how : {"native", "refused", "python", ""}
        Whether native code runs it, leaves it to NumPy, or is never made; empty where
        the compiler decides.
    results : str
        Names that are returned besides the arguments.
    """

    name: str
    arguments: str
    body: str
    how: str = "native"
    results: str = "t"


def each(family: tuple[str, str, str], *expressions: str) -> Iterator[Row]:
    """A row for each expression: of a name and a number, some arguments and a loop."""
    name, arguments, loop = family
    for k, expression in enumerate(expressions):
        yield Row(f"{name}_{k}", arguments, f"{loop}: t = {expression}")


ROWS: tuple[Row, ...] = (
    # -- Python's integers
    Row("int_sum", "n=9", "t = 0\nfor i in range(n): t += i * i"),
    Row("int_overflow", "n=70", "t = 1\nfor i in range(n): t *= 3", "refused"),
    Row("int_add_overflow", "n=4, x=2**62", "t = x\nfor i in range(n): t += x", "refused"),
    Row("int_far_range", "a=2**39", "t = 0\nfor i in range(0, 2**52, a): t += i * 8192", "refused"),
    Row("int_signs", "n=7", "t = 0\nfor i in range(-n, n): t = t * 3 + i // 3 + i % 3 + -i % -4"),
    Row("int_zero_division", "n=4", "t = 0\nfor i in range(-n, n): t += 7 // i", "refused"),
    Row("int_zero_modulo", "n=4", "t = 0\nfor i in range(-n, n): t += 7 % i", "refused"),
    Row("int_true_division", "n=8", "t = 0.0\nfor i in range(1, n): t += i / (i + 2)"),
    Row(
        "list_of_range",
        "n=5",
        "for i in range(n):\n t = list(range(n, n + i + 1))\n t[i] += sum(range(i))",
    ),
    Row("ones_in_binary", "n=70", "t = 0\nfor i in range(-n, n): t += bin(i).count('1') * i"),
    Row(
        "ones_in_binary_of_an_array",
        "x=R.integers(-99, 99, 9).astype('int32')",
        "t = 0\nfor v in x: t += bin(v).count('1')",
    ),
    *each(
        ("clip", "x=R.normal(size=9), a=R.normal(size=9)", "for i in range(3)"),
        "x.clip(0.2 * i)",
        "np.clip(x, None, 0.5 + i)",
        "x.clip(max=0.3 * i)",
        "x.clip(min=-0.3, max=0.3 * i)",
        "np.clip(x, a_min=a, a_max=None)",
        "np.clip(x, a, a + i)",
        "np.clip(x, -0.1, a_max=0.5)",
        "(x * 99).astype('int16').clip(5 * i)",
        "np.abs(x * 50).astype('uint8').clip(5, 60 * (i + 1))",
        "x.astype('float32').clip(0.1)",
    ),
    *each(
        ("triangle", "n=6", "for i in range(-2, n)"),
        "np.triu_indices(n, i)",
        "np.tril_indices(n, i, 4)",
        "np.tril_indices(max(i, 0))",
        "np.triu_indices(3, k=i, m=n)",
    ),
    # -- a Python integer, or a NumPy integer of another dtype
    *(
        Row(
            f"either_{name}_{dtype}",
            f"H=R.integers(1, 5, (7, 7)).astype('{dtype}')",
            f"t = 0\nfor i in range(1, 7):\n{textwrap.indent(body, ' ')}",
            results="t, u, t + 1, t * 2.5, t / 2, t // 2, t % 3, int(t), float(t), [t, 3]",
        )
        for dtype in ("int64", "int32", "int16", "int8", "uint8", "uint16")
        for name, body in (
            ("max", "u = H[i, 1] + (3 if i % 3 else 1)\nt = max(0, u, H[i, 2] - 1)\nH[i, 3] = t"),
            ("min", "u = min(7, H[i, 0])\nt = min(t, u) if i > 4 else u"),
            ("best", "u = H[i, i]\nif u > t: t = u"),
            ("never", "u = H[i, i]\nif u > 9: t = u"),
            ("edge", "u = H[i - 1, 1] if i > 3 else 0\nt = u or H[0, i]"),
            ("sum", "u = t\nt = t + H[i, i]"),
            ("chain", "u = H[i, 0] - 1 if i % 2 else 5\nt = u * 3 + t % 2\nif not u: t = 1"),
        )
    ),
    Row(
        "kept_where_nothing_is_assigned",
        "x=R.normal(size=9)",
        "t, place, found = 99.0, (-1, None), [3]\n"
        "for i in range(9):\n if x[i] > t: place, found, t = (i, i), [i], x[i]",
        results="t, place, found",
    ),
    Row(
        "kept_until_something_is_assigned",
        "x=R.normal(size=9)",
        "t, place, found = -99.0, None, 'none'\n"
        "for i in range(9):\n if x[i] > t: place, found, t = i, x[i], x[i]",
        results="t, place, found",
    ),
    Row(
        "either_overflow",
        "H=np.full(4, 100, 'int8')",
        "t = 0\nfor i in range(4): t = t + H[i]",
        "refused",
    ),
    Row(
        "either_no_room",
        "H=np.full(4, 100, 'int8')",
        "t = 300\nfor i in range(4):\n if H[i] > t: t = H[i]",
        "refused",
    ),
    Row("int_shifts", "n=20", "t = 0\nfor i in range(n): t ^= (1 << i) >> 2 | 5 & i"),
    Row("int_shift_far", "n=70", "t = 0\nfor i in range(n): t = 1 << i", "refused"),
    Row("int_shift_negative", "n=3", "t = 0\nfor i in range(n): t = 1 << (1 - i)", "refused"),
    Row("int_invert", "n=9", "t = 0\nfor i in range(n): t += ~i & 0xff"),
    Row("int_power", "n=9", "t = 0\nfor i in range(n): t += i ** 3 + i ** 2"),
    Row(
        "counters",
        "n=9",
        "c, d, t = 0, 0, []\nfor i in range(n):\n    if i % 3: c += 2\n    d = 1 - d - 3\n    e = max(c, -d) * 3 + c // 2 - (d << 2)\n    t.append((c, d, e, -c % 5))",
        "native",
    ),
    Row(
        "counter_that_is_none",
        "n=30",
        "t = 1\nfor i in range(n): t = (t | 1152921504606846975) + 1",
        "refused",
    ),
    Row(
        "counter_that_doubles",
        "n=140",
        "t = 0\nfor i in range(n):\n    t += 3\n    if i % 2: t = t + t",
        "refused",
    ),
    Row("counter_from_afar", "t=2**62 - 3", "for i in range(9): t += 1", "native", ""),
    Row("counter_at_the_end", "t=2**63 - 3", "for i in range(9): t += 1", "refused", ""),
    Row(
        "python_integers",
        "n=12, k=np.array([3, 1, 4, 1])",
        "t, seen = [], []\nfor i, v in enumerate(range(-5, n), start=2 - n):\n    q, r = divmod(i * v, -5)\n    assert r > -5, 'no'\n    if v not in seen and i in (1, -3, 2, n - 20): seen.append(v)\n    if k[0] in seen or v in []: q += 100\n    t.append((q, r, i.bit_length(), (v * 77).bit_count(), v not in (1, 2)))\nfor j, w in enumerate(k, 1): t.append((j, int(w), 0, 0, True))\nt = t, seen",
        "native",
    ),
    Row(
        "integer_at_first",
        "a=R.normal(size=6), n=4",
        "t, s, found = 0, 0, []\nfor v in a:\n    found.append((t * 0.5, t < 0.25, 2.0 - t, t / n))\n    t += v\nfor v in a: s += v\nt = t, found, s / n, s * 2, s > 0, -1.0 * s",
        "native",
    ),
    Row(
        "integer_at_first_for_long",
        "a=R.normal(size=6)",
        "t, u = 0, 0\nfor v in a:\n    u = t + 1\n    t += v\n    if t > -99: break\nt = t, u",
        "",
    ),
    Row(
        "list_of_two_names",
        "n=3",
        "t, u = [1, 2], [3]\nv = t\nfor i in range(3):\n    v.append(i)\n    w = u\n    w[0] += 1\nt = t, u, v",
        "",
    ),
    Row(
        "list_in_a_dict_and_by_a_name",
        "n=3",
        "t = []\nfor i in range(3):\n    u = [i]\n    d = {'k': u}\n    d['k'].append(2)\n    t.append(len(u))",
        "",
    ),
    Row(
        "number_or_array",
        "n=4, m=R.normal(size=(4, 3))",
        "t = 0\nfor i in range(n):\n    if i: t = t + m[i]",
        "python",
    ),
    Row(
        "signed_and_unsigned",
        "u=R.integers(0, 255, 9).astype('u1'), i=R.integers(-300, 300, 9), w=np.array([2**32 - 1, 0, 5]), j=np.array([-1, 0, 5], dtype='i4')",
        "w = w.astype('u4')\nt = []\nfor k in range(9): t.append((u[k] < i[k], i[k] == u[k], w[k % 3] > j[k % 3], w[0] != j[0]))\nt = t, u < i, u == i, w > j, j <= w, w == j, u >= i.max()",
        "native",
    ),
    Row(
        "int_masks",
        "n=40, k=I('int64')",
        "c, d, e, t = 0, 0, 0, []\nfor i in range(-n, n):\n    c += i & 1\n    d += (i & 7) - (i % 8) + (i > 3)\n    e ^= (7 & i) | (i & -4)\n    t.append((c, d, e, i % n, i % -n, (n - i) % 7, int(k[i % 6]) % (n + 5), i % 2**33))",
    ),
    Row(
        "short_ranges",
        "g=R.integers(0, 9, (5, 4)), n=3",
        "t = np.zeros(60)\nfor i in range(5):\n    for j in range(4):\n        for p in range(-1, 2):\n            for q in range(1, -2, -1):\n                t[i * 4 + j] += g[(i + p) % 5, (j + q) % 4] * (p - q)\n        for b in range(20): t[b + 2 * n] -= g[i, j] >> b\n        for b in range(0): t[b] = 1\n        for b in range(70, 0, -1):\n            if b < i: break\n            t[b % 60] *= 0.5",
    ),
    Row(
        "short_range_too_far",
        "a=R.normal(size=4)",
        "t = 0.0\nfor i in range(3):\n    for k in range(3): t += a[i + k]",
        "",
    ),
    Row(
        "int_powers_of_two",
        "k=I('int64') - 25, c=I('int8') - 25, u=I('uint8'), x=R.integers(-99, 99)",
        "t = []\nfor i in range(-9, 6): t.append((i // 4, i % 8, k[i % 6] // 2, c[i % 6] % 16, u[i % 6] // 64, int(x) % 1, (k // 4)[i % 6], (c % 2)[i % 6], (u // 128)[i % 6], x // 8))",
    ),
    # -- elements that an iteration has from those before it
    Row(
        "carried",
        "y=R.normal(size=9), x=R.normal(size=9), m=R.normal(size=(5, 5)), k=I('int64'), f=R.random(6) < 0.5, s=I('float32')",
        "t = 0\nfor r in range(1, 4):\n    for n in range(2, len(y)): y[n] = 0.5 * y[n - 1] - 0.25 * y[n - 2] + x[n]\n    for n in range(len(y) - 4, -1, -1): x[n] += x[1 + n] * 0.5 - x[n + 3]\n    for j in range(1, 5):\n        if m[r, j] > 0: m[r, j] = m[r, j - 1] + m[r - 1, j]\n        elif m[r, j] < -9: return t\n        else: m[r, j] = m[r, j - 1] * 0.5\n    for j in range(1, 5): m[j][r] += m[j - 1][r]\n    for n in range(1, len(k)):\n        z = k[n - 1]\n        k[n] = k[n] + z\n        t += z + k[n - 1] * 2 + k[n]\n        if t > 999999: break\n    for n in range(4, len(y), 2): y[n] = y[n - 2] - y[n - 1] * y[n - 4]\n    for n in range(3, r): y[n] = y[n - 2]\n    for n in range(r - 1, 4): s[n] = s[n - 1] * 0.5\n    for n in range(1, len(f)): f[n] = f[n - 1] != f[n]",
    ),
    Row(
        "carried_and_not",
        "y=R.normal(size=9), m=R.normal(size=(5, 5)), r=2",
        "v = y[1:]\nt = 0\nfor i in range(1, 4):\n    for n in range(1, 8):\n        y[n] = y[n - 1] * 0.5\n        v[n] = y[n - 1] + v[n - 1]\n    for n in range(1, 8):\n        if y[n] > 0: y[n] = y[n - 1] * 0.5\n    for n in range(1, 8):\n        if y[n] > 0: continue\n        y[n] = y[n - 1] * 0.5\n    for n in range(1, 8):\n        y[n] = y[n - 1] * 0.5\n        v *= 0.5\n    for n in range(1, 8): v[n] = y[n] * 0.5 + v[n - 1]\n    for n in range(1, 5):\n        m[n, i] = m[n - 1, i - 1] + m[n - 1, r]\n    for n in range(1, 5): m[n, n] = m[n - 1, n - 1] * 0.5\n    for n in range(r, 8, i): y[n] = y[n - 1] * 0.5",
    ),
    Row(
        "carried_at_the_top",
        "y=R.normal(size=9)",
        "t = 0\nfor n in range(1, 9): y[n] = y[n - 1] * 0.5 + y[n]\nfor n in range(7, -1, -1): y[n] = y[n + 1] - y[n]\nfor n in range(9): y[n] = y[n - 1] * 0.5",
    ),
    Row(
        "carried_onto_itself",
        "y=np.lib.stride_tricks.as_strided(np.ones(1), (9,), (0,))",
        "t = 0\nfor n in range(2, 9): y[n] = y[n - 1] * 0.5 + y[n - 2]",
        "refused",  # elements that lie in one place: NumPy's order of writes counts
    ),
    Row(
        "carried_too_far",
        "y=R.normal(size=9)",
        "t = 0\nfor n in range(1, 10): y[n] = y[n - 1] * 0.5",
        "refused",
    ),
    Row(
        "assert_fails",
        "n=12",
        "t = 0\nfor i in range(n):\n    t += i\n    assert t < 9, t",
        "refused",
    ),
    Row("divmod_by_zero", "n=3", "t = 0\nfor i in range(n): t += divmod(5, 2 - i)[0]", "refused"),
    Row("int_power_large", "n=50", "t = 0\nfor i in range(n): t = i ** 13", "refused"),
    Row("int_bool", "n=5", "t = 0\nfor i in range(n): t += (i > 2) + True"),
    Row("int_abs_min", "n=5", "t = 0\nfor i in range(n): t += abs(i - 3) + min(i, 2) - max(i, 3)"),
    # -- Python's floats, and NumPy's
    Row("float_zero", "x=1.5", "t = 0.0\nfor i in range(5): t += x / (i - 3.0)", "refused"),
    Row(
        "np_zero", "x=np.float64(1.5)", "t = 0.0\nfor i in range(5): t += x / (i - 3.0)", "refused"
    ),
    Row("float_negative_zero", "x=-0.0", "t = x\nfor i in range(4): t = t * 2.0"),
    Row("float_floor", "x=R.normal()", "t = x\nfor i in range(9): t = t // 0.3 + t % -0.7"),
    Row(
        "float_power",
        "x=abs(float(R.normal()))",
        "t = 0.0\nfor i in range(5): t += x ** i + x ** 2",
    ),
    Row(
        "float_square_overflow",
        "x=1e200",
        "with np.errstate(over='ignore'):\n    for i in range(3): t = x ** 2",
        "refused",
    ),
    Row(
        "float_power_overflow",
        "x=1e200",
        "with np.errstate(all='ignore'):\n    for i in range(3): t = x ** 3",
        "refused",
    ),
    Row("float_huge", "x=1e200", "t = 1.0\nfor i in range(3): t = t * x", "refused"),
    Row("float_negative_power", "x=-2.0", "t = 1.0\nfor i in range(3): t = x ** 0.5", "refused"),
    Row("float_int", "x=float(R.normal())", "t = 0\nfor i in range(9): t += int(x * i) + int(-x)"),
    Row("float_int_nan", "x=float('nan')", "t = 0\nfor i in range(9): t += int(x * i)", "refused"),
    Row(
        "float_math",
        "x=0.3",
        "import math\nt = 0.0\nfor i in range(9): t += math.sin(x * i) + math.sqrt(i) + math.floor(x * i)",
    ),
    Row(
        "float_math_domain",
        "x=3.0",
        "import math\nt = 0.0\nfor i in range(9): t += math.sqrt(x - i)",
        "refused",
    ),
    Row("zero_start", "a=R.normal(size=6)", "t = 0\nfor i in range(6): t += a[i]"),
    Row("zero_start_python", "x=0.25", "t = 0\nfor i in range(6): t += x * i"),
    Row(
        "zero_start_never",
        "a=R.normal(size=6)",
        "t = 0\nfor i in range(6):\n    if a[i] > 99: t += a[i]",
    ),
    Row(
        "python_or_numpy",
        "a=R.normal(size=6), x=0.5",
        "t = x\nfor i in range(6):\n    if a[i] > 0: t = a[i] * 0.5",
    ),
    Row("either_in_min", "a=R.normal(size=6)", "t = 0.0\nfor i in range(6): t = min(t, a[i])"),
    Row(
        "either_as_flag",
        "a=R.normal(size=6), x=0.5",
        "t = False\nfor i in range(6): t = a[i] < 0.1 and x < 2 or x > 4",
    ),
    Row(
        "int_into_int8",
        "a=np.zeros(5, 'int8'), n=3",
        "t = 0\nk = 0\nfor i in range(5):\n    k = np.int64(250 + i) if i % 2 else np.int64(i)\n    a[i] = k",
        "refused",
        "k",
    ),
    Row(
        "python_int_into_int8",
        "a=np.zeros(5, 'int8')",
        "for i in range(5): a[i] = 126 + i",
        "refused",
        "i",
    ),
    # -- dtypes: NEP 50
    *(
        Row(
            f"elements_{dtype}",
            f"a=I('{dtype}'), b=I('{dtype}')",
            "t = a[0]\nfor i in range(5):\n    t = a[i] + 1\n    a[i] = b[i] * 1",
        )
        for dtype in ("int8", "uint8", "int32", "uint32", "float32", "complex128")
    ),
    *(
        Row(
            f"arrays_{dtype}",
            f"a=I('{dtype}'), b=I('{dtype}')",
            "for i in range(5):\n    t = a * 2 + b\n    a[1:] = t[:-1]\n    b *= a\n    s = t.sum()",
            "native",
            "t, s",
        )
        for dtype in ("int8", "uint8", "int32", "uint16", "int64", "float32", "complex128")
    ),
    Row(
        "arrays_bool",
        "a=R.random(6) < 0.5, b=R.random(6) < 0.5",
        "for i in range(4):\n    t = a & b | ~a ^ b\n    a[1:] = t[:-1]\n    s = a.sum()",
        "native",
        "t, s",
    ),
    Row(
        "int8_overflow",
        "a=np.full(5, 120, 'int8')",
        "for i in range(5): t = a[i] + np.int8(9)",
        "refused",
    ),
    Row(
        "int8_arrays_wrap",
        "a=np.full(5, 120, 'int8')",
        "for i in range(5):\n    a += 9\n    t = a * a",
    ),
    Row(
        "int8_with_large",
        "a=np.full(5, 1, 'int8'), n=300",
        "for i in range(5): t = a + n",
        "refused",
    ),
    Row(
        "float32_python", "a=R.random(5).astype('f4'), x=0.1", "for i in range(5): t = a[i] * x + 1"
    ),
    Row(
        "float32_numpy",
        "a=R.random(5).astype('f4'), x=np.float64(0.1)",
        "for i in range(5): t = a[i] * x + a[0]",
    ),
    Row(
        "float32_int", "a=R.random(5).astype('f4'), b=np.arange(5)", "for i in range(5): t = a * b"
    ),
    Row(
        "mixed_ints",
        "a=I('int32'), b=I('int64'), c=I('uint8')",
        "for i in range(5):\n    t = a + b + c\n    s = a[i] + b[i] + c[i]",
        "native",
        "t, s",
    ),
    Row("bool_sum", "a=R.random(7) < 0.4", "t = 0\nfor i in range(7): t += a[i]"),
    Row("complex_numbers", "z=0.1+0.2j", "t = z\nfor i in range(5): t = t * t + z"),
    Row(
        "complex_magnitude",
        "a=I('complex128')",
        "t = 0.0\nfor i in range(5): t += abs(a[i]) + a[i].real - a[i].imag",
    ),
    Row(
        "int_divides",
        "a=I('int64'), b=I('int64')",
        "for i in range(3): t = a // (b * b + 1) + a % 5 - a % -3",
    ),
    Row("int_divides_zero", "a=I('int64')", "for i in range(3): t = a // (a - a[0])", "refused"),
    Row("cast_same_kind", "a=I('int64')", "for i in range(3): a += 0.5", "python", "i"),
    Row(
        "cast_float32",
        "a=R.random(5).astype('f4'), b=R.random(5)",
        "for i in range(3): a += b",
        "native",
        "i",
    ),
    Row(
        "element_truncates",
        "a=I('int64')",
        "for i in range(3): a[i] = 2.75 * i - 3\n",
        "native",
        "i",
    ),
    Row(
        "nan_into_int",
        "a=I('int64'), x=float('nan')",
        "for i in range(3): a[i] = x",
        "refused",
        "i",
    ),
    # -- indices
    Row(
        "index_negative", "a=R.normal(size=5)", "t = 0.0\nfor i in range(5): t += a[-i] * a[-1 - i]"
    ),
    Row("index_far", "a=R.normal(size=5)", "t = 0.0\nfor i in range(9): t += a[i]", "refused"),
    Row("index_far_store", "a=R.normal(size=5)", "for i in range(9): a[i] = i", "refused", "i"),
    Row("index_below", "a=R.normal(size=5)", "t = 0.0\nfor i in range(9): t += a[-i]", "refused"),
    Row(
        "index_two",
        "m=R.normal(size=(4, 5))",
        "t = 0.0\nfor i in range(4):\n    for j in range(5): t += m[i, j] * m[-i, -j]",
    ),
    Row(
        "index_two_far",
        "m=R.normal(size=(4, 5))",
        "t = 0.0\nfor i in range(4):\n    for j in range(i + 3): t += m[i, j]",
        "refused",
    ),
    Row("index_empty", "a=np.zeros(0)", "t = 0.0\nfor i in range(3): t += a[0]", "refused"),
    Row(
        "index_numpy_int",
        "a=R.normal(size=5), k=np.array([3, 1, -2])",
        "t = 0.0\nfor i in range(3): t += a[k[i]]",
    ),
    Row("index_float", "a=R.normal(size=5)", "t = 0.0\nfor i in range(3): t += a[i / 1]", "python"),
    Row(
        "prefix",
        "a=R.normal(size=9)",
        "for i in range(1, 9): a[i] = a[i - 1] * 0.5 + a[i]",
        "native",
        "i",
    ),
    Row(
        "stencil",
        "a=R.normal(size=9), b=np.zeros(9)",
        "for i in range(1, 8): b[i] = a[i - 1] - 2 * a[i] + a[i + 1]",
        "native",
        "i",
    ),
    Row(
        "inner_wraps",
        "a=R.normal(size=9), b=np.zeros(9)",
        "for k in range(3):\n    for i in range(9): b[i] += a[i - 1] * a[i - 2]",
        "native",
        "i",
    ),
    Row(
        "inner_far",
        "a=R.normal(size=9), b=np.zeros(9)",
        "for k in range(3):\n    for i in range(9 - k): b[i] += a[i + 1 + k]",
        "refused",
        "i",
    ),
    Row(
        "inner_shift",
        "a=R.normal(size=(6, 7)), b=np.zeros((6, 7))",
        "for i in range(1, 5):\n    for j in range(1, 6): b[i, j] = a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1]",
        "native",
        "j",
    ),
    Row(
        "inner_backwards",
        "a=R.normal(size=9)",
        "for k in range(3):\n    for i in range(7, -1, -1): a[i] += a[i + 1] * 0.5",
        "native",
        "i",
    ),
    Row(
        "inner_rebound",
        "a=R.normal(size=9), b=R.normal(size=4)",
        "t = 0.0\nfor k in range(2):\n    for i in range(9):\n        if i == 3: a = b\n        t += a[i - 4]",
        "refused",
    ),
    Row(
        "inner_assigned_index",
        "a=R.normal(size=9)",
        "t = 0.0\nfor k in range(2):\n    for i in range(9):\n        i = i // 2\n        t += a[i + 3]",
        "native",
    ),
    Row(
        "inner_never",
        "a=R.normal(size=3)",
        "t = 0.0\nfor k in range(2):\n    for i in range(9):\n        if i < 3: t += a[i]",
        "native",
    ),
    # -- slices and views
    Row("overlap_right", "a=R.normal(size=9)", "for i in range(3): a[1:] = a[:-1]", "native", "i"),
    Row("overlap_left", "a=R.normal(size=9)", "for i in range(3): a[:-1] = a[1:]", "native", "i"),
    Row(
        "overlap_in_place",
        "a=R.normal(size=9)",
        "for i in range(3): a[1:] += a[:-1] * 0.5",
        "native",
        "i",
    ),
    Row(
        "overlap_reversed", "a=R.normal(size=9)", "for i in range(3): a[:] = a[::-1]", "native", "i"
    ),
    Row(
        "overlap_rows",
        "m=R.normal(size=(4, 4))",
        "for i in range(3): m[1:, :] += m[:-1, :]",
        "native",
        "i",
    ),
    Row(
        "overlap_transposed",
        "m=R.normal(size=(4, 4))",
        "for i in range(3): m += m.T",
        "native",
        "i",
    ),
    Row(
        "slice_steps",
        "a=R.normal(size=9)",
        "for i in range(1, 4): a[::i] = a[::-i][:a[::i].shape[0]] + 1",
        "native",
        "i",
    ),
    Row(
        "slice_growing",
        "a=R.normal(size=9)",
        "t = 0.0\nfor i in range(9): t += a[:i].sum() - a[i:].sum() + a[-i:].sum()",
    ),
    Row("slice_zero_step", "a=R.normal(size=9)", "for i in range(3): t = a[::i]", "refused"),
    Row(
        "slice_wrong_size", "a=R.normal(size=9)", "for i in range(3): a[i:] = a[:3]", "refused", "i"
    ),
    Row(
        "views_strided",
        "a=R.normal(size=20)[::2]",
        "for i in range(1, 10): a[i] += a[i - 1]",
        "native",
        "i",
    ),
    Row(
        "views_reversed",
        "a=R.normal(size=9)[::-1]",
        "for i in range(1, 9): a[i] += a[i - 1]\n",
        "native",
        "i",
    ),
    Row(
        "views_transposed",
        "m=R.normal(size=(3, 4)).T",
        "for i in range(4):\n    m[i] *= 2\n    m[:, 1] -= m[:, 2]",
        "native",
        "i",
    ),
    Row(
        "views_columns",
        "m=R.normal(size=(5, 4))",
        "t = 0.0\nfor j in range(4): t += m[:, j].max() + m[j].min()",
    ),
    Row(
        "broadcast",
        "m=R.normal(size=(3, 4)), a=R.normal(size=4), b=R.normal(size=(3, 1))",
        "for i in range(3): m = m * a + b",
    ),
    Row(
        "broadcast_wrong",
        "m=R.normal(size=(3, 4)), a=R.normal(size=3)",
        "for i in range(3): t = m * a",
        "refused",
    ),
    Row("newaxis", "a=R.normal(size=4)", "for i in range(3): t = a[:, None] - a[None, :]"),
    Row(
        "empty_arrays",
        "a=np.zeros(0), m=np.zeros((0, 3))",
        "for i in range(3):\n    t = a * 2 + 1\n    s = m.sum() + a.sum()\n    m += 1",
        "native",
        "t, s",
    ),
    Row("empty_maximum", "a=np.zeros(0)", "for i in range(3): t = a.max()", "refused"),
    Row(
        "bound_to_view",
        "a=R.normal(size=9)",
        "v = a\nfor i in range(3): v = v[1:]\n",
        "native",
        "v",
    ),
    Row(
        "view_twice",
        "a=R.normal(size=9)",
        "for i in range(3):\n    v = a[1:]\n    w = v\n    u = a[1:]",
        "native",
        "v, w, u",
    ),
    Row(
        "view_whole",
        "a=R.normal(size=9)",
        "for i in range(3):\n    v = a[:]\n    w = a",
        "native",
        "v, w",
    ),
    Row(
        "view_of_new",
        "a=R.normal(size=9)",
        "for i in range(3):\n    u = a * 2\n    v = u[1:]\n    w = u[:]",
        "native",
        "u, v, w",
    ),
    Row(
        "view_of_gone",
        "a=R.normal(size=9)",
        "for i in range(3):\n    v = (a * 2)[1:]\n",
        "native",
        "v",
    ),
    Row(
        "view_of_zeros",
        "a=R.normal(size=(4, 3))",
        "for i in range(3):\n    z = np.zeros((3, 4)).T\n    w = np.ones((2, 3))[i % 2]\n",
        "native",
        "z, w",
    ),
    Row("transpose_one", "a=R.normal(size=4)", "for i in range(3): t = a.T"),
    Row("transpose_result", "m=R.normal(size=(3, 4))", "for i in range(3): t = m.T"),
    Row(
        "matrix_rows_new",
        "x=0.5",
        "for i in range(3):\n    m = np.array([[x, 1.0], [i, 2.0]])\n    v = m[0]",
        "native",
        "m, v",
    ),
    Row(
        "swap",
        "u=R.normal(size=6), v=R.normal(size=6)",
        "for i in range(5):\n    u[1:-1] = 0.5 * (v[2:] + v[:-2])\n    u, v = v, u",
        "native",
        "i",
    ),
    Row(
        "swap_elements",
        "a=R.normal(size=6)",
        "for i in range(3): a[i], a[-1 - i] = a[-1 - i], a[i]",
        "native",
        "i",
    ),
    Row(
        "same_array",
        "a=R.normal(size=6)",
        "b = a\nfor i in range(5):\n    b[i] += 1\n    a[i + 1] = b[i] * a[i]",
        "native",
        "b",
    ),
    Row(
        "rebind_same",
        "a=R.normal(size=6)",
        "b = a\nfor i in range(5):\n    b = b + a\n    a[0] = b[1]",
        "native",
        "b",
    ),
    # -- NaN, zeros, flags
    Row(
        "nan_extremes",
        "a=np.array([1.0, np.nan, -2.0, 3.0])",
        "for i in range(3): t = (a.max(), a.min(), a.argmax(), a.argmin())",
    ),
    Row(
        "nan_maximum",
        "a=np.array([1.0, np.nan, -2.0, 3.0])",
        "for i in range(3): t = (np.maximum(a, 1.0), np.minimum(1.0, a), np.sign(a))",
        "",
    ),
    Row(
        "nan_choice",
        "a=np.array([1.0, np.nan, -2.0, np.nan])",
        "t = 0.0\nfor i in range(4): t = max(t, a[i]) if i % 2 else min(a[i], t)",
        "native",
    ),
    Row(
        "negative_zero",
        "a=np.array([-0.0, 0.0])",
        "for i in range(3): t = (a * -1, a + 0, -a, a.sum(), a[:1].sum(), np.sign(a), abs(a), a[:0].sum())",
    ),
    Row(
        "rounding",
        "a=R.normal(size=9) * 3",
        "for i in range(3): t = (np.floor(a), np.ceil(a), np.rint(a), np.trunc(a), a // 1, a % 1)",
    ),
    Row("overflow", "a=np.array([1e300, 1.0])", "for i in range(3): t = a * 1e300", "refused"),
    Row("invalid", "a=np.array([np.inf, 1.0])", "for i in range(3): t = a - a", "refused"),
    Row("divide", "a=np.array([0.0, 1.0])", "for i in range(3): t = 1 / a", "refused"),
    Row("underflow", "a=np.array([1e-300, 1.0])", "for i in range(3): t = a * 1e-300"),
    # -- masks and arrays as indices
    Row("mask_store", "a=R.normal(size=9)", "for i in range(3): a[a > 0] *= -0.5", "native", "i"),
    Row("mask_read", "a=R.normal(size=9)", "for i in range(3): t = a[a > 0]"),
    Row(
        "mask_array",
        "a=R.normal(size=9), b=R.normal(size=9)",
        "for i in range(3): a[b > 0] = b[b > 0] + i",
        "native",
        "i",
    ),
    Row(
        "mask_wrong",
        "a=R.normal(size=9), b=R.normal(size=8)",
        "for i in range(3): a[b > 0] = 1",
        "refused",
        "i",
    ),
    Row("mask_itself", "a=R.random(9) < 0.5", "for i in range(3): a[a] = False", "native", "i"),
    Row(
        "mask_matrix",
        "m=R.normal(size=(3, 4))",
        "for i in range(3): m[m > 0] = 0.25",
        "native",
        "i",
    ),
    Row(
        "fancy_duplicates",
        "a=R.normal(size=6), k=np.array([1, 1, 3, -1])",
        "for i in range(3):\n    a[k] += 1.0\n    a[k] = a[k] * 2 + i",
        "native",
        "i",
    ),
    Row(
        "fancy_order",
        "a=R.normal(size=6), k=np.array([2, 2, 2])",
        "for i in range(3): a[k] = a[:3] + i",
        "native",
        "i",
    ),
    Row(
        "fancy_far",
        "a=R.normal(size=6), k=np.array([1, 9])",
        "for i in range(3): a[k] = 0",
        "refused",
        "i",
    ),
    Row(
        "fancy_rows",
        "m=R.normal(size=(5, 3)), k=np.array([4, 0, 0])",
        "for i in range(3):\n    t = m[k]\n    m[k] = t * 2",
    ),
    # -- the shape of loops
    Row(
        "break",
        "a=R.normal(size=9)",
        "t = 0\nfor i in range(9):\n    if a[i] > 1 or i == 5: break\n    t += 1",
        "native",
        "t, i",
    ),
    Row(
        "continue",
        "a=R.normal(size=9)",
        "t = 0\nfor i in range(9):\n    if a[i] > 0: continue\n    t += i",
        "native",
        "t, i",
    ),
    Row("break_first", "n=9", "t = 0\nfor i in range(9):\n    t += 1\n    break", "native", "t, i"),
    Row(
        "nested_jumps",
        "a=R.normal(size=9)",
        "t = 0\nfor i in range(9):\n    for j in range(9):\n        if j > i: break\n        if a[j] < 0: continue\n        t += j\n    else_ = t",
        "native",
        "t, i, j, else_",
    ),
    Row(
        "mask_of_two_dimensions",
        "m=R.normal(size=(4, 5)), k=R.integers(0, 9, (5, 4))",
        "for i in range(3):\n    m[m > 0.5] *= -0.5\n    v = m.T\n    t = v[k > 3]\n    v[k > 3] = t[::-1] + i\n    k[k == 2] = k[:, 0][:1]",
    ),
    Row(
        "mask_of_another_shape",
        "m=R.normal(size=(4, 5)), k=R.integers(0, 9, (4, 4))",
        "t = 0\ntry:\n    for i in range(3): t = m[k > 3]\nexcept IndexError as e: t = str(e)",
        "refused",
    ),
    Row(
        "mask_and_too_few",
        "m=R.normal(size=(4, 5))",
        "t = 0\ntry:\n    for i in range(3): m[m > 0] = m[0, :3]\nexcept ValueError as e: t = 'too few'",
        "refused",
    ),
    # -- random numbers
    *(
        Row(
            f"random_{name}",
            f"g=np.random.Generator(np.random.{kind}(int(R.integers(99)))), x=float(R.normal())",
            f"t = 0.0\nfor i in range(50):\n    t = t * x + {call}\n    if i == 40: break",
        )
        for name, kind, call in (
            ("random", "PCG64", "g.random()"),
            ("uniform", "MT19937", "g.uniform(x, x + i)"),
            ("uniform_default", "SFC64", "g.uniform() + g.uniform(high=3)"),
            ("normal", "Philox", "g.normal(x, abs(x) + i)"),
            ("normal_scale", "PCG64DXSM", "g.normal(scale=2) + g.normal(1)"),
            ("standard_normal", "PCG64", "g.standard_normal()"),
            ("exponential", "PCG64", "g.standard_exponential()"),
            ("integers", "PCG64", "g.integers(7) + g.integers(-5, 1 + i) + g.integers(3, high=9)"),
            ("integers_wide", "PCG64", "g.integers(2**40) + g.integers(-2**62, 2**62)"),
            ("integers_32", "MT19937", "g.integers(2**32) * 0.5 + g.integers(2**32 - 1, 2**32)"),
            (
                "sizes",
                "PCG64",
                "g.random(3).sum() + g.normal(size=(2, i))[0].sum() + len(g.integers(9, size=4))",
            ),
            (
                "choice_of",
                "PCG64",
                "(g.random() if g.random() < 0.5 and g.random() < 0.5 else -1.0)",
            ),
        )
    ),
    Row(
        "random_arrays",
        "g=np.random.default_rng(3), a=R.normal(size=(4, 5))",
        "for i in range(5):\n    t = g.random(a.shape)\n    a[t < 0.5] = g.integers(0, 9)\n    a += g.standard_normal((4, 5))",
    ),
    Row(
        "random_that_raises",
        "g=np.random.default_rng(3)",
        "t = 0\ntry:\n    for i in range(5): t += g.normal(0, 3.0 - i)\nexcept ValueError as e: t = str(e), t",
        "refused",
    ),
    Row(
        "random_without",
        "g=np.random.default_rng(3)",
        "t = 0\nfor i in range(5): t += len(g.bytes(3))",
        "python",
    ),
    Row("orelse", "n=4", "t = 0\nfor i in range(n): t += i\nelse: t += 100"),
    Row("orelse_of_python", "n=4", "t = 0\nfor i in range(n): t += i\nelse: t = [t]"),
    Row(
        "orelse_after_break",
        "a=R.normal(size=9)",
        "t = 0\nfor i in range(9):\n    if a[i] > 1: break\n    t += 1\nelse: t = u = -t",
        "native",
        "t, i",
    ),
    Row("orelse_while", "n=9", "t = 0\nwhile n:\n    n -= 1\n    t += n\nelse: t += 100"),
    Row(
        "orelse_inner",
        "n=4",
        "t = 0\nfor i in range(n):\n    for j in range(i):\n        if j == 2: break\n    else: t += 100",
    ),
    Row(
        "orelse_without_break",
        "n=4",
        "t = 0\nfor i in range(n):\n    for j in range(i): t += j\n    else: t += 100",
    ),
    Row(
        "orelse_inner_jumps",
        "a=R.normal(size=9)",
        "t = 0\nfor i in range(9):\n    j = i\n    for j in range(i, 9):\n        if a[j] > 0.5: break\n    else:\n        if i > 6: break\n        continue\n    t += j",
        "native",
        "t, i",
    ),
    Row(
        "orelse_inner_while",
        "n=9",
        "t = 0\nfor i in range(n):\n    k = i\n    while k < 7:\n        k += 2\n        if k == 5: break\n    else: t += k",
        "native",
        "t, i, k",
    ),
    Row("return_a_number", "n=9", "t = 0\nfor i in range(n):\n    t += i\n    if t > 9: return t"),
    Row(
        "return_not_reached",
        "n=9",
        "t = 0\nfor i in range(n):\n    t += i\n    if t > 999: return t",
        "native",
        "t, i",
    ),
    Row(
        "return_a_tuple",
        "a=R.normal(size=(9, 3))",
        "t = 0.0\nfor i in range(9):\n    t += a[i, 0]\n    if i == 4: return a[i] * 2, t, i, None, a",
    ),
    Row(
        "return_different_types",
        "a=R.normal(size=9), k=int(R.integers(4))",
        "t = 0.0\nfor i in range(9):\n    t += a[i]\n    if i == k: return t\n    if i == 2: return True\n    if i == 3: return",
    ),
    Row(
        "return_from_within",
        "m=R.normal(size=(6, 7))",
        "for i in range(6):\n    for j in range(7):\n        if m[i, j] > 0.9: return i, j\n    t = i\nelse: t = -1",
    ),
    Row(
        "return_what_was_written",
        "a=R.normal(size=9)",
        "t = np.zeros(9)\nfor i in range(9):\n    t[i] = a[i]\n    a[i] = i\n    if i == 5: return t",
    ),
    Row(
        "return_in_while",
        "x=2.0",
        "t = 1.0\nwhile True:\n    s = 0.5 * (t + x / t)\n    if abs(s - t) < 1e-12: return s\n    t = s",
    ),
    Row(
        "raise_never",
        "n=9",
        "t = 0\nfor i in range(n):\n    if i > 20: raise ValueError(f'{i}')\n    t += i",
    ),
    Row(
        "raise_at_last",
        "n=9",
        "t = 0\ntry:\n    for i in range(n):\n        if i > 5: raise ValueError(f'{i}')\n        t += i\nexcept ValueError as e: t = str(e), t",
        "refused",
        "t, i",
    ),
    Row(
        "while_loop",
        "n=27",
        "t = 0\nwhile n != 1:\n    n = n // 2 if n % 2 == 0 else 3 * n + 1\n    t += 1",
    ),
    Row(
        "while_true",
        "x=R.random()",
        "t = 0\nwhile True:\n    x = x * 2\n    t += 1\n    if x > 99: break",
    ),
    Row(
        "while_array",
        "a=R.random(5)",
        "t = 0\nwhile np.abs(a).max() > 1e-3:\n    a *= 0.5\n    t += 1",
    ),
    Row(
        "complex_into_real",
        "a=R.random((3, 2)), c=R.random(3) + 1j",
        "t = 0\nfor k in range(2):\n    np.subtract.at(a, np.array([0, 2]), c[:2, None])\n    t += k",
        "python",
    ),
    Row(
        "complex_made_real",
        "c=R.random(3) + 1j",
        "t = 0\nfor k in range(3): t = np.cumsum(c, dtype=float)",
        "python",
    ),
    Row("none_at_all", "n=0", "t = 3\nfor i in range(n): t += 1", "refused"),
    Row(
        "inner_none",
        "n=4",
        "t = 3\nfor i in range(n):\n    for j in range(i - 3): t += 1",
        "native",
    ),
    Row(
        "range_negative",
        "n=4",
        "t = 0\nfor i in range(n, -n, -3): t = t * 10 + i",
        "native",
        "t, i",
    ),
    Row(
        "range_rebound",
        "n=4",
        "t = 0\nfor i in range(n):\n    n = 2\n    i += 5\n    t += i",
        "native",
        "t, i",
    ),
    Row(
        "rows",
        "m=R.normal(size=(4, 3))",
        "t = 0.0\nfor row in m:\n    row *= 2\n    t += row[1]",
        "native",
        "t, row",
    ),
    Row("numbers", "a=R.normal(size=4)", "t = 0.0\nfor x in a: t += x", "native", "t, x"),
    Row(
        "zipped",
        "a=R.normal(size=4), b=R.normal(size=3)",
        "t = 0.0\nfor x, y in zip(a, b): t += x * y",
        "native",
        "t, x, y",
    ),
    Row(
        "counted",
        "a=R.normal(size=4)",
        "t = 0.0\nfor k, x in enumerate(a, 2): t += k * x",
        "native",
        "t, k, x",
    ),
    Row(
        "counted_inner",
        "m=R.normal(size=(4, 3))",
        "t = 0.0\nfor k, row in enumerate(m):\n    for j, x in enumerate(row): t += k * x - j\n    for x, y in zip(row, m[0]): t += x * y",
    ),
    Row("a_list", "n=3", "t = 0\nfor x in [1, 2, n]: t += x", "python"),
    Row("unpack", "m=R.normal(size=(4, 2))", "t = 0.0\nfor x, y in m: t += x * y", "native"),
    Row("unpack_wrong", "m=R.normal(size=(4, 3))", "t = 0.0\nfor x, y in m: t += x * y", "refused"),
    Row(
        "unbound_before",
        "a=R.normal(size=4)",
        "for i in range(4):\n    if i: t = t + a[i]\n    else: t = a[0]",
        "python",
    ),
    Row("unbound_error", "n=4", "t = 0\nfor i in range(n): t += late\nlate = 1", "python"),
    Row(
        "truths",
        "a=R.normal(size=4), k=3",
        "t = 0\nfor i in range(6):\n    if i and k: t += 1\n    if not i or not a[0]: t += 10",
    ),
    Row(
        "element_of_row",
        "m=R.normal(size=(4, 5, 2)), k=R.integers(0, 4, 5)",
        "t = 0.0\nfor i in range(4):\n    for j in range(4):\n        m[i][j][1] += m[k[j]][-j, 0]\n        m[i - 1][j] *= 0.5\n        m[i][1:3, 0] = m[i, j][:1]\n        t += m[i][j % 3][i // 2]",
        "native",
    ),
    Row(
        "element_of_no_row",
        "m=R.normal(size=(4, 5))",
        "t = 0.0\nfor i in range(4):\n    m[i][0] = 1.0\n    t += m[i][2 * i]",
        "refused",
    ),
    # -- functions of NumPy
    Row(
        "powers",
        "a=np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-200, -1e200, 5e-324, -2.0, 3.1, 7e-109])",
        "with np.errstate(all='ignore'):\n    for i in range(3): t = (a ** 3, a ** 4, a ** 1.5, a ** -0.5, a ** -1.5, a ** -2, a ** -3, np.power(a, 3.0))",
        "native",
    ),
    Row(
        "powers_warn",
        "a=R.normal(size=5)",
        "for i in range(3): t = a ** 1.5",
        "refused",
    ),
    Row(
        "powers_of_singles",
        "a=(R.random(9) + 0.1).astype(np.float32)",
        "for i in range(3): t = (a ** 3, a ** 1.5, a ** -0.5, a ** -3)",
        "native",
    ),
    Row(
        "unary",
        "a=R.random(11) + 0.1",
        "for i in range(3): t = (np.sqrt(a), np.exp(a), np.log(a), np.sin(a), np.cos(a), np.tanh(a), np.log1p(a), np.arctan(a), a ** 2.5, np.hypot(a, 1), np.expm1(a), np.cbrt(a))",
    ),
    Row(
        "numbers_unary",
        "a=R.random(3) + 0.1",
        "for i in range(3): t = (np.sqrt(a[i]), np.exp(a[i]), np.log(i + 1), np.sin(0.5), np.abs(-i - 1.0), np.floor(a[i]), np.isnan(a[i]), np.maximum(a[i], i))",
    ),
    Row(
        "reductions",
        "m=R.normal(size=(5, 7))",
        "for i in range(3): t = (m.sum(), m.mean(), m.max(), m.sum(axis=0), m.sum(axis=1), m.mean(axis=0), m.max(axis=1), (m > 0).any(), (m > 0).all(), np.sum(m, axis=1, keepdims=True))",
    ),
    Row(
        "norms",
        "m=R.normal(size=(5, 7, 2)), k=R.normal(size=(4, 3)), z=np.zeros((0, 3))",
        "for i in range(3): t = (np.linalg.norm(m, axis=2), np.linalg.norm(m, axis=0), np.linalg.norm(k, axis=-1, keepdims=True), np.linalg.norm(k), np.linalg.norm(k.T[1:]), np.linalg.norm(k[0], axis=0), np.linalg.norm(z), np.linalg.norm(k[:, 0]), np.linalg.norm(m, axis=(1, 2)))",
        "native",
    ),
    Row(
        "norm_overflow",
        "k=np.full((4, 3), 1e200)",
        "for i in range(3): t = (np.linalg.norm(k, axis=1), np.linalg.norm(k))",
        "refused",
    ),
    Row(
        "close",
        "a=R.normal(size=(3, 4)), b=1e-9 * R.normal(size=4)",
        "for i in range(3): t = (np.allclose(a, a + b), np.allclose(a + b, a[0]), np.allclose(b, 0), np.allclose(1.0, b + 1), np.allclose(a[:0], b), np.allclose(a * 1e5, a * (1e5 + i)))",
        "native",
    ),
    Row(
        "close_to_infinity",
        "a=np.array([1.0, np.inf])",
        "for i in range(3): t = np.allclose(a, a)",
        "refused",
    ),
    Row(
        "places_along",
        "m=R.integers(0, 3, (5, 7)), k=np.round(R.normal(size=(4, 3, 5))), z=np.array([[1.0, np.nan, 3.0], [3.0, 1.0, np.nan], [2.0, 2.0, 1.0]])",
        "for i in range(3): t = (np.argmin(m, axis=1), m.argmax(axis=0), k.argmin(axis=1), np.argmax(k, axis=-1), z.argmax(axis=1), np.argmin(z, axis=0), z[1].argmax(), np.argmin(m.T[::-1, 1:], axis=1))",
        "native",
    ),
    Row(
        "long_sum",
        "a=R.normal(size=5000)",
        "for i in range(2): t = (a.sum(), a.mean(), (a * a).sum(), a @ a)",
    ),
    Row(
        "products",
        "m=R.normal(size=(5, 4)), a=R.normal(size=4)",
        "for i in range(3): t = (m @ a, m.T @ m, a @ a, np.outer(a, a), np.dot(m, a))",
    ),
    Row(
        "products_wrong",
        "m=R.normal(size=(5, 4)), a=R.normal(size=5)",
        "for i in range(3): t = m @ a",
        "refused",
    ),
    Row(
        "created",
        "n=3",
        "for i in range(3): t = (np.zeros(n), np.ones((n, i)), np.arange(i, n), np.full(n, i), np.array([i, n]), np.zeros(n, dtype=np.int32))",
    ),
    Row("created_negative", "n=1", "for i in range(3): t = np.zeros(n - i)", "refused"),
    Row(
        "choices",
        "a=R.normal(size=6)",
        "for i in range(3): t = (np.where(a > 0, a, 0.0), np.clip(a, -0.5, 0.5), np.roll(a, i), np.diff(a), np.concatenate((a, a[:i])))",
    ),
    Row(
        "reshaped",
        "a=R.normal(size=12), m=R.normal(size=(3, 4)), n=2",
        "for i in range(1, 3):\n    t = (a.reshape(n, 6), m.reshape(2, -1), (m + i).reshape(-1), np.reshape(a, (n, 2, 3)), m.reshape(12)[2:])\n    a.reshape(4, 3)[i] += 1",
    ),
    Row(
        "reshaped_not_in_order",
        "m=R.normal(size=(3, 4)), x=R.normal(size=(4, 6, 5))",
        "for i in range(3):\n    t = (m.T.reshape(12), m.T.reshape(2, 2, 3), m[::2].reshape(8), x[:, ::2].reshape(4, 3, 5, 1), x[::2, :, 1:].reshape(2, 2, 3, -1), x[1:3, :4].reshape(2, 2, 2, 5), x.T.reshape(5, 3, 2, 4), m[:, :1].reshape(3), m[:, :1].reshape(1, 3, 1))\n    t[0][i] += 1\n    t[3][1, 1, i] += 1",
    ),
    Row(
        "reshaped_empty",
        "m=np.zeros((0, 4))",
        "for i in range(3): t = (m.T.reshape(0, 2), m.reshape(4, 0))",
    ),
    Row(
        "reshaped_wrongly",
        "m=R.normal(size=(3, 4))",
        "for i in range(3): t = m.reshape(5, i)",
        "refused",
    ),
    Row(
        "filled_like",
        "a=R.normal(size=4), b=np.arange(3)",
        "for i in range(3): t = (np.full_like(a, i), np.full_like(b, i), np.full_like(b, 0.5 * i, dtype=float))",
    ),
    Row(
        "padded",
        "a=R.normal(size=5), m=R.normal(size=(3, 4)), b=np.arange(4)",
        "for i in range(3): t = (np.pad(a, i), np.pad(m, 1), np.pad(m, (i, 2)), np.pad(m[::-1], ((i, 1), (0, 2))), np.pad(b, 2, constant_values=7), np.pad(a > 0, 1))",
    ),
    *(
        Row(
            f"padded_{mode}",
            "a=R.normal(size=5), m=R.normal(size=(3, 4))",
            f"for i in range(3): t = (np.pad(a, (i, 4), '{mode}'), np.pad(m, i, mode='{mode}'), np.pad(m[::-1, ::2], ((1, 2), (i % 2, 1)), '{mode}'))",
        )
        for mode in ("edge", "wrap", "reflect", "symmetric")
    ),
    Row(
        "padded_far",
        "a=R.normal(size=3)",
        "for i in range(3): t = np.pad(a, (2, 7), 'reflect')",
        "refused",
    ),
    Row("padded_nothing", "a=np.zeros(0)", "for i in range(3): t = (np.pad(a, i), a.reshape(0))"),
    Row(
        "along_several_axes",
        "a=R.normal(size=(3, 4, 5)), b=np.arange(24).reshape(2, 3, 4)",
        "for i in range(3): t = (a.sum(axis=(0, 2)), np.mean(a, axis=(-1, 1)), b.max(axis=(1, 2)), b.sum((0, 1)), a.min(axis=(0,)))",
    ),
    Row(
        "complex_functions",
        "a=R.normal(size=6) + 1j * R.normal(size=6), b=2 - 3j",
        "for i in range(3): t = (np.exp(a * i), np.sqrt(a), np.exp(b), np.exp(-1j * i * a.real))",
    ),
    Row(
        "complex_overflow", "b=1000.0 + 2j", "for i in range(3): t = np.exp(b * (i + 1))", "refused"
    ),
    Row(
        "generator_made",
        "n=4",
        "for i in range(3):\n    rng = np.random.default_rng(i + n)\n    t = (rng.random(n), rng.normal(), rng)",
    ),
    Row(
        "generator_of_the_system",
        "n=4",
        "for i in range(3): t = np.random.default_rng().random() < 0",
        "python",
    ),
    Row(
        "bound_in_some_rounds",
        "a=R.normal(size=9), n=4",
        "for i in range(n):\n    if i > 1:\n        b = a * i\n        k = i\n    if i > 2:\n        t = b[k] + k",
    ),
    Row(
        "read_before_it_is_bound",
        "a=R.normal(size=9), n=4",
        "for i in range(n):\n    if i > 1:\n        t = b[i]\n    if i > 2: b = a",
        "python",
    ),
    Row(
        "bound_in_an_inner_loop",
        "a=R.normal(size=9), n=4",
        "for i in range(n):\n    for j in range(3):\n        b = a + j\n    t = b * i",
    ),
    Row(
        "frequencies",
        "n=6",
        "for i in range(3): t = (np.fft.fftfreq(n), np.fft.rfftfreq(n + i, 0.5))",
    ),
    Row(
        "padded_columns",
        "m=R.normal(size=(3, 4))",
        "for i in range(3): t = np.pad(m.T, 1)",
        "refused",
    ),
    Row(
        "host_of_a_view",
        "a=R.normal(size=9)",
        "for i in range(3): t = np.tile(a, (2, 2))",
        "python",
    ),
    Row(
        "hosts",
        "m=R.normal(size=(4, 4)), a=R.normal(size=4)",
        "for i in range(3): t = (np.linalg.solve(m, a), np.sort(a), np.cumsum(a), np.linalg.norm(a), np.fft.fft(a), np.argsort(a))",
    ),
    Row(
        "host_view",
        "a=R.normal(size=4)",
        "for i in range(3):\n    t = np.flip(a)\n    t[0] += 1",
        "native",
    ),
    Row(
        "host_raises",
        "m=np.zeros((3, 3)), a=np.ones(3)",
        "for i in range(3): t = np.linalg.solve(m, a)",
        "refused",
    ),
    Row(
        "astype",
        "a=R.normal(size=6) * 9",
        "for i in range(3): t = (a.astype(int), a.astype(np.float32), (a > 0).astype(float), a.copy())",
    ),
    Row(
        "out",
        "a=R.normal(size=6), b=np.zeros(6)",
        "for i in range(3): np.multiply(a, i, out=b)",
        "native",
        "i",
    ),
)


class Draws:
    """Random inputs, the same for every one who asks."""

    def __init__(self, row: Row, run: int) -> None:
        self.R = np.random.default_rng([zlib.crc32(row.name.encode()), run])

    def integers(self, dtype: str) -> Any:
        if dtype == "complex128":
            return self.R.normal(size=6) + 1j * self.R.normal(size=6)
        return self.R.integers(0, 50, 6).astype(dtype)

    def arguments(self, text: str) -> tuple[Any, ...]:
        names = {"np": np, "R": self.R, "I": self.integers}
        return tuple(eval(f"dict({text})", names).values())


def argument_names(text: str) -> list[str]:
    """The names in ``name=expression, ...``."""
    call = ast.parse(f"dict({text})", mode="eval").body
    assert isinstance(call, ast.Call)
    return [str(keyword.arg) for keyword in call.keywords]


@pytest.fixture(autouse=True)
def _native(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", "native-loop")
    monkeypatch.setattr(jupyter_npcompile.settings, "first_run_check", "off")


def written(row: Row) -> Function:
    """The function that a row is about."""
    names = ", ".join(argument_names(row.arguments))
    results = ", ".join(filter(None, (row.results, names)))
    body = textwrap.indent(f"{row.body}\nreturn {results}", "    ")
    return define(f"def program({names}):\n{body}\n")


@pytest.fixture(scope="module")
def batches(request: pytest.FixtureRequest) -> Batches[Row]:
    """The rows that are tested now."""
    items = [item for item in request.session.items if item.path == request.path]
    rows = [item.callspec.params["row"] for item in items if isinstance(item, pytest.Function)]
    return Batches(
        rows, compiled_together, lambda row: outcome(compiled(written(row)), drawn(row, 0))
    )


def drawn(row: Row, run: int) -> tuple[Any, ...]:
    """The arguments of a run."""
    return Draws(row, run).arguments(row.arguments)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_row(row: Row, batches: Batches[Row]) -> None:
    batches.need(row)
    native = assert_same(written(row), lambda run: drawn(row, run))
    assert how(native) == row.how or not row.how, reasons(native)
