"""How many floating-point operations a node needs: from its shapes and what it computes.

Counted is the arithmetic that the textbook algorithm needs, not what a processor does:
an addition, a comparison, a square root and a sine are one each. In complex numbers a
product counts 6 and a sum 2. Where the number depends on the values, or nobody has
written a formula down here, there is no count. Sources:

- products of matrices, factors and solutions: LAPACK Working Note 41, operation counts,
  leading terms;
- Fourier transforms: 5 n log2 n, the convention of the FFTW benchmarks (half of it where
  one side is real);
- ``einsum``: as opt_einsum counts a product of at most two operands.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph.nodes import Node, Ref, ValueType, references


@dataclass(frozen=True, slots=True)
class Flops:
    """A count, and the rule that gave it.

    Parameters
    ----------
    count : int
        Floating-point operations.
    rule : str
        The formula, for a person.
    """

    count: int
    rule: str = ""


def flops(node: Node, known: Mapping[int, Node]) -> Flops | None:
    """The floating-point operations of a node; None where that cannot be told.

    Parameters
    ----------
    node : Node
        Of the NumPy level or an ATen level.
    known : mapping of int to Node
        The nodes that it reads, by id.

    Examples
    --------
    >>> def array(*shape):
    ...     return (ValueType("array", "float64", shape),)
    >>> a = Node(0, "input", types=array(10, 20))
    >>> b = Node(1, "input", types=array(20, 5))
    >>> product = Node(2, "numpy.matmul", (Ref(0), Ref(1)), types=array(10, 5))
    >>> flops(product, {0: a, 1: b})
    Flops(count=2000, rule='2 m n k')
    >>> flops(Node(3, "numpy.sort", (Ref(0),), types=array(10, 20)), {0: a}) is None
    True
    """
    call = _Call(node, known)
    name = call.name
    if name in _MOVES or (node.view_of is not None and not node.writes):
        return Flops(0, "moves data")
    if not any(_is_inexact(kind) for kind in (*node.types, *call.types)):
        return Flops(0, "no floating-point numbers")
    if name in _RULES:
        return _RULES[name](call)
    ufunc, _, method = name.partition(".")
    if not _is_elementwise(ufunc):
        return None
    if method in ("", "outer"):
        return _each(call)
    return _reduction(call) if method in ("reduce", "accumulate") else None


def fused_flops(kernel: Node, source: Mapping[int, Node]) -> Flops | None:
    """The same of a kernel: the sum of the operations of which it computes something.

    Examples
    --------
    >>> x = Node(0, "input", types=(ValueType("array", "float64", (10,)),))
    >>> sine = Node(1, "numpy.sin", (Ref(0),), types=x.types)
    >>> fused_flops(Node(9, "kernel.sin", fuses=(1,)), {0: x, 1: sine}).count
    10
    """
    counts = [flops(source[id], source) for id in kernel.fuses if id in source]
    known = [one.count for one in counts if one is not None]
    if not known or len(known) < len(kernel.fuses):
        return None
    if len(known) == 1:
        return counts[0]
    return Flops(sum(known), "the sum of what it computes")


# -- what a rule sees


@dataclass(frozen=True, slots=True)
class _Call:
    """A node with the types of what it reads."""

    node: Node
    known: Mapping[int, Node]

    @property
    def name(self) -> str:
        """Without what it belongs to: ``"add"``, ``"linalg.solve"``, ``"sum"``."""
        op = self.node.op
        if op.startswith("aten."):
            name = op.split(".")[1].strip("_")
            return _ATEN.get(name, name)
        return op.removeprefix("numpy.").removeprefix("ndarray.")

    @property
    def types(self) -> list[ValueType]:
        """Of everything that it reads."""
        ids = (id for part in self.node.args for id in references(part))
        return [kind for id in ids if id in self.known for kind in self.known[id].types]

    def operand(self, place: int) -> ValueType | None:
        """The type of one positional argument."""
        args = self.node.args
        part = args[place] if place < len(args) else None
        types = self.known[part.id].types if isinstance(part, Ref) and part.id in self.known else ()
        return types[0] if len(types) == 1 else None

    def given(self, place: int, name: str, default: Any = None) -> Any:
        """An argument by its place or name."""
        if name in self.node.kwargs:
            return self.node.kwargs[name]
        return self.node.args[place] if place < len(self.node.args) else default

    @property
    def made(self) -> int:
        """Elements of the result."""
        return _count(self.node.types[0]) if self.node.types else 0

    @property
    def is_complex(self) -> bool:
        """Whether it computes with complex numbers."""
        return any(kind.dtype.startswith("complex") for kind in (*self.node.types, *self.types))


def _count(kind: ValueType) -> int:
    return math.prod(kind.shape)


def _is_inexact(kind: ValueType) -> bool:
    return kind.dtype.startswith(("float", "complex", "longdouble", "bfloat"))


def _is_elementwise(name: str) -> bool:
    found = getattr(np, name, None)
    return isinstance(found, np.ufunc) and found.signature is None


# -- rules


_COMPLEX = {"add": 2, "subtract": 2, "negative": 2, "conjugate": 1, "multiply": 6, "square": 6}


def _each(call: _Call) -> Flops | None:
    if not call.is_complex:
        return Flops(call.made, "1 for each element")
    factor = _COMPLEX.get(call.name)
    return None if factor is None else Flops(factor * call.made, f"{factor} for each element")


def _times(factor: int) -> Callable[[_Call], Flops | None]:
    def rule(call: _Call) -> Flops | None:
        if call.is_complex:
            return None
        return Flops(factor * call.made, f"{factor} for each element")

    return rule


def _reduction(call: _Call) -> Flops | None:
    """One operation less than there are elements, for each result."""
    read = call.operand(0)
    if read is None or "where" in call.node.kwargs or call.is_complex:
        return None
    if call.name.endswith("accumulate") or call.name.startswith("cum"):
        axis = call.given(1, "axis", 0 if call.name.endswith("accumulate") else None)
        if axis is None:
            lanes = 1
        elif isinstance(axis, int) and -len(read.shape) <= axis < len(read.shape):
            lanes = _count(read) // max(read.shape[axis], 1)
        else:
            return None
        return Flops(max(_count(read) - lanes, 0), "n - 1 for n elements")
    return Flops(max(_count(read) - call.made, 0), "n - 1 for n elements")


def _passes(factor: int) -> Callable[[_Call], Flops | None]:
    """So many operations for each element that is read."""

    def rule(call: _Call) -> Flops | None:
        read = call.operand(0)
        if read is None or "where" in call.node.kwargs or call.is_complex:
            return None
        return Flops(factor * _count(read), f"{factor} for each element that is read")

    return rule


def _norm(call: _Call) -> Flops | None:
    if len(call.node.args) > 1 or call.node.kwargs.get("ord") is not None:
        return None  # another norm than the root of the sum of squares
    return _passes(2)(call)


def _product(call: _Call) -> Flops | None:
    first, second = call.operand(0), call.operand(1)
    if first is None or second is None:
        return None
    if not first.shape or not second.shape:
        return _each(call)
    return _multiplied(call, first.shape[-1])


def _multiplied(call: _Call, inner: int) -> Flops:
    factor = 8 if call.is_complex else 2
    return Flops(factor * call.made * inner, f"{factor} m n k")


def _tensordot(call: _Call) -> Flops | None:
    first, second = call.operand(0), call.operand(1)
    if first is None or second is None or not call.made:
        return None
    return _multiplied(call, math.isqrt(_count(first) * _count(second) // call.made))


def _einsum(call: _Call) -> Flops | None:
    text = call.node.args[0] if call.node.args else None
    if not isinstance(text, str) or "." in text or call.is_complex:
        return None
    terms, _, result = text.replace(" ", "").partition("->")
    labels = terms.split(",")
    sizes: dict[str, int] = {}
    for place, term in enumerate(labels, 1):
        kind = call.operand(place)
        if kind is None or len(kind.shape) != len(term):
            return None
        sizes.update((n, max(m, sizes.get(n, 1))) for n, m in zip(term, kind.shape, strict=True))
    if len(labels) > 2 or "->" not in text:
        return None
    inner = bool(set(sizes) - set(result))
    each = len(labels) - 1 + inner
    return Flops(each * math.prod(sizes.values()), f"{each} for each combination of indices")


def _square_matrix(call: _Call) -> tuple[int, int] | None:
    """Length of a matrix, and how many there are."""
    kind = call.operand(0)
    if kind is None or len(kind.shape) < 2:
        return None
    return kind.shape[-1], math.prod(kind.shape[:-2])


def _matrix(factor: float, rule: str) -> Callable[[_Call], Flops | None]:
    """So many times n³."""

    def counted(call: _Call) -> Flops | None:
        known = _square_matrix(call)
        if known is None:
            return None
        n, batch = known
        more = 4 if call.is_complex else 1
        return Flops(round(factor * n**3) * batch * more, rule if more == 1 else f"4 · {rule}")

    return counted


def _solve(call: _Call) -> Flops | None:
    known = _square_matrix(call)
    if known is None or not known[0]:
        return None
    n, batch = known
    more = 4 if call.is_complex else 1
    sides = call.made // n  # of all matrices together
    count = (round(2 / 3 * n**3) * batch + 2 * n * n * sides) * more
    return Flops(count, "2/3 n³ + 2 n² for each right side")


def _qr(call: _Call) -> Flops | None:
    kind = call.operand(0)
    if kind is None or len(kind.shape) != 2 or call.is_complex:
        return None
    if call.given(1, "mode", "reduced") != "reduced":
        return None
    m, n = kind.shape
    if m < n:
        return None
    return Flops(round(4 * m * n * n - 4 / 3 * n**3), "4 m n² - 4/3 n³")


def _fft(call: _Call) -> Flops | None:
    """Transforms along the given axes: 5 n log2 n for each, n the elements of one."""
    kind, name = call.operand(0), call.name.removeprefix("fft.")
    made = call.node.types[0] if len(call.node.types) == 1 else None
    if kind is None or made is None or not kind.shape:
        return None
    real = name in ("rfft", "irfft")
    # A real transform keeps half of the complex side: the other one tells the length.
    shape = kind.shape if name == "rfft" else made.shape
    if name == "rfft" and call.given(1, "n") is not None:
        return None
    axes: object
    if name in ("fft", "ifft", "rfft", "irfft"):
        axes = (call.given(2, "axis", -1),)
    else:
        axes = call.given(2, "axes", (-2, -1) if name.endswith("2") else tuple(range(len(shape))))
    if not isinstance(axes, tuple | list) or not all(
        isinstance(axis, int) and -len(shape) <= axis < len(shape) for axis in axes
    ):
        return None
    length = math.prod(shape[axis] for axis in axes)
    factor = 2.5 if real else 5
    count = round(factor * math.prod(shape) * math.log2(max(length, 1)))
    return Flops(count, f"{factor:g} n log2 n")


_ATEN = {
    "sub": "subtract",
    "mul": "multiply",
    "div": "divide",
    "neg": "negative",
    "abs": "absolute",
    "pow": "power",
    "eq": "equal",
    "ne": "not_equal",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
    "amax": "max",
    "amin": "min",
    "mm": "matmul",
    "bmm": "matmul",
    "mv": "matmul",
    "cat": "concatenate",
    "conj": "conjugate",
    "atan2": "arctan2",
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
}
"""Names of ATen that NumPy has others for."""


_names = str.split

_MOVES = frozenset(
    _names("""
    getitem setitem item python.getitem T real imag flat reshape ravel flatten transpose swapaxes
    moveaxis squeeze expand_dims atleast_1d atleast_2d atleast_3d broadcast_to copy astype array
    asarray ascontiguousarray concatenate stack vstack hstack column_stack dstack tile repeat
    flip fliplr flipud roll rot90 split array_split pad zeros ones empty full zeros_like
    ones_like empty_like full_like eye identity diag diagonal tril triu take take_along_axis
    put_along_axis meshgrid copyto
    view unsafe_view slice select permute expand unsqueeze clone slice_scatter select_scatter
    alias detach as_strided index index_put gather unbind scalar_tensor to_copy lift_fresh_copy
    constant_pad_nd new_empty new_zeros new_full fill view_as_real view_as_complex
    """)
)
"""What moves or makes data and computes nothing."""

_RULES: dict[str, Callable[[_Call], Flops | None]] = {
    **dict.fromkeys(
        _names("sum prod max min amax amin any all argmax argmin cumsum cumprod"), _reduction
    ),
    "mean": _passes(1),
    "var": _passes(4),
    "std": _passes(4),
    "linalg.norm": _norm,
    **dict.fromkeys(_names("matmul dot inner vdot vecdot linalg.matmul"), _product),
    "outer": _each,
    "tensordot": _tensordot,
    "einsum": _einsum,
    **dict.fromkeys(_names("where round around diff abs rsqrt"), _times(1)),
    "clip": _times(2),
    "tanh_backward": _times(3),
    "linspace": _times(2),
    "linalg.solve": _solve,
    "linalg.inv": _matrix(8 / 3, "8/3 n³"),
    "linalg.det": _matrix(2 / 3, "2/3 n³"),
    "linalg.slogdet": _matrix(2 / 3, "2/3 n³"),
    "linalg.cholesky": _matrix(1 / 3, "1/3 n³"),
    "linalg.qr": _qr,
    **dict.fromkeys(
        (f"fft.{name}" for name in _names("fft ifft rfft irfft fft2 ifft2 fftn ifftn")), _fft
    ),
}
