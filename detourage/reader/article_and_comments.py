"""Extraction of a page's article and of the comments below it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np

from detourage.article import Article, copy_with
from detourage.core import may_hold_comments
from detourage.html import Page
from detourage.html.flat import FlatDocument
from detourage.metadata import dated_from as dated_metadata
from detourage.pagination import read_pagination
from detourage.reader import NoArticleError, NoTextError, TemplateKnowledge, extract_article
from detourage.reader.article import discard_cached_judgement, judged_page
from detourage.reader.comment_exclusion import comments_to_exclude
from detourage.reader.comment_marks import marked_comments
from detourage.reader.knowledge import UNKNOWN_TEMPLATE, knowledge_of
from detourage.reader.locations import with_locations
from detourage.reader.outline import Outline
from detourage.reader.scripts import program_state, structured_data
from detourage.roles import Favor, LineRole
from detourage.text import words
from detourage.text.lazy_patterns import lazy_pattern
from detourage.walls.verdict import SURE as SURE_WALL
from detourage.walls.verdict import Verdict, judge_wall

if TYPE_CHECKING:
    from detourage.comments import Comment, CommentPattern, FoundComments
    from detourage.comments.candidates import PageWords
    from detourage.reader.explanation import Explanation
    from detourage.reader.page_comments import PostsOfPage

MIN_COMMENT = 0.3  # probability of a comment, or a forum page, at which comments are searched for
MIN_WORDS_BY_READERS = 15  # expected number of readers' words at which comments are searched for

MAX_ANNOUNCEMENT = 40  # words of a page that announces a redirect
_REDIRECT = lazy_pattern(r"\s*+\d(?:\.\d*+)?+\s*+[;,]\s*+url\s*+=", re.IGNORECASE)
MAX_COMPARED = 50  # characters at the start of a post that are searched for in the thread's opening
MAX_OPENING = 200  # characters of a thread within which its first post begins


def read_content(
    page: Page,
    template: Page | TemplateKnowledge | None = None,
    group_pattern: CommentPattern | None = None,
    text_roles: Sequence[LineRole] = (),
    fetched_at: datetime | None = None,
    *,
    favor: Favor | None = None,
    include_locations: bool = True,
) -> Article:
    """Extract the article of a page and read its comments.

    `page`, `template`, `text_roles` and `favor` are as for `detourage.reader.extract_article`. If
    the page probably has comments, but a search finds none, those that match `group_pattern`, the
    comment pattern of its group, are used. Relative dates in comments, such as "3 hours ago", are
    resolved against `fetched_at`, an aware datetime; without it, they are left as written. With
    `include_locations`, each part of the article gets its location in the page.

    Raise the errors of `detourage.reader.extract_article`, `WallError` if a wall almost certainly
    replaces the article, and `GoneError` if the article is almost certainly gone.
    """
    try:
        options = (template, group_pattern, text_roles, fetched_at)
        article = read_despite_wall(
            page, *options, favor=favor, include_locations=include_locations
        )
    except NoTextError as error:
        wall = judge_wall(page, None).wall
        raise (wall if wall is not None and wall.probability >= SURE_WALL else error) from None
    if _leads_away(page, article):
        raise NoTextError
    if article.comments:
        # A wall never has reader comments, so this page is not a wall.
        return article
    verdict = _verdict(page, article, template)
    if verdict.wall is not None and verdict.wall.probability >= SURE_WALL:
        raise verdict.wall
    if verdict.is_blank:
        raise NoTextError
    metadata = article.metadata
    if verdict.is_truncated:
        metadata = replace(metadata, truncated=True)
    return copy_with(article, metadata=metadata, suspected=verdict.wall)


def _leads_away(page: Page, article: Article) -> bool:
    """Return whether a page only announces that it loads another one within seconds."""
    flat = page.flat
    contents = flat.values("content")
    refreshes = [
        element
        for element, kind in flat.values("http-equiv").items()
        if kind.lower() == "refresh" and _REDIRECT.match(contents.get(element, ""))
        if page.url not in contents[element]
    ]
    if not refreshes or flat.within(flat.having({"noscript"}))[refreshes].all():
        return False
    return len(words.tokens(article.text)) <= MAX_ANNOUNCEMENT


def _verdict(page: Page, article: Article, template: Page | TemplateKnowledge | None) -> Verdict:
    """Judge whether a page shows a wall; the comparison with copies of the wall would hide it."""
    verdict = judge_wall(page, article)
    if template is None or verdict.wall is None or verdict.wall.probability >= SURE_WALL:
        return verdict
    try:
        alone = judge_wall(page, extract_article(page, None))
    except NoArticleError:
        return verdict
    finally:
        discard_cached_judgement(page)
    is_wall = alone.wall is not None and alone.wall.probability >= SURE_WALL
    return alone if is_wall or alone.is_blank else verdict


def read_despite_wall(
    page: Page,
    template: Page | TemplateKnowledge | None = None,
    group_pattern: CommentPattern | None = None,
    text_roles: Sequence[LineRole] = (),
    fetched_at: datetime | None = None,
    *,
    favor: Favor | None = None,
    include_locations: bool = False,
) -> Article:
    """Read a page like `read_content`, without checking for a wall."""
    article = _with_comments(page, knowledge_of(template), group_pattern, text_roles, favor)
    discard_cached_judgement(page)
    if article.comments:
        from detourage.comments import dated_from

        comments = dated_from(article.comments, fetched_at, article.language)
        article = copy_with(article, comments=comments)
    article = copy_with(
        article,
        metadata=dated_metadata(article.metadata, fetched_at, article.language),
        pagination=read_pagination(page),
    )
    article = _dated_by_posts(article)
    if not include_locations:
        return article
    try:
        return with_locations(page, article)
    except Exception:
        # An article without locations is better than none.
        from logging import getLogger

        getLogger(__name__).exception(
            "could not locate the contents of %s (this is a bug; report it)", page.url or "a page"
        )
        return article


def _dated_by_posts(article: Article) -> Article:
    """Set a thread's date to that of its first post if the thread's date is missing or earlier."""
    metadata, pagination = article.metadata, article.pagination
    posts = [(each.date, each.text) for each in article.comments if each.date is not None]
    if not posts or metadata.kind != "forum":
        return article
    date, text = min(posts, key=lambda post: post[0].day)
    is_later_part = pagination.number not in (None, 1) or pagination.previous is not None
    is_first = not is_later_part and text[:MAX_COMPARED].strip() in article.text[:MAX_OPENING]
    if metadata.published is None or (text and is_first and metadata.published.day < date.day):
        metadata = replace(metadata, published=date)
    return replace(article, metadata=metadata)


def _with_comments(
    page: Page,
    template: TemplateKnowledge,
    group_pattern: CommentPattern | None,
    text_roles: Sequence[LineRole],
    favor: Favor | None,
) -> Article:
    """Extract the article without its comments, and read the comments."""
    posts = _posts_of(page, template, group_pattern)
    excluded = comments_to_exclude(page, posts.likely) if posts is not None else ()
    find = posts.find if posts is not None else None

    def read_opened(opened: FlatDocument) -> Article:
        """Read a copy with displayed ``noscript`` elements, which may hold the posts of a forum."""
        return _with_comments(replace(page, flat=opened), template, None, text_roles, favor)

    article = extract_article(page, template, excluded, text_roles, find, favor, read_opened)
    if article.comments:
        return article
    comments: tuple[Comment, ...] = ()
    if posts is not None:
        from detourage.reader.page_comments import displayed_comments

        found = posts.of_kind(article.metadata.kind)
        if excluded and not found.records:
            article = extract_article(page, template, (), text_roles, None, favor, read_opened)
        comments = displayed_comments(found, page)
    return copy_with(article, comments=comments or declared_comments(page))


def _posts_of(
    page: Page, template: TemplateKnowledge, group_pattern: CommentPattern | None = None
) -> PostsOfPage | None:
    """Find the posts or comments of a page; return None if neither wording nor markup has them."""
    words = words_by_readers(page, template)
    page.flat.memo[own_vote] = None
    if words is None and not marked_comments(Outline.of(page.flat).flat)[1].any():
        return None
    # Imported here because most pages have no comments, and the import takes 10 ms.
    from detourage.reader.page_comments import PostsOfPage

    posts = PostsOfPage.of(page, words, group_pattern)
    page.flat.memo[own_vote] = posts.vote
    return posts


def comments_of(page: Page) -> FoundComments:
    """Search a page for its comments."""
    from detourage.comments import NONE_FOUND

    posts = _posts_of(page, UNKNOWN_TEMPLATE)
    return posts.likely if posts is not None else NONE_FOUND


def explain_content(
    page: Page,
    template: Page | TemplateKnowledge | None = None,
    group_pattern: CommentPattern | None = None,
) -> Explanation:
    """Read a page like `read_content`, and explain the result even if there is no article."""
    result: Article | NoArticleError
    try:
        result = read_content(page, template, group_pattern, include_locations=False)
    except NoArticleError as error:
        result = error
    from detourage.reader.explanation import explanation_of

    return explanation_of(page, template, result)


def words_by_readers(
    page: Page, template: TemplateKnowledge = UNKNOWN_TEMPLATE
) -> PageWords | None:
    """Return the expected number of words by readers in each text node, or None if there are few.

    Readers wrote the comments of any page and, if it is a forum page, its whole text.
    """
    outline, judged = Outline.of(page.flat), judged_page(page, template)
    comment, forum = judged.probability_of(("comment",)), judged.kinds.get("forum", 0.0)
    if max(comment.max(initial=0.0), forum) < MIN_COMMENT:
        return None
    probability_by_line = np.zeros(int(outline.text_lines.max(initial=0)) + 1)
    probability_by_line[judged.columns.numbers] = comment + forum * judged.probabilities
    by_readers = outline.text_sizes * probability_by_line[outline.text_lines]
    if by_readers.sum() < MIN_WORDS_BY_READERS:
        return None
    from detourage.comments.candidates import PageWords

    return PageWords(page.flat, outline.flat, outline.text_sizes, by_readers)


def own_vote(page: Page) -> str | None:
    """Return the vote of a page, already read, on its group's comment pattern (see `vote_of`).

    The vote is None if the page was not searched because it probably has no comments.
    """
    vote: str | None = page.flat.memo.get(own_vote)
    return vote


def search_for_vote(page: Page, template: TemplateKnowledge | None) -> str | None:
    """Search a page for comments, and return its `own_vote`."""
    _posts_of(page, knowledge_of(template))
    discard_cached_judgement(page)
    return own_vote(page)


def declared_comments(page: Page) -> tuple[Comment, ...]:
    """Read the comments in a page's JSON-LD or, failing that, in the state of its scripts."""
    if not may_hold_comments(page.flat.pieces.utf8):
        return ()
    from detourage.comments.declared_comments import comments_in_data, comments_in_state

    def is_wanted(script: str) -> bool:
        return may_hold_comments(script.encode())

    data = (value for _, value in structured_data(page.flat, is_wanted))
    state = (value for _, value in program_state(page.flat, is_wanted))
    return comments_in_data(data, page.url) or comments_in_state(state, page.url)
