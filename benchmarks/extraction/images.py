"""Accuracy of images and captions: ``python -m benchmarks.extraction.images CORPORA``.

All images are scored for fundus_body, and first images for postlight. URLs of the same picture may
differ in size and crop. Two URLs are therefore considered to be of the same picture if their file
names and the names of the nearest folders are equal.
"""

import argparse
import gzip
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from benchmarks.evaluation.scores import load_corpus
from benchmarks.extraction.folds import fold_of
from detourage.article import ArticleImage
from detourage.html import PageError, parse_page
from detourage.reader import NoArticleError
from detourage.reader.content import read_content

MIN_NAME = 6
"""Minimum number of letters and digits in a name that identifies a picture."""

CAPTION_START = 40
"""Number of leading letters and digits by which captions are compared."""

_SUFFIX = re.compile(r"\.(?:jpe?g|png|webp|gif|avif|svg)$")
_SIZE = re.compile(
    r"(?:^|[-_,.])(?:\d{2,4}x\d{2,4}|[wh]\d{2,4}|\d{2,4}[wh]|scaled|large|medium|small|thumb)"
    r"(?=$|[-_,.])"
)
_NO_WORD = re.compile(r"\W")


@dataclass
class Counts:
    """Counts of found and expected images and captions."""

    pages: int = 0
    given: int = 0
    wanted: int = 0
    right: int = 0
    covers: int = 0
    covers_found: int = 0
    captions: int = 0
    captions_right: int = 0

    def row(self, title: str) -> str:
        """Return a row of the table."""
        return (
            f"| {title} | {self.pages} | {self.right / max(1, self.given):.3f} "
            f"| {self.right / max(1, self.wanted):.3f} | {self.covers_found} of {self.covers} "
            f"| {self.captions_right} of {self.captions} |"
        )


def names_of(url: str) -> frozenset[str]:
    """Return the names that identify a picture: those of its file and of the nearest folders."""
    parts = urlsplit(unquote(unquote(url)))
    queries = (value for _, value in parse_qsl(parts.query) if "/" in value or "." in value)
    folders = [name for name in re.split(r"[/:]", "/".join((parts.path, *queries))) if name]
    names = (_SIZE.sub("", _SUFFIX.sub("", name.lower())) for name in folders[-3:])
    return frozenset(filter(_is_telling, names))


def _is_telling(name: str) -> bool:
    signs = sum(each.isalnum() for each in name)
    digits = sum(each.isdecimal() for each in name)
    return signs >= MIN_NAME and (digits >= 3 or len(name) >= 2 * MIN_NAME)


def compare(
    images: Sequence[ArticleImage], wanted: Sequence[dict[str, Any]], counts: Counts
) -> None:
    """Count the correct images of a page."""
    free = [(names_of(image.url), image) for image in images]
    counts.pages += 1
    counts.given += len(images)
    counts.wanted += len(wanted)
    for each in wanted:
        names = names_of(each["url"])
        place = next((place for place, (own, _) in enumerate(free) if own & names), None)
        is_cover = bool(each.get("is_cover"))
        counts.covers += is_cover
        if place is None:
            continue
        _, image = free.pop(place)
        counts.right += 1
        counts.covers_found += is_cover
        if each.get("caption"):
            counts.captions += 1
            counts.captions_right += _start(image.caption) == _start(each["caption"])


def _start(caption: str | None) -> str:
    return _NO_WORD.sub("", caption or "")[:CAPTION_START]


def articles(folder: Path) -> Iterator[tuple[str, dict[str, Any], Sequence[ArticleImage]]]:
    """Yield the site, gold record and images of each page of a corpus."""
    with gzip.open(folder / "gold.jsonl.gz", "rt", encoding="utf-8") as lines:
        golds = {gold["id"]: gold for gold in map(json.loads, lines)}
    for page in load_corpus(folder).pages.values():
        try:
            parsed = parse_page(page.html, page.url, content_type=page.content_type)
            images: Sequence[ArticleImage] = read_content(parsed).images
        except (PageError, NoArticleError):
            images = ()
        yield page.site, golds[page.id], images


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", type=Path, help="folder of the corpora")
    options = parser.parse_args()
    halves = (Counts(), Counts())
    for site, gold, images in articles(options.corpora / "fundus_body"):
        if gold.get("images"):
            compare(images, gold["images"], halves[fold_of(site, 2)])
    print("| fundus_body | pages | precision | recall | first images | captions |")
    print("|---|---:|---:|---:|---:|---:|")
    for title, counts in zip(("sites looked at", "other sites"), halves, strict=True):
        print(counts.row(title))
    firsts = [
        bool(images) and bool(names_of(images[0].url) & names_of(gold["lead_image_url"]))
        for _, gold, images in articles(options.corpora / "postlight")
        if gold.get("lead_image_url")
    ]
    print(f"\npostlight: the first image is right on {sum(firsts)} of {len(firsts)} pages")


if __name__ == "__main__":
    main()
