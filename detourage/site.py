"""The pages of one site, grouped by template and read with knowledge of their groups."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple, Unpack

from detourage.article import Article, Result
from detourage.comments import NO_PATTERN, CommentPattern, winner
from detourage.expected_errors import require_groups
from detourage.html import Page as ParsedPage
from detourage.html import site_of
from detourage.page_extraction import ReadingOptions, attempt, parse, read_parsed
from detourage.pages import AnyPage, pages_of
from detourage.reader import TemplateKnowledge
from detourage.reader.article_and_comments import search_for_vote
from detourage.reader.outline import Outline
from detourage.reader.shared_lines import PageLines, SharedLines, counted_pages

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping

    from detourage.template.groups import SiteGroups


@dataclass(frozen=True)
class Group:
    """Pages made from one template.

    Parameters
    ----------
    number
        Number of the group, 1 for the largest.
    urls
        URLs of its pages.
    representative
        URL of the page that represents the group.
    """

    number: int
    urls: tuple[str, ...]
    representative: str


class PageKnowledge(NamedTuple):
    """Findings about a page from its group, and the URL of the page that it is compared with."""

    template_url: str | None
    group_size: int
    template: TemplateKnowledge | None
    group_pattern: CommentPattern | None


class Site:
    """Several pages of one site, grouped by template.

    Pages of a template share boilerplate, so comparing them makes their extraction more accurate.
    The time and memory for grouping grow with the square of the number of pages; a few hundred
    pages are enough.

    Parameters
    ----------
    pages
        Pages, pairs of HTML and URL, or a file or folder as for `load_pages`. Each needs a URL;
        if several pages share one, the last is used.
    threads
        Number of threads for comparisons.

    Raises
    ------
    ValueError
        If a page has no URL.

    Examples
    --------
    >>> site = Site("crawl/news.example")
    >>> [len(group.urls) for group in site.groups]
    >>> for result in site.read():
    ...     print(result.url, result.article and result.article.title)
    """

    def __init__(
        self, pages: Iterable[AnyPage] | str | os.PathLike[str], *, threads: int = 1
    ) -> None:
        self._threads = threads
        self._pages = {page.url: page for page in pages_of(pages)}
        if "" in self._pages:
            raise ValueError("each page of a site needs a URL: Page(html, url)")
        self._parsed: dict[str, ParsedPage] = {}
        self._unreadable: dict[str, Result] = {}
        for url, page in self._pages.items():
            parsed = parse(page)
            if isinstance(parsed, Result):
                self._unreadable[url] = parsed
            else:
                self._parsed[url] = parsed
        self._templates: dict[str, TemplateKnowledge] = {}
        self._lines: dict[str, PageLines] = {}
        self._knowledge: dict[str, PageKnowledge] = {}
        self._votes: dict[str, str | None] = {}

    @property
    def urls(self) -> tuple[str, ...]:
        """URLs of the pages, in the given order."""
        return tuple(self._pages)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """Template groups, the largest first."""
        urls = self._grouped.urls
        return tuple(
            Group(number, tuple(urls[page] for page in group.members), urls[group.pivot])
            for number, group in enumerate(self._grouped.grouping.groups, 1)
        )

    @property
    def outliers(self) -> tuple[str, ...]:
        """URLs of the pages that share a template with no other page."""
        return tuple(self._grouped.urls[page] for page in self._grouped.grouping.outliers)

    def read(self, **options: Unpack[ReadingOptions]) -> Iterator[Result]:
        """Read every page with knowledge of its group, in the given order.

        Parameters
        ----------
        text_roles, favor, include_comments, include_links, include_images
            As for `detourage.extract`.
        """
        return (self._read(url, options) for url in self._pages)

    def extract(self, url: str, **options: Unpack[ReadingOptions]) -> Article | None:
        """Extract the article of one of the pages; return None if it has none.

        Raises
        ------
        KeyError
            If no page has this URL.
        """
        if url not in self._pages:
            raise KeyError(url)
        return self._read(url, options).article

    def _read(self, url: str, options: ReadingOptions) -> Result:
        if url in self._unreadable:
            return self._unreadable[url]
        known = self.known_about(url)
        page, parsed = self._pages[url], self._parsed[url]
        return read_parsed(page, parsed, known.template, known.group_pattern, **options)

    def known_about(self, url: str) -> PageKnowledge:
        """Return what is known about one of the readable pages from its group."""
        known = self._knowledge_of(url)
        if known.template is None or self._vote_of(url) != NO_PATTERN:
            return known
        return known._replace(group_pattern=self._group_patterns[url])

    def _knowledge_of(self, url: str) -> PageKnowledge:
        """Return what is known about a page, except the comment pattern of its group."""
        if url not in self._knowledge:
            index = self._index_by_url[url]
            group, template_page = self._grouped.group_of(index), self._grouped.compared_with(index)
            if group is None or template_page is None:
                self._knowledge[url] = PageKnowledge(None, 1, None, None)
            else:
                template_url = self._grouped.urls[template_page]
                shared = self._shared_lines[url].on(url, self._lines_of(url))
                template = self._template_of(template_url).with_shared(shared)
                size = len(group.members)
                self._knowledge[url] = PageKnowledge(template_url, size, template, None)
        return self._knowledge[url]

    def _template_of(self, url: str) -> TemplateKnowledge:
        if url not in self._templates:
            self._templates[url] = TemplateKnowledge.from_pages([self._parsed[url]])
        return self._templates[url]

    def _lines_of(self, url: str) -> PageLines:
        if url not in self._lines:
            page = self._parsed[url]
            lines = attempt(self._pages[url], lambda: PageLines.of(Outline.of(page.flat)))
            self._lines[url] = PageLines() if isinstance(lines, Result) else lines
        return self._lines[url]

    @cached_property
    def _shared_lines(self) -> Mapping[str, SharedLines]:
        shared: dict[str, SharedLines] = {}
        for group in self.groups:
            counted = {url: self._lines_of(url) for url in counted_pages(group.urls)}
            shared |= dict.fromkeys(group.urls, SharedLines.of(counted))
        return shared

    @cached_property
    def _grouped(self) -> SiteGroups:
        require_groups()
        # Imported here because it is slow to import, and not needed for the URLs of a site.
        from detourage.template.groups import group_site

        urls = list(self._parsed)
        name = site_of(urls[0]) if urls else ""
        trees = [page.tree for page in self._parsed.values()]
        dates = [self._pages[url].fetched_at for url in urls]
        return group_site(name, urls, trees, fetched_at=dates, threads=self._threads)

    @cached_property
    def _index_by_url(self) -> Mapping[str, int]:
        return {url: index for index, url in enumerate(self._parsed)}

    def _vote_of(self, url: str) -> str | None:
        if url not in self._votes:
            search = partial(search_for_vote, self._parsed[url], self._knowledge_of(url).template)
            vote = attempt(self._pages[url], search)
            self._votes[url] = None if isinstance(vote, Result) else vote
        return self._votes[url]

    @cached_property
    def _group_patterns(self) -> Mapping[str, CommentPattern | None]:
        patterns: dict[str, CommentPattern | None] = {}
        for group in self.groups:
            won = winner(map(self._vote_of, group.urls))
            pattern = CommentPattern.from_json(won) if won is not None else None
            patterns |= dict.fromkeys(group.urls, pattern)
        return patterns
