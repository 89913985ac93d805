"""The derivative of the determinant where there is no inverse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc

RNG = np.random.default_rng(0)
FULL = RNG.normal(size=(3, 3))
PROPORTIONAL = np.array([[1.0, 2.0], [2.0, 4.0]])
NEARLY = np.arange(1.0, 10.0).reshape(3, 3)
RANK_ONE = np.outer([1.0, 2.0, 3.0], [2.0, 1.0, 1.0])


@pytest.fixture(autouse=True)
def tape(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", "aten")


def adjugate(matrix: Any) -> Any:
    """Transposed: the determinants without one row and one column."""
    found = np.zeros_like(matrix)
    for row, column in np.ndindex(matrix.shape):
        rest = np.delete(np.delete(matrix, row, 0), column, 1)
        found[row, column] = (-1) ** (row + column) * np.linalg.det(rest)
    return found


@pytest.mark.parametrize("matrix", [FULL, PROPORTIONAL, NEARLY, RANK_ONE, np.zeros((3, 3))])
def test_the_gradient_is_the_adjugate(matrix: Any) -> None:
    wanted = adjugate(matrix)
    found = npc.grad(np.linalg.det)(matrix.copy())
    np.testing.assert_allclose(found, wanted, atol=1e-9 * max(1, np.abs(wanted).max()))
    _, tangent = npc.jvp(np.linalg.det, (matrix,), (np.ones_like(matrix),))
    np.testing.assert_allclose(tangent, wanted.sum(), atol=1e-9 * max(1, np.abs(wanted).max()))


def test_matrices_of_a_stack_may_have_an_inverse_or_not() -> None:
    stack = np.stack([FULL, NEARLY, RANK_ONE])
    found = npc.grad(lambda a: np.sum(np.linalg.det(a) * [1.0, 2.0, 3.0]))(stack)
    wanted = [k * adjugate(a) for k, a in enumerate(stack, 1)]
    np.testing.assert_allclose(found, wanted, atol=1e-9)
    np.testing.assert_allclose(npc.vmap_grad(np.linalg.det)(stack)[1], adjugate(NEARLY), atol=1e-9)


def test_large_matrices_without_inverse() -> None:
    matrix = RNG.normal(size=(20, 20))
    matrix[3] = matrix[7]
    u, s, vh = np.linalg.svd(matrix)
    others = [np.prod(np.delete(s, k)) for k in range(20)]
    wanted = np.linalg.det(u) * np.linalg.det(vh) * (u * others) @ vh
    found = npc.grad(np.linalg.det)(matrix)
    np.testing.assert_allclose(found, wanted, atol=1e-9 * np.abs(wanted).max())


def test_the_second_derivative_exists_there_too() -> None:
    found = npc.hessian(np.linalg.det)(PROPORTIONAL).reshape(4, 4)
    np.testing.assert_allclose(found, np.diag([1, -1, -1, 1])[::-1], atol=1e-12)
