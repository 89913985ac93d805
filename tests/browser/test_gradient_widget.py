"""The gradient widget in a real kernel, after a few steps of training."""

from __future__ import annotations

import nbformat
import pytest
from playwright.sync_api import expect

from tests.browser.lab import AXE, Lab

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SETUP = """%load_ext jupyter_npcompile
import numpy as np
rng = np.random.default_rng(0)
x, y, w = rng.normal(size=(50, 8)), rng.normal(size=50), np.ones(8)
STEP = '''%%npcompile --grad loss --wrt w --quiet
loss = np.mean((x @ w - y) ** 2)'''
for step in range(5):
    get_ipython().run_cell(STEP)
    w -= 0.1 * grads["w"]"""


FUNCTION = """import jupyter_npcompile as npc
def loss(w, scale):
    hidden = np.tanh(x @ w)
    return np.mean((hidden * scale - y) ** 2)
for step in range(4):
    w = w - 0.1 * npc.grad(loss)(w, 2.0)"""


def test_gradients_of_a_function_are_opened(lab: Lab) -> None:
    second = "bends = npc.hessian(loss)(w, 2.0)"
    cells = [SETUP, FUNCTION, "%npcompile grad", second, "%npcompile grad"]
    lab.write("f.ipynb", *map(nbformat.v4.new_code_cell, cells))
    lab.open("f.ipynb")
    for number in range(len(cells)):
        lab.run_cell(number)
    widget = lab.cell(2).locator(".npcg")
    card = widget.get_by_role("region", name="d loss / d w")
    expect(card.get_by_role("img", name="Gradient of w", exact=True)).to_be_visible()
    expect(widget.get_by_role("region", name="History")).to_contain_text("4 runs")
    expect(widget.get_by_role("region", name="Along the lines")).to_contain_text("tanh")
    expect(widget).to_contain_text("Check against NumPy: agrees")
    expect(widget).to_contain_text("Computed once more for this view")
    bends = lab.cell(4).locator(".npcg").get_by_role("region", name="d (d loss / d w) / d w")
    expect(bends.get_by_role("img", name="Gradient of w", exact=True)).to_be_visible()
    expect(bends.locator("rect.npcg-above, rect.npcg-below")).not_to_have_count(0)


def test_gradients_are_opened(lab: Lab) -> None:
    lab.write("grad.ipynb", *map(nbformat.v4.new_code_cell, [SETUP, "%npcompile grad"]))
    lab.open("grad.ipynb")
    lab.run_cell(0)
    lab.run_cell(1)
    widget = lab.cell(1).locator(".npcg")
    card = widget.get_by_role("region", name="d loss / d w")
    expect(card.get_by_role("img", name="Gradient of w", exact=True)).to_be_visible()
    expect(card.get_by_role("img", name="Histogram of Gradient of w")).to_be_visible()
    expect(widget.get_by_role("region", name="History")).to_contain_text("5 runs")
    expect(widget.get_by_role("region", name="Along the lines")).to_contain_text("mean")
    lab.screenshot("gradients")
    if AXE.exists():
        assert lab.violations(".npcg") == []
    widget.get_by_role("button", name="Table").click()
    expect(widget.get_by_role("row", name="d loss / d w")).to_be_visible()

    # The same after a reload, in the other theme: the kernel still has it.
    lab.save()
    lab.theme("JupyterLab Dark")
    try:
        lab.reload()
        expect(card.get_by_role("img", name="Gradient of w", exact=True)).to_be_visible()
        lab.screenshot("gradients-dark")
        if AXE.exists():
            assert lab.violations(".npcg") == []
    finally:
        lab.theme("JupyterLab Light")
