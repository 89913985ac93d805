"""The names of a loop, or of a function in it, while it is translated."""

from __future__ import annotations

import ast
import types as pytypes
from collections.abc import Callable
from typing import Any

from jupyter_npcompile.loops import errors
from jupyter_npcompile.loops.bounds import Proof
from jupyter_npcompile.loops.carried import Carried
from jupyter_npcompile.loops.kinds import Type
from jupyter_npcompile.loops.records import Path
from jupyter_npcompile.loops.values import Closure, Ref, Value

Env = dict[str, Type]


FunctionCode = tuple[pytypes.FunctionType, pytypes.CodeType, Any]
"""A function, and the code and defaults that it had."""


class NeedsInput(Exception):  # noqa: N818 - it asks for something
    """A name is read that comes from outside, or an entry of what has one.

    Parameters
    ----------
    name : str
        The name.
    path : tuple
        Where an entry is found.
    type : Type, optional
        And what it is.
    replaces : bool
        Whether it is replaced.
    """

    def __init__(
        self, name: str, path: Path = (), type: Type | None = None, *, replaces: bool = False
    ) -> None:
        super().__init__(name)
        self.name = name
        self.path = path
        self.type = type
        self.replaces = replaces


class NeedsValue(Exception):  # noqa: N818 - it asks for something
    """A name is read whose value must be part of the code: an axis."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class NeedsMemory(Exception):  # noqa: N818 - it asks for something
    """Something is done with a small array that cannot be done with a value.

    Parameters
    ----------
    names : tuple of str
        What has such arrays, and must have memory; none where that is an array without a name.
    """

    def __init__(self, *names: str) -> None:
        super().__init__(*names)
        self.names = names


class Frame:
    """The names of the loop, or of a function that is called in it.

    Parameters
    ----------
    prefix : str
        Before the names of its variables.
    lookup : callable
        What a name means that is not assigned: raises KeyError.
    own : frozenset of str
        Names that are assigned.

    Attributes
    ----------
    around : Frame or None
        The names around its definition.
    caller : Frame or None
        From where it is called.
    closures : dict
        Functions that are defined in it, by their places.
    ignored : frozenset of str
        The errors that NumPy ignores where it is called.
    is_alone : bool
        Whether nothing else is left to be computed where it is called.
    returned : list of types
        What it returns, by its ``return`` statements.
    returns : Type or None
        What all of that is converted to; None as long as it need not be.
    needed : mapping of int to frozenset of str
        The names that are read after a statement, by its identity, see `needed_after`.
    composed : dict
        Statements that have become one, see `fusion.composing`.
    held : dict of str to Value
        What names are bound to in statements that are being put together.
    views : dict of str to Ref, or None
        Views that these have in common, by how they are written.
    dying : frozenset of str
        Names of arrays whose memory may be written over, for they are read once and bound anew.
    is_apart : bool
        Whether each statement has to have loops of its own.
    in_blocks : bool
        Whether what is written is done for some rows at a time.
    clashes : dict of str to str
        Why names have no type where two ways meet.
    begun : frozenset of str
        Names among them that are a number one way, and an array the other.
    """

    def __init__(
        self, prefix: str, lookup: Callable[[str], Any], own: frozenset[str], *, is_loop: bool
    ) -> None:
        self.prefix = prefix
        self.lookup = lookup
        self.own = own
        self.is_loop = is_loop
        self.function: pytypes.FunctionType | None = None
        self.env: Env = {}
        self.returns: Type | None = None
        self.returned: list[Type] = []
        self.result = ""
        self.label = ""
        self.proof: Proof | None = None
        self.carried: Carried | None = None
        self.changed: frozenset[str] = frozenset()
        self.around: Frame | None = None
        self.caller: Frame | None = None
        self.closures: dict[tuple[int, int], Closure] = {}
        self.ignored = errors.NONE
        self.is_alone = True
        self.needed: dict[int, frozenset[str]] = {}
        self.composed: dict[tuple[int, int], tuple[ast.stmt, ast.stmt, ast.stmt | None]] = {}
        self.held: dict[str, Value] = {}
        self.views: dict[str, Ref] | None = None
        self.dying: frozenset[str] = frozenset()
        self.is_apart = False
        self.in_blocks = False
        self.clashes: dict[str, str] = {}
        self.begun: frozenset[str] = frozenset()

    def why_unbound(self, name: str) -> str:
        """Why a name cannot be read."""
        clash = self.clashes.get(name)
        return f"`{name}` may not be bound" if clash is None else f"`{name}`: {clash}"


class Jumps:
    """Where ``break`` and ``continue`` of a loop go, and with what types."""

    def __init__(self, head: Env, exit: Env, number: str, ignored: frozenset[str]) -> None:
        self.ignored = ignored
        self.head = head
        self.exit = exit
        self.ends: list[Env] = []
        self.breaks: list[Env] = []
        self.number = number
