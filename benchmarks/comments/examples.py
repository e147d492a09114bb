"""Pages of corpora with their candidates, what is measured of them, and which are right."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt

from benchmarks.comments.labels import agreement_of, page_f1_of
from benchmarks.evaluation.scores import Gold, load_corpus
from worker.comments.candidates import Candidate, find_candidates
from worker.comments.elements import PageElements
from worker.comments.features import measure
from worker.html import Page, PageError, parse_page
from worker.inference import Features

UNSAID = Path(__file__).with_name("unsaid.json")
"""Pages that show comments, or reviews, while their gold has none, by corpus.

They were looked at one by one.
"""

WHOLE_THREAD = 0.7
"""F1 of the words of a candidate and of the text of a thread from which on the page is used.

Some of these golds hold the first posts only; on other pages no candidate shows the posts.
"""

THREAD = "forum"
"""Kind of the pages whose gold text is all of their posts."""


@dataclass(frozen=True)
class Example:
    """A page of a corpus.

    Attributes
    ----------
    corpus
        Name of its corpus.
    gold
        What people said.
    page
        The page.
    candidates
        What may be its comments.
    features
        What is measured of each candidate; without columns where there is none.
    page_f1
        Score of each where the comments were marked one by one; None elsewhere.
    agreement
        Score of each where the comments were marked together; None elsewhere. With neither
        the page has no comments.
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
        """Whence the page is, and what, where its corpus tells."""
        return f"{self.corpus}, {self.gold.kind}" if self.gold.kind else self.corpus

    def only(self, kept: npt.NDArray[np.int64]) -> Self:
        """Return the page with some of its candidates, given by their places."""
        return replace(
            self,
            candidates=tuple(self.candidates[place] for place in kept),
            features=replace(self.features, rows=self.features.rows[kept]),
            page_f1=None if self.page_f1 is None else self.page_f1[kept],
        )

    @property
    def is_bare(self) -> bool:
        """Whether the page has no comments, as far as people said."""
        return self.page_f1 is None and self.agreement is None


def read_examples(folder: Path) -> Iterator[Example]:
    """Measure the candidates of the pages of a corpus whose golds tell of comments."""
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
    """Measure the candidates of a page."""
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
