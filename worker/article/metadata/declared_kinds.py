"""Recognition of pages that declare themselves galleries, live reports or videos."""

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from models.kinds import Kind
from worker.text.texts import count_words

MAX_CAPTION_WORDS = 300
"""Maximum number of words in the text of a gallery or video page; a longer text is an article."""

MIN_PICTURES = 5
"""Minimum number of pictures in a gallery."""

_DECLARED: tuple[tuple[re.Pattern[str], Kind], ...] = (
    (re.compile(r"^liveblogposting$"), "live"),
    (re.compile(r"^(?:imagegallery|mediagallery)$|^(?:gallery|photo ?gallery)$"), "gallery"),
    (re.compile(r"^(?:videoobject|newsvideo)$|^video(?:\.|$)"), "video"),
)
_ARTICLE = re.compile(r"(?:article|posting|report|review|recipe)$")
_PATHS: tuple[tuple[re.Pattern[str], Kind], ...] = (
    (
        re.compile(
            r"(?:^|/)(?:live|en-direct|diretta|na-zywo)(?:/|$)|(?:^|[/_-])(?:live-?blog"
            r"|live-?ticker|newsticker|minuto-a-minuto|relacja-na-zywo)(?:[/_.-]|$)"
        ),
        "live",
    ),
    (
        re.compile(
            r"(?:^|[/_-])(?:galler(?:y|ies|ia|ie)|galer(?:ie|ia|ias|i)|fotostrecken?|bildergalerien?"
            r"|bilderstrecken?|diaporamas?|fotogalerias?|fotogallery|photogallery|slideshows?"
            r"|photos|zdjecia|fotos|tupian|tuji)(?:[/_.-]|$)"
        ),
        "gallery",
    ),
    (re.compile(r"(?:^|/)(?:videos?|wideo|watch|shipin)(?:/|-\d|$)"), "video"),
)


def declared_kind(
    declared: Iterable[str], url: str, *, text: str, images: int, videos: int
) -> Kind | None:
    """Return ``gallery``, ``live`` or ``video`` if a page is one of these, or None.

    Declared types, in lower case, take precedence. Otherwise, the URL decides: on its own for
    ``live``; for galleries and videos only if the text is short and the page displays pictures or a
    video.
    """
    found = list(declared)
    for pattern, kind in _DECLARED:
        if any(map(pattern.search, found)) and (
            kind == "live" or not any(map(_ARTICLE.search, found)) or _is_short(text)
        ):
            return kind
    path = urlsplit(url).path.lower()
    shows: dict[Kind, bool] = {"gallery": images >= MIN_PICTURES, "video": videos > 0}
    for pattern, kind in _PATHS:
        # Counting the words takes longer than the checks above.
        if pattern.search(path) and (kind == "live" or (shows[kind] and _is_short(text))):
            return kind
    return None


def _is_short(text: str) -> bool:
    return count_words(text) <= MAX_CAPTION_WORDS
