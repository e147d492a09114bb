"""Metadata of an article, combined from everything that its page declares and displays."""

import html
import re
from collections.abc import Collection, Iterable, Mapping

from detourage.article import ArticleMetadata, TextDirection
from detourage.html.addresses import absolute, base_of, split_url
from detourage.html.nodes import Node
from detourage.metadata import bylines, dates
from detourage.metadata.bylines import names_in, without_repeats
from detourage.metadata.declared import Record, read_json_ld, read_metas, read_microdata
from detourage.metadata.surroundings import Surroundings
from detourage.metadata.wires import wire_of
from detourage.reader.finding import FoundBody
from detourage.reader.outline import Outline
from detourage.roles import Kind
from detourage.text import words
from detourage.text.dates import date_in_path
from detourage.text.texts import count_words
from detourage.text.words import listed, squash

MAX_TAGS = 30  # tags; a longer list consists of keywords for search engines
MAX_TAG_CHARACTERS = 60  # length, in characters, of a tag or section; a longer one is a sentence

# The name of an account or a feed.
_ACCOUNT = re.compile(r"^(?:\S+ )?[a-z]+$")
_MEDIA_WORDS = listed(
    "the post times news herald tribune gazette journal chronicle courier observer mail press daily"
    " weekly today online digital media magazine blog radio tv channel network world voice report"
    " review star sun guardian mirror standard express independent zeitung nachrichten blatt"
    " anzeiger kurier bote presse direkt wirtschaft diario periódico nación nacion hora noticias"
    " jornal correio folha giornale corriere gazzetta monde figaro echos gazeta dziennik"
    " haber gazetesi dagblad nieuws posten tidningen газета новости"
)
_BETWEEN_TAGS = re.compile(r"(?:(?<!\s)\s+)?+[,;，；、|]\s*")


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
    """Read the metadata of an article, preferring JSON-LD to microdata and ``meta`` elements.

    Displayed names of authors rank second, after JSON-LD. `template_lines` holds the digests of
    lines that also occur on other pages of the template and therefore belong to the site.
    """
    head = page.declarations
    json_ld = read_json_ld(head)
    properties = page.document.values("itemprop")
    elements = [node for node in head if node.index in properties]
    elements += [
        Node(page.document, place) for place in page.flat.numbers.tolist() if place in properties
    ]
    microdata = read_microdata(elements, page.node(finding.container))
    metas = read_metas(head)
    declared = json_ld + microdata + metas
    surroundings = Surroundings(page, finding, heading, template_lines)
    address = split_url(url)
    base = base_of(page.root, url)
    host = (address.hostname or "").removeprefix("www.")
    sites = {squash(name) for name in (*declared.sites, host)}
    not_sections = {*sites, squash(title or ""), ""}
    sections = (name for name in declared.sections if len(name) <= MAX_TAG_CHARACTERS)
    language = dates.written_language(
        language, host, page.metas.get("og:locale"), page.root.get("lang"), *declared.languages
    )
    shown, shown_modified = bylines.shown_dates(surroundings.notes, language)
    modified = dates.modification_date(declared, shown_modified, language)
    published = dates.publication_date(declared, shown, date_in_path(address.path), language)
    age = "" if published is not None else bylines.shown_age(surroundings.notes)
    published = (
        published
        or modified
        or dates.publication_date_elsewhere(surroundings, shown, title or "", language)
    )
    return ArticleMetadata(
        authors=_authors(
            (json_ld, microdata, metas), bylines.shown_authors(surroundings.notes, sites), sites
        ),
        published=published,
        modified=modified,
        age=age,
        address=_canonical(metas.addresses + json_ld.addresses, url),
        section=next((name for name in sections if squash(name) not in not_sections), None),
        tags=_tags(declared),
        is_paid=declared.access[0] == "paid" if declared.access else None,
        kind=declared_kind(declared.kinds, url, text) or "article",
        wire=wire_of(surroundings.notes, text, declared.authors),
        site_name=_text(metas.sites + json_ld.sites + microdata.sites),
        description=_text(declared.descriptions),
        image=_first_absolute(metas.images + json_ld.images, base),
        favicon=_first_absolute(metas.icons, base),
        text_direction=_direction(page, finding.container),
    )


MAX_TEXT = 1_000  # length of a declared description or name, in characters; the rest is cut off

MAX_ADDRESS = 2_000  # length of an image's URL, in characters; a longer URL contains the image

_DIRECTIONS: Mapping[str, TextDirection] = {"ltr": "ltr", "rtl": "rtl"}


def _text(values: Iterable[str]) -> str | None:
    return next((words.clean(html.unescape(value))[:MAX_TEXT] for value in values), None)


def _first_absolute(addresses: Iterable[str], base: str) -> str | None:
    short = (address for address in addresses if len(address) <= MAX_ADDRESS)
    return next(filter(None, (absolute(address, base) for address in short)), None)


def _direction(page: Outline, index: int) -> TextDirection | None:
    """Return the text direction that the nearest element around a body declares."""
    declared = page.flat.values("dir")
    while index >= 0:
        direction = _DIRECTIONS.get(declared.get(index, "").strip().lower())
        if direction is not None:
            return direction
        index = page.parents[index]
    return None


def _authors(
    records: Collection[Record], shown: tuple[str, ...], sites: Collection[str]
) -> tuple[str, ...]:
    """Return the authors in JSON-LD if they may be persons, or else displayed or other ones."""
    in_json, *others = (
        without_repeats(name for value in record.authors for name in names_in(value, sites))
        for record in records
    )
    if shown and all(map(_ACCOUNT.search, in_json)):
        return shown
    found = next(filter(None, (in_json, shown, *others)), ())
    known = {*map(squash, found)}
    # A content management system may declare only the first of several authors.
    if known < {*map(squash, shown)} and all(" " in name for name in shown):
        return shown
    # The author of a personal blog may have its name.
    return found or next(filter(None, map(_persons, records)), ())


def _persons(record: Record) -> tuple[str, ...]:
    """Return the declared authors that have the names of persons, not of media."""
    names = (name for value in record.authors for name in names_in(value, is_byline=True))
    return without_repeats(
        name for name in names if " " in name and _MEDIA_WORDS.isdisjoint(name.lower().split())
    )


def _canonical(addresses: Iterable[str], url: str) -> str | None:
    """Return the first absolute URL that is not a home page and so may be the article's."""
    found = filter(None, (absolute(address, url) for address in addresses))
    split = ((each, split_url(each)) for each in found)
    return next((each for each, at in split if at.path not in ("", "/") or at.query), None)


def _tags(declared: Record) -> tuple[str, ...]:
    tags: dict[str, str] = {}
    for value in declared.tags:
        for tag in _BETWEEN_TAGS.split(value):
            if tag and len(tag) <= MAX_TAG_CHARACTERS:
                tags.setdefault(tag.casefold(), tag)
    return tuple(tags.values())[:MAX_TAGS]


MAX_CAPTION_WORDS = 300  # words in the text of a gallery or video page; a longer text is an article

_DECLARED: tuple[tuple[re.Pattern[str], Kind], ...] = (
    (re.compile(r"^liveblogposting$"), "live"),
    (re.compile(r"^(?:imagegallery|mediagallery)$|^(?:gallery|photo ?gallery)$"), "gallery"),
    (re.compile(r"^(?:videoobject|newsvideo)$|^video(?:\.|$)"), "video"),
)
_DECLARED_ARTICLE = re.compile(r"(?:article|posting|report|review|recipe)$")


_LIVE_PATH = re.compile(
    r"(?:^|/)(?:live|en-direct|diretta|na-zywo)(?:/|$)|(?:^|[/_-])(?:live-?blog"
    r"|live-?ticker|newsticker|minuto-a-minuto|relacja-na-zywo)(?:[/_.-]|$)"
)


def declared_kind(declared: Iterable[str], url: str, text: str) -> Kind | None:
    """Return ``gallery``, ``live`` or ``video`` if declared (or, for ``live``, in the path)."""
    found = list(declared)
    if _LIVE_PATH.search(split_url(url).path.lower()):
        return "live"
    is_article = any(map(_DECLARED_ARTICLE.search, found))
    return next(
        (
            kind
            for pattern, kind in _DECLARED
            if any(map(pattern.search, found))
            and (kind == "live" or not is_article or count_words(text) <= MAX_CAPTION_WORDS)
        ),
        None,
    )
