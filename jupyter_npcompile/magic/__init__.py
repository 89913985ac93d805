"""IPython: the ``%%npcompile`` cell magic and the ``%npcompile`` line magic."""

from __future__ import annotations

from jupyter_npcompile.magic.extension import load_ipython_extension, unload_ipython_extension

__all__ = ["load_ipython_extension", "unload_ipython_extension"]
