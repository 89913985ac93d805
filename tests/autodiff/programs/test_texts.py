"""Numbers that go through text, bytes, exact integers and buffers keep their gradient, or are refused."""

from __future__ import annotations

import array
import ast
import ctypes
import dataclasses
import decimal
import fractions
import io
import json
import math
import pickle
import re
import struct
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from tests.support.gradients.verdicts import programs_in, verdict

X = np.array([1.3, 0.7, 2.1])


def fstring(x):
    return float(f"{x[0]}") * 2 + x[1]


def fstring_spec(x):
    return float(f"{x[0]:.17g}") * x[1]


def fstring_repr(x):
    return float(f"{float(x[0])!r}") * x[1]


def fstring_list(x):
    return sum((float(v) for v in f"{x[0]:.17g},{x[1]:.17g}".split(",")))


def fstring_nested(x):
    return float(f"{x[0]:{20}.{15}f}") * x[1]


def fstring_join(x):
    return sum(map(float, " ".join((f"{v:.17g}" for v in x)).split()))


def percent(x):
    return float("%.17g" % x[0]) * x[1]


def percent_dict(x):
    return float("%(a).17g" % {"a": x[0]}) * x[1]


def format_method(x):
    return float(f"{x[0]:.17g}") * x[1]


def format_map(x):
    return float("{a:.17g}".format_map({"a": x[0]})) * x[1]


def format_attr(x):
    return float(f"{types.SimpleNamespace(v=x[0]).v:.17g}") * x[1]


def format_builtin(x):
    return float(format(x[0], ".17g")) * x[1]


def str_(x):
    return float(str(x[0])) * x[1]


def repr_(x):
    return float(repr(float(x[0]))) * x[1]


def str_list(x):
    return float(str(list(x.tolist())).strip("[]").split(",")[0]) * x[1]


def str_strip_replace(x):
    return float(str(x[0]).strip().replace(",", ".").upper().lower()) * x[1]


def str_encode(x):
    return float(str(x[0]).encode().decode()) * x[1]


def str_partition(x):
    a, _, b = str(float(x[0])).partition(".")
    return (float(a) + float("0." + b)) * x[1]


def str_slice(x):
    return float(str(float(x[0]))[0:]) * x[1]


def str_concat(x):
    return float("0" + str(float(x[0]))) * x[1]


def str_chars(x):
    return float("".join([c for c in str(float(x[0]))])) * x[1]


def array2string(x):
    return float(np.array2string(x[:1], precision=17).strip("[]")) * x[1]


def fmtpos(x):
    return float(np.format_float_positional(x[0])) * x[1]


def fmtsci(x):
    return float(np.format_float_scientific(x[0])) * x[1]


def astype_str(x):
    return x.astype(str).astype(float).sum()


def array_of_str(x):
    return np.array([str(v) for v in x]).astype(float).sum()


def loadtxt(x):
    b = io.StringIO()
    np.savetxt(b, x, fmt="%.17g")
    b.seek(0)
    return np.loadtxt(b).sum()


def print_file(x):
    b = io.StringIO()
    print(float(x[0]), file=b)
    return float(b.getvalue()) * x[1]


def sio_write(x):
    b = io.StringIO()
    b.write(f"{x[0]:.17g}")
    return float(b.getvalue()) * x[1]


def sio_init(x):
    return float(io.StringIO(f"{x[0]:.17g}").read()) * x[1]


def ratio(x):
    a, b = float(x[0]).as_integer_ratio()
    return a / b * x[1]


def ratio_np(x):
    a, b = x[0].as_integer_ratio()
    return a / b * x[1]


def hex_(x):
    return float.fromhex(float(x[0]).hex()) * x[1]


def frexp(x):
    m, e = math.frexp(x[0])
    return math.ldexp(m, e) * x[1]


def fraction(x):
    return float(fractions.Fraction(float(x[0])) * 2) * x[1]


def fraction_from(x):
    return float(fractions.Fraction.from_float(float(x[0]))) * x[1]


def fraction_num(x):
    f = fractions.Fraction(float(x[0]))
    return f.numerator / f.denominator * x[1]


def dec(x):
    return float(decimal.Decimal(float(x[0])) * 2) * x[1]


def dec_from(x):
    return float(decimal.Decimal.from_float(float(x[0]))) * x[1]


def dec_str(x):
    return float(decimal.Decimal(str(x[0])).sqrt()) * x[1]


def struct_(x):
    return struct.unpack("d", struct.pack("d", x[0]))[0] * x[1]


def struct_into(x):
    b = bytearray(8)
    struct.pack_into("d", b, 0, float(x[0]))
    return struct.unpack_from("d", b)[0] * x[1]


def view_int(x):
    return (x.view(np.int64) + 0).view(np.float64).sum()


def tobytes(x):
    return np.frombuffer(x.tobytes()).sum()


def tobytes2(x):
    return np.frombuffer(bytearray(x.tobytes())).sum()


def memview(x):
    return sum(memoryview(x)) * 1.0


def array_array(x):
    return sum(array.array("d", x.tolist()))


def array_array2(x):
    a = array.array("d")
    for v in x:
        a.append(v)
    return a[0] * a[1]


def ctypes_double(x):
    return ctypes.c_double(float(x[0])).value * x[1]


def ctypes_ptr(x):
    return x.ctypes.data_as(ctypes.POINTER(ctypes.c_double))[0] * x[1]


def ctypes_arr(x):
    return sum((ctypes.c_double * 3)(*x))


def pickle_(x):
    return pickle.loads(pickle.dumps(x)).sum()


def json_(x):
    return json.loads(json.dumps({"a": float(x[0])}))["a"] * x[1]


def eval_text(x):
    return eval(f"{float(x[0])!r}") * x[1]


def int_scaled(x):
    return int(x[0] * 1000000000.0) / 1000000000.0 * x[1]


def np_int_scaled(x):
    return (x * 1000000000.0).astype(int).sum() / 1000000000.0


def dataclass_str(x):

    @dataclasses.dataclass
    class A:
        v: float

    return float(repr(A(float(x[0]))).split("=")[1].rstrip(")")) * x[1]


def savez(x):
    b = io.BytesIO()
    np.save(b, x)
    b.seek(0)
    return np.load(b).sum()


def re_(x):
    return float(re.findall("[0-9.e+-]+", f"v={x[0]:.17g}")[0]) * x[1]


def literal(x):
    return ast.literal_eval(f"{float(x[0])!r}") * x[1]


def complex_text(x):
    return complex(str(complex(x[0], 1))).real * x[1]


def bytes_fmt(x):
    return float(b"%f" % x[0]) * x[1]


def sprintf_list(x):
    return sum((float(s) for s in ("%.17g|%.17g" % tuple(x[:2])).split("|")))


@pytest.fixture(autouse=True)
def tape(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", "aten")


PROGRAMS = programs_in(globals())


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore")
def test_what_goes_through_text_is_refused_where_it_is_made(f: Callable[..., Any]) -> None:
    assert verdict(f, X) == "refused"
