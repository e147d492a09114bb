import pytest

from detourage.text.relative import find_relative


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("3 hours ago", "3 hours ago"),
        ("an hour ago", "an hour ago"),
        ("2 months, 3 weeks ago", "2 months, 3 weeks ago"),
        ("#12 — vor 8 Stunden", "vor 8 Stunden"),
        ("vor einem Monat", "vor einem Monat"),
        ("il y a 2 jours", "il y a 2 jours"),
        ("hace 3 días", "hace 3 días"),
        ("2 дня назад", "2 дня назад"),
        ("3天前", "3天前"),
        ("6y", "6y"),
        ("Gestern, 14:33", "Gestern, 14:33"),
        ("Yesterday at 10:14 pm", "Yesterday at 10:14 pm"),
        ("8 February at 5:50PM", "8 February at 5:50PM"),
        ("January 30", "January 30"),
        ("“Yesterday”", "Yesterday"),
        ("• AN HOUR AGO •", "AN HOUR AGO"),
        ("aujourd’hui", "aujourd’hui"),
        ("aujourd'hui", "aujourd'hui"),
        ("i dag", "i dag"),
        ("５ hours ago", "５ hours ago"),
    ],
)
def test_relative_dates_are_found(text: str, written: str) -> None:
    span = find_relative(text)
    assert span is not None
    assert text[slice(*span)] == written


@pytest.mark.parametrize(
    "text",
    [
        "5 likes",
        "Posts: 123",
        "#12",
        "Level 2",
        "ferry_5fan",
        "Zweck0r",
        "",
        "today I read that book",
    ],
)
def test_other_texts_are_not_relative_dates(text: str) -> None:
    assert find_relative(text) is None
