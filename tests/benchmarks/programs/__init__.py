"""The programs that are measured: one folder each, with its peers beside it.

A folder holds ``program.py``: plain NumPy with ``CLASS``, ``SIZES``, ``RTOL``,
``ATOL``, ``make(**size)`` and ``run(*args)``, and where it makes sense ``check``,
``bytes_moved``, ``MUTATES`` and ``NO_PEER``; and ``numba_peer.py``,
``jax_peer.py`` or ``torch_peer.py`` with ``run(*args)`` of the same meaning.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

CLASSES = (
    "elementwise chains",
    "reductions",
    "one-shot stencils",
    "stencil time loops",
    "data-dependent while",
    "masks and shrinking arrays",
    "recurrences along an axis",
    "triangular loops",
    "dynamic programming and bits",
    "sparse rows",
    "particles",
    "convolution and pooling",
    "products",
    "FFT and complex",
    "histograms",
    "Monte Carlo",
    "learning and inference",
    "image filters",
    "tiny arrays",
)
"""The kinds of code that people write; every program is of one of them."""

SIZES = ("small", "medium", "large")
"""The ladder of every program, from overhead to memory and arithmetic."""

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Program:
    """One program and what is known about it.

    Parameters
    ----------
    name : str
        Its folder.
    kind : str
        The one of `CLASSES` it belongs to.
    title : str
        First line of its docstring.
    sizes : mapping of str to mapping of str to int
        Arguments of ``make`` for "small", "medium" and "large".
    rtol, atol : float
        How far a result may be from NumPy's.
    make : callable
        Makes the arguments, always the same ones.
    run : callable
        The program.
    check : callable or None
        ``check(result, *args)`` raises AssertionError when the result cannot be right.
    bytes_moved : callable or None
        ``bytes_moved(**size)``: how many bytes have to move at the least.
    mutates : bool
        Whether ``run`` changes its arguments.
    peers : frozenset of str
        Tools for which there is a file of its own.
    no_peer : mapping of str to str
        Tools for which the program makes no sense, and why.
    """

    name: str
    kind: str
    title: str
    sizes: Mapping[str, Mapping[str, int]]
    rtol: float
    atol: float
    make: Callable[..., tuple[Any, ...]]
    run: Callable[..., Any]
    check: Callable[..., None] | None
    bytes_moved: Callable[..., int] | None
    mutates: bool
    peers: frozenset[str]
    no_peer: Mapping[str, str]

    def peer(self, tool: str) -> Callable[..., Any]:
        """The version of it that a user of a tool would write; imports the tool."""
        module = importlib.import_module(f"{__name__}.{self.name}.{tool}_peer")
        run: Callable[..., Any] = module.run
        return run

    def agrees(self, result: Any, expected: Any) -> bool:
        """Whether a result is NumPy's, within the program's tolerance."""
        got, wanted = leaves(result), leaves(expected)
        return len(got) == len(wanted) and all(
            a.shape == b.shape and np.allclose(a, b, self.rtol, self.atol, equal_nan=True)
            for a, b in zip(got, wanted, strict=True)
        )


def leaves(value: Any) -> list[Any]:
    """The arrays of a result; a number is an array without axes."""
    if isinstance(value, tuple | list):
        return [leaf for item in value for leaf in leaves(item)]
    return [np.asarray(value)]


def names() -> list[str]:
    """The names of all programs, sorted."""
    return sorted(path.parent.name for path in FOLDER.glob("*/program.py"))


@cache
def load(name: str) -> Program:
    """A program by its name.

    Raises
    ------
    ValueError
        When there is none.
    """
    if name not in names():
        raise ValueError(f"there is no program {name!r}")
    module = importlib.import_module(f"{__name__}.{name}.program")
    return Program(
        name=name,
        kind=module.CLASS,
        title=(module.__doc__ or name).strip().splitlines()[0],
        sizes=module.SIZES,
        rtol=module.RTOL,
        atol=module.ATOL,
        make=module.make,
        run=module.run,
        check=getattr(module, "check", None),
        bytes_moved=getattr(module, "bytes_moved", None),
        mutates=getattr(module, "MUTATES", False),
        peers=frozenset(
            path.name.removesuffix("_peer.py") for path in (FOLDER / name).glob("*_peer.py")
        ),
        no_peer=getattr(module, "NO_PEER", {}),
    )


def every() -> list[Program]:
    """All programs, sorted by name."""
    return [load(name) for name in names()]
