import pytest

from detourage.html import parse_page
from detourage.reader import extract_article
from detourage.reader.languages import declared_language, language_of
from detourage.reader.outline import Outline
from tests.unit.reader.article_pages import page, prose


@pytest.mark.parametrize(
    ("root", "head", "language"),
    [
        ('lang="en"', "", "en"),
        ('lang="EN-us"', "", "en-US"),
        ('lang="pt_BR"', "", "pt-BR"),
        ('lang="zh-hant-tw"', "", "zh-Hant-TW"),
        ('lang="es-419"', "", "es-419"),
        ('lang="de-DE-1996"', "", "de-DE"),
        ('xml:lang="pl"', "", "pl"),
        ("", '<meta property="og:locale" content="fr_FR">', "fr-FR"),
        ("", '<meta http-equiv="Content-Language" content="el, en">', "el"),
        ("", '<meta name="language" content="ru">', "ru"),
        ('lang=""', '<meta http-equiv="content-language" content="ar">', "ar"),
        ('lang="en"', '<meta property="og:locale" content="fr_FR">', "en"),
        ('lang="{{ locale }}"', "", None),
        ("", '<meta name="language" content="English">', None),
        ("", "", None),
    ],
)
def test_the_declared_language_is_read_and_normalised(
    root: str, head: str, language: str | None
) -> None:
    assert declared_language(Outline.of(page(prose(1), head, root=root).document)) == language


def test_the_language_of_the_body_element_counts() -> None:
    shown = parse_page(f'<html><body lang="cs">{prose(1)}</body></html>')
    assert declared_language(Outline.of(shown.document)) == "cs"


POLISH = "Rada miasta zebrała się we wtorek, aby zdecydować o losie starego mostu nad rzeką. " * 3
GREEK = "Το δημοτικό συμβούλιο αποφάσισε την Τρίτη για το μέλλον της παλιάς γέφυρας. " * 3
CROATIAN = "Gradsko vijeće sastalo se u utorak kako bi odlučilo o sudbini staroga mosta. " * 3


@pytest.mark.parametrize(
    ("declared", "text", "language"),
    [
        ("", POLISH, "pl"),
        ('lang="en"', GREEK, "el"),
        ('lang="pl-PL"', POLISH, "pl-PL"),
        ('lang="bs"', CROATIAN, "bs"),
        ('lang="sv"', "12.30 – 14.15", "sv"),
        ("", "12.30 – 14.15", None),
        ('lang="fi"', "\x7f\ufffe", "fi"),
    ],
)
def test_the_language_is_detected_from_clear_text(
    declared: str, text: str, language: str | None
) -> None:
    shown = Outline.of(page("<p>shown</p>", root=declared).document)
    assert language_of(shown, text) == language


def test_an_article_has_the_language_of_its_text() -> None:
    shown = page(f"<h1>Stary most</h1><p>{POLISH}</p><p>{POLISH}</p>", root='lang="en"')
    assert extract_article(shown, None).language == "pl"
