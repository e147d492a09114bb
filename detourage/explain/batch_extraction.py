"""Extraction of articles as formatted documents, optionally in several processes."""

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from detourage.article import Article
from detourage.expected_errors import ExpectedError
from detourage.explain.input_pages import (
    ExplainingError,
    InputPage,
    Subject,
    input_pages,
    load_subject,
)
from detourage.html.urls import split_url
from detourage.inputs import Origin, SourceError
from detourage.outcomes import PageOutcome
from detourage.page_extraction import ReadingOptions, without_excluded
from detourage.reader import NoArticleError
from detourage.reader.article_and_comments import read_content
from detourage.text.terminal import json_text
from detourage.time_limit import TimeIsUpError, time_limit

MAX_CPU_SECONDS = 60.0  # maximum CPU time per page, in seconds
PAUSE_SECONDS = 1.0  # minimum time between two fetches from the same host
MAX_AHEAD = 8  # maximum number of pages that are fetched at the same time
MAX_HOSTS = 1_000  # number of hosts beyond which those that need no pause are forgotten


class ExtractionOutcome(NamedTuple):
    """Result for one page: its formatted article, or the reason why it has none.

    `outcome` is None for an unreadable input, and for reasons that only the methods of papers give.
    `path` is the path of an HTML file, relative to the given folder.
    """

    name: str
    url: str
    document: str | None = None
    outcome: PageOutcome | None = None
    reason: str | None = None
    path: Path | None = None

    def __str__(self) -> str:
        """Return the error line for a page without an article."""
        return ": ".join(filter(None, (self.name, self.outcome, self.reason)))


def all_input_pages(
    inputs: Iterable[str], base_url: str | None = None
) -> Iterator[InputPage | ExtractionOutcome]:
    """Yield the pages of all inputs (see `input_pages`), and an error for each unreadable input.

    URLs are fetched here, not where the pages are extracted, because only one process can wait
    between the fetches from a host. Up to `MAX_AHEAD` pages are fetched ahead, in threads.
    """
    fetches = _Fetches()
    waiting: deque[Future[InputPage | ExtractionOutcome]] = deque()
    for page in _given_pages(inputs, base_url):
        waiting.append(fetches.start(page))
        while waiting and (len(waiting) >= MAX_AHEAD or waiting[0].done()):
            yield waiting.popleft().result()
    for each in waiting:
        yield each.result()


def _given_pages(
    inputs: Iterable[str], base_url: str | None
) -> Iterator[InputPage | ExtractionOutcome]:
    for each in inputs:
        try:
            yield from input_pages(each, Origin(base_url))
        except (SourceError, ExplainingError) as error:
            yield _unreadable(error)


class _Fetches:
    """Fetches in threads: one at a time from a host, with a pause of `PAUSE_SECONDS` after each."""

    def __init__(self) -> None:
        self._threads: dict[str, threading.Thread] = {}  # the last of each host
        self._ended: dict[str, float] = {}  # when it ended

    def start(self, page: InputPage | ExtractionOutcome) -> Future[InputPage | ExtractionOutcome]:
        """Return a future of the page; fetch it if it is a URL, once its host may be asked."""
        future: Future[InputPage | ExtractionOutcome] = Future()
        if isinstance(page, ExtractionOutcome) or page.address is None:
            future.set_result(page)
            return future
        host = split_url(page.address).netloc.lower()
        if host in self._threads:
            self._threads[host].join()
            time.sleep(max(0.0, self._ended[host] + PAUSE_SECONDS - time.monotonic()))
        elif len(self._threads) >= MAX_HOSTS:
            self._forget_hosts()
        # A daemon, so that Ctrl-C does not wait for a server.
        thread = threading.Thread(target=self._fetch, args=(page, host, future), daemon=True)
        self._threads[host] = thread
        thread.start()
        return future

    def _fetch(
        self, page: InputPage, host: str, future: Future[InputPage | ExtractionOutcome]
    ) -> None:
        try:
            future.set_result(replace(page, source=page.read()))
        except ExplainingError as error:
            future.set_result(_unreadable(error))
        except BaseException as error:  # noqa: BLE001  The main thread raises it.
            future.set_exception(error)
        finally:
            self._ended[host] = time.monotonic()

    def _forget_hosts(self) -> None:
        for host, thread in list(self._threads.items()):
            if not thread.is_alive() and self._ended[host] + PAUSE_SECONDS < time.monotonic():
                del self._threads[host], self._ended[host]


@dataclass(frozen=True)
class Extraction:
    """Extraction as text, markdown, html or json (`form`), optionally with a paper's `method`."""

    form: str
    options: ReadingOptions = field(default_factory=ReadingOptions)
    method: str | None = None

    def extract_all(
        self, pages: Iterable[InputPage | ExtractionOutcome], processes: int = 1
    ) -> Generator[ExtractionOutcome]:
        """Extract pages independently of each other and yield the results in order.

        Outcomes among the pages are yielded unchanged. Closing the generator stops the processes.
        """
        if processes == 1:
            yield from map(self._extract, pages)
        else:
            # Imported here because a single page needs no pool.
            from detourage.process_pool import in_processes

            yield from in_processes(
                self._extract, pages, processes, preload=__name__, crashed=_crash_outcome
            )

    def extract_chosen(
        self, given: str, site_pages: Path | None, url: str | None
    ) -> Generator[ExtractionOutcome]:
        """Extract one page of an input, compared with other pages; see `load_subject`."""
        try:
            subject = load_subject(given, site_pages, url, threads=os.cpu_count() or 1)
        except (SourceError, ExplainingError) as error:
            yield _unreadable(error)
        else:
            yield self._outcome(subject.source.name, subject.page.url, lambda: subject)

    def _extract(self, page: InputPage | ExtractionOutcome) -> ExtractionOutcome:
        if isinstance(page, ExtractionOutcome):
            return page
        try:
            source = page.read()
        except ExplainingError as error:
            return _unreadable(error)
        outcome = self._outcome(source.name, source.url, lambda: Subject(source, source.parse()))
        return outcome._replace(path=page.path)

    def _outcome(self, name: str, url: str, parse: Callable[[], Subject]) -> ExtractionOutcome:
        """Parse and extract a page; turn any error or timeout into an outcome without article."""
        result = ExtractionOutcome(name, url, outcome=PageOutcome.FAILED)
        try:
            with time_limit(MAX_CPU_SECONDS):
                subject = parse()
                article = self._read_article(subject)
                document = _format(article, self.form, subject.page.url, subject.source.site)
        except NoArticleError as error:
            outcome = PageOutcome(error.outcome) if error.outcome in set(PageOutcome) else None
            return result._replace(outcome=outcome, reason=str(error))
        except ExplainingError as error:
            return result._replace(outcome=error.outcome, reason=error.problem)
        except TimeIsUpError:
            reason = f"it took more than {MAX_CPU_SECONDS:g} seconds of CPU time"
            return result._replace(reason=reason)
        except ExpectedError as error:
            return result._replace(reason=str(error))
        except Exception as error:  # noqa: BLE001  One page must not affect the others.
            return result._replace(reason=f"{type(error).__name__}: {error}")
        return result._replace(outcome=PageOutcome.ARTICLE, document=document)

    def _read_article(self, subject: Subject) -> Article:
        source, template_page = subject.source, subject.template_page
        if self.method is None:
            text_roles, favor = self.options.get("text_roles", ()), self.options.get("favor")
            known = (subject.page, subject.template, subject.group_pattern)
            article = read_content(*known, text_roles, source.fetched_at, favor=favor)
            return without_excluded(article, self.options)
        # Imported here because only the methods of papers need them.
        from detourage.papers.interface import Source as PaperSource
        from detourage.papers.registry import read_by

        page = PaperSource(source.html, source.url, source.content_type)
        if template_page is None:
            return read_by(self.method, page)
        pivot = PaperSource(template_page.html, template_page.url, template_page.content_type)
        return read_by(self.method, page, pivot)


def _format(article: Article, form: str, url: str, site: str) -> str:
    if form in ("markdown", "html"):
        from detourage.export.markdown_and_html import to_html, to_markdown

        return to_markdown(article) if form == "markdown" else to_html(article, url)
    if form == "json":
        # Imported here because the message contracts double the import time for a single page.
        from detourage.reader.article_values import json_values

        return json_text(json_values(article, url, site)) + "\n"
    return "\n\n".join(part for part in (article.title, article.text) if part) + "\n"


def _unreadable(error: SourceError | ExplainingError) -> ExtractionOutcome:
    if isinstance(error, SourceError):
        return ExtractionOutcome(str(error.path), str(error.path), reason=error.problem)
    return ExtractionOutcome(error.name, error.name, outcome=error.outcome, reason=error.problem)


def _crash_outcome(page: InputPage | ExtractionOutcome) -> ExtractionOutcome:
    reason = "it crashed the process that read it, possibly because of too little memory"
    return ExtractionOutcome(page.name, page.name, outcome=PageOutcome.FAILED, reason=reason)
