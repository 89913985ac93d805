"""Values while a loop is translated: how C++ spells them, and their types."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from typing import Any

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.loops.kinds import ArrayType, ListType, Number
from jupyter_npcompile.loops.records import Path, Record


@dataclass(frozen=True)
class Scalar:
    """A number.

    Parameters
    ----------
    code : str
        A C++ expression without effects.
    type : Number
        Its type.
    tag : str
        Where the type leaves it open: a C++ expression that is 0 for Python's
        number, 1 for NumPy's, 2 for a Python integer.
    const : int, float, bool, complex or None
        Its value, where that is known.
    proven : bool
        Whether it is known to be in bounds where it is an index.
    """

    code: str
    type: Number
    tag: str = ""
    const: Any = None
    proven: bool = False


@dataclass(frozen=True)
class Ref:
    """An array that has a name in C++.

    Parameters
    ----------
    code : str
        Its name.
    type : ArrayType
        Its type.
    is_fresh : bool
        Whether nothing else refers to its memory.
    root : str
        The variable whose memory it may share; empty for memory of its own.
    column : tuple of str and int, optional
        Of a slice: what it shares with slices that differ in the last dimension only, and
        where it begins there.
    """

    code: str
    type: ArrayType
    is_fresh: bool = False
    root: str = ""
    column: tuple[str, int] | None = None

    @property
    def dtype(self) -> str:
        """Of its elements."""
        return self.type.dtype

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return self.type.ndim

    def n(self, dimension: int) -> str:
        """C++ for the length of a dimension."""
        length = self.type.length(dimension)
        return f"{self.code}.n[{dimension}]" if length is None else str(length)


@dataclass(frozen=True)
class Gathered:
    """Elements of an array, chosen by an array of indices: ``x[index]``.

    Parameters
    ----------
    source : Ref
        A 1-d array.
    index : Lazy
        Integers.
    """

    source: Ref
    index: Lazy
    ndim: int

    @property
    def dtype(self) -> str:
        """Of its elements."""
        return self.source.dtype


@dataclass(frozen=True)
class Applied:
    """An elementwise operation that has not been done yet.

    Parameters
    ----------
    template : str
        A C++ expression with ``{0}``, ``{1}``, ... for the operands.
    operands : tuple of Ref, Gathered, Applied or Scalar
        What it is done on.
    dtype : str
        Of the result.
    ndim : int
        Number of dimensions.
    """

    template: str
    operands: tuple[Lazy | Scalar, ...]
    dtype: str
    ndim: int


@dataclass(frozen=True)
class Locked(Applied):
    """A view that NumPy lets nobody write into: ``np.diag(x)``.

    Its elements are read like those of any operand; what would be a view of it, or write into
    it, has to ask for this first. Its only operand is the view.

    Parameters
    ----------
    is_window : bool
        Whether NumPy has it by way of an object of its own, which is then its base.
    """

    is_window: bool = False

    @classmethod
    def of(cls, view: Ref, *, is_window: bool = False) -> Locked:
        """The one with the elements of a view."""
        return cls("{0}", (view,), view.dtype, view.ndim, is_window=is_window)

    def part(self, view: Ref) -> Locked:
        """A view of it."""
        return replace(self, operands=(view,), dtype=view.dtype, ndim=view.ndim)

    @property
    def view(self) -> Ref:
        """The view, as if it were any."""
        (view,) = self.operands
        assert isinstance(view, Ref)
        return view


@dataclass(frozen=True)
class Flattened(Applied):
    """All elements of an expression in one row: ``(x * 2).ravel()``.

    Who reads them one by one needs no memory for them; else this is a view of what `whole` gives.

    Parameters
    ----------
    whole : Applied
        The same expression with all its dimensions.
    """

    whole: Applied


Lazy = Ref | Gathered | Applied
"""An array, or one that is computed when it is needed."""


def walk(value: Lazy | Scalar) -> Iterator[Lazy | Scalar]:
    """An expression, and all that is in it."""
    yield value
    inner: Sequence[Lazy | Scalar] = ()
    if isinstance(value, Applied):
        inner = value.operands
    elif isinstance(value, Gathered):
        inner = (value.source, value.index)
    for part in inner:
        yield from walk(part)


@dataclass(frozen=True)
class Items:
    """A tuple of values, or a list of them.

    Parameters
    ----------
    items : tuple
        The values.
    is_list : bool
        Whether it is a list.
    has_name : bool
        Whether somebody may know it by a name.
    is_given : bool
        Whether it is a list from outside, which keeps its name and is only read.
    """

    items: tuple[Any, ...]
    is_list: bool = False
    has_name: bool = False
    is_given: bool = False


@dataclass(frozen=True)
class Parts:
    """What functions of linear algebra give: a tuple whose items have names.

    Parameters
    ----------
    items : tuple
        The values.
    names : tuple of str
        Their names.
    """

    items: tuple[Any, ...]
    names: tuple[str, ...]


@dataclass(frozen=True)
class Text:
    """A text that is made in the loop: ``f"..."``.

    Parameters
    ----------
    parts : tuple of (str or (Value, str))
        Texts, and values with how they are shown.
    """

    parts: tuple[Any, ...]


@dataclass(frozen=True)
class Listed:
    """A list that is made in the loop, and changed.

    Parameters
    ----------
    code : str
        Its variable in C++; empty as long as it is known to be empty.
    type : ListType
        Its type.
    name : str
        The name it has been read from; empty for one that has no name.
    """

    code: str
    type: ListType
    name: str = ""


@dataclass(frozen=True)
class ZeroDim:
    """An array of no dimension: ``np.where(x > 0, 1, -1)`` of a number.

    Parameters
    ----------
    number : Scalar
        Its only element.
    name : str
        The name that has it, if there is one.
    """

    number: Scalar
    name: str = ""


def plain(value: Value) -> Value:
    """What arithmetic takes something for: an array of no dimension for its element.

    Examples
    --------
    >>> from jupyter_npcompile.loops.kinds import FLOAT
    >>> plain(ZeroDim(Scalar("x", FLOAT))).code
    'x'
    """
    return value.number if isinstance(value, ZeroDim) else value


@dataclass(frozen=True)
class Known:
    """A value of Python that is known now: a function, a module, None, a text.

    Parameters
    ----------
    value : object
        The value.
    """

    value: Any


@dataclass(frozen=True)
class Entries:
    """A dict that is made here, and has no name yet: its keys are texts.

    Parameters
    ----------
    names : tuple of str
        Its keys.
    items : tuple
        The values.
    """

    names: tuple[str, ...]
    items: tuple[Any, ...]


@dataclass(frozen=True)
class Slots:
    """A dict that is made here and has one name: each value has a variable of its own.

    Parameters
    ----------
    name : str
        Its name.
    names : tuple of str
        Its keys.
    frame : Frame
        Where the name is bound.
    """

    name: str
    names: tuple[str, ...]
    frame: Any

    def variable(self, key: str) -> str:
        """The name of a value; no name of the user's begins with a digit."""
        return f"0{len(self.name)}{self.name}_{self.names.index(key)}"


@dataclass(frozen=True, eq=False)
class Closure:
    """A function that is defined in what is translated.

    Parameters
    ----------
    node : ast.Lambda or ast.FunctionDef
        Its definition.
    frame : Frame
        The names around it, which it reads as they are when it is called.
    defaults : tuple of (str, Value)
        Parameters that may be left out, and their values, which are known now.
    """

    node: ast.Lambda | ast.FunctionDef
    frame: Any
    defaults: tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class Holder:
    """A dict or an object from outside, whose entries are inputs.

    Parameters
    ----------
    path : tuple
        Where it is found.
    record : Record
        What is known of it.
    """

    path: Path
    record: Record = field(compare=False)


@dataclass(frozen=True)
class Source:
    """A random generator.

    Parameters
    ----------
    code : str
        Its name in C++.
    """

    code: str


@dataclass(frozen=True)
class Method:
    """A method of a value, to be called."""

    owner: Any
    name: str


@dataclass(frozen=True)
class Bounds:
    """A ``range``.

    Parameters
    ----------
    start, stop, step : Scalar
        Python integers.
    """

    start: Scalar
    stop: Scalar
    step: Scalar


@dataclass(frozen=True)
class Zipped:
    """What ``zip`` and ``enumerate`` give, to be iterated over."""

    parts: tuple[Any, ...] = field(default=())


@dataclass(frozen=True)
class Cut:
    """A slice; None where nothing is written. Whether it probably is one element: ``k:k+1``."""

    start: Scalar | None
    stop: Scalar | None
    step: Scalar | None
    single: bool = field(default=False, kw_only=True)


ALL = Cut(None, None, None)
"""All of a dimension."""


Value = (
    Cut
    | Scalar
    | Ref
    | Gathered
    | Applied
    | Items
    | Listed
    | Parts
    | Text
    | Known
    | ZeroDim
    | Closure
    | Entries
    | Slots
    | Holder
    | Source
    | Method
    | Bounds
    | Zipped
)


def dtype_of(value: Lazy | Scalar) -> str:
    """The dtype of an array or number."""
    return value.type.dtype if isinstance(value, Scalar) else value.dtype


def ndim_of(value: Lazy | Scalar) -> int:
    """The number of dimensions of an array, 0 for a number."""
    return 0 if isinstance(value, Scalar) else value.ndim
