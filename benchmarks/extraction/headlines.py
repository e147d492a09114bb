"""Scoring of the links of front pages: ``python -m benchmarks.extraction.headlines CORPORA``.

``headlines.toml`` defines which links of each page should be found. Each distinct URL counts once.
The script prints precision and recall for each page, and their means over pages.
"""

import argparse
import gzip
import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean

from detourage.html import Page, parse_page
from detourage.html.addresses import absolute, base_of
from detourage.messages import PageMessage
from detourage.reader import headline_links
from detourage.reader.outline import Outline


def main() -> None:
    """Print a table of the scores of each page, and their means per part of the TOML file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", type=Path, help="folder of the corpora")
    corpora = parser.parse_args().corpora
    listed = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
    print("| | page | listed | given | precision | recall |\n|---|---|---:|---:|---:|---:|")
    for part, patterns_of in listed.items():
        scores = []
        for corpus, patterns in patterns_of.items():
            for name, page in _pages(corpora / corpus, patterns):
                wanted, given = _addresses(page, re.compile(patterns[name]))
                right = len(wanted & given)
                scores.append((right / max(1, len(given)), right / max(1, len(wanted))))
                precision, recall = scores[-1]
                print(
                    f"| {part} | {name} | {len(wanted)} | {len(given)} "
                    f"| {precision:.3f} | {recall:.3f} |"
                )
        precision, recall = map(fmean, zip(*scores, strict=True))
        print(f"| {part} | all {len(scores)} | | | {precision:.3f} | {recall:.3f} |")


def _pages(corpus: Path, names: Mapping[str, str]) -> list[tuple[str, Page]]:
    with gzip.open(corpus / "pages.jsonl.gz") as lines:
        records = [record for record in map(json.loads, lines) if record["id"] in names]
    messages = map(PageMessage.model_validate, records)
    return [
        (record["id"], parse_page(each.content, each.url, content_type=each.content_type))
        for record, each in zip(records, messages, strict=True)
    ]


def _addresses(page: Page, pattern: re.Pattern[str]) -> tuple[set[str], set[str]]:
    """Return the URLs that should be found and those that are found, among links with a text."""
    outline = Outline.of(page.flat)
    base = base_of(outline.root, page.url)
    linked = (
        absolute(href, base)
        for link, href in outline.flat.values("href").items()
        if re.search(r"\w", outline.text_of(link))
    )
    wanted = {found[0] for url in linked if url and (found := pattern.match(url))}
    given = set()
    for each in headline_links(page):
        found = pattern.match(each.url)
        given.add(found[0] if found else each.url)
    return wanted, given


if __name__ == "__main__":
    main()
