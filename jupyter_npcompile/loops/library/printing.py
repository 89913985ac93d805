"""``print`` in a loop: its text is made at once, and shown when the run is over.

What is shown cannot be taken back, and a run may have to be: then Python runs the
loop again, and prints. So nothing is shown before it is clear that it counts.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from jupyter_npcompile.loops import hosts
from jupyter_npcompile.loops.calls import of
from jupyter_npcompile.loops.kinds import Declined
from jupyter_npcompile.loops.values import Applied, Gathered, Known, Ref, Scalar, Text, Value

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names


class Printed:
    """Makes the text that a call of ``print`` shows.

    Parameters
    ----------
    templates : sequence of str
        One for each argument of ``print``, as for ``str.format``.
    sep, end : str
        As for ``print``.

    Examples
    --------
    >>> Printed(["{0}:", "{1:.2f}"], " ", "")(3, 0.5)
    '3: 0.50'
    """

    __slots__ = ("end", "sep", "templates")

    def __init__(self, templates: Sequence[str], sep: str, end: str) -> None:
        self.templates = tuple(templates)
        self.sep = sep
        self.end = end

    def __call__(self, *values: Any) -> str:
        """The text."""
        return self.sep.join(t.format(*values) for t in self.templates) + self.end


@of(print)
def _print(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    named = {"sep": " ", "end": "\n"}
    for key, value in kwargs.items():
        if key == "flush" and isinstance(value, Scalar) and value.const is not None:
            continue
        if key not in named or not isinstance(value, Known) or type(value.value) is not str:
            raise Declined(f"print with {key}=")
        named[key] = value.value
    values: list[Value] = []
    templates = [_template(arg, values) for arg in args]
    if t.printed is None:
        t.printed = len(t.hosts)
        t.hosts.append([])
    hosts.say(t, Printed(templates, named["sep"], named["end"]), values)
    return Known(None)


def _template(value: Value, values: list[Value]) -> str:
    """How an argument is shown; what it shows is added to the values."""
    if isinstance(value, Known) and type(value.value) is str:
        return value.value.replace("{", "{{").replace("}", "}}")
    if isinstance(value, Text):
        return "".join(
            _template(Known(part), values)
            if isinstance(part, str)
            else _shown(part[0], part[1], values)
            for part in value.parts
        )
    return _shown(value, "!s", values)


def _shown(value: Value, how: str, values: list[Value]) -> str:
    if not isinstance(value, (Scalar, Ref, Applied, Gathered)):
        raise Declined("a text of something that is neither number nor array")
    values.append(value)
    return f"{{{len(values) - 1}{how}}}"


def parts_of(node: ast.JoinedStr) -> list[str | tuple[ast.expr, str]]:
    """The parts of a formatted text: texts, and expressions with how they are shown.

    Examples
    --------
    >>> node = ast.parse("f'x = {x:.3f}{y!r}'", mode="eval").body
    >>> [part if isinstance(part, str) else part[1] for part in parts_of(node)]
    ['x = ', ':.3f', '!r']
    """
    found: list[str | tuple[ast.expr, str]] = []
    for part in node.values:
        if isinstance(part, ast.Constant):
            found.append(str(part.value))
            continue
        assert isinstance(part, ast.FormattedValue)
        how = "" if part.conversion < 0 else f"!{chr(part.conversion)}"
        if part.format_spec is not None:
            assert isinstance(part.format_spec, ast.JoinedStr)
            texts = [text for text in part.format_spec.values if isinstance(text, ast.Constant)]
            if len(texts) != len(part.format_spec.values):
                raise Declined("a format that is not known", node.lineno)
            how += ":" + "".join(str(text.value) for text in texts)
        found.append((part.value, how))
    return found
