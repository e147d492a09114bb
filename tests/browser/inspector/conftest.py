"""The inspector in a real browser, with a log of requests and of executed scripts."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.inspector.attack import attack
from tests.crawled import crawled_deployment, running_inspector
from tests.services import Services
from worker.settings import Settings


@dataclass
class Log:
    """Side effects of a browser session with the inspector whose URL is `inspector_url`.

    `events` contains console messages, script errors, and texts of dialogs.
    """

    inspector_url: str
    requests: list[str] = field(default_factory=list)
    events: list[str] = field(default_factory=list)

    @property
    def foreign(self) -> list[str]:
        """Requested URLs that are not the inspector's."""
        return [each for each in self.requests if not each.startswith(self.inspector_url)]


@dataclass
class Visit:
    """A browser page and the log of its side effects."""

    page: Page
    log: Log

    def go(self, path: str) -> None:
        """Open a view of the inspector, and wait until it has loaded."""
        response = self.page.goto(f"{self.log.inspector_url}{path.removeprefix('/')}")
        assert response is not None
        assert response.status == 200, (path, response.status)


OpenPage = Callable[..., AbstractContextManager[Visit]]


@pytest.fixture(scope="session")
def crawled(
    services: Services, migrated_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Settings]:
    """Settings of a deployment that has processed the sample crawl and the attacker's pages."""
    with crawled_deployment(services, migrated_url, tmp_path_factory.mktemp("crawl")) as settings:
        attack(settings)
        yield settings


@pytest.fixture(scope="session")
def inspector_url(crawled: Settings) -> Iterator[str]:
    """URL of an inspector."""
    with running_inspector(crawled) as address:
        yield address


@pytest.fixture(scope="session")
def open_page(playwright_browser: Browser, inspector_url: str) -> OpenPage:
    """Return a function that opens a page in a new browser context with the given options."""

    @contextmanager
    def visit(**options: Any) -> Iterator[Visit]:
        context = playwright_browser.new_context(**options)
        log = Log(inspector_url)
        context.on("request", lambda request: log.requests.append(request.url))
        context.on("console", lambda message: log.events.append(message.text))
        context.on("weberror", lambda error: log.events.append(str(error.error)))
        context.on("dialog", lambda dialog: log.events.append(dialog.message))
        try:
            yield Visit(context.new_page(), log)
        finally:
            context.close()

    return visit
