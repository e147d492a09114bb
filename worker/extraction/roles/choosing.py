"""The body as the lines whose roles make up the text."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from models.roles import LineRole
from worker.extraction.classification import (
    MIN_EXPECTED_F1,
    JudgedLines,
    body_of,
    choose_lines,
)
from worker.extraction.finding import Finding
from worker.extraction.outline import Outline
from worker.extraction.roles.evidence import gather
from worker.extraction.roles.model import RoleModel, trained_model
from worker.learning import Features


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
    if stretch.start == stretch.end:
        return None
    model = model or trained_model()
    lines = judged.evidence.lines[stretch.start : stretch.end]
    lengths = np.array([len(line.tokens) for line in lines], dtype=np.float64)
    probabilities = model.text_probabilities(stretch.features, roles)
    chosen, expected_f1 = choose_lines(probabilities, lengths)
    if expected_f1 < MIN_EXPECTED_F1:
        return None
    places = np.flatnonzero(chosen)
    rows = Features(stretch.features.columns, stretch.features.rows[places])
    kept = [lines[place] for place in places.tolist()]
    found = model.likeliest(rows, roles)
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
    lines = judged.evidence.lines[stretch.start : stretch.end]
    places = [
        place for place, line in enumerate(lines) if body.lines is None or line.number in body.lines
    ]
    rows = Features(stretch.features.columns, stretch.features.rows[places])
    found = trained_model().likeliest(rows, roles)
    by_line = {lines[place].number: role for place, role in zip(places, found, strict=True)}
    return replace(body, roles=by_line)
