"""The memory bandwidth, with which times are compared."""

from __future__ import annotations

import subprocess
import sys

from jupyter_npcompile.runtime import bandwidth


def test_copies_take_time() -> None:
    assert bandwidth.copy_bandwidth(1) > 1e6


def test_nothing_else_of_the_package_is_imported() -> None:
    """Benchmarks of other tools measure with it."""
    code = (
        "import sys, jupyter_npcompile.runtime.bandwidth\n"
        "print([name for name in sys.modules if name.startswith(('jupyter_npcompile', 'torch'))])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    package = "jupyter_npcompile"
    assert found.stdout == f"{[package, f'{package}.runtime', f'{package}.runtime.bandwidth']}\n"
