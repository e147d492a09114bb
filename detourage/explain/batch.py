"""Extraction of articles as formatted documents, optionally in several processes."""

import os
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from detourage.article import Article
from detourage.explain.subject import (
    ExplainingError,
    GivenPage,
    Subject,
    given_pages,
    load_subject,
)
from detourage.inputs import SourceError
from detourage.outcomes import PageOutcome
from detourage.reader import NoArticleError
from detourage.reader.content import read_content
from detourage.reader.documents import to_html, to_markdown
from detourage.reading import ReadingOptions, with_parts
from detourage.text.terminal import json_text
from detourage.time_limit import TimeIsUpError, time_limit

SECONDS = 60.0  # Maximum CPU time per page, in seconds
PAUSE_SECONDS = 1.0  # Minimum time between two fetches from the same host


@dataclass(frozen=True)
class ExtractionOutcome:
    """Result for one page: its formatted article, or the reason why it has none.

    The outcome is None if there is no page, or if only a paper's method has this reason. `path` is
    the path of an HTML file in the given folder.
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


def all_given(places: Iterable[str]) -> Iterator[GivenPage | ExtractionOutcome]:
    """Yield the pages at places (see `given_pages`), and an error result for unreadable places.

    Pages to fetch from the same host are yielded at least `PAUSE_SECONDS` apart.
    """
    due: dict[str, float] = {}
    for place in places:
        try:
            for given in given_pages(place):
                if given.address is not None:
                    host = given.address.partition("://")[2].partition("/")[0].lower()
                    time.sleep(max(0.0, due.get(host, 0.0) - time.monotonic()))
                    due[host] = time.monotonic() + PAUSE_SECONDS
                yield given
        except (SourceError, ExplainingError) as error:
            yield _unread(error)


@dataclass(frozen=True)
class Extraction:
    """Extraction as text, markdown, html or json, with a paper's `method` unless it is None."""

    form: str
    options: ReadingOptions = field(default_factory=ReadingOptions)
    method: str | None = None

    def extract_all(
        self, given: Iterable[GivenPage | ExtractionOutcome], processes: int = 1
    ) -> Generator[ExtractionOutcome]:
        """Extract pages independently of each other and yield the results in order.

        Results among the given pages are passed through. Closing the generator stops the processes.
        """
        if processes == 1:
            yield from map(self._extract_given, given)
        else:
            # Imported here so that a single page does not wait for processes to start.
            from detourage.pool import in_processes

            yield from in_processes(
                self._extract_given, given, processes, preload=__name__, crashed=_crashed
            )

    def extract_chosen(
        self, place: str, site_pages: Path | None, url: str | None
    ) -> Generator[ExtractionOutcome]:
        """Extract one page, selected and compared with other pages as in `load_subject`."""
        try:
            subject = load_subject(place, site_pages, url, threads=os.cpu_count() or 1)
        except (SourceError, ExplainingError) as error:
            yield _unread(error)
        else:
            yield self._documented(subject.source.name, subject.page.url, lambda: subject)

    def _extract_given(self, given: GivenPage | ExtractionOutcome) -> ExtractionOutcome:
        if isinstance(given, ExtractionOutcome):
            return given
        try:
            source = given.read()
        except ExplainingError as error:
            return _unread(error)
        found = self._documented(source.name, source.url, lambda: Subject(source, source.parse()))
        return replace(found, path=given.path)

    def _documented(self, name: str, url: str, parsed: Callable[[], Subject]) -> ExtractionOutcome:
        found = ExtractionOutcome(name, url, outcome=PageOutcome.FAILED)
        try:
            with time_limit(SECONDS):
                subject = parsed()
                article = self._read(subject)
                document = _formatted(article, self.form, subject.page.url, subject.source.site)
        except NoArticleError as error:
            outcome = PageOutcome(error.outcome) if error.outcome in set(PageOutcome) else None
            return replace(found, outcome=outcome, reason=str(error))
        except ExplainingError as error:
            return replace(found, outcome=error.outcome, reason=error.problem)
        except TimeIsUpError:
            return replace(found, reason=f"it took more than {SECONDS:g} seconds of CPU time")
        except Exception as error:  # noqa: BLE001  A faulty page must not affect the following ones.
            return replace(found, reason=f"{type(error).__name__}: {error}")
        return replace(found, outcome=PageOutcome.ARTICLE, document=document)

    def _read(self, subject: Subject) -> Article:
        given, other = subject.source, subject.template_page
        if self.method is None:
            article = read_content(
                subject.page,
                subject.template,
                subject.patterns,
                self.options.get("text_roles", ()),
                given.fetched_at,
                favor=self.options.get("favor"),
            )
            return with_parts(article, self.options)
        # Imported here because only published methods need it.
        from detourage.papers.interface import Source as Read
        from detourage.papers.registry import read_by

        page = Read(given.html, given.url, given.content_type)
        if other is None:
            return read_by(self.method, page)
        template_page = Read(other.html, other.url, other.content_type)
        return read_by(self.method, page, template_page)


def _formatted(article: Article, form: str, url: str, site: str) -> str:
    if form == "markdown":
        return to_markdown(article)
    if form == "html":
        return to_html(article, url)
    if form == "json":
        # Importing the message contracts takes as long as importing everything else for one page.
        from detourage.reader.article_values import json_values

        return json_text(json_values(article, url, site)) + "\n"
    return "\n\n".join(part for part in (article.title, article.text) if part) + "\n"


def _unread(error: SourceError | ExplainingError) -> ExtractionOutcome:
    if isinstance(error, SourceError):
        return ExtractionOutcome(str(error.path), str(error.path), reason=error.problem)
    return ExtractionOutcome(error.name, error.name, outcome=error.outcome, reason=error.problem)


def _crashed(given: GivenPage | ExtractionOutcome) -> ExtractionOutcome:
    reason = "it crashed the process that read it, possibly for lack of memory"
    return ExtractionOutcome(given.name, given.name, outcome=PageOutcome.FAILED, reason=reason)
