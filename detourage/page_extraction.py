"""Read one or many pages, without comparing them with each other."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypedDict, TypeVar, Unpack, get_args

from detourage.article import Article, Result
from detourage.html import Page as ParsedPage
from detourage.html import PageError, parse_page
from detourage.html.urls import split_url
from detourage.outcomes import PageOutcome
from detourage.pages import Page, as_page, pages_of
from detourage.reader import NoArticleError, TemplateKnowledge
from detourage.reader.article_and_comments import read_content
from detourage.reader.article_from_body import declared_by
from detourage.roles import CHOOSABLE_ROLES, Favor, LineRole

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime

    from detourage.comments import CommentPattern
    from detourage.pages import AnyHtml, AnyPage

T = TypeVar("T")


class ReadingOptions(TypedDict, total=False):
    """Options of `extract`, which the other functions share."""

    text_roles: Sequence[LineRole]
    favor: Favor | None
    include_comments: bool
    include_links: bool
    include_images: bool


def extract(
    html: AnyHtml | Page,
    url: str | None = None,
    *,
    content_type: str | None = None,
    fetched_at: datetime | None = None,
    **options: Unpack[ReadingOptions],
) -> Article | None:
    """Extract the article of a page.

    Parameters
    ----------
    html
        The page: bytes as fetched (their encoding is detected), text, an lxml tree, or a `Page`,
        for example from `fetch`.
    url
        URL of the page. Without one, relative links and images are omitted.
    content_type
        The HTTP Content-Type header, which may declare the encoding.
    fetched_at
        Time of the fetch, with a time zone, to which dates such as "3 hours ago" refer.
    text_roles
        Roles of the lines that make up the text, such as ``"caption"``; by default, ``"lead"``,
        ``"paragraph"``, ``"heading"``, ``"list_item"``, ``"quote"``, ``"table"``, ``"code"`` and
        ``"qa"``. If no line has any of them, the element with the most sentences is the text.
    favor
        ``"precision"`` for less boilerplate at the risk of missing lines of the text, ``"recall"``
        for the opposite; by default, both count equally.
    include_comments, include_links, include_images
        Whether the article includes the readers' comments, the links in its text, and the images
        in its body. True by default.

    Returns
    -------
    Article or None
        None if the page has no article; `read` gives the reason.

    Raises
    ------
    TypeError
        If `html` has an unsupported type. The content of a page never causes an error.
    ValueError
        If `favor` has another value, or `text_roles` contains an unknown role.
    """
    return read(html, url, content_type=content_type, fetched_at=fetched_at, **options).article


def read(
    html: AnyHtml | Page,
    url: str | None = None,
    *,
    content_type: str | None = None,
    fetched_at: datetime | None = None,
    **options: Unpack[ReadingOptions],
) -> Result:
    """Read a page like `extract`; the result also has the reason if there is no article."""
    return read_page(as_page(html, url, content_type, fetched_at), **options)


def read_page(page: Page, **options: Unpack[ReadingOptions]) -> Result:
    """Read a page without comparing it with other pages."""
    _check(options)
    parsed = parse(page)
    return parsed if isinstance(parsed, Result) else read_parsed(page, parsed, **options)


def _check(options: ReadingOptions) -> None:
    unknown = sorted(options.keys() - ReadingOptions.__annotations__.keys())
    if unknown:
        known = ", ".join(ReadingOptions.__annotations__)
        raise TypeError(f"unexpected keyword argument {unknown[0]!r}; the options are {known}")
    roles = options.get("text_roles", ())
    if isinstance(roles, str) or not set(roles) <= set(CHOOSABLE_ROLES):
        known = ", ".join(CHOOSABLE_ROLES)
        raise ValueError(f"text_roles must be a sequence of roles ({known}), not {roles!r}")
    if options.get("favor") not in (None, *get_args(Favor)):
        raise ValueError(f"favor must be 'precision', 'recall' or None, not {options['favor']!r}")


def parse(page: Page) -> ParsedPage | Result:
    """Parse a page; return a result with the reason if that fails."""
    parts = split_url(page.url)
    url = page.url if parts.scheme in {"http", "https"} and parts.hostname else ""
    parse_as_page = partial(parse_page, page.html, url, content_type=page.content_type)
    parsed = attempt(page, parse_as_page)
    if isinstance(parsed, Result) and parsed.outcome == PageOutcome.EMPTY:
        if isinstance(page.html, str) and page.html.startswith(("http://", "https://")):
            return replace(parsed, reason="a URL is not HTML: give the page from detourage.fetch")
        if isinstance(page.html, str) and page.html.endswith((".html", ".htm")):
            return replace(parsed, reason="a file name is not HTML: give the content of the file")
        blank = attempt(page, partial(parse_as_page, may_be_blank=True))
        return parsed if isinstance(blank, Result) else _described(parsed, page, blank)
    return parsed


def _described(refused: Result, page: Page, parsed: ParsedPage) -> Result:
    """Return the result of a page without an article, with the metadata that the page declares."""
    described = attempt(page, partial(declared_by, parsed))
    title, metadata = (None, None) if isinstance(described, Result) else described
    return replace(refused, title=title, metadata=metadata)


def read_parsed(
    page: Page,
    parsed: ParsedPage,
    template: TemplateKnowledge | None = None,
    group_pattern: CommentPattern | None = None,
    **options: Unpack[ReadingOptions],
) -> Result:
    """Read a parsed page; knowledge of its template is optional."""
    _check(options)
    roles, favor = options.get("text_roles", ()), options.get("favor")
    known = (parsed, template, group_pattern)
    article = attempt(page, partial(read_content, *known, roles, page.fetched_at, favor=favor))
    if isinstance(article, Result):
        return _described(article, page, parsed)
    return Result(page.url, replace(without_excluded(article, options), url=page.url, page=page))


def without_excluded(article: Article, options: ReadingOptions) -> Article:
    """Return an article without the parts that the options exclude."""
    if not options.get("include_comments", True):
        article = replace(article, comments=())
    if not options.get("include_links", True):
        blocks = tuple(replace(block, links=()) for block in article.blocks)
        article = replace(article, blocks=blocks)
    if not options.get("include_images", True):
        article = replace(article, images=())
    return article


def attempt(page: Page, step: Callable[[], T]) -> T | Result:
    """Return the value of a step, or a result with the reason if the step fails for this page."""
    try:
        return step()
    except (PageError, NoArticleError) as error:
        return Result(page.url, None, str(error.outcome), str(error))
    except Exception as error:  # noqa: BLE001  A bug triggered by one page must not affect the others.
        return failed(page, error)


def failed(page: Page, error: BaseException) -> Result:
    """Return the result for a page that could not be read because of a bug."""
    from logging import getLogger

    getLogger(__name__).error(
        "could not read %s (this is a bug; report it)", page.url or "a page", exc_info=error
    )
    reason = f"{type(error).__name__}: {error}"
    return Result(page.url, None, str(PageOutcome.FAILED), reason)


def extract_many(
    pages: Iterable[AnyPage] | str | os.PathLike[str],
    *,
    processes: int = 1,
    **options: Unpack[ReadingOptions],
) -> Iterator[Result]:
    """Read many pages independently of each other.

    Parameters
    ----------
    pages
        Pages, pairs of HTML and URL, or a file or folder as for `load_pages`. An iterable is
        consumed lazily, so it may be infinite.
    processes
        Number of processes. With more than one, a script must run its code under
        ``if __name__ == "__main__":``.
    text_roles, favor, include_comments, include_links, include_images
        As for `extract`.

    Yields
    ------
    Result
        One for each page, in order. A page that crashes its process has the outcome ``"failed"``
        and does not affect the other pages.

    Raises
    ------
    ValueError
        If `processes` is not positive, or an option is not valid for `extract`.
    OSError
        If the file or folder cannot be read; see `load_pages`.
    RuntimeError
        If a process cannot start, for example without ``if __name__ == "__main__":``.
    """
    if processes < 1:
        raise ValueError(f"processes must be at least 1, not {processes}")
    _check(options)
    if processes == 1:
        return map(partial(read_page, **options), pages_of(pages))
    # Imported here because a single page needs no pool, and the import takes 10 ms.
    from detourage.process_pool import in_processes

    read = partial(_read_in_worker, **options)
    return in_processes(
        read,
        pages_of(pages),
        processes,
        preload="detourage.page_extraction",
        crashed=_result_of_crash,
    )


def _read_in_worker(page: Page, **options: Unpack[ReadingOptions]) -> Result:
    """Read a page in a worker process; omit the page from the article, to send less data back."""
    result = read_page(page, **options)
    if result.article is None:
        return result
    return replace(result, article=replace(result.article, page=None))


def _result_of_crash(page: Page) -> Result:
    return failed(page, RuntimeError("the page crashed the process that read it"))
