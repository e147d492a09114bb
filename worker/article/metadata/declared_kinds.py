"""Galleries, live reports and videos, which pages declare themselves to be."""

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from models.kinds import Kind
from worker.text.texts import count_words

MAX_CAPTION_WORDS = 300
"""Words of the text beside a video or in a gallery; with more it is an article with pictures."""

MIN_PICTURES = 5
"""Pictures from which on a page that says so is a gallery."""

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
    """Tell whether a page is a gallery, a live report or a video.

    Parameters
    ----------
    declared
        Types that the page declares, in lower case, the most certain first.
    url
        Address of the page.
    text, images, videos
        Text of the body, and its images and embedded videos.

    Returns
    -------
    str or None
        What the page declares; else, where its text is short and its address says so and it
        shows what it says, ``gallery`` or ``video``; ``live`` by the address alone; None for
        any other page.
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
        # To count the words of a text takes longer than the rest.
        if pattern.search(path) and (kind == "live" or (shows[kind] and _is_short(text))):
            return kind
    return None


def _is_short(text: str) -> bool:
    return count_words(text) <= MAX_CAPTION_WORDS
