"""All that a page holds for its readers: its article, and the comments below it, apart from it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property

from lxml.html import HtmlElement

from models.roles import LineRole
from worker.article import (
    Explanation,
    Extraction,
    GoneError,
    NoArticleError,
    NoTextError,
    Posts,
    TemplateKnowledge,
    WallError,
    explain_article,
    extract_article,
)
from worker.article.declared import declared_comments
from worker.article.entries import entries_of
from worker.article.entry import Entry
from worker.article.hidden import UNSEEN, OpenedDocument
from worker.article.live import are_live_entries
from worker.article.walls import SURE as SURE_WALL
from worker.article.walls import judge_wall
from worker.comments import (
    NONE_SEEN,
    Comment,
    CommentPattern,
    FoundComments,
    find_comments,
    locate_parts,
    read_comments,
    vote,
    with_content,
)
from worker.comments.anchoring import dated_from
from worker.comments.areas import comment_area
from worker.comments.certainty import MAX_READ
from worker.comments.discussion import is_discussion
from worker.comments.elsewhere import CommentsElsewhere, find_elsewhere
from worker.comments.extents import extents_of
from worker.html import Page
from worker.html.flat import FlatDocument
from worker.html.places import element_at
from worker.outcomes import PageOutcome
from worker.pagination import Pagination, read_pagination

__all__ = [
    "SURE",
    "Content",
    "Entry",
    "ExplainedContent",
    "apart_from_article",
    "comment_pattern_of",
    "comments_of",
    "explain_content",
    "pattern_of_group",
    "patterns_for_page",
    "read_content",
    "read_shown",
]

SURE = 0.7
"""Probability that they are comments, from which on elements are taken out of the article.

Of 2,091 pages without comments, of sites that were not in training, three have some from here on
that do not read as a discussion, and three from 0.8 on; of those with comments 109 and 97. The
text of 2,300 articles is the same from either (``benchmarks/comments/today.py``).
"""


LIKELY = 0.4
"""Probability from which elements are taken out where they read as a discussion, too.

Of 668 pages of dragnet and wcxb 25 have such elements. Four articles lose by it if all of these are
taken out, none of them read as a discussion; of 80 generated pages with comments 37 have some that
are found rightly with less than `SURE`.
"""

MIN_OF_FORUM = 0.1
"""Probability from which on the likeliest records of a forum's page are taken for its posts.

From 0.02 on two more of 45 threads are found, but two of 95 others get worse, by 17 and 20 points
of F1, and an article that is taken for a forum's loses most of its text.
"""

_NONE_FOUND = FoundComments((), NONE_SEEN, 1.0)

MAX_COMMENTS = 5_000
"""Comments of a page that are read, the first ones: a bound on the work for a page made to take
long, as reading one takes some 0.1 ms.

The most on a page of the corpora are 206.
"""


@dataclass(frozen=True)
class Content:
    """What a page holds for its readers.

    Attributes
    ----------
    article
        The article.
    comments
        What readers wrote, in the order of the page.
    comments_elsewhere
        Threads of the page that other services keep.
    entries
        Entries of a live report, in the order of the page; none of any other page.
    pagination
        The other pages that what it shows is spread over.
    suspected
        A wall that may stand in the article's place, less likely than `SURE_WALL`; None for none.
    """

    article: Extraction
    comments: tuple[Comment, ...] = ()
    comments_elsewhere: tuple[CommentsElsewhere, ...] = ()
    entries: tuple[Entry, ...] = ()
    pagination: Pagination = field(default_factory=Pagination)
    suspected: WallError | GoneError | None = None


@dataclass(frozen=True)
class ExplainedContent:
    """What a page holds for its readers, and why it is that.

    Attributes
    ----------
    explanation
        The article, where there is one, with the reasons.
    comments, entries
        As of `Content`; none where there is no article to stand below.
    """

    explanation: Explanation
    comments: tuple[Comment, ...] = ()
    entries: tuple[Entry, ...] = ()


def read_content(
    page: Page,
    other: Page | TemplateKnowledge | None = None,
    patterns: Sequence[CommentPattern] | None = None,
    text_roles: Sequence[LineRole] = (),
    fetched_at: datetime | None = None,
) -> Content:
    """Cut the article out of a page, and read its comments.

    Parameters
    ----------
    page, other
        As for `worker.article.extract_article`, which raises the same.
    patterns
        Where comments stand on pages of the template: the first that finds any counts. None to
        look for them on this page alone.
    text_roles
        Roles of the lines that the article's text is made of, see `models.roles`; without any,
        those of `TEXT_ROLES`.
    fetched_at
        When the page was fetched, with its zone: what "3 hours ago" in a comment is told from.
        Without it the words stay what they are.

    Raises
    ------
    WallError, GoneError
        If a wall surely stands in the article's place, or nothing does any longer.
    """
    try:
        content = read_shown(page, other, patterns, text_roles, fetched_at)
    except NoTextError as error:
        wall = judge_wall(page, None).wall
        raise (wall if wall is not None and wall.probability >= SURE_WALL else error) from None
    if content.comments:
        # Nobody discusses a wall.
        return content
    judged = judge_wall(page, content.article)
    if judged.wall is not None and judged.wall.probability >= SURE_WALL:
        raise judged.wall
    article = content.article
    if judged.is_truncated:
        article = replace(article, metadata=replace(article.metadata, truncated=True))
    return replace(content, article=article, suspected=judged.wall)


def read_shown(
    page: Page,
    other: Page | TemplateKnowledge | None = None,
    patterns: Sequence[CommentPattern] | None = None,
    text_roles: Sequence[LineRole] = (),
    fetched_at: datetime | None = None,
) -> Content:
    """Read a page as `read_content` does, be it a wall or not."""
    posts = _PostsOfPage(page, comments_of(page, patterns))
    apart = apart_from_article(page, posts.likely)
    article = extract_article(page, other, apart, text_roles, posts.find)
    unseen = _unseen_discussion(page, article.method, other, text_roles)
    if unseen is not None:
        article, comments = unseen.article, unseen.comments
    else:
        found = _of_kind(posts, article)
        if apart and not found.records:
            article = extract_article(page, other, (), text_roles)
        comments = _comments_below(article, found, page)
    comments = dated_from(comments, fetched_at, article.language)
    elsewhere = find_elsewhere(page, shows_comments=len(comments) > 0)
    entries = entries_of(page, article, comments)
    return Content(article, comments, elsewhere, entries, read_pagination(page))


def explain_content(
    page: Page,
    pivot: Page | TemplateKnowledge | None = None,
    patterns: Sequence[CommentPattern] | None = None,
) -> ExplainedContent:
    """Read a page as `read_content` does, and say why it is read so.

    Parameters
    ----------
    page, pivot, patterns
        As for `read_content`. A page without an article is explained too.
    """
    explained = _explain_shown(page, pivot, patterns)
    is_read = explained.explanation.outcome in (PageOutcome.ARTICLE, NoTextError.outcome)
    if explained.comments or not is_read:
        return explained
    wall = judge_wall(page, explained.explanation.article).wall
    if wall is None or wall.probability < SURE_WALL:
        return explained
    return ExplainedContent(
        replace(explained.explanation, outcome=wall.outcome, detail=str(wall), article=None)
    )


def _explain_shown(
    page: Page,
    pivot: Page | TemplateKnowledge | None,
    patterns: Sequence[CommentPattern] | None,
) -> ExplainedContent:
    posts = _PostsOfPage(page, comments_of(page, patterns))
    apart = apart_from_article(page, posts.likely)
    explanation = explain_article(page, pivot, apart, posts.find)
    article = explanation.article
    if article is None:
        return ExplainedContent(explanation)
    unseen = _unseen_discussion(page, article.method, pivot, ())
    if unseen is not None:
        return ExplainedContent(
            replace(explanation, article=unseen.article),
            unseen.comments,
            entries_of(page, unseen.article, unseen.comments),
        )
    found = _of_kind(posts, article)
    if apart and not found.records:
        explanation = explain_article(page, pivot)
        article = explanation.article or article
    comments = _comments_below(article, found, page)
    return ExplainedContent(explanation, comments, entries_of(page, article, comments))


def comments_of(page: Page, patterns: Sequence[CommentPattern] | None = None) -> FoundComments:
    """Find the comments of a page, see `read_content`."""
    if patterns is None:
        return _find_comments(page)
    for pattern in patterns:
        records = pattern.records(page.flat)
        if records and not are_live_entries(page, records):
            return FoundComments(records, pattern, pattern.confidence)
    return _NONE_FOUND


def _find_comments(page: Page) -> FoundComments:
    found = find_comments(page)
    if are_live_entries(page, found.records):
        return _NONE_FOUND
    return found


def apart_from_article(page: Page, found: FoundComments) -> Sequence[HtmlElement]:
    """Return the elements that are surely readers', and no part of the article."""
    is_sure = found.confidence >= SURE or (
        found.confidence >= LIKELY and _is_discussion(found, page)
    )
    return comment_area(page.flat, found.records) if is_sure else ()


@dataclass(frozen=True)
class _PostsOfPage:
    """The posts of a page, should it be a forum's.

    Attributes
    ----------
    page
        The page.
    likely
        What would be its comments, were it of any other kind.
    """

    page: Page
    likely: FoundComments

    @cached_property
    def found(self) -> FoundComments:
        """The posts; those of a forum's page are likelier than comments of any other."""
        if self.likely.records:
            return self.likely
        return find_comments(self.page, least_confidence=MIN_OF_FORUM)

    def find(self) -> Posts | None:
        """Return where the posts stand; None where there are none."""
        records = self.found.records[:MAX_COMMENTS]
        if not records:
            return None
        parts = locate_parts(self.page.flat, records)
        return Posts(
            parts.elements, parts.authors, parts.dates, parts.bodies, self.found.confidence
        )


def _of_kind(posts: _PostsOfPage, article: Extraction) -> FoundComments:
    """Return what is to be taken for the comments of a page of its kind.

    What looks like comments on a page that leads to others are its teasers, with author and date.
    """
    if article.metadata.kind == "forum":
        return posts.found
    return _NONE_FOUND if article.metadata.kind == "listing" else posts.likely


def _unseen_discussion(
    page: Page,
    method: str,
    other: Page | TemplateKnowledge | None,
    text_roles: Sequence[LineRole],
) -> Content | None:
    """Read what a page holds for readers without programs, where its article was found there.

    None where nobody discusses there.

    Forums that are programs of the browser have their posts in a ``noscript`` element.
    """
    if method not in UNSEEN:
        return None
    opened = OpenedDocument.of(page.document, method)
    seen = replace(page, flat=FlatDocument.of(opened.root))
    found = _find_comments(seen)
    if not found.records:
        return None
    apart = apart_from_article(seen, found)
    try:
        article = extract_article(seen, other, apart, text_roles, _PostsOfPage(seen, found).find)
    except NoArticleError:
        return None
    comments = _comments_below(article, found, seen)
    return Content(opened.as_unseen(article), comments)


def _is_discussion(found: FoundComments, page: Page) -> bool:
    comments = found.read
    if comments is None:
        comments = read_comments(page.flat, found.records[:MAX_READ], page.url)
    return is_discussion(comments)


def comment_pattern_of(page: Page) -> CommentPattern:
    """Return what a page tells of where comments stand on it."""
    return _find_comments(page).pattern


def pattern_of_group(patterns: Iterable[CommentPattern]) -> CommentPattern | None:
    """Return what the pages of a group have shown together, None where that finds no others.

    Parameters
    ----------
    patterns
        `comment_pattern_of` each page, in any order.
    """
    voted = vote(patterns)
    if not voted.is_named:
        return None
    # How sure the vote is changes with every page; all that depends on it is whether it is sure.
    return replace(voted, confidence=1.0 if voted.confidence >= SURE else 0.5)


def patterns_for_page(
    own: CommentPattern | None, of_group: CommentPattern | None
) -> list[CommentPattern] | None:
    """Return where to look for a page's comments: where its group has them, then where it has.

    Parameters
    ----------
    own
        `comment_pattern_of` the page.
    of_group
        `pattern_of_group`; None for a page without a group.

    Returns
    -------
    list of CommentPattern or None
        None where nobody has looked yet.
    """
    return [each for each in (of_group, own) if each is not None] or None


def _comments_below(article: Extraction, found: FoundComments, page: Page) -> tuple[Comment, ...]:
    return _shown_below(article, found, page) or declared_comments(page)


def _shown_below(article: Extraction, found: FoundComments, page: Page) -> tuple[Comment, ...]:
    records = _without_article(found.records[:MAX_COMMENTS], page, article)
    if found.read is not None and len(records) == len(found.records):
        return with_content(found.read)
    return with_content(read_comments(page.flat, records, page.url))


def _without_article(
    records: Sequence[HtmlElement], page: Page, article: Extraction
) -> Sequence[HtmlElement]:
    """Leave out a record that holds the article and does not stand among the others.

    That is the article, where its comments are made like it, or an element around a whole thread.
    The first post of a thread stands among the others, and is one of them.
    """
    container = element_at(page.document, article.xpath) if records else None
    if container is None:
        return records
    around = {container, *container.iterancestors()}
    extents = extents_of(page.flat, page.flat.places_of(records))
    parents = [page.flat.parents[extent.element] for extent in extents]
    return [
        record
        for record, parent in zip(records, parents, strict=True)
        if record not in around or parents.count(parent) > 1
    ]
