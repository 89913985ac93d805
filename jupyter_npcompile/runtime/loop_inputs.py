"""The inputs of a native form, by a function that was written for it.

What was assumed when the form was translated is compared on the way: to go
through the assumptions one by one takes longer than a small function runs.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Collection, Mapping
from typing import Any

from jupyter_npcompile.loops.records import FreeVariable, Path, Step
from jupyter_npcompile.runtime.fast import written
from jupyter_npcompile.runtime.loop_form import Form, is_same

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
    reader = Reader({name: f"own[{name!r}]" for name in own})
    lines = [f"if not ({test}): return None" for test in reader.tests(form)]
    lines.append(f"return [{', '.join(reader.inputs(form))}]")
    objects = {"errors_of_fetching": (LookupError, AttributeError), **reader.objects}
    return written("take", "own, names", lines, objects)


class Reader:
    """Writes Python that reads what a form needs.

    Parameters
    ----------
    own : mapping of str to str
        Where local names are; the others are global, in ``names``, or built in.

    Attributes
    ----------
    objects : dict of str to object
        What other names mean in what is written.

    Examples
    --------
    >>> Reader({"x": "own['x']"}).path(("x", "size"))
    "own['x'].size"
    """

    def __init__(self, own: Mapping[str, str]) -> None:
        self.own = own
        self.objects: dict[str, Any] = {
            "builtin": vars(builtins),
            "is_same": is_same,
        }

    def path(self, path: Path) -> str:
        """What lies at the end of a path."""
        first, *rest = path
        assert not isinstance(first, Step)
        if isinstance(first, FreeVariable):
            text = f"{self._known(first.value)}()"
        elif first in self.own:
            text = self.own[first]
        else:
            text = f"(names[{first!r}] if {first!r} in names else builtin[{first!r}])"
        for part in rest:
            text = (
                f"{self._known(part.entry)}({text})" if isinstance(part, Step) else f"{text}.{part}"
            )
        return text

    def inputs(self, form: Form) -> list[str]:
        """The arguments of a form."""
        return [self.path(form.code.paths.get(name, (name,))) for name in form.code.inputs]

    def tests(self, form: Form) -> list[str]:
        """What a form assumes."""
        tests = []
        for assumption in form.code.assumptions:
            expected = self._known(assumption.value)
            found = self.path(assumption.path)
            tests.append(f"((v := {found}) is {expected} or is_same(v, {expected}))")
        tests += [f"{self.path(one)} is not {self.path(other)}" for one, other in form.code.apart]
        for function, code, defaults in form.code.codes:
            name = self._known(function)
            tests.append(f"{name}.__code__ is {self._known(code)}")
            tests.append(f"{name}.__defaults__ is {self._known(defaults)}")
        return tests

    def _known(self, value: Any) -> str:
        name = f"known{len(self.objects)}"
        self.objects[name] = value
        return name
