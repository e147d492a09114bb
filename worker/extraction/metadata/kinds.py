"""What a page is: an article, a gallery, a live report, a video."""

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from worker.extraction.metadata.result import Kind

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


def kind_of(
    declared: Iterable[str], url: str, *, text_words: float, images: int, videos: int
) -> Kind:
    """Tell what a page is.

    Parameters
    ----------
    declared
        Types that the page declares, in lower case, the most certain first.
    url
        Address of the page.
    text_words, images, videos
        Words, images and embedded videos of the body.

    Returns
    -------
    str
        What the page declares; else, where its text is short and its address says so and it
        shows what it says, ``gallery`` or ``video``; ``live`` by the address alone.
    """
    found = list(declared)
    for pattern, kind in _DECLARED:
        if any(map(pattern.search, found)) and not (
            kind != "live" and any(map(_ARTICLE.search, found)) and text_words > MAX_CAPTION_WORDS
        ):
            return kind
    path = urlsplit(url).path.lower()
    is_short = text_words <= MAX_CAPTION_WORDS
    shows: dict[Kind, bool] = {
        "live": True,
        "gallery": is_short and images >= MIN_PICTURES,
        "video": is_short and videos > 0,
    }
    for pattern, kind in _PATHS:
        if shows[kind] and pattern.search(path):
            return kind
    return "article"
