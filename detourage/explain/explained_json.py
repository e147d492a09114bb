"""Conversion of an explanation to JSON."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from detourage.comments import Comment
from detourage.reader import Explanation


def to_json(
    explanation: Explanation,
    group_size: int,
    comments: Sequence[Comment] = (),
) -> dict[str, Any]:
    """Convert an explanation and the page's comments to JSON values."""
    article = explanation.article
    return {
        "url": explanation.url,
        "outcome": explanation.outcome,
        "detail": explanation.detail or None,
        "template": {"size": group_size, "compared_with": explanation.other_url},
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
        "mean_log_odds": explanation.mean,
        "lines": [asdict(line) for line in explanation.lines],
    }
