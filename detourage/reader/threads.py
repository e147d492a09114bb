"""Extraction of threads: discussion pages whose text consists of all posts in order."""

from collections.abc import Sequence
from itertools import compress
from typing import NamedTuple

import numpy as np

from detourage.comments import CommentParts
from detourage.html.flat import Booleans
from detourage.html.visible_text import without_text
from detourage.reader.body import body_of
from detourage.reader.found_body import FoundBody, FoundRole
from detourage.reader.lines import Line
from detourage.reader.outline import Outline
from detourage.reader.page_model import JudgedPage
from detourage.roles import LineRole

MAX_HEAD_WORDS = 12  # words in a line with an author or date: "Ann, 5 May 2024 at 11:15 pm"
MIN_OUTSIDE = 0.5  # probability of being text for a line outside the posts, if `body.lines` is None

MIN_SHARES_IN_POSTS = ((0.99, 0.0), (0.5, 0.6), (0.0, 0.95))
"""Pairs of a minimum probability of a forum page, and the share of the text's words that must be in
posts at that probability. With a smaller share, the posts are the comments below an article."""

_PARAGRAPH = FoundRole("paragraph", 0.0)


class _PostLines(NamedTuple):
    """Masks of the lines in posts, and of the lines with the posts' bodies, authors and dates."""

    in_posts: Booleans
    bodies: Booleans
    authors: Booleans
    dates: Booleans


def find_thread(
    page: Outline,
    judged: JudgedPage,
    body: FoundBody,
    posts: CommentParts,
    heading: int | None = None,
    text_roles: Sequence[LineRole] = (),
) -> FoundBody | None:
    """Find the whole discussion of a thread; return None if the posts are comments on an article.

    The discussion consists of the contents, authors and dates of the posts. It also includes the
    lines of the article's `body` that are below the headline (the element `heading`) but outside
    the posts, because the markup of the first post often differs. If none of these lines precedes
    the posts, those after the last post are omitted.

    Only lines with one of the `text_roles` are kept, or all lines if it is empty.
    """
    lines = judged.lines
    if not lines:
        return None
    post_lines = _post_lines(page, lines, posts)
    word_counts = np.array([line.words for line in lines])
    if body.lines is None:
        is_text = judged.probabilities >= MIN_OUTSIDE
    else:
        is_text = np.array([line.number in body.lines for line in lines])
    is_text &= np.array([line.block for line in lines]) > (-1 if heading is None else heading)
    places, in_posts = np.arange(len(lines)), np.flatnonzero(post_lines.in_posts)
    is_outside = is_text & ~post_lines.in_posts
    if len(in_posts) and not (is_text & (places < in_posts[0])).any():
        is_outside &= places < in_posts[-1]
    words_in_posts = int(word_counts[post_lines.bodies].sum())
    share = words_in_posts / max(1, words_in_posts + int(word_counts[is_outside].sum()))
    is_forum = judged.kinds["forum"]
    min_share = next(least for minimum, least in MIN_SHARES_IN_POSTS if is_forum >= minimum)
    if not words_in_posts or share < min_share:
        return None
    is_head = (post_lines.authors | post_lines.dates) & (word_counts <= MAX_HEAD_WORDS)
    is_kept = post_lines.bodies | is_head | is_outside
    roles = dict(body.roles)
    dateline = FoundRole("dateline", posts.confidence), post_lines.dates
    byline = FoundRole("byline", posts.confidence), post_lines.authors
    for role, mask in (dateline, byline):
        roles.update((line.number, role) for line in compress(lines, mask.tolist()))
    kept = [
        line
        for line in compress(lines, is_kept.tolist())
        if not text_roles or roles.get(line.number, _PARAGRAPH).role in text_roles
    ]
    return body_of(page, kept, posts.confidence, roles) if kept else None


def _post_lines(page: Outline, lines: Sequence[Line], posts: CommentParts) -> _PostLines:
    """Determine which lines are in posts, and which of these have a body, an author or a date."""
    document = page.document
    is_in_post = np.zeros(len(document.ends), dtype=np.bool_)
    for element in posts.elements:
        is_in_post[element : document.ends[element]] = True
    blocks = page.flat.numbers[np.array([line.block for line in lines])]
    numbers = np.array([line.number for line in lines])
    silent_around = document.count_around(without_text(document))
    # Index in the document of each text node of the outline.
    outlined = np.flatnonzero(silent_around[document.text_parents] == 0)
    bodies, authors, dates = (
        np.isin(numbers, page.text_lines[np.isin(outlined, np.array([*texts], dtype=np.int64))])
        for texts in (posts.bodies, posts.authors, posts.dates)
    )
    in_posts = is_in_post[blocks] | bodies
    return _PostLines(in_posts, bodies, authors & ~bodies, dates & ~bodies)
