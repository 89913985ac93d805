"""The expressions that tests compare with central differences, from the files they are in."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from tests.autodiff import test_api as test_autodiff_api
from tests.autodiff import test_functions as test_autodiff_functions
from tests.autodiff import test_steps as test_autodiff_steps
from tests.autodiff.programs import test_arrays as test_autodiff_arrays
from tests.autodiff.programs import test_language as test_autodiff_language
from tests.autodiff.programs import test_special_methods as test_autodiff_special_methods

Function = Callable[..., Any]


class Expression(NamedTuple):
    """A function of one array or number, and where it is differentiated.

    Parameters
    ----------
    name : str
        The file, and its name there.
    run : callable
        It gives a number.
    x : object
        Its argument.
    """

    name: str
    run: Function
    x: Any


def _named(
    file: str, functions: Mapping[str, Function], x: Any, but: Collection[Function] = ()
) -> Iterator[Expression]:
    for name, run in functions.items():
        if run not in but:
            yield Expression(f"{file}: {name}", run, x)


def _by_name(functions: Collection[Callable[..., Any]]) -> dict[str, Function]:
    return {run.__name__: run for run in functions}


EXPRESSIONS = (
    *_named("api", _by_name(test_autodiff_api.PROGRAMS), test_autodiff_api.X),
    *_named(
        "arrays",
        _by_name(test_autodiff_arrays.PROGRAMS),
        test_autodiff_arrays.X,
        test_autodiff_arrays.REFUSED,
    ),
    *_named("functions", test_autodiff_functions.OF_ARRAYS, np.array([0.5, 1.7, 1.1])),
    *_named("numbers", test_autodiff_functions.OF_NUMBERS, 1.3),
    *_named("language", _by_name(test_autodiff_language.PROGRAMS), test_autodiff_language.X),
    *_named(
        "special methods",
        _by_name(test_autodiff_special_methods.PROGRAMS),
        test_autodiff_special_methods.X,
        test_autodiff_special_methods.REFUSED,
    ),
    *_named("steps", _by_name(test_autodiff_steps.FOLLOWED), test_autodiff_steps.X),
)
"""All of them: a test in its file demands that the gradient of each is right."""
