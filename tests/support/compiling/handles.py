"""What stands behind compiled functions, and the segments of which code is asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from jupyter_npcompile.graph.nodes import Graph
from jupyter_npcompile.runtime import artifacts
from jupyter_npcompile.runtime.compile_errors import CompileFailedError
from jupyter_npcompile.runtime.function_handle import FunctionHandle
from jupyter_npcompile.runtime.functions import handle_of


def handle(function: Callable[..., Any]) -> FunctionHandle:
    """What stands behind a compiled function that has a Python source."""
    found = handle_of(function)
    assert isinstance(found, FunctionHandle)
    return found


def asked_for(monkeypatch: pytest.MonkeyPatch) -> list[Graph]:
    """The segments of which code is asked for from now on: there is none, for that takes long."""
    found: list[Graph] = []

    def noted(graph: Graph, *_: Any, **__: Any) -> Any:
        found.append(graph)
        raise CompileFailedError("not in this test")

    monkeypatch.setattr(artifacts, "make", noted)
    return found
