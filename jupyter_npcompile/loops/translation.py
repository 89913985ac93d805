"""The translation of a loop: attempts, until all that it takes from outside is known."""

from __future__ import annotations

import ast
from collections import abc
from collections.abc import Callable
from typing import Any

import numpy as np

from jupyter_npcompile.loops.arithmetic import wholes
from jupyter_npcompile.loops.found_out import FoundOut, WiderInput
from jupyter_npcompile.loops.frames import NeedsInput, NeedsMemory, NeedsValue
from jupyter_npcompile.loops.given import is_fixed, type_of
from jupyter_npcompile.loops.kinds import Declined, Type
from jupyter_npcompile.loops.loop_code import LoopCode
from jupyter_npcompile.loops.program import Program
from jupyter_npcompile.loops.sequences import Sequence

ATTEMPTS = 100
"""At finding all inputs: each one that is missed is one."""


def translate(
    node: ast.For | ast.While,
    lookup: Callable[[str], Any],
    assigned: frozenset[str],
    wanted: abc.Sequence[str],
    sequence: Sequence | None = None,
    *,
    may_lack: bool = False,
) -> LoopCode:
    """Write a loop in C++.

    Parameters
    ----------
    node : ast.For or ast.While
        The loop.
    lookup : callable
        The value that a name has at present; raises KeyError.
    assigned : frozenset of str
        Names that it assigns.
    wanted : sequence of str
        Those of them that are needed afterwards.
    sequence : Numbers, Rows or Together, optional
        What a ``for`` goes through.
    may_lack : bool
        Whether a name may stay unbound: then its result is ``NotImplemented``.

    Raises
    ------
    Declined
        With the reason, when its types cannot be proven, or it holds what
        loops do not have.
    """
    inputs: dict[str, Type] = {}
    found_out = FoundOut()
    for _ in range(ATTEMPTS):
        writer = Program(node, lookup, assigned, wanted, inputs, found_out, sequence, may_lack)
        try:
            with wholes.allowed(not found_out.only_floats):
                return writer.code()
        except NeedsMemory as needed:
            found_out.need_memory(needed.names)
        except WiderInput as wider:
            inputs = {**inputs, wider.name: wider.type}
        except NeedsValue as needed:
            found_out.by_value |= {needed.name}
            inputs = {name: type for name, type in inputs.items() if name != needed.name}
        except NeedsInput as needed:
            if needed.type is not None:
                found_out.paths[needed.name] = needed.path
                if needed.replaces:
                    found_out.replaced |= {needed.name}
                inputs = {**inputs, needed.name: needed.type}
                continue
            try:
                value = lookup(needed.name)
            except KeyError:
                if needed.name in found_out.lacking:
                    line = writer.line
                    raise Declined(writer.frame.why_unbound(needed.name), line) from None
                found_out.lacking |= {needed.name}
                continue
            if is_fixed(value):
                found_out.first[needed.name] = value
                continue
            found = type_of(value)
            if found is None:
                raise Declined(f"`{needed.name}` is {_kind(value)}", writer.line) from None
            inputs = {**inputs, needed.name: found}
        except Declined as reason:
            if wholes.were_made:
                found_out.only_floats = True
                continue
            if writer.writer.small:  # perhaps there is another way
                found_out.in_memory = None
                continue
            raise Declined(reason.reason, reason.line or writer.line) from None
    raise Declined("too many names", node.lineno)


def _kind(value: Any) -> str:
    """What a value is that native code does not know.

    Examples
    --------
    >>> _kind("text"), _kind(np.zeros(3, np.float16))
    ('a str', 'an array of float16')
    """
    if type(value) is np.ndarray:
        return f"an array of {value.dtype}"
    return f"a {type(value).__name__}"
