"""Figures that a trial draws: kept apart from the user's own, and comparable."""

from __future__ import annotations

import contextlib
import sys
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

import numpy as np

DOTS = 30
"""Dots per inch of the pictures that are compared."""


@contextlib.contextmanager
def apart(pictures: list[Any]) -> Iterator[None]:
    """Give pyplot no figures to begin with, and the user's own back afterwards.

    Parameters
    ----------
    pictures : list
        Filled with the pictures of the figures that were drawn meanwhile.
    """
    pyplot: Any = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        yield
        return
    manager = sys.modules["matplotlib._pylab_helpers"].Gcf
    kept, show = manager.figs, pyplot.show
    manager.figs = OrderedDict()
    pyplot.show = _nothing
    try:
        yield
        pictures += [_picture(pyplot.figure(number)) for number in pyplot.get_fignums()]
    finally:
        pyplot.close("all")
        manager.figs, pyplot.show = kept, show


def _nothing(*args: object, **kwargs: object) -> None:
    """Stand in for ``show``, which would close what is to be compared."""


def _picture(figure: Any) -> Any:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure.set_dpi(DOTS)
    canvas: Any = FigureCanvasAgg(figure)
    canvas.draw()
    return np.array(canvas.buffer_rgba())
