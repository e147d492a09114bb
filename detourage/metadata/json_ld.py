"""JSON-LD (schema.org): its objects, and the values for the article in them.

JSON-LD is often invalid. It may contain comments, superfluous commas, unescaped quotation marks, or
quotation marks as HTML entities; it may lack commas, consist of several objects, or be truncated.
Invalid JSON-LD is read as far as possible.
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from detourage.html.flat import FlatDocument
from detourage.html.nodes import Node
from detourage.html.visible_text import unescape
from detourage.metadata.declared_values import ITEM_TYPES, PAGE_TYPE, Record
from detourage.text import words
from detourage.text.lazy_patterns import lazy_pattern
from detourage.text.words import word_set

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
_APOSTROPHES = lazy_pattern(r"(?<=[{\[,:\s])'|'(?=\s{0,9}(?:[,:}\]]|\Z))")  # as quotation marks
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


def read_json_ld(flat: FlatDocument) -> Record:
    """Return the values for the page's article in its JSON-LD scripts."""
    nodes = list(_walk_objects(_parse_scripts(json_ld_of(flat))))
    # A node with an ID and at most one other key is only a reference to another node.
    described = [node for node in nodes if "@id" in node and len(node) > 2]
    nodes_by_id = {str(node["@id"]): node for node in reversed(described)}
    values: defaultdict[str, list[str]] = defaultdict(list)
    typed = [(node, types) for node in nodes if (types := _node_types(node))]
    sites, articles, media, pages = (
        [node for node, types in typed if any(map(pattern.search, types))]
        for pattern in (_SITE_TYPE, *ITEM_TYPES)
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


def json_ld_of(flat: FlatDocument) -> list[tuple[Node, str]]:
    """Return the JSON-LD scripts of a document with their texts; the result is cached."""
    types = flat.attributes.by_element("type")
    nodes = (Node(flat, index) for index, each in types.items() if is_json_ld(each))
    scripts = ((each, each.text or "") for each in nodes if each.tag == "script")
    return flat.once(json_ld_of, lambda: [*scripts])


def json_ld_in(script: Node, text: str) -> list[Any]:
    """Return the JSON values in a script with a text; unless it is long, they are cached."""
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
        text = text if '"' in text else _APOSTROPHES.sub('"', text)
        values, is_complete = _decode(text)
    elif '"' not in text.replace('\\"', ""):
        values, is_complete = _decode(text := text.replace('\\"', '"'))
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


def _parse_scripts(scripts: Iterable[tuple[Node, str]]) -> list[Any]:
    """Return the JSON values in scripts, up to `MAX_CHARACTERS`."""
    values: list[Any] = []
    remaining = MAX_CHARACTERS
    for script, text in scripts:
        remaining -= len(text)
        if remaining < 0:
            break
        values.extend(json_ld_in(script, text))
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
