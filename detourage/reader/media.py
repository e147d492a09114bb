"""Images and embedded objects of a body."""

import re
from collections.abc import Iterator
from itertools import islice

from detourage.article import ArticleEmbed, ArticleImage
from detourage.html.class_name_splitting import name_words
from detourage.html.nodes import AnyElement, Node
from detourage.html.urls import absolute, split_url
from detourage.text import words
from detourage.text.lazy_patterns import lazy_pattern
from detourage.text.words import word_set

EMBEDS = frozenset({"iframe", "video", "audio", "object", "embed"})
"""Elements that embed external content."""

# Attributes with one or several URLs of an image that a script loads later.
_LAZY_SOURCES = ("data-src", "data-original", "data-lazy-src", "data-lazy", "data-url")
_SOURCE_SETS = ("data-srcset", "data-lazy-srcset", "srcset")

# Words in the class of a quoted post, and classes of elements that a script replaces with a post.
_NETWORKS = {"twitter", "instagram", "tiktok", "bluesky", "mastodon", "reddit"}
_PLUGINS = {"fb-post", "fb-video"}
_POST_ADDRESSES = ("data-instgrm-permalink", "cite", "data-href")  # attributes with a post's URL
_IMAGE_URL = lazy_pattern(r"\.(?:jpe?g|png|gif|webp|avif)(?:[?#]|$)", re.IGNORECASE)
_PIXELS = re.compile(r"\s*+([\d.]++)\s*+(?:px)?+\s*+")
_STYLE_SIZE = re.compile(r"(?:^|[;\s])(?:width|height)\s*:\s*([\d.]+)px")
_SIZE_IN_NAME = re.compile(  # "-1200x800", "_w640" or "-scaled" in a file name
    r"(?:^|[-_,.])(?:\d{2,4}x\d{2,4}|[wh]\d{2,4}|\d{2,4}[wh]|scaled)(?=$|[-_,.])"
)
_SIZE_IN_SET = lazy_pattern(r"\s\d++[wx]\s*+(?:,|$)")  # "640w" or "2x" in a source set
_BUTTONS = lazy_pattern(
    r"/plugins/(?:like|share|follow|comments|page|likebox|facepile)\b|/widgets/(?:tweet|follow)_button"
    r"|plusone|addthis|sharethis|/share_button"
)
_NOT_PHOTOS = word_set("emoji smiley avatar gravatar")  # names of images beside text or names
MAX_SOURCES = 20  # ``source`` elements examined per ``picture``
MAX_TRACKER_PIXELS = 1  # width or height of a tracker or spacer, in pixels


def is_image(tag: str) -> bool:
    """Return whether elements with a tag, such as ``img`` or ``amp-img``, display an image."""
    return tag == "img" or tag.endswith("-img")


def is_image_url(url: str | None) -> bool:
    """Return whether a URL points to an image file, judging by its extension."""
    return _IMAGE_URL.search(url or "") is not None


def file_stem(url: str) -> str:
    """Return the name of an image file without size and extension; empty if there is none."""
    name = split_url(url).path.rpartition("/")[2].rpartition(".")[0].lower()
    return _SIZE_IN_NAME.sub("", name)


def image_of(element: AnyElement, base: str, caption: str | None) -> ArticleImage | None:
    """Read an ``img`` element; None for a tracker, a spacer, an emoji or an image without a URL."""
    if _is_tiny(element) or not _NOT_PHOTOS.isdisjoint(name_words(element)):
        return None
    url = _first_absolute(_sources(element), base)
    if url is None:
        return None
    alt = words.clean(element.get("alt") or "") or None
    return ArticleImage(url, alt, caption or None, element=_index(element))


def embed_of(element: AnyElement, base: str) -> ArticleEmbed | None:
    """Return the object that an element embeds (video, post); None for trackers and buttons."""
    if _is_tiny(element):
        return None
    is_object = element.tag in EMBEDS
    candidates = _object_urls(element) if is_object else _post_urls(element)
    url = _first_absolute(candidates, base)
    if url is None or _BUTTONS.search(url):
        return None
    kind = str(element.tag) if is_object else "blockquote"
    return ArticleEmbed(url, kind, element=_index(element))


def _first_absolute(candidates: Iterator[str | None], base: str) -> str | None:
    return next(filter(None, (absolute(each, base) for each in candidates if each)), None)


def _index(element: AnyElement) -> int | None:
    return element.index if isinstance(element, Node) else None


def _sources(image: AnyElement) -> Iterator[str | None]:
    """Yield the possible URLs of an image, best first."""
    for name in _LAZY_SOURCES:
        source = image.get(name)
        yield _largest(source) if source and _SIZE_IN_SET.search(source) else source
    src = image.get("src")
    if src and not src.startswith("data:"):
        yield src
    for name in _SOURCE_SETS:
        yield _largest(image.get(name))
    picture = image.getparent()
    if picture is not None and picture.tag == "picture":
        for source in islice(picture.iterchildren("source"), MAX_SOURCES):
            for name in _SOURCE_SETS:
                yield _largest(source.get(name))


def _largest(candidates: str | None) -> str | None:
    """Return the URL of the largest image in a source set ("a.jpg 640w, b.jpg 1280w"), or None."""
    sizes: dict[str, float] = {}
    url = ""
    for word in (candidates or "").split():
        if url:
            sizes[url] = _number(word.rstrip(",")[:-1])
        else:
            url = word.rstrip(",")
            sizes.setdefault(url, 1.0)
        if word.endswith(","):
            url = ""
    return max(sizes, key=sizes.__getitem__, default=None)


def _object_urls(element: AnyElement) -> Iterator[str | None]:
    for name in ("src", "data-src", "data-lazy-src", "data"):
        yield element.get(name)
    for child in element.iter("source", "embed", "param"):
        if child.tag != "param":
            yield child.get("src")
        elif (child.get("name") or "").lower() in {"movie", "src"}:
            yield child.get("value")


def _post_urls(post: AnyElement) -> Iterator[str | None]:
    classes = (post.get("class") or "").split()
    if _NETWORKS.isdisjoint(name_words(post)) and _PLUGINS.isdisjoint(classes):
        return
    for name in _POST_ADDRESSES:
        yield post.get(name)
    # The last link is that of the post; earlier ones may be links in its text.
    for link in reversed([*post.iter("a")]):
        yield link.get("href")


def _is_tiny(element: AnyElement) -> bool:
    """Return whether an element declares the size of a tracker or spacer."""
    sizes = [element.get("width"), element.get("height")]
    if style := element.get("style"):
        sizes += _STYLE_SIZE.findall(style)
    for size in filter(None, sizes):
        match = _PIXELS.fullmatch(size)
        if match and _number(match.group(1), default=MAX_TRACKER_PIXELS + 1) <= MAX_TRACKER_PIXELS:
            return True
    return False


def _number(text: str, *, default: float = 0.0) -> float:
    try:
        return float(text)
    except ValueError:
        return default
