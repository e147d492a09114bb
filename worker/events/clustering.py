"""Online clustering of articles into events (after Miranda et al. 2018, section 3.1).

An article joins the event whose centroid has the highest cosine with its TF-IDF vector, or starts a
new one; events are never merged.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from worker.events.terms import MAX_TERMS, Terms

THRESHOLD: Final = 0.22
"""Minimum similarity of an article to an event for the article to join it."""

UNSPACED_THRESHOLD: Final = 0.18
"""The same threshold for languages written without spaces."""

UNSPACED_LANGUAGES: Final = frozenset(("zh", "ja", "th", "lo", "my", "km"))

ON_SITE: Final = 1.5
"""Factor by which the threshold is higher for an event that only the article's own site reports,
since articles of one site share boilerplate."""

KEEPING: Final = 0.5
"""Factor by which the threshold is lower for the event of the article's previous revision."""

LEADING_TERMS: Final = 16
"""Number of an event's highest-weighted terms, by which it is looked up."""

BUCKETS: Final = 2**14
"""Number of counters per language."""

MAX_DOCUMENTS: Final = 8192
"""Number of counted documents at which all counts are halved, so that old documents fade."""

SAMPLED_AFTER: Final = 1024
"""Number of documents counted before only one in eight is counted."""

RECENT_SITES: Final = 32
"""Number of documents, the most recently counted ones, whose sites are recorded."""

MAX_OF_SITE: Final = 4
"""Maximum number of documents from one site among the latest `RECENT_SITES`, so that no site
determines the weights. The limit applies only after `SAMPLED_AFTER` documents, because a
deployment may begin with a single site."""

Weights = npt.NDArray[np.void]
"""Distinct terms in ascending order, each with its weight (`WEIGHT`)."""

WEIGHT: Final = np.dtype([("term", "<u4"), ("weight", "<f4")])


@dataclass(frozen=True, eq=False)
class TermCounts:
    """Number of documents of one language that contain each term, by the term's bucket.

    `sites` has the sites of the latest counted documents, oldest first.
    """

    documents: int
    counts: npt.NDArray[np.uint16]
    sites: tuple[int, ...] = ()

    def counts_next(self, key: bytes, site: int) -> bool:
        """Return whether a document with a given text key, from a given site, is to be counted."""
        if self.documents < SAMPLED_AFTER:
            return True
        return key[0] % 8 == 0 and self.sites.count(site) < MAX_OF_SITE

    def with_document(self, terms: Terms, site: int) -> "TermCounts":
        """Return the counts after one more document."""
        documents, counts = self.documents + 1, self.counts.copy()
        counts[np.unique(_buckets(terms))] += 1
        if documents >= MAX_DOCUMENTS:
            documents, counts = documents // 2, counts // 2
        return TermCounts(documents, counts, (*self.sites, site)[-RECENT_SITES:])

    def weights_of(self, terms: Terms) -> Weights:
        """Return the TF-IDF weights of an article's terms, normalised."""
        found = np.empty(len(terms), dtype=WEIGHT)
        found["term"] = terms["term"]
        containing = self.counts[_buckets(terms)]
        found["weight"] = (1 + np.log(terms["count"])) * np.log(
            (self.documents + 2) / (containing + 1.0)
        )
        return _normalised(found)


def no_counts() -> TermCounts:
    """Return the counts of a language without counted documents."""
    return TermCounts(0, np.zeros(BUCKETS, dtype=np.uint16))


def _buckets(terms: Terms) -> npt.NDArray[np.uint32]:
    return terms["term"] % np.uint32(BUCKETS)


def _normalised(weights: Weights) -> Weights:
    length = float(np.linalg.norm(weights["weight"]))
    if length:
        weights["weight"] /= length
    return weights


@dataclass(frozen=True, eq=False)
class Event:
    """An event with which an article is compared, and the sites that report it.

    `centroid` has the summed weights of its articles, normalised.
    """

    id: int
    centroid: Weights
    sites: Collection[int]


def event_of(
    article: Weights,
    language: str,
    site: int,
    events: Sequence[Event],
    former: int | None = None,
) -> Event | None:
    """Return the event that an article of a site joins, or None if it begins a new one.

    This is the most similar event among those that reach their threshold; in a tie, the one with
    the lowest ID. An article that belonged to the event `former` stays there unless it was
    rewritten.
    """
    best, most = None, 0.0
    for event in sorted(events, key=lambda each: each.id):
        found = _cosine(article, event.centroid)
        least = UNSPACED_THRESHOLD if language in UNSPACED_LANGUAGES else THRESHOLD
        if event.id == former and found >= KEEPING * least:
            return event
        if set(event.sites) <= {site}:
            least *= ON_SITE
        if found >= least and found > most:
            best, most = event, found
    return best


def _cosine(one: Weights, other: Weights) -> float:
    # Both are sorted, so this is much faster than `numpy.intersect1d`.
    terms = one["term"]
    places = np.searchsorted(terms, other["term"])
    inside = places < len(terms)
    places, found = places[inside], other[inside]
    common = terms[places] == found["term"]
    return float(one["weight"][places[common]] @ found["weight"][common])


def with_article(centroid: Weights, article: Weights, sources: int) -> Weights:
    """Return the centroid of an event after one more source; `sources` is the number before it.

    Only the `MAX_TERMS` terms with the highest weights remain.
    """
    terms = np.concatenate([centroid["term"], article["term"]])
    weights = np.concatenate([centroid["weight"] * sources, article["weight"]])
    distinct, places = np.unique(terms, return_inverse=True)
    found = np.empty(len(distinct), dtype=WEIGHT)
    found["term"] = distinct
    found["weight"] = np.bincount(places, weights)
    order = np.lexsort((found["term"], -found["weight"]))[:MAX_TERMS]
    return _normalised(np.sort(found[order], order="term"))


def leading_terms(weights: Weights) -> list[int]:
    """Return the terms with the highest weights, as signed 32-bit integers, ascending."""
    order = np.lexsort((weights["term"], -weights["weight"]))[:LEADING_TERMS]
    return sorted(int(each) for each in weights["term"][order].astype(np.uint32).view(np.int32))


def independent_sources(articles: Collection[tuple[int, str]]) -> int:
    """Return the number of independent sources of an event, by its articles' sites and stories.

    It is the largest number of articles of which no two share a site or a story, so that neither
    copies of one text nor several articles of one site count twice. It is found by augmenting paths
    (H. W. Kuhn, "The Hungarian method for the assignment problem", 1955).
    """
    stories_of: dict[int, list[str]] = {}
    for site, story in sorted(set(articles)):
        stories_of.setdefault(site, []).append(story)
    site_of: dict[str, int] = {}

    def assign(site: int, tried: set[str]) -> bool:
        for story in stories_of[site]:
            if story not in tried:
                tried.add(story)
                if story not in site_of or assign(site_of[story], tried):
                    site_of[story] = site
                    return True
        return False

    return sum(assign(site, set()) for site in stories_of)
