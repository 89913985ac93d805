"""The public function that compiles another one.

It stands alone: whoever compiles a function first does not wait for what shows reports.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast, overload

from jupyter_npcompile.runtime import tensor_calls
from jupyter_npcompile.runtime.devices import CPU, require, with_precision
from jupyter_npcompile.runtime.functions import compile_callable
from jupyter_npcompile.runtime.policy import Options
from jupyter_npcompile.runtime.settings import settings

F = TypeVar("F", bound=Callable[..., Any])


def _follow(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    from jupyter_npcompile.autodiff.tensors import follow  # imports torch

    return follow(function, args, kwargs)


tensor_calls.followed_by(_follow)


@overload
def compile(
    fn: F, *, device: str | None = None, dtype: str | None = None, ahead: bool = False
) -> F: ...
@overload
def compile(
    fn: None = None, *, device: str | None = None, dtype: str | None = None, ahead: bool = False
) -> Callable[[F], F]: ...
def compile(
    fn: F | None = None,
    *,
    device: str | None = None,
    dtype: str | None = None,
    ahead: bool = False,
) -> F | Callable[[F], F]:
    """Compile a function that uses NumPy; also a decorator, with or without arguments.

    The result behaves as the function does: same results, output and
    exceptions. It is compiled in the background, as a whole where that can
    be, else traced once for each signature (dtypes, shapes, layout, ...);
    until that is done NumPy runs it.

    Parameters
    ----------
    fn : callable
        A Python function, or anything else that can be called: what has no
        Python source is traced by calling it, or runs in NumPy.
    device : str, optional
        Where compiled code runs: ``"cpu"``, ``"cuda"``, ``"cuda:1"``, or
        ``"standin"``, a device without hardware for tests and teaching. By
        default ``settings.device``, which is ``"cpu"``.
    dtype : {"float64", "float32"}, optional
        What is computed with on a device: with the second one, what is float64 or
        complex128 is computed there in single precision. Results keep their dtypes;
        the report says how large the error is. By default ``settings.dtype``.
    ahead : bool
        Compile on the first call and wait for it.

    Returns
    -------
    callable
        A function like ``fn``, with ``__wrapped__`` set to it.

    Raises
    ------
    TypeError
        When ``fn`` cannot be called.
    ValueError
        When the device is not known or not there, or the dtype is not one of them, or
        the CPU is to compute with another than the arrays have.

    Examples
    --------
    >>> import numpy as np
    >>> @compile
    ... def norm(x):
    ...     return np.sqrt(np.sum(x * x))
    >>> norm(np.array([3.0, 4.0]))
    np.float64(5.0)
    """
    device = settings.device if device is None else device
    require(device)
    if dtype not in (None, "float64", "float32"):
        raise ValueError(f"dtype: {dtype!r} is not one of 'float64', 'float32'")
    if dtype == "float32" and device == CPU:
        raise ValueError("dtype='float32' belongs to a device: the CPU computes as NumPy does")
    device = with_precision(device, settings.dtype if dtype is None else dtype)
    options = Options(device, ahead)
    return functools.partial(_compiled, options) if fn is None else _compiled(options, fn)


def _compiled(options: Options, fn: F) -> F:
    if not isinstance(fn, Callable | classmethod):  # type: ignore[arg-type]
        raise TypeError(f"compile() needs something that can be called, not {type(fn).__name__}")
    made: Any = compile_callable(fn, options)
    return cast("F", made)
