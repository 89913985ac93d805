"""What is loaded is what was checked, whatever happens to its name meanwhile."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from jupyter_npcompile.runtime.cache import Cache
from jupyter_npcompile.runtime.cache_folder import UntrustedError
from jupyter_npcompile.runtime.native.program import load_dispatch
from jupyter_npcompile.runtime.native.toolchain import DISPATCH
from jupyter_npcompile.runtime.own_library import ChangedError, checked

NEEDS_GXX = pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++")


def stored(cache: Cache, key: str, content: bytes) -> Path:
    """A file of an entry that was read."""

    def build(folder: Path) -> Mapping[str, Any]:
        (folder / "kernels.so").write_bytes(content)
        return {}

    cache.store(key, build)
    entry = cache.find(key)
    assert entry is not None
    return entry.folder / "kernels.so"


def test_what_was_exchanged_after_it_was_read(tmp_path: Path) -> None:
    path = stored(Cache(tmp_path / "cache"), "k", b"one")
    path.unlink()
    path.write_bytes(b"two")
    path.chmod(0o600)
    with pytest.raises(ChangedError, match=r"kernels\.so has changed"), checked(path):
        pass


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
def test_what_is_exchanged_after_it_was_checked(tmp_path: Path) -> None:
    path = stored(Cache(tmp_path / "cache"), "k", b"one")
    with checked(path) as name:
        path.unlink()
        path.write_bytes(b"two")
        assert Path(name).read_bytes() == b"one"


@pytest.mark.parametrize("mode", [0o620, 0o602])
def test_what_others_may_write(tmp_path: Path, mode: int) -> None:
    path = stored(Cache(tmp_path / "cache"), "k", b"one")
    path.chmod(mode)
    with pytest.raises(UntrustedError, match="others may write"), checked(path):
        pass


def test_a_link(tmp_path: Path) -> None:
    path = stored(Cache(tmp_path / "cache"), "k", b"one")
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic links"), checked(path):
        pass


@NEEDS_GXX
def test_libraries_with_one_descriptor_are_not_mixed_up(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    for number in range(4):
        source, target = tmp_path / "some.c", tmp_path / "some.so"
        source.write_text(f"int number(void) {{ return {number}; }}\n")
        command = ["g++", "-x", "c", "-shared", "-fPIC", str(source), "-o", str(target)]
        subprocess.run(command, check=True)
        with checked(stored(cache, f"k{number}", target.read_bytes())) as name:
            library = ctypes.CDLL(name)
        assert library.number() == number


def test_no_descriptor_is_left(tmp_path: Path) -> None:
    path = stored(Cache(tmp_path / "cache"), "k", b"one")
    with checked(path):
        pass
    before = os.dup(0)
    os.close(before)
    with checked(path):
        pass
    after = os.dup(0)
    os.close(after)
    assert before == after


MODULE = """#include <Python.h>
static struct PyModuleDef made = {PyModuleDef_HEAD_INIT, "npcompile_dispatch", 0, -1, 0};
PyMODINIT_FUNC PyInit_npcompile_dispatch(void) { return PyModule_Create(&made); }
"""


@NEEDS_GXX
def test_a_module_says_where_it_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not how it was loaded: hypothesis, for one, reads the files of modules."""
    monkeypatch.setitem(sys.modules, DISPATCH, sys)  # so that ours goes when the test is over
    monkeypatch.delitem(sys.modules, DISPATCH)
    source, target = tmp_path / "some.c", tmp_path / "some.so"
    source.write_text(MODULE)
    include = f"-I{sysconfig.get_paths()['include']}"
    command = ["g++", "-x", "c", "-shared", "-fPIC", include, str(source), "-o", str(target)]
    subprocess.run(command, check=True)
    path = stored(Cache(tmp_path / "cache"), "k", target.read_bytes())
    module = load_dispatch(path)
    assert module.__spec__ is not None
    assert module.__file__ == module.__spec__.origin == str(path)
