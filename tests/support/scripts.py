"""The scripts of the repository, as modules."""

from __future__ import annotations

import importlib.util
from typing import Any

from tests.support.paths import CHECKOUT


def script(name: str) -> Any:
    """What a file of ``scripts/`` defines; it is read anew each time."""
    spec = importlib.util.spec_from_file_location(name, CHECKOUT / f"scripts/{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
