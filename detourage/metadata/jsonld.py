"""Declarations in JSON-LD, using the schema.org vocabulary.

JSON-LD is often invalid: it contains comments, trailing commas, quotes written as HTML entities, or
several objects in a row. Anything that cannot be parsed is ignored, without raising an exception.
"""

import html
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from detourage.html.nodes import AnyElement
from detourage.metadata.record import ARTICLE_TYPE, PAGE_TYPE, Record
from detourage.text import words
from detourage.text.wordlists import listed

MAX_CHARACTERS = 1_000_000
"""Maximum number of characters of JSON-LD read per page."""

MAX_NODES = 5_000
"""Maximum number of objects examined per page."""

MAX_DEPTH = 12
"""Maximum nesting depth of objects and lists."""

MAX_VALUES = 100
"""Maximum number of values per property."""

_TYPE = re.compile(r"^\s*application/ld\+json\b", re.IGNORECASE)
_WRAPPING = re.compile(r"<!--|-->|<!\[CDATA\[|\]\]>")
# An unclosed string or comment extends to the end of the text, so the text is searched only once.
_KEPT_OR_FAULT = re.compile(
    r'(?P<kept>"(?:[^"\\]|\\.)*+(?:"|\\?+\Z))|/\*.*?\*/|(?P<rest>/\*.*+)'
    r"|(?<![:\w])//[^\n]*|,(?=\s*+[}\]])|;\s*+\Z",
    re.DOTALL,
)
_ESCAPE = re.compile(r'\\(?!["\\/bfnrtu])')

_MEDIA = re.compile(r"(?:videoobject|gallery|audioobject|newsvideo)$")
_SITE = re.compile(r"^(?:website|blog|organization|newsmediaorganization)$")

# Properties whose values do not describe the article itself.
_OTHERS = listed(
    "comment comments citation relatedlink hasparts mentions about review reviews"
    " aggregaterating"
    " itemlistelement author creator contributor editor publisher image thumbnail video"
    " associatedmedia"
    " sourceorganization copyrightholder potentialaction breadcrumb"
)

_Node = Mapping[str, Any]


def read_json_ld(elements: Iterable[AnyElement], is_this: Callable[[str], bool]) -> Record:
    """Read the declarations about the page's article from ``script`` elements.

    `is_this` returns whether a URL or title is the page's own; it identifies the article among the
    objects.
    """
    nodes = list(_walk(_values_of(elements)))
    known = {str(node["@id"]): node for node in reversed(nodes) if "@id" in node and len(node) > 2}
    found: defaultdict[str, list[str]] = defaultdict(list)
    for node in nodes:
        if any(_SITE.search(kind) for kind in _kinds(node)):
            found["sites"].extend(_texts(node.get("name"), known))
    articles = [node for node in nodes if any(map(ARTICLE_TYPE.search, _kinds(node)))]
    for main in (_main(articles, is_this), *_others(nodes, articles, is_this)):
        if main is not None:
            _read(main, known, found)
    return Record.of(found)


def parse_tolerant(text: str) -> list[Any]:
    """Return the consecutive JSON values in a text, up to the first that cannot be parsed."""
    text = _WRAPPING.sub(" ", text).strip().rstrip(";")
    for repair in (str, html.unescape, _without_faults, _with_escapes):
        text = repair(text)
        values, is_complete = _decode(text)
        if is_complete:
            break
    return values


def _without_faults(text: str) -> str:
    return _KEPT_OR_FAULT.sub(lambda match: match["kept"] or match["rest"] or " ", text)


def _with_escapes(text: str) -> str:
    return _ESCAPE.sub(r"\\\\", text)


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


def _values_of(elements: Iterable[AnyElement]) -> list[Any]:
    values: list[Any] = []
    left = MAX_CHARACTERS
    for element in elements:
        if element.tag != "script" or not _TYPE.match(element.get("type") or ""):
            continue
        if text := element.text:
            left -= len(text)
            if left < 0:
                break
            values.extend(parse_tolerant(text))
    return values


def _walk(values: list[Any]) -> Iterator[_Node]:
    """Yield objects, outer ones first, except those that are values of `_OTHERS` properties."""
    pending: list[tuple[Any, int]] = [(value, 0) for value in reversed(values)]
    seen = 0
    while pending and seen < MAX_NODES:
        value, depth = pending.pop()
        seen += 1
        if isinstance(value, list):
            inner: list[Any] = value
        elif isinstance(value, dict):
            yield value
            inner = [each for key, each in value.items() if key.lower() not in _OTHERS]
        else:
            continue
        if depth < MAX_DEPTH:
            pending.extend(
                (each, depth + 1) for each in reversed(inner) if isinstance(each, dict | list)
            )


def _main(articles: list[_Node], is_this: Callable[[str], bool]) -> _Node | None:
    """Choose the object that describes the page's own article."""
    if len(articles) < 2:
        return articles[0] if articles else None
    for node in articles:
        addresses = [*_texts(node.get("mainEntityOfPage"), {}), *_texts(node.get("url"), {})]
        addresses += _texts(node.get("@id"), {})
        titles = [*_texts(node.get("headline"), {}), *_texts(node.get("name"), {})]
        if any(is_this(value) for value in (*addresses, *titles)):
            return node
    return articles[0]


def _others(
    nodes: list[_Node], articles: list[_Node], is_this: Callable[[str], bool]
) -> Iterator[_Node | None]:
    """Yield objects that may supply missing values: a video or gallery, then the page."""
    if not articles:
        media = [node for node in nodes if any(map(_MEDIA.search, _kinds(node)))]
        yield _main(media, is_this) if len(media) == 1 else None
    yield next((node for node in nodes if any(map(PAGE_TYPE.search, _kinds(node)))), None)


def _read(node: _Node, known: Mapping[str, _Node], found: defaultdict[str, list[str]]) -> None:
    is_page = any(map(PAGE_TYPE.search, _kinds(node)))
    found["kinds"].extend(_kinds(node))
    for field, names in _PROPERTIES.items():
        if is_page and (field == "titles" or found[field]):
            continue
        for name in names:
            found[field].extend(_texts(node.get(name), known))
    found["sites"].extend(_texts(node.get("publisher"), known))
    free = _texts(node.get("isAccessibleForFree"), {})
    found["access"].extend("free" if _is_true(each) else "paid" for each in free[:1])


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


def _is_true(text: str) -> bool:
    return text.strip().rsplit("/", 1)[-1].lower() in {"true", "1", "yes"}


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
            named = value.get("name") or value.get("@value") or value.get("@id") or value.get("url")
            pending.append((named, depth + 1))
    return texts
