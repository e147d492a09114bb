"""Predictions of the model about an article: its confidence, title, kind and corrections."""

from math import exp

import numpy as np

from detourage.article import Article, copy_with
from detourage.reader import titles
from detourage.reader.found_body import FoundBody, kept_texts
from detourage.reader.outline import Outline
from detourage.reader.page_model import JudgedPage

MAX_LISTING_FACTOR = 0.5  # multiplies the confidence in an article whose page looks like a menu
GOOD_F1 = 0.8  # minimum word F1 at which an article counts as correct
HIDDEN_CONFIDENCE = 0.63  # confidence in an article that the page does not display

F1_WEIGHT, SURENESS_WEIGHT, BASE_LOG_ODDS = 4.0, 6.4, -7.2
"""Coefficients and intercept of the logistic regression in `confidence_of`, which was fitted to
pages of sites that no published score includes."""


def confidence_of(page: Outline, judged: JudgedPage, body: FoundBody | None) -> float:
    """Return the probability that the F1 is `GOOD_F1` or more; a hidden article has no `body`."""
    if body is None:
        return HIDDEN_CONFIDENCE
    is_kept = np.zeros(int(page.text_lines.max(initial=0)) + 1, dtype=np.bool_)
    is_kept[page.text_lines[kept_texts(page, body)]] = True
    kept = judged.columns.words * is_kept[judged.columns.numbers]
    expected = judged.columns.words * judged.probabilities
    expected_f1 = 2 * (kept * judged.probabilities).sum() / max(1.0, kept.sum() + expected.sum())
    sureness = kept * judged.role_probabilities.max(axis=1, initial=0.0)
    mean_sureness = sureness.sum() / max(1.0, kept.sum())
    log_odds = F1_WEIGHT * expected_f1 + SURENESS_WEIGHT * mean_sureness + BASE_LOG_ODDS
    return 1 / (1 + exp(-log_odds))


def with_predictions(
    article: Article, page: Outline, judged: JudgedPage, body: FoundBody | None, url: str
) -> Article:
    """Add the confidence, corrections, title and kind that the model's predictions determine.

    `body` is None if the page does not display the article.
    """
    kind = body.kind if body is not None and body.kind else article.metadata.kind
    confidence = confidence_of(page, judged, body)
    if body is not None and body.menu_probability is not None:
        confidence *= min(MAX_LISTING_FACTOR, 1.0 - body.menu_probability)
    return copy_with(
        article,
        title=_title_of(article, page, judged, body, url),
        confidence=round(confidence, 3),
        corrections=_corrections(judged),
        metadata=copy_with(article.metadata, kind=kind),
    )


MIN_TITLE = 0.2  # probability of being the headline, for a line used as title
MAX_LINES_TO_TITLE = 12  # lines above the body among which a headline is searched for


def _title_of(
    article: Article, page: Outline, judged: JudgedPage, body: FoundBody | None, url: str
) -> str | None:
    """Return the article's title or, if that is only the site's name, the likeliest headline."""
    title = article.title
    is_site_name = title is not None and titles.site_and_titles(page, url)[0].has_name(title)
    if article.heading is not None or not is_site_name or body is None or not body.lines:
        return title
    headline = judged.probability_of(("title",))
    first = next((place for place, line in enumerate(judged.lines) if line.number in body.lines), 0)
    above = range(max(0, first - MAX_LINES_TO_TITLE), first)
    best = max(above, key=headline.__getitem__, default=None)
    return judged.lines[best].text if best is not None and headline[best] > MIN_TITLE else title


MAX_CORRECTIONS = 5  # correction notes in an article
MAX_CORRECTION_CHARACTERS = 1_000  # length to which a correction note is cut


def _corrections(judged: JudgedPage) -> tuple[str, ...]:
    """Return the correction notes that the site added to the article, without duplicates."""
    role = judged.roles.index("correction")
    places = np.flatnonzero(judged.role_probabilities.argmax(axis=1) == role).tolist()
    notes = (judged.lines[place].text for place in places)
    distinct = dict.fromkeys(note[:MAX_CORRECTION_CHARACTERS] for note in notes)
    return tuple(distinct)[:MAX_CORRECTIONS]
