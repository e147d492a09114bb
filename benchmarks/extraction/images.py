"""Accuracy of images and captions: ``python -m benchmarks.extraction.images CORPORA``.

All images are scored for fundus_body, and first images for postlight. URLs of the same picture may
differ in size and crop. Two URLs are therefore considered to be of the same picture if both contain
the same name of a file or nearby folder, and this name is long enough to identify a picture.
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
from detourage.reader.article_and_comments import read_content

MIN_NAME = 6
"""Minimum number of letters and digits in a file's or folder's name that identifies a picture."""

CAPTION_START = 40  # number of leading letters and digits by which captions are compared

_SUFFIX = re.compile(r"\.(?:jpe?g|png|webp|gif|avif|svg)$")
# The part of a file's name that states the size of the image, such as "-640x480" or "_w640".
_SIZE = re.compile(
    r"(?:^|[-_,.])(?:\d{2,4}x\d{2,4}|[wh]\d{2,4}|\d{2,4}[wh]|scaled|large|medium|small|thumb)"
    r"(?=$|[-_,.])"
)
_NON_WORD = re.compile(r"\W")


@dataclass
class Counts:
    """Counts of images and captions; a cover is the image that represents the article."""

    pages: int = 0
    found: int = 0
    wanted: int = 0
    right: int = 0
    covers: int = 0
    covers_found: int = 0
    captions: int = 0
    captions_right: int = 0

    def row(self, title: str) -> str:
        """Return a row of the table."""
        return (
            f"| {title} | {self.pages} | {self.right / max(1, self.found):.3f} "
            f"| {self.right / max(1, self.wanted):.3f} | {self.covers_found} of {self.covers} "
            f"| {self.captions_right} of {self.captions} |"
        )


def names_in_url(url: str) -> frozenset[str]:
    """Return those names of a URL's file and its two nearest folders that identify a picture."""
    parts = urlsplit(unquote(unquote(url)))
    queries = (value for _, value in parse_qsl(parts.query) if "/" in value or "." in value)
    folders = [name for name in re.split(r"[/:]", "/".join((parts.path, *queries))) if name]
    names = (_SIZE.sub("", _SUFFIX.sub("", name.lower())) for name in folders[-3:])
    return frozenset(filter(_is_identifying, names))


def _is_identifying(name: str) -> bool:
    """Return whether a name is long enough to be unique; names without digits must be longer."""
    alphanumerics = sum(each.isalnum() for each in name)
    digits = sum(each.isdecimal() for each in name)
    return alphanumerics >= MIN_NAME and (digits >= 3 or len(name) >= 2 * MIN_NAME)


def count_correct(
    images: Sequence[ArticleImage], wanted: Sequence[dict[str, Any]], counts: Counts
) -> None:
    """Count the correct images of a page."""
    unmatched = [(names_in_url(image.url), image) for image in images]
    counts.pages += 1
    counts.found += len(images)
    counts.wanted += len(wanted)
    for expected in wanted:
        names = names_in_url(expected["url"])
        index = next((index for index, (own, _) in enumerate(unmatched) if own & names), None)
        is_cover = bool(expected.get("is_cover"))
        counts.covers += is_cover
        if index is None:
            continue
        _, image = unmatched.pop(index)
        counts.right += 1
        counts.covers_found += is_cover
        caption = expected.get("caption")
        if caption:
            counts.captions += 1
            counts.captions_right += _caption_start(image.caption) == _caption_start(caption)


def _caption_start(caption: str | None) -> str:
    return _NON_WORD.sub("", caption or "")[:CAPTION_START]


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
    """Count correct images and captions in both corpora, and print them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", type=Path, help="folder of the corpora")
    options = parser.parse_args()
    counts_by_half = (Counts(), Counts())
    for site, gold, images in articles(options.corpora / "fundus_body"):
        if gold.get("images"):
            count_correct(images, gold["images"], counts_by_half[fold_of(site, 2)])
    print("| fundus_body | pages | precision | recall | first images | captions |")
    print("|---|---:|---:|---:|---:|---:|")
    for title, counts in zip(("sites looked at", "other sites"), counts_by_half, strict=True):
        print(counts.row(title))
    are_right = [
        bool(images) and bool(names_in_url(images[0].url) & names_in_url(gold["lead_image_url"]))
        for _, gold, images in articles(options.corpora / "postlight")
        if gold.get("lead_image_url")
    ]
    print(f"\npostlight: the first image is right on {sum(are_right)} of {len(are_right)} pages")


if __name__ == "__main__":
    main()
