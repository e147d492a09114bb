"""Reading author, date, text and votes of comments, given the elements that contain them."""

from collections.abc import Sequence
from datetime import UTC, datetime

from detourage.comments import dated_from
from detourage.comments.comment import Comment
from detourage.text.dates import parse_moment
from tests.unit.comments.comment_pages import NAMES, REMARKS, URL, read


def records(markup: str, **parts: Sequence[object]) -> str:
    """Return the markup once for each of five comments.

    The fields ``{name}``, ``{text}`` and ``{n}`` become the author, text and number of the comment.
    Each keyword argument names a further field and gives its value for each comment.
    """
    return "".join(
        markup.format(
            name=name, text=text, n=n, **{key: values[n - 1] for key, values in parts.items()}
        )
        for n, (name, text) in enumerate(zip(NAMES, REMARKS, strict=True), 1)
    )


BLOG = records(
    '<li class="comment depth-1" id="comment-{n}"><div class="comment-body">'
    '<div class="comment-author vcard"><b class="fn">{name}</b><span class="says">says:</span>'
    '</div><div class="comment-meta"><a href="#comment-{n}">May {n}, 2024 at 9:1{n} am</a></div>'
    "<p>{text}</p><p>Second thoughts of number {n}.</p>"
    '<div class="reply"><a href="#respond">Reply</a></div></div></li>'
)
JOINING_YEARS = [2003 + len(name) for name in NAMES]
# In forums, the author's rank and joining date are between the author's name and the post's date.
FORUM = records(
    '<tr><td class="who"><a href="/member.php?u={joined}">{name}</a><div>{rank}</div>'
    "<div>Joined: Jan 5, {joined}</div><div>Posts: {posts}</div></td>"
    '<td class="when">#{n} Sat May 0{n}, 2024 10:5{n} pm</td></tr><tr><td></td><td class="what">'
    '{text}<div class="signature">Everything flows. {name}</div></td></tr>',
    rank=("Novice", "Regular", "Sage", "Novice", "Novice"),
    joined=JOINING_YEARS,
    posts=[3 * year for year in JOINING_YEARS],
)


def test_text_author_date_and_url_are_read_as_the_page_writes_them() -> None:
    comments = read(BLOG, "//li")
    assert [comment.text for comment in comments] == [
        f"{text}\n\nSecond thoughts of number {number}." for number, text in enumerate(REMARKS, 1)
    ]
    assert [comment.author for comment in comments] == list(NAMES)
    assert [(comment.written_date, str(comment.date)) for comment in comments][:2] == [
        ("May 1, 2024 at 9:11 am", "2024-05-01T09:11:00"),
        ("May 2, 2024 at 9:12 am", "2024-05-02T09:12:00"),
    ]
    links = [f"{URL}#comment-{number}" for number in range(1, 6)]
    assert [comment.permalink for comment in comments] == links


def test_adjacent_table_rows_of_one_comment_are_read_together() -> None:
    comments = read(f"<table>{FORUM}</table>", "//tr[td[@class='what']]")
    assert [comment.text for comment in comments] == list(REMARKS)
    assert [comment.author for comment in comments] == list(NAMES)
    assert [comment.written_date for comment in comments] == [
        f"Sat May 0{number}, 2024 10:5{number} pm" for number in range(1, 6)
    ]
    assert {comment.permalink for comment in comments} == {None}


def test_a_relative_date_is_kept_as_written() -> None:
    ages = ("vor 3 Stunden", "vor 2 Stunden", "vor 1 Stunde", "vor 50 Minuten", "gestern")
    body = records('<div class="c"><b>{name}</b> <i>{age}</i><p>{text}</p></div>', age=ages)
    comments = read(body, "//div", lang="de")
    assert [comment.written_date for comment in comments] == list(ages)
    assert {comment.date for comment in comments} == {None}


def test_relative_dates_are_resolved_if_the_time_of_the_fetch_is_known() -> None:
    declared = Comment("One", date=parse_moment("2024-05-01"), written_date="2 days ago")
    comments = (declared, Comment("Two", written_date="vor 2 Stunden"), Comment("Three"))
    fetched = datetime(2024, 5, 3, 12, 20, tzinfo=UTC)
    first, second, third = dated_from(comments, fetched, "de")
    assert (first, third) == (declared, comments[2])
    assert str(second.date) == "2024-05-03T10:00:00+00:00"
    assert second.written_date == "vor 2 Stunden"
    assert dated_from(comments[1:], None, "de") == comments[1:]


def test_a_machine_readable_date_resolves_a_relative_one() -> None:
    body = records(
        '<div class="c"><b>{name}</b><time datetime="2024-05-31T0{n}:30:00+02:00">{n} days ago'
        "</time><p>{text}</p></div>"
    )
    second = read(body, "//div")[1]
    assert (second.written_date, str(second.date)) == ("2 days ago", "2024-05-31T02:30:00+02:00")


def test_a_day_on_which_all_posted_is_preferred_to_unlabelled_joining_dates() -> None:
    body = records(
        '<article><b class="author">{name}</b><time>May 3, {joined}</time> '
        "<a>Posted <time>April 18, 2024</time></a><p>{text}</p></article>",
        joined=JOINING_YEARS,
    )
    assert {each.written_date for each in read(body, "//article")} == {"April 18, 2024"}


def test_votes_are_numbers_that_the_page_labels_as_votes() -> None:
    body = records(
        '<div class="c"><b>{name}</b><p>{text}</p><span class="num">{n}</span>'
        '<span class="vote-count">{votes}</span></div>',
        votes=("12", "−3", "0", "1,204", "8.3k"),
    )
    assert [comment.votes for comment in read(body, "//div")] == [12, -3, 0, 1204, 8300]
    assert {comment.votes for comment in read(BLOG, "//li")} == {None}


def test_quotations_are_kept_without_their_headings() -> None:
    body = records(
        '<div class="post"><b class="author">{name}</b><div class="content"><blockquote>'
        f"<cite>{NAMES[0]} wrote:</cite><p>{REMARKS[0]}</p></blockquote><p>{{text}}</p></div></div>"
    )
    text = read(body, "//div[@class='post']")[1].text
    assert text.endswith(REMARKS[1])
    assert "wrote" not in text


def test_removing_the_addressee_leaves_no_colon() -> None:
    answer = f'<a href="#p1" class="reply-to">{NAMES[0]}</a>：'
    body = records(
        '<div class="post" id="p{n}"><b class="author">{name}</b><div class="content">'
        "<p>{answered}{text}</p></div></div>",
        answered=("", *[answer] * 4),
    )
    assert [comment.text for comment in read(body, "//div[@class='post']")] == list(REMARKS)


def test_hidden_text_of_a_comment_is_ignored_and_separates_lines() -> None:
    greetings = ("Bye", "Take care of you all", "More soon", "No more from me", "See you there")
    body = records(
        '<article><b class="author">{name}</b><p>{begin}<span class="sr-only">heard</span>'
        "<span hidden>{name}</span>{end}<template>never</template>{greeting}"
        '<i style="color: red; display: none">unseen {name}</i></p></article>',
        begin=[text[:20] for text in REMARKS],
        end=[text[20:] for text in REMARKS],
        greeting=greetings,
    )
    assert [comment.text for comment in read(body, "//article")] == [
        f"{text}\n\n{greeting}" for text, greeting in zip(REMARKS, greetings, strict=True)
    ]


def test_nested_comments_do_not_split_the_text_around_them() -> None:
    def nested(number: int) -> str:
        next_level = nested(number + 1) if number < 4 else ""
        return (
            f'<span class="note" id="n{number}"><b>{NAMES[number]}</b>'
            f"<q>{REMARKS[number]} It began{next_level} and ended in chapter {number}.</q></span>"
        )

    assert [comment.text for comment in read(nested(0), "//span")] == [
        f"{text} It began and ended in chapter {number}." for number, text in enumerate(REMARKS)
    ]


def test_page_notes_about_a_commenter_are_not_comment_text() -> None:
    links = [f"docs.example/{letter}" for letter in "abcde"]
    remarks = [
        f"That is how it went for me, too, and for {n} others that I asked." for n in range(5)
    ]
    body = records(
        '<div class="answer"><div><p>{text}</p><p><a class="link" href="https://{link}">{link}</a>'
        '</p></div><div class="user-info">answered May 1{n}, 2024 at 10:00'
        ' <a href="/users/{n}">{name}</a></div><div class="badges">Sage of the {place}, with two'
        " medals for patience and one for courage</div><ul><li>{remark}</li></ul></div>",
        link=links,
        place=("harbour", "library", "school", "market", "bridge"),
        remark=remarks,
    )
    comments = read(body, "//div[@class='answer']")
    expected = zip(REMARKS, links, remarks, strict=True)
    assert [tuple(comment.text.split("\n\n")) for comment in comments] == [*expected]
    assert [comment.author for comment in comments] == list(NAMES)
