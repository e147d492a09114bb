"""Training examples for the classifier of lines, which are pages with evidence and labels."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.evaluation.bench.measuring import measurable
from benchmarks.evaluation.methods import Source
from benchmarks.evaluation.methods.grouping import find_neighbours
from benchmarks.evaluation.methods.ours import knowledge_of
from benchmarks.evaluation.scores import Gold, headline_of, load_corpus
from benchmarks.evaluation.scores.records import TextBlock
from benchmarks.extraction.labels import UNSAID, hinted_labels, lines_of_lead, shares_in_gold
from worker.article import TemplateKnowledge
from worker.article.evidence import Evidence, gather_evidence
from worker.article.hashed_words import HashedWords
from worker.article.outline import Outline
from worker.html import PageError
from worker.inference import Features
from worker.papers.interface import ALONE
from worker.papers.reading import page_of

ARTICLES = frozenset({None, "article"})
"""Kinds of pages that are articles; None is the kind of all pages in corpora of articles."""


@dataclass(frozen=True)
class Example:
    """A page whose gold record has a text.

    `headline` is given to every method. `other` is the page with which the service compares this
    page, and `knowledge` the template knowledge; both are None if there is no such page. `alone` is
    the evidence of the lines without the other page, and `beside` the evidence with it; they are
    the same if there is none. `hashed` contains the words of the lines and of the elements around
    them, `words` the number of words of each line, and `shares` the share of a line's words in the
    gold text. `unsaid` marks the lines of a lead that the gold record separates from its text,
    because other gold records include the lead.
    """

    corpus: str
    gold: Gold
    headline: TextBlock | None
    page: Source
    other: Source | None
    knowledge: TemplateKnowledge | None
    alone: Features
    beside: Features
    hashed: HashedWords
    words: npt.NDArray[np.float32]
    shares: npt.NDArray[np.float64]
    unsaid: npt.NDArray[np.bool_]

    @property
    def is_article(self) -> bool:
        """Whether the page is an article, as opposed to, for example, a thread or a shop's page."""
        return self.gold.kind in ARTICLES


@dataclass(frozen=True)
class Hint:
    """A page with labels for some of its lines.

    `features` is the evidence of the lines without another page. `hashed` contains the words of the
    lines and of the elements around them, and `words` the number of words of each line. `said`
    marks the labelled lines, and `labels` those of them that belong to the article.
    """

    corpus: str
    page: str
    site: str
    features: Features
    hashed: HashedWords
    words: npt.NDArray[np.float32]
    said: npt.NDArray[np.bool_]
    labels: npt.NDArray[np.bool_]


SINGLE = frozenset({"wcxb", "fundus_body"})
"""Corpora with hardly more than one page per site, whose pages are read without other pages.

The use of another page is learnt from the other corpora. Today's pages are large: comparing the few
pages that share a site took half an hour.
"""


def read_examples(folder: Path) -> Iterator[Example]:
    """Compute the evidence of a corpus whose gold records contain texts."""
    corpus = load_corpus(folder)
    pages = list(corpus.pages.values())
    sources = [Source(page.html, page.url, page.content_type) for page in pages]
    neighbours = (
        [ALONE] * len(pages)
        if corpus.name in SINGLE
        else find_neighbours(sources, [page.site for page in pages])
    )
    measured = {gold.id for gold in measurable(corpus) if gold.text}
    for page, source, around in zip(pages, sources, neighbours, strict=True):
        if page.id not in measured:
            continue
        try:
            document = page_of(source).document
            knowledge = knowledge_of(around.pivot) if around.pivot is not None else None
        except PageError:
            continue
        gold = corpus.golds[page.id]
        headline = headline_of(gold, document)
        outline = Outline.of(document)
        alone = gather_evidence(outline, None, page.url)
        beside = gather_evidence(outline, knowledge, page.url) if knowledge is not None else alone
        texts = [line.text for line in alone.lines]
        yield Example(
            corpus.name,
            gold,
            headline,
            source,
            around.pivot,
            knowledge,
            alone.features,
            beside.features,
            alone.words,
            words_of(alone),
            shares_in_gold(texts, gold, headline),
            lines_of_lead(texts, gold),
        )


def read_hints(folder: Path) -> Iterator[Hint]:
    """Compute the evidence of a corpus whose gold records contain only snippets or comments."""
    corpus = load_corpus(folder)
    for page in corpus.pages.values():
        gold = corpus.golds.get(page.id)
        if gold is None:
            continue
        source = Source(page.html, page.url, page.content_type)
        try:
            outline = Outline.of(page_of(source).document)
        except PageError:
            continue
        evidence = gather_evidence(outline, None, page.url)
        labels = hinted_labels([line.text for line in evidence.lines], gold)
        said = labels != UNSAID
        if said.any():
            yield Hint(
                corpus.name,
                gold.id,
                gold.site,
                evidence.features,
                evidence.words,
                words_of(evidence),
                said,
                labels > 0,
            )


def words_of(evidence: Evidence) -> npt.NDArray[np.float32]:
    """Return the number of words of each line."""
    return np.array([len(line.tokens) for line in evidence.lines], dtype=np.float32)


def fold_of(site: str, folds: int) -> int:
    """Return the fold of a site, independently of other sites."""
    return int(sha256(site.encode()).hexdigest(), 16) % folds


def outside(fold: int, folds: int, examples: Iterable[Example]) -> list[Example]:
    """Return the examples whose sites are in other folds."""
    return [example for example in examples if fold_of(example.gold.site, folds) != fold]
