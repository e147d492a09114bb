"""Extraction of a page's article and of the comments below it."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np

from detourage.article import Article
from detourage.comments import (
    Comment,
    CommentParts,
    CommentPattern,
    FoundComments,
    Reading,
    read_comments,
    vote_of,
    with_content,
)
from detourage.comments.assembly import dated_from
from detourage.comments.candidates import PageWords
from detourage.comments.declared import comments_in_data, comments_in_state
from detourage.comments.extents import find_extents
from detourage.comments.finding import MIN_CONFIDENCE, NONE_FOUND, BestCandidate, search
from detourage.core import may_hold_comments
from detourage.html import Page
from detourage.html.flat import FlatDocument
from detourage.metadata import dated_from as dated_metadata
from detourage.pagination import read_pagination
from detourage.reader import NoArticleError, NoTextError, TemplateKnowledge, extract_article
from detourage.reader.article import discard_cached_judgement, judged_page
from detourage.reader.comment_exclusion import comments_to_exclude
from detourage.reader.knowledge import UNKNOWN_TEMPLATE, knowledge_of
from detourage.reader.locations import with_locations
from detourage.reader.outline import Outline
from detourage.reader.scripts import program_state, structured_data
from detourage.roles import Favor, LineRole
from detourage.walls import SURE as SURE_WALL
from detourage.walls import Verdict, judge_wall

if TYPE_CHECKING:
    from detourage.reader.explanation import Explanation

logger = logging.getLogger(__name__)

MIN_COMMENT = 0.3  # probability of a comment, or a forum page, at which comments are searched for
MIN_WORDS_BY_READERS = 15  # expected number of readers' words at which comments are searched for

MIN_POSTS_CONFIDENCE = 0.1
"""Minimum confidence in the posts of a forum page. If it were lower, an article mistaken for a
forum page would lose most of its text."""

# Comments found with low confidence are doubtful; the roles of their lines may confirm them.
MIN_DOUBTFUL_CONFIDENCE = 0.005
MIN_SIGNED = 2  # doubtful comments that have an author
MIN_ROLE = 0.15  # mean probability of the role "comment" of the words in doubtful comments
MIN_HEADING = 0.3  # probability of the role "comment" of a heading such as "12 comments"
MAX_HEADING_WORDS = 8  # words in a heading with the number of comments
MAX_COUNT_DIGITS = 7  # digits of the number of comments in a heading
MIN_COMMENTS_SHARE = 0.85  # share of the page's words with the role "comment" in doubtful comments

MAX_COMPARED = 50  # characters at the start of a post that are searched for in the thread's opening
MAX_OPENING = 200  # characters of a thread within which its first post begins

MAX_COMMENTS = 5_000  # comments read per page, to bound the work on malicious pages


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
    return replace(article, metadata=metadata, suspected=verdict.wall)


def _verdict(page: Page, article: Article, template: Page | TemplateKnowledge | None) -> Verdict:
    """Judge whether a page shows a wall, with and without comparing it with its template.

    If all pages of a template are copies of the same wall, the comparison hides the wall's text.
    """
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
    article = replace(
        article,
        comments=dated_from(article.comments, fetched_at, article.language),
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
        logger.exception(
            "article at %s has no locations because of a bug; report it",
            page.url or "an unknown URL",
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
    posts = _PostsOfPage.of(page, template, group_pattern)
    excluded = comments_to_exclude(page, posts.likely)

    def read_opened(opened: FlatDocument) -> Article:
        """Read a copy with displayed ``noscript`` elements, which may hold the posts of a forum."""
        return _with_comments(replace(page, flat=opened), template, None, text_roles, favor)

    article = extract_article(page, template, excluded, text_roles, posts.find, favor, read_opened)
    if article.comments:
        return article
    found = posts.found if article.metadata.kind == "forum" else posts.likely
    if article.metadata.kind == "listing":
        # The teasers of a listing look like comments, because they have an author and a date.
        found = NONE_FOUND
    if excluded and not found.records:
        article = extract_article(page, template, (), text_roles, None, favor, read_opened)
    return replace(article, comments=_comments_below(article, found, page))


def explain_content(
    page: Page,
    template: Page | TemplateKnowledge | None = None,
    group_pattern: CommentPattern | None = None,
) -> "Explanation":
    """Read a page like `read_content`, and explain the result even if there is no article."""
    result: Article | NoArticleError
    try:
        result = read_content(page, template, group_pattern, include_locations=False)
    except NoArticleError as error:
        result = error
    from detourage.reader.explanation import explanation_of

    return explanation_of(page, template, result)


def comments_of(page: Page) -> FoundComments:
    """Search a page for its comments."""
    words = words_by_readers(page)
    return _find_comments(page, search(page, words) if words is not None else None)


def _find_comments(page: Page, best: BestCandidate | None) -> FoundComments:
    """Return the best candidate if it is likely or its lines' roles confirm it, or no comments."""
    if best is None:
        return NONE_FOUND
    found = best.if_likely()
    return found if found.records else _confirm_by_roles(page, best) or found


def _confirm_by_roles(page: Page, best: BestCandidate) -> FoundComments | None:
    """Return a doubtful candidate if authors, dates and its lines' roles confirm it, or None."""
    # Each comment must have an author and a date; the dates have already been parsed.
    is_whole = len(best.records) == len(best.reading.records)
    if is_whole and len(best.reading.dates) < MIN_SIGNED:
        return None
    doubtful = best.if_likely(MIN_DOUBTFUL_CONFIDENCE)
    if not doubtful.records:
        return None
    reading = doubtful.reading or Reading.of(page.flat, doubtful.records, page.url)
    names = [author.name for author in reading.authors.values()]
    is_complete = reading.authors.keys() <= reading.dates.keys()
    if len({*names}) < max(MIN_SIGNED, len(names)) or not is_complete:
        return None
    records = doubtful.records[0 if 0 in reading.authors else 1 :]
    outline, judged = Outline.of(page.flat), judged_page(page, UNKNOWN_TEMPLATE)
    is_record = np.isin(outline.flat.numbers, records)
    is_inside = outline.flat.within(is_record)[judged.columns.blocks]
    word_counts = judged.columns.words
    probabilities = judged.probability_of(("comment",))
    comment_words = probabilities * word_counts
    first = int(is_inside.argmax())
    heading = judged.lines[first - 1].tokens
    is_heading = first > 0 and probabilities[first - 1] >= MIN_HEADING
    has_count = len(heading) <= MAX_HEADING_WORDS and any(
        word.isdecimal() and len(word) <= MAX_COUNT_DIGITS and int(word) >= len(records)
        for word in heading
    )
    min_role, start = (0.0, first) if is_heading and has_count else (MIN_ROLE, 0)
    found_words = comment_words[is_inside].sum()
    has_most = found_words >= MIN_COMMENTS_SHARE * comment_words[start:].sum()
    if not has_most or found_words < min_role * word_counts[is_inside].sum():
        return None
    if not all(reading.comments[number].text for number in reading.authors):
        return None
    is_whole = len(records) == len(reading.records)
    return FoundComments(records, doubtful.pattern, MIN_CONFIDENCE, reading if is_whole else None)


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
    return PageWords(page.flat, outline.flat, outline.text_sizes, by_readers)


@dataclass(frozen=True)
class _PostsOfPage:
    """The posts of a page if it is a forum page, or its comments (`likely`) if it is not."""

    page: Page
    likely: FoundComments
    best: BestCandidate | None

    @classmethod
    def of(
        cls, page: Page, template: TemplateKnowledge, group_pattern: CommentPattern | None
    ) -> Self:
        """Find the likely posts or comments by a search, or else with the group's pattern."""
        words = words_by_readers(page, template)
        best = search(page, words) if words is not None else None
        likely = _find_comments(page, best)
        page.flat.memo[CommentPattern] = vote_of(likely.pattern) if words is not None else None
        if words is not None and group_pattern is not None and not likely.records:
            matching = group_pattern.records(page.flat)
            likely = FoundComments(matching, group_pattern, group_pattern.confidence)
        return cls(page, likely, best)

    @cached_property
    def found(self) -> FoundComments:
        """The posts, found with a lower threshold than comments on other kinds of pages."""
        if self.likely.records or self.best is None:
            return self.likely
        return self.best.if_likely(MIN_POSTS_CONFIDENCE)

    def find(self) -> CommentParts | None:
        """Return the locations of the posts, or None if there are none."""
        reading, records = self.found.reading, self.found.records[:MAX_COMMENTS]
        if not records:
            return None
        reading = reading or Reading.of(self.page.flat, records, self.page.url)
        return reading.locate_parts(self.found.confidence)


def own_vote(page: Page) -> str | None:
    """Return the vote of a page, already read, on its group's comment pattern (see `vote_of`).

    The vote is None if the page was not searched because it probably has no comments.
    """
    vote: str | None = page.flat.memo.get(CommentPattern)
    return vote


def search_for_vote(page: Page, template: TemplateKnowledge | None) -> str | None:
    """Search a page for comments, and return its `own_vote`."""
    _PostsOfPage.of(page, knowledge_of(template), None)
    discard_cached_judgement(page)
    return own_vote(page)


def _comments_below(article: Article, found: FoundComments, page: Page) -> tuple[Comment, ...]:
    """Read the displayed comments that do not contain the article, or else the declared ones."""
    records = _without_article(found.records[:MAX_COMMENTS], page, article)
    if found.reading is not None and len(records) == len(found.records):
        return with_content(found.reading.comments) or declared_comments(page)
    return with_content(read_comments(page.flat, records, page.url)) or declared_comments(page)


def _without_article(records: Sequence[int], page: Page, article: Article) -> Sequence[int]:
    """Remove each record that contains the article, unless it has sibling records (a thread)."""
    place, ends = article.container, page.flat.ends
    around = [each for each in records if place is not None and each <= place < ends[each]]
    if not around:
        return records
    parents = [page.flat.parents[each.element] for each in find_extents(page.flat, records)]
    return [
        record
        for record, parent in zip(records, parents, strict=True)
        if record not in around or parents.count(parent) > 1
    ]


def declared_comments(page: Page) -> tuple[Comment, ...]:
    """Read the comments in a page's JSON-LD or, failing that, in the state of its scripts."""
    if not may_hold_comments(page.flat.pieces.utf8):
        return ()

    def is_wanted(script: str) -> bool:
        return may_hold_comments(script.encode())

    data = (value for _, value in structured_data(page.flat, is_wanted))
    state = (value for _, value in program_state(page.flat, is_wanted))
    return comments_in_data(data, page.url) or comments_in_state(state, page.url)
