"""Pages of corpora with their candidates for comments, and the candidates' features and labels."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.comments.labels import score_group_texts, score_groups
from benchmarks.evaluation.scores import Gold, load_corpus
from detourage.comments.candidates import Candidate, PageWords, find_candidates
from detourage.html import Page, PageError, parse_page
from detourage.inference import Features
from detourage.reader.article import discard_cached_judgement
from detourage.reader.article_and_comments import words_by_readers

UNCOVERED_PAGES = Path(__file__).with_name("unsaid.json")
"""File that lists, by corpus, pages whose gold records lack the comments or reviews on the page.
These pages were checked by hand."""

MIN_THREAD_F1 = 0.7
"""Minimum word F1 of the best candidate with the gold text of a thread. Pages below it are not
used, because some gold texts contain only the first posts."""

THREAD_KIND = "forum"  # kind of pages whose gold text consists of all posts


@dataclass(frozen=True)
class Example:
    """A page of a corpus with its candidates, that is, groups of elements that may be its comments.

    Without candidates, `features` has no columns. If the gold record lists comments individually,
    `page_f1` has the candidates' scores; if it has their text as a whole, `agreement` does. If both
    are None, the page has no comments.
    """

    corpus: str
    gold: Gold
    page: Page
    words: PageWords | None
    candidates: tuple[Candidate, ...]
    features: Features
    page_f1: npt.NDArray[np.float64] | None
    agreement: npt.NDArray[np.float64] | None

    @property
    def group(self) -> str:
        """The corpus of the page and, if known, the kind of the page."""
        return f"{self.corpus}, {self.gold.kind}" if self.gold.kind else self.corpus

    @property
    def is_bare(self) -> bool:
        """Whether the page has no comments according to its gold record."""
        return self.page_f1 is None and self.agreement is None


def read_examples(folder: Path) -> Iterator[Example]:
    """Yield examples from the pages of a corpus whose gold records cover comments."""
    corpus = load_corpus(folder)
    uncovered = set(json.loads(UNCOVERED_PAGES.read_text(encoding="utf-8")).get(corpus.name, ()))
    for stored in corpus.pages.values():
        gold = corpus.golds[stored.id]
        if gold.id in uncovered:
            continue
        try:
            page = parse_page(stored.html, stored.url, content_type=stored.content_type)
        except PageError:
            continue
        example = _make_example(corpus.name, gold, page)
        if gold.kind != THREAD_KIND or _covers_thread(example):
            yield example


def _make_example(corpus: str, gold: Gold, page: Page) -> Example:
    """Compute the features of a page's candidates."""
    words = words_by_readers(page)
    discard_cached_judgement(page)
    candidates, features = find_candidates(words) if words else ([], Features.of(()))
    groups = [candidate.record_indices.tolist() for candidate in candidates]
    flat = page.flat if words is None else words.page
    page_f1 = score_groups(flat, groups, gold.comments) if gold.comments else None
    all_comments = gold.text if gold.kind == THREAD_KIND else gold.comment_text
    agreement = score_group_texts(flat, groups, all_comments) if all_comments else None
    return Example(corpus, gold, page, words, tuple(candidates), features, page_f1, agreement)


def _covers_thread(example: Example) -> bool:
    """Return whether the gold text of a thread has all posts, not only the first ones."""
    agreement = example.agreement
    return agreement is not None and float(agreement.max(initial=0.0)) >= MIN_THREAD_F1
