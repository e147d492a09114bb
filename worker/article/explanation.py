"""Explanation of why each line of a page was kept or dropped."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from lxml.html import HtmlElement

from worker.article import titles
from worker.article.article import (
    KnownTemplate,
    PageInTemplate,
    find_article,
    with_page_judged,
)
from worker.article.attribution import contributions
from worker.article.classification import trained_model
from worker.article.errors import NoArticleError
from worker.article.finding import Finding
from worker.article.knowledge import TemplateKnowledge
from worker.article.outline import Outline
from worker.article.phrases import NETWORK, aspects_of, phrase
from worker.article.result import Extraction
from worker.article.threads import FindPosts
from worker.html import Page
from worker.outcomes import PageOutcome

Verdict = Literal["kept", "title", "comment", "dropped"]
"""The verdict on a line.

``title`` is the displayed headline, which is not part of the text; ``comment`` covers readers'
comments and anything between them.
"""


@dataclass(frozen=True)
class Reason:
    """An aspect of the evidence, with its contribution to the log odds of a line.

    Attributes
    ----------
    aspect
        Name of the aspect (see `worker.article.phrases`).
    phrase
        The aspect's strongest evidence in words; for the network, which gives no reasons, a
        description of its input.
    contribution
        Log odds, positive in favour of the article: the sum over the aspect's columns, relative to
        the mean line of the page.
    """

    aspect: str
    phrase: str
    contribution: float


@dataclass(frozen=True)
class ExplainedLine:
    """A line of a page and the verdict on it.

    Attributes
    ----------
    number
        Line number in the outline (see `worker.article.outline.TextNode`).
    xpath
        Positional XPath of the enclosing block.
    text
        The cleaned text.
    verdict
        Whether the line was kept, dropped, or is a title or comment.
    probability
        Probability, according to the classifier, that the line belongs to the article.
    reasons
        All aspects, strongest first. Their contributions plus `Explanation.mean` equal the log odds
        of `probability`.
    """

    number: int
    xpath: str
    text: str
    verdict: Verdict
    probability: float
    reasons: tuple[Reason, ...]


@dataclass(frozen=True)
class Explanation:
    """The outcome for a page, with the reasons.

    Attributes
    ----------
    url, other_url
        URLs of the page and of the page it was compared with. The latter is None if the page was
        compared with no page, or only with knowledge of the template.
    outcome
        `worker.outcomes.PageOutcome.ARTICLE`, or the reason why there is no article.
    detail
        The reason in words if there is no article; otherwise empty.
    article
        The article, or None.
    mean
        Log odds of the page's mean line, to which the contributions of the reasons are added.
    lines
        The page's lines, in order.
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

    Parameters
    ----------
    page, pivot, apart, posts
        As for `worker.article.extract_article`. Pages without an article are explained too.
    """
    outline = Outline.of(page.flat)
    # Use only the knowledge of the other page, as the service does.
    template = KnownTemplate(KnownTemplate.of(pivot).knowledge)
    flat = PageInTemplate(page.url, outline, template, posts=posts)
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
    """Return the verdicts by line number; lines not listed were dropped."""
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
    model, outline = trained_model(), page.outline
    evidence, probabilities = page.judged.evidence, page.judged.probabilities
    if not evidence.lines:
        return model.trees.base, ()
    mean, parts = contributions(model.trees, evidence.features)
    of_network: Sequence[float] = [0.0] * len(parts)
    for odds in page.judged.log_odds[1:]:
        # Average the log odds of both members, as for the probability.
        mean, parts = (mean + float(odds.mean())) / 2, parts / 2
        of_network = ((odds - odds.mean()) / 2).tolist()
    columns = evidence.features.columns
    tree = outline.elements[0].getroottree()
    explained = (
        ExplainedLine(
            number=line.number,
            xpath=tree.getpath(outline.elements[line.block]),
            text=line.text,
            verdict=verdicts.get(line.number, "dropped"),
            probability=probability,
            reasons=_sorted([*_reasons(columns, row, of_row), Reason(*NETWORK, of_net)]),
        )
        for line, row, of_row, of_net, probability in zip(
            evidence.lines,
            evidence.features.rows.tolist(),
            parts.tolist(),
            of_network,
            probabilities.tolist(),
            strict=True,
        )
    )
    return mean, tuple(explained)


def _reasons(
    columns: tuple[str, ...], row: Sequence[float], parts: Sequence[float]
) -> Iterator[Reason]:
    for aspect in aspects_of(columns):
        total = sum(parts[column] for column in aspect.columns)
        sign = (total > 0) - (total < 0)
        weights = [sign * parts[column] for column in aspect.columns]
        strongest = aspect.columns[weights.index(max(weights))]
        yield Reason(aspect.name, phrase(columns[strongest], row[strongest]), total)


def _sorted(reasons: Iterable[Reason]) -> tuple[Reason, ...]:
    return tuple(sorted(reasons, key=lambda reason: -abs(reason.contribution)))
