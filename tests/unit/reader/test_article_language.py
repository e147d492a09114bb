import pytest

from detourage.reader import extract_article
from tests.unit.reader.article_pages import page, prose

POLISH = "Rada miasta zebrała się we wtorek, aby zdecydować o losie starego mostu nad rzeką. " * 3
GREEK = "Το δημοτικό συμβούλιο αποφάσισε την Τρίτη για το μέλλον της παλιάς γέφυρας. " * 3
CROATIAN = "Gradsko vijeće sastalo se u utorak kako bi odlučilo o sudbini staroga mosta. " * 3


@pytest.mark.parametrize(
    ("root", "head", "text", "language"),
    [
        ('lang="EN-us"', "", prose(1), "en-US"),
        ('lang="pt_BR"', "", prose(1), "pt-BR"),
        ('lang="zh-hant-tw"', "", prose(1), "zh-Hant-TW"),
        ('lang="es-419"', "", prose(1), "es-419"),
        ('xml:lang="pl"', "", prose(1), "pl"),
        ("", '<meta property="og:locale" content="fr_FR">', prose(1), "fr-FR"),
        ("", '<meta http-equiv="Content-Language" content="el, en">', prose(1), "el"),
        ("", '<meta name="language" content="ru">', prose(1), "ru"),
        ('lang="en"', '<meta property="og:locale" content="fr_FR">', prose(1), "en"),
        ('lang="{{ locale }}"', "", prose(1), None),
        ("", '<meta name="language" content="English">', prose(1), None),
        ("", "", POLISH, "pl"),
        ('lang="en"', "", GREEK, "el"),
        ('lang="pl-PL"', "", POLISH, "pl-PL"),
        ('lang="bs"', "", CROATIAN, "bs"),
        ('lang="sv"', "", "12.30 – 14.15", "sv"),
        ("", "", "12.30 – 14.15", None),
    ],
)
def test_an_article_has_the_language_of_its_text_or_the_declared_one(
    root: str, head: str, text: str, language: str | None
) -> None:
    assert extract_article(page(f"<p>{text}</p>", head, root=root), None).language == language
