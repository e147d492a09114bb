from datetime import UTC, datetime

from detourage.comments.comment import Comment
from detourage.comments.reading import dated_from
from detourage.text.dates import parse_moment

FETCHED = datetime(2024, 5, 3, 12, 20, tzinfo=UTC)


def test_relative_dates_are_resolved_and_kept_as_written() -> None:
    declared = Comment("One", date=parse_moment("2024-05-01"), written_date="2 days ago")
    comments = (declared, Comment("Two", written_date="vor 2 Stunden"), Comment("Three"))
    first, second, third = dated_from(comments, FETCHED, "de")
    assert (first, third) == (declared, comments[2])
    assert str(second.date) == "2024-05-03T10:00:00+00:00"
    assert second.written_date == "vor 2 Stunden"


def test_without_a_fetch_time_relative_dates_are_not_resolved() -> None:
    comments = (Comment("Two", written_date="2 hours ago"),)
    assert dated_from(comments, None, "en") == comments
