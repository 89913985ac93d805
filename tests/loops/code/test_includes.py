"""What a loop includes: all that it needs, and nothing that takes long to read for no reason."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sysconfig
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from jupyter_npcompile.loops.includes import COMMON, FOLDER, HEADERS, TABLE, common, complete, names
from jupyter_npcompile.runtime.native.gxx import command
from jupyter_npcompile.runtime.native.loop_toolchain import LOOPS
from tests.support.scripts import script

NEEDS_GXX = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")


header_names = script("header_names")
defined = header_names.defined


def included(header: str) -> list[str]:
    """The headers of ours that a header includes."""
    return re.findall(r'^#include "(.*)"', (FOLDER / header).read_text(), re.MULTILINE)


def test_all_headers_are_known() -> None:
    there = sorted(str(it.relative_to(FOLDER)) for it in FOLDER.rglob("*.hpp"))
    assert sorted([*HEADERS, COMMON]) == there
    assert list(common()) != []
    assert common() <= set(HEADERS)


@pytest.mark.parametrize("header", HEADERS)
def test_none_includes_one_that_comes_later(header: str) -> None:
    """The first that has a name at its top level is taken for the one that defines it."""
    before = HEADERS[: HEADERS.index(header)]
    assert set(included(header)) <= set(before)


@NEEDS_GXX
@pytest.mark.parametrize("header", HEADERS)
def test_each_includes_what_it_uses(tmp_path: Path, header: str) -> None:
    text = tmp_path / "alone.cpp"
    text.write_text(f'#include "{header}"\n')
    folders = FOLDER, sysconfig.get_paths()["include"], np.get_include()
    subprocess.run(
        [*command(), *LOOPS, *(f"-I{it}" for it in folders), "-fsyntax-only", str(text)], check=True
    )


def test_the_table_of_names_is_that_of_the_headers() -> None:
    assert json.loads(TABLE.read_text()) == header_names.table(), "run `make header-names`"


def test_names() -> None:
    """Functions, templates, macros, structures, enumerators, variables, and nothing of bodies."""
    text = """
        // nobody: "none"
        #define TWICE(x) \\
            (hidden(x) + x)
        template <class T, int N> struct View { T *p; int size() const { return inner; } };
        template <class T> INLINE T larger(T a, T b) { return a < b ? b : a; }
        [[gnu::noinline]] static void *fresh(int count);
        static bool careful_ = false;
        static View<double, 1> *kept_[7];
        enum { FIRST, SECOND = 3 };
        extern "C" { double drawn(void *); }
        typedef unsigned char bool8;
        namespace deep { int below(); }
        """
    found = set(defined(text))
    assert found - {"gnu"} == {
        *("TWICE", "View", "larger", "fresh", "careful_", "kept_", "FIRST", "SECOND", "drawn"),
        *("bool8", "deep"),
    }


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("common_divisor(a, b)", "numbers.hpp"),
        ("picked_lt<double>(a, b, c, d)", "choices.hpp"),
        ("spread(run, n, 1, n, 1.0, nest);", "threads.hpp"),
        ("pad(run, x, n, n, REFLECT)", "library/rearranging.hpp"),
        ("random_standard_normal(source)", "library/normals.hpp"),
        ("npcompile_lapack[0]", "library/linear_algebra.hpp"),
        ("i64 n;", "basics.hpp"),
    ],
)
def test_what_is_used_is_included(text: str, header: str) -> None:
    if header in common():
        assert complete(text) == f'#include "{COMMON}"\n{text}'
    else:
        assert f'#include "{header}"\n' in complete(text)


def test_a_short_loop_reads_little() -> None:
    """What C++ has for vectors, sorting, threads and complex numbers takes longer than the loop."""
    text = "Run run = {}; Array<double, 1> x; take<double, 1>(o, 12, true, false, x); lost();"
    todo, seen = re.findall(r'"(.*)"', complete(text)), set[str]()
    while todo:
        header = todo.pop()
        seen.add(header)
        todo += included(header)
    slow = r"^#include <(algorithm|vector|memory|tuple|complex|cmath|thread|mutex|immintrin.h)>"
    assert not [it for it in seen if re.search(slow, (FOLDER / it).read_text(), re.MULTILINE)]


def test_few_names_are_defined_twice() -> None:
    """Of what is written for other types, too, a loop names the type."""
    found = Counter(name for it in HEADERS for name in set(defined((FOLDER / it).read_text())))
    twice = {name for name, count in found.items() if count > 1}
    assert twice == {"Crew", "chosen", "floor_mod", "gnu", "np_max", "np_min"}
    assert set(names()) == set(found)
