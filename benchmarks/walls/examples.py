"""Examples of walls and articles: generated, inserted into real pages, or from corpora."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

from lxml import html as markup

from benchmarks.evaluation.scores import load_corpus
from benchmarks.extraction.bags import compare_bags
from benchmarks.walls import pages as generated
from detourage.article import Article
from detourage.html import Page, PageError, parse_page
from detourage.html.nodes import index_at
from detourage.inference import Features
from detourage.reader import NoArticleError
from detourage.reader.article_and_comments import read_despite_wall
from detourage.walls.evidence import ExaminedPage, wall_evidence

CORPORA = (
    *("wcxb", "daniel", "fundus_body", "trafilatura_eval", "dragnet", "l3s_gn1", "msv_big9"),
    *("zh_cwced", "cleaneval_dev"),
)
ARTICLE_KINDS = frozenset({None, "article", "news"})
HOST_CORPORA = ("wcxb", "fundus_body", "trafilatura_eval", "daniel")
"""Corpora of pages into which walls are inserted."""

MIN_ARTICLE_CHARACTERS = 500
"""Minimum number of characters of an article that is replaced by a wall; a shorter text might be
only part of the article."""

MIN_GOLD_F1 = 0.5
"""Minimum F1 of the text extracted from a non-article page for the page to count as no wall."""

WHOLE_PAGE_WALLS = frozenset(
    {"paywall_teaser", "parked", "for_sale", "suspended", "hard_404", "robot_check", "rate_limit"}
    | {"access_denied", "press_and_hold", "server_error"}
)
"""Kinds of walls that always replace a whole page, so they are not inserted into real pages."""


@dataclass(frozen=True)
class Example:
    """A page with its true class.

    `group` is the corpus of the page, or the way in which it was made. `outcome` is ``"article"``
    or, if the page would have no article even without the recognition of walls, the reason.
    `features` is None if the page cannot be parsed.
    """

    group: str
    kind: str
    language: str
    is_wall: bool
    site: str
    outcome: str
    features: Features | None


def half_of_site(site: str) -> str:
    """Return whether a site belongs to the ``seen`` or the ``unseen`` half of the sites."""
    return "unseen" if int(sha256(site.encode()).hexdigest(), 16) % 2 else "seen"


def generated_examples(
    half: str, seed: int, number: int, *, articles: bool = False
) -> Iterator[Example]:
    """Yield generated pages without their status codes, which alone would reveal walls."""
    for generated_page in islice(generated.pages(half, seed, articles=articles), number):
        truth = generated_page["truth"]
        yield _example(
            "generated articles" if articles else "generated",
            truth["kind"],
            truth["language"],
            truth["outcome"] != "article",
            "",
            generated_page["html"],
            generated_page["url"],
        )


def corpus_examples(folder: Path) -> Iterator[Example]:
    """Yield the articles of a corpus, and pages of other kinds that are certainly not walls.

    A page of another kind might itself be a wall, so it is used only if the text extracted from it
    matches its gold text.
    """
    corpus = load_corpus(folder)
    for gold in corpus.golds.values():
        page = corpus.pages[gold.id]
        source = (page.html, page.url, page.content_type)
        if gold.kind in ARTICLE_KINDS:
            yield _example(corpus.name, "article", "", False, gold.site, *source)
        elif gold.text and _matches_gold(gold.text, *source):
            group = f"{corpus.name}, other kinds"
            yield _example(group, gold.kind or "", "", False, gold.site, *source)


def _matches_gold(gold: str, html: bytes | str, url: str, content_type: str | None) -> bool:
    """Return whether the extracted text matches the gold text, which rules out a wall."""
    _, article, _ = _read(html, url, content_type) or (None, None, None)
    return article is not None and compare_bags(article.text, gold).f1 >= MIN_GOLD_F1


def inserted_examples(folder: Path, half: str, seed: int, number: int) -> Iterator[Example]:
    """Yield pages of real sites with a generated wall instead of the article."""
    rng = random.Random(f"{half} {seed}")
    hosts = list(_host_pages(folder, half))
    rng.shuffle(hosts)
    choices = [
        (kind, language)
        for kind in generated.WALLS
        for language in generated.LANGUAGES
        if kind not in WHOLE_PAGE_WALLS
        and generated.is_unseen(kind, language) == (half == "unseen")
    ]
    for turn, (html, url, content_type, site) in enumerate(hosts[:number]):
        kind, language = rng.choice(choices)
        wall = generated.Page(kind, language, "card", random.Random(f"{half} {seed} {turn}"))
        page_with_wall = _replace_article(html, url, content_type, wall, rng, site)
        if page_with_wall is not None:
            yield _example("inserted", kind, language, True, site, page_with_wall, url)


def _host_pages(folder: Path, half: str) -> Iterator[tuple[bytes | str, str, str | None, str]]:
    """Yield the articles of one half of the sites, as HTML, URL, content type and site."""
    for name in HOST_CORPORA:
        corpus = load_corpus(folder / name)
        for gold in corpus.golds.values():
            if gold.kind in ARTICLE_KINDS and half_of_site(gold.site) == half:
                page = corpus.pages[gold.id]
                yield page.html, page.url, page.content_type, gold.site


def _replace_article(
    html: bytes | str, url: str, content_type: str | None, wall: Any, rng: random.Random, site: str
) -> str | None:
    """Replace a page's article with a wall and return the HTML; None if no article can be replaced.

    In two thirds of the pages, headlines and metadata are removed, too.
    """
    page, article, _ = _read(html, url, content_type) or (None, None, None)
    if page is None or article is None:
        return None
    document = page.document
    container = page.flat.elements[index_at(page.flat, article.xpath) or 0]
    if container.tag == "html" or len(article.text) < MIN_ARTICLE_CHARACTERS:
        return None
    message = markup.fragment_fromstring(wall.message(), create_parent="div")
    for child in list(container):
        container.remove(child)
    container.text = None
    container.append(message)
    if rng.random() < 0.65:
        message_elements = set(message.iter())
        for head in document.xpath("//h1"):
            if head not in message_elements and not message_elements.intersection(head.iter()):
                head.drop_tree()
        for declared in document.xpath("//script[@type='application/ld+json']|//meta[@property]"):
            declared.drop_tree()
        title = document.find(".//title")
        if title is not None and wall.lines and rng.random() < 0.7:
            title.text = f"{wall.lines[0].lstrip('>')} | {site}"
    return "<!DOCTYPE html>" + str(markup.tostring(document, encoding="unicode"))


def _read(
    html: bytes | str, url: str, content_type: str | None = None
) -> tuple[Page, Article | None, str] | None:
    """Parse and extract a page without checking for walls; None if it cannot be parsed.

    Return the page, its article (None if there is none), and its outcome.
    """
    try:
        page = parse_page(html, url, content_type=content_type)
    except PageError:
        return None
    try:
        return page, read_despite_wall(page), "article"
    except NoArticleError as error:
        return page, None, error.outcome


def _example(
    group: str,
    kind: str,
    language: str,
    is_wall: bool,
    site: str,
    html: bytes | str,
    url: str,
    content_type: str | None = None,
) -> Example:
    """Return a page as an example, with the evidence of a wall on it."""
    read = _read(html, url, content_type)
    outcome, features = "refused", None
    if read is not None:
        page, article, outcome = read
        features = wall_evidence(ExaminedPage.of(page, article)).features
    return Example(group, kind, language, is_wall, site, outcome, features)
