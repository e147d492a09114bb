"""The body as the lines whose roles make up the text."""

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
"""Expected F1 of the first pass's lines below which those of the usual roles are left to it.

The model of roles knows articles alone. Of 142 of those as many come out exactly right with this as
without; of 80 listings, 94 threads and 110 collections, which have less as a rule, the mean F1 is
.589, .664 and .621 instead of .561, .651 and .615; it is .591, .668 and .622 by the first pass.
"""


def find_body(
    page: Outline,
    judged: JudgedLines,
    url: str,
    roles: Sequence[LineRole],
    model: RoleModel | None = None,
) -> Finding | None:
    """Find the lines of the article's text, and what each of them is.

    Parameters
    ----------
    page, judged
        The page, and its lines as the first pass sees them.
    url
        Address of the page.
    roles
        Which roles make up the text.
    model
        The classifier of roles; the one that is shipped unless given.

    Returns
    -------
    Finding or None
        None where no line is taken for the text.
    """
    stretch = gather(page, judged, url)
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
    page: Outline, judged: JudgedLines, url: str, body: Finding, roles: Sequence[LineRole]
) -> Finding:
    """Return a body whose lines are chosen already, with what each of them is.

    Parameters
    ----------
    page, judged, url, roles
        As for `find_body`.
    body
        The body.
    """
    stretch = gather(page, judged, url)
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
