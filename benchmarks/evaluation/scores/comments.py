"""Scores of reader comments, each of which is matched with at most one gold comment."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from lxml.html import HtmlElement
from scipy.optimize import linear_sum_assignment

from benchmarks.evaluation.scores.agreement import bag_of_words
from benchmarks.evaluation.scores.dates import same_day
from benchmarks.evaluation.scores.prf import PRF
from benchmarks.evaluation.scores.records import Comment, Gold
from benchmarks.evaluation.scores.words import normalised, words

SAME_COMMENT_F1 = 50.0
"""Minimum bag-of-words F1 of two texts for them to be the same comment. Even poorly trimmed records
reach this F1, but so do 2 % of the pairs of different comments on a page (measured on 24,159
pairs)."""

GOOD_PAGE_F1 = 80.0
"""Minimum page F1 for a page's comments to count as found in the P@1 of Subercaze et al. (2016)."""


@dataclass(frozen=True)
class CommentScore:
    """Score of the comments found on a page, in percent.

    `records` counts the comments that are matched one to one by their texts, and `text_f1` is the
    mean bag-of-words F1 of these texts. `authors` and `dates` cover the matches whose gold comment
    has an author or date; a date is correct if it is written alike or denotes the same day.
    `replies` is `parents` restricted to gold comments that reply to another comment. A score that
    covers nothing is None.
    """

    records: PRF
    text_f1: float | None
    authors: float | None
    dates: float | None
    parents: float | None
    replies: float | None

    @property
    def good(self) -> bool:
        """Whether the page F1 is at least 80, the success criterion of Subercaze et al. (2016)."""
        return self.records.f1 >= GOOD_PAGE_F1


def score_comments(found: Sequence[Comment], wanted: Sequence[Comment]) -> CommentScore:
    """Score a page's comments, in page order; parents are indices into the sequence.

    Records and gold comments whose texts share enough words are matched one to one. Among the
    maximum matchings, the one with the most similar texts is used.
    """
    pairs = match_comments(found, wanted)
    gold_of = dict(pairs)
    parents = {i: _gold_parent(found[i].parent, gold_of) == wanted[j].parent for i, j in pairs}
    return CommentScore(
        records=PRF.of(len(pairs), len(found), len(wanted)),
        text_f1=_mean([_text_f1(found[i], wanted[j]) for i, j in pairs]),
        authors=_share(
            _same_name(found[i].author, wanted[j].author)
            for i, j in pairs
            if words(wanted[j].author or "")
        ),
        dates=_share(_same_date(found[i], wanted[j].date) for i, j in pairs if wanted[j].date),
        parents=_share(parents.values()),
        replies=_share(parents[i] for i, j in pairs if wanted[j].parent is not None),
    )


def comment_scores(found: Sequence[Comment], gold: Gold) -> dict[str, float]:
    """Score everything that a page's gold record states about comments, in percent.

    If it lists comments individually: ``comments_p _r _f``, ``comments_good`` (the P@1 of Subercaze
    et al. 2016) and, where applicable, the other fields of `CommentScore`. If there are comments:
    ``comments_words_f``, the F1 of all their words. If there are none: ``comments_none``.
    """
    gold_comments = gold.comments or ()
    wanted = words(" ".join(each.text for each in gold_comments) or gold.comment_text or "")
    if wanted:
        all_words = bag_of_words([word for each in found for word in words(each.text)], wanted)
        return {"comments_words_f": all_words.f1, **_scores_one_by_one(found, gold_comments)}
    if gold.comments is None and gold.comment_text is None:
        return {}
    return {"comments_none": 100.0 * (not found)}


def _scores_one_by_one(
    found: Sequence[Comment], gold_comments: Sequence[Comment]
) -> dict[str, float]:
    """Return the scores of comments that the gold record lists individually."""
    if not gold_comments:
        return {}
    score = score_comments(found, gold_comments)
    values = {
        "comments_p": score.records.precision,
        "comments_r": score.records.recall,
        "comments_f": score.records.f1,
        "comments_good": 100.0 * score.good,
        "comments_text": score.text_f1,
        "comments_authors": score.authors,
        "comments_dates": score.dates,
        "comments_parents": score.parents,
        "comments_replies": score.replies,
    }
    return {name: value for name, value in values.items() if value is not None}


def with_shown_names(comments: Sequence[Comment], document: HtmlElement) -> tuple[Comment, ...]:
    """Replace authors that are profile URLs with the most frequent text of links to them."""
    shown: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for link in document.iter("a"):
        text = " ".join(words(link.text_content()))
        if text:
            shown[link.get("href") or ""][text] += 1
    return tuple(_with_shown_name(comment, shown) for comment in comments)


def _with_shown_name(comment: Comment, shown: Mapping[str, Counter[str]]) -> Comment:
    names = shown.get(comment.author or "")
    return replace(comment, author=names.most_common(1)[0][0]) if names else comment


def match_comments(found: Sequence[Comment], wanted: Sequence[Comment]) -> list[tuple[int, int]]:
    """Match comments one to one by their texts; return pairs of indices, sorted by the first."""
    if not found or not wanted:
        return []
    similarities = np.array([[_text_f1(left, right) for right in wanted] for left in found])
    edges = similarities >= SAME_COMMENT_F1
    # With so large a bonus per match, one more match always outweighs more similar texts.
    weights = np.where(edges, similarities + 100.0 * (min(len(found), len(wanted)) + 1), 0.0)
    rows, columns = linear_sum_assignment(weights, maximize=True)
    return [(int(i), int(j)) for i, j in zip(rows, columns, strict=True) if edges[i, j]]


def _text_f1(left: Comment, right: Comment) -> float:
    left_words, right_words = words(left.text), words(right.text)
    if not left_words and not right_words:
        return 100.0 * (_normalise_text(left.text) == _normalise_text(right.text))
    return bag_of_words(left_words, right_words).f1


def _gold_parent(parent: int | None, gold_of: dict[int, int]) -> int | None:
    """Return the gold index matched with a parent, -1 if unmatched, or None without a parent."""
    return None if parent is None else gold_of.get(parent, -1)


def _same_name(found: str | None, wanted: str | None) -> bool:
    return _name_words(found) == _name_words(wanted)


def _same_date(found: Comment, wanted: str | None) -> bool:
    """Return whether a date is written like the expected one, or denotes the same day."""
    given = [date for date in (found.date, found.published) if date is not None]
    return wanted is not None and any(
        _normalise_text(date) == _normalise_text(wanted) or same_day(date, wanted) for date in given
    )


def _name_words(name: str | None) -> list[str]:
    return [word.lower() for word in words(name or "")]


def _normalise_text(text: str) -> str:
    return " ".join(normalised(text).lower().split())


def _share(outcomes: Iterable[bool]) -> float | None:
    return _mean([100.0 * outcome for outcome in outcomes])


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
