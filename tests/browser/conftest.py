"""Fixtures of the browser tests: one server, one Chromium, a page for each test."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.browser.lab import Lab
from tests.browser.server import Server

if TYPE_CHECKING:
    from playwright.sync_api import Browser

QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


# Fixtures end with the package, not the session: playwright keeps an event loop
# in this thread, and later tests that run one of their own would fail.
@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """Headless Chromium of the system."""
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("Chromium is not installed (apt-get install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=QUIET)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve JupyterLab and Notebook 7 with the bundle of this checkout."""
    server = Server(tmp_path_factory.mktemp("server"))
    yield server
    server.stop()


@pytest.fixture
def lab(chromium: Browser, server: Server) -> Iterator[Lab]:
    """Give an empty page; the test fails when the page reports an error."""
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    lab = Lab(page, server)
    yield lab
    context.close()
    assert lab.faults == []
