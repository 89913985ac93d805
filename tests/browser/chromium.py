"""Headless Chromium, and what ends it when a page does not answer."""

from __future__ import annotations

import os
import shutil
import threading
from types import TracebackType
from typing import TYPE_CHECKING

from playwright.sync_api import expect, sync_playwright

from tests.support.session.processes import PATIENCE, VARIABLE, kill, mark, marked

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SECONDS = 1000.0  # playwright counts in milliseconds
ACTION_SECONDS = 300.0
"""What a click, a download or an expectation may take, unless it is said."""
NAVIGATION_SECONDS = PATIENCE

QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


class Chromium:
    """One browser for many pages; started again when it has ended.

    Parameters
    ----------
    path : str
        The program.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._mark = mark()
        self._browser: Browser | None = None

    @classmethod
    def of_the_system(cls) -> Chromium | None:
        """The one that is installed, if there is one."""
        path = shutil.which("chromium") or shutil.which("chromium-browser")
        return None if path is None else cls(path)

    def __enter__(self) -> Chromium:
        self._playwright = sync_playwright().start()
        expect.set_options(timeout=ACTION_SECONDS * SECONDS)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._browser is not None and self.running:
            self._browser.close()
        self._playwright.stop()

    @property
    def running(self) -> bool:
        """Whether the browser is there and answers."""
        return self._browser is not None and self._browser.is_connected()

    def page(self) -> Page:
        """Open an empty page, with nothing of the pages before it.

        Everything that is waited for on it has a time limit, but for `evaluate`:
        playwright knows none, so a `Watchdog` has to stand by.
        """
        if self._browser is None or not self.running:
            self._browser = self._playwright.chromium.launch(
                executable_path=self._path,
                args=QUIET,
                env={**os.environ, VARIABLE: self._mark},
                timeout=NAVIGATION_SECONDS * SECONDS,
            )
        context = self._browser.new_context(viewport={"width": 1280, "height": 800})
        context.set_default_timeout(ACTION_SECONDS * SECONDS)
        context.set_default_navigation_timeout(NAVIGATION_SECONDS * SECONDS)
        return context.new_page()

    def kill(self) -> None:
        """End the browser's processes: what waits for a page of it fails at once."""
        for pid in marked(self._mark):
            try:
                kill(pid)
            except ProcessLookupError:  # it ended with its parent
                continue


class Watchdog:
    """Ends a browser that is not done in time.

    Parameters
    ----------
    chromium : Chromium
        What is ended.
    seconds : float
        How long the block may take.
    """

    def __init__(self, chromium: Chromium, seconds: float) -> None:
        self._timer = threading.Timer(seconds, chromium.kill)
        self._timer.daemon = True

    def __enter__(self) -> Watchdog:
        self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._timer.cancel()
