"""Explanation of why each line of a page was kept or dropped."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt
from lxml.html import HtmlElement

from detourage.html import Page
from detourage.inference import Features, Rows
from detourage.outcomes import PageOutcome
from detourage.reader import titles
from detourage.reader.article import (
    PageInTemplate,
    find_article,
    with_page_judged,
)
from detourage.reader.errors import NoArticleError
from detourage.reader.finding import Finding
from detourage.reader.knowledge import TemplateKnowledge, knowledge_of
from detourage.reader.outline import Outline
from detourage.reader.page_model import JudgedPage, trained_model
from detourage.reader.phrases import CONTEXT, Aspect, aspects_of, phrase
from detourage.reader.result import Extraction
from detourage.reader.threads import FindPosts

MAX_EXPLAINED = 5_000
"""Maximum number of lines on a page whose aspects are evaluated separately; each aspect requires
judging the page again. On longer pages, `CONTEXT` is the only aspect."""

LEAST = 1e-6
"""Minimum distance of probabilities from 0 and 1, which keeps log odds finite."""

Verdict = Literal["kept", "title", "comment", "dropped"]
"""Verdict on a line.

``title`` is the displayed headline, which is not part of the text; ``comment`` includes anything
between comments. Passages that the page repeats are dropped, however probable they are.
"""


@dataclass(frozen=True)
class Reason:
    """An aspect of the evidence (see `detourage.reader.phrases`), and its most unusual feature.

    `contribution` is in log odds relative to the page's average line, positive if it favours the
    article. It is the amount by which the log odds fall when the aspect's columns are set to their
    means over the page. The aspect `CONTEXT` accounts for the rest.
    """

    aspect: str
    phrase: str
    contribution: float


@dataclass(frozen=True)
class ExplainedLine:
    """A line of a page (numbered as in `TextNode`), with the verdict on it.

    `xpath` is the XPath of the enclosing block, and `probability` is the probability that the line
    belongs to the text. `reasons` are sorted by strength; their contributions plus
    `Explanation.mean` add up to the log odds of `probability`.
    """

    number: int
    xpath: str
    text: str
    verdict: Verdict
    probability: float
    reasons: tuple[Reason, ...]


@dataclass(frozen=True)
class Explanation:
    """Why a page has an article or none, and why each of its lines was kept or dropped.

    `outcome` is a `PageOutcome`, or the name of another reason for having no article; `detail`
    describes that reason, and is empty if there is an article. `other_url` is the URL of the page
    compared with, if any. `mean` is the mean log odds of the lines.
    """

    url: str
    other_url: str | None
    outcome: str
    detail: str
    article: Extraction | None
    mean: float
    lines: tuple[ExplainedLine, ...]


def explain_article(
    page: Page,
    pivot: Page | TemplateKnowledge | None,
    apart: Iterable[HtmlElement] = (),
    posts: FindPosts | None = None,
) -> Explanation:
    """Extract the article of a page with the default method, and explain the verdict on each line.

    Pages without an article are explained too. The arguments are those of
    `detourage.reader.extract_article`.
    """
    outline = Outline.of(page.flat)
    flat = PageInTemplate(page.url, outline, knowledge_of(pivot), posts=posts)
    left_out = outline.indices_of(apart)
    article: Extraction | None = None
    verdicts: dict[int, Verdict] = {
        node.line: "comment"
        for index in left_out
        for node in outline.texts[outline.text_starts[index] : outline.text_ends[index]]
    }
    outcome: str = PageOutcome.ARTICLE
    detail = ""
    try:
        article, finding = find_article(flat, apart=left_out)
        article = with_page_judged(flat, article, finding)
        if finding is not None:
            verdicts |= _verdicts(flat, finding)
    except NoArticleError as error:
        outcome, detail = error.outcome, str(error)
    mean, lines = _explain_lines(flat, verdicts)
    other_url = pivot.url if isinstance(pivot, Page) else None
    return Explanation(page.url, other_url, outcome, detail, article, mean, lines)


def _verdicts(page: PageInTemplate, finding: Finding) -> dict[int, Verdict]:
    """Return the verdicts by line number; lines without a verdict were dropped."""
    outline = page.outline
    start = outline.text_starts[finding.container]
    shown = set(range(start, outline.text_ends[finding.container]))
    for index in finding.dropped | finding.muted:
        shown.difference_update(range(outline.text_starts[index], outline.text_ends[index]))
    lines = {outline.texts[place].line for place in shown}
    kept = lines if finding.lines is None else lines & finding.lines
    verdicts: dict[int, Verdict] = dict.fromkeys(kept, "kept")
    _, heading = titles.headline(outline, finding.container, page.url, page.template.titles)
    if heading is not None:
        headline = outline.texts[outline.text_starts[heading] : outline.text_ends[heading]]
        verdicts |= dict.fromkeys((node.line for node in headline), "title")
    return verdicts


def _explain_lines(
    page: PageInTemplate, verdicts: dict[int, Verdict]
) -> tuple[float, tuple[ExplainedLine, ...]]:
    judged, outline = page.judged, page.outline
    evidence = judged.evidence
    if not evidence.lines:
        return 0.0, ()
    odds = _log_odds(judged)
    mean = float(odds.mean())
    features = evidence.features
    is_short = len(evidence.lines) <= MAX_EXPLAINED
    aspects = aspects_of(features.columns) if is_short else ()
    parts = np.zeros((len(aspects), len(odds)))
    for part, aspect in zip(parts, aspects, strict=True):
        part[:] = odds - _log_odds(_without(judged, aspect))
        part -= part.mean()
    rest = odds - mean - parts.sum(axis=0)
    away = _distance_from_mean(features.rows)
    tree = outline.elements[0].getroottree()
    explained = (
        ExplainedLine(
            number=line.number,
            xpath=tree.getpath(outline.elements[line.block]),
            text=line.text,
            verdict=verdicts.get(line.number, "dropped"),
            probability=float(judged.probabilities[place]),
            reasons=tuple(
                sorted(
                    [
                        *(
                            Reason(
                                aspect.name,
                                _phrase(aspect, features, away[place], place),
                                float(part[place]),
                            )
                            for aspect, part in zip(aspects, parts, strict=True)
                        ),
                        Reason(*CONTEXT, float(rest[place])),
                    ],
                    key=lambda reason: -abs(reason.contribution),
                )
            ),
        )
        for place, line in enumerate(evidence.lines)
    )
    return mean, tuple(explained)


def _log_odds(judged: JudgedPage) -> npt.NDArray[np.float64]:
    likely = np.clip(judged.probabilities, LEAST, 1 - LEAST)
    return np.asarray(np.log(likely / (1 - likely)), dtype=np.float64)


def _without(judged: JudgedPage, aspect: Aspect) -> JudgedPage:
    """Judge a page again, without one aspect of its evidence."""
    evidence = judged.evidence
    rows = evidence.features.rows.copy()
    columns = list(aspect.columns)
    rows[:, columns] = rows[:, columns].mean(axis=0, dtype=np.float64)
    return trained_model().judge(replace(evidence, features=replace(evidence.features, rows=rows)))


def _distance_from_mean(rows: Rows) -> Rows:
    """Return the deviation of each number from its column's mean, in standard deviations."""
    wide = rows.astype(np.float64)
    deviations = np.maximum(wide.std(axis=0), 1e-6)
    return np.asarray(abs(wide - wide.mean(axis=0)) / deviations, dtype=np.float32)


def _phrase(aspect: Aspect, features: Features, away: Rows, place: int) -> str:
    """Describe the most unusual feature of an aspect."""
    strongest = max(aspect.columns, key=lambda column: away[column])
    return phrase(features.columns[strongest], float(features.rows[place, strongest]))
