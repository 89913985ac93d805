"""Products with Jacobians and Hessians: jvp, vjp, hvp, as in JAX."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jupyter_npcompile.autodiff.programs import CAPTURED, Program, bytes_of, program_of
from jupyter_npcompile.autodiff.sites import where
from jupyter_npcompile.autodiff.transforms import Derivative, Gradient
from jupyter_npcompile.autodiff.trees import Tree, flatten
from jupyter_npcompile.runtime.device.device import Device


class PushForward(Derivative):
    """``(primals, tangents) -> (output, tangent)``.

    Parameters
    ----------
    function : callable
        What is differentiated, with respect to all positional arguments.
    symmetric : bool
        Whether the Jacobian is its own transpose, as that of a gradient is; then it takes one pass
        backwards, and the output is left out.
    """

    what = "jvp"

    def __init__(
        self, function: Callable[..., Any], has_aux: bool = False, symmetric: bool = False
    ) -> None:
        super().__init__(function, 0, has_aux)
        self.symmetric = symmetric

    def __call__(self, primals: Any, tangents: Any) -> Any:
        """Output and tangent."""
        from jupyter_npcompile.autodiff.pullbacks import plain

        program = self.program((primals, tangents), {}, ())
        made = self.site.run(lambda: [plain(tensor) for tensor in program.function()])
        half = 0 if self.symmetric else len(made) // 2
        values = program.outputs[:half] if program.exact else made[:half]
        result = program.tree.build([*values, *made[half:]])
        return (*result, program.aux) if self.has_aux else result

    def program(self, args: Any, kwargs: Any, outer: tuple[int, ...]) -> Program:
        """Itself as something to differentiate: its arguments are two tuples."""
        primals, tangents = args
        given, tree = flatten(tangents)
        leaves, structure = flatten(primals)
        if not isinstance(primals, tuple | list) or not isinstance(tangents, tuple | list):
            raise TypeError("primal and tangent arguments to jvp must be tuples or lists")
        if [np.shape(v) for v in given] != [np.shape(v) for v in leaves] or (
            tree.leaves != structure.leaves
        ):
            raise TypeError(
                "primal and tangent arguments to jvp do not match: they must have the same "
                "structure and shapes"
            )
        inner = program_of(
            self.function, primals, {}, range(len(primals)), has_aux=self.has_aux, what=self.what
        )
        # the run may have written into the primals: its leaves are what they were
        before, captured = inner.leaves[: len(leaves)], inner.leaves[len(leaves) :]
        kept = {0: (before, structure), 1: (given, tree), CAPTURED: flatten(tuple(captured))}
        outer = inner.captures(outer)

        def function(*some: Any) -> list[Any]:
            from jupyter_npcompile.autodiff.pullbacks import pull, push

            parts = _filled(kept, outer, some)

            def values_of(*given: Any) -> list[Any]:
                return inner.function(*given, *parts[CAPTURED])

            if self.symmetric:
                along = [t.to(leaf.dtype) for t, leaf in zip(parts[1], parts[0], strict=True)]
                return pull(values_of, parts[0], along)
            values, made = push(values_of, parts[0], parts[1])
            return [*values, *made]

        pair = Tree(tuple, (), (inner.tree, inner.tree), 2 * inner.tree.leaves)
        outputs = [*inner.outputs] * (1 if self.symmetric else 2)
        return Program(
            function,
            [leaf for k in outer for leaf in kept[k][0]],
            {k: kept[k][1] for k in outer},
            outputs,
            inner.tree if self.symmetric else pair,
            inner.aux,
            inner.exact,
        )


class Pullback(Derivative):
    """What ``vjp`` returns besides the output: from a cotangent to gradients of the primals.

    Parameters
    ----------
    function : callable
        What is differentiated.
    primals : tuple
        Where.
    program : Program
        Of the run.
    """

    what = "vjp"

    def __init__(
        self, function: Callable[..., Any], primals: tuple[Any, ...], program: Program
    ) -> None:
        super().__init__(function)
        self.primals = primals
        self._program = program
        self._kept: Any = None
        self._place: Device | None = None

    def __call__(self, cotangent: Any) -> tuple[Any, ...]:
        """A tuple: the gradient for each primal."""
        import torch

        from jupyter_npcompile.autodiff.pullbacks import backward, outputs_of, tensors, to_numpy

        program = self._program
        given = self.demand(cotangent)

        def computed() -> list[Any]:
            if self._kept is None or self._place is not where():
                leaves = [leaf.requires_grad_() for leaf in tensors(program.leaves)]
                with torch.enable_grad():
                    self._kept = leaves, outputs_of(program.function, leaves)
                self._place = where()
            leaves, outputs = self._kept
            found = backward(outputs, leaves, tensors(given))
            return [to_numpy(g, leaf) for g, leaf in zip(found, program.leaves, strict=True)]

        return self._built(self.site.run(computed, bytes_of(program)))

    def demand(self, cotangent: Any) -> list[Any]:
        """The leaves of a cotangent, which must be like the output."""
        program = self._program
        given, tree = flatten(cotangent)
        if len(given) != program.tree.leaves or [np.shape(v) for v in given] != [
            np.shape(v) for v in program.outputs
        ]:
            raise ValueError(
                "the cotangent of vjp must have the structure and the shapes of the output: "
                f"{[np.shape(v) for v in program.outputs]}, not {[np.shape(v) for v in given]}"
            )
        del tree
        return [np.asarray(v, _dtype(out)) for v, out in zip(given, program.outputs, strict=True)]

    def _built(self, leaves: Sequence[Any]) -> tuple[Any, ...]:
        program = self._program
        return tuple(
            tree.build([leaves[k] for k in program.places(position)])
            for position, tree in program.trees.items()
        )

    def program(self, args: Any, kwargs: Any, outer: tuple[int, ...]) -> Program:
        """Itself as something to differentiate: with respect to the cotangent."""
        inner = self._program
        given, tree = flatten(args[0])
        given = self.demand(args[0]) if given else given

        def function(*some: Any) -> list[Any]:
            from jupyter_npcompile.autodiff.pullbacks import pull, tensors

            cotangents = list(some) if outer else tensors(given)
            return pull(inner.function, tensors(inner.leaves), cotangents)

        trees = tuple(inner.trees.values())
        return Program(
            function,
            given if outer else [],
            {0: tree} if outer else {},
            list(inner.leaves),
            Tree(tuple, (), trees, sum(t.leaves for t in trees)),
            exact=False,
        )


def _dtype(value: Any) -> Any:
    kind = np.asarray(value).dtype
    return kind if kind.kind in "fc" else np.dtype(float)


class PullbackAt(Derivative):
    """``(primals, cotangent) -> gradients``: a pullback that is differentiated by its primals, too.

    Parameters
    ----------
    function : callable
        What is differentiated, with respect to all positional arguments.
    """

    what = "vjp"

    def program(self, args: Any, kwargs: Any, outer: tuple[int, ...]) -> Program:
        """Itself as something to differentiate: its arguments are primals and a cotangent."""
        primals, cotangent = args
        inner = program_of(
            self.function, primals, {}, range(len(primals)), has_aux=self.has_aux, what=self.what
        )
        whole = Pullback(self.function, primals, inner)
        count = flatten(primals)[1].leaves
        given = inner.leaves[:count], flatten(primals)[1]
        kept = {
            0: given,
            1: (whole.demand(cotangent), flatten(cotangent)[1]),
            CAPTURED: flatten(tuple(inner.leaves[count:])),
        }
        outer = inner.captures(outer)

        def function(*some: Any) -> list[Any]:
            from jupyter_npcompile.autodiff.pullbacks import pull

            parts = _filled(kept, outer, some)

            def values_of(*given: Any) -> list[Any]:
                return inner.function(*given, *parts[CAPTURED])

            return pull(values_of, parts[0], parts[1])

        trees = tuple(tree for k, tree in inner.trees.items() if k != CAPTURED)
        return Program(
            function,
            [leaf for k in outer for leaf in kept[k][0]],
            {k: kept[k][1] for k in outer},
            list(inner.leaves[:count]),
            Tree(tuple, (), trees, sum(t.leaves for t in trees)),
            exact=False,
        )


def _filled(
    kept: dict[int, tuple[list[Any], Tree]], outer: tuple[int, ...], given: tuple[Any, ...]
) -> dict[int, list[Any]]:
    """Tensors for each part: those given for the outer parts, constants for the others."""
    from jupyter_npcompile.autodiff.pullbacks import tensors

    queue = iter(given)
    return {
        k: [next(queue) for _ in leaves] if k in outer else tensors(leaves)
        for k, (leaves, _) in kept.items()
    }


def hessian_product(function: Callable[..., Any], primals: Any, tangents: Any) -> PushForward:
    """What ``hvp`` calls with tuples of primals and tangents."""
    if len(primals) != len(tangents):
        raise TypeError("hvp needs a tangent for each primal")
    return PushForward(Gradient(function, tuple(range(len(primals)))), symmetric=True)
