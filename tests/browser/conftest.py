"""Fixtures of the browser tests: one server, one Chromium, a page for each test."""

from __future__ import annotations

from collections.abc import Generator, Iterator

import pytest

from tests.browser.chromium import Chromium, Watchdog
from tests.browser.lab import WINDOWING, Lab
from tests.browser.server import Server
from tests.support.session.processes import PATIENCE

TEST_SECONDS = PATIENCE
"""A browser test that takes longer hangs. (`faulthandler_timeout` is longer still.)"""


# Fixtures end with the package, not the session: playwright keeps an event loop
# in this thread, and later tests that run one of their own would fail.
@pytest.fixture(scope="package")
def chromium() -> Iterator[Chromium]:
    """Headless Chromium of the system."""
    chromium = Chromium.of_the_system()
    if chromium is None:
        pytest.skip("Chromium is not installed (apt-get install chromium)")
    with chromium:
        yield chromium


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve JupyterLab and Notebook 7 with the bundle of this checkout."""
    server = Server(tmp_path_factory.mktemp("server"))
    yield server
    server.stop()


@pytest.fixture
def lab(chromium: Chromium, server: Server) -> Iterator[Lab]:
    """Give an empty page; the test fails when the page reports an error."""
    page = chromium.page()
    lab = Lab(page, server)
    with Watchdog(chromium, TEST_SECONDS):
        yield lab
    if chromium.running:
        page.context.close()
    server.end_kernels()
    assert lab.faults == []


@pytest.fixture
def windowed(lab: Lab) -> Iterator[Lab]:
    """Give a page on which cells that are out of sight are not in the notebook's element."""
    lab.set(WINDOWING, windowingMode="full")
    yield lab
    lab.set(WINDOWING)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Say what the page, the cells and the server showed when a test failed."""
    report = yield
    lab = getattr(item, "funcargs", {}).get("lab")
    if report.failed and call.when == "call" and isinstance(lab, Lab):
        report.sections.append(("what the browser showed", lab.account(item.name)))
    return report
