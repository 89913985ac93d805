"""``python -m jupyter_npcompile`` is the command ``npcompile``."""

from __future__ import annotations

import sys

from jupyter_npcompile.cli import main

if __name__ == "__main__":
    sys.exit(main())
