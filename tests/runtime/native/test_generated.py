"""Reading modules that Inductor generates."""

from __future__ import annotations

import pytest

from jupyter_npcompile.runtime.compile_errors import UnbuildableError
from jupyter_npcompile.runtime.native.generated import ALIGNMENT, Place, read
from jupyter_npcompile.runtime.native.translation import entry, translation_unit

KERNEL = """
{name} = async_compile.cpp_pybinding(['const double*', 'double*'], r'''
#include <torch/csrc/inductor/cpp_prefix.h>
extern "C"  void  kernel(const double* in_ptr0, double* out_ptr0)
{{
}}
''')
"""
MODULE = """
{kernels}
class Runner:
    def call(self, args):
        {body}
"""


def module(*body: str) -> str:
    kernels = KERNEL.format(name="first") + KERNEL.format(name="second")
    return MODULE.format(kernels=kernels, body="\n        ".join(body))


def test_calls_of_kernels() -> None:
    text = module(
        "arg0_1, = args",
        "args.clear()",
        "assert_size_stride(arg0_1, (4, ), (1, ), 'input')",
        "buf0 = empty_strided_cpu((4, ), (1, ), torch.float64)",
        "first(arg0_1, buf0)",
        "del arg0_1",
        "buf1 = buf0; del buf0  # reuse",
        "buf2 = empty_strided_cpu((4, ), (1, ), torch.float64)",
        "second(buf1, buf2)",
        "return (buf2, )",
    )
    made = read(text, 1, [(1,)])
    assert [call.kernel for call in made.calls] == ["first", "second"]
    assert made.calls[0].places == (Place("input", 0), Place("scratch", 0))
    assert made.calls[1].places == (Place("scratch", 0), Place("output", 0))
    assert made.scratch == ALIGNMENT
    source = translation_unit([made])
    assert entry(0) in source
    assert source.count("static void kernel(") == 2


def test_temporary_memory_is_used_again() -> None:
    steps = ["arg0_1, = args"]
    previous = "arg0_1"
    for number in range(5):
        steps.append(f"buf{number} = empty_strided_cpu((100, ), (1, ), torch.float64)")
        steps.append(f"first({previous}, buf{number})")
        previous = f"buf{number}"
    made = read(module(*steps, f"return ({previous}, )"), 1, [(1,)])
    assert made.scratch == 2 * 832  # 100 numbers, in whole cache lines


def test_parts_of_a_buffer() -> None:
    text = module(
        "arg0_1, = args",
        "buf0 = empty_strided_cpu((4, ), (1, ), torch.bool)",
        "buf1 = reinterpret_tensor(buf0, (1, ), (1, ), 3)  # alias",
        "first(arg0_1, buf1)",
        "buf2 = empty_strided_cpu((), (), torch.float64)",
        "second(buf0, buf2)",
        "return (buf2, )",
    )
    made = read(text, 1, [()])
    assert made.calls[0].places[1] == Place("scratch", 0, 3)


def test_the_same_bytes_of_another_dtype() -> None:
    text = module(
        "arg0_1, = args",
        "buf0 = empty_strided_cpu((2, 4), (4, 1), torch.int64)",
        "first(aten.view.dtype(arg0_1, torch.int64), buf0)",
        "buf1 = aten.view.dtype(reinterpret_tensor(buf0, (4, ), (1, ), 4), torch.uint64)",
        "buf2 = empty_strided_cpu((4, ), (1, ), torch.uint64)",
        "second(buf1, buf2)",
        "return (buf1, buf2)",
    )
    made = read(text, 1, [(1,), (1,)])
    assert made.calls[0].places[0] == Place("input", 0)
    whole, part = made.calls[0].places[1], made.calls[1].places[0]
    assert isinstance(whole, Place)
    assert part == Place(whole.space, whole.index, 32)
    assert len(made.calls) == 3  # a part of a buffer is no result


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (["buf0 = torch.ops.aten.cumsum.default(arg0_1, 0)", "return (buf0, )"], "cumsum"),
        (["extern_kernels.mm(arg0_1, arg0_1, out=arg0_1)", "return ()"], "extern_kernels"),
        (["return (arg0_1, )"], "shares memory"),
        (["return (aten.view.dtype(arg0_1, torch.int64), )"], "shares memory"),
        (
            [
                "buf0 = empty_strided_cpu((4, ), (1, ), torch.int64)",
                "return (aten.view.dtype(buf0, torch.int32), )",
            ],
            "view.dtype",
        ),
        (["if arg0_1: pass", "return ()"], "if"),
        (
            ["buf0 = empty_strided_cpu((4, ), (1, ), torch.float64)", "return (buf0, buf0)"],
            "2 results",
        ),
        (
            ["buf0 = empty_strided_cpu((4, ), (1, ), torch.complex128)", "return (buf0, )"],
            "complex128",
        ),
    ],
)
def test_what_cannot_be_called_natively(body: list[str], reason: str) -> None:
    with pytest.raises(UnbuildableError, match=reason):
        read(module("arg0_1, = args", *body), 1, [(1,)] * ("return ()" not in body))


@pytest.mark.parametrize(
    ("returned", "orders"),
    [
        (["buf0", "buf0"], [(4, 1), (4, 1)]),
        (["reinterpret_tensor(buf0, (3, ), (4, ), 1)", "buf0"], [(1,), (4, 1)]),
        (["buf0", "reinterpret_tensor(buf0, (2, 3), (0, 4), 0)"], [(4, 1), (3, 1)]),
        (["buf0"], [(1, 3)]),
    ],
)
def test_what_lies_elsewhere_or_otherwise_is_copied(
    returned: list[str], orders: list[tuple[int, ...]]
) -> None:
    text = module(
        "arg0_1, = args",
        "buf0 = empty_strided_cpu((3, 4), (4, 1), torch.float64)",
        "first(arg0_1, buf0)",
        f"return ({', '.join(returned)}, )",
    )
    made = read(text, 1, orders)
    filled = [made.calls[0].places[1], *(call.places[1] for call in made.calls[1:])]
    assert {Place("output", k) for k in range(len(returned))} <= set(filled)
    assert made.orders == tuple(orders)
    assert "may_alias" in translation_unit([made])


def test_other_numbers_of_inputs() -> None:
    with pytest.raises(UnbuildableError, match="1 inputs, where 2"):
        read(module("arg0_1, = args", "return ()"), 2, [])
