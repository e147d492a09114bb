"""Scores of the text extracted from a page."""

from dataclasses import replace

from benchmarks.evaluation.scores.agreement import agreement, bag_of_words
from benchmarks.evaluation.scores.cleaneval import characters, text_and_markup
from benchmarks.evaluation.scores.matching import matched_total
from benchmarks.evaluation.scores.prf import PRF
from benchmarks.evaluation.scores.records import HEADING, Gold, Prediction, TextBlock
from benchmarks.evaluation.scores.rouge import rouge_lsum
from benchmarks.evaluation.scores.words import words

SCORES = {
    "exact": "exactitude: cosine of word counts at least 0.9 (Deturck 2015)",
    "cosine": "cosine of word counts (Deturck 2015)",
    "equal": "same words in the same order (Deturck 2015)",
    "within": "strictly within the gold text (Deturck 2015)",
    "around": "strictly contains the gold text (Deturck 2015)",
    "to": "CleanEval text only: words in order",
    "tm": "CleanEval text and markup, labelled: words and marks in order",
    "tmu": "CleanEval text and markup, unlabelled",
    "mark": "CleanEval segments: labelled marks only",
    "char": "characters in order (Lejeune et al. 2015)",
    "bag": "words, ignoring order",
    "rouge": "ROUGE-LSum",
    "own": "words in order below the method's own headline; own_equal: the same words",
}
"""Scores of `score_page`; ``_p``, ``_r`` and ``_f`` denote precision, recall and F1."""


def score_page(
    extracted: Prediction, gold: Gold, headline: TextBlock | None = None
) -> dict[str, float]:
    """Score the text of a page, in percent, by name (see `SCORES`).

    Markup is scored only if the gold record has marks. ``own`` and ``own_equal`` are scored only if
    there is a headline, with which the text is prefixed for the other scores. Raise ValueError if
    the gold record has no text.
    """
    if gold.text is None:
        raise ValueError(f"the gold record {gold.id} has no text to score against")
    wanted = words(gold.text)
    scores: dict[str, float] = {}
    if headline is not None:
        own = words(_with_own_headline(extracted).text)
        scores["own_equal"] = 100.0 * (own == wanted)
        _add_prf(scores, "own", PRF.of(matched_total(own, wanted), len(own), len(wanted)))
        extracted = with_headline(extracted, headline)
    found = words(extracted.text)
    deturck = agreement(found, wanted)
    scores |= {
        "exact": 100.0 * deturck.exact,
        "cosine": 100.0 * deturck.cosine,
        "equal": 100.0 * deturck.equal,
        "within": 100.0 * deturck.within_gold,
        "around": 100.0 * deturck.around_gold,
    }
    _add_prf(scores, "to", PRF.of(matched_total(found, wanted), len(found), len(wanted)))
    if gold.blocks is not None:
        labelled = text_and_markup(extracted.paragraphs, gold.blocks)
        unlabelled = text_and_markup(extracted.paragraphs, gold.blocks, labelled=False)
        _add_prf(scores, "tm", labelled.tokens)
        _add_prf(scores, "tmu", unlabelled.tokens)
        _add_prf(scores, "mark", labelled.marks)
    _add_prf(scores, "char", characters(extracted.text, gold.text))
    _add_prf(scores, "bag", bag_of_words(found, wanted))
    _add_prf(scores, "rouge", rouge_lsum(extracted.text, gold.text))
    return scores


def with_headline(extracted: Prediction, headline: TextBlock) -> Prediction:
    """Prefix a text with a headline, unless the text begins with the headline's words.

    Every method's text gets the same headline: most methods return only the body, and text scores
    should not depend on headlines.
    """
    title = words(headline.text)
    if not title or words(extracted.text)[: len(title)] == title:
        return extracted
    return replace(
        extracted,
        text=f"{headline.text}\n{extracted.text}",
        blocks=(TextBlock(headline.type or HEADING, headline.text), *extracted.paragraphs),
    )


def _with_own_headline(extracted: Prediction) -> Prediction:
    if not extracted.title:
        return extracted
    return with_headline(extracted, TextBlock(HEADING, extracted.title))


def _add_prf(scores: dict[str, float], name: str, score: PRF) -> None:
    """Add precision, recall and F1 with the suffixes ``_p``, ``_r`` and ``_f``."""
    scores[f"{name}_p"] = score.precision
    scores[f"{name}_r"] = score.recall
    scores[f"{name}_f"] = score.f1
