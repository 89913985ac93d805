"""A stack that has a name is not made where nothing but a reduction reads it."""

from __future__ import annotations

import numpy as np
import pytest

from tests.runtime.dispatch.test_whole_function import assert_whole

TEXT = """
def f(x):
    n, m = x.shape[0] - 2, x.shape[1] - 2
    parts = [x[i : i + n, j : j + m] for i in range(3) for j in range(3)]
    {body}
"""

COMPOSED = [
    "s = np.stack(parts); return np.median(s, axis=0)",
    "s = np.stack(parts); s = np.median(s, axis=0); return s",
    "s = np.stack((x[:-1], x[1:])); return np.max(s, axis=0)",
    "s = np.array([x[:-1], x[1:], x[:-1] * 2]); y = s.max(axis=0); return y * 2",
    "s = np.stack(parts); k = n + 1; y = np.zeros(3); return np.median(s, axis=0), k, y",
    "y = np.zeros((n, m)); s = np.stack(parts); y += np.median(s, axis=0); return y",
]

APART = [
    "s = np.stack(parts); return np.median(s, axis=0), s",
    "s = np.stack(parts); y = np.median(s, axis=0); return y + s[0]",
    "s = np.stack(parts); parts[0][:] = 0.0; return np.median(s, axis=0)",
    "s = np.stack(parts); return np.median(s, axis=0) + np.max(s, axis=0)",
    "s = np.stack(parts); return np.add(np.add(x, 1.0, out=x)[1:-1, 1:-1], np.median(s, axis=0))",
    "s = np.stack(parts); np.copyto(x, 0.0); return np.median(s, axis=0)",
    "s = np.stack(parts); x += 1; return np.median(s, axis=0)",
    "s = np.stack(parts); parts = parts[1:]; return np.median(s, axis=0), len(parts)",
    "s = np.stack(parts); y = parts.pop(); return np.median(s, axis=0), y",
    "s = np.stack(parts); s2 = s; x[:] = 0; return np.median(s, axis=0), s2",
    "s = np.array(x); x[1, 1] = 9.0; return np.median(s, axis=0)",
    "s = np.asarray(x); x[1, 1] = 9.0; return np.median(s, axis=0)",
    "s = np.stack(parts); t = s; return np.median(t, axis=0)",
]


def is_made(text: str, x: np.ndarray) -> bool:
    """Whether the stack is there; results are compared with NumPy's."""
    source = assert_whole(TEXT.format(body=text.replace("; ", "\n    ")), x).forms[0].code.source
    return not any(it in source for it in ("medians_across<", "ranked<", "better<"))


@pytest.mark.parametrize("body", COMPOSED)
def test_it_is_not_made(body: str) -> None:
    assert not is_made(body, np.random.default_rng(0).random((9, 7)))


@pytest.mark.parametrize("body", APART)
def test_what_else_reads_it_sees_what_was_there(body: str) -> None:
    is_made(body, np.random.default_rng(0).random((9, 7)))
