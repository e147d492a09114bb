"""Lines that the pages of a template share: how many are dropped, and how many by mistake.

    python -m benchmarks.templates.shared_lines CORPORA

The first table compares the articles of real sites, read with their groups, with and without the
removal of shared lines. For the second, sentences are inserted between the paragraphs of real
pages, the same sentences into all pages of a group.
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from unittest.mock import patch

import lxml.html
import numpy as np
from lxml.html import HtmlElement

from benchmarks.evaluation.scores.cleaneval import text_only
from benchmarks.evaluation.scores.corpora import Corpus, load_corpus
from benchmarks.extraction.folds import LEFT_OUT, fold_of
from detourage import Page, Result, Site
from detourage.html.nodes import index_at
from detourage.page_extraction import parse
from detourage.reader.page_model import JudgedPage
from detourage.reader.shared_lines import MIN_TEXTS
from detourage.text.words import clean

CORPORA = ("daniel", "l3s_gn1", "msv_big9")
GROUP_SIZES = (3, 4, 5, 10, 30)  # numbers of pages per group in the second table
MAX_GROUPS_PER_SIZE = 12  # maximum number of groups measured for the second table

SENTENCES: Mapping[str, Sequence[str]] = {
    "short": (
        "All times are local.",
        "Alle Angaben ohne Gewähr.",
        "Tous droits réservés.",
        "Все права защищены.",
        "Με πληροφορίες από πρακτορεία.",
        "本报记者摄影报道。",
    ),
    "sentence": (
        "Do you have a story for us? Write to the desk.",
        "Wenn Sie über einen Link etwas kaufen, erhalten wir eine Provision.",
        "Retrouvez chaque matin l'essentiel de l'actualité de votre région.",
        "Mamy nadzieję, że ten tekst odpowiedział na wszystkie pytania czytelników.",
        "Редакция не несёт ответственности за мнения своих авторов.",
        "Η εφημερίδα μας κυκλοφορεί κάθε πρωί σε όλη τη χώρα.",
        "如果您有新闻线索，请随时与我们的编辑部联系。",
    ),
    "paragraph": (
        "In this series, our reporters travel along the coast and speak with people whose work has"
        " changed beyond recognition within a generation. They ask what was lost, what was won,"
        " and who decided. A new part appears every week.",
        "In dieser Reihe besuchen unsere Reporter Menschen, deren Beruf sich in einer Generation"
        " völlig verändert hat. Sie fragen, was verloren ging und was gewonnen wurde. Jede Woche"
        " erscheint ein neuer Teil.",
        "W tym cyklu nasi reporterzy odwiedzają ludzi, których zawód całkowicie zmienił się w ciągu"
        " jednego pokolenia. Pytają, co zostało utracone, a co zyskane. Nowy odcinek ukazuje się"
        " co tydzień.",
        "在这个系列中，我们的记者沿着海岸旅行，与那些在一代人的时间里工作发生了巨大变化的人们交谈。"
        "他们询问失去了什么，得到了什么，又是谁做的决定。",
    ),
}
"""Sentences of each length, none of which is on any page."""

PLACES = ("before", "between", "after", "in a box")
"""Places of a sentence: before, between or after the paragraphs, or in a separate element."""


def main(corpora: Path) -> None:
    """Measure the removal of real shared lines and of inserted sentences; print both tables."""
    groups: list[list[Page]] = []
    print("| corpus | sites | pages | toF without | toF with | lines dropped | of the article |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name in CORPORA:
        corpus = load_corpus(corpora / name)
        sites = {site: Site(pages) for site, pages in _sites(corpus)}
        print_real_sites(f"{name}", corpus, sites)
        left_out = {site: each for site, each in sites.items() if _is_left_out(site)}
        if left_out and len(left_out) < len(sites):
            print_real_sites(f"{name}, sites left out of training", corpus, left_out)
        for site, each in sites.items():
            pages = {page.url: page for page in dict(_sites(corpus))[site]}
            groups += [[pages[url] for url in group.urls] for group in each.groups]
    print()
    print("| pages of the group | length | " + " | ".join(PLACES) + " | in the text without |")
    print("|---|---|" + "---:|" * (len(PLACES) + 1))
    for size in GROUP_SIZES:
        print_insertions(size, [pages for pages in groups if len(pages) >= size])


def _is_left_out(site: str) -> bool:
    return fold_of(site.partition(" ")[0], LEFT_OUT) == 0


def _sites(corpus: Corpus) -> Iterator[tuple[str, list[Page]]]:
    """Yield the sites of a corpus with enough pages; yearly designs count as separate sites."""
    found: defaultdict[str, list[Page]] = defaultdict(list)
    for page in corpus.pages.values():
        folder = f" {page.id.split('/')[0]}" if "/" in page.id else ""
        found[page.site + folder].append(Page(page.html, page.url, page.content_type))
    for site, pages in found.items():
        urls = {page.url: page for page in pages}
        if len(urls) > MIN_TEXTS:
            yield site, [*urls.values()]


def print_real_sites(name: str, corpus: Corpus, sites: Mapping[str, Site]) -> None:
    """Print the scores of sites with and without their shared lines, and count dropped lines."""
    golds = {corpus.pages[gold.id].url: gold for gold in corpus.scorable()}
    before, after, dropped, dropped_from_article, lines_of_articles = [], [], 0, 0, 0
    for site in sites.values():
        for (url, text), (_, full_text) in _read_twice(site):
            gold = golds.get(url)
            if gold is None or gold.text is None:
                continue
            head = f"{gold.title or ''}\n" if gold.title_in_text else ""
            before.append(text_only(head + full_text, gold.text).f1)
            after.append(text_only(head + text, gold.text).f1)
            lines = {clean(line) for line in text.split("\n")}
            words = "".join(gold.text.split())
            for line in filter(None, map(clean, full_text.split("\n"))):
                is_in_article = "".join(line.split()) in words
                lines_of_articles += is_in_article
                dropped += line not in lines
                dropped_from_article += is_in_article and line not in lines
    print(
        f"| {name} | {len(sites)} | {len(after)} | {np.mean(before):.2f} |"
        f" {np.mean(after):.2f} | {dropped} | {dropped_from_article} of {lines_of_articles} |",
        flush=True,
    )


def _read_twice(site: Site) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    """Yield each page's URL and text twice: as the service reads it, and with all shared lines."""

    def read() -> list[tuple[str, str]]:
        return [(each.url, each.article.text if each.article else "") for each in site.read()]

    with patch.object(JudgedPage, "without_shared", lambda judged, *_: judged):
        full_texts = read()
    yield from zip(read(), full_texts, strict=True)


def print_insertions(size: int, groups: Sequence[Sequence[Page]]) -> None:
    """Print the second table's rows for groups of `size` pages, chosen from larger ones."""
    lost: Counter[tuple[str, str]] = Counter()
    tried: Counter[tuple[str, str]] = Counter()
    insertions = groups_measured = 0
    for number, pages in enumerate(groups):
        if groups_measured == MAX_GROUPS_PER_SIZE:
            break
        for turn in range(len(SENTENCES)):
            lengths = [
                [*SENTENCES][(place + turn) % len(SENTENCES)] for place in range(len(PLACES))
            ]
            # Different places of a page have different sentences.
            chosen = [
                SENTENCES[length][(number + place) % len(SENTENCES[length])]
                for place, length in enumerate(lengths)
            ]
            fitting = (
                each for page in pages if (each := insert_sentences(page, chosen)) is not None
            )
            chosen_pages = [*islice(fitting, size)]
            if len(chosen_pages) < size:
                break
            site = Site(chosen_pages)
            grouped = {
                url for group in site.groups if len(group.urls) == size for url in group.urls
            }
            if len(grouped) < size:
                break
            groups_measured += turn == 0
            for (_, text), (_, full_text) in _read_twice(site):
                for cell, sentence in zip(zip(lengths, PLACES, strict=True), chosen, strict=True):
                    # A sentence that is never extracted as text needs no decision.
                    tried[cell] += sentence in full_text
                    lost[cell] += sentence in full_text and sentence not in text
                    insertions += 1
    print(
        f"| **{size}** | groups: {groups_measured} |"
        + " |" * len(PLACES)
        + f" {sum(tried.values())} of {insertions} |"
    )
    for length in SENTENCES:
        cells = [(length, place) for place in PLACES]
        row = [f"{lost[cell]} of {tried[cell]}" for cell in cells]
        print(f"| {size} | {length} | {' | '.join(row)} | |", flush=True)


def insert_sentences(page: Page, sentences: Sequence[str]) -> Page | None:
    """Insert sentences between the paragraphs of an article; None if it has too few paragraphs."""
    parsed = parse(page)
    article = next(iter(Site([page]).read())).article
    if article is None or isinstance(parsed, Result):
        return None
    document = parsed.document
    container = parsed.flat.elements[index_at(parsed.flat, article.xpath) or 0]
    paragraphs = [
        each
        for each in container.iter("p")
        if len(each.text_content().split()) and clean(each.text_content()) in article.text
    ]
    if len(paragraphs) < len(PLACES):
        return None
    middle = paragraphs[len(paragraphs) // 2]
    sentence_before, sentence_between, sentence_after, sentence_in_box = (
        _paragraph(sentence) for sentence in sentences
    )
    paragraphs[0].addprevious(sentence_before)
    middle.addprevious(sentence_between)
    _add_after(paragraphs[-1], sentence_after)
    box_element = lxml.html.Element("div", {"class": "box"})
    box_element.append(sentence_in_box)
    _add_after(paragraphs[1], box_element)
    html = lxml.html.tostring(document, encoding="unicode", doctype="<!DOCTYPE html>")
    return Page(html, page.url)


def _paragraph(text: str) -> HtmlElement:
    paragraph = lxml.html.Element("p")
    paragraph.text = text
    return paragraph


def _add_after(element: HtmlElement, added: HtmlElement) -> None:
    added.tail, element.tail = element.tail, None
    element.addnext(added)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
