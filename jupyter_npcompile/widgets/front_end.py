"""The TypeScript side of the widgets: one module, sent and saved once.

anywidget keeps the source of a widget's module in the state of every model,
and states may be saved with a notebook. So a model of its own holds our
bundle, and what each widget carries is a few lines that load it from there.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

import anywidget
import ipywidgets
from traitlets import Instance, Unicode

LOADER = """\
const modules = (globalThis.npcompileModules ??= new Map());
async function load(model) {
  const id = model.get("front_end").replace("IPY_MODEL_", "");
  const source = (await model.widget_manager.get_model(id)).get("source");
  if (!modules.has(source)) {
    const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    modules.set(source, import(/* webpackIgnore: true */ url));
  }
  return modules.get(source);
}
export default {
  async render({ model, el }) {
    return (await load(model)).show(model.get("view"), { model, el });
  },
};
"""
"""The module of every widget: it loads ours, once a page."""


class FrontEnd(ipywidgets.Widget):  # type: ignore[misc]
    """The model that holds the bundle; it has no view of its own."""

    source = Unicode().tag(sync=True)


@cache
def bundle() -> str:
    """The bundle, as `make labextension` built it.

    Examples
    --------
    >>> len(bundle().encode()) < 100_000
    True
    """
    path = files("jupyter_npcompile.widgets").joinpath("static", "widgets.js")
    return path.read_text(encoding="utf-8")


_shared: list[FrontEnd] = []


def front_end() -> FrontEnd:
    """The one model of this kernel; another when somebody has closed it."""
    if not _shared or _shared[0].comm is None:
        _shared[:] = [FrontEnd(source=bundle())]
    return _shared[0]


class View(anywidget.AnyWidget):
    """A widget that draws one view of the bundle."""

    _esm = LOADER
    view = Unicode().tag(sync=True)
    front_end = Instance(FrontEnd).tag(sync=True, **ipywidgets.widget_serialization)

    def __init__(self, **traits: Any) -> None:
        super().__init__(front_end=front_end(), **traits)
