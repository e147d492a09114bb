"""Score the detection of links to other parts: ``python -m benchmarks.stories.parts CORPORA``.

The gold records contain the annotated links on the pages of ``autopager``; scores are printed for
each half of its sites and for all sites. The baseline uses ``rel`` and a list of words. For
inspection, ``--list`` prints each page of the corpora of articles that has a next link; these
corpora have no annotated links.
"""

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from statistics import fmean
from time import process_time
from typing import Any

from benchmarks.evaluation.scores import load_corpus
from detourage.html import Page, PageError, parse_page
from detourage.html.nodes import Node
from detourage.html.urls import absolute, base_of
from detourage.messages import PageMessage
from detourage.pagination import read_pagination
from detourage.text.words import word_set

KINDS = ("next", "prev", "page", "first", "last")  # kinds of links, as in the gold records

ARTICLES = ("wcxb", "fundus_body", "daniel")  # corpora of articles
DANIEL_PAGES = 200  # number of pages of daniel to read

_NEXT_LABELS = word_set("next suivant weiter siguiente › » > →") | {
    "next page",
    "next »",
    "older posts",
}
_PREVIOUS_LABELS = word_set("previous prev précédent zurück anterior ‹ « < ←") | {
    "previous page",
    "newer posts",
}

Links = Mapping[str, set[str]]


def main() -> None:
    """Score the detection of links, count next links in corpora of articles, and print both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", type=Path, help="folder of the corpora")
    parser.add_argument("--list", action="store_true", dest="listed", help="print each next link")
    parser.add_argument("--errors", type=int, metavar="HALF", help="print the errors in a half")
    options = parser.parse_args()
    _score_annotated_links(options.corpora / "autopager", options.errors)
    print("\n| | pages | with a next link | ms per page | maximum |\n|---|---:|---:|---:|---:|")
    for name in ARTICLES:
        _report_next_links(options.corpora / name, is_listed=options.listed)


def half_of_site(site: str) -> int:
    """Return the half to which a site belongs; the rules were developed on half 0."""
    return sha256(site.encode()).digest()[0] % 2


def _score_annotated_links(folder: Path, shown: int | None) -> None:
    """Print the F1 of links by kind, method and half, and the service's errors in half `shown`."""
    golds = {gold["id"]: gold for gold in _records(folder / "gold.jsonl.gz")}
    counts: Counter[tuple[str, int, str, str]] = Counter()
    sizes: Counter[int] = Counter()
    for record in _records(folder / "pages.jsonl.gz"):
        gold = golds[record["id"]]
        half = half_of_site(gold["site"])
        page = parse_page(PageMessage.model_validate(record).content, record["url"])
        sizes[half] += 1
        annotated = _annotated_links(page, gold["links"])
        for method, found in (("ours", _our_links(page)), ("rel and words", _baseline_links(page))):
            for kind in KINDS:
                right = annotated[kind] & found[kind]
                counts[method, half, kind, "right"] += len(right)
                counts[method, half, kind, "found"] += len(found[kind])
                counts[method, half, kind, "marked"] += len(annotated[kind])
                if half == shown and method == "ours" and kind != "page":
                    for label, wrong in (
                        ("missed", annotated[kind] - right),
                        ("not marked", found[kind] - right),
                    ):
                        for address in sorted(wrong):
                            print(record["id"], kind, label, address)
    print("| | sites | pages | " + " | ".join(KINDS) + " |\n|---|---|---:" + "|---:" * 5 + "|")
    for method in ("ours", "rel and words"):
        for name, halves in (("made on", [0]), ("held out", [1]), ("all", [0, 1])):
            scores = [_f1(counts, method, halves, kind) for kind in KINDS]
            cells = " | ".join(f"{100 * score:.1f}" for score in scores)
            print(f"| {method} | {name} | {sum(sizes[each] for each in halves)} | {cells} |")


def _f1(
    counts: Counter[tuple[str, int, str, str]], method: str, halves: Iterable[int], kind: str
) -> float:
    """Return the F1 of one kind of links over the given halves."""
    right, found, annotated = (
        sum(counts[method, half, kind, number] for half in halves)
        for number in ("right", "found", "marked")
    )
    return 2 * right / (found + annotated) if found + annotated else 0.0


def _annotated_links(page: Page, links: Mapping[str, Iterable[str]]) -> Links:
    """Return the URLs of annotated links, except scripts and fragments."""
    base = base_of(Node(page.flat, 0), page.url)
    return {
        kind: {
            _without_fragment(address)
            for href in links.get(kind, ())
            if not href.startswith("#") and (address := absolute(href, base)) is not None
        }
        for kind in KINDS
    }


def _without_fragment(address: str) -> str:
    return address.partition("#")[0].rstrip("/")


def _our_links(page: Page) -> Links:
    """Return the URLs that the service finds, by kind."""
    pagination = read_pagination(page)
    urls_by_kind = {
        "next": [pagination.next],
        "prev": [pagination.previous],
        "page": pagination.pages.values(),
        "first": [pagination.first],
        "last": [pagination.last],
    }
    return {
        kind: {_without_fragment(each) for each in urls if each}
        for kind, urls in urls_by_kind.items()
    }


def _baseline_links(page: Page) -> Links:
    """Return the URLs of links with a known ``rel`` or label."""
    base = base_of(Node(page.flat, 0), page.url)
    found: dict[str, set[str]] = {kind: set() for kind in KINDS}
    for node in Node(page.flat, 0).iter("a", "link"):
        address = absolute(node.get("href"), base)
        if address is None:
            continue
        rel = (node.get("rel") or "").split()
        label = " ".join(node.text_content().split()).lower()
        if "next" in rel or label in _NEXT_LABELS:
            found["next"].add(_without_fragment(address))
        elif {"prev", "previous"} & set(rel) or label in _PREVIOUS_LABELS:
            found["prev"].add(_without_fragment(address))
        elif label.isdecimal():
            found["page"].add(_without_fragment(address))
    return found


def _report_next_links(folder: Path, *, is_listed: bool) -> None:
    """Print how many articles have a next link, and how long the search takes."""
    corpus = load_corpus(folder)
    kinds = {gold["id"]: gold.get("kind") for gold in _records(folder / "gold.jsonl.gz")}
    times, with_next = [], 0
    sources = corpus.pages
    article_ids = [page_id for page_id in sources if kinds.get(page_id) in {None, "article"}]
    if folder.name == "daniel":
        article_ids.sort(key=lambda page_id: sha256(page_id.encode()).digest())
        del article_ids[DANIEL_PAGES:]  # a random sample that is always the same
    for page_id in article_ids:
        source = sources[page_id]
        try:
            page = parse_page(source.html, source.url, content_type=source.content_type)
        except PageError:
            continue
        # Compute the tags in advance, so that they do not count: every reader of a page needs them.
        _ = page.flat.tags
        start = process_time()
        pagination = read_pagination(page)
        times.append(1000 * (process_time() - start))
        with_next += pagination.next is not None
        if is_listed and pagination.next is not None:
            print(source.url, pagination.next)
    print(f"| {folder.name} | {len(times)} | {with_next} | {fmean(times):.1f} | {max(times):.0f} |")


def _records(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


if __name__ == "__main__":
    main()
