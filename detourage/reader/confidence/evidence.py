"""Features that indicate whether an article is correct, with one row per page."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from detourage.article import Article
from detourage.inference import Features, Number
from detourage.reader import titles
from detourage.reader.body import METHOD
from detourage.reader.finding import Finding, kept_texts
from detourage.reader.outline import Outline
from detourage.reader.page_model import JudgedPage
from detourage.roles import Kind
from detourage.text import words

ROLES = ("list_item", "table", "qa", "comment", "promo", "related", "template")
"""Roles whose probability is averaged over the article."""

KINDS: tuple[Kind, ...] = ("article", "listing", "collection", "product")
"""Kinds whose probability is used."""

SHARES = (0.05, 0.25, 0.5)
"""Shares of the article's words, sorted by ascending probability, at which the probability is
sampled."""

UNKNOWN = -1.0
"""Value of a feature that does not apply."""

MIN_DESCRIPTION = 5
"""Minimum number of distinct words in a description that counts as a summary."""

_Floats = npt.NDArray[np.float64]
_Booleans = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class ExtractedArticle:
    """An article and how it was extracted; `finding` is None if the page does not display it."""

    page: Outline
    judged: JudgedPage
    finding: Finding | None
    article: Article


def confidence_evidence(made: ExtractedArticle) -> Features:
    """Compute the confidence features of an article, as one row."""
    lines = made.judged.lines
    sizes = np.array([len(line.tokens) for line in lines], dtype=np.float64)
    kept = _kept_lines(made)
    numbers = [
        ("is_of_lines", float(made.finding is not None and made.finding.method == METHOD)),
        ("is_shown", float(made.finding is not None)),
        ("expected_f1_of_lines", made.finding.confidence if made.finding else 0.0),
        *_of_probabilities(made.judged.probabilities, sizes, kept),
        *_of_lines(made, sizes, kept),
        *_of_agreement(made, sizes, kept),
        *_of_roles(made, sizes, kept),
        *_of_description(made),
    ]
    numbers += ((f"kind_{kind}", made.judged.kinds.get(kind, 0.0)) for kind in KINDS)
    return Features.of((name, [number]) for name, number in numbers)


def _kept_lines(made: ExtractedArticle) -> _Booleans:
    """Return a mask of the lines that are in the article's text."""
    page, finding, lines = made.page, made.finding, made.judged.lines
    if finding is None:
        return np.zeros(len(lines), dtype=np.bool_)
    numbers = np.array([line.number for line in lines], dtype=np.int64)
    kept: _Booleans = np.isin(numbers, page.text_lines[kept_texts(page, finding)])
    return kept


def _of_probabilities(probabilities: _Floats, sizes: _Floats, kept: _Booleans) -> Iterator[Number]:
    words_kept, expected = float(sizes[kept].sum()), float((probabilities * sizes).sum())
    right = float((probabilities * sizes)[kept].sum())
    yield "expected_f1", 2 * right / max(1.0, words_kept + expected)
    yield "expected_precision", right / max(1.0, words_kept)
    yield "expected_recall", right / max(1.0, expected)
    yield "most_probable", probabilities.max(initial=0.0)
    order = np.argsort(probabilities[kept], kind="stable")
    ranked, before = probabilities[kept][order], np.cumsum(sizes[kept][order])
    for share in SHARES:
        place = int(np.searchsorted(before, share * words_kept))
        yield f"kept_probability_{share}", float(ranked[place]) if len(ranked) else UNKNOWN
    entropies = _entropies(probabilities) * sizes
    yield "doubts_left_out", entropies[~kept].sum() / max(1.0, words_kept)
    doubtful = ~kept & (probabilities > 0.1)
    yield "doubtful_left_out", sizes[doubtful].sum() / max(1.0, words_kept)


def _entropies(probabilities: _Floats) -> _Floats:
    inside = np.clip(probabilities, 1e-6, 1 - 1e-6)
    found: _Floats = -inside * np.log2(inside) - (1 - inside) * np.log2(1 - inside)
    return found


def _of_lines(made: ExtractedArticle, sizes: _Floats, kept: _Booleans) -> Iterator[Number]:
    lines, total = made.judged.lines, max(1.0, float(sizes[kept].sum()))
    linked = np.array([line.linked for line in lines], dtype=np.float64)
    yield "kept_share", sizes[kept].sum() / max(1.0, sizes.sum())
    yield "kept_linked", linked[kept].sum() / total
    yield "longest_kept", sizes[kept].max(initial=0.0)
    yield "mean_kept", sizes[kept].sum() / max(1, np.count_nonzero(kept))


def _of_agreement(made: ExtractedArticle, sizes: _Floats, kept: _Booleans) -> Iterator[Number]:
    page, lines, total = made.page, made.judged.lines, max(1.0, float(sizes[kept].sum()))
    mains = np.flatnonzero(page.flat.having(("main",)))
    if not len(mains):
        yield "main_kept", UNKNOWN
        yield "main_prose", UNKNOWN
        return
    main = int(mains[page.sizes[mains].argmax()])
    blocks = np.array([line.block for line in lines], dtype=np.int64)
    inside = (blocks >= main) & (blocks < page.ends[main])
    prose = np.array([line.is_prose for line in lines], dtype=np.bool_)
    yield "main_kept", sizes[inside & kept].sum() / max(1.0, sizes[inside].sum())
    yield "main_prose", sizes[inside & prose].sum() / total


def _of_roles(made: ExtractedArticle, sizes: _Floats, kept: _Booleans) -> Iterator[Number]:
    judged, total = made.judged, max(1.0, float(sizes[kept].sum()))
    for role in ROLES:
        yield f"mean_{role}", (judged.probability_of((role,)) * sizes)[kept].sum() / total
    yield "text_words", total
    surest = judged.of_roles.max(axis=1, initial=0.0)
    yield "mean_surest", (surest * sizes)[kept].sum() / total


def _of_description(made: ExtractedArticle) -> Iterator[Number]:
    """Yield the shares of the declared description found in the text and elsewhere on the page."""
    description = set(words.tokens(titles.declared_description(made.page)))
    if len(description) < MIN_DESCRIPTION:
        yield "description_in_text", UNKNOWN
        yield "description_elsewhere", UNKNOWN
        return
    in_text = len(description.intersection(words.tokens(made.article.text)))
    elsewhere = len(description.intersection(made.page.tokens)) - in_text
    yield "description_in_text", in_text / len(description)
    yield "description_elsewhere", elsewhere / len(description)
