"""Writes docs/coverage.md: one row per NumPy function, from the lowering table."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import numpy as np

from jupyter_npcompile.tracer.table import NAMESPACES, SECTIONS, Row, Section

PAGE = Path(__file__).resolve().parent.parent / "docs" / "coverage.md"

HOW = {
    "graph": "compiled",
    "source": "compiled, through the NumPy calls of its Python source",
    "constant": "known while recording: it follows from dtypes and shapes",
}
METHODS = ("reduce", "accumulate", "reduceat", "outer", "at")

HEAD = """# What becomes of each NumPy function

Written by `make coverage-table` from `jupyter_npcompile/tracer/table`; do not edit it by hand.

- **lowered**: part of a compiled segment. A call with an option or a dtype that cannot be compiled
  faithfully still runs in NumPy, and the report says why.
- **host**: NumPy runs it between two segments.
- **skeleton**: the statement stays ordinary Python.

*Differentiable* says whether a derivative passes through the function (almost everywhere);
functions of whole numbers, comparisons, orders and step functions have none.
Methods of arrays that are not listed, such as `x.sum()`, follow the function of that name.
"""


def page() -> str:
    """The whole page."""
    rows = [row for section in SECTIONS for row in section.rows]
    parts = [HEAD, _totals(rows)]
    parts += [_section(section) for section in SECTIONS]
    parts.append(_namespaces())
    return "\n".join(parts)


def _totals(rows: list[Row]) -> str:
    status = Counter(row.status for row in rows)
    smooth = sum(row.differentiable for row in rows)
    lines = [
        f"NumPy {np.__version__.rpartition('.')[0]}: {len(rows)} functions, methods, attributes "
        "and types.",
        "",
        "| | lowered | host | skeleton | all | differentiable |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for section in SECTIONS:
        count = Counter(row.status for row in section.rows)
        lines.append(
            f"| [{section.title}](#{_anchor(section.title)}) | {count['lowered']} | "
            f"{count['host']} | {count['skeleton']} | {len(section.rows)} | "
            f"{sum(row.differentiable for row in section.rows)} |"
        )
    lines.append(
        f"| **all** | **{status['lowered']}** | **{status['host']}** | **{status['skeleton']}** | "
        f"**{len(rows)}** | **{smooth}** |"
    )
    return "\n".join(lines) + "\n"


def _anchor(title: str) -> str:
    kept = [c for c in title.lower() if c.isalnum() or c in " -_"]
    return "".join(kept).replace(" ", "-")


def _section(section: Section) -> str:
    lines = [f"## {section.title}", "", "| function | | differentiable | how, or why not |"]
    lines.append("|---|---|---|---|")
    for name, row in _merged(section.rows):
        smooth = "yes" if row.differentiable else "no"
        smooth = "" if row.status != "lowered" or row.how == "constant" else smooth
        why = row.reason or HOW[row.how]
        lines.append(f"| {name} | {row.status} | {smooth} | {why} |")
    return "\n".join(lines) + "\n"


def _merged(rows: tuple[Row, ...]) -> list[tuple[str, Row]]:
    """Rows by name; the methods of one ufunc that fare alike are one line."""
    found: dict[tuple[object, ...], list[str]] = {}
    first: dict[tuple[object, ...], Row] = {}
    for row in sorted(rows, key=lambda row: row.name):
        owner, _, method = row.name.rpartition(".")
        alike = (owner, row.status, row.reason, row.differentiable, row.how)
        key = alike if method in METHODS and owner.count(".") else (row.name,)
        found.setdefault(key, []).append(row.name)
        first.setdefault(key, row)
    merged = []
    for key, names in found.items():
        methods = [name.rpartition(".")[2] for name in names if len(names) > 1]
        text = f"`{_short(names[0])}`"
        if methods:
            text = f"`{_short(names[0].rpartition('.')[0])}` " + " ".join(
                f"`.{m}`" for m in methods
            )
        merged.append((text, first[key]))
    return merged


def _short(name: str) -> str:
    return name.replace("numpy.", "np.", 1)


def _namespaces() -> str:
    lines = ["## Whole namespaces", "", "| namespace | | why |", "|---|---|---|"]
    for prefix, row in NAMESPACES.items():
        lines.append(f"| `{_short(prefix)}*` | {row.status} | {row.reason} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write the page."""
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")
    print(PAGE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
