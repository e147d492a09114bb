"""Scores of Détourage and of other extractors on the test suites of these extractors.

python -m benchmarks.peers CORPORA [--worst N]

CORPORA is the folder of the corpora; ``peers``, ``postlight`` and ``trafilatura_eval`` are read.
Each suite follows the conventions of the extractor that it tests (its owner). The owner's score is
measured if it is a Python package; otherwise, it is 1 by definition. Texts are compared as bags of
words; expected beginnings and snippets must occur in the text. An expected text is left out if its
words are not on the page, and a document if it is a feed.
"""

import argparse
import base64
import gzip
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np

import detourage
from benchmarks.evaluation.scores.corpora import MIN_WORD_RECALL
from benchmarks.evaluation.scores.dates import same_day
from benchmarks.evaluation.scores.metadata import author_names
from benchmarks.evaluation.scores.words import normalised, words
from benchmarks.extraction.bags import compare_bags

CORPORA = ("peers", "postlight", "trafilatura_eval")
FIELDS = ("text", "snippets", "unwanted", "title", "authors", "date", "image")
OURS, PEER = "Détourage", "trafilatura"

FEED = re.compile(rb"\s*(?:<[?!][^>]*>\s*)*<(?:feed|rss)\b")
"""Beginning of a document that is an Atom or RSS feed and not an HTML page."""

PREFIX_WORDS = 12
"""Number of words of an expected beginning that must occur in the text."""


@dataclass(frozen=True)
class Found:
    """Text and metadata that an extractor found on a page."""

    text: str = ""
    title: str = ""
    authors: Sequence[str] = ()
    date: str = ""
    image: str = ""


@dataclass(frozen=True)
class Expected:
    """A page of a suite, with the expected values of its fields."""

    suite: str
    url: str
    html: bytes
    values: Mapping[str, Any]

    def has_words(self, text: str) -> bool:
        """Return whether the page has the words of an expected text, as corpora require.

        Some texts of newspaper (2014) are remarks ("MISSES SECOND HALF OF ARTICLE"), and some of
        defuddle's are formulas in another notation.
        """
        source = unescape(self.html.decode(errors="replace")).replace("\xad", "")
        expected = Counter(words(text))
        common = (expected & Counter(words(normalised(source)))).total()
        return common >= MIN_WORD_RECALL * expected.total()

    def scores(self, found: Found) -> Iterator[tuple[str, float]]:
        """Score the fields that are expected, from 0 to 1; ``unwanted`` is the share found."""
        wanted = self.values
        if wanted.get("text") and self.has_words(wanted["text"]):
            text = found.text
            # Some suites expect texts that begin with the headline.
            begins = [
                _plain(each).startswith(_plain(found.title)) for each in (wanted["text"], text)
            ]
            if begins == [True, False]:
                text = f"{found.title}\n{text}"
            yield "text", compare_bags(text, wanted["text"]).f1
        snippets = [*(wanted.get("with_") or wanted.get("with") or ())]
        if wanted.get("prefix"):
            snippets.append(" ".join(wanted["prefix"].split()[:PREFIX_WORDS]))
        text = _plain(found.text)
        if snippets:
            whole = _plain(found.title) + text
            yield "snippets", float(np.mean([_plain(each) in whole for each in snippets]))
        if wanted.get("without"):
            yield "unwanted", float(np.mean([_plain(each) in text for each in wanted["without"]]))
        if wanted.get("title"):
            yield "title", float(_words(found.title) == _words(wanted["title"]))
        if wanted.get("authors") or wanted.get("author"):
            names = wanted.get("authors") or wanted["author"]
            expected = author_names([names] if isinstance(names, str) else names)
            yield "authors", float({*author_names(found.authors)} == {*expected})
        if wanted.get("date"):
            yield "date", float(_is_day_of(found.date, wanted["date"]))
        image = wanted.get("image") or wanted.get("lead_image_url")
        if image:
            yield "image", float(_file(found.image) == _file(image))


def _plain(text: str) -> str:
    return "".join(normalised(text).lower().split())


def _words(text: str) -> list[str]:
    return [word.lower() for word in words(text)]


def _is_day_of(found: str, wanted: str) -> bool:
    """Return whether a date is the expected day or, in some zone, the day of the expected instant.

    Several suites expect instants in UTC where the pages show local days.
    """
    days = [wanted]
    with suppress(ValueError):
        instant = datetime.fromisoformat(wanted)
        if instant.tzinfo is not None and instant.time() != time():
            in_utc = instant.astimezone(UTC)
            days += [str((in_utc + timedelta(hours=hours)).date()) for hours in (-12, 0, 14)]
    return any(same_day(found, day) for day in days)


def _file(url: str) -> str:
    with suppress(ValueError):
        return urlsplit(url).path.rpartition("/")[2]
    return ""


def by_us(page: Expected) -> Found:
    """Read a page with `detourage.read`; without an article, return the declared metadata."""
    result = detourage.read(page.html, page.url)
    described = result.article or result
    values = described.metadata
    if values is None:
        return Found()
    return Found(
        result.article.text if result.article is not None else "",
        described.title or "",
        values.authors,
        str(values.published)[:10] if values.published is not None else "",
        values.image or "",
    )


def by_trafilatura(page: Expected) -> Found:
    """Read a page with trafilatura."""
    from trafilatura import bare_extraction

    read = bare_extraction(page.html, url=page.url, with_metadata=True, include_images=False)
    if read is None:
        return Found()
    authors = (read.author or "").split("; ")
    return Found(read.text or "", read.title or "", authors, read.date or "", read.image or "")


def by_newspaper(page: Expected) -> Found:
    """Read a page with newspaper4k."""
    from newspaper import Article

    read = Article(page.url, fetch_images=False)
    read.download(input_html=page.html.decode(errors="replace"))
    read.parse()
    date = read.publish_date.date().isoformat() if read.publish_date else ""
    return Found(read.text, read.title, read.authors, date, read.top_image or "")


def by_htmldate(page: Expected) -> Found:
    """Find the date of a page with htmldate, which trafilatura uses."""
    from htmldate import find_date

    return Found(date=find_date(page.html.decode(errors="replace"), url=page.url) or "")


Reader = Callable[[Expected], Found]

OWNERS: Mapping[str, Reader] = {
    "htmldate:default": by_htmldate,
    "newspaper4k": by_newspaper,
    "newspaper(2014)": by_newspaper,
}
"""Owners of suites that are Python packages of the ``benchmarks`` extra."""


def pages_of(folder: Path) -> Iterator[Expected]:
    """Read the pages of a suite, or of several, in the order of their records.

    The same id may occur twice, with different expectations.
    """
    with gzip.open(folder / "pages.jsonl.gz", "rt", encoding="utf-8") as lines:
        pages = [json.loads(line) for line in lines]
    with gzip.open(folder / "gold.jsonl.gz", "rt", encoding="utf-8") as lines:
        golds = [json.loads(line) for line in lines]
    by_id = {page["id"]: page for page in pages}
    for gold in golds:
        page = by_id[gold["id"]]
        html = base64.b64decode(page.get("html_base64") or "") or page.get("html", "").encode()
        if not FEED.match(html):
            url = gold.get("url") or page["url"]
            yield Expected(gold.get("suite", folder.name), url, html, gold)


def scores_of(reader: Reader, page: Expected) -> dict[str, float]:
    """Score what a reader finds on a page; an exception counts as nothing found."""
    try:
        found = reader(page)
    except Exception:  # noqa: BLE001  Peers fail on pages of others in many ways.
        found = Found()
    return dict(page.scores(found))


def main() -> None:
    """Read all suites, and print one table for each field."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpora", type=Path, help="folder of the corpora")
    parser.add_argument("--worst", type=int, default=0, help="print our worst pages by field")
    options = parser.parse_args()
    pages = [page for name in CORPORA for page in pages_of(options.corpora / name)]
    scores: defaultdict[tuple[str, str, str], list[float]] = defaultdict(list)
    losses: defaultdict[str, list[tuple[float, str]]] = defaultdict(list)
    for page in pages:
        readers = {OURS: by_us, PEER: by_trafilatura, "owner": OWNERS.get(page.suite)}
        read = {name: scores_of(reader, page) for name, reader in readers.items() if reader}
        for name, of_fields in read.items():
            for field, score in of_fields.items():
                scores[page.suite, field, name].append(score)
        for field, score in read[OURS].items():
            sign = -1 if field == "unwanted" else 1
            losses[field].append((sign * (score - read[PEER][field]), f"{page.suite} {page.url}"))
    print(f"| suite | field | pages | {OURS} | {PEER} | owner |\n|---|---|---:|---:|---:|---:|")
    for suite in dict.fromkeys(page.suite for page in pages):
        for field in FIELDS:
            ours = scores.get((suite, field, OURS))
            if ours:
                others = [scores.get((suite, field, name)) for name in (PEER, "owner")]
                means = " | ".join(f"{np.mean(each):.3f}" if each else "" for each in others)
                print(f"| {suite} | {field} | {len(ours)} | {np.mean(ours):.3f} | {means} |")
    for field in FIELDS if options.worst else ():
        for lost, name in sorted(losses[field])[: options.worst]:
            if lost < 0:
                print(f"{field}\t{lost:.2f}\t{name}")


if __name__ == "__main__":
    main()
