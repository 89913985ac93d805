"""Where live views are opened, by those who may not import them.

Widgets stand above the views, and importing them takes time that nobody
should pay who never opens one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

makers: dict[str, Callable[..., Any]] = {}
"""What makes the widget of each kind of data, ``"graph"`` or ``"gradients"``."""


def is_notebook() -> bool:
    """Whether a front end is there that might show widgets.

    Examples
    --------
    >>> is_notebook()
    False
    """
    loaded = sys.modules.get("IPython")  # who has a kernel has imported it
    return loaded is not None and getattr(loaded.get_ipython(), "kernel", None) is not None


def show_graph(report: Any, *, alone: bool = True, level: str = "") -> bool:
    """Open the graph of a report below the cell; False where nothing shows widgets.

    Parameters
    ----------
    report : ReportData
        What one run showed.
    alone : bool
        Whether it is all that is shown. Otherwise the static form stands beside
        it already, and is not saved twice.
    level : str
        The level that is shown first, or ``"timing"``.
    """
    return _show("graph", report, alone, **({"level": level} if level else {}))


def show_gradients(report: Any, history: Any = ()) -> bool:
    """Open the gradients of a run, and norms of those before; False where nothing shows widgets."""
    return _show("gradients", report, True, history=history)


def _show(kind: str, data: Any, alone: bool, **traits: Any) -> bool:
    if kind not in makers or not is_notebook():
        return False
    from IPython.display import display

    widget = makers[kind](data, **traits)
    exclude = () if alone else ("text/html",)
    display(widget, exclude=exclude)  # type: ignore[no-untyped-call]
    return True
