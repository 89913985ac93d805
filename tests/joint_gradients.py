"""Gradients by the graph that is compiled, run operation by operation."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from jupyter_npcompile.autodiff.joint import joint_module
from jupyter_npcompile.autodiff.replays import Replay, record_call


def joint_gradient(f: Callable[..., Any], x: Any) -> Any:
    """The gradient of a function of one array or number; why there is no graph, as a text."""
    replay = record_call(f, (copy.copy(x),), {}, (0,))
    if not isinstance(replay, Replay):
        return str(replay)
    module = joint_module(replay.graph)
    namespace = {"args": (copy.copy(x),), "kwargs": {}}
    given = [torch.from_numpy(np.array(s.fetch(namespace))) for s in replay.recording.sources]
    _, *gradients, check = module(*given)
    assert bool(check)
    return dict(zip(replay.order, gradients, strict=True))[replay.leaves[0]].numpy()
