"""Explanation of which lines of a page were kept or dropped."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from lxml.html import HtmlElement

from detourage.article import Article
from detourage.html import Page
from detourage.outcomes import PageOutcome
from detourage.reader import titles
from detourage.reader.article import PageInTemplate, find_article, with_page_judged
from detourage.reader.errors import NoArticleError
from detourage.reader.finding import Finding
from detourage.reader.knowledge import TemplateKnowledge, knowledge_of
from detourage.reader.outline import Outline
from detourage.reader.threads import FindPosts
from detourage.roles import LineRole

Verdict = Literal["kept", "title", "comment", "dropped"]
"""Verdict on a line.

``title`` is the displayed headline, which is not part of the text; ``comment`` includes anything
between comments. Passages that the page repeats are dropped, however probable they are.
"""


@dataclass(frozen=True)
class ExplainedLine:
    """A line of a page (numbered as in `TextNode`), with the verdict on it.

    `xpath` is the XPath of the enclosing block, `role` the most probable role of the line, and
    `probability` the probability that the line belongs to the text.
    """

    number: int
    xpath: str
    text: str
    verdict: Verdict
    role: LineRole
    probability: float


@dataclass(frozen=True)
class Explanation:
    """Why a page has an article or none, and the verdict on each of its lines.

    `outcome` is a `PageOutcome`, or the name of another reason for having no article; `detail`
    describes that reason, and is empty if there is an article. `other_url` is the URL of the page
    compared with, if any.
    """

    url: str
    other_url: str | None
    outcome: str
    detail: str
    article: Article | None
    lines: tuple[ExplainedLine, ...]


def explain_article(
    page: Page,
    other: Page | TemplateKnowledge | None,
    apart: Iterable[HtmlElement] = (),
    posts: FindPosts | None = None,
) -> Explanation:
    """Extract the article of a page with the default method, and give the verdict on each line.

    Pages without an article are explained too. The arguments are those of
    `detourage.reader.extract_article`.
    """
    outline = Outline.of(page.flat)
    flat = PageInTemplate(page.url, outline, knowledge_of(other), posts=posts)
    left_out = outline.indices_of(apart)
    article: Article | None = None
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
    judged, tree = flat.judged, outline.elements[0].getroottree()
    roles = judged.of_roles.argmax(axis=1).tolist()
    lines = tuple(
        ExplainedLine(
            line.number,
            tree.getpath(outline.elements[line.block]),
            line.text,
            verdicts.get(line.number, "dropped"),
            judged.roles[role],
            probability,
        )
        for line, role, probability in zip(
            judged.lines, roles, judged.probabilities.tolist(), strict=True
        )
    )
    other_url = other.url if isinstance(other, Page) else None
    return Explanation(page.url, other_url, outcome, detail, article, lines)


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
