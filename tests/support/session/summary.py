"""What tests have to say beyond that they passed.

They may run in several processes, so they write it down; `conftest` prints it
at the end of the session.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

_VARIABLE = "NPCOMPILE_TEST_SUMMARY"


def begin() -> None:
    """Make a folder for this session, in the process that starts the others."""
    os.environ.setdefault(_VARIABLE, tempfile.mkdtemp(prefix="npcompile-summary-"))


def tell(name: str, text: str) -> None:
    """Write something down under a name, instead of what was there."""
    (Path(os.environ[_VARIABLE]) / name).write_text(text)


def told() -> list[str]:
    """What was written down."""
    return [path.read_text() for path in sorted(Path(os.environ[_VARIABLE]).iterdir())]
