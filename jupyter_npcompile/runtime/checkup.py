"""A look at everything that compiling needs, one finding after the other: ``npcompile doctor``."""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.forks import HAS_FORK
from jupyter_npcompile.runtime import notices, stamp, warming
from jupyter_npcompile.runtime.native import gxx
from jupyter_npcompile.runtime.native.compilers import WAYS

PACKAGES = ("numpy", "ipython", "ipywidgets", "anywidget", "ipykernel", "jupyterlab", "notebook")
"""Of which the version is said, where they are installed."""

EXTENSION = Path("labextensions", "jupyter-npcompile", "package.json")
"""The front end, below a folder of Jupyter's data."""


@dataclass(frozen=True)
class Finding:
    """What was looked at.

    Parameters
    ----------
    name : str
        What.
    text : str
        What was found.
    remedy : str
        What to do; empty where nothing is wrong.
    matters : bool
        Whether nothing is compiled before that is done.

    Examples
    --------
    >>> print(Finding("compiler", "g++ 12.2.0"))
    ok       compiler: g++ 12.2.0
    >>> print(Finding("pictures", "no dot", "install graphviz", matters=False))
    note     pictures: no dot
               -> install graphviz
    """

    name: str
    text: str
    remedy: str = ""
    matters: bool = True

    @property
    def is_wrong(self) -> bool:
        """Whether something does not work that has to."""
        return bool(self.remedy) and self.matters

    def __str__(self) -> str:
        sign = "ok" if not self.remedy else "WRONG" if self.matters else "note"
        line = f"{sign:8} {self.name}: {self.text}"
        return f"{line}\n{'':11}-> {self.remedy}" if self.remedy else line


def look() -> Iterator[Finding]:
    """Look at one thing after the other; what takes long comes last.

    Yields
    ------
    Finding
        As soon as it is known.
    """
    found = [*_versions(), _torch(), _system(), _compiler(), _cache(), _front_end(), _dot()]
    yield from found
    if any(each.is_wrong for each in found if each.name in ("system", "compiler")):
        return
    lacks_torch = any(each.is_wrong for each in found if each.name == "torch")
    for prepared in warming.warm():
        if prepared.name == "segments" and lacks_torch:
            return
        seconds = f"compiled in {prepared.seconds:.1f} s"
        named = "see whether CXX names a C++ compiler"
        way = named if os.environ.get("CXX") else "report this, with all that is said here"
        remedy = way if prepared.problem else ""
        yield Finding(prepared.name, prepared.problem or seconds, remedy)


def _versions() -> Iterator[Finding]:
    own = _version("jupyter-npcompile")
    python = f"Python {platform.python_version()}"
    yield Finding("package", f"jupyter-npcompile {own}, {python}, {sys.prefix}")
    there = ((name, _version(name)) for name in PACKAGES)
    yield Finding("around it", ", ".join(f"{name} {it}" for name, it in there if it))


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _torch() -> Finding:
    version = stamp.torch_version()
    if not version:
        return Finding("torch", "missing", "pip install torch: segments and gradients need it")
    if stamp.is_too_old(version):
        oldest = ".".join(map(str, stamp.TRIED[0]))
        return Finding("torch", f"torch {version} is too old", f"pip install 'torch>={oldest}'")
    return Finding("torch", stamp.untried(version) or f"torch {version}")


def _system() -> Finding:
    model = f"{platform.system()} {platform.machine()}, {stamp.processors()} processors"
    if not HAS_FORK:
        return Finding("system", model, "nothing is compiled without fork: use Linux, or WSL")
    return Finding("system", model)


def _compiler() -> Finding:
    try:
        said = gxx.version().splitlines()[0]
    except gxx.CompilerFailedError as error:
        told = os.environ.get("CXX", "")
        way = f"{WAYS} (Debian: apt-get install g++; conda: conda install gxx)"
        named = f"CXX is {told!r}: name a C++ compiler there, or take it away"
        return Finding("compiler", str(error), named if told else way)
    return Finding("compiler", f"{' '.join(gxx.command())}: {said}")


def _cache() -> Finding:
    where, megabytes, is_kept = warming.size()
    if is_kept:
        return Finding("cache", f"{where}, {megabytes:.0f} MB")
    said = "; ".join(notices.take()) or f"{where} is gone with this process"
    way = "set NPCOMPILE_CACHE_DIR to a folder of your own: else each kernel compiles anew"
    return Finding("cache", said, way, matters=False)


def _front_end() -> Finding:
    if importlib.util.find_spec("jupyter_core") is None:
        return Finding("JupyterLab", "not installed here: reports are text")
    from jupyter_core.paths import jupyter_path

    found = next((it for it in map(Path, jupyter_path()) if (it / EXTENSION).is_file()), None)
    if found is None:
        way = "pip install jupyter-npcompile where JupyterLab runs; then reload the page"
        return Finding("JupyterLab", "no marks in the editor", way, matters=False)
    return Finding("JupyterLab", f"the front end lies in {found}")


def _dot() -> Finding:
    if shutil.which("dot") is None:
        return Finding("pictures", "no dot", "install graphviz for better graphs", matters=False)
    return Finding("pictures", "dot draws graphs")
