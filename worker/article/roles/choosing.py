"""Selection of the body based on the roles of lines."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from models.roles import TEXT_ROLES, LineRole
from worker.article.classification import (
    MIN_EXPECTED_F1,
    JudgedLines,
    body_of,
    choose_lines,
)
from worker.article.finding import Finding
from worker.article.outline import Outline
from worker.article.roles.evidence import gather
from worker.article.roles.model import RoleModel, trained_model

MIN_SURE = 0.85
"""Minimum expected F1 of the first pass at which the second chooses lines with the default roles.

The role classifier was trained on articles only. This limit leaves the number of exactly correct
articles (of 142) unchanged. On 80 listings, 94 threads and 110 collections, which mostly stay below
it, it raises the mean F1 from .561, .651 and .615 to .589, .664 and .621; the first pass alone
reaches .591, .668 and .622.
"""


def find_body(
    page: Outline,
    judged: JudgedLines,
    roles: Sequence[LineRole],
    model: RoleModel | None = None,
) -> Finding | None:
    """Find the lines of the article's text and the role of each.

    Parameters
    ----------
    page, judged
        The page, and its lines as classified by the first pass.
    roles
        Roles that make up the text.
    model
        The role classifier; the shipped one by default.

    Returns
    -------
    Finding or None
        The body, or None if no line is part of the text.
    """
    stretch = gather(page, judged)
    if not len(stretch.places):
        return None
    judged_roles = (model or trained_model()).judge(stretch.features, stretch.words)
    lines = [judged.evidence.lines[place] for place in stretch.places.tolist()]
    lengths = np.array([len(line.tokens) for line in lines], dtype=np.float64)
    if set(roles) == set(TEXT_ROLES) and not _is_sure(judged):
        probabilities = judged.probabilities[stretch.places]
    else:
        probabilities = judged_roles.text_probabilities(roles)
    chosen, expected_f1 = choose_lines(probabilities, lengths)
    if expected_f1 < MIN_EXPECTED_F1:
        return None
    places = np.flatnonzero(chosen)
    kept = [lines[place] for place in places.tolist()]
    found = judged_roles.likeliest(places, roles)
    by_line = dict(zip((line.number for line in kept), found, strict=True))
    return body_of(page, kept, expected_f1, by_line)


def with_roles(
    page: Outline, judged: JudgedLines, body: Finding, roles: Sequence[LineRole]
) -> Finding:
    """Return a body whose lines have already been chosen, with their roles; see `find_body`."""
    stretch = gather(page, judged)
    if not len(stretch.places):
        return body
    lines = [judged.evidence.lines[place] for place in stretch.places.tolist()]
    places = np.flatnonzero([body.lines is None or line.number in body.lines for line in lines])
    found = trained_model().judge(stretch.features, stretch.words).likeliest(places, roles)
    by_line = {
        lines[place].number: role for place, role in zip(places.tolist(), found, strict=True)
    }
    return replace(body, roles=by_line)


def _is_sure(judged: JudgedLines) -> bool:
    lengths = np.array([len(line.tokens) for line in judged.evidence.lines], dtype=np.float64)
    _, expected_f1 = choose_lines(judged.probabilities, lengths)
    return expected_f1 >= MIN_SURE
