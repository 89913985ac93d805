"""What a replay of a recording looks at, besides what its code computes with."""

from __future__ import annotations

from types import ModuleType
from typing import Any, TypeAlias

from jupyter_npcompile.runtime.device.plain_data import FIXED
from jupyter_npcompile.tracer.guards import IdentityGuard, TypeGuard, ValueGuard
from jupyter_npcompile.tracer.recipes import Container, FromSource, Recipe
from jupyter_npcompile.tracer.recording import Recording
from jupyter_npcompile.tracer.sources import (
    SOURCES,
    AttributeSource,
    ClosureSource,
    ComputedSource,
    DrawSource,
    ForwardSource,
    ItemSource,
    Source,
)

_CONTAINERS = (tuple, list, dict)

Types: TypeAlias = dict[Source, type]
"""What guards make sure of."""


def looks_at_layouts(recording: Recording) -> bool:
    """Whether a replay looks at layouts of arrays, numbers and containers only.

    Then it neither reads what is in an array, but in its code, nor calls anybody:
    an attribute of an object may be computed by code of the user's.
    """
    if recording.draws or recording.hidden or recording.free:
        return False
    types: Types = {
        guard.source: type(guard.value) if isinstance(guard, IdentityGuard) else guard.type
        for guard in recording.guards
        if isinstance(guard, IdentityGuard | TypeGuard)
    }
    return (
        all(_is_plain(guard.source, types) for guard in recording.guards)
        and all(_is_plain(source, types) for source in recording.sources)
        and all(type(g.value) in FIXED for g in recording.guards if isinstance(g, ValueGuard))
        and all(_makes_plainly(recipe, types) for recipe in recording.recipes.values())
    )


def _is_plain(source: Any, types: Types) -> bool:
    """Whether fetching something calls nobody, as far as the guards before it hold."""
    if isinstance(source, ComputedSource):
        return all(_is_plain(one, types) for one in source.operands if isinstance(one, SOURCES))
    if isinstance(source, ForwardSource | ClosureSource):
        return _is_plain(source.parent, types)
    if isinstance(source, ItemSource):
        return types.get(source.parent) in _CONTAINERS and _is_plain(source.parent, types)
    if isinstance(source, AttributeSource):
        return types.get(source.parent) is ModuleType and _is_plain(source.parent, types)
    return not isinstance(source, DrawSource)


def _makes_plainly(recipe: Recipe, types: Types) -> bool:
    """Whether nobody is called when a result is made."""
    if isinstance(recipe, FromSource):
        return _is_plain(recipe.source, types)
    if isinstance(recipe, Container):
        return recipe.type in _CONTAINERS and all(
            _makes_plainly(item, types) for item in recipe.items
        )
    return True
