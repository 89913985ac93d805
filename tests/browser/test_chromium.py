"""A page that never answers ends its test, not the whole run."""

from __future__ import annotations

import pytest
from playwright.sync_api import Error

from tests.browser.chromium import Chromium, Watchdog
from tests.support.session.processes import eventually

pytestmark = pytest.mark.browser


def test_a_page_that_hangs_is_ended(chromium: Chromium) -> None:
    page = chromium.page()
    with Watchdog(chromium, 1.0), pytest.raises(Error, match="closed"):
        page.evaluate("() => { for (;;); }")
    assert eventually(lambda: not chromium.running)
    other = chromium.page()
    assert other.evaluate("() => 6 * 7") == 42
    other.context.close()
