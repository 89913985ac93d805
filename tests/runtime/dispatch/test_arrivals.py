"""Functions that have gone through cloudpickle are compiled again where they arrive."""

from __future__ import annotations

import linecache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.autodiff.errors import GradientError
from jupyter_npcompile.runtime.arrivals import Arrived
from jupyter_npcompile.runtime.functions import handle_of

cloudpickle = pytest.importorskip("cloudpickle")

FILE = "<a cell that is nowhere else>"

SOURCE = """def made(k):
  @compile
  def f(x, n=2):
    y = np.sqrt(x) * k
    return y.sum() * n
  return f
"""


@pytest.fixture
def shipped(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A function that has arrived; its text is gone."""
    monkeypatch.setattr(npc.settings, "tier", "aten")
    monkeypatch.setitem(linecache.cache, FILE, (1, None, SOURCE.splitlines(keepends=True), FILE))
    names = {"np": np, "compile": npc.compile}
    exec(compile(SOURCE, FILE, "exec"), names)
    data = cloudpickle.dumps(names["made"](3.0))  # type: ignore[operator]
    del linecache.cache[FILE]
    return cloudpickle.loads(data)


def behind(function: Any) -> Any:
    return function.__closure__[function.__code__.co_freevars.index("__npcompile__")].cell_contents


def test_it_is_compiled_from_its_second_call_on(shipped: Any) -> None:
    x = np.array([1.0, 4.0])
    assert isinstance(behind(shipped), Arrived)
    for _ in range(4):
        assert shipped(x) == 18.0
        assert shipped(x, n=1) == 9.0
    assert not isinstance(behind(shipped), Arrived)
    (region,) = npc.last_report().regions  # type: ignore[union-attr]
    assert region.tier == "aten"


def test_it_travels_on_before_and_after_that(shipped: Any) -> None:
    x = np.array([1.0, 4.0])
    again = cloudpickle.loads(cloudpickle.dumps(shipped))
    assert [again(x) for _ in range(3)] == [18.0] * 3
    assert cloudpickle.loads(cloudpickle.dumps(again))(x) == 18.0


def test_it_is_explained_compared_and_differentiated(shipped: Any) -> None:
    x = np.array([1.0, 4.0])
    fresh = cloudpickle.dumps(shipped)
    assert npc.explain(cloudpickle.loads(fresh), x).summary.startswith("2 of 2 lines")
    assert npc.compare(cloudpickle.loads(fresh), x, tier="aten").equal
    assert npc.grad(cloudpickle.loads(fresh))(x).tolist() == [3.0, 1.5]
    assert npc.compile(cloudpickle.loads(fresh))(x) == 18.0


def test_its_file_is_found_though_cloudpickle_leaves_its_name_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(npc.settings, "tier", "aten")
    file = tmp_path / "script.py"
    file.write_text(SOURCE)
    names = {"np": np, "compile": npc.compile, "__name__": "__main__"}
    exec(compile(SOURCE, str(file), "exec"), names)
    shipped = cloudpickle.loads(cloudpickle.dumps(names["made"](3.0)))  # type: ignore[operator]
    for one in (shipped, shipped.__wrapped__):  # as cloudpickle 3.1.2 and later do
        one.__code__ = one.__code__.replace(co_filename="<dynamic-code>")
    x = np.array([1.0, 4.0])
    assert [shipped(x) for _ in range(3)] == [18.0] * 3
    assert handle_of(shipped) is not None
    assert shipped.__code__.co_filename == str(file)
    assert npc.explain(shipped, x).summary.startswith("2 of 2 lines")
    assert npc.grad(shipped)(x).tolist() == [3.0, 1.5]


def test_without_its_text_it_runs_as_it_was_written(shipped: Any) -> None:
    behind(shipped).text = ()
    linecache.cache.pop(FILE, None)
    assert [shipped(np.array([1.0, 4.0])) for _ in range(2)] == [18.0] * 2
    assert handle_of(shipped) is None
    assert shipped.__code__.co_varnames[:2] == ("x", "n")
    with pytest.raises(GradientError, match="has no source"):
        npc.grad(shipped)(np.array([1.0, 4.0]))
