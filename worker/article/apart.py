"""Bodies without what is known not to be the article's."""

from collections.abc import Collection
from dataclasses import replace

from worker.article.finding import Finding
from worker.article.outline import Outline

MAX_APART = 0.5
"""Share of the body's words in elements that are said to be no part of it, up to which they go."""

MIN_LEFT = 100
"""Words of the body that must be left where more of it is in such elements.

With fewer, the article is one of them: the first post of a thread, or a post of a blog whose
comments are made like it.
"""


def leave_out(page: Outline, finding: Finding, apart: Collection[int]) -> Finding:
    """Leave elements out of a body, unless they are most of it and hardly anything is left.

    The other lines of the body stay as they were chosen. To choose them anew, as if the comments
    were not there, loses as many pages as it gains.

    Parameters
    ----------
    page, finding
        The page and the body.
    apart
        Indices of the elements.
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
