"""Cells of NumPy calls, natively and compiled: every line must be captured."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.support.cells.native import assert_same


@dataclass(frozen=True)
class Case:
    """A cell whose lines are all captured."""

    title: str
    setup: str
    source: str


VECTOR = "import numpy as np\nx = np.arange(1.0, 6.0) + RUN\ni = np.array([3, 1, 2])\n"
MATRIX = "import numpy as np\nA = np.arange(9.0).reshape(3, 3) + RUN\n"

CASES = [
    Case(
        "einsum in all its forms",
        MATRIX + "x = np.arange(3.0)",
        """
a = np.einsum("ii", A)
b = np.einsum("ij,jk", A, A)
c = np.einsum(A, [0, 1], x, [1], [0])
d = np.einsum("..., ...", 3, A)
e = np.einsum("i,j->ij", x, x, optimize=True)
f = np.einsum("ij->", A)
g = np.einsum("ij,j->i", A, x, out=np.zeros(3))
""",
    ),
    Case(
        "views of einsum can be written",
        MATRIX,
        """
np.einsum("ii->i", A)[:] = -1
B = np.einsum("ij->ji", A)
B[0] = 7
""",
    ),
    Case(
        "ranges as arguments",
        VECTOR,
        """
a = np.array(range(4)) * 2
b = np.float_power(range(4), 3)
c = x + np.asarray(range(5))
""",
    ),
    Case(
        "try in helpers",
        VECTOR
        + """
def attempt(x):
    try:
        y = x * 2
    except ValueError as error:
        y = x
    else:
        y = y + 1
    finally:
        z = x - 1
    return y, z

def own(x):
    try:
        raise KeyError("nothing")
    except KeyError as error:
        return x * 3

def default(x, d):
    try:
        k = d["missing"]
    except KeyError:
        k = 3
    try:
        n = len(k)
    except TypeError:
        n = 2
    return x * k + n

def nested(x):
    try:
        try:
            return np.sqrt(x)
        finally:
            x = x + 1
    except:
        return x
""",
        "a, b = attempt(x)\nc = own(x)\nd = nested(x)\ne = default(x, {'a': 1})",
    ),
    Case(
        "what follows from constants decides",
        VECTOR
        + """
def first(x):
    if np.all(np.diff((3, 3)) == 0):
        return x * np.arange(3)[2]
    return x

def pairs(x):
    return (np.arange(2),) * 2 + (x,)
""",
        "a = first(x)\nb = pairs(x)\nc = np.zeros(abs(len(x) - 7)) + 1",
    ),
    Case(
        "what NumPy makes of constants",
        "import numpy as np",
        """
a = np.array([3, 1, 2, 3, 1])
b = np.unique(a)
c, d = np.unique(a, return_counts=True)
e = np.nonzero(a > 1)
f = np.nonzero(np.eye(3))
g = np.partition(a, 2)
h = np.unravel_index([22, 41, 37], (7, 6))
i = np.unravel_index(1621, (6, 7, 8, 9))
j = np.mask_indices(3, np.triu)
k = np.unique_counts(a)
l = np.roots([1, 2, 3.0])
m = np.ix_([True, True], [2, 4])
n = a.nonzero()
o = np.intersect1d([1, 3, 4, 3], [3, 1, 2, 1])
f[0][0] = 2
b[0] = 7
""",
    ),
    Case(
        "NumPy's own branches",
        VECTOR,
        """
a = np.gradient(x, np.arange(5.0))
b = np.gradient(x, np.arange(5.0) ** 2)
c = np.cov(x, fweights=[1, 2, 1, 1, 3])
""",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_cell(case: Case) -> None:
    source = case.source.strip()
    lines = range(2, 2 + len(source.splitlines()))
    assert_same(source, setup=case.setup, captured=lines)


def test_a_branch_of_numpy_that_turns_the_other_way() -> None:
    """The second run meets unevenly spaced coordinates: the check sends it to NumPy."""
    setup = "import numpy as np\ny = np.arange(5.0) ** 3\nx = np.arange(5.0) ** (RUN + 1)"
    assert_same("g = np.gradient(y, x)", setup=setup, captured=False, fallbacks=1)


def test_what_breaks_passes_through_every_handler() -> None:
    setup = VECTOR + (
        "def f(x):\n    try:\n        print(x)\n    except:\n        return x * 3\n"
        "    return x * 2\n"
        "def g(x):\n    try:\n        return x[10]\n    except IndexError:\n        return x[0]\n"
    )
    assert_same("a = f(x)\nb = g(x)", setup=setup, captured=False)


def test_a_constant_that_is_written_is_none() -> None:
    setup = (
        "import numpy as np\nx = np.array([float(RUN), 1.0])\n"
        "def f(x):\n    k = np.zeros(2)\n    k[0] = x[0]\n"
        "    if k[0] == 0:\n        return x\n    return x + 1\n"
    )
    assert_same("a = f(x)", setup=setup, captured=False)


def test_a_constant_that_was_written_is_looked_at_again() -> None:
    source = "b = np.array([1, 2])\nb[0] = x[0]\nu = np.unique(b)"
    assert_same(source, setup="import numpy as np\nx = np.array([2 - RUN])", captured=[2, 3])


def test_polynomial_objects_are_not_functions() -> None:
    setup = "import numpy as np\np = np.poly1d([1, 2, 3 + RUN])\nx = np.arange(3.0)"
    assert_same("y = p(x) + 1\nz = x * 2\np[0] = 9\nw = p(x)", setup=setup, captured=False)


@pytest.mark.parametrize("q", ["[0.3]", "np.array([0.3, 0.9])", "0.3"])
def test_quantiles_of_small_integers_wrap_around(q: str) -> None:
    """The distance of two elements has their dtype: what has no room there is NumPy's."""
    setup = "import numpy as np\nx = np.array([[-100, 3], [100, 5]], np.int8)"
    setup += "\nif RUN == 0:\n    x //= 4"
    assert_same(f"v = np.quantile(x, {q}, axis=0)", setup=setup, captured=False, fallbacks=1)


def test_the_place_of_a_quantile_has_the_digits_of_q() -> None:
    setup = "import numpy as np\nx = np.arange(1001.0) ** 2"
    assert_same("v = np.quantile(x, np.float32(0.1))", setup=setup, captured=False)
