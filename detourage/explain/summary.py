"""Summary at the top of an explanation in any format."""

from collections.abc import Iterator

from detourage.reader import ExplainedLine, Explanation, Reason


def summary(explanation: Explanation, group_size: int, comments: int) -> Iterator[tuple[str, str]]:
    """Yield the names and values of facts about a page, its article and its comments."""
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


def reason_text(reason: Reason) -> str:
    """Return a reason in words, with its contribution to the log odds."""
    return f"{reason.contribution:+.1f} {reason.phrase}"


def reason_texts(line: ExplainedLine) -> list[str]:
    """Return the three strongest reasons of a line in words."""
    return [reason_text(reason) for reason in line.reasons[:3]]
