"""A line that the pages of a template share is not part of any article, wherever it stands."""

import pytest

from detourage import Site
from tests.unit.reader.article_pages import paragraphs

SHARED = {
    "en": "Do you know more about this? Write to our news desk or call the number below.",
    "de": "Gastbeiträge geben die Meinung des Autors wieder.",
    "fr": "Vous avez une information à nous transmettre ? Écrivez à la rédaction.",
    "ru": "Есть тема для нас? Напишите в редакцию или позвоните.",
    "ar": "هل لديك معلومات؟ راسل هيئة التحرير أو اتصل بنا.",
    "ja": "情報提供は編集部までお寄せください。",
}


def story(number: int, inserted: str | None, place: int) -> tuple[str, str]:
    parts = [f"<p>{text}</p>" for text in paragraphs(number, count=5)]
    if inserted is not None:
        parts.insert(place, f"<p>{inserted}</p>")
    html = (
        f"<title>Story {number} | The Daily</title><body><nav><a href='/'>Home</a></nav>"
        f"<main><h1>Story {number}</h1>{''.join(parts)}</main>"
        "<footer><p>© The Daily</p></footer></body>"
    )
    return html, f"https://daily.example/2026/03/story-{number}.html"


@pytest.mark.parametrize("count", [2, 5])
@pytest.mark.parametrize("place", [0, 2, 5])
@pytest.mark.parametrize("language", SHARED)
def test_a_shared_line_is_left_out(language: str, place: int, count: int) -> None:
    said = SHARED[language]
    site = Site([story(number, said, place) for number in range(1, count + 1)])
    for number, result in enumerate(site.read(), start=1):
        assert result.article is not None
        assert said not in result.article.text
        assert [text for text in paragraphs(number, 5) if text not in result.article.text] == []


def test_copies_of_an_article_do_not_take_its_text_away() -> None:
    copies = [(story(1, None, 0)[0], f"https://daily.example/copy-{at}.html") for at in range(3)]
    for result in Site(copies).read():
        assert result.article is not None
        assert [text for text in paragraphs(1, 5) if text not in result.article.text] == []
