"""Rendering, as far as it can be tested without a browser."""

from pathlib import Path

import pytest

from worker.rendering import Browser, RenderingError
from worker.settings import Settings
from worker.workflow.process_state import browser_of


def test_a_missing_browser_is_named() -> None:
    browser = Browser(Path("/no/browser/here"), seconds=60)
    with pytest.raises(RenderingError, match="/no/browser/here is not an executable program"):
        browser.render("<p>A page.</p>", "https://news.example/")


def test_pages_are_not_rendered_unless_a_browser_is_configured() -> None:
    assert browser_of(Settings()) is None


def test_a_browser_has_no_network_unless_configured() -> None:
    browser = browser_of(Settings(render_browser=Path("/usr/bin/chromium")))
    assert browser == Browser(Path("/usr/bin/chromium"))
    assert not browser.has_network


def test_rendering_ends_before_the_time_limit_of_its_page() -> None:
    browser = browser_of(Settings(render_browser=Path("/usr/bin/chromium"), page_seconds=20))
    assert browser is not None
    assert browser.seconds == 10
