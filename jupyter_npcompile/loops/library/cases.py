"""``np.select``: each element by the first condition that holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from jupyter_npcompile.loops import arithmetic, elementwise, promotion
from jupyter_npcompile.loops.calls import array, elements, named, of
from jupyter_npcompile.loops.kinds import Declined
from jupyter_npcompile.loops.library.results import NONE
from jupyter_npcompile.loops.values import Items, Value

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names


@of(np.select)
def _select(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    given = named("np.select", ("condlist", "choicelist", "default"), args, kwargs)
    lists = given.get("condlist", NONE), given.get("choicelist", NONE)
    if not all(isinstance(some, Items) for some in lists):
        raise Declined("np.select of lists that are not written there")
    conditions, choices = (some.items for some in lists if isinstance(some, Items))
    if not conditions or len(conditions) != len(choices):
        raise Declined("np.select of lists that differ in length")
    tests = [elements(condition) for condition in conditions]
    if any(test.dtype != "bool" for test in tests):
        raise Declined("np.select by numbers")
    default = given.get("default", arithmetic.constant(0))
    values = [array(value) for value in (*choices, default)]
    dtype = promotion.together(*map(elementwise.kinds_of, values))
    found = values.pop()
    for test, value in zip(reversed(tests), reversed(values), strict=True):
        found = elementwise.chosen(test, value, found, dtype)
    return found
