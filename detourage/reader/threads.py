"""Threads, which are discussion pages whose text consists of all posts in order."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from detourage.comments import CommentParts
from detourage.html.flat import Booleans
from detourage.html.text import without_text
from detourage.reader.body import body_of
from detourage.reader.finding import Finding, FoundRole
from detourage.reader.lines import Line
from detourage.reader.outline import Outline
from detourage.reader.page_model import JudgedPage
from detourage.roles import LineRole

MAX_HEAD_WORDS = 12  # words in a line with an author or date: "Ann, 5 May 2024 at 11:15 pm"
MIN_OUTSIDE = 0.5  # probability of a line outside the posts that is kept if no lines were chosen

LEAST_IN_POSTS = ((0.99, 0.0), (0.5, 0.6), (0.0, 0.95))
"""Minimum shares of the text's words in posts, by the probability of a forum page; an article with
many comments looks like a thread."""

_PARAGRAPH = FoundRole("paragraph", 0.0)

FindPosts = Callable[[], CommentParts | None]
"""Function that finds the posts of a forum page, or returns None if there are none."""


@dataclass(frozen=True, eq=False)
class _PostLines:
    """Masks of the lines that are in posts, and of their texts, authors and dates."""

    within: Booleans
    written: Booleans
    authors: Booleans
    dates: Booleans


def find_thread(
    page: Outline,
    judged: JudgedPage,
    shown: Finding,
    posts: CommentParts,
    likelihood: float,
    heading: int | None = None,
    text_roles: Sequence[LineRole] = (),
) -> Finding | None:
    """Find the whole discussion of a thread; return None if the posts are comments on an article.

    The discussion consists of the posts' contents, headed by authors and dates, and of the lines of
    the article (`shown`) outside the posts and below the headline (the element `heading`), because
    the markup of the first post often differs, unless all of these lines follow the posts.

    `likelihood` is the probability of a forum page. Only lines with one of the `text_roles` are
    kept, or all lines if it is empty.
    """
    lines = judged.lines
    if not lines:
        return None
    post_lines = _post_lines(page, lines, posts)
    sizes = np.array([len(line.tokens) for line in lines])
    if shown.lines is None:
        chosen = judged.probabilities >= MIN_OUTSIDE
    else:
        chosen = np.array([line.number in shown.lines for line in lines])
    is_below = np.array([line.block for line in lines]) > (-1 if heading is None else heading)
    places, within = np.arange(len(lines)), np.flatnonzero(post_lines.within)
    outside = chosen & ~post_lines.within & is_below
    if len(within) and not (chosen & is_below & (places < within[0])).any():
        outside &= places < within[-1]
    written = int(sizes[post_lines.written].sum())
    share = written / max(1, written + int(sizes[outside].sum()))
    if not written or share < next(least for p, least in LEAST_IN_POSTS if likelihood >= p):
        return None
    is_head = (post_lines.authors | post_lines.dates) & (sizes <= MAX_HEAD_WORDS)
    kept = post_lines.written | is_head | outside
    roles = _roles(lines, post_lines, posts, shown.roles)
    found = [
        line
        for line, is_kept in zip(lines, kept.tolist(), strict=True)
        if is_kept and (not text_roles or roles.get(line.number, _PARAGRAPH).role in text_roles)
    ]
    return body_of(page, found, posts.confidence, roles) if found else None


def _post_lines(page: Outline, lines: Sequence[Line], posts: CommentParts) -> _PostLines:
    document = page.document
    inside = np.zeros(len(document.elements), dtype=np.bool_)
    for element in posts.elements:
        inside[element : document.ends[element]] = True
    blocks = page.flat.numbers[np.array([line.block for line in lines])]
    numbers = np.array([line.number for line in lines])
    around = document.count_around(without_text(document))
    shown = np.flatnonzero(around[document.text_parents] == 0)
    written, authors, dates = (
        np.isin(numbers, page.text_lines[np.isin(shown, np.array([*texts], dtype=np.int64))])
        for texts in (posts.bodies, posts.authors, posts.dates)
    )
    within = inside[blocks] | written
    return _PostLines(within, written, authors & ~written, dates & ~written)


def _roles(
    lines: Sequence[Line],
    post_lines: _PostLines,
    posts: CommentParts,
    known: Mapping[int, FoundRole],
) -> dict[int, FoundRole]:
    roles = dict(known)
    for line, author, date in zip(lines, post_lines.authors, post_lines.dates, strict=True):
        if author:
            roles[line.number] = FoundRole("byline", posts.confidence)
        elif date:
            roles[line.number] = FoundRole("dateline", posts.confidence)
    return roles
