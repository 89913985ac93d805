"""One more run of a function on copies of its arguments, for what reports say of its gradient."""

from __future__ import annotations

import contextlib
import inspect
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from jupyter_npcompile.autodiff.programs import Program, program_of, scalar_output
from jupyter_npcompile.autodiff.streams import as_before as as_before
from jupyter_npcompile.autodiff.transforms import Derivative, Gradient
from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.runtime.copies import Copier


@dataclass(frozen=True)
class FunctionRun:
    """A run that has no effect but those of the function itself.

    Parameters
    ----------
    program : Program
        What it computed.
    args : list
        The copies that it was called with.
    names : list of str
        What the function calls its positional arguments.
    output : str
        A name for what it returns.
    """

    program: Program
    args: list[Any]
    names: list[str]
    output: str

    def parts(self) -> list[str]:
        """What is differentiated: a name for each array or number in an argument.

        Examples
        --------
        >>> derivative = Gradient(lambda p: p["a"] * p["b"][0])
        >>> run_again(derivative, [{"a": 1.0, "b": [2.0]}], {}).parts()
        ["p['a']", "p['b'][0]"]
        """
        positions = [position for position in self.program.trees if position >= 0]
        return _parts(self.names, self.args, positions)

    def leaves(self) -> dict[str, int]:
        """Their nodes on the tape."""
        assert self.program.tape is not None
        return dict(zip(self.parts(), self.program.tape.leaves, strict=True))


def run_again(
    derivative: Gradient, args: Sequence[Any], kwargs: Mapping[str, Any], *, once: bool = False
) -> FunctionRun:
    """Follow a function; what it prints is not shown, random numbers are as if not drawn.

    Parameters
    ----------
    derivative : Gradient
        Its ``grad`` or ``value_and_grad``.
    args, kwargs
        Arguments for it.
    once : bool
        See `program_of`.
    """
    copier = Copier()
    given = list(copier.copy(tuple(args)))
    function = derivative.function
    asked = sorted(set(derivative.positions(given)))
    with contextlib.redirect_stdout(io.StringIO()), as_before():
        program = program_of(
            *(function, given, copier.copy(dict(kwargs)), asked),
            has_aux=derivative.has_aux,
            what=derivative.what,
            once=once,
        )
    if not derivative.total:
        scalar_output(program, derivative.what)
    name = getattr(function, "__name__", "")
    name = name if name.isidentifier() else "value"  # <lambda>
    return FunctionRun(program, given, _names(derivative, given), name)


def parts_of(derivative: Derivative, args: Sequence[Any], positions: Sequence[int]) -> list[str]:
    """A name for each array or number in some arguments of a derivative.

    Examples
    --------
    >>> parts_of(Gradient(lambda t, p: t * p[0]), [1.0, [2.0]], [1, 0])
    ['p[0]', 't']
    """
    return _parts(_names(derivative, args), args, positions)


def _parts(names: Sequence[str], args: Sequence[Any], positions: Sequence[int]) -> list[str]:
    return [f"{names[k]}{path}" for k in positions for path in _paths(args[k])]


def _paths(value: Any) -> Iterator[str]:
    """Where each leaf of an argument is, as Python writes it; in the order of `flatten`."""
    if isinstance(value, dict | tuple | list):
        keys = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in keys:
            for path in _paths(item):
                yield f"[{key!r}]{path}"
    elif value is not None:
        yield ""


def _names(derivative: Derivative, args: Sequence[Any]) -> list[str]:
    """What the function calls its positional arguments."""
    try:
        known = list(inspect.signature(derivative.function).parameters.values())
    except (TypeError, ValueError):
        known = []
    plain = [one.name for one in known if one.kind != one.VAR_POSITIONAL]
    return [plain[k] if k < len(plain) else f"args[{k}]" for k in range(len(args))]
