"""Writes one C++ translation unit of the kernels of a program, with a driver for each piece."""

from __future__ import annotations

import re
from collections.abc import Sequence

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.runtime.compile_errors import UnbuildableError
from jupyter_npcompile.runtime.native.extents import HELPERS, SIZES
from jupyter_npcompile.runtime.native.generated import Generated, Number, Place
from jupyter_npcompile.runtime.native.ticks import in_piece, over_remark

_INCLUDE = re.compile(r"^\s*#include\b.*$", re.MULTILINE)
_HEAD = re.compile(r'extern\s+"C"\s+(?:__declspec\(dllexport\)\s+)?void\s+kernel\s*\(')


def entry(index: int) -> str:
    """The name of the driver of a piece."""
    return f"npcompile_piece_{index}"


def layout_entry(index: int) -> str:
    """The name of the function that gives the layout of the values of a piece."""
    return f"npcompile_layout_{index}"


def translation_unit(
    pieces: Sequence[Generated], layouts: Sequence[Layout | None] | None = None
) -> str:
    """The source of a library with one entry point for each piece.

    An entry point takes pointers to the inputs, then to the outputs, a pointer
    to scratch memory, and the sizes. It returns 0, or 1 where a kernel raised.

    Parameters
    ----------
    pieces : sequence of Generated
        What Inductor generated for each.
    layouts : sequence of Layout or None, optional
        For each, what its values look like where that depends on sizes.

    Raises
    ------
    UnbuildableError
        When a kernel is written in a way that is not known.
    """
    includes: dict[str, None] = {}
    bodies: list[str] = []
    if layouts and any(layouts):
        bodies.append(HELPERS)
    for index, piece in enumerate(pieces):
        names: dict[str, str] = {}
        for kernel in piece.kernels:
            space = f"npcompile_{index}_{len(names)}"
            includes.update(dict.fromkeys(line.strip() for line in _INCLUDE.findall(kernel.source)))
            body, count = _HEAD.subn("static void kernel(", _INCLUDE.sub("", kernel.source))
            if count != 1:
                raise UnbuildableError(f"no function `kernel` in {kernel.name}")
            bodies.append(f"namespace {space} {{\n{in_piece(body, index)}\n}}")
            names[kernel.name] = space
        bodies.append(_driver(index, piece, names))
        layout = layouts[index] if layouts else None
        if layout is not None:
            bodies.append(_layout(index, piece, layout))
    return "\n".join([*includes, *bodies]) + "\n"


def _driver(index: int, piece: Generated, names: dict[str, str]) -> str:
    types = {kernel.name: kernel.types for kernel in piece.kernels}
    lines = []
    for call in piece.calls:
        expected = types[call.kernel]
        if len(expected) != len(call.places):
            raise UnbuildableError(f"{call.kernel} is called with {len(call.places)} arguments")
        arguments = ", ".join(
            f"({type})({place.text if isinstance(place, Number) else _pointer(place)})"
            for type, place in zip(expected, call.places, strict=True)
        )
        lines.append(f"    {names[call.kernel]}::kernel({arguments});")
        lines.append(f"    {over_remark()}")
    return "\n".join(
        (
            f'extern "C" int {entry(index)}(char** inputs, char** outputs, char* scratch,',
            f"    const int64_t* {SIZES}) {{",
            "  try {",
            "    char* part0 = scratch;",
            *(
                f"    char* part{k} = part{k - 1} + {size};"
                for k, size in enumerate(piece.parts[:-1], 1)
            ),
            *lines,
            "  } catch (...) { return 1; }",
            "  return 0;",
            "}",
        )
    )


@dataclass(frozen=True, slots=True)
class Layout:
    """What the values of a piece look like, as expressions in C++.

    Parameters
    ----------
    conditions : tuple of str
        What must be true of the sizes.
    numbers : tuple of str
        Shapes and strides.
    """

    conditions: tuple[str, ...]
    numbers: tuple[str, ...]


def _layout(index: int, piece: Generated, layout: Layout) -> str:
    """A function that gives the temporary memory that a piece needs, in bytes.

    It returns -1 where a condition is not met, and writes shapes and strides.
    """
    lines = [f"    if (!{condition}) return -1;" for condition in layout.conditions]
    lines += [f"    numbers[{k}] = {text};" for k, text in enumerate(layout.numbers)]
    return "\n".join(
        (
            f'extern "C" int64_t {layout_entry(index)}(',
            f"    const int64_t* {SIZES}, int64_t* numbers) {{",
            "  try {",
            *lines,
            f"    return {piece.scratch};",
            "  } catch (...) { return -1; }",
            "}",
        )
    )


def _pointer(place: Place) -> str:
    if place.space == "scratch":
        return f"part{place.index} + {place.offset}"
    return f"{place.space}s[{place.index}] + {place.offset}"
