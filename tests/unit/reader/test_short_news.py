"""Short news, beside which a page displays more text of other articles than of its own."""

import pytest

from tests.unit.reader.multilingual import TEXTS, article_of

FLASHES = {
    "en": "The mill bridge has been closed since this morning, because the storm has torn a "
    "cable, the county said. Lorries must take the road along the dam.",
    "de": "Die Brücke an der Mühle ist seit heute Morgen gesperrt, weil der Sturm ein Kabel "
    "zerrissen hat, teilte der Kreis mit. Lastwagen müssen die Straße am Damm nehmen.",
    "es": "El puente del molino está cerrado desde esta mañana porque la tormenta ha roto un "
    "cable, informó la provincia. Los camiones deben tomar la carretera del dique.",
}


@pytest.mark.parametrize("language", FLASHES)
def test_teasers_beside_short_news_are_not_text(language: str) -> None:
    headline, *paragraphs = TEXTS[language]
    teasers = [text.partition(".")[0] + "." for text in paragraphs]
    items = "".join(
        f'<div class="item"><h3><a href="/n/{number}">{headline} ({number})</a></h3>'
        f"<p>{teaser}</p></div>"
        for number, teaser in enumerate(teasers)
    )
    page = (
        f'<html lang="{language}"><head><title>{headline}</title>'
        '<meta property="og:type" content="article"></head><body><header><nav>'
        f'<a href="/">News</a></nav></header><main><article><h1>{headline}</h1>'
        f"<p>{FLASHES[language]}</p></article>"
        f'<aside class="related">{items}</aside></main></body></html>'
    )
    assert article_of(page).text == FLASHES[language]
