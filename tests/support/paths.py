"""Where things lie."""

from __future__ import annotations

from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
"""The root of the repository."""
