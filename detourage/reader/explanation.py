"""Explanation of which lines of a page are part of its article, and which are not."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from detourage.article import Article
from detourage.html import Page
from detourage.outcomes import PageOutcome
from detourage.reader.article import discard_cached_judgement, judged_page
from detourage.reader.knowledge import TemplateKnowledge, knowledge_of
from detourage.reader.no_article_errors import NoArticleError
from detourage.reader.outline import Outline
from detourage.roles import LineRole

Verdict = Literal["kept", "title", "comment", "dropped"]
"""Verdicts on a line: kept in the text, part of the displayed headline, part of a comment, or
dropped. A line may be dropped in spite of its high probability of being text, for example if it
repeats earlier lines."""


@dataclass(frozen=True)
class ExplainedLine:
    """A line of a page (numbered as in `Outline.text_lines`), with the verdict on it.

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
    describes that reason, and is empty if there is an article. `template_url` is the URL of the
    template page, if any.
    """

    url: str
    template_url: str | None
    outcome: str
    detail: str
    article: Article | None
    lines: tuple[ExplainedLine, ...]


def explanation_of(
    page: Page, template: Page | TemplateKnowledge | None, result: Article | NoArticleError
) -> Explanation:
    """Explain the result of reading a page in comparison with `template`."""
    outline, judged = Outline.of(page.flat), judged_page(page, knowledge_of(template))
    article = result if isinstance(result, Article) else None
    verdicts = dict(_verdicts(outline, article)) if article is not None else {}
    outcome = PageOutcome.ARTICLE if isinstance(result, Article) else result.outcome
    best_roles = judged.role_probabilities.argmax(axis=1).tolist()
    predictions = zip(judged.lines, best_roles, judged.probabilities.tolist(), strict=True)
    lines = tuple(
        ExplainedLine(
            line.number,
            outline.node(line.block).path(),
            line.text,
            verdicts.get(line.number, "dropped"),
            judged.roles[role],
            probability,
        )
        for line, role, probability in predictions
    )
    discard_cached_judgement(page)
    template_url = template.url if isinstance(template, Page) else None
    detail = "" if article is result else str(result)
    return Explanation(page.url, template_url, outcome, detail, article, lines)


def _verdicts(outline: Outline, article: Article) -> Iterator[tuple[int, Verdict]]:
    """Yield the numbers of lines with the verdicts on them; lines without one were dropped."""
    document, pieces = outline.document, outline.document.pieces
    in_comments = {
        element
        for comment in article.comments
        if comment.element is not None
        for element in range(comment.element, int(document.ends[comment.element]))
    }
    in_blocks = {
        (int(pieces.parents[piece]), pieces.texts[piece])
        for block in article.blocks
        for piece in block.pieces
    }
    in_heading = range(0)
    if article.heading is not None:
        in_heading = range(article.heading, int(document.ends[article.heading]))
    parents = outline.flat.numbers[outline.text_parents].tolist()
    texts = zip(parents, outline.text_lines.tolist(), outline.flat.texts, strict=True)
    for parent, line, text in texts:
        if parent in in_heading:
            yield line, "title"
        elif (parent, text) in in_blocks:
            yield line, "kept"
        elif parent in in_comments:
            yield line, "comment"
