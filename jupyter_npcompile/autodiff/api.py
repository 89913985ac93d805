"""The public functions of differentiation, with JAX's names and argument order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jupyter_npcompile.autodiff.products import Pullback, PullbackAt, PushForward, hessian_product
from jupyter_npcompile.autodiff.programs import program_of
from jupyter_npcompile.autodiff.transforms import Argnums, Gradient, Jacobian
from jupyter_npcompile.autodiff.trees import flatten


def grad(fun: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Gradient:
    """The gradient of a function that uses NumPy and returns one real number.

    The function runs as it is, prints and all, once for each call; what
    depends on its arguments is followed through in-place writes, views,
    loops, helper functions and break points.

    Parameters
    ----------
    fun : callable
        The function. Arguments may be arrays, numbers, and nested tuples,
        lists and dicts of them.
    argnums : int or sequence of int
        With respect to which positional arguments.
    has_aux : bool
        Whether ``fun`` returns a pair ``(value, aux)``.

    Returns
    -------
    callable
        Called like ``fun``, it returns the gradient: structure, shapes and
        dtypes of the argument; a tuple for several ``argnums``; with
        ``has_aux`` a pair ``(gradient, aux)``.

    Raises
    ------
    GradientError
        Where a gradient would flow through something without a derivative.
    TypeError
        For integer arguments, and for results that are no real scalar.

    Notes
    -----
    The gradient of a real function of ``x + iy`` is ``df/dx - i df/dy``, as
    in JAX and HIPS autograd. Where several elements are the maximum or
    minimum, they share the gradient; sorting and medians follow the elements
    that NumPy's stable order puts there.

    Examples
    --------
    >>> def loss(w):
    ...     print("called")
    ...     return np.sum(w**2)
    >>> grad(loss)(np.array([1.0, 2.0]))
    called
    array([2., 4.])
    """
    return Gradient(fun, argnums, has_aux)


def value_and_grad(
    fun: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False
) -> Gradient:
    """A function that returns the value and the gradient.

    Parameters
    ----------
    fun, argnums, has_aux
        As for `grad`, which also says what is raised.

    Returns
    -------
    callable
        Called like ``fun``, it returns ``(value, gradient)``; with ``has_aux`` it returns
        ``((value, aux), gradient)``.

    Examples
    --------
    >>> value_and_grad(np.prod)(np.array([2.0, 3.0]))
    (np.float64(6.0), array([3., 2.]))
    """
    return Gradient(fun, argnums, has_aux, value=True)


def elementwise_grad(fun: Callable[..., Any], argnums: Argnums = 0) -> Gradient:
    """The derivative of each element of the result by the same element of the argument.

    It is the gradient of the sum of the results.

    Parameters
    ----------
    fun, argnums
        As for `grad`; the result may have any shape.

    Returns
    -------
    callable
        Called like ``fun``, it returns an array of the argument's shape.

    Examples
    --------
    >>> elementwise_grad(np.square)(np.array([1.0, 2.0]))
    array([2., 4.])
    """
    return Gradient(fun, argnums, total=True)


def jacobian(fun: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Jacobian:
    """All derivatives of all results: shape of the result, then shape of the argument.

    Whether they are found row by row or column by column depends on which
    are fewer.

    Parameters
    ----------
    fun, argnums, has_aux
        As for `grad`; the result may have any shape.

    Returns
    -------
    callable
        Called like ``fun``, it returns the derivatives, nested as the result and then as the
        argument; with ``has_aux`` a pair of them and ``aux``.

    Examples
    --------
    >>> jacobian(np.cumsum)(np.ones(2))
    array([[1., 0.],
           [1., 1.]])
    """
    return Jacobian(fun, argnums, has_aux)


def hessian(fun: Callable[..., Any], argnums: Argnums = 0) -> Jacobian:
    """All second derivatives: for an argument of shape ``s``, shape ``result + s + s``.

    Parameters
    ----------
    fun, argnums
        As for `jacobian`.

    Returns
    -------
    callable
        Called like ``fun``, it returns the second derivatives.

    Examples
    --------
    >>> hessian(lambda x: x[0] * x[1] ** 2)(np.array([1.0, 2.0]))
    array([[0., 4.],
           [4., 2.]])
    """
    return Jacobian(Jacobian(fun, argnums, mode="reverse"), argnums, mode="reverse")


def jvp(
    fun: Callable[..., Any],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    has_aux: bool = False,
) -> tuple[Any, ...]:
    """The value, and the derivative in the direction of the tangents.

    Parameters
    ----------
    fun : callable
        The function.
    primals, tangents : tuple
        Its arguments, and a direction of the same structure.
    has_aux : bool
        Whether ``fun`` returns a pair ``(value, aux)``.

    Returns
    -------
    tuple
        The value and its derivative, and with ``has_aux`` what comes with the value.

    Raises
    ------
    GradientError
        As for `grad`.

    Examples
    --------
    >>> jvp(np.sin, (0.0,), (2.0,))
    (np.float64(0.0), np.float64(2.0))
    """
    made: tuple[Any, ...] = PushForward(fun, has_aux)(primals, tangents)
    return made


def vjp(fun: Callable[..., Any], *primals: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """The value, and a function from a cotangent to the gradients of the arguments.

    Parameters
    ----------
    fun : callable
        The function; its result may have any shape.
    *primals
        Its arguments.
    has_aux : bool
        Whether ``fun`` returns a pair ``(value, aux)``.

    Returns
    -------
    tuple
        The value, the function, and with ``has_aux`` what comes with the value.

    Raises
    ------
    GradientError
        As for `grad`.

    Examples
    --------
    >>> value, pull = vjp(np.multiply, 2.0, 5.0)
    >>> value, pull(1.0)
    (np.float64(10.0), (np.float64(5.0), np.float64(2.0)))
    """
    program = program_of(fun, primals, {}, range(len(primals)), has_aux=has_aux, what="vjp")
    value = program.tree.build(program.values())
    pullback = Pullback(fun, primals, program)
    return (value, pullback, program.aux) if has_aux else (value, pullback)


def hvp(fun: Callable[..., Any], primals: Any, tangents: Any) -> Any:
    """The Hessian of a scalar function times a direction, without the Hessian.

    Parameters
    ----------
    fun : callable
        The function.
    primals, tangents : array or tuple
        As for `jvp`; an array stands for a tuple of one.

    Returns
    -------
    array or tuple
        One product for each argument.

    Examples
    --------
    >>> hvp(lambda x: np.sum(x**3), np.array([1.0, 2.0]), np.array([1.0, 0.0]))
    array([6., 0.])
    """
    several = isinstance(primals, tuple | list)
    some = tuple(primals) if several else (primals,)
    others = tuple(tangents) if several else (tangents,)
    made = hessian_product(fun, some, others)(some, others)
    return made[0] if len(some) == 1 else made


def vmap_grad(
    fun: Callable[..., Any],
    argnums: Argnums = 0,
    in_axes: Any = 0,
) -> Callable[..., Any]:
    """The gradient for each example of a batch.

    Parameters
    ----------
    fun : callable
        The loss of one example.
    argnums : int or sequence of int
        With respect to which arguments.
    in_axes : int, None, or tuple of them
        Along which axis each argument holds examples; None for what all
        examples share. For a nested argument it may be nested in the same
        way. As in ``jax.vmap``.

    Returns
    -------
    callable
        Its gradients have the examples along a new first axis.

    Examples
    --------
    >>> per_example = vmap_grad(lambda w, x: (w * x) ** 2, in_axes=(None, 0))
    >>> per_example(3.0, np.array([1.0, 2.0]))
    array([ 6., 24.])
    """
    gradient = Gradient(fun, argnums)
    gradient.shown = False  # single examples

    def batched(*args: Any, **kwargs: Any) -> Any:
        axes = in_axes if isinstance(in_axes, tuple | list) else (in_axes,) * len(args)
        if len(axes) != len(args):
            raise ValueError(f"in_axes has {len(axes)} entries for {len(args)} arguments")
        by_leaf = [_axes_of(arg, axis) for arg, axis in zip(args, axes, strict=True)]
        sizes = {
            np.shape(leaf)[axis]
            for arg, places in zip(args, by_leaf, strict=True)
            for leaf, axis in zip(flatten(arg)[0], places, strict=True)
            if axis is not None
        }
        if len(sizes) != 1:
            raise ValueError(f"vmap_grad needs one batch size, not {sorted(sizes)}")
        results = [
            gradient(
                *(_example(arg, places, k) for arg, places in zip(args, by_leaf, strict=True)),
                **kwargs,
            )
            for k in range(sizes.pop())
        ]
        every = [flatten(result) for result in results]
        tree = every[0][1]
        return tree.build([np.stack(parts) for parts in zip(*(e[0] for e in every), strict=True)])

    return batched


def _axes_of(arg: Any, axes: Any) -> list[int | None]:
    """The axis of each leaf; what stands for a container stands for all that is in it."""
    if axes is None or isinstance(axes, int | np.integer):
        axes = None if axes is None else int(axes)
        return [axes] * len(flatten(arg)[0])
    keys: Any = tuple(arg) if isinstance(arg, dict) else range(len(arg))
    own = type(axes) is type(arg) or (isinstance(axes, dict) and isinstance(arg, dict))
    if not own or set(keys) != set(axes if isinstance(axes, dict) else range(len(axes))):
        raise ValueError(f"in_axes {axes!r} has not the structure of its argument")
    return [axis for key in keys for axis in _axes_of(arg[key], axes[key])]


def _example(arg: Any, axes: Sequence[int | None], k: int) -> Any:
    leaves, tree = flatten(arg)
    pairs = zip(leaves, axes, strict=True)
    return tree.build([leaf if axis is None else np.take(leaf, k, axis) for leaf, axis in pairs])


def _vjp_on_tape(hooks: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``vjp`` in code that is being differentiated: the value is followed like any call."""
    fun, *primals = args
    made = hooks.call(None, fun, *primals)
    at = PullbackAt(fun, has_aux=kwargs.get("has_aux", False))

    def pull(cotangent: Any) -> Any:
        return hooks.call(None, at, tuple(primals), cotangent)

    return (made[0], pull, made[1]) if kwargs.get("has_aux") else (made, pull)


vjp.__npcompile_on_tape__ = _vjp_on_tape  # type: ignore[attr-defined]
