"""Values that a page declares in its head and in microdata; `json_ld` reads those in JSON-LD."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any, Final, NamedTuple, Self
from urllib.parse import unquote

import numpy as np

from detourage.html.class_name_splitting import split_name
from detourage.html.flat import FlatDocument
from detourage.html.head import metas_of
from detourage.html.nodes import AnyElement
from detourage.metadata.bylines import without_mark
from detourage.text import words
from detourage.text.caches import cached_if_short
from detourage.text.lazy_patterns import lazy_pattern
from detourage.text.words import word_set

# Patterns of the declared types, in lower case, of an article and of the page itself
ARTICLE_TYPE: Final = lazy_pattern(r"(?:article|posting|report|story|review|recipe|creativework)$")
PAGE_TYPE: Final = lazy_pattern(r"(?:webpage|itempage)$")
_MEDIA_TYPE = lazy_pattern(r"(?:videoobject|gallery|audioobject|newsvideo)$")
ITEM_TYPES = (ARTICLE_TYPE, _MEDIA_TYPE, PAGE_TYPE)


class Record(NamedTuple):
    """The unvalidated values from one source, as single lines in page order."""

    titles: tuple[str, ...] = ()
    descriptions: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    published: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()  # types in lower case, such as ``newsarticle``, ``video.other``
    sites: tuple[str, ...] = ()  # names of the site and of the publisher
    images: tuple[str, ...] = ()  # URLs of the lead image, possibly relative
    icons: tuple[str, ...] = ()  # URLs of the site's icon, possibly relative
    access: tuple[str, ...] = ()  # ``free`` or ``paid``, if the source declares it

    @classmethod
    def of(cls, values: Mapping[str, Iterable[str]]) -> Self:
        """Build a record from values keyed by field name, dropping duplicates."""
        return cls(**{name: tuple(dict.fromkeys(each)) for name, each in values.items()})

    @classmethod
    def joined(cls, *records: Self) -> Self:
        """Return a record with the values of several records, in the order of the records."""
        columns = zip(*records, strict=True)
        return cls(*(tuple(dict.fromkeys(chain.from_iterable(each))) for each in columns))


MAX_METAS = 500  # ``meta`` elements, and ``link`` elements, examined per page
_FIELD_BY_META_NAME = {
    name: field
    for field, names in (
        ("titles", "og:title twitter:title"),
        ("descriptions", "og:description description twitter:description"),
        ("sites", "og:site_name application-name publisher"),
        ("images", "og:image og:image:url og:image:secure_url twitter:image twitter:image:src"),
        ("kinds", "og:type"),
        ("addresses", "og:url"),
        ("tags", "keywords news_keywords"),
        ("published", "date"),
    )
    for name in names.split()
}
_ICON_RELATIONS = word_set("icon apple-touch-icon")
MAX_NAME = 200  # length of a ``meta`` element's name, in characters; the rest is ignored
# Patterns of names, given as words joined by spaces. The first match determines a name's field.
_FIELD_PATTERNS = tuple(
    (re.compile(pattern), field)
    for pattern, field in (
        (r"\b(?:twitter|fb|google|msapplication|verification|image|video|expir)", ""),
        (r"\b(?:modified|updated|modification|lastmod|revised|update|revision)\b", "modified"),
        (
            r"(?>^.*?\b(?:date|dat|time|on)\b).*\b(?:pub\w*|created?|issued|release|original)\b",
            "published",
        ),
        (
            r"(?>^.*?\b(?:pub\w*|created?|issued|release|original|article)\b).*\b(?:date|time|on)\b",
            "published",
        ),
        (r"(?:^| )(?:pub|publish|published|publication)(?:date|time)$", "published"),
        (r"^datepublished$|(?:^| )date$|^article published$", "published"),
        (r"^(?:dc|dcterms) (?:date|created|issued)(?: |$)", "published"),
        (r"(?:^| )(?:author|authors|creator|byl|byline)(?: names?)?$", "authors"),
        (r"(?:^| )section(?: name)?$", "sections"),
        (r"(?:^| )tags?$", "tags"),
        (r"(?:^| )(?:content ?tier|access|paywall)$", "access"),
    )
)
_ACCESS_VALUES = {
    **dict.fromkeys(("free", "false", "no", "open"), "free"),
    **dict.fromkeys(("locked", "metered", "paid", "premium", "true", "yes"), "paid"),
}


def read_metas(document: FlatDocument) -> Record:
    """Return the values in ``meta`` and ``link`` elements."""
    values: defaultdict[str, list[str]] = defaultdict(list)
    microdata, properties, urls, relations = map(
        document.attributes.by_element, ("itemprop", "property", "href", "rel")
    )
    for element, name, content in metas_of(document)[:MAX_METAS]:
        is_microdata = element in microdata and element not in properties
        field = _field_of_meta(name) if content and not is_microdata else ""
        value = _ACCESS_VALUES.get(content.lower()) if field == "access" else content
        if field and value is not None:
            values[field].append(value)
    # WordPress declares the label "Written by" and the name in two elements.
    labels = {name.lower(): content for _, name, content in metas_of(document)[:MAX_METAS]}
    for number in "12":
        label = labels.get(f"twitter:label{number}")
        if label and not without_mark(label):
            values["authors"].append(labels.get(f"twitter:data{number}", ""))
    for link in np.flatnonzero(document.having(("link",)))[:MAX_METAS].tolist():
        field, is_first = _field_of_link(relations.get(link, ""))
        if field and (url := words.clean(urls.get(link, ""))):
            values[field].insert(0 if is_first else len(values[field]), url)
    return Record.of(values)


@cached_if_short(1024)
def _field_of_link(relations: str) -> tuple[str, bool]:
    """Return the field of `Record` for a ``link`` element, and whether its URL comes first."""
    relation = relations.lower().split()
    if "canonical" in relation:
        return "addresses", True
    if not _ICON_RELATIONS.isdisjoint(relation):
        return "icons", "icon" in relation
    return "images" if "image_src" in relation else "", False


@cached_if_short(1024)
def _field_of_meta(name: str) -> str:
    """Return the field of `Record` for a ``meta`` element's name, or an empty string."""
    field = _FIELD_BY_META_NAME.get(name.lower())
    if field is not None:
        return field
    name_words = " ".join(split_name(unquote(name[:MAX_NAME])))
    return next((field for pattern, field in _FIELD_PATTERNS if pattern.search(name_words)), "")


MAX_PROPERTIES = 500  # properties examined per page
MAX_VALUE = 300  # length of a value, in characters; a longer one is the text of the article
_FIELD_BY_PROPERTY = {
    "headline": "titles",
    "description": "descriptions",
    "author": "authors",
    "creator": "authors",
    "datepublished": "published",
    "datecreated": "published",
    "uploaddate": "published",
    "datemodified": "modified",
    "inlanguage": "languages",
    "mainentityofpage": "addresses",
    "articlesection": "sections",
    "keywords": "tags",
    "isaccessibleforfree": "access",
}


def read_microdata(elements: Iterable[AnyElement], container: AnyElement) -> Record:
    """Read the microdata of the article item that contains `container`, or else of the first one.

    If there is no article item, a single video or gallery is used. The other items that contain
    `container`, and properties outside any item, supply further values.
    """
    properties = [element for element in elements if element.get("itemprop")][:MAX_PROPERTIES]
    by_item: defaultdict[Any, list[AnyElement]] = defaultdict(list)
    types: dict[Any, str] = {}
    for element in properties:
        if (element.get("itemprop") or "").strip().lower() not in _FIELD_BY_PROPERTY:
            continue
        ancestors = element.iterancestors()
        item = next((each for each in ancestors if each.get("itemscope") is not None), None)
        item_type = (item.get("itemtype") or "") if item is not None else ""
        item_type = item_type.strip().rstrip("/").rsplit("/", 1)[-1].lower()
        if item is None or any(each.search(item_type) for each in ITEM_TYPES):
            by_item[item].append(element)
            types[item] = item_type
    if not by_item:
        return Record()
    enclosing = {container, *container.iterancestors()}
    articles = [item for item, item_type in types.items() if ARTICLE_TYPE.search(item_type)]
    media = [item for item, item_type in types.items() if _MEDIA_TYPE.search(item_type)]
    articles = articles or media[: len(media) == 1]
    main = next((item for item in articles if item in enclosing), next(iter(articles), None))
    values: defaultdict[str, list[str]] = defaultdict(list)
    if main is not None:
        values["kinds"].append(types[main])
    for item in dict.fromkeys(
        (main, *(each for each in types if each in enclosing or each is None))
    ):
        for element in by_item.get(item, ()):
            field = _FIELD_BY_PROPERTY[(element.get("itemprop") or "").strip().lower()]
            value = _property_value(element)
            if value and len(value) <= MAX_VALUE:
                values[field].append(value)
    is_free = values.pop("access", [])
    values["access"] = ["free" if each.lower() == "true" else "paid" for each in is_free[:1]]
    return Record.of(values)


def _property_value(element: AnyElement) -> str:
    """Return the value of a microdata property, from an attribute or the text."""
    for attribute in ("content", "datetime", *(("title",) if element.tag == "abbr" else ())):
        value = element.get(attribute)
        if value:
            return words.clean(value)
    if element.get("itemscope") is not None:
        name = next((each for each in element.iter() if each.get("itemprop") == "name"), None)
        if name is not None:
            return words.clean(name.get("content") or name.text_content())
    if element.tag in ("link", "a") and not element.text_content().strip():
        return words.clean(element.get("href") or "")
    return words.clean(element.text_content())
