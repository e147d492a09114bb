"""The browser that these tests use."""

import os
import shutil
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def chromium() -> Path:
    """Path of the browser in ``DETOURAGE_TEST_BROWSER``, or else of Debian's Chromium."""
    found = os.environ.get("DETOURAGE_TEST_BROWSER") or shutil.which("chromium")
    assert found, "Chromium not found: apt-get install chromium, or set DETOURAGE_TEST_BROWSER"
    return Path(found)
