"""The inputs of a native form, by a function that was written for it.

What was assumed when the form was translated is compared on the way: to go
through the assumptions one by one takes longer than a small function runs.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Collection, Mapping
from typing import Any

from jupyter_npcompile.runtime.fast import written
from jupyter_npcompile.runtime.loop_form import Form, holds, is_same

Take = Callable[[Mapping[str, Any], Mapping[str, Any]], "list[Any] | None"]
"""From local and global names to inputs; None when something is not as was assumed."""


def taker(form: Form, own: Collection[str]) -> Take:
    """Write the function.

    Parameters
    ----------
    form : Form
        What runs.
    own : collection of str
        Names that are local.
    """
    objects: dict[str, Any] = {
        "errors_of_fetching": (KeyError, AttributeError),
        "builtin": vars(builtins),
    }
    places = {name: f"own[{name!r}]" for name in own}
    tests = tests_of(form, lambda name: read_from(name, places), objects)
    lines = [f"if not ({test}): return None" for test in tests]
    inputs = (read_from(name, places) for name in form.code.inputs)
    lines.append(f"return [{', '.join(inputs)}]")
    return written("take", "own, names", lines, objects)


def read_from(name: str, own: Mapping[str, str]) -> str:
    """Python that reads a name: where local ones are is given, others are global.

    Examples
    --------
    >>> read_from("x", {"x": "own['x']"})
    "own['x']"
    """
    if name in own:
        return own[name]
    return f"(names[{name!r}] if {name!r} in names else builtin[{name!r}])"


def tests_of(form: Form, read: Callable[[str], str], objects: dict[str, Any]) -> list[str]:
    """Python that compares what a form assumes; what it mentions is added to some objects.

    Parameters
    ----------
    form : Form
        What runs.
    read : callable
        Python that reads a name.
    objects : dict of str to object
        What names of the tests mean; ``names`` and ``builtin`` are global names.
    """
    objects["is_same"], objects["holds"] = is_same, holds

    def known(value: Any) -> str:
        name = f"known{len(objects)}"
        objects[name] = value
        return name

    tests = []
    for assumption in form.code.assumptions:
        if assumption.function is not None:
            tests.append(f"holds({known(assumption)}, names)")
            continue
        path = ".".join((read(assumption.path[0]), *assumption.path[1:]))
        expected = known(assumption.value)
        tests.append(f"((v := {path}) is {expected} or is_same(v, {expected}))")
    for function, code, defaults in form.code.codes:
        name = known(function)
        tests.append(f"{name}.__code__ is {known(code)}")
        tests.append(f"{name}.__defaults__ is {known(defaults)}")
    return tests
