"""Statistics on URLs declared by pages, on their acceptance, and on agreement between pages.

Run with ``python -m benchmarks.stories.addresses CORPORA``, where CORPORA is the folder of the
corpora.
"""

import argparse
import html
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from benchmarks.evaluation.scores import Corpus, CorpusError, load_corpus
from detourage.addresses import (
    AddressRecord,
    Joining,
    are_other_parts,
    canonical_form,
    decide_joining,
    read_declared,
)
from detourage.addresses.declared_urls import share_passages
from detourage.html import Page, PageError, parse_page, site_of
from detourage.html.head import Head
from detourage.reader import NoArticleError
from detourage.reader.article_and_comments import read_content

COLUMNS = (
    *("pages", "declare", "own", "another", "other site", "front page"),
    *("linked", "joined", "other part", "other headline", "other text"),
)
ARTICLES = frozenset({None, "article"})
"""Kinds of pages that are articles; None is included because some corpora record no kinds."""


@dataclass(frozen=True)
class ReadPage:
    """A page of a corpus and the information about its URL."""

    name: str
    page: Page
    record: AddressRecord


def read_pages(corpus: Corpus) -> Iterator[ReadPage]:
    """Parse the pages of a corpus; pages that cannot be parsed are skipped."""
    for name, each in corpus.pages.items():
        try:
            page = parse_page(each.html, each.url)
        except PageError:
            continue
        yield ReadPage(name, page, AddressRecord(canonical_form(each.url), read_declared(page)))


def count_declarations(pages: Sequence[ReadPage]) -> Counter[str]:
    """Count how pages declare their own URLs, by kind of declared URL."""
    counts: Counter[str] = Counter(pages=len(pages))
    for each in pages:
        head = Head.of(each.page.flat, each.page.url)
        address = canonical_form(head.canonical or head.open_graph)
        if not address:
            continue
        counts["declare"] += 1
        if address == each.record.address:
            counts["own"] += 1
        elif site_of(address) != site_of(each.record.address):
            counts["other site"] += 1
        elif each.record.declared.own is None:
            counts["front page"] += 1
        else:
            counts["another"] += 1
    return counts


def pairs_of_sites(pages: Iterable[ReadPage]) -> Iterator[tuple[ReadPage, ReadPage]]:
    """Yield all pairs of pages of the same site."""
    sites = defaultdict(list)
    for each in pages:
        sites[site_of(each.page.url)].append(each)
    for site_pages in sites.values():
        yield from combinations(site_pages, 2)


def print_version(page: Page) -> Page | None:
    """Return a print version of a page's article, without links and boilerplate."""
    try:
        article = read_content(page, None)
    except NoArticleError:
        return None
    body = "".join(f"<p>{html.escape(each.text)}</p>" for each in article.blocks)
    title = html.escape(article.title or "")
    return parse_page(f"<html><head><title>{title}</title></head><body>{body}</body></html>")


def agreement_by_aspect(one: AddressRecord, other: AddressRecord) -> dict[str, bool]:
    """Return in which respects two pages agree, whether or not they are linked."""
    headline = bool(set(one.declared.headlines) & set(other.declared.headlines))
    text = share_passages(one.declared.passages, other.declared.passages)
    part = not are_other_parts(one.address, other.address)
    return {"headline": headline, "text": text, "all": headline and text and part}


def main() -> None:
    """Print the tables of the README."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--printed", type=int, default=400, help="printed pages per corpus")
    options = parser.parse_args()
    print("| corpus |", " | ".join(COLUMNS), "|")
    print("|---|" + "---|" * len(COLUMNS))
    agreement = []
    for folder in sorted(options.corpora.iterdir()):
        try:
            corpus = load_corpus(folder)
        except (CorpusError, OSError):
            continue
        pages = list(read_pages(corpus))
        counts = count_declarations(pages)
        pairs: Counter[str] = Counter()
        for one, other in pairs_of_sites(pages):
            verdict = decide_joining(one.record, other.record)
            if one.record.address == other.record.address:
                counts["same form"] += 1
                print(f"same form: {one.page.url} {other.page.url}", file=sys.stderr)
            if verdict is not Joining.NOTHING:
                counts["linked"] += 1
                counts[verdict.value] += 1
                print(f"{verdict.value}: {one.page.url} {other.page.url}", file=sys.stderr)
            pairs["pairs"] += 1
            aspects = agreement_by_aspect(one.record, other.record)
            pairs.update(name for name, agrees in aspects.items() if agrees)
            if aspects["all"]:
                print(f"agree: {one.page.url} {other.page.url}", file=sys.stderr)
        print_agreement: Counter[str] = Counter()
        articles = [each for each in pages if corpus.golds[each.name].kind in ARTICLES]
        for each in articles[:: max(1, len(articles) // options.printed)]:
            copy = print_version(each.page)
            if copy is not None:
                print_agreement["printed"] += 1
                record_of_copy = AddressRecord(each.record.address, read_declared(copy))
                print_agreement.update(
                    name
                    for name, agrees in agreement_by_aspect(each.record, record_of_copy).items()
                    if agrees
                )
        print("|", folder.name, "|", " | ".join(str(counts[name]) for name in COLUMNS), "|")
        agreement.append((folder.name, pairs, print_agreement))
    names = ("headline", "text", "all")
    print("\n| corpus | pairs | headline | text | all | printed | headline | text | all |")
    print("|---|" + "---|" * 8)
    for name, pairs, print_agreement in agreement:
        values = [pairs["pairs"], *(pairs[each] for each in names)]
        values += [print_agreement["printed"], *(print_agreement[each] for each in names)]
        print("|", name, "|", " | ".join(map(str, values)), "|")


if __name__ == "__main__":
    main()
