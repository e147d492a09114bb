"""Read pages without comparing them with other pages, one or many."""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

from detourage.article import Article, Result
from detourage.html import Page as ParsedPage
from detourage.html import PageError, parse_page
from detourage.outcomes import PageOutcome
from detourage.pages import Page, pages_of
from detourage.reader import NoArticleError, TemplateKnowledge
from detourage.reader.content import read_content

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime

    from detourage.comments import CommentPattern
    from detourage.pages import AnyPage
    from detourage.roles import LineRole

logger = logging.getLogger(__name__)

T = TypeVar("T")


def extract(
    html: bytes | str,
    url: str | None = None,
    *,
    content_type: str | None = None,
    fetched_at: datetime | None = None,
    text_roles: Sequence[LineRole] = (),
) -> Article | None:
    """Extract the article of a page.

    Parameters
    ----------
    html
        The page: bytes as fetched, whose encoding is detected, or text.
    url
        URL of the page. Without one, relative links and images are omitted.
    content_type
        The HTTP Content-Type header, which may declare the encoding.
    fetched_at
        Time of the fetch, with a zone: the reference for "3 hours ago" in comments.
    text_roles
        Roles of the lines that make up the text (``"paragraph"``, ``"caption"``, ...); by default,
        the roles of an article's own text.

    Returns
    -------
    Article or None
        None if the page has no article; `read` gives the reason.

    Raises
    ------
    TypeError
        If `html` is neither bytes nor text. The content of a page never raises an error.
    """
    page = Page(html, url or "", content_type, fetched_at)
    return read_page(page, text_roles).article


def read(
    html: bytes | str,
    url: str | None = None,
    *,
    content_type: str | None = None,
    fetched_at: datetime | None = None,
    text_roles: Sequence[LineRole] = (),
) -> Result:
    """Read a page as `extract` does, and also return the reason if there is no article."""
    page = Page(html, url or "", content_type, fetched_at)
    return read_page(page, text_roles)


def read_page(page: Page, text_roles: Sequence[LineRole] = ()) -> Result:
    """Read a page without comparing it with other pages."""
    parsed = parse(page)
    return (
        parsed if isinstance(parsed, Result) else read_parsed(page, parsed, text_roles=text_roles)
    )


def parse(page: Page) -> ParsedPage | Result:
    """Parse a page; return a result with the reason if that fails."""
    url = page.url if _is_web_address(page.url) else ""
    return attempt(page, partial(parse_page, page.html, url, content_type=page.content_type))


def _is_web_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname)


def read_parsed(
    page: Page,
    parsed: ParsedPage,
    template: TemplateKnowledge | None = None,
    patterns: Sequence[CommentPattern] | None = None,
    text_roles: Sequence[LineRole] = (),
) -> Result:
    """Read a parsed page, with optional knowledge of its template."""
    article = attempt(
        page, partial(read_content, parsed, template, patterns, text_roles, page.fetched_at)
    )
    if isinstance(article, Result):
        return article
    return Result(page.url, replace(article, url=page.url, page=page))


def attempt(page: Page, step: Callable[[], T]) -> T | Result:
    """Return the value of a step, or the result for a page on which it fails."""
    try:
        return step()
    except (PageError, NoArticleError) as error:
        return Result(page.url, None, str(error.outcome), str(error))
    except Exception as error:  # noqa: BLE001  One page's defect must not affect the next ones.
        return failed(page, error)


def failed(page: Page, error: BaseException) -> Result:
    """Return the result for a page that could not be read because of a defect."""
    logger.error("reading %s failed", page.url or "a page", exc_info=error)
    reason = f"{type(error).__name__}: {error}"
    return Result(page.url, None, str(PageOutcome.FAILED), reason)


def extract_many(
    pages: Iterable[AnyPage] | str | os.PathLike[str],
    *,
    processes: int = 1,
    text_roles: Sequence[LineRole] = (),
) -> Iterator[Result]:
    """Read many pages independently of each other.

    Parameters
    ----------
    pages
        Pages, pairs of HTML and address, or a file or folder as for `load_pages`. An iterable is
        consumed lazily, so it may be infinite.
    processes
        Number of processes. With more than one, a script needs the usual ``if __name__ ==
        "__main__":`` around its own code.
    text_roles
        As for `extract`.

    Yields
    ------
    Result
        One for each page, in order. A page that crashes its process gives ``"failed"`` and does not
        affect the other pages.

    Raises
    ------
    ValueError
        If `processes` is not positive.
    OSError
        If a file or folder cannot be read.
    """
    if processes < 1:
        raise ValueError(f"processes must be at least 1, not {processes}")
    reader = partial(read_page, text_roles=tuple(text_roles))
    if processes == 1:
        return map(reader, pages_of(pages))
    # Imported here because a single page needs no processes, which take 10 ms to import.
    from detourage.pool import in_processes

    apart = partial(_read_apart, text_roles=tuple(text_roles))
    return in_processes(
        apart, pages_of(pages), processes, preload="detourage.reading", crashed=_crashed
    )


def _read_apart(page: Page, text_roles: Sequence[LineRole]) -> Result:
    """Read a page for another process, which has the page already."""
    result = read_page(page, text_roles)
    if result.article is None:
        return result
    return replace(result, article=replace(result.article, page=None))


def _crashed(page: Page) -> Result:
    return failed(page, RuntimeError("the page crashed the process that read it"))
