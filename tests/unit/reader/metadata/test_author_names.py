import pytest

from detourage.metadata.bylines import names_in, shown_authors, without_repeats
from detourage.metadata.surroundings import Note, Part, Place


def note(text: str, *names: str, place: Place = "before") -> Note:
    return Note(place, (Part(text, frozenset(names)),))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Jane Doe", ("Jane Doe",)),
        ("By Jane Doe", ("Jane Doe",)),
        ("Von Jane Doe und John Roe", ("Jane Doe", "John Roe")),
        ("Par Jane Doe et John Roe", ("Jane Doe", "John Roe")),
        ("Por Jane Doe y John Roe", ("Jane Doe", "John Roe")),
        ("Jane Doe, John Roe & Max Moe", ("Jane Doe", "John Roe", "Max Moe")),
        ("Jane Doe; John Roe", ("Jane Doe", "John Roe")),
        ("Jane Doe im Gespräch mit John Roe", ("Jane Doe", "John Roe")),
        ("Jane Doe (Ellersby)", ("Jane Doe",)),
        ("Jane Doe | Editor", ("Jane Doe",)),
        ("作者：王小明、李四", ("王小明", "李四")),
        ("王建宏 张文攀", ("王建宏", "张文攀")),
        ("بقلم كريم صالح، نبيل منصور", ("كريم صالح", "نبيل منصور")),
        ("The Harbour Post", ()),
        ("admin", ()),
        ("https://www.facebook.com/jane.doe", ()),
        ("jane@news.example", ()),
        ("", ()),
        ("AFP", ("AFP",)),
        ("Veröffentlicht", ()),
        ("Redaktion", ()),
        ("Harbour Redaktion", ("Harbour Redaktion",)),
        ("Jane Doe, Ph.D.", ("Jane Doe",)),
        ("Jane Doe, News", ("Jane Doe",)),
        ("Harbour Software GmbH", ()),
        ("Sat", ()),
        ("@janedoe", ()),
        ("Jean-Luc", ("Jean-Luc",)),
    ],
)
def test_a_field_is_split_into_names(text: str, names: tuple[str, ...]) -> None:
    assert names_in(text, {"theharbourpost"}) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("By Jane Doe, Political Correspondent", ("Jane Doe",)),
        ("Jane Doe, who lives in Ellersby", ("Jane Doe",)),
        ("Words: Jane Doe Photos: John Roe", ("Jane Doe",)),
        ("Ludwig van der Velde", ("Ludwig van der Velde",)),
        ("all articles of the author", ()),
        ("Posted 14 times", ()),
        ("Samstag", ()),
    ],
)
def test_only_names_are_taken_from_a_line(text: str, names: tuple[str, ...]) -> None:
    assert names_in(text, is_byline=True) == names


def test_case_does_not_distinguish_names() -> None:
    assert without_repeats(["Jane Doe", "JANE DOE", "John Roe"]) == ("Jane Doe", "John Roe")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("By Jane Doe", ("Jane Doe",)),
        ("By Jane Doe - May 31, 2024", ("Jane Doe",)),
        ("By Jane Doe, Ellersby", ("Jane Doe",)),
        ("Posted May 31, 2024 by Jane Doe", ("Jane Doe",)),
        ("Text von Jane Doe Illustration von John Roe", ("Jane Doe",)),
        ("Ein Gastbeitrag von Jane Doe", ("Jane Doe",)),
        ("von tobi42 · 31. Mai 2024", ("tobi42",)),
        ("31.05.2024 - Jane Doe", ("Jane Doe",)),
        ("Propos recueillis par Jane Doe", ("Jane Doe",)),
        ("Autor: Jane Doe", ("Jane Doe",)),
        ("Автор: Анна Иванова", ("Анна Иванова",)),
        ("2024-05-31 09:30 作者：茉莉", ("茉莉",)),
        ("2024-05-31 来源：江湾晚报 记者 王建宏 张文攀", ("王建宏", "张文攀")),
        ("（责任编辑：魏小明）", ("魏小明",)),
        ("（常书香 马丹阳）", ("常书香", "马丹阳")),
        ("本报记者从会上获悉", ()),
        ("By clicking you agree to all of this", ()),
        ("By then the bridge had been closed.", ()),
        ("The Harbour Post", ()),
        ("Ellersby, May 31, 2024", ()),
    ],
)
def test_a_byline_gives_the_authors(text: str, names: tuple[str, ...]) -> None:
    assert shown_authors([note(text)], {"theharbourpost"}) == names


@pytest.mark.parametrize(
    ("notes", "names"),
    [
        ([note("Jane Doe", "author-name")], ("Jane Doe",)),
        ([note("Jane Doe", "caption")], ()),
        ([note("par"), note("Jane Doe")], ("Jane Doe",)),
        ([note("By Jane Doe", "comment-author", "comment", place="after")], ()),
        ([note("By Jane Doe"), note("By John Roe", place="after")], ("Jane Doe",)),
    ],
    ids=["author element", "caption", "two lines", "reader", "above and below the body"],
)
def test_the_position_of_a_name_shows_whether_it_is_an_author(
    notes: list[Note], names: tuple[str, ...]
) -> None:
    assert shown_authors(notes) == names
