"""Which names in declarations and bylines are those of an article's authors."""

from html import escape

import pytest

from tests.unit.reader.article_pages import json_ld, prose, story

SITE = '<meta property="og:site_name" content="The Harbour Post">'


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Jane Doe", ("Jane Doe",)),
        ("jane doe, john roe", ("jane doe", "john roe")),
        ("Por Jane Doe y John Roe", ("Jane Doe", "John Roe")),
        ("Jane Doe, John Roe & Max Moe", ("Jane Doe", "John Roe", "Max Moe")),
        ("Jane Doe im Gespräch mit John Roe", ("Jane Doe", "John Roe")),
        ("Jane Doe (Ellersby)", ("Jane Doe",)),
        ("Jane Doe | Editor", ("Jane Doe",)),
        ("作者：王小明、李四", ("王小明", "李四")),
        ("王建宏 张文攀", ("王建宏", "张文攀")),
        ("بقلم كريم صالح، نبيل منصور", ("كريم صالح", "نبيل منصور")),
        ("The Harbour Post", ()),
        ("admin", ()),
        ("jane@news.example", ()),
        ("AFP", ("AFP",)),
        ("Harbour Redaktion", ("Harbour Redaktion",)),
        ("Jane Doe, Ph.D.", ("Jane Doe",)),
        ("Harbour Software GmbH", ()),
        ("@janedoe", ()),
        ("Jean-Luc", ("Jean-Luc",)),
        ("Jane Doe, John Roe, and Max Moe", ("Jane Doe", "John Roe", "Max Moe")),
        ("João Lima e Costa", ("João Lima e Costa",)),
        ("Doe, Jane", ("Jane Doe",)),
        ("Doe, Jane; Roe, John", ("Jane Doe", "John Roe")),
        ("Velde, Michiel de", ("Michiel de Velde",)),
        ("jane@news.example (Jane Doe)", ("Jane Doe",)),
        ("By Jane Doe for The Ferry", ("Jane Doe",)),
        ("John Roe Jr., Jane Doe, MD, FAND, and Max Moe", ("John Roe Jr.", "Jane Doe", "Max Moe")),
        ("Jane Doe, Senior Editor, Ferry Review", ("Jane Doe",)),
        ("نویسنده: مریم صادقی", ("مریم صادقی",)),
        ("लेखक: सुनीता राव", ("सुनीता राव",)),
        ("文・山本花子", ("山本花子",)),
        ("東京本社・山本花子記者", ("山本花子",)),
        ("박지수 기자", ("박지수",)),
        ("E Jane Doe, I John Roe", ("E Jane Doe", "I John Roe")),
        ("Jane Doe, chief correspondent in Ellersby", ("Jane Doe",)),
        ("Jane Doe, Élise Roe", ("Jane Doe", "Élise Roe")),
        ("كريم صالح ونبيل منصور", ("كريم صالح", "نبيل منصور")),
        ("كريم وليد صالح", ("كريم وليد صالح",)),
        ("本报记者 王建宏", ("王建宏",)),
    ],
)
def test_a_declared_author_is_split_into_names(text: str, names: tuple[str, ...]) -> None:
    assert story(head=SITE + json_ld(author=text)).authors == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("By Jane Doe, Political Correspondent", ("Jane Doe",)),
        ("Jane Doe, who lives in Ellersby", ("Jane Doe",)),
        ("Words: Jane Doe Photos: John Roe", ("Jane Doe",)),
        ("Ludwig van der Velde", ("Ludwig van der Velde",)),
        ("all articles of the author", ()),
        ("Von Jane Doe. Aus dem Englischen übersetzt von John Roe", ("Jane Doe",)),
        ("Samstag", ()),
        ("記者 林佳穎／台北報導", ("林佳穎",)),
        ("Political Editor Jane Doe", ("Jane Doe",)),
        ("Jane Doe, health reporter, and John Roe, data editor", ("Jane Doe", "John Roe")),
        ("Jane Doe 5 min read", ("Jane Doe",)),
        ("Jane Doe Updated 3:15", ("Jane Doe",)),
        ("Anne d’Orsay", ("Anne d’Orsay",)),
        ("Ana del Pilar de la Torre y Ríos", ("Ana del Pilar de la Torre y Ríos",)),
        ("By Jane Doe - May 31, 2024", ("Jane Doe",)),
        ("Posted May 31, 2024 by Jane Doe", ("Jane Doe",)),
        ("Text von Jane Doe Illustration von John Roe", ("Jane Doe",)),
        ("Ein Gastbeitrag von Jane Doe", ("Jane Doe",)),
        ("von tobi42 · 31. Mai 2024", ("tobi42",)),
        ("31.05.2024 - Jane Doe", ("Jane Doe",)),
        ("Propos recueillis par Jane Doe", ("Jane Doe",)),
        ("Автор: Анна Иванова", ("Анна Иванова",)),
        ("2024-05-31 09:30 作者：茉莉", ("茉莉",)),
        ("2024-05-31 来源：江湾晚报 记者 王建宏 张文攀", ("王建宏", "张文攀")),
        ("（责任编辑：魏小明）", ("魏小明",)),
        ("(Reporting by Jane Doe; Editing by John Roe)", ("Jane Doe",)),
        ("As told to Jane Doe", ("Jane Doe",)),
        ("（常书香 马丹阳）", ("常书香", "马丹阳")),
        ("Jane Doe Staff Writer", ("Jane Doe",)),
        ("By Jane Doe @janedoe", ("Jane Doe",)),
        ("Von Jane Doe (Text) und John Roe (Fotos)", ("Jane Doe",)),
        ("By Jane Doe + John Roe", ("Jane Doe", "John Roe")),
        ("Por Jane Doe, do Porto", ("Jane Doe",)),
        ("De notre correspondante Jane Doe", ("Jane Doe",)),
        ("文 | 王建宏 编辑 | 李四", ("王建宏",)),
        ("By then the bridge had been closed.", ()),
        ("The Harbour Post", ()),
    ],
)
def test_only_names_are_taken_from_a_byline(text: str, names: tuple[str, ...]) -> None:
    assert story(f"<p class='byline'>{escape(text)}</p>", SITE).authors == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Text and photos by Jane Doe", ("Jane Doe",)),
        ("Píše: Jane Doe", ("Jane Doe",)),
        ("Tekst i zdjęcia: Jane Doe", ("Jane Doe",)),
        ("Автор статьи: Анна Иванова", ("Анна Иванова",)),
        ("إعداد: كريم صالح", ("كريم صالح",)),
        ("गाँव से रिपोर्ट: सुनीता राव", ()),
        ("लेखिका: सुनीता राव", ("सुनीता राव",)),
        ("取材・文　山本花子", ("山本花子",)),
        ("【社会部 山本花子】", ("山本花子",)),
        ("[서울] 박지수·김하늘 기자 jisu@news.example", ("박지수", "김하늘")),
        ("Jane Doe, John Roe", ("Jane Doe", "John Roe")),
        ("JANE DOE, Ferry Editor", ("JANE DOE",)),
        ("In Ellersby News", ()),
    ],
)
def test_a_byline_need_not_be_marked_up(text: str, names: tuple[str, ...]) -> None:
    assert story(f"<p>{escape(text)}</p><p>31 May 2024</p>", SITE).authors == names


@pytest.mark.parametrize(
    ("byline", "names"),
    [
        ("By <a>Jane Doe</a> <i>Redakteurin Lokales</i>", ("Jane Doe",)),
        ("By <a>Jane Doe</a> for <a>Ferry Review</a> | Topic: <a>Bridges</a>", ("Jane Doe",)),
        ("By <a>Jane Doe</a>, Ferry Review on in <a>Bridges</a>", ("Jane Doe",)),
        ("by <a>jane doe</a> <i>Fact checked by</i> <a>John Roe, MD</a>", ("jane doe",)),
    ],
)
def test_text_next_to_a_linked_name_is_not_a_name(byline: str, names: tuple[str, ...]) -> None:
    linked = byline.replace("<a>", "<a href='/x'>")
    assert story(f"<p class='byline'>{linked}</p>").authors == names


@pytest.mark.parametrize(
    ("above", "below", "names"),
    [
        ("<p class='author'>Jane Doe<p class='author'>John Roe", "", ("Jane Doe", "John Roe")),
        ("<p class='caption'>Jane Doe</p>", "", ()),
        ("<p>By Jane Doe</p>", "<p>By John Roe</p>", ("Jane Doe",)),
        ("", "<div class='comment'><p class='comment-author'>By Jane Doe</p></div>", ()),
        ("", "<p>Jane Doe is a freelance journalist in Ellersby.</p>", ("Jane Doe",)),
        ("", "<p>Jane Doe is a journalist, says a poster in Ellersby.</p>", ()),
        ("", "<p>— Jane Doe</p>", ("Jane Doe",)),
    ],
    ids=["element", "caption", "above and below the body", "reader", "life", "report", "signature"],
)
def test_the_position_of_a_name_shows_whether_it_is_an_author(
    above: str, below: str, names: tuple[str, ...]
) -> None:
    assert story(above, below=below).authors == names


def test_the_author_of_a_personal_blog_has_its_name() -> None:
    blog = SITE.replace("The Harbour Post", "Jane Doe")
    for host, names in (("janedoe", ("Jane Doe",)), ("harbour-post", ())):
        url = f"https://{host}.example/bridge"
        assert story("<p class='byline'>By Jane Doe</p>", blog, url=url).authors == names


@pytest.mark.parametrize(("name", "names"), [("山本花子", ("山本花子",)), ("共同通信", ())])
def test_a_japanese_article_may_end_with_its_author(name: str, names: tuple[str, ...]) -> None:
    assert story(body=f"<div>{prose(1)}<p>橋はあす開通する。（{name}）</p></div>").authors == names
