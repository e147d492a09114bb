import pytest

from tests.unit.extraction.article_pages import page, prose
from worker.extraction import extract_article
from worker.pages import parse_page


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
    assert extract_article(page(prose(1), head, root=root), None).language == language


def test_the_language_of_the_body_element_counts() -> None:
    shown = parse_page(f'<html><body lang="cs">{prose(1)}</body></html>')
    assert extract_article(shown, None).language == "cs"
