"""What every way of showing an explanation says first."""

from collections.abc import Iterator

from worker.article import ExplainedLine, Explanation, Reason

SHOWN_REASONS = 3
"""Reasons shown of a line: those that moved its probability most."""


def summary(explanation: Explanation, group_size: int, comments: int) -> Iterator[tuple[str, str]]:
    """Yield the facts about a page, its article and its comments, each with its name."""
    yield "page", explanation.url
    if explanation.other_url is not None:
        yield "compared with", f"{explanation.other_url}, of {group_size} pages of its template"
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


def told(reason: Reason) -> str:
    """Say a reason in words, with what it adds to the log odds."""
    return f"{reason.contribution:+.1f} {reason.phrase}"


def told_reasons(line: ExplainedLine) -> list[str]:
    """Say the reasons of a line that are shown, the strongest first."""
    return [told(reason) for reason in line.reasons[:SHOWN_REASONS]]
