"""Detection of an article's language from its text and the page's declarations."""

import re

import pycld2

from detourage.reader.outline import Outline
from detourage.text.words import word_set

# Matches a language tag or locale, such as "pt", "zh-Hant-TW" or "pt_BR.UTF-8".
_TAG = re.compile(
    r"(?P<language>[A-Za-z]{2,3})(?:[-_](?P<script>[A-Za-z]{4}))?"
    r"(?:[-_](?P<region>[A-Za-z]{2}|\d{3}))?(?:[-_;,. @].*)?",
    re.DOTALL,
)
_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"

MAX_DETECTED = 10_000  # characters at the start of a text in which its language is detected
MAX_CONFIRMING = 1_000  # characters that suffice if they are in the declared language
MIN_DETECTED_PERCENT = 80  # percentage of a text in its main language for a reliable detection

_SIMILAR_LANGUAGES = [
    *map(word_set, ("no nb nn da", "hr sr bs sh cnr", "id ms", "cs sk", "gl pt", "he iw", "tl fil"))
]
"""Groups of languages that detection confuses; within a group, the declared language wins."""


def language_of(page: Outline, text: str) -> str | None:
    """Return the BCP 47 tag of a text's language: the declared one unless another is detected."""
    declared, detected = declared_language(page), None
    for length in (MAX_CONFIRMING, MAX_DETECTED) if declared else (MAX_DETECTED,):
        detected = detected_language(text[:length])
        if declared and detected:
            pair = {declared.split("-")[0], detected.split("-")[0]}
            if len(pair) == 1 or any(pair <= group for group in _SIMILAR_LANGUAGES):
                return declared
    return detected or declared


def detected_language(text: str) -> str | None:
    """Return the predominant language of a text (by Google's CLD2), or None if uncertain."""
    try:
        is_reliable, _, languages = pycld2.detect(text.encode())
    except pycld2.error:
        # The detector rejects some characters that XML allows.
        return None
    _, tag, percent, _ = languages[0]
    is_certain = is_reliable and tag != "un" and percent >= MIN_DETECTED_PERCENT
    return normalised_tag(tag) if is_certain else None


def declared_language(page: Outline) -> str | None:
    """Return the BCP 47 tag of the language that a page declares, or None.

    Sources, in order of precedence: ``lang`` and ``xml:lang`` of the root and of the body,
    ``og:locale``, ``content-language`` and the ``language`` meta element.
    """
    document, metas, by_element = page.root, page.metas, page.document.attributes.by_element
    headers = by_element("http-equiv").items()
    http_headers = (
        by_element("content").get(each)
        for each, name in headers
        if name.strip().lower() == "content-language"
    )
    elements = (document, *document.iterchildren("body"))
    attributes = ("lang", "xml:lang", _XML_LANG)
    candidates = (
        *(element.get(attribute) for element in elements for attribute in attributes),
        metas.get("og:locale"),
        next(http_headers, None) or metas.get("content-language"),
        metas.get("language"),
    )
    return next(filter(None, map(normalised_tag, candidates)), None)


def normalised_tag(tag: str | None) -> str | None:
    """Return a tag's language, script and region in BCP 47 case (``pt-BR``); None if invalid."""
    match = _TAG.fullmatch((tag or "").strip())
    if match is None:
        return None
    language, script, region = match.group("language", "script", "region")
    parts = [language.lower(), (script or "").title(), (region or "").upper()]
    return "-".join(part for part in parts if part)
