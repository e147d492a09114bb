from collections.abc import Sequence
from datetime import UTC, datetime

from detourage.comments.comment import Comment
from detourage.comments.reading import dated_from
from detourage.text.dates import parse_moment
from tests.unit.comments.comment_pages import NAMES, SAID, URL, read


def _blog(number: int) -> str:
    return (
        f'<li class="comment depth-1" id="comment-{number + 70}"><div class="comment-body">'
        f'<div class="comment-author vcard"><b class="fn">{NAMES[number]}</b>'
        '<span class="says">says:</span></div>'
        f'<div class="comment-meta"><a href="#comment-{number + 70}">'
        f"May {number + 3}, 2024 at 9:1{number} am</a></div>"
        f"<p>{SAID[number]}</p><p>Second thoughts of number {number}.</p>"
        '<div class="reply"><a href="#respond">Reply</a></div></div></li>'
    )


BLOG = f"<ol>{''.join(map(_blog, range(5)))}</ol>"


def records(markup: str, **parts: Sequence[str]) -> str:
    """Return the markup once per comment, with its author, text, number and other parts."""
    return "".join(
        markup.format(
            name=name, said=said, n=n, **{key: values[n - 1] for key, values in parts.items()}
        )
        for n, (name, said) in enumerate(zip(NAMES, SAID, strict=True), 1)
    )


def _forum(number: int) -> str:
    # The author's rank, post count and joining date are closer to the name than the date of the
    # post is, and they also differ between authors.
    rank = ("Novice", "Regular", "Sage", "Novice", "Novice")[number]
    joined = 2003 + len(NAMES[number])
    return (
        f'<tr><td class="who"><a href="/member.php?u={joined}">{NAMES[number]}</a>'
        f"<div>{rank}</div><div>Joined: Jan 5, {joined}</div><div>Posts: {joined * 3}</div></td>"
        f'<td class="when">#{number + 1} Sat May 0{number + 1}, 2024 10:5{number} pm</td></tr>'
        f'<tr><td></td><td class="what">{SAID[number]}'
        f'<div class="signature">Everything flows. {NAMES[number]}</div></td></tr>'
    )


FORUM = f"<table>{''.join(map(_forum, range(5)))}</table>"


def test_text_author_date_and_url_are_read_as_the_page_writes_them() -> None:
    comments = read(BLOG, "//li")
    assert [comment.text for comment in comments] == [
        f"{said}\n\nSecond thoughts of number {number}." for number, said in enumerate(SAID)
    ]
    assert [comment.author for comment in comments] == list(NAMES)
    assert [(comment.written_date, str(comment.date)) for comment in comments][:2] == [
        ("May 3, 2024 at 9:10 am", "2024-05-03T09:10:00"),
        ("May 4, 2024 at 9:11 am", "2024-05-04T09:11:00"),
    ]
    assert [comment.permalink for comment in comments] == [
        f"{URL}#comment-{number + 70}" for number in range(5)
    ]


def test_a_record_may_consist_of_text_only() -> None:
    assert read(BLOG, "//li//p[1]") == read(BLOG, "//li")


def test_adjacent_table_rows_of_one_comment_are_read_together() -> None:
    comments = read(FORUM, "//tr[td[@class='what']]")
    assert [comment.text for comment in comments] == list(SAID)
    assert [comment.author for comment in comments] == list(NAMES)
    assert [comment.written_date for comment in comments] == [
        f"Sat May 0{number + 1}, 2024 10:5{number} pm" for number in range(5)
    ]
    assert {comment.permalink for comment in comments} == {None}


def test_a_relative_date_is_kept_as_written() -> None:
    ages = ("vor 3 Stunden", "vor 2 Stunden", "vor 1 Stunde", "vor 50 Minuten", "gestern")
    body = records('<div class="c"><b>{name}</b> <i>{age}</i><p>{said}</p></div>', age=ages)
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
        "</time><p>{said}</p></div>"
    )
    second = read(body, "//div")[1]
    assert (second.written_date, str(second.date)) == ("2 days ago", "2024-05-31T02:30:00+02:00")


def test_votes_are_numbers_that_the_page_labels_as_votes() -> None:
    body = records(
        '<div class="c"><b>{name}</b><p>{said}</p><span class="num">{n}</span>'
        '<span class="vote-count">{votes}</span></div>',
        votes=("12", "−3", "0", "1,204", "8.3k"),
    )
    assert [comment.votes for comment in read(body, "//div")] == [12, -3, 0, 1204, 8300]
    assert {comment.votes for comment in read(BLOG, "//li")} == {None}


def test_quotations_are_kept_without_their_headings() -> None:
    body = "".join(
        f'<div class="post"><b class="author">{name}</b><div class="content">'
        f"<blockquote><cite>{NAMES[0]} wrote:</cite><p>{SAID[0]}</p></blockquote>"
        f"<p>{said}</p></div></div>"
        for name, said in zip(NAMES[1:], SAID[1:], strict=True)
    )
    assert read(body, "//div[@class='post']")[0].text.endswith(SAID[1])
    assert "wrote" not in read(body, "//div[@class='post']")[0].text


def test_removing_the_addressee_leaves_no_colon() -> None:
    body = "".join(
        f'<div class="post" id="p{number}"><b class="author">{name}</b><div class="content">'
        f"<p>{answered}{said}</p></div></div>"
        for number, (name, said) in enumerate(zip(NAMES, SAID, strict=True))
        for answered in (f'<a href="#p0" class="reply-to">{NAMES[0]}</a>：' if number else "",)
    )
    assert [comment.text for comment in read(body, "//div[@class='post']")] == list(SAID)


def test_hidden_text_of_a_comment_is_ignored_and_separates_lines() -> None:
    greetings = ("Bye", "Take care of you all", "More soon", "No more from me", "See you there")
    body = "".join(
        f'<article><b class="author">{name}</b><p>{said[:20]}<span class="sr-only">heard</span>'
        f"<span hidden>{name}</span>{said[20:]}<template>never</template>{greeting}"
        f'<i style="color: red; display: none">unseen {name}</i></p></article>'
        for name, said, greeting in zip(NAMES, SAID, greetings, strict=True)
    )
    assert [comment.text for comment in read(body, "//article")] == [
        f"{said}\n\n{greeting}" for said, greeting in zip(SAID, greetings, strict=True)
    ]


def test_nested_comments_do_not_split_the_text_around_them() -> None:
    def nested(number: int) -> str:
        inside = nested(number + 1) if number < 4 else ""
        return (
            f'<span class="note" id="n{number}"><b>{NAMES[number]}</b>'
            f"<q>{SAID[number]} It began{inside} and ended in chapter {number}.</q></span>"
        )

    assert [comment.text for comment in read(nested(0), "//span")] == [
        f"{said} It began and ended in chapter {number}." for number, said in enumerate(SAID)
    ]


def _answer(number: int) -> str:
    name, link = NAMES[number], _documented(number)
    place = ("harbour", "library", "school", "market", "bridge")[number]
    return (
        f'<div class="answer"><div><p>{SAID[number]}</p>'
        f'<p><a class="link" href="https://{link}">{link}</a></p></div>'
        f'<div class="user-info">answered May 1{number}, 2024 at 10:00'
        f' <a href="/users/{number}">{name}</a></div>'
        f'<div class="badges">Sage of the {place}, with two medals for patience and one for'
        " courage</div>"
        f"<ul><li>{_remark(number)}</li></ul></div>"
    )


def _documented(number: int) -> str:
    return f"docs.example/{'abcde'[number]}"


def _remark(number: int) -> str:
    return f"That is how it went for me, too, and for {number} others that I asked."


def test_page_notes_about_a_commenter_are_not_comment_text() -> None:
    comments = read("".join(map(_answer, range(5))), "//div[@class='answer']")
    assert [comment.text.split("\n\n") for comment in comments] == [
        [said, _documented(number), _remark(number)] for number, said in enumerate(SAID)
    ]
    assert [comment.author for comment in comments] == list(NAMES)
