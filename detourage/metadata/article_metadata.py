"""Metadata of an article, combined from the values that its page declares and displays."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from detourage.article import ArticleMetadata, TextDirection
from detourage.html.nodes import Node
from detourage.html.urls import absolute, base_of, split_url
from detourage.html.visible_text import unescape
from detourage.metadata import bylines
from detourage.metadata.bylines import names_in, without_repeats
from detourage.metadata.declared_values import Record, read_metas, read_microdata
from detourage.metadata.json_ld import read_json_ld
from detourage.metadata.news_agencies import find_wire
from detourage.metadata.publication_dates import (
    modification_date,
    publication_date,
    search_date,
    written_language,
)
from detourage.metadata.surroundings import NearbyLine, Surroundings
from detourage.reader.found_body import FoundBody
from detourage.reader.outline import Outline
from detourage.roles import Kind
from detourage.text import words
from detourage.text.dates import date_in_path
from detourage.text.lazy_patterns import lazy_pattern
from detourage.text.token_counts import count_words
from detourage.text.words import squash, word_set

MAX_TAGS = 30  # number of tags; others are ignored
MAX_TAG_CHARACTERS = 60  # length, in characters, of a tag or section; a longer one is a sentence
# Names of accounts and feeds, such as "admin" and "Reuters feed"
_ACCOUNT = lazy_pattern(r"^(?:\S+ )?[a-z]+$")
_MEDIA_WORDS = word_set(
    "the post times news herald tribune gazette journal chronicle courier observer mail press daily"
    " weekly today online digital media magazine blog radio tv channel network world voice report"
    " review star sun guardian mirror standard express independent zeitung nachrichten blatt"
    " anzeiger kurier bote presse direkt wirtschaft diario periódico nación nacion hora noticias"
    " jornal correio folha giornale corriere gazzetta monde figaro echos gazeta dziennik"
    " haber gazetesi dagblad nieuws posten tidningen газета новости"
)
_BETWEEN_TAGS = lazy_pattern(r"(?:(?<!\s)\s+)?+[,;，；、|]\s*")


def read_metadata(
    page: Outline,
    finding: FoundBody,
    heading: int | None,
    *,
    url: str = "",
    title: str | None = None,
    language: str | None = None,
    template_lines: Collection[int] = frozenset(),
    text: str = "",
) -> ArticleMetadata:
    """Read the metadata of an article.

    JSON-LD takes precedence over microdata and ``meta`` elements. Displayed authors take precedence
    over declared ones, except those in JSON-LD. `template_lines` has the digests of lines that
    other pages of the template share.
    """
    json_ld = read_json_ld(page.document)
    elements = [Node(page.document, each) for each in page.document.values("itemprop")]
    # Elements without displayed text first, then the others.
    properties = [each for each in elements if each.tag in ("meta", "link", "script")]
    properties += map(page.node, page.flat.values("itemprop"))
    microdata = read_microdata(properties, page.node(finding.container))
    metas = read_metas(page.document)
    declared = Record.joined(json_ld, microdata, metas)
    surroundings = Surroundings(page, finding, heading, template_lines)
    address = split_url(url)
    base = base_of(page.root, url)
    host = (address.hostname or "").removeprefix("www.")
    sites = {squash(name) for name in (*declared.sites, host)}
    not_sections = {*sites, squash(title or ""), ""}
    sections = (name for name in declared.sections if len(name) <= MAX_TAG_CHARACTERS)
    language = written_language(
        language, host, page.metas.get("og:locale"), page.root.get("lang"), *declared.languages
    )
    displayed, displayed_modified = bylines.displayed_dates(surroundings.lines, language)
    modified = modification_date(declared, displayed_modified, language)
    in_path = date_in_path(address.path, language)
    published = publication_date(declared, displayed, in_path, language)
    age = "" if published is not None else bylines.displayed_age(surroundings.lines)
    published = published or modified or search_date(surroundings, displayed, language)
    not_authors = sites | {squash(name) for name in declared.sections}
    return ArticleMetadata(
        authors=_choose_authors(
            (json_ld, microdata, metas),
            bylines.displayed_authors(surroundings.lines, not_authors),
            sites,
        )
        or bylines.unmarked_authors(surroundings.lines, not_authors)
        or _owner(surroundings.lines, declared.sites, host),
        published=published,
        modified=modified,
        age=age,
        canonical_url=_canonical_url(metas.addresses + json_ld.addresses, base),
        section=next((name for name in sections if squash(name) not in not_sections), None),
        tags=_split_tags(declared),
        is_paid=declared.access[0] == "paid" if declared.access else None,
        kind=declared_kind(declared.kinds, url, text) or "article",
        wire=find_wire(surroundings.lines, text, declared.authors),
        site_name=_first_text(metas.sites + json_ld.sites + microdata.sites),
        description=_first_text(declared.descriptions),
        image=_first_absolute(metas.images + json_ld.images, base),
        favicon=_first_absolute(metas.icons, base),
        text_direction=_direction(page, finding.container),
    )


MAX_TEXT = 1_000  # length of a declared description or name, in characters; the rest is cut off
MAX_ADDRESS = 2_000  # length of an image's URL, in characters; longer ones are data URLs
_HOME_PATH = lazy_pattern(r"/?(?:index\.\w{1,5})?")
_DIRECTIONS: Mapping[str, TextDirection] = {"ltr": "ltr", "rtl": "rtl"}


def _first_text(values: Iterable[str]) -> str | None:
    return next((words.clean(unescape(value))[:MAX_TEXT] for value in values), None)


def _first_absolute(urls: Iterable[str], base: str) -> str | None:
    short_urls = (url for url in urls if len(url) <= MAX_ADDRESS)
    return next(filter(None, (absolute(url, base) for url in short_urls)), None)


def _direction(page: Outline, index: int) -> TextDirection | None:
    """Return the text direction that the body's element, or else its nearest ancestor, declares."""
    declared = page.flat.values("dir")
    values = (declared.get(each, "").strip().lower() for each in page.ancestry(index))
    return next(filter(None, map(_DIRECTIONS.get, values)), None)


def _choose_authors(
    records: Collection[Record], displayed: tuple[str, ...], sites: Collection[str]
) -> tuple[str, ...]:
    """Return the authors in JSON-LD unless all are accounts, or else displayed or other authors."""
    authors = (
        without_repeats(name for value in record.authors for name in names_in(value, sites))
        for record in records
    )
    in_json = next(authors, ())
    if displayed and all(map(_ACCOUNT.search, in_json)):
        return displayed
    best = in_json or displayed or next(filter(None, authors), ())
    # Some content management systems declare only the first of several authors.
    is_incomplete = {*map(squash, best)} < {*map(squash, displayed)}
    if is_incomplete and all(" " in name for name in displayed):
        return displayed
    # On a personal blog, the author's name may have been excluded because it is the site's name.
    return best or next(filter(None, map(_person_names, records)), ())


def _person_names(record: Record) -> tuple[str, ...]:
    """Return the declared authors whose names are those of persons, not of media."""
    names = (name for value in record.authors for name in names_in(value, is_byline=True))
    return without_repeats(
        name for name in names if " " in name and _MEDIA_WORDS.isdisjoint(name.lower().split())
    )


def _owner(lines: Sequence[NearbyLine], sites: Iterable[str], host: str) -> tuple[str, ...]:
    """Return the displayed author of a personal blog, whose name is that of the site and host."""
    names = (name for name in sites if " " in name and squash(host).startswith(squash(name)))
    owners = {squash(name) for name in names if _MEDIA_WORDS.isdisjoint(name.lower().split())}
    displayed = bylines.displayed_authors(lines) if owners else ()
    return tuple(name for name in displayed if squash(name) in owners)


def _canonical_url(addresses: Iterable[str], base: str) -> str | None:
    """Return the first URL that does not lead to a home page, made absolute, or None."""
    for candidate in filter(None, (absolute(address, base) for address in addresses)):
        parts = split_url(candidate)
        is_home = _HOME_PATH.fullmatch(parts.path) and not parts.query
        if not is_home and parts.hostname != "localhost":
            return candidate
    return None


def _split_tags(declared: Record) -> tuple[str, ...]:
    tags: dict[str, str] = {}
    for value in declared.tags:
        for tag in _BETWEEN_TAGS.split(value):
            if tag and len(tag) <= MAX_TAG_CHARACTERS:
                tags.setdefault(tag.casefold(), tag)
    return tuple(tags.values())[:MAX_TAGS]


MAX_CAPTION_WORDS = 300  # words in the text of a gallery or video; a longer text is an article
_PATTERNS_OF_KINDS: tuple[tuple[re.Pattern[str], Kind], ...] = (
    (re.compile(r"^liveblogposting$"), "live"),
    (re.compile(r"^(?:imagegallery|mediagallery)$|^(?:gallery|photo ?gallery)$"), "gallery"),
    (re.compile(r"^(?:videoobject|newsvideo)$|^video(?:\.|$)"), "video"),
)
_ARTICLE_TYPE = re.compile(r"(?:article|posting|report|review|recipe)$")
_LIVE_PATH = lazy_pattern(  # "/live/", "/story-liveblog"
    r"(?:^|/)(?:live|en-direct|diretta|na-zywo)(?:/|$)|(?:^|[/_-])(?:live-?blog"
    r"|live-?ticker|newsticker|minuto-a-minuto|relacja-na-zywo)(?:[/_.-]|$)"
)


def declared_kind(declared: Iterable[str], url: str, text: str) -> Kind | None:
    """Return ``gallery``, ``live`` or ``video`` as declared, ``live`` if the path says so, or None.

    A page that is also declared to be an article is a gallery or video only if its text is short.
    """
    types = list(declared)
    if _LIVE_PATH.search(split_url(url).path.lower()):
        return "live"
    is_article = any(map(_ARTICLE_TYPE.search, types))
    for pattern, kind in _PATTERNS_OF_KINDS:
        if any(map(pattern.search, types)) and (
            kind == "live" or not is_article or count_words(text) <= MAX_CAPTION_WORDS
        ):
            return kind
    return None
