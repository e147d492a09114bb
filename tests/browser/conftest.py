"""The browser that the tests in this directory use."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright


@pytest.fixture(scope="session")
def chromium() -> Path:
    """Path of the browser in ``DETOURAGE_TEST_BROWSER``, or else of Debian's Chromium."""
    found = os.environ.get("DETOURAGE_TEST_BROWSER") or shutil.which("chromium")
    assert found, "Chromium not found: apt-get install chromium, or set DETOURAGE_TEST_BROWSER"
    return Path(found)


@pytest.fixture(scope="session")
def playwright_browser(chromium: Path) -> Iterator[Browser]:
    """A browser controlled by Playwright, which allows one synchronous session per process."""
    with sync_playwright() as playwright:
        # Chromium's sandbox does not work for the root user.
        playwright_browser = playwright.chromium.launch(
            executable_path=chromium, chromium_sandbox=os.geteuid() != 0
        )
        yield playwright_browser
        playwright_browser.close()
