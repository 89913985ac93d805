"""A cache in which no kernel has left anything of loops."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_npcompile.runtime import cache as caches
from jupyter_npcompile.runtime import translations


def nothing_is_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Begin without notes and translations; what is kept is read at once, however brief it was.

    Compiled code is that of all tests.
    """
    found = folder / "loops"
    found.mkdir(mode=0o700)
    monkeypatch.setattr(caches.cache(), "loops", found)
    monkeypatch.setattr(translations, "LONG", 0.0)
    return found
