"""Values that a page declares in its head, in JSON-LD and in microdata.

JSON-LD is often invalid: it contains comments, too many or too few commas, quotation marks within
strings or written as HTML entities, or several objects in a row, or it is cut off. It is read as
far as possible.
"""

import html
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import islice
from typing import Any, Final, Self
from urllib.parse import unquote

from detourage.html.names import split_name
from detourage.html.nodes import AnyElement
from detourage.text import words
from detourage.text.caches import cached_if_short
from detourage.text.words import listed

ARTICLE_TYPE: Final = re.compile(r"(?:article|posting|report|story|review|recipe|creativework)$")
"""Pattern for declared types, in lower case, that make an item an article."""

PAGE_TYPE: Final = re.compile(r"(?:webpage|itempage)$")
"""Pattern for declared types, in lower case, that make an item the page itself."""


@dataclass(frozen=True)
class Record:
    """The unvalidated values from one source, in page order, each on a single line."""

    titles: tuple[str, ...] = ()
    descriptions: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    published: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    """Types of the described item in lower case, such as ``newsarticle`` and ``video.other``."""

    sites: tuple[str, ...] = ()
    """Names of the site and of the publisher."""

    images: tuple[str, ...] = ()
    """URLs of the lead image, possibly relative."""

    icons: tuple[str, ...] = ()
    """URLs of the site's icon, possibly relative."""

    access: tuple[str, ...] = ()
    """``free`` or ``paid``, if the source declares whether the article is free to read."""

    @classmethod
    def of(cls, values: Mapping[str, Iterable[str]]) -> Self:
        """Build a record from values keyed by field name, dropping duplicates."""
        return cls(**{name: tuple(dict.fromkeys(found)) for name, found in values.items()})

    def __add__(self, other: "Record") -> "Record":
        """Return the values of both records, those of the left operand first."""
        names = [field.name for field in fields(self)]
        return Record.of({name: (*getattr(self, name), *getattr(other, name)) for name in names})


MAX_METAS = 500  # ``meta`` and ``link`` elements examined per page

_FIELD_BY_NAME = {
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

_ICONS = listed("icon apple-touch-icon")

MAX_NAME = 200  # length of an element's name, in characters; the rest is ignored

# The first matching pattern wins. The patterns match the words of a name, joined by single spaces.
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
        (r"^datepublished$|(?:^| )date$", "published"),
        (r"^(?:dc|dcterms) (?:date|created|issued)(?: |$)", "published"),
        (r"(?:^| )(?:author|authors|creator|byl|byline)(?: names?)?$", "authors"),
        (r"(?:^| )section(?: name)?$", "sections"),
        (r"(?:^| )tags?$", "tags"),
        (r"(?:^| )(?:content ?tier|access|paywall)$", "access"),
    )
)


_ACCESS = {
    **dict.fromkeys(("free", "false", "no", "open"), "free"),
    **dict.fromkeys(("locked", "metered", "paid", "premium", "true", "yes"), "paid"),
}


def read_metas(elements: Iterable[AnyElement]) -> Record:
    """Read the declarations about the page's article from ``meta`` and ``link`` elements."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for element in islice(elements, MAX_METAS):
        if element.tag == "link":
            address = words.clean(element.get("href") or "")
            relations = (element.get("rel") or "").lower().split()
            if address and relations == ["canonical"]:
                found["addresses"].insert(0, address)
            elif address and not _ICONS.isdisjoint(relations):
                found["icons"].insert(0 if "icon" in relations else len(found["icons"]), address)
            continue
        is_property = element.get("itemprop") is not None and element.get("property") is None
        if element.tag != "meta" or is_property:
            continue
        content = words.clean(element.get("content") or "")
        name = element.get("property") or element.get("name") or ""
        field = _field(name.strip()) if content and name else ""
        value = _ACCESS.get(content.lower()) if field == "access" else content
        if field and value is not None:
            found[field].append(value)
    return Record.of(found)


@cached_if_short(1024)
def _field(name: str) -> str:
    field = _FIELD_BY_NAME.get(name.lower())
    if field is not None:
        return field
    spelled = " ".join(split_name(unquote(name[:MAX_NAME])))
    return next((field for pattern, field in _FIELD_PATTERNS if pattern.search(spelled)), "")


MAX_PROPERTIES = 500  # properties examined per page
MAX_VALUE = 300  # length of a value, in characters; a longer value is the text of the article

_FIELDS = {
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
    """Read what microdata declares about the item around `container`, or else the first item."""
    properties = [element for element in elements if element.get("itemprop")][:MAX_PROPERTIES]
    by_scope: defaultdict[Any, list[AnyElement]] = defaultdict(list)
    kinds: dict[Any, str] = {}
    for element in properties:
        if (element.get("itemprop") or "").strip().lower() not in _FIELDS:
            continue
        scope = next(
            (each for each in element.iterancestors() if each.get("itemscope") is not None), None
        )
        kind = _kind(scope)
        if scope is None or ARTICLE_TYPE.search(kind) or PAGE_TYPE.search(kind):
            by_scope[scope].append(element)
            kinds[scope] = kind
    if not by_scope:
        return Record()
    around = {container, *container.iterancestors()}
    articles = [scope for scope, kind in kinds.items() if ARTICLE_TYPE.search(kind)]
    main = next((scope for scope in articles if scope in around), next(iter(articles), None))
    found: defaultdict[str, list[str]] = defaultdict(list)
    if main is not None:
        found["kinds"].append(kinds[main])
    for scope in dict.fromkeys((main, *(s for s in kinds if s in around or s is None))):
        for element in by_scope.get(scope, ()):
            field = _FIELDS[(element.get("itemprop") or "").strip().lower()]
            text = _value(element)
            if text and len(text) <= MAX_VALUE:
                found[field].append(text)
    free = found.pop("access", [])
    found["access"] = ["free" if each.lower() == "true" else "paid" for each in free[:1]]
    return Record.of(found)


def _kind(scope: AnyElement | None) -> str:
    kind = (scope.get("itemtype") or "") if scope is not None else ""
    return kind.strip().rstrip("/").rsplit("/", 1)[-1].lower()


def _value(element: AnyElement) -> str:
    for name in ("content", "datetime", *(("title",) if element.tag == "abbr" else ())):
        value = element.get(name)
        if value:
            return words.clean(value)
    if element.get("itemscope") is not None:
        named = next((e for e in element.iter() if e.get("itemprop") == "name"), None)
        if named is not None:
            return words.clean(named.get("content") or named.text_content())
    if element.tag in ("link", "a") and not element.text_content().strip():
        return words.clean(element.get("href") or "")
    return words.clean(element.text_content())


MAX_CHARACTERS = 1_000_000  # characters of JSON-LD read per page
MAX_NODES = 5_000  # objects examined per page
MAX_DEPTH = 12  # nesting depth of objects and lists
MAX_VALUES = 100  # values per property

_TYPE = re.compile(r"^\s*application/ld\+json\b", re.IGNORECASE)
_WRAPPING = re.compile(r"<!--|-->|<!\[CDATA\[|\]\]>")
# A quotation mark ends a string only if it is followed by a colon, a bracket, a comma and a value,
# or another property. The spaces after each mark are examined only once, so the time is linear.
_LITERAL_OR_MORE = r'["\[\]{}\d-]|(?:true|false|null)\b|/[*/]'
_ENDS_KEY = r"\s*+(?:[:,}\]]|\Z)"
_ENDS_TEXT = rf'\s*+(?:[}}\]]|\Z|,\s*+(?:{_LITERAL_OR_MORE}|\Z)|"[@\w]{{1,40}}+"\s*+:)'
_KEY, _TEXT = (
    re.compile(rf'"(?P<text>(?:[^"\\]|\\.|"(?!{end}))*+)(?P<end>")?', re.DOTALL)
    for end in (_ENDS_KEY, _ENDS_TEXT)
)
_OTHER = re.compile(r"\s++|/\*.*?(?:\*/|\Z)|//[^\n]*+|[{}\[\],:]|[^\s\"{}\[\],:]++", re.DOTALL)
_ESCAPE = re.compile(r'\\(u[0-9a-fA-F]{4}|["\\/bfnrt])?|"')
_OPENING: Mapping[str, Callable[[], Any]] = {"{": dict, "[": list}
_CLOSING = ("}", "]")
_AROUND = "\ufeff\u200b\u2060 \t\r\n\f;/"

_MEDIA = re.compile(r"(?:videoobject|gallery|audioobject|newsvideo)$")
_SITE = re.compile(r"^(?:website|blog|organization|newsmediaorganization)$")

# Properties whose values do not describe the article itself.
_OTHER_PROPERTIES = listed(
    "comment comments citation relatedlink hasparts mentions about review reviews aggregaterating"
    " itemlistelement author creator contributor editor publisher image thumbnail video"
    " associatedmedia sourceorganization copyrightholder potentialaction breadcrumb"
)

_Node = Mapping[str, Any]


def read_json_ld(elements: Iterable[AnyElement]) -> Record:
    """Read the declarations about the page's article from ``script`` elements."""
    nodes = list(_walk(_values_of(elements)))
    known = {str(node["@id"]): node for node in reversed(nodes) if "@id" in node and len(node) > 2}
    found: defaultdict[str, list[str]] = defaultdict(list)
    for node in nodes:
        if any(_SITE.search(kind) for kind in _kinds(node)):
            found["sites"].extend(_texts(node.get("name"), known))
    articles, media, pages = (
        [node for node in nodes if any(map(kind.search, _kinds(node)))]
        for kind in (ARTICLE_TYPE, _MEDIA, PAGE_TYPE)
    )
    # The page, and a video or gallery, may supply what is missing.
    main = articles[:1] or (media if len(media) == 1 else [])
    for node in (*main, *pages[:1]):
        _read(node, known, found)
    return Record.of(found)


def parse_tolerant(text: str) -> list[Any]:
    """Return the consecutive JSON values in a text, which may be malformed or cut off."""
    text = _WRAPPING.sub(" ", text).strip(_AROUND)
    values, is_complete = _decode(text)
    if is_complete:
        return values
    if '"' not in text:
        text = html.unescape(text)
        values, is_complete = _decode(text)
    return values if is_complete else _salvaged(text)


def _decode(text: str) -> tuple[list[Any], bool]:
    decoder = json.JSONDecoder(strict=False, parse_int=str, parse_float=str)
    values: list[Any] = []
    position = 0
    while position < len(text):
        if text[position].isspace() or text[position] in ",;":
            position += 1
            continue
        try:
            value, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            return values, False
        values.append(value)
    return values, True


MAX_OPEN = 100  # nesting depth of malformed JSON; the rest of a deeper text is ignored
MAX_TOKENS = 50_000  # strings, brackets and so on of malformed JSON; the rest is ignored


def _salvaged(text: str) -> list[Any]:
    """Read malformed JSON in a single pass; any closing bracket closes the innermost value."""
    values: list[Any] = []
    around: list[tuple[Any, str | None]] = []
    inner: Any = values
    key: str | None = None
    position = 0
    for _ in range(MAX_TOKENS):
        if position >= len(text) or len(around) >= MAX_OPEN:
            break
        is_key = isinstance(inner, dict) and key is None
        match = (_KEY if is_key else _TEXT).match(text, position) or _OTHER.match(text, position)
        assert match is not None
        position = match.end()
        if match[0] in _CLOSING and around:
            inner, key = around.pop()
        elif match[0] == "," and isinstance(inner, dict):
            key = None
        value = _value_at(match)
        if is_key:
            key = value if isinstance(value, str) else None
        elif value is not None:
            if isinstance(inner, dict):
                inner[key], key = value, None
            elif around or isinstance(value, dict | list):
                inner.append(value)
            if isinstance(value, dict | list):
                around.append((inner, None))
                inner = value
    return values


def _value_at(match: re.Match[str]) -> Any:
    """Return the value that begins with a token of malformed JSON, or None."""
    found = match[0]
    if found[0] == '"':
        return _unescaped(match["text"]) if match["end"] else None
    if found in _OPENING:
        return _OPENING[found]()
    if found in ("true", "false"):
        return found == "true"
    return found if found.lstrip("-")[:1].isdecimal() else None


def _unescaped(text: str) -> str:
    """Decode the escapes of a JSON string; a backslash that escapes nothing is kept."""
    if "\\" not in text:
        return text
    valid = _ESCAPE.sub(lambda match: match[0] if match[1] else "\\" + match[0], text)
    found: str = json.loads(f'"{valid}"', strict=False)
    return found


def _values_of(elements: Iterable[AnyElement]) -> list[Any]:
    values: list[Any] = []
    remaining = MAX_CHARACTERS
    for element in elements:
        if element.tag != "script" or not _TYPE.match(element.get("type") or ""):
            continue
        if text := element.text:
            remaining -= len(text)
            if remaining < 0:
                break
            values.extend(parse_tolerant(text))
    return values


def _walk(values: list[Any]) -> Iterator[_Node]:
    """Yield objects, outer ones first, except the values of `_OTHER_PROPERTIES`."""
    pending: list[tuple[Any, int]] = [(value, 0) for value in reversed(values)]
    seen = 0
    while pending and seen < MAX_NODES:
        value, depth = pending.pop()
        seen += 1
        if isinstance(value, list):
            inner: list[Any] = value
        elif isinstance(value, dict):
            yield value
            inner = [each for key, each in value.items() if key.lower() not in _OTHER_PROPERTIES]
        else:
            continue
        if depth < MAX_DEPTH:
            pending.extend(
                (each, depth + 1) for each in reversed(inner) if isinstance(each, dict | list)
            )


def _read(node: _Node, known: Mapping[str, _Node], found: defaultdict[str, list[str]]) -> None:
    """Add a node's properties to `found`; a page supplies only what is missing, and no title."""
    is_page = any(map(PAGE_TYPE.search, _kinds(node)))
    found["kinds"].extend(_kinds(node))
    for field, names in _PROPERTIES.items():
        if is_page and (field == "titles" or found[field]):
            continue
        for name in names:
            found[field].extend(_texts(node.get(name), known))
    found["sites"].extend(_texts(node.get("publisher"), known))
    found["images"].extend(_addresses(node.get("image"), known))
    free = _texts(node.get("isAccessibleForFree"), {})
    for each in free[:1]:
        value = each.strip().rsplit("/", 1)[-1].lower()
        found["access"].append("free" if value in {"true", "1", "yes"} else "paid")


_PROPERTIES: Mapping[str, tuple[str, ...]] = {
    "titles": ("headline", "name"),
    "descriptions": ("description",),
    "authors": ("author", "creator"),
    "published": ("datePublished", "uploadDate", "dateCreated"),
    "modified": ("dateModified",),
    "languages": ("inLanguage",),
    "addresses": ("mainEntityOfPage", "url"),
    "sections": ("articleSection",),
    "tags": ("keywords",),
}


def _kinds(node: _Node) -> list[str]:
    value = node.get("@type")
    values = value if isinstance(value, list) else [value]
    return [each.rsplit("/", 1)[-1].lower() for each in values[:10] if isinstance(each, str)]


def _texts(value: Any, known: Mapping[str, _Node]) -> list[str]:
    """Return the texts in a value, which may be a text, a list, or an object with a name."""
    texts: list[str] = []
    pending: list[tuple[Any, int]] = [(value, 0)]
    while pending and len(texts) < MAX_VALUES:
        value, depth = pending.pop()
        if isinstance(value, bool):
            texts.append("true" if value else "false")
        elif isinstance(value, str):
            text = words.clean(html.unescape(value))
            if text:
                texts.append(text)
        elif depth < 4 and isinstance(value, list):
            pending.extend((each, depth + 1) for each in reversed(value[:MAX_VALUES]))
        elif depth < 4 and isinstance(value, dict):
            name = value.get("@id")
            if isinstance(name, str) and name in known:
                value = {**known[name], **value}
            parts = [value.get(part) for part in ("givenName", "familyName")]
            named = value.get("name") or " ".join(part for part in parts if isinstance(part, str))
            named = named or value.get("@value") or value.get("@id") or value.get("url")
            pending.append((named, depth + 1))
    return texts


def _addresses(value: Any, known: Mapping[str, _Node]) -> list[str]:
    """Return the URLs of images, which may be texts, lists or objects."""
    values = value[:MAX_VALUES] if isinstance(value, list) else [value]
    objects = (
        known.get(str(each.get("@id")), each) if isinstance(each, dict) else {"url": each}
        for each in values
    )
    return [
        words.clean(address)
        for each in objects
        if isinstance(address := each.get("url") or each.get("contentUrl"), str)
    ]
