"""Scores of titles, authors, dates and snippets."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.evaluation.scores.agreement import bag_of_words
from benchmarks.evaluation.scores.dates import near_day, same_day
from benchmarks.evaluation.scores.prf import PRF
from benchmarks.evaluation.scores.records import Gold, Prediction
from benchmarks.evaluation.scores.words import normalised, words

_AUTHOR_SEPARATOR = re.compile(r"\s*[;,|/&、，；\n]\s*|\s+(?:and|und|et|y|e|i|en|και|и)\s+")
_BYLINE_PREFIX = re.compile(
    r"^\s*(?:by|von|par|por|di|door|autor|author|作者|记者)\b[\s:：]*", re.IGNORECASE
)


@dataclass(frozen=True)
class SnippetCounts:
    """Counts of required snippets (`kept`, `lost`) and of forbidden ones (`let_in`, `left_out`)."""

    kept: int = 0
    lost: int = 0
    let_in: int = 0
    left_out: int = 0

    @property
    def prf(self) -> PRF:
        """Precision, recall and F1 of the snippets in the text."""
        return PRF.of(self.kept, self.kept + self.let_in, self.kept + self.lost)

    @property
    def accuracy(self) -> float:
        """Share of all snippets that are treated correctly, in percent."""
        count = self.kept + self.lost + self.let_in + self.left_out
        return 100 * (self.kept + self.left_out) / count if count else 100.0

    def __add__(self, other: "SnippetCounts") -> "SnippetCounts":
        return SnippetCounts(
            self.kept + other.kept,
            self.lost + other.lost,
            self.let_in + other.let_in,
            self.left_out + other.left_out,
        )


def score_metadata(extracted: Prediction, gold: Gold) -> dict[str, float]:
    """Score those of title, authors and date that the gold record has, in percent.

    ``title_exact`` and ``title_f`` compare words. ``authors_exact`` requires the same names; for
    ``authors_p _r _f``, two names match if one contains all words of the other. ``date_exact``
    requires the same day, and ``date_near`` allows a difference of one day.
    """
    scores: dict[str, float] = {}
    if gold.title:
        found, wanted = (
            [word.lower() for word in words(title)] for title in (extracted.title or "", gold.title)
        )
        scores["title_exact"] = 100.0 * (found == wanted)
        scores["title_f"] = bag_of_words(found, wanted).f1
    if gold.authors:
        names, wanted_names = author_names(extracted.authors), author_names(gold.authors)
        score = _score_authors(names, wanted_names)
        scores["authors_exact"] = 100.0 * (set(names) == set(wanted_names))
        scores["authors_p"] = score.precision
        scores["authors_r"] = score.recall
        scores["authors_f"] = score.f1
    if gold.date:
        scores["date_exact"] = 100.0 * same_day(extracted.date or "", gold.date)
        scores["date_near"] = 100.0 * near_day(extracted.date or "", gold.date)
    return scores


def score_snippets(text: str, wanted: Iterable[str], unwanted: Iterable[str]) -> SnippetCounts:
    """Count required and forbidden snippets in a title and text, with collapsed whitespace."""
    collapsed_text = _collapse_whitespace(text)
    kept = [_collapse_whitespace(snippet) in collapsed_text for snippet in wanted]
    let_in = [_collapse_whitespace(snippet) in collapsed_text for snippet in unwanted]
    return SnippetCounts(
        kept=sum(kept),
        lost=len(kept) - sum(kept),
        let_in=sum(let_in),
        left_out=len(let_in) - sum(let_in),
    )


def author_names(authors: Iterable[str]) -> list[frozenset[str]]:
    """Split author lines into distinct names, each the set of its words in lower case."""
    names: dict[frozenset[str], None] = {}
    for line in authors:
        for part in _AUTHOR_SEPARATOR.split(line):
            name = frozenset(word.lower() for word in words(_BYLINE_PREFIX.sub("", part)))
            if name:
                names[name] = None
    return list(names)


def _score_authors(found: Sequence[frozenset[str]], wanted: Sequence[frozenset[str]]) -> PRF:
    """Score author names; two names match if either contains all words of the other."""
    unmatched = list(wanted)
    for name in found:
        match = next((other for other in unmatched if name <= other or other <= name), None)
        if match is not None:
            unmatched.remove(match)
    return PRF.of(len(wanted) - len(unmatched), len(found), len(wanted))


def _collapse_whitespace(text: str) -> str:
    return " ".join(normalised(text).split())
