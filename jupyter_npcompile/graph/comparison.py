"""What differs between a run in NumPy and a compiled run, as plain data."""

from __future__ import annotations

from typing import Literal

from jupyter_npcompile.dataclass import dataclass

Kind = Literal[
    "value",
    "dtype",
    "shape",
    "type",
    "aliasing",
    "order",
    "flags",
    "warning",
    "exception",
    "output",
]
"""In which respect two runs differ."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference between NumPy and what was compiled.

    Parameters
    ----------
    kind : str
        ``"value"``, ``"dtype"``, ``"shape"``, ``"type"``, ``"aliasing"`` (what
        shares memory with what, what is the same object), ``"order"``
        (strides), ``"flags"``, ``"warning"``, ``"exception"`` or ``"output"``
        (what was printed).
    name : str
        What differs: a name of the cell, ``"return value"``, an argument.
    text : str
        The difference in words, without the name.
    expected, actual : str
        NumPy's and the compiled one; of arrays, where they differ first.
    line, column : int or None
        The NumPy call at which the difference arises, or the statement, as far
        as it is known. Lines are those of the cell or of the function's file.
    function : str
        The NumPy function that differs, ``"np.cumsum"``; empty when no single
        call was found to differ.
    ulps : int or None
        Largest distance in units in the last place, of floating-point values.
    count, size : int
        How many elements differ, of how many.
    index : tuple of int
        Where they differ first.
    smallest : str
        Python source of a smallest call that differs, ready to be pasted;
        empty when there is none.
    shown : str
        What that call gives, in NumPy and compiled.
    note : str
        What else is known about the cause.
    """

    kind: Kind
    name: str
    text: str
    expected: str = ""
    actual: str = ""
    line: int | None = None
    column: int | None = None
    function: str = ""
    ulps: int | None = None
    count: int = 0
    size: int = 0
    index: tuple[int, ...] = ()
    smallest: str = ""
    shown: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class ComparisonData:
    """A run in NumPy and a compiled run, compared.

    Parameters
    ----------
    subject : str
        What ran: a function's name, or ``"cell"``.
    tier : str
        What the compiled run was forced to: ``"aten"`` or ``"inductor"``.
    differences : tuple of Difference
        In the order in which they arise.
    names : tuple of str
        The results that were compared.
    arrays : int
        How many arrays were among them, at any depth.
    rounding : int
        Largest distance in units in the last place among the floating-point
        values that pass as equal. Beside zero, few of them make no small number.
    relative : float
        The same as part of the largest number of its array.
    captured, lines : int
        How many of the lines with NumPy work were captured, and so checked.
    unstable : tuple of str
        Names left out since two runs in NumPy itself give them different
        values: a time, a random number.
    notes : tuple of str
        What else a reader must know: what was not compared, and why.
    """

    subject: str
    tier: str
    differences: tuple[Difference, ...] = ()
    names: tuple[str, ...] = ()
    arrays: int = 0
    rounding: int = 0
    relative: float = 0.0
    captured: int = 0
    lines: int = 0
    unstable: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def equal(self) -> bool:
        """Whether nothing but rounding differs."""
        return not self.differences
