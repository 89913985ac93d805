"""Live views for Jupyter: the same data as the static views, to look around in."""

from __future__ import annotations

from jupyter_npcompile.widgets.gradients import GradientWidget
from jupyter_npcompile.widgets.graph import GraphWidget

__all__ = ["GradientWidget", "GraphWidget"]
