"""The language that a page declares."""

import re

from lxml.html import HtmlElement

_TAG = re.compile(
    r"(?P<language>[a-z]{2,3})(?:[-_](?P<script>[a-z]{4}))?(?:[-_](?P<region>[a-z]{2}|\d{3}))?"
    r"(?:[-_;,. @].*)?",
    re.IGNORECASE | re.DOTALL,
)
_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"


def declared_language(document: HtmlElement) -> str | None:
    """Return the BCP 47 tag that a page declares for itself, None where it declares none.

    Read in this order: ``lang`` and ``xml:lang`` of the root and of the body, the
    ``og:locale`` property, the ``content-language`` and ``language`` meta elements. Case is
    normalised (``pt_br`` gives ``pt-BR``), anything after the region is left out.
    """
    bodies = document.findall("body")
    for element in (document, *bodies):
        for attribute in ("lang", "xml:lang", _XML_LANG):
            tag = normalised_tag(element.get(attribute))
            if tag:
                return tag
    declared: dict[str, str] = {}
    for meta in document.iter("meta"):
        name = meta.get("property") or meta.get("http-equiv") or meta.get("name") or ""
        declared.setdefault(name.strip().lower(), meta.get("content") or "")
    for name in ("og:locale", "content-language", "language"):
        tag = normalised_tag(declared.get(name))
        if tag:
            return tag
    return None


def normalised_tag(tag: str | None) -> str | None:
    """Return a language tag in BCP 47's usual case, None where it is not one."""
    match = _TAG.fullmatch((tag or "").strip())
    if match is None:
        return None
    language, script, region = match.group("language", "script", "region")
    parts = [language.lower(), (script or "").title(), (region or "").upper()]
    return "-".join(part for part in parts if part)
