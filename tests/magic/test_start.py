"""What a notebook pays for ``%load_ext`` before anything is compiled."""

from __future__ import annotations

import subprocess
import sys

from tests.support.session.processes import PATIENCE

PROGRAM = """
import gc, sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_line_magic("load_ext", "jupyter_npcompile")
shell.run_cell("%%npcompile --quiet\\nimport numpy as np\\nx = np.ones(3) + 1").raise_error()
seldom = ("torch", "graphviz", "prompt_toolkit", "anywidget", "ipywidgets", "sympy")
print(gc.isenabled(), *(name for name in seldom if name in sys.modules))
"""


def test_what_is_seldom_needed_is_not_imported() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["True"]
