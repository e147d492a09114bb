"""AMP, mobile and print variants, and parts of articles, recognised by the form of their URLs."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple
from urllib.parse import SplitResult, urlsplit, urlunsplit

from detourage.addresses.url_normalisation import canonical_form
from detourage.html import site_of
from detourage.html.head import MAX_ADDRESS
from detourage.html.urls import split_url
from detourage.text.words import word_set

Kind = Literal["form", "canonical", "amp", "mobile", "print"]
"""Ways in which a URL can lead to the same page as another.

- ``form``: both have the same canonical form;
- ``canonical``: the page at the URL declares the other URL as canonical;
- ``amp``, ``mobile``, ``print``: the URL is the AMP, mobile or print variant of the other URL.
"""

MAX_TARGETS = 8  # URLs that a URL may be a variant of


@dataclass(frozen=True, order=True)
class Target:
    """A URL, in canonical form, of which a page is a variant of some `kind`.

    If `is_declared` is false, the only evidence is the form of the page's own URL.
    """

    address: str
    kind: Kind
    is_declared: bool = False


def _kinds_by_word(words: Mapping[Kind, str]) -> dict[str, Kind]:
    return {word: kind for kind, text in words.items() for word in text.split()}


_HOST_LABELS = _kinds_by_word({"mobile": "m mobile mobil touch wap", "amp": "amp"})
_SEGMENTS = _kinds_by_word(
    {
        "amp": "amp googleamp",
        "mobile": "m mobile mobil",
        "print": "print printable printer drucken druck druckversion imprimer imprimir",
    }
)
_SUFFIX = re.compile(r"[.,_-](amp|print)(?=(?:\.s?html?|\.php|\.aspx?)?/?$)")
_YES = word_set("1 true yes on y")
_PARAMETERS = _kinds_by_word(
    {
        "amp": "amp isamp is_amp",
        "mobile": "m mobile ismobile",
        "print": "print printable printview printpage print_view pf drucken imprimir",
    }
)
_VIEW_PARAMETERS = word_set(
    "view output outputtype format mode template tmpl type service layout display action do"
)
_VIEWS = _kinds_by_word(
    {
        "amp": "amp",
        "mobile": "mobile mobil",
        "print": "print printable printer printview printpage drucken",
    }
)
_PAGE_PARAMETERS = word_set(
    "page paged pg pagina pagenum pageno page_no page_number pagenumber pn seite start offset skip"
    " currentpage cpage p_page slide"
)
# Page parameters with a separate prefix or suffix; "pagesize" etc. are not numbers of pages.
_PAGE_NAME = re.compile(r"(?:^|[_-])(?:page|start|offset|seite)(?:$|[_-])")
_PAGE_SEGMENT = re.compile(  # "/page/2", "-seite-3"
    r"/(?:page|pagina|seite|pg|part|teil|strona|stranica|sivu)[/_=-]?(\d{1,4}|all)(?=[/.]|$)"
    r"|[-_,./](?:page|pagina|seite|part|teil|strona)[-_=]?(\d{1,4}|all)(?=[/.]|$)",
    re.IGNORECASE,
)
# Larger numbers and numbers with a leading zero are dates or article IDs.
_LAST_NUMBER = re.compile(r"[/_,.-]([1-9]\d?)(?=(?:\.s?html?|\.php|\.aspx?)?/?$)")


def targets_by_form(url: str) -> list[Target]:
    """Return up to `MAX_TARGETS` URLs of which a canonical URL, by its form, may be a variant."""
    if len(url) > MAX_ADDRESS:
        return []
    parts = split_url(url)
    kinds: list[Kind] = []  # The following functions append the kinds whose markers they remove.
    query = _original_query(parts.query, kinds)
    paths = _original_paths(parts.path, kinds)
    hosts = [parts.netloc] if kinds else []
    hosts += _original_hosts(parts, kinds)
    kind = next((kind for kind in ("amp", "print", "mobile") if kind in kinds), None)
    if kind is None:
        return []
    addresses = dict.fromkeys(
        canonical_form(urlunsplit((parts.scheme, host, path, query, parts.fragment)))
        for host in hosts
        for path in paths
    )
    addresses.pop(url, None)
    return [Target(address, kind) for address in addresses][:MAX_TARGETS]


def _original_query(query: str, kinds: list[Kind]) -> str:
    """Return a query without the parameters that select a variant."""
    kept = []
    for pair in query.split("&") if query else []:
        name, _, value = pair.lower().partition("=")
        kind = _PARAMETERS.get(name) if value in {*_YES, "", name} else None
        if name in _VIEW_PARAMETERS:
            kind = _VIEWS.get(value)
        if kind is None:
            kept.append(pair)
        else:
            kinds.append(kind)
    return "&".join(kept)


def _original_paths(path: str, kinds: list[Kind]) -> list[str]:
    """Return the possible paths of the original page, without the marker of the variant."""
    suffix = _SUFFIX.search(path)
    if suffix is not None:
        kinds.append("amp" if suffix[1] == "amp" else "print")
        return [_SUFFIX.sub("", path)]
    segments = path.split("/")
    last = len(segments) - (1 if segments[-1] else 2)
    if last < 2:
        return [path]
    # In segments other than the last and the first, such a word usually names a section.
    for place in (last, 1):
        kind = _SEGMENTS.get(segments[place].lower())
        if kind is not None:
            kinds.append(kind)
            rest = "/".join(segments[:place] + segments[place + 1 :])
            return [rest.rstrip("/"), f"{rest.rstrip('/')}/"] if place == last else [rest]
    return [path]


def _original_hosts(parts: SplitResult, kinds: list[Kind]) -> Iterator[str]:
    """Yield the possible hosts of the original page, without a label such as ``m``."""
    labels = (parts.hostname or "").split(".")
    for place in (0, 1):
        kind = _HOST_LABELS.get(labels[place]) if len(labels) > place + 2 else None
        if kind is None:
            continue
        rest = ".".join(labels[:place] + labels[place + 1 :])
        # "mobile." may be part of the domain of a site about mobile phones.
        if site_of(f"//{rest}") != site_of(f"//{parts.hostname}"):
            continue
        kinds.append(kind)
        port = f":{parts.port}" if parts.port else ""
        yield f"{rest}{port}"
        if place == 0:
            yield f"www.{rest}{port}"
        return


_SHORT_PARAMETER = re.compile(r"(?:^|&)p=(\d{1,4})(?:&|$)")


class Part(NamedTuple):
    """The part of an article to which a URL leads, according to its form.

    `number` is ``all`` for a page with all parts, and None for the first part or if unknown.
    `bare_numbers` are the number at the end of the path and that in the parameter ``p``; each may
    identify a part or the article. `stem` is the path without the number at its end.
    """

    number: str | None
    bare_numbers: tuple[str | None, str | None]
    stem: str


def are_other_parts(one: str, other: str) -> bool:
    """Return whether two canonical URLs lead to different parts of an article.

    A bare number is evidence only if the paths are otherwise equal.
    """
    ours, theirs = part_of(one), part_of(other)
    if ours.number != theirs.number:
        return True
    return ours.bare_numbers != theirs.bare_numbers and ours.stem == theirs.stem


def part_of(url: str) -> Part:
    """Return the part of an article to which a canonical URL, possibly of a variant, leads."""
    if len(url) > MAX_ADDRESS:
        return Part(None, (None, None), url)
    url = next((target.address for target in targets_by_form(url)), url)
    try:
        parts = urlsplit(url)
    except ValueError:
        return Part(None, (None, None), url)
    last = _LAST_NUMBER.search(parts.path)
    stem = _LAST_NUMBER.sub("", parts.path) if last else parts.path
    short = _SHORT_PARAMETER.search(parts.query)
    numbers = (_later_part(last[1]) if last else None, _later_part(short[1]) if short else None)
    return Part(_named_number(parts), numbers, stem.rstrip("/"))


def _named_number(parts: SplitResult) -> str | None:
    """Return the part number that a parameter or a word in the path identifies, or None."""
    for pair in parts.query.split("&"):
        name, _, value = pair.lower().partition("=")
        if (name in _PAGE_PARAMETERS or _PAGE_NAME.search(name)) and value != "":
            return _later_part(value[:20])
    named = _PAGE_SEGMENT.search(parts.path)
    return _later_part((named[1] or named[2]).lower()) if named else None


def _later_part(number: str) -> str | None:
    """Return a part number in comparable form, or None for the first part."""
    number = number.lstrip("0")
    return None if number in {"", "1"} else number
