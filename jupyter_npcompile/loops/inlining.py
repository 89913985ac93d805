"""Functions of Python that are written into a native loop where it calls them."""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jupyter_npcompile.cell import SourceUnavailable, definition
from jupyter_npcompile.cell.names import local_names
from jupyter_npcompile.cell.regions import keeps_its_frame
from jupyter_npcompile.cell.syntax import has_docstring
from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.loops.kinds import Declined
from jupyter_npcompile.loops.values import Value
from jupyter_npcompile.tracer.sources import as_defined


@dataclass(frozen=True)
class Inlined:
    """A function, ready to be written into a loop.

    Parameters
    ----------
    name : str
        Its name.
    arguments : ast.arguments
        Its parameters.
    defaults : mapping of str to object
        The values of parameters that may be left out.
    body : sequence of ast.stmt
        Its statements.
    own : frozenset of str
        Its local names.
    lookup : callable
        What other names mean.
    """

    name: str
    arguments: ast.arguments
    defaults: Mapping[str, Any]
    body: Sequence[ast.stmt]
    own: frozenset[str]
    lookup: Callable[[str], Any]

    def bind(
        self,
        args: Sequence[Value],
        kwargs: Mapping[str, Value],
        constant: Callable[[Any], Value],
    ) -> list[tuple[str, Value]]:
        """The parameters with what is passed for them.

        Parameters
        ----------
        args, kwargs : sequence, mapping
            What is passed.
        constant : callable
            A default as a value.
        """
        names = [arg.arg for arg in (*self.arguments.posonlyargs, *self.arguments.args)]
        only = [arg.arg for arg in self.arguments.kwonlyargs]
        if self.arguments.vararg or self.arguments.kwarg:
            raise Declined(f"`{self.name}` takes any arguments")
        if len(args) > len(names) or any(
            name not in (*names[len(args) :], *only) for name in kwargs
        ):
            raise Declined(f"`{self.name}` with these arguments")
        bound = dict(zip(names, args, strict=False))
        bound.update(kwargs)
        for name, value in self.defaults.items():
            if name not in bound:
                bound[name] = constant(value)
        if len(bound) != len(names) + len(only):
            raise Declined(f"`{self.name}` with these arguments")
        return [(name, bound[name]) for name in (*names, *only)]


def definition_of(function: types.FunctionType) -> Inlined:
    """Get a function ready.

    Raises
    ------
    Declined
        When it cannot be written into a loop.
    """
    written: types.FunctionType = as_defined(function)
    try:
        node = definition(written).node
    except SourceUnavailable as error:
        raise Declined(f"`{function.__name__}`: {error.reason}") from error
    if isinstance(node, ast.Lambda):
        body: Sequence[ast.stmt] = [ast.copy_location(ast.Return(node.body), node.body)]
    else:
        reason = keeps_its_frame(node)
        if reason is not None:
            raise Declined(f"`{function.__name__}`: {reason}")
        body = node.body[1:] if has_docstring(node.body) else node.body
    cells = dict(zip(written.__code__.co_freevars, written.__closure__ or (), strict=True))
    names = written.__globals__

    def lookup(name: str) -> Any:
        if name in cells:
            return cells[name].cell_contents
        if name in names:
            return names[name]
        return vars(builtins)[name]

    values = written.__defaults__ or ()
    parameters = [arg.arg for arg in (*node.args.posonlyargs, *node.args.args)]
    defaults = dict(zip(parameters[len(parameters) - len(values) :], values, strict=True))
    return Inlined(function.__name__, node.args, defaults, body, local_names(node), lookup)
