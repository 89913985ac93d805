"""An iteration of a loop as a pure function of what it starts from: recorded and compiled once.

Its gradient is that of the sum of what it leaves, weighted with cotangents.
"""

from __future__ import annotations

import itertools
import linecache
import textwrap
from collections.abc import Collection, Mapping, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from jupyter_npcompile.autodiff.direct import Direct, direct
from jupyter_npcompile.autodiff.replays import Replay, record_call
from jupyter_npcompile.autodiff.snapshots import Slot
from jupyter_npcompile.autodiff.trees import LEAF, Tree

NUMPY = "__npcompile_numpy__"
"""A parameter of the functions: the user's global names stay what they are."""

_numbers = itertools.count()


class NotPureError(Exception):
    """An iteration cannot be written as a pure function, with the reason."""


class PureIteration:
    """Two functions made of the text of an iteration.

    Parameters
    ----------
    text : str
        Its statements.
    scope : dict
        Global names.
    trees : dict of str to Tree
        The values of the names that it starts from, the item included.
    asked : list of Slot
        The leaves with respect to which it is differentiated.
    moving : list of Slot
        The leaves that it changes.
    written : collection of str
        Names of arrays that it writes into.
    weighted : int
        How many of the moving leaves can have a gradient: the first ones.

    Attributes
    ----------
    step : function
        ``step(asked leaves, other leaves, numpy) -> moving leaves``.
    weighted : function
        ``weighted(asked leaves, other leaves, weights, numpy)``: the weighted
        sum of the moving leaves.
    """

    def __init__(
        self,
        text: str,
        scope: dict[str, Any],
        trees: Mapping[str, Tree],
        asked: Sequence[Slot],
        moving: Sequence[Slot],
        written: Collection[str],
        weighted: int,
    ) -> None:
        if not text:
            raise NotPureError("it jumps")
        self.asked, self.trees = list(asked), trees
        self.others = [
            (name, k)
            for name, tree in trees.items()
            for k in range(tree.leaves)
            if (name, k) not in self.asked
        ]
        places = {slot: f"asked[{k}]" for k, slot in enumerate(self.asked)}
        places |= {slot: f"others[{k}]" for k, slot in enumerate(self.others)}
        lines = [f"{name} = {_put_together(name, tree, places)}" for name, tree in trees.items()]
        lines += [f"{name} = {NUMPY}.copy({name})" for name in sorted(written)]
        lines += text.splitlines()
        ends = [_taken_out(name, trees[name], k) for name, k in moving]
        terms = [f"{NUMPY}.sum({NUMPY}.real({end} * weights[{k}]))" for k, end in enumerate(ends)][
            :weighted
        ]
        body = textwrap.indent("\n".join(lines), "    ")
        source = (
            f"def step(asked, others, {NUMPY}):\n{body}\n    return ({', '.join(ends)},)\n\n"
            f"def weighted(asked, others, weights, {NUMPY}):\n{body}\n"
            f"    return {' + '.join(terms)}\n"
        )
        made = _compiled(source)
        self.step = FunctionType(made["step"].__code__, scope)
        self.weighted = FunctionType(made["weighted"].__code__, scope)

    def arguments(self, leaves: Mapping[Slot, Any]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """The two tuples that the functions take."""
        asked = tuple([leaves[slot] for slot in self.asked])
        return asked, tuple([leaves[slot] for slot in self.others])


def _compiled(source: str) -> dict[str, Any]:
    scope: dict[str, Any] = {}
    filename = f"<npcompile iteration {next(_numbers)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    exec(compile(source, filename, "exec"), scope)
    return scope


def _put_together(name: str, tree: Tree, places: Mapping[Slot, str]) -> str:
    """The expression that builds a value from its leaves."""
    count = itertools.count()

    def built(part: Tree) -> str:
        if part.kind is None:
            return places[name, next(count)] if part.leaves else "None"
        items = [built(inner) for inner in part.parts]
        if part.kind is tuple:
            return f"({''.join(item + ', ' for item in items)})"
        if part.kind is list:
            return f"[{', '.join(items)}]"
        if part.kind is dict and all(isinstance(key, str | int) for key in part.keys):
            pairs = zip(part.keys, items, strict=True)
            return f"{{{', '.join(f'{key!r}: {item}' for key, item in pairs)}}}"
        raise NotPureError(f"`{name}` is a {part.kind.__name__}")

    return built(tree)


def _taken_out(name: str, tree: Tree, leaf: int) -> str:
    """The expression for a leaf of a name."""
    path = name
    while tree != LEAF:
        for key, part in zip(tree.keys or range(len(tree.parts)), tree.parts, strict=True):
            if leaf < part.leaves:
                path, tree = f"{path}[{key!r}]", part
                break
            leaf -= part.leaves
    return path


class CompiledIteration:
    """The compiled gradient of an iteration, once there is one.

    Parameters
    ----------
    pure : PureIteration
        The iteration.
    leaves : dict of Slot
        What one of them started from.
    weights : tuple
        Cotangents of the moving leaves.

    Attributes
    ----------
    reason : str
        Why it is not compiled.
    """

    def __init__(
        self, pure: PureIteration, leaves: Mapping[Slot, Any], weights: tuple[Any, ...]
    ) -> None:
        self.pure = pure
        self._call: Direct | None = None
        args = (*pure.arguments(leaves), weights, np)
        made = record_call(pure.weighted, args, {}, (0,))
        self.replay = made if isinstance(made, Replay) else None
        self.reason = "" if isinstance(made, Replay) else made
        if self.replay is not None:
            self.replay.begin()

    def ready(self) -> bool:
        """Whether the code is there."""
        return self.replay is not None and self.replay.wait(0) and self.replay.program is not None

    def gradients(
        self, leaves: Mapping[Slot, Any], weights: tuple[Any, ...]
    ) -> dict[Slot, Any] | None:
        """The gradient for each leaf that is asked for; None where the code is not valid."""
        args = (*self.pure.arguments(leaves), weights, np)
        replay = self.replay
        assert replay is not None
        if self._call is not None:
            made = self._call(args, {})
            if made is not None:
                return dict(zip(self.pure.asked, made[1][0], strict=True))
        if not replay.holds(args, {}):
            return None
        found = replay.run(args, {})
        if found is None:
            return None
        if self._call is None:
            self._call = direct(replay, args, {}, (0,))
        pairs = zip(self.pure.asked, found[1], strict=True)
        return {slot: np.zeros(np.shape(leaves[slot])) if g is None else g for slot, g in pairs}
