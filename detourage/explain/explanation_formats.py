"""Explanations as text and JSON; for HTML, see `detourage.explain.marked_page`."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from click import style

from detourage.comments import Comment
from detourage.reader import Explanation
from detourage.reader.explanation import Verdict
from detourage.text.plural import shorten
from detourage.text.terminal import printable

MAX_LINE_CHARACTERS = 301  # maximum characters displayed per line, including an ellipsis

_COLOURS: dict[Verdict, str] = {
    "kept": "green",
    "title": "bright_green",
    "comment": "magenta",
    "dropped": "blue",
}


def to_terminal(explanation: Explanation, group_size: int, comments: int = 0) -> Iterator[str]:
    """Yield facts about a page, and then its lines with their verdicts, as text for a terminal."""
    for name, fact in summary(explanation, group_size, comments):
        yield f"{style(name.ljust(13), bold=True)} {printable(fact)}"
    width = max((len(line.role) for line in explanation.lines), default=0)
    yield style(f"\nverdict  prob.  {'role'.ljust(width)}  line", bold=True)
    for line in explanation.lines:
        text = shorten(printable(line.text), MAX_LINE_CHARACTERS)
        shown = f"{line.verdict:7}  {line.probability:5.2f}  {line.role.ljust(width)}  {text}"
        yield style(shown, fg=_COLOURS[line.verdict])


def summary(explanation: Explanation, group_size: int, comments: int) -> Iterator[tuple[str, str]]:
    """Yield facts about a page and its article, such as ``("lines", "12 of 80 kept")``."""
    yield "page", explanation.url
    if explanation.template_url is not None:
        yield "compared with", f"{explanation.template_url}, in a group of {group_size} pages"
    else:
        yield "compared with", "no other page"
    if comments:
        yield "comments", str(comments)
    article = explanation.article
    if article is None:
        yield "outcome", f"{explanation.outcome}: {explanation.detail}"
        return
    yield "title", article.title or "none"
    yield "method", article.method
    yield "container", article.xpath
    yield "confidence", f"{article.confidence:.2f}"
    kept = sum(line.verdict == "kept" for line in explanation.lines)
    yield "lines", f"{kept} of {len(explanation.lines)} kept"


def to_json(
    explanation: Explanation, group_size: int, comments: Sequence[Comment] = ()
) -> dict[str, Any]:
    """Convert an explanation and the page's comments to JSON values."""
    article = explanation.article
    return {
        "url": explanation.url,
        "outcome": explanation.outcome,
        "detail": explanation.detail or None,
        "template": {"size": group_size, "compared_with": explanation.template_url},
        "article": {
            "title": article.title,
            "method": article.method,
            "xpath": article.xpath,
            "confidence": article.confidence,
            "text": article.text,
        }
        if article is not None
        else None,
        "comments": [
            asdict(comment) | {"date": str(comment.date) if comment.date else None}
            for comment in comments
        ],
        "lines": [asdict(line) for line in explanation.lines],
    }
