"""NumPy's own documented examples as cells: one cell per docstring.

Every example becomes a statement: an expression is bound to a name, so that
its value is compared, and one that shows a traceback is caught. Examples that
do not run natively (they need a file, a plot, an earlier session) end a cell.
"""

from __future__ import annotations

import ast
import contextlib
import doctest
import functools
import inspect
import io
import re
import types
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

NAMESPACES: tuple[types.ModuleType, ...] = (np, np.linalg, np.fft)
"""The namespaces whose functions are compiled."""

LEFT_OUT = re.compile(
    r"random|datetime|timedelta|dtype=object|dtype=.?['\"][SUOV]|\bopen\(|savetxt|loadtxt"
    r"|memmap|tofile|fromfile|genfromtxt|np\.save|np\.load|plt\.|matplotlib|np\.ma\.|matrix"
    r"|np\.test|show_config|np\.info|id\(|hash\(|help\(|%timeit|ctypes|setbufsize|seterrcall"
    r"|sigma\.max\(\)/sigma\.min\(\)|getbufsize|timeit|globals\(|print\(|printoptions|np\.rec|tempfile|StringIO|BytesIO|__array_interface__|\.ptp\("
)
"""Examples that are not numeric, or depend on the time, a file or the session; and one that shows
the condition of a singular matrix, which is nothing but rounding."""


UNINITIALISED = frozenset({"numpy.empty", "numpy.empty_like", "numpy.shares_memory"})
"""Their examples show memory that nobody has written, or take minutes on purpose."""


@dataclass(frozen=True)
class Group:
    """The examples of one docstring.

    Parameters
    ----------
    name : str
        Of the function.
    statements : tuple of str
        One per example, in order.
    """

    name: str
    statements: tuple[str, ...]

    @property
    def source(self) -> str:
        """The cell."""
        return "\n".join(self.statements)


def objects() -> Iterator[tuple[str, Any]]:
    """Everything public that has a docstring, each once."""
    seen: set[int] = set()
    for module in NAMESPACES:
        for name in sorted(dir(module)):
            value = getattr(module, name)
            if name.startswith("_") or isinstance(value, types.ModuleType) or id(value) in seen:
                continue
            seen.add(id(value))
            yield f"{module.__name__}.{name}", value
    for name in sorted(dir(np.ndarray)):
        if not name.startswith("_"):
            yield f"numpy.ndarray.{name}", getattr(np.ndarray, name)


def statement(source: str, number: int, raises: bool) -> str | None:
    """An example as a statement whose value can be compared; None if it is not one."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return None
    text = source.rstrip("\n")
    if len(tree.body) == 1 and isinstance(tree.body[0], ast.Expr) and "\n" not in text:
        text = f"r{number} = {text.rstrip(';')}"
    if not raises:
        return text
    inner = "\n".join(f"    {line}" for line in text.splitlines())
    return (
        f"try:\n{inner}\nexcept Exception as error:\n"
        f"    r{number} = type(error).__name__, str(error)"
    )


@functools.cache
def groups() -> tuple[Group, ...]:
    """All docstrings with at least one example that runs here, natively."""
    parser = doctest.DocTestParser()
    found = []
    for name, value in objects():
        text = inspect.getdoc(value)
        if not text or ">>>" not in text:
            continue
        try:
            examples = parser.get_examples(text)
        except ValueError:
            continue
        made = [
            statement(example.source, number, example.exc_msg is not None)
            for number, example in enumerate(examples)
            if not LEFT_OUT.search(example.source)
        ]
        kept = _running([part for part in made if part])
        if kept and name not in UNINITIALISED:
            found.append(Group(name, kept))
    return tuple(found)


def _running(statements: list[str]) -> tuple[str, ...]:
    """The statements that run one after the other; what fails is left out."""
    namespace: dict[str, Any] = {"np": np}
    kept = []
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        for part in statements:
            before = np.get_printoptions()
            try:
                exec(compile(part, "<example>", "exec"), namespace)
            except Exception:
                continue
            finally:
                np.set_printoptions(**before)
            kept.append(part)
    return tuple(kept)
