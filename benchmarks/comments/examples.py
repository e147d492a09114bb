"""Pages of corpora with their candidates for comments, and the candidates' features and labels."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt

from benchmarks.comments.labels import agreement_of, page_f1_of
from benchmarks.evaluation.scores import Gold, load_corpus
from detourage.comments.candidates import Candidate, find_candidates
from detourage.comments.elements import PageElements
from detourage.comments.features import measure
from detourage.html import Page, PageError, parse_page
from detourage.inference import Features

UNSAID = Path(__file__).with_name("unsaid.json")
"""File that lists, by corpus, pages whose gold records lack the comments or reviews on the page.
These pages were checked by hand."""

WHOLE_THREAD = 0.7
"""Minimum word F1 of the best candidate with the gold text of a thread. Pages below it are not
used, because some gold texts contain only the first posts."""

THREAD = "forum"
"""Kind of pages whose gold text consists of all posts."""


@dataclass(frozen=True)
class Example:
    """A page of a corpus with its candidates.

    Without candidates, `features` has no columns. If the gold record lists comments individually,
    `page_f1` has the candidates' scores; if it has their text as a whole, `agreement` does. If both
    are None, the page has no comments.
    """

    corpus: str
    gold: Gold
    page: Page
    candidates: tuple[Candidate, ...]
    features: Features
    page_f1: npt.NDArray[np.float64] | None
    agreement: npt.NDArray[np.float64] | None

    @property
    def group(self) -> str:
        """The corpus of the page and, if known, the kind of the page."""
        return f"{self.corpus}, {self.gold.kind}" if self.gold.kind else self.corpus

    def only(self, kept: npt.NDArray[np.int64]) -> Self:
        """Return the page with only the candidates at the given indices."""
        return replace(
            self,
            candidates=tuple(self.candidates[place] for place in kept),
            features=replace(self.features, rows=self.features.rows[kept]),
            page_f1=None if self.page_f1 is None else self.page_f1[kept],
        )

    @property
    def is_bare(self) -> bool:
        """Whether the page has no comments according to its gold record."""
        return self.page_f1 is None and self.agreement is None


def read_examples(folder: Path) -> Iterator[Example]:
    """Yield examples from the pages of a corpus whose gold records cover comments."""
    corpus = load_corpus(folder)
    unsaid = set(json.loads(UNSAID.read_text(encoding="utf-8")).get(corpus.name, ()))
    for fetched in corpus.pages.values():
        gold = corpus.golds[fetched.id]
        if gold.id in unsaid:
            continue
        try:
            page = parse_page(fetched.html, fetched.url, content_type=fetched.content_type)
        except PageError:
            continue
        example = _example_of(corpus.name, gold, page)
        if gold.kind != THREAD or _shows_thread(example):
            yield example


def _example_of(corpus: str, gold: Gold, page: Page) -> Example:
    """Compute the features of a page's candidates."""
    elements = PageElements.of(page.flat)
    candidates = find_candidates(elements)
    groups = [candidate.members for candidate in candidates]
    features = measure(elements, candidates) if candidates else Features.of(())
    page_f1 = page_f1_of(elements, groups, gold.comments) if gold.comments else None
    together = gold.text if gold.kind == THREAD else gold.comment_text
    agreement = agreement_of(elements, groups, together) if together else None
    return Example(corpus, gold, page, tuple(candidates), features, page_f1, agreement)


def _shows_thread(example: Example) -> bool:
    agreement = example.agreement
    return agreement is not None and float(agreement.max(initial=0.0)) >= WHOLE_THREAD
