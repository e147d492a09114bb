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
        ("Jane Doe, John Roe, and Max Moe", ("Jane Doe", "John Roe", "Max Moe")),
        ("Von Jane Doe, John Roe, und Max Moe", ("Jane Doe", "John Roe", "Max Moe")),
        ("João Lima e Costa", ("João Lima e Costa",)),
        ("Ana e João", ("Ana", "João")),
        ("Doe, Jane", ("Jane Doe",)),
        ("Doe, Jane; Roe, John", ("Jane Doe", "John Roe")),
        ("Velde, Michiel de", ("Michiel de Velde",)),
        ("jane@news.example (Jane Doe)", ("Jane Doe",)),
        ("By Jane Doe for The Ferry", ("Jane Doe",)),
        ("John Roe Jr., Jane Doe, MD, and Max Moe", ("John Roe Jr.", "Jane Doe", "Max Moe")),
        ("Jane Doe, Senior Editor, Ferry Review", ("Jane Doe",)),
        ("نویسنده: مریم صادقی", ("مریم صادقی",)),
        ("लेखक: सुनीता राव", ("सुनीता राव",)),
        ("文・山本花子", ("山本花子",)),
        ("東京本社・山本花子記者", ("山本花子",)),
        ("박지수 기자", ("박지수",)),
        ("E Jane Doe, I John Roe", ("E Jane Doe", "I John Roe")),
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
        ("Jane Doe in Ellersby", ("Jane Doe",)),
        ("Political Editor Jane Doe", ("Jane Doe",)),
        ("Jane Doe, health reporter, and John Roe, data editor", ("Jane Doe", "John Roe")),
        ("Jane Doe 5 min read", ("Jane Doe",)),
        ("Jane Doe Updated 3:15", ("Jane Doe",)),
        ("Anne d’Orsay", ("Anne d’Orsay",)),
        ("Ana del Pilar de la Torre y Ríos", ("Ana del Pilar de la Torre y Ríos",)),
    ],
)
def test_only_names_are_taken_from_a_line(text: str, names: tuple[str, ...]) -> None:
    assert names_in(text, is_byline=True) == names


@pytest.mark.parametrize(
    "texts",
    [
        ("By", "[Jane Doe]", "Redakteurin Lokales"),
        ("By", "[Jane Doe]", "for", "[Ferry Review]", "| Topic:", "[Bridges]"),
        ("By", "[Jane Doe]", ", Ferry Review on", "in", "[Bridges]"),
        ("By", "[Jane Doe]", "Published: May 31, 2024"),
        ("Schreiberling", "[Jane Doe]"),
    ],
)
def test_text_beside_a_linked_name_describes_the_person(texts: tuple[str, ...]) -> None:
    parts = (Part(text.strip("[]"), frozenset({"byline"}), text[0] == "[") for text in texts)
    assert shown_authors([Note("before", tuple(parts))]) == ("Jane Doe",)


def test_an_element_for_labels_names_nobody() -> None:
    label = Part("Verfasst durch", frozenset({"author", "label"}))
    parts = (label, Part("Jane Doe", frozenset({"author"})))
    assert shown_authors([Note("before", parts)]) == ("Jane Doe",)


def test_a_linked_name_may_be_in_lower_case() -> None:
    parts = (Part("by", frozenset({"byline"})), Part("jane doe", frozenset({"byline"}), True))
    assert shown_authors([Note("before", parts)]) == ("jane doe",)


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
        ("本报记者 王建宏 张文攀 通讯员 李芳", ("王建宏", "张文攀", "李芳")),
        ("（责任编辑：魏小明）", ("魏小明",)),
        ("(Reporting by Jane Doe; Editing by John Roe)", ("Jane Doe",)),
        ("As told to Jane Doe", ("Jane Doe",)),
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


def test_a_japanese_article_may_end_with_its_authors_name() -> None:
    text = "橋はあす開通する。（山本花子）"
    assert shown_authors([note(text, place="closing")]) == ("山本花子",)
    assert shown_authors([note(text.replace("山本花子", "共同通信"), place="closing")]) == ()
