"""What had changed when something was compiled again, in words."""

from __future__ import annotations

from collections.abc import Iterator

from jupyter_npcompile.runtime.artifacts import Artifact
from jupyter_npcompile.tracer.guards import ValueGuard
from jupyter_npcompile.tracer.recording import Recording

SHOWN = 3
"""Changes that are named."""


def change(before: Recording, after: Recording, artifact: Artifact) -> str:
    """Say why something was compiled again, and for what.

    Parameters
    ----------
    before, after : Recording
        For the former values, and for those that it was compiled for.
    artifact : Artifact
        What was compiled.
    """
    found = list(dict.fromkeys(_changes(before, after)))
    shown = ", ".join(found[:SHOWN]) or "other statements ran"
    if len(found) > SHOWN:
        shown += f", and {len(found) - SHOWN} more"
    if artifact.form is not None:
        return f"recompiled: {shown}; sizes are symbolic now"
    if artifact.note:
        return f"recompiled: {shown}; each size is compiled on its own: {artifact.note}"
    return f"recompiled: {shown}"


def _changes(before: Recording, after: Recording) -> Iterator[str]:
    known = {node.name: node.type for node in before.graph.inputs}
    for node in after.graph.inputs:
        old, new = known.get(node.name), node.type
        if old is None or old == new:
            continue
        if (old.kind, old.dtype) != (new.kind, new.dtype) or len(old.shape) != len(new.shape):
            yield f"{node.name} was {old}, is {new}"
        elif old.shape == new.shape:
            yield f"{node.name} lies otherwise in memory"
        for axis, (one, two) in enumerate(zip(old.shape, new.shape, strict=False)):
            if one != two:
                yield f"dimension {axis} of {node.name} was {one}, is {two}"
    values = {g.source: g.value for g in before.guards if isinstance(g, ValueGuard)}
    for guard in after.guards:
        if isinstance(guard, ValueGuard) and guard.source in values:
            old_value = values[guard.source]
            if repr(old_value) != repr(guard.value):
                yield f"{guard.source} was {old_value!r}, is {guard.value!r}"
