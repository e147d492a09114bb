"""Read threads: discussion pages whose text consists of all posts in order."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from models.roles import LineRole
from worker.article.body import body_of
from worker.article.finding import Finding, FoundRole
from worker.article.lines import Line
from worker.article.outline import Outline
from worker.article.page_model import JudgedPage
from worker.html.flat import Booleans, Integers

MAX_HEAD_WORDS = 12
"""Maximum number of words in a line with an author or date, like "Ann, 5 May 2024 at 11:15 pm"."""

TAKEN = 0.5
"""Minimum probability at which a line outside the posts is kept if no method chose the lines."""

LEAST_IN_POSTS = ((0.99, 0.0), (0.5, 0.6), (0.0, 0.95))
"""Minimum share of the text's words in posts at which a page is read as a thread, by the minimum
probability of a forum page.

The less likely a forum is, the less text may stand beside its posts, because an article with many
comments looks like a thread. Of the threads of 110 forum pages, three have a share below .6, of
.07 to .49, all with a probability of 1; five have .66 to .79 with .63 to .96.
"""


@dataclass(frozen=True)
class Posts:
    """Locations of the posts of a thread in its page.

    `elements` are document indices of the elements that hold posts. `authors`, `dates` and `bodies`
    are indices, among the document's texts, of the texts that display them. `confidence` is the
    probability that these are posts or comments.
    """

    elements: Sequence[int]
    authors: Collection[int]
    dates: Collection[int]
    bodies: Collection[int]
    confidence: float


FindPosts = Callable[[], Posts | None]
"""Function that finds the posts of a forum page, or returns None if there are none."""


@dataclass(frozen=True, eq=False)
class _LinesOfPosts:
    """Masks over the lines with tokens, by their location in the posts."""

    within: Booleans
    written: Booleans
    authors: Booleans
    dates: Booleans


def find_thread(
    page: Outline,
    judged: JudgedPage,
    shown: Finding,
    posts: Posts,
    likelihood: float,
    heading: int | None = None,
    text_roles: Sequence[LineRole] = (),
) -> Finding | None:
    """Find the whole discussion of a thread; return None if the posts are comments on an article.

    The discussion consists of the contents of the posts, headed by authors and dates, and of the
    lines of the article (`shown`) outside the posts and below the headline. These are included
    because the first post often has different markup, as do answers that readers comment on. If
    there are none before the posts, those after them are not included either.

    `likelihood` is the probability that the page is a forum page, its likeliest kind. `heading` is
    the index of the element that displays the headline, or None. `text_roles` are the roles of the
    lines to keep; if empty, all are kept.
    """
    lines = judged.evidence.lines
    if not lines:
        return None
    of_posts = _lines_of_posts(page, lines, posts)
    sizes = np.array([len(line.tokens) for line in lines])
    if shown.lines is None:
        taken = judged.probabilities >= TAKEN
    else:
        taken = np.array([line.number in shown.lines for line in lines])
    outside = taken & ~of_posts.within & _allowed_outside(lines, taken, of_posts.within, heading)
    written = int(sizes[of_posts.written].sum())
    share = written / max(1, written + int(sizes[outside].sum()))
    if not written or share < next(least for p, least in LEAST_IN_POSTS if likelihood >= p):
        return None
    is_head = (of_posts.authors | of_posts.dates) & (sizes <= MAX_HEAD_WORDS)
    kept = of_posts.written | is_head | outside
    roles = _roles(lines, of_posts, posts, shown.roles)
    found = [
        line
        for line, is_kept in zip(lines, kept.tolist(), strict=True)
        if is_kept and (not text_roles or _role_of(line, roles) in text_roles)
    ]
    return body_of(page, found, posts.confidence, roles) if found else None


def _lines_of_posts(page: Outline, lines: Sequence[Line], posts: Posts) -> _LinesOfPosts:
    document = page.document
    inside = np.zeros(len(document.elements), dtype=np.bool_)
    for element in posts.elements:
        inside[element : document.ends[element]] = True
    blocks = page.flat.numbers[np.array([line.block for line in lines])]
    numbers = np.array([line.number for line in lines])
    written, authors, dates = (
        np.isin(numbers, _lines_with(page, texts))
        for texts in (posts.bodies, posts.authors, posts.dates)
    )
    within = inside[blocks] | written
    return _LinesOfPosts(within, written, authors & ~written, dates & ~written)


def _allowed_outside(
    lines: Sequence[Line], taken: Booleans, within: Booleans, heading: int | None
) -> Booleans:
    """Return which lines outside the posts may be part of the thread (see `find_thread`)."""
    is_below = np.array([line.block for line in lines]) > (-1 if heading is None else heading)
    places, of_posts = np.arange(len(lines)), np.flatnonzero(within)
    if not len(of_posts) or (taken & is_below & (places < of_posts[0])).any():
        return is_below
    is_between: Booleans = is_below & (places < of_posts[-1])
    return is_between


def _lines_with(page: Outline, texts: Collection[int]) -> Integers:
    return page.text_lines[np.isin(page.text_numbers, np.array([*texts], dtype=np.int64))]


def _roles(
    lines: Sequence[Line], of_posts: _LinesOfPosts, posts: Posts, known: Mapping[int, FoundRole]
) -> dict[int, FoundRole]:
    roles = dict(known)
    for line, author, date in zip(lines, of_posts.authors, of_posts.dates, strict=True):
        if author:
            roles[line.number] = FoundRole("byline", posts.confidence)
        elif date:
            roles[line.number] = FoundRole("dateline", posts.confidence)
    return roles


def _role_of(line: Line, roles: Mapping[int, FoundRole]) -> LineRole:
    found = roles.get(line.number)
    return found.role if found is not None else "paragraph"
