"""Finding the comments of a page, and the pattern of the elements that contain them."""

import pytest

from detourage.comments import CommentPattern, vote_of, winner
from detourage.comments.assembly import read_comments
from detourage.comments.pattern import Signature
from detourage.html import Page
from detourage.reader.article_and_comments import comments_of as find_comments
from tests.unit.comments.comment_pages import NAMES, REMARKS, URL
from tests.unit.reader.discussion_pages import article_page


def _page(comments: str) -> Page:
    form = '<form><textarea name="comment"></textarea></form>'
    return article_page(f'<section id="comments"><h2>Comments</h2>{comments}</section>{form}')


def _comment(number: int, replies: str = "") -> str:
    return (
        f'<div class="comment" id="comment-{number}"><div class="meta">'
        f"<b>{NAMES[number % 5]}</b> <time>May {number % 28 + 1}, 2024 at 9:1{number % 10}</time>"
        f'</div><div class="text"><p>{REMARKS[number % 5]} That is my word number {number}.</p>'
        f'</div><a href="#">Reply</a>{replies}</div>'
    )


def _comments(end: int, first: int = 0) -> str:
    return "".join(map(_comment, range(first, end)))


def _ids(page: Page, records: tuple[int, ...]) -> list[str | None]:
    return [page.flat.elements[record].get("id") for record in records]


@pytest.mark.parametrize(
    "form",
    ["", '<div class="comment-form"><b>Write</b><textarea></textarea><button>Send</button></div>'],
    ids=["adjacent", "around a form"],
)
def test_each_comment_below_an_article_is_found(form: str) -> None:
    page = _page(f"{_comments(3)}{form}{_comments(6, first=3)}")
    found = find_comments(page)
    assert _ids(page, found.records) == [f"comment-{number}" for number in range(6)]
    assert found.confidence > 0.5


def test_replies_nested_in_other_comments_are_found() -> None:
    page = _page(_comment(0, _comment(1) + _comment(2, _comment(3))) + _comment(4))
    found = find_comments(page)
    assert _ids(page, found.records) == [f"comment-{number}" for number in range(5)]
    comments = read_comments(page.flat, found.records, URL)
    assert [comment.parent for comment in comments] == [None, 0, 0, 2, None]


@pytest.mark.parametrize("comments", ["", "<p>Be the first to comment.</p>"])
def test_no_comments_are_found_on_a_page_without_any(comments: str) -> None:
    found = find_comments(_page(comments))
    assert found.records == ()
    assert found.pattern.signature is None


def test_dated_teasers_of_other_articles_are_not_comments() -> None:
    teasers = "".join(
        f'<li><span class="date">May {day}, 2024</span><p>{text}</p>'
        f'<a href="/2024/05/{day}.html">Read the whole story of the flood, part {day}</a></li>'
        for day, text in enumerate(REMARKS, 3)
    )
    page = _page(f'<div class="box"><h3>More</h3><ul>{teasers}</ul></div>')
    assert find_comments(page).records == ()


@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize(
    "heading", ["{} Comments", "Kommentare ({})", "댓글 <b>{}</b>", "نظرات {}"]
)
@pytest.mark.parametrize("tag", ["article", "reader-note", "div"])
def test_comments_of_any_markup_are_found_below_a_heading(
    tag: str, heading: str, count: int
) -> None:
    notes = "".join(
        f"<{tag}><i>{NAMES[n][:1]}</i><b>{NAMES[n]}</b> <time>May {n + 3}, 2024</time>"
        f"<p>{REMARKS[n]}</p><button>Reply</button></{tag}>"
        for n in range(count)
    )
    page = article_page(f"<section><h3>{heading.format(count)}</h3>{notes}</section>")
    found = find_comments(page)
    comments = read_comments(page.flat, found.records, URL)
    assert [each.text for each in comments] == [*REMARKS[:count]]
    assert [each.author for each in comments] == [*NAMES[:count]]
    assert found.confidence >= 0.5


def test_a_single_comment_is_found_by_its_name_or_with_patterns_from_other_pages() -> None:
    page = _page(_comment(3))
    assert _ids(page, find_comments(page).records) == ["comment-3"]
    others = [_page(_comments(n)) for n in (5, 8, 6)]
    won = winner(vote_of(find_comments(each).pattern) for each in [*others, _page("")])
    assert won is not None
    assert _ids(page, CommentPattern.from_json(won).records(page.flat)) == ["comment-3"]


def test_unlikely_patterns_are_not_used_on_other_pages() -> None:
    teasers = Signature("li", ".teaser", "")
    assert vote_of(CommentPattern(teasers, 0, 0.45)) is None
    assert vote_of(CommentPattern(teasers._replace(name="", path="ul/li"), 0, 0.95)) is None
    assert vote_of(CommentPattern(teasers, 0, 0.95)) == CommentPattern(teasers, 0, 1.0).to_json()


def test_a_pattern_is_stored_in_a_few_bytes() -> None:
    pattern = find_comments(_page(_comments(6))).pattern
    assert CommentPattern.from_json(pattern.to_json()) == pattern
    assert len(pattern.to_json()) < 200


@pytest.mark.parametrize("text", ["{}", "[]", "null", '["div", 1, 2]', "[null, null, null]", "x"])
def test_invalid_patterns_are_rejected(text: str) -> None:
    with pytest.raises(ValueError, match=r"pattern|Expecting|values"):
        CommentPattern.from_json(text)


def test_every_comment_of_a_long_discussion_is_found() -> None:
    assert len(find_comments(_page(_comments(2_000))).records) == 2_000
