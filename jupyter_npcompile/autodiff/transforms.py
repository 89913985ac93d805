"""Derivatives as functions: grad, value_and_grad, jacobian and their like."""

from __future__ import annotations

import functools
import importlib
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jupyter_npcompile.autodiff import latest
from jupyter_npcompile.autodiff.checking import Check, check, copied, timed
from jupyter_npcompile.autodiff.interruption import unharmed
from jupyter_npcompile.autodiff.programs import Program, bytes_of, program_of, scalar_output
from jupyter_npcompile.autodiff.selector import GradientSelector
from jupyter_npcompile.autodiff.sites import site_of
from jupyter_npcompile.autodiff.trees import Tree, flatten

Argnums = int | Sequence[int]


class Derivative:
    """A function that gives derivatives of another.

    Parameters
    ----------
    function : callable
        What is differentiated.
    argnums : int or sequence of int
        With respect to which arguments.
    has_aux : bool
        Whether ``function`` returns a pair, of which the second part is not
        differentiated.

    Attributes
    ----------
    site : Site
        Where derivatives are computed: on the device of a compiled function.
    """

    is_derivative = True
    what = "grad"

    def __init__(
        self, function: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False
    ) -> None:
        if not callable(function):
            raise TypeError(f"{self.what}() needs a function, not {type(function).__name__}")
        functools.update_wrapper(self, function, updated=())
        self.function = function
        self.argnums = argnums
        self.has_aux = has_aux
        self.site = site_of(function)

    def __repr__(self) -> str:
        return f"<{self.what} of {self.function!r}>"

    def positions(self, args: Sequence[Any]) -> list[int]:
        """The arguments that are differentiated, as they were asked for."""
        argnums = self.argnums
        single = isinstance(argnums, int | np.integer)
        given: Any = (argnums,) if single else argnums
        asked = [operator.index(k) for k in given]
        found = [k + len(args) if k < 0 else k for k in asked]
        for position, k in zip(found, asked, strict=True):
            if not 0 <= position < len(args):
                raise TypeError(
                    f"argnums {k}: there are {len(args)} positional arguments; what is "
                    "differentiated must be among them"
                )
        return found

    def _by_argument(self, parts: list[Any]) -> Any:
        """One part for an ``argnums`` that is a number, a tuple for a sequence."""
        return parts[0] if isinstance(self.argnums, int | np.integer) else tuple(parts)

    def _inner(
        self,
        args: Sequence[Any],
        kwargs: dict[str, Any],
        outer: Sequence[int] = (),
        *,
        once: bool = False,
    ) -> Program:
        positions = sorted({*self.positions(args), *outer})
        return program_of(
            *(self.function, args, kwargs, positions),
            has_aux=self.has_aux,
            what=self.what,
            once=once,
        )

    def __npcompile_on_tape__(self, hooks: Any, args: Any, kwargs: Any) -> Any:
        """Called by code that is being differentiated itself."""
        from jupyter_npcompile.autodiff.nesting import on_tape

        return on_tape(hooks, self, args, kwargs)

    def program(self, args: Any, kwargs: Any, outer: tuple[int, ...]) -> Program:
        """Itself as something to differentiate."""
        raise NotImplementedError

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """The derivative at these arguments."""
        raise NotImplementedError


def merged(program: Program, outer: Sequence[int], given: Sequence[Any]) -> list[Any]:
    """Tensors for all leaves: those given for the outer arguments, constants for the others."""
    from jupyter_npcompile.autodiff.pullbacks import tensors

    found = tensors(program.leaves)
    places = [place for position in outer for place in program.places(position)]
    for place, tensor in zip(places, given, strict=True):
        found[place] = tensor
    return found


class Gradient(Derivative):
    """``grad(f)``, or ``value_and_grad(f)``.

    Parameters
    ----------
    function, argnums, has_aux
        See `Derivative`.
    value : bool
        Whether the value is returned, too.
    total : bool
        Whether the sum of all outputs is differentiated.

    Attributes
    ----------
    checks : dict
        What the checks found, by signature.
    shown : bool
        Whether its calls are those of a person, who may want to look at them.
    effect : str
        What the function does besides computing, as far as its last run on the tape showed.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        argnums: Argnums = 0,
        has_aux: bool = False,
        value: bool = False,
        total: bool = False,
    ) -> None:
        super().__init__(function, argnums, has_aux)
        self.value = value
        self.total = total
        self.checks: dict[Any, Check] = {}
        self.effect = ""
        self.shown = True
        self._fast = GradientSelector(function, self.site, usable=not (has_aux or total))

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """The gradient at these arguments."""
        if self._fast.direct:
            made = self._fast.at_once(args, kwargs)
            if made is not None:
                latest.note(self, args, kwargs, made[1])
                return self._result(made[0] if self.value else None, made[1], None)
        with unharmed():
            return self._computed(args, kwargs)

    def _computed(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The same, by whatever is there to compute it."""
        asked = self.positions(args)
        signature = self.signature(args, asked)
        replayed = self._fast.run(signature, args, kwargs, asked)
        if replayed is not None:
            return self._spread(args, kwargs, asked, *replayed)
        before = None if signature in self.checks else [copied(arg) for arg in args]
        importlib.import_module("jupyter_npcompile.autodiff.pullbacks")  # torch is no part of a run
        program, seconds = timed(lambda: self._inner(args, kwargs, once=True))
        self._demand(program)
        self.effect = program.tape.effects[0] if program.tape and program.tape.effects else ""
        found = self.gradients(program)
        if before is not None:
            self.checks[signature] = self.checked(before, kwargs, program, found, seconds)
        self._fast.consider(signature, args, kwargs, asked, program, found, seconds)
        parts = []
        for position in asked:
            leaves = [found[k] for k in program.places(position)]
            parts.append(program.trees[position].build(leaves))
        latest.note(self, args, kwargs, parts)
        return self._result(program.outputs[0] if self.value else None, parts, program.aux)

    def _spread(
        self,
        args: Sequence[Any],
        kwargs: dict[str, Any],
        asked: Sequence[int],
        value: Any,
        found: dict[int, list[Any]],
    ) -> Any:
        """The result from gradients by argument."""
        parts = [flatten(args[position])[1].build(found[position]) for position in asked]
        latest.note(self, args, kwargs, parts)
        return self._result(value if self.value else None, parts, None)

    def gradients(self, program: Program) -> list[Any]:
        """The gradient for each leaf."""
        from jupyter_npcompile.autodiff.pullbacks import gradient, tensors, to_numpy

        def computed() -> list[Any]:
            found = gradient(self._scalar(program), tensors(program.leaves))
            return [to_numpy(g, leaf) for g, leaf in zip(found, program.leaves, strict=True)]

        return self.site.run(computed, bytes_of(program))

    def signature(self, args: Sequence[Any], asked: Sequence[int]) -> Any:
        """What a check is valid for: structures, shapes and dtypes of what is differentiated."""
        parts = []
        for position in asked:
            leaves, tree = flatten(args[position])
            kinds = tuple((np.shape(leaf), np.asarray(leaf).dtype.str) for leaf in leaves)
            parts.append((position, repr(tree), kinds))
        return tuple(parts)

    def checked(
        self,
        args: list[Any],
        kwargs: dict[str, Any],
        program: Program,
        found: list[Any],
        seconds: float,
    ) -> Check:
        """Compare with plain runs, once for each signature."""

        def scalar(result: Any) -> Any:
            value = result[0] if self.has_aux else result
            if not self.total:
                return value
            return math.fsum(float(np.sum(np.real(leaf))) for leaf in flatten(value)[0])

        return check(self.function, args, kwargs, program, found, seconds, scalar=scalar)

    def _result(self, value: Any, parts: list[Any], aux: Any) -> Any:
        made = self._by_argument(parts)
        if not self.value:
            return (made, aux) if self.has_aux else made
        return ((value, aux), made) if self.has_aux else (value, made)

    def _demand(self, program: Program) -> None:
        if not self.total:
            scalar_output(program, self.what)

    def _scalar(self, program: Program) -> Callable[..., list[Any]]:
        if not self.total:
            return program.function

        def total(*leaves: Any) -> list[Any]:
            return [sum(out.sum() for out in program.function(*leaves))]

        return total

    def program(self, args: Any, kwargs: Any, outer: tuple[int, ...]) -> Program:
        """Itself as something to differentiate."""
        inner = self._inner(args, kwargs, outer)
        outer = inner.captures(outer)
        self._demand(inner)
        asked = self.positions(args)
        scalar = self._scalar(inner)

        def function(*given: Any) -> list[Any]:
            import torch

            from jupyter_npcompile.autodiff.pullbacks import pull

            leaves = merged(inner, outer, given)
            wanted = [place for position in asked for place in inner.places(position)]

            def value(*some: Any) -> list[Any]:
                every = list(leaves)
                for place, leaf in zip(wanted, some, strict=True):
                    every[place] = leaf
                return [scalar(*every)[0]]

            found = pull(value, [leaves[k] for k in wanted], [torch.ones(())])
            return [scalar(*leaves)[0], *found] if self.value else found

        trees = [inner.trees[position] for position in asked]
        tree = _tuple_of(trees) if not isinstance(self.argnums, int | np.integer) else trees[0]
        if self.value:
            tree = _tuple_of([Tree(None), tree])
        shapes = [inner.leaves[k] for p in asked for k in inner.places(p)]
        outputs = ([inner.outputs[0]] if self.value else []) + shapes
        leaves = [inner.leaves[k] for p in outer for k in inner.places(p)]
        return Program(
            function, leaves, {p: inner.trees[p] for p in outer}, outputs, tree, inner.aux, False
        )


def _tuple_of(trees: Sequence[Tree]) -> Tree:
    return Tree(tuple, (), tuple(trees), sum(tree.leaves for tree in trees))


class Jacobian(Derivative):
    """``jacobian(f)``.

    Parameters
    ----------
    function, argnums, has_aux
        See `Derivative`.
    mode : {"", "reverse", "forward"}
        How; by default what takes fewer passes.
    """

    what = "jacobian"

    def __init__(
        self,
        function: Callable[..., Any],
        argnums: Argnums = 0,
        has_aux: bool = False,
        mode: str = "",
    ) -> None:
        super().__init__(function, argnums, has_aux)
        self.mode = mode

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """The Jacobian at these arguments."""
        program, found = self.computed(args, kwargs)
        latest.note_arrays(self, args, kwargs, found)
        made = program.tree.build(found)
        return (made, program.aux) if self.has_aux else made

    def computed(self, args: Any, kwargs: Any) -> tuple[Program, list[Any]]:
        """The derivatives: of each result by each argument."""
        from jupyter_npcompile.autodiff.pullbacks import plain

        program = self.program(args, kwargs, ())
        return program, self.site.run(lambda: [plain(tensor) for tensor in program.function()])

    def program(self, args: Any, kwargs: Any, outer: tuple[int, ...]) -> Program:
        """Itself as something to differentiate."""
        inner = self._inner(args, kwargs, outer)
        outer = inner.captures(outer)
        asked = self.positions(args)
        wanted = [place for position in asked for place in inner.places(position)]
        sizes_in = sum(np.size(inner.leaves[k]) for k in wanted)
        sizes_out = sum(np.size(value) for value in inner.outputs)
        forward = self.mode == "forward" or (not self.mode and 0 < sizes_in < sizes_out)

        def function(*given: Any) -> list[Any]:
            from jupyter_npcompile.autodiff.pullbacks import jacobian

            leaves = merged(inner, outer, given)

            def values(*some: Any) -> list[Any]:
                every = list(leaves)
                for place, leaf in zip(wanted, some, strict=True):
                    every[place] = leaf
                return inner.function(*every)

            rows = jacobian(values, [leaves[k] for k in wanted], forward=forward)
            return [entry for row in rows for entry in row]

        trees = [inner.trees[position] for position in asked]
        single = isinstance(self.argnums, int | np.integer)
        below = trees[0] if single else _tuple_of(trees)
        shapes = [
            np.zeros(
                (*np.shape(out), *np.shape(inner.leaves[k])), np.asarray(inner.leaves[k]).dtype
            )
            for out in inner.outputs
            for k in wanted
        ]
        leaves = [inner.leaves[k] for p in outer for k in inner.places(p)]
        tree = _nested(inner.tree, below)
        return Program(
            function, leaves, {p: inner.trees[p] for p in outer}, shapes, tree, inner.aux, False
        )


def _nested(outer: Tree, inner: Tree) -> Tree:
    """A structure in which every leaf is replaced by another structure."""
    if outer.kind is None:
        return inner if outer.leaves else outer
    parts = tuple(_nested(part, inner) for part in outer.parts)
    return Tree(outer.kind, outer.keys, parts, sum(part.leaves for part in parts))
