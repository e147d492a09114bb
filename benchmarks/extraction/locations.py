"""Locations of articles in their pages: ``python -m benchmarks.extraction.locations CORPORA``.

For each corpus, the script prints how many blocks are found again, with the same text, by XPath and
by byte offsets; how many values, images and comments have a location; and how many bytes locations
add to a message, and how much time they add to reading. For fundus_body, it also prints how many
expected images are found, and how many of them are located at the `img` or `picture` element that
contains their URL.
"""

import argparse
import gzip
import json
from collections import Counter
from html import unescape
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any
from urllib.parse import unquote

from benchmarks.evaluation.scores import load_corpus
from benchmarks.evaluation.scores.corpora import CorpusPage
from benchmarks.extraction.images import names_in_url
from detourage.article import Article, ArticleEmbed, ArticleImage
from detourage.html import Page, PageError, parse_page
from detourage.reader import NoArticleError
from detourage.reader.article_and_comments import read_content
from detourage.reader.article_values import json_values
from detourage.reader.locations import LocationError, locate, located_blocks

MAX_PICTURE_BYTES = 20_000
"""Maximum distance in bytes from the start of a picture element to its image."""

CORPORA = ("daniel", "fundus_body", "trafilatura_eval", "wcxb", "zh_cwced", "msv_big9", "dragnet")


def main() -> None:
    """Read each page with and without locations, and print a row of counts per corpus."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", type=Path, help="folder of the corpora")
    parser.add_argument("--pages", type=int, default=700, help="maximum number of pages per corpus")
    options = parser.parse_args()
    print(
        "| corpus | pages | blocks | found again | by bytes | values | images | comments |", end=""
    )
    print(" bytes, mean and median | time |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    total: Counter[str] = Counter()
    for name in CORPORA:
        counts: Counter[str] = Counter()
        shares: list[float] = []
        seconds = [0.0, 0.0]
        golds = _expected_images(options.corpora / name)
        for source in [*load_corpus(options.corpora / name).pages.values()][: options.pages]:
            # Each page is read four times, alternately without and with locations.
            try:
                readings = [
                    _timed_reading(source, include_locations=bool(at % 2)) for at in range(4)
                ]
            except (PageError, NoArticleError):
                continue
            for include_locations in range(2):
                fastest = min(taken for _, _, taken in readings[include_locations::2])
                seconds[include_locations] += fastest
            (_, bare, _), (page, content, _) = readings[:2]
            _count_locations(page, content, counts)
            _count_images(source.html, content, golds.get(source.id, ()), counts)
            size, size_with_locations = _message_bytes(bare), _message_bytes(content)
            shares.append(size_with_locations / size - 1)
            counts["size"] += size
            counts["size of locations"] += size_with_locations - size
        total += counts
        print(
            f"| {name} | {counts['pages']} | {counts['blocks']}"
            f" | {_share(counts, 'found', 'blocks')}"
            f" | {_share(counts, 'bytes', 'blocks')} | {_share(counts, 'values found', 'values')}"
            f" | {_share(counts, 'media found', 'media')}"
            f" | {_share(counts, 'comments found', 'comments')}"
            f" | {_share(counts, 'size of locations', 'size')}, {median(shares):.1%}"
            f" | {seconds[1] / seconds[0] - 1:.1%} |"
        )
    print(f"\nAll: {_share(total, 'found', 'blocks')} of {total['blocks']} blocks found again,")
    print(f"{total['unlocated']} more blocks are of articles that no element contains.")
    print(
        f"Of {total['images']} expected images that were found, {total['images right']} are at the"
    )
    print("image or picture with their URL.")


def _timed_reading(source: CorpusPage, *, include_locations: bool) -> tuple[Page, Article, float]:
    """Extract a page; also return how many seconds this took."""
    started = perf_counter()
    page = parse_page(source.html, source.url, content_type=source.content_type)
    content = read_content(page, include_locations=include_locations)
    return page, content, perf_counter() - started


def _message_bytes(content: Article) -> int:
    return len(json.dumps(json_values(content, "", ""), ensure_ascii=False).encode())


def _share(counts: Counter[str], part: str, whole: str) -> str:
    return f"{counts[part] / max(1, counts[whole]):.1%}"


def _count_locations(page: Page, article: Article, counts: Counter[str]) -> None:
    """Count the blocks, values, images, embeds and comments, and the correct locations of each."""
    counts["pages"] += 1
    located = {block.start: block for block in located_blocks(article)}
    for block in article.blocks:
        if block.start not in located:
            counts["unlocated"] += 1
            continue
        counts["blocks"] += 1
        try:
            passages = locate(page, [located[block.start]], block.start, block.end)
        except LocationError:
            continue
        text = "".join(passage.text for passage in passages)
        counts["found"] += _alphanumerics(text) == _alphanumerics(block.text)
        counts["bytes"] += all(passage.byte_start is not None for passage in passages)
    metadata, locations = article.metadata, article.locations
    if locations is not None:
        for value, location in (
            (article.title, locations.title),
            (metadata.lead, locations.lead),
            (metadata.published, locations.published),
            (metadata.modified, locations.modified),
            *zip(metadata.authors, locations.authors, strict=True),
        ):
            counts["values"] += value is not None
            counts["values found"] += location is not None
    media: list[ArticleImage | ArticleEmbed] = [*article.images, *article.embeds]
    for medium in media:
        counts["media"] += 1
        counts["media found"] += medium.location is not None and medium.location.start is not None
    for comment in article.comments:
        counts["comments"] += 1
        counts["comments found"] += comment.location is not None


def _alphanumerics(text: str) -> str:
    return "".join(each for each in text if each.isalnum())


def _expected_images(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the images in the gold records by page; empty for corpora except fundus_body."""
    with gzip.open(folder / "gold.jsonl.gz", "rt", encoding="utf-8") as lines:
        golds = [json.loads(line) for line in lines]
    return (
        {gold["id"]: gold.get("images") or [] for gold in golds} if "fundus" in folder.name else {}
    )


def _count_images(html: bytes | str, content: Article, wanted: Any, counts: Counter[str]) -> None:
    """Count the extracted images that are expected, and those whose location has their URL."""
    source = html if isinstance(html, bytes) else html.encode()
    expected = [names_in_url(each["url"]) for each in wanted]
    for image in content.images:
        names = names_in_url(image.url)
        if not any(names & each for each in expected):
            continue
        counts["images"] += 1
        location = image.location
        if location is not None and location.start is not None:
            before = source[max(0, location.start - MAX_PICTURE_BYTES) : location.start]
            tag = source[location.start : location.end]
            # The URL may be that of a `source` element that precedes the image.
            picture_start = before.lower().rfind(b"<picture")
            markup = (before[picture_start:] if picture_start >= 0 else b"") + tag
            picture = markup.decode("utf-8", "replace")
            written = unquote(unquote(unescape(picture.lower())))
            counts["images right"] += any(name in written for name in names)


if __name__ == "__main__":
    main()
