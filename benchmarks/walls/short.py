"""Measure how many short articles are recognised: those of real pages, cut to 12 to 25 words.

    python -m benchmarks.walls.short CORPORA [--number N] [--seed S] [--uncut]

The headline, the metadata and everything around the article remain, and every site is used once.
With ``--uncut``, the pages are instead all those of `CORPORA` whose gold text is short.
Sites of fold 0 (`benchmarks.extraction.folds`) are counted separately.
"""

import argparse
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from lxml import html as markup

from benchmarks.evaluation.scores import load_corpus
from benchmarks.extraction.folds import LEFT_OUT, fold_of
from benchmarks.walls.examples import ARTICLE_KINDS, CORPORA, HOST_CORPORA, MIN_ARTICLE_CHARACTERS
from detourage import read
from detourage.html import PageError, parse_page
from detourage.html.nodes import index_at
from detourage.reader import NoArticleError
from detourage.reader.article_and_comments import read_despite_wall

MIN_WORDS, MAX_WORDS = 12, 25  # minimum and maximum number of words to which an article is cut

MIN_GOLD_WORDS, MAX_GOLD_WORDS, MAX_GOLD_CHARACTERS = 5, 90, 600
"""Bounds on the words, and on the characters, of a gold text that is short without being cut."""


def shorten_article(
    html: bytes | str, url: str, content_type: str | None, words: int
) -> tuple[str, str] | None:
    """Cut a page's article to a number of words; return HTML and text, or None if unsuitable."""
    try:
        page = parse_page(html, url, content_type=content_type)
        article = read_despite_wall(page)
    except (PageError, NoArticleError):
        return None
    container = page.flat.elements[index_at(page.flat, article.xpath) or 0]
    paragraphs = (block.text.split() for block in article.blocks if block.type == "paragraph")
    text = next((each for each in paragraphs if len(each) >= MIN_WORDS), None)
    if container.tag == "html" or len(article.text) < MIN_ARTICLE_CHARACTERS:
        return None
    if text is None or article.metadata.kind != "article":
        return None
    short = " ".join(text[:words]).rstrip(".,;:") + "."
    headings = [each for each in container.iter("h1") if each.tag == "h1"]
    for child in list(container):
        container.remove(child)
    container.text = None
    paragraph = markup.Element("p")
    paragraph.text = short
    for heading in headings[:1]:
        heading.tail = None
        container.append(heading)
    container.append(paragraph)
    return "<!DOCTYPE html>" + str(markup.tostring(page.document, encoding="unicode")), short


def shortened_news(folder: Path, seed: int) -> Iterator[tuple[str, str, str, str]]:
    """Yield the site, URL, markup and text of one shortened article per site."""
    rng = random.Random(seed)
    candidates = []
    for name in HOST_CORPORA:
        corpus = load_corpus(folder / name)
        articles = [gold for gold in corpus.golds.values() if gold.kind in ARTICLE_KINDS]
        candidates += [(gold.site, corpus.pages[gold.id]) for gold in articles]
    rng.shuffle(candidates)
    used_sites = set()
    for site, page in candidates:
        if site in used_sites:
            continue
        shortened = shorten_article(
            page.html, page.url, page.content_type, rng.randint(MIN_WORDS, MAX_WORDS)
        )
        if shortened is not None:
            used_sites.add(site)
            yield site, page.url, *shortened


def short_originals(folder: Path) -> Iterator[tuple[str, str, bytes | str, str]]:
    """Yield the site, URL, markup and gold text of articles that are short."""
    for name in CORPORA:
        corpus = load_corpus(folder / name)
        for gold in corpus.golds.values():
            text = gold.text or ""
            is_short = (
                MIN_GOLD_WORDS <= len(text.split()) <= MAX_GOLD_WORDS
                and len(text) <= MAX_GOLD_CHARACTERS
            )
            if is_short and gold.kind in ARTICLE_KINDS:
                page = corpus.pages[gold.id]
                yield gold.site, page.url, page.html, text


def main() -> None:
    """Read the short pages with the service, and print how many are recognised as articles."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--number", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--uncut", action="store_true")
    options = parser.parse_args()
    outcomes: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    shortened = shortened_news(options.corpora, options.seed)
    pages = short_originals(options.corpora) if options.uncut else shortened
    for number, (site, url, html, text) in enumerate(pages, 1):
        result = read(html, url)
        is_held_out = fold_of(site, LEFT_OUT) == 0
        outcomes[is_held_out][result.outcome] += 1
        if result.outcome != "article":
            print(is_held_out, result.outcome, result.reason, url, text, sep=" | ", flush=True)
        if number >= options.number:
            break
    for is_held_out, counts in outcomes.items():
        kept = counts["article"] / max(1, counts.total())
        print(f"held out {is_held_out}: {counts.total()} pages, {kept:.1%} kept, {dict(counts)}")


if __name__ == "__main__":
    main()
