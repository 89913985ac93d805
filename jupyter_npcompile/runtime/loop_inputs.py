"""The inputs of a native form, by a function that was written for it.

What was assumed when the form was translated is compared on the way: to go
through the assumptions one by one takes longer than a small function runs.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Collection, Mapping
from typing import Any

from jupyter_npcompile.loops.records import Path
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
        "errors_of_fetching": (LookupError, AttributeError),
        "builtin": vars(builtins),
        "is_same": is_same,
        "holds": holds,
    }

    def known(value: Any) -> str:
        name = f"known{len(objects)}"
        objects[name] = value
        return name

    def read(name: str) -> str:
        if name in own:
            return f"own[{name!r}]"
        return f"(names[{name!r}] if {name!r} in names else builtin[{name!r}])"

    def reach(path: Path) -> str:
        first, *rest = path
        assert isinstance(first, str)
        text = read(first)
        for part in rest:
            text = f"{text}.{part}" if isinstance(part, str) else f"{known(part.entry)}({text})"
        return text

    tests = []
    for assumption in form.code.assumptions:
        if assumption.function is not None:
            tests.append(f"holds({known(assumption)}, names)")
            continue
        path = reach(assumption.path)
        expected = known(assumption.value)
        tests.append(f"((v := {path}) is {expected} or is_same(v, {expected}))")
    for function, code, defaults in form.code.codes:
        name = known(function)
        tests.append(f"{name}.__code__ is {known(code)}")
        tests.append(f"{name}.__defaults__ is {known(defaults)}")
    lines = [f"if not ({test}): return None" for test in tests]
    inputs = [reach(form.code.paths.get(name, (name,))) for name in form.code.inputs]
    lines.append(f"return [{', '.join(inputs)}]")
    return written("take", "own, names", lines, objects)
