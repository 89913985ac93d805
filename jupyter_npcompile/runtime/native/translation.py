"""Writes one C++ translation unit of the kernels of a program, with a driver for each piece."""

from __future__ import annotations

import re
from collections.abc import Sequence

from jupyter_npcompile.runtime.compile_errors import UnbuildableError
from jupyter_npcompile.runtime.native.generated import Generated, Place

_INCLUDE = re.compile(r"^\s*#include\b.*$", re.MULTILINE)
_HEAD = re.compile(r'extern\s+"C"\s+(?:__declspec\(dllexport\)\s+)?void\s+kernel\s*\(')


def entry(index: int) -> str:
    """The name of the driver of a piece."""
    return f"npcompile_piece_{index}"


def translation_unit(pieces: Sequence[Generated]) -> str:
    """The source of a library with one entry point for each piece.

    An entry point takes pointers to the inputs, then to the outputs, and a
    pointer to scratch memory. It returns 0, or 1 where a kernel raised.

    Parameters
    ----------
    pieces : sequence of Generated
        What Inductor generated for each.

    Raises
    ------
    UnbuildableError
        When a kernel is written in a way that is not known.
    """
    includes: dict[str, None] = {}
    bodies: list[str] = []
    for index, piece in enumerate(pieces):
        names: dict[str, str] = {}
        for kernel in piece.kernels:
            space = f"npcompile_{index}_{len(names)}"
            includes.update(dict.fromkeys(line.strip() for line in _INCLUDE.findall(kernel.source)))
            body, count = _HEAD.subn("static void kernel(", _INCLUDE.sub("", kernel.source))
            if count != 1:
                raise UnbuildableError(f"no function `kernel` in {kernel.name}")
            bodies.append(f"namespace {space} {{\n{body}\n}}")
            names[kernel.name] = space
        bodies.append(_driver(index, piece, names))
    return "\n".join([*includes, *bodies]) + "\n"


def _driver(index: int, piece: Generated, names: dict[str, str]) -> str:
    types = {kernel.name: kernel.types for kernel in piece.kernels}
    lines = []
    for call in piece.calls:
        expected = types[call.kernel]
        if len(expected) != len(call.places):
            raise UnbuildableError(f"{call.kernel} is called with {len(call.places)} arguments")
        arguments = ", ".join(
            f"({type})({_pointer(place)})"
            for type, place in zip(expected, call.places, strict=True)
        )
        lines.append(f"    {names[call.kernel]}::kernel({arguments});")
    return "\n".join(
        (
            f'extern "C" int {entry(index)}(char** inputs, char** outputs, char* scratch) {{',
            "  try {",
            *lines,
            "  } catch (...) { return 1; }",
            "  return 0;",
            "}",
        )
    )


def _pointer(place: Place) -> str:
    if place.space == "scratch":
        return f"scratch + {place.offset}"
    return f"{place.space}s[{place.index}] + {place.offset}"
