"""Sums of boxes in C++ against sums of slices in NumPy."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jupyter_npcompile.autodiff.loop_drivers import HELPERS, Part, inside
from jupyter_npcompile.autodiff.loop_sums import MOST, Term, summed

SHAPES = [(7,), (5, 6), (4, 3, 5), (1, 6), (6, 1), (3, 1, 4), ()]


def box(start: Any, spans: Any) -> Any:
    return (*(slice(a, a + n) for a, n in zip(start, spans, strict=True)), ...)


class Case:
    """A random sum: its statements, and what it should be."""

    def __init__(self, rng: Any, shape: tuple[int, ...]) -> None:
        self.target = np.array(rng.normal(size=shape))
        start = tuple(int(rng.integers(0, n)) for n in shape)
        spans = tuple(int(rng.integers(1, n - a + 1)) for a, n in zip(start, shape, strict=True))
        if rng.random() < 0.5:
            start, spans = (0,) * len(shape), shape
        is_added = bool(rng.random() < 0.5)
        self.sources: list[Any] = []
        self.wanted = self.target.copy()
        inner = self.wanted[box(start, spans)]
        if not is_added:
            inner[...] = 0.0
        terms = []
        for k in range(int(rng.integers(0, 6))):
            size = tuple(int(rng.integers(1, n + 1)) for n in spans)
            place = tuple(int(rng.integers(0, n - m + 1)) for n, m in zip(spans, size, strict=True))
            near = tuple(m + int(rng.integers(0, 3)) for m in size)
            first = tuple(int(rng.integers(0, n - m + 1)) for n, m in zip(near, size, strict=True))
            source = np.array(rng.normal(size=near))
            self.sources.append(source)
            inner[box(place, size)] += source[box(first, size)]
            terms.append(Term(inside(near, 8, f"from[{k}]", first), (place, size), near))
        part = Part(shape, spans, 8)
        to = inside(shape, 8, "to", start)
        self.lines = summed(part, to, terms, "double", is_added=is_added)


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Case, Any]]:
    rng = np.random.default_rng(17)
    every = [Case(rng, SHAPES[k % len(SHAPES)]) for k in range(140)]
    texts = [HELPERS]
    for k, case in enumerate(every):
        lines = "\n".join(case.lines)
        texts.append(f'extern "C" void sum_{k}(char* to, char** from) {{ {lines} }}')
    folder: Path = tmp_path_factory.mktemp("sums")
    (folder / "sums.cpp").write_text("\n".join(texts))
    command = ["g++", "-O2", "-std=c++17", "-shared", "-fPIC", "sums.cpp", "-o", "sums.so"]
    subprocess.run(command, cwd=folder, check=True)
    library = ctypes.CDLL(str(folder / "sums.so"))
    return [(case, getattr(library, f"sum_{k}")) for k, case in enumerate(every)]


def test_sums_of_boxes(cases: list[tuple[Case, Any]]) -> None:
    for case, function in cases:
        pointers = (ctypes.c_void_p * max(len(case.sources), 1))(
            *(source.ctypes.data for source in case.sources)
        )
        function(ctypes.c_void_p(case.target.ctypes.data), pointers)
        np.testing.assert_allclose(
            case.target, case.wanted, rtol=1e-14, atol=1e-14, err_msg="\n".join(case.lines)
        )


def test_many_boxes_are_added_one_by_one() -> None:
    terms = [Term(f"x{k}", ((k, k, k), (5, 5, 5)), (5, 5, 5)) for k in range(15)]
    lines = summed(Part((20, 20, 20), (20, 20, 20), 8), "to", terms, "double")
    assert len(lines) == 1 + len(terms)
    few = summed(Part((20, 20, 20), (20, 20, 20), 8), "to", terms[:2], "double")
    assert len(few) <= MOST
