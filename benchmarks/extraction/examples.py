"""Training examples for the model of pages: pages with evidence and labels of their lines."""

from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
from benchmarks.evaluation.scores.roles import LabelledPage, align
from benchmarks.extraction.labels import UNSAID, hinted_labels, lines_of_lead, shares_in_gold
from benchmarks.extraction.weak import KnownLines, weak_roles
from models.roles import LineRole
from worker.article import TemplateKnowledge
from worker.article.evidence import Evidence, gather_evidence
from worker.article.outline import Outline
from worker.html import PageError
from worker.inference import Features
from worker.papers.interface import ALONE
from worker.papers.reading import page_of
from worker.sample.crawl import generate

ARTICLES = frozenset({None, "article"})
"""Kinds of pages that are articles; None is the kind of all pages in corpora of articles."""

SINGLE = frozenset({"wcxb", "fundus_body"})
"""Corpora with hardly more than one page per site, whose pages are read without other pages."""

SAMPLE = "sample"
"""Name of the corpus of generated pages."""

GENERATED_SEED = 7
GENERATED_PAGES = 3
"""Number of generated pages per template, and their seed, which differs from the sample crawl's."""

Labels = Mapping[str, LabelledPage]
"""Pages of a corpus whose lines have roles, by ID."""


@dataclass(frozen=True, eq=False)
class Example:
    """A page with what is known about its lines.

    Attributes
    ----------
    corpus, gold, page
        The corpus, the gold record and the page.
    headline
        The headline that is given to every method, or None.
    knowledge
        Knowledge of the page with which the service compares this page, or None.
    evidence
        Evidence of the lines without another page.
    beside
        Features of the lines with the other page, or None if there is none.
    lengths
        Number of words of each line.
    shares
        Share of each line's words in the gold text, or None if there is none.
    unsaid
        Which lines are a lead that the gold record separates from its text, because other gold
        records include the lead.
    hints
        For each line 1 if the gold record requires it, 0 if it forbids it, and `UNSAID` otherwise;
        None if the gold record has a text.
    roles
        Role of each line according to an annotator (None for lines without one), or None.
    weak
        Roles inferred from the gold record (see `benchmarks.extraction.weak`), or None.
    """

    corpus: str
    gold: Gold
    page: Source
    headline: TextBlock | None
    knowledge: TemplateKnowledge | None
    evidence: Evidence
    beside: Features | None
    lengths: npt.NDArray[np.float32]
    shares: npt.NDArray[np.float64] | None = None
    unsaid: npt.NDArray[np.bool_] | None = None
    hints: npt.NDArray[np.int64] | None = None
    roles: Sequence[str | None] | None = None
    weak: Sequence[LineRole | None] | None = None

    @property
    def is_article(self) -> bool:
        """Whether the page is an article, as opposed to, for example, a thread or a shop's page."""
        return self.gold.kind in ARTICLES


def read_examples(folder: Path, labels: Labels) -> Iterator[Example]:
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
        if page.id in measured:
            gold, labelled = corpus.golds[page.id], labels.get(page.id)
            example = _example(corpus.name, gold, source, around.pivot, labelled)
            if example is not None:
                yield example


def read_hints(folder: Path, labels: Labels) -> Iterator[Example]:
    """Compute the evidence of a corpus whose gold records contain only snippets or comments."""
    corpus = load_corpus(folder)
    for page in corpus.pages.values():
        gold = corpus.golds.get(page.id)
        if gold is None:
            continue
        source = Source(page.html, page.url, page.content_type)
        example = _example(corpus.name, gold, source, None, labels.get(page.id))
        if example is None:
            continue
        hints = hinted_labels([line.text for line in example.evidence.lines], gold)
        if example.roles is not None or (hints != UNSAID).any():
            yield replace(example, shares=None, unsaid=None, weak=None, hints=hints)


def generated_examples() -> Iterator[Example]:
    """Generate pages of the sample crawl's sites with different stories and layouts."""
    for page in generate(seed=GENERATED_SEED, pages_per_template=GENERATED_PAGES):
        told, message = page.gold, page.message
        if told["kind"] != "article":
            continue
        gold = Gold(told["id"], told["site"], told["language"], told["text"], title_in_text=False)
        gold = replace(gold, title=told["title"], authors=tuple(told["authors"]), lead=told["lead"])
        html = message["html"] if "html" in message else b64decode(message["html_base64"])
        source = Source(html, message["url"], message.get("content_type"))
        captions = [image["caption"] for image in told["images"] if image["caption"]]
        example = _example(SAMPLE, gold, source, None, None, captions)
        if example is not None:
            yield example


def _example(
    corpus: str,
    gold: Gold,
    source: Source,
    pivot: Source | None,
    labelled: LabelledPage | None,
    captions: Sequence[str] = (),
) -> Example | None:
    """Compute the evidence of a page; return None if it is unreadable or has no lines."""
    try:
        document = page_of(source).document
        knowledge = knowledge_of(pivot) if pivot is not None else None
    except PageError:
        return None
    outline = Outline.of(document)
    evidence = gather_evidence(outline, None, source.url)
    if not evidence.lines:
        return None
    texts = [line.text for line in evidence.lines]
    headline = headline_of(gold, document)
    shares, unsaid = shares_in_gold(texts, gold, headline), lines_of_lead(texts, gold)
    known = KnownLines(
        [line.tokens for line in evidence.lines],
        evidence.features,
        [outline.tags[line.block] for line in evidence.lines],
        shares,
        unsaid,
        gold.title or "",
        gold.authors or (),
        captions,
    )
    beside = gather_evidence(outline, knowledge, source.url).features if knowledge else None
    return Example(
        corpus,
        gold,
        source,
        headline,
        knowledge,
        evidence,
        beside,
        lengths_of(evidence),
        shares,
        unsaid,
        None,
        align(labelled, texts) if labelled is not None else None,
        weak_roles(known),
    )


def lengths_of(evidence: Evidence) -> npt.NDArray[np.float32]:
    """Return the number of words of each line."""
    return np.array([len(line.tokens) for line in evidence.lines], dtype=np.float32)


def fold_of(site: str, folds: int) -> int:
    """Return the fold of a site, independently of other sites."""
    return int(sha256(site.encode()).hexdigest(), 16) % folds
