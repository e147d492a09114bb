import pytest

from detourage.html import parse_page
from detourage.html.text import visible_text
from detourage.text.mojibake import repair


@pytest.mark.parametrize(
    ("stored", "meant"),
    [
        ("itâ€™s late", "it’s late"),
        ("itâ\x80\x99s late", "it’s late"),
        ("â€œHelloâ€\x9d, he said", "“Hello”, he said"),
        ("MontrÃ©al, KÃ¶ln and Ã‰rik", "Montréal, Köln and Érik"),
        ("siÄ™ and uÅ¼y", "się and uży"),
        ("Ð\x98Ñ\x81Ð¿Ð¾Ð»", "Испол"),
        ("20Â°, aÂ\xa0space", "20°, a\xa0space"),
        ("â‚¬150â€¦ ðŸ˜ž", "€150… 😞"),
        ("itÃ¢â‚¬â„¢s late", "it’s late"),
    ],
)
def test_wrongly_decoded_characters_are_fixed(stored: str, meant: str) -> None:
    assert repair(stored) == meant


@pytest.mark.parametrize(
    "text",
    [
        "NESCAFÉ® and LIBERTÉ»",
        "«AMANHû e “IRMÔ",
        "těžké\xa0– s médii",
        "das MENÜ“, groß“ und Maß\xadnahmen",
        "lucidité\xa0», déterminé”\xa0»",
        "Rosa\xa0×\xa0media, È\xa0attualmente",
        'I see â€™ instead of it, and "Ã¤"',
        "¶ÈÃÍ¬ÊÂÍûŒ ×ªÉœ",
        "https://news.example/cafÃ©s",
        '<a href="/cafÃ©s">',
    ],
)
def test_text_that_may_be_intended_is_kept(text: str) -> None:
    assert repair(text) == text


def test_everything_on_a_page_is_fixed_except_its_urls() -> None:
    shown = parse_page(
        "<html><head><title>Itâ€™s</title></head><body><p>Hereâ€™s <b>itâ€™s</b>"
        '<a href="/itâ€™s"><img alt="Sheâ€™s"></a></p></body></html>'
    )
    root = shown.document
    assert visible_text(root) == "Here’s it’s"
    assert root.findtext("head/title") == "It’s"
    assert [each.get("alt") for each in root.iter("img")] == ["She’s"]
    assert [each.get("href") for each in root.iter("a")] == ["/itâ€™s"]
