"""Removal of elements that are known not to belong to the article."""

from collections.abc import Collection
from dataclasses import replace

from worker.article.finding import Finding
from worker.article.outline import Outline

MAX_APART = 0.5
"""Share of the body's words up to which elements known to lie outside the article are removed."""

MIN_LEFT = 100
"""Minimum number of words that must remain when more than `MAX_APART` of the body is removed.

With fewer, the article is one of these elements: the first post of a thread, or a blog post whose
comments share its markup.
"""


def leave_out(page: Outline, finding: Finding, apart: Collection[int]) -> Finding:
    """Drop elements from a body, unless they are most of it and hardly anything would remain.

    The other lines of the body stay as chosen. Choosing them again without the comments loses as
    many pages as it gains.
    """
    start, end = page.text_starts[finding.container], page.text_ends[finding.container]
    is_body = [
        finding.lines is None or node.line in finding.lines for node in page.texts[start:end]
    ]
    sizes = [
        node.size if inside else 0
        for node, inside in zip(page.texts[start:end], is_body, strict=True)
    ]
    left_out = {
        place
        for index in apart
        for place in range(max(start, page.text_starts[index]), min(end, page.text_ends[index]))
    }
    words = sum(sizes[place - start] for place in left_out)
    if words > MAX_APART * sum(sizes) and sum(sizes) - words < MIN_LEFT:
        return finding
    return replace(finding, dropped=finding.dropped.union(apart))
