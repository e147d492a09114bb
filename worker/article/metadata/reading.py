"""Metadata of an article, combined from everything its page declares and displays."""

import re
from collections.abc import Collection, Iterable

from worker.article.finding import Finding
from worker.article.metadata.authors import names_in, squash, without_repeats
from worker.article.metadata.bylines import shown_authors, shown_dates
from worker.article.metadata.dates import (
    modification_date,
    publication_date,
    publication_date_elsewhere,
)
from worker.article.metadata.declared_kinds import declared_kind
from worker.article.metadata.jsonld import read_json_ld
from worker.article.metadata.leads import lead_of
from worker.article.metadata.metas import read_metas
from worker.article.metadata.microdata import read_microdata
from worker.article.metadata.record import Record
from worker.article.metadata.result import ArticleMetadata
from worker.article.metadata.surroundings import Surroundings
from worker.article.metadata.wires import wire_of
from worker.article.outline import Outline
from worker.html.addresses import absolute, split_url
from worker.html.nodes import Node
from worker.text.dates import date_in_path

MAX_TAGS = 30
"""Maximum number of tags; longer lists are keywords for search engines."""

MAX_TAG_CHARACTERS = 60
"""Maximum length, in characters, of a tag or a section's name; a longer one is a sentence."""

_BETWEEN_TAGS = re.compile(r"(?:(?<!\s)\s+)?+[,;，；、|]\s*")


def read_metadata(
    page: Outline,
    finding: Finding,
    heading: int | None,
    *,
    url: str = "",
    title: str | None = None,
    language: str | None = None,
    known: Collection[int] = frozenset(),
    text: str = "",
    images: int = 0,
    videos: int = 0,
) -> ArticleMetadata:
    """Read the metadata of an article.

    JSON-LD takes precedence, then microdata and ``meta`` elements. For authors, names displayed
    next to the article rank second, after JSON-LD.

    Parameters
    ----------
    page, finding, heading
        The page, its body, and the element that displays its headline.
    url
        URL of the page.
    title, language
        The extracted headline, and the BCP 47 tag of the language.
    known
        Digests of lines that also appear on other pages of the template, and so belong to the site.
    text, images, videos
        The article's text, and its number of images and of videos.
    """
    head = page.declaring
    own = {_address(url), squash(title or "")} - {""}
    linked = read_json_ld(head, lambda value: _address(value) in own or squash(value) in own)
    properties = page.document.values("itemprop")
    bearers = [node for node in head if node.index in properties]
    bearers += [
        Node(page.document, place) for place in page.flat.numbers.tolist() if place in properties
    ]
    marked = read_microdata(bearers, page.node(finding.container))
    metas = read_metas(head)
    declared = linked + marked + metas
    surroundings = Surroundings(page, finding, heading, known)
    address = split_url(url)
    host = (address.hostname or "").removeprefix("www.")
    sites = {squash(name) for name in (*declared.sites, host)}
    shown, shown_modified = shown_dates(surroundings.notes, language)
    modified = modification_date(declared, shown_modified, language)
    published = (
        publication_date(declared, shown, date_in_path(address.path), language)
        or modified
        or publication_date_elsewhere(surroundings, shown, head, title or "", language)
    )
    return ArticleMetadata(
        lead=lead_of(surroundings, declared.descriptions, title or ""),
        authors=_authors(linked, marked, metas, shown_authors(surroundings.notes, sites), sites),
        published=published,
        modified=modified,
        address=_canonical(metas.addresses + linked.addresses, url),
        section=_section(declared, sites | own | {""}),
        tags=_tags(declared),
        is_paid=declared.access[0] == "paid" if declared.access else None,
        kind=declared_kind(
            linked.kinds + marked.kinds + metas.kinds,
            url,
            text=text,
            images=images,
            videos=videos,
        )
        or "article",
        wire=wire_of(surroundings.notes, text, declared.authors),
    )


def _authors(
    linked: Record, marked: Record, metas: Record, shown: tuple[str, ...], sites: Collection[str]
) -> tuple[str, ...]:
    def declared(record: Record) -> tuple[str, ...]:
        return without_repeats(name for value in record.authors for name in names_in(value, sites))

    sources = (declared(linked), shown, declared(marked), declared(metas))
    found = next(filter(None, sources), ())
    # A content management system may declare only the first of several authors.
    return shown if {*map(squash, found)} < {*map(squash, shown)} else found


def _canonical(addresses: Iterable[str], url: str) -> str | None:
    """Return the first URL that may be the article's: absolute and not a home page."""
    for address in addresses:
        found = absolute(address, url)
        parts = split_url(found or "")
        if found and (parts.path not in ("", "/") or parts.query):
            return found
    return None


def _section(declared: Record, not_sections: Collection[str]) -> str | None:
    for section in declared.sections:
        if len(section) <= MAX_TAG_CHARACTERS and squash(section) not in not_sections:
            return section
    return None


def _tags(declared: Record) -> tuple[str, ...]:
    tags: dict[str, str] = {}
    for value in declared.tags:
        for tag in _BETWEEN_TAGS.split(value):
            if tag and len(tag) <= MAX_TAG_CHARACTERS:
                tags.setdefault(tag.casefold(), tag)
    return tuple(tags.values())[:MAX_TAGS]


def _address(url: str) -> str:
    """Return what identifies a page in a URL: no scheme, fragment or trailing slash."""
    return url.partition("#")[0].partition("://")[2].removeprefix("www.").rstrip("/")
