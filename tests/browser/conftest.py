"""The browser of these tests."""

import os
import shutil
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def chromium() -> Path:
    """Debian's Chromium, or another one that is named."""
    found = os.environ.get("DETOURAGE_TEST_BROWSER") or shutil.which("chromium")
    assert found, "no Chromium: apt-get install chromium, or set DETOURAGE_TEST_BROWSER"
    return Path(found)
