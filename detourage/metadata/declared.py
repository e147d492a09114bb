"""Values that a page declares in its head, in JSON-LD and in microdata.

JSON-LD is often invalid. It may contain comments, superfluous commas, unescaped quotation marks, or
quotation marks as HTML entities; it may lack commas, consist of several objects, or be truncated.
Invalid JSON-LD is read as far as possible.
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Final, NamedTuple, Self
from urllib.parse import unquote

import numpy as np

from detourage.html.flat import FlatDocument
from detourage.html.head import metas_of
from detourage.html.names import split_name
from detourage.html.nodes import AnyElement, Node
from detourage.html.text import unescape
from detourage.text import words
from detourage.text.caches import cached_if_short
from detourage.text.patterns import lazy_pattern
from detourage.text.words import word_set

# Patterns of the declared types, in lower case, of an article and of the page itself
ARTICLE_TYPE: Final = lazy_pattern(r"(?:article|posting|report|story|review|recipe|creativework)$")
PAGE_TYPE: Final = lazy_pattern(r"(?:webpage|itempage)$")
_MEDIA_TYPE = lazy_pattern(r"(?:videoobject|gallery|audioobject|newsvideo)$")
_ITEM_TYPES = (ARTICLE_TYPE, _MEDIA_TYPE, PAGE_TYPE)


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
        (r"^datepublished$|(?:^| )date$", "published"),
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
    for link in np.flatnonzero(document.having(("link",)))[:MAX_METAS].tolist():
        relation = relations.get(link, "").lower().split()
        is_icon = not _ICON_RELATIONS.isdisjoint(relation)
        field = "addresses" if relation == ["canonical"] else "icons" if is_icon else "images"
        is_used = field != "images" or "image_src" in relation
        if is_used and (url := words.clean(urls.get(link, ""))):
            is_first = field == "addresses" or "icon" in relation
            values[field].insert(0 if is_first else len(values[field]), url)
    return Record.of(values)


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
        item_type = _item_type(item)
        if item is None or any(each.search(item_type) for each in _ITEM_TYPES):
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


def _item_type(item: AnyElement | None) -> str:
    """Return the type of a microdata item, such as ``newsarticle``, or an empty string."""
    item_type = (item.get("itemtype") or "") if item is not None else ""
    return item_type.strip().rstrip("/").rsplit("/", 1)[-1].lower()


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


MAX_CHARACTERS = 1_000_000  # characters of JSON-LD read per page
MAX_KEPT_CHARACTERS = 100_000  # characters of a script whose values are cached with its page
MAX_NODES = 5_000  # objects examined per page
MAX_DEPTH = 12  # nesting depth of objects and lists
MAX_VALUES = 100  # values per property
_JSON_LD = re.compile(r"\s*application/ld\+json\b", re.IGNORECASE)
_WRAPPING = lazy_pattern(r"<!--|-->|<!\[CDATA\[|\]\]>")
# A quotation mark ends a key or a text only if these patterns match after it, for example because
# of a colon or a bracket. Spaces after a mark are examined only once, so the time is linear.
_LITERAL_OR_MORE = r'["\[\]{}\d-]|(?:true|false|null)\b|/[*/]'
_ENDS_KEY = r"\s*+(?:[:,}\]]|\Z)"
_ENDS_TEXT = rf'\s*+(?:[}}\]]|\Z|,\s*+(?:{_LITERAL_OR_MORE}|\Z)|"[@\w]{{1,40}}+"\s*+:)'
_KEY, _TEXT = (
    re.compile(rf'"(?P<text>(?:[^"\\]|\\.|"(?!{end}))*+)(?P<end>")?', re.DOTALL)
    for end in (_ENDS_KEY, _ENDS_TEXT)
)
_OTHER_TOKEN = lazy_pattern(  # white space, a comment, a bracket, a comma, a colon, or a literal
    r"\s++|/\*.*?(?:\*/|\Z)|//[^\n]*+|[{}\[\],:]|[^\s\"{}\[\],:]++", re.DOTALL
)
_ESCAPE = lazy_pattern(r'\\(u[0-9a-fA-F]{4}|["\\/bfnrt])?|"')  # no group 1 if the escape is invalid
_OPENING: Mapping[str, Callable[[], Any]] = {"{": dict, "[": list}
_CLOSING = ("}", "]")
_AROUND_JSON = "\ufeff\u200b\u2060 \t\r\n\f;/"  # characters removed from both ends of a script
_SITE_TYPE = lazy_pattern(r"^(?:website|blog|organization|newsmediaorganization)$")
# Properties whose values describe something other than the article itself
_OTHER_PROPERTIES = word_set(
    "comment comments citation relatedlink hasparts mentions about review reviews aggregaterating"
    " itemlistelement author creator contributor editor publisher image thumbnail video"
    " associatedmedia sourceorganization copyrightholder potentialaction breadcrumb"
)
_DECODER = json.JSONDecoder(strict=False, parse_int=str, parse_float=str)
_Node = Mapping[str, Any]


def read_json_ld(scripts: Iterable[Node]) -> Record:
    """Return the values for the page's article in JSON-LD scripts."""
    nodes = list(_walk_objects(_parse_scripts(scripts)))
    # A node with an ID and at most one other key is only a reference to another node.
    described = [node for node in nodes if "@id" in node and len(node) > 2]
    nodes_by_id = {str(node["@id"]): node for node in reversed(described)}
    values: defaultdict[str, list[str]] = defaultdict(list)
    typed = [(node, types) for node in nodes if (types := _node_types(node))]
    sites, articles, media, pages = (
        [node for node, types in typed if any(map(pattern.search, types))]
        for pattern in (_SITE_TYPE, *_ITEM_TYPES)
    )
    for node in sites:
        values["sites"].extend(_read_texts(node.get("name"), nodes_by_id))
    # Without an article, use a single video or gallery. The page's node supplies missing values.
    main = articles[:1] or (media if len(media) == 1 else [])
    for node in (*main, *pages[:1]):
        _read_node(node, nodes_by_id, values)
    return Record.of(values)


def is_json_ld(media_type: str | None) -> bool:
    """Return whether the ``type`` of a script is that of JSON-LD."""
    return _JSON_LD.match(media_type or "") is not None


def json_ld_of(flat: FlatDocument) -> list[Node]:
    """Return the JSON-LD scripts of a document; the result is cached."""
    types = flat.attributes.by_element("type")
    nodes = (Node(flat, each) for each in types if is_json_ld(types[each]))
    return flat.once(json_ld_of, lambda: [each for each in nodes if each.tag == "script"])


def json_ld_in(script: Node) -> list[Any]:
    """Return the JSON values in a script; unless it is long, they are cached."""
    text = script.text or ""
    if len(text) > MAX_KEPT_CHARACTERS:
        return parse_tolerant(text)
    return script.flat.once((json_ld_in, script.index), lambda: parse_tolerant(text))


def parse_tolerant(text: str) -> list[Any]:
    """Return the consecutive JSON values in a text, which may be malformed or truncated."""
    # The pattern takes longer than decoding, and few scripts match it.
    may_be_wrapped = any(mark in text for mark in ("<!", "-->", "]]>"))
    text = (_WRAPPING.sub(" ", text) if may_be_wrapped else text).strip(_AROUND_JSON)
    values, is_complete = _decode(text)
    if is_complete:
        return values
    if '"' not in text:
        text = unescape(text)
        values, is_complete = _decode(text)
    return values if is_complete else _salvage(text)


def _decode(text: str) -> tuple[list[Any], bool]:
    """Return the valid JSON values at the start of a text, and whether nothing else follows."""
    values: list[Any] = []
    position = 0
    while position < len(text):
        if text[position].isspace() or text[position] in ",;":
            position += 1
            continue
        try:
            value, position = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            return values, False
        values.append(value)
    return values, True


MAX_OPEN = 100  # nesting depth at which malformed JSON is read no further
MAX_TOKENS = 50_000  # number of tokens after which malformed JSON is read no further


def _salvage(text: str) -> list[Any]:
    """Return the values in malformed JSON. Any closing bracket ends the innermost value."""
    values: list[Any] = []
    enclosing: list[tuple[Any, str | None]] = []  # objects and lists enclosing `inner`
    inner: Any = values  # the innermost open object or list
    key: str | None = None  # in an object, the key whose value follows
    position = 0
    for _ in range(MAX_TOKENS):
        if position >= len(text) or len(enclosing) >= MAX_OPEN:
            break
        is_key = isinstance(inner, dict) and key is None
        match = (_KEY if is_key else _TEXT).match(text, position) or _OTHER_TOKEN.match(
            text, position
        )
        assert match is not None
        position = match.end()
        if match[0] in _CLOSING and enclosing:
            inner, key = enclosing.pop()
        elif match[0] == "," and isinstance(inner, dict):
            key = None
        value = _value_of_token(match)
        if is_key:
            key = value if isinstance(value, str) else None
        elif value is not None:
            if isinstance(inner, dict):
                inner[key], key = value, None
            elif enclosing or isinstance(value, dict | list):
                inner.append(value)
            if isinstance(value, dict | list):
                enclosing.append((inner, None))
                inner = value
    return values


def _value_of_token(match: re.Match[str]) -> Any:
    """Return the value of a token, or None; for an opening bracket, an empty object or list."""
    literal = match[0]
    if literal[0] == '"':
        return _decode_escapes(match["text"]) if match["end"] else None
    if literal in _OPENING:
        return _OPENING[literal]()
    if literal in ("true", "false"):
        return literal == "true"
    return literal if literal.lstrip("-")[:1].isdecimal() else None


def _decode_escapes(text: str) -> str:
    """Return a JSON string with its escapes decoded; other backslashes are kept."""
    if "\\" not in text:
        return text
    valid = _ESCAPE.sub(lambda match: match[0] if match[1] else "\\" + match[0], text)
    decoded: str = json.loads(f'"{valid}"', strict=False)
    return decoded


def _parse_scripts(scripts: Iterable[Node]) -> list[Any]:
    """Return the JSON values in scripts, up to `MAX_CHARACTERS`."""
    values: list[Any] = []
    remaining = MAX_CHARACTERS
    for script in scripts:
        remaining -= len(script.text or "")
        if remaining < 0:
            break
        values.extend(json_ld_in(script))
    return values


def _walk_objects(values: list[Any]) -> Iterator[_Node]:
    """Yield JSON objects at any depth, outer ones first, but none within `_OTHER_PROPERTIES`."""
    pending: list[tuple[Any, int]] = [(value, 0) for value in reversed(values)]
    examined = 0
    while pending and examined < MAX_NODES:
        value, depth = pending.pop()
        examined += 1
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


def _read_node(
    node: _Node, nodes_by_id: Mapping[str, _Node], values: defaultdict[str, list[str]]
) -> None:
    """Add a node's properties to `values`; from a page node, only missing fields and no title."""
    is_page = any(map(PAGE_TYPE.search, _node_types(node)))
    values["kinds"].extend(_node_types(node))
    for field, properties in _PROPERTIES_BY_FIELD.items():
        if is_page and (field == "titles" or values[field]):
            continue
        for name in properties:
            values[field].extend(_read_texts(node.get(name), nodes_by_id))
    values["sites"].extend(_read_texts(node.get("publisher"), nodes_by_id))
    values["images"].extend(_read_image_urls(node.get("image"), nodes_by_id))
    for is_free in _read_texts(node.get("isAccessibleForFree"), {})[:1]:
        value = is_free.strip().rsplit("/", 1)[-1].lower()
        values["access"].append("free" if value in {"true", "1", "yes"} else "paid")


_PROPERTIES_BY_FIELD: Mapping[str, tuple[str, ...]] = {
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


def _node_types(node: _Node) -> list[str]:
    value = node.get("@type")
    values = value if isinstance(value, list) else [value]
    return [each.rsplit("/", 1)[-1].lower() for each in values[:10] if isinstance(each, str)]


def _read_texts(value: Any, nodes_by_id: Mapping[str, _Node]) -> list[str]:
    """Return the texts of a value: a text, an object with a name, or a list of these."""
    texts: list[str] = []
    pending: list[tuple[Any, int]] = [(value, 0)]
    while pending and len(texts) < MAX_VALUES:
        value, depth = pending.pop()
        if isinstance(value, bool):
            texts.append("true" if value else "false")
        elif isinstance(value, str):
            text = words.clean(unescape(value))
            if text:
                texts.append(text)
        elif depth < 4 and isinstance(value, list):
            pending.extend((each, depth + 1) for each in reversed(value[:MAX_VALUES]))
        elif depth < 4 and isinstance(value, dict):
            identity = value.get("@id")
            if isinstance(identity, str) and identity in nodes_by_id:
                value = {**nodes_by_id[identity], **value}
            parts = [value.get(part) for part in ("givenName", "familyName")]
            name = value.get("name") or " ".join(part for part in parts if isinstance(part, str))
            name = name or value.get("@value") or value.get("@id") or value.get("url")
            pending.append((name, depth + 1))
    return texts


def _read_image_urls(value: Any, nodes_by_id: Mapping[str, _Node]) -> list[str]:
    """Return the URLs of images, which may be given as texts, lists or objects."""
    values = value[:MAX_VALUES] if isinstance(value, list) else [value]
    objects = (
        nodes_by_id.get(str(each.get("@id")), each) if isinstance(each, dict) else {"url": each}
        for each in values
    )
    return [
        words.clean(url)
        for each in objects
        if isinstance(url := each.get("url") or each.get("contentUrl"), str)
    ]
