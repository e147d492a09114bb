"""Forms and links to other articles around paragraphs are not part of the text."""

import pytest

from tests.pages import article_html, paragraphs
from tests.unit.reader.multilingual import TEXTS, read_article

URL = "https://news.example/2024/05/story.html"
SEED = 7
TEXT = "\n\n".join(paragraphs(SEED))
LAST_PARAGRAPH = len(paragraphs(SEED)) - 1
SIGN_UP = (
    "<div><span>The harbour in the morning</span><span>What happens at sea, at six in the morning."
    " You can leave whenever you like.</span><input {}></div>"
)


def _text_with(added: str, after: int = 1) -> str:
    """Return the text of an article with markup added after one of its paragraphs."""
    before = f"{paragraphs(SEED)[after]}</p>"
    return read_article(article_html(SEED).replace(before, before + added), URL).text


@pytest.mark.parametrize(
    "line",
    [
        "<p>Don’t miss: <a href='/a'>{}</a></p>",
        "<p><b>Don’t miss</b>: <a href='/a'>{}</a></p>",
        "<p>Approfondisci → <a href='/a'>{}</a></p>",
        "<p>طالع أيضا: <a href='/a'>{}</a></p>",
        "<p>▶ 함께 읽기 <a href='/a'>{}</a></p>",
        "<p>【延伸阅读】<a href='/a'>{}</a></p>",
        "<p>ये भी पढ़ें- <a href='/a'>{}</a></p>",
        "<p>Zobacz także:<br><a href='/a'>{}</a></p>",
        "<div class='x'><span>Polecamy: </span><a href='/a'>{}</a></div>",
        "<p><a href='/a'><strong>{}</strong></a></p>",
        "<p><b>Čtěte také:</b></p><ul><li><a href='/a'>{}</a></li></ul>",
        "<ul><li>Lees ook: <a href='/a'>{}</a></li><li><a href='/b'>The ferry sails</a></li></ul>",
    ],
)
def test_a_link_to_another_article_is_left_out(line: str) -> None:
    assert _text_with(line.format("Farmers warn of a late harvest after a cold spring")) == TEXT


@pytest.mark.parametrize(
    ("added", "after"),
    [
        (
            "".join(
                f"<p>Mehr dazu: <a href='/{each}'>Bauern erwarten eine späte Ernte</a></p>"
                for each in "ab"
            ),
            LAST_PARAGRAPH,
        ),
        (SIGN_UP.format("type='email'"), 1),
        (SIGN_UP.format("placeholder='E-mail address'"), LAST_PARAGRAPH),
        ("<p>저작권자 ⓒ 바다일보 무단전재 금지</p><p>harbour@news.example</p>", LAST_PARAGRAPH),
        ("<p>© Harbour Media, 2024</p><p>harbour@news.example</p>", LAST_PARAGRAPH),
        ("<p>無断転載を禁じます。</p>", LAST_PARAGRAPH),
        ("<p>Źródło: PAP</p>", LAST_PARAGRAPH),
        (
            "<div class='ext'><p>Ce contenu est bloqué car vous n'avez pas accepté les cookies.</p>"
            "<p>En cliquant sur « J'accepte », vous pourrez visualiser les contenus.</p>"
            "<button>OK</button></div>",
            1,
        ),
    ],
    ids=[
        *("links", "sign-up within", "sign-up below", "Korean notice", "English notice"),
        *("Japanese notice", "source", "consent"),
    ],
)
def test_links_notices_and_consents_around_the_text_are_left_out(added: str, after: int) -> None:
    assert _text_with(added, after) == TEXT


@pytest.mark.parametrize("after", [1, LAST_PARAGRAPH])
@pytest.mark.parametrize(
    "line",
    [
        "— Advertentie —",
        "▶ Diesen Artikel vorlesen lassen · 4 Minuten",
        "Want more? Follow the Harbour Post on WhatsApp.",
        "Все новости порта — в нашем телеграм-канале. Присоединяйтесь!",
        "下载我们的客户端，突发新闻不错过。",
        "Se ti è piaciuto questo articolo, sostieni il Porto con una donazione.",
        "برای دیدن این ویدئو باید کوکی‌ها را بپذیرید.",
    ],
)
def test_requests_and_labels_of_the_site_are_left_out(line: str, after: int) -> None:
    assert _text_with(f"<p>{line}</p>", after) == TEXT


@pytest.mark.parametrize(
    ("note", "is_correction"),
    [
        ("Correctie: de ferry vaart op dinsdag en niet op zondag.", True),
        ("Hinweis der Redaktion: Der Name des Hafens war falsch geschrieben.", True),
        ("※当初の記事で港の名前に誤りがありました。お詫びして訂正します。", True),
        ("The corrected minutes, which the council published, name another harbour.", False),
        ("“Follow us on Instagram,” said the harbour master, who has nine readers.", False),
    ],
)
def test_corrections_are_no_text_but_sentences_like_them_are(
    note: str, is_correction: bool
) -> None:
    before = f"{paragraphs(SEED)[LAST_PARAGRAPH]}</p>"
    page = article_html(SEED).replace(before, f"{before}<p>{note}</p>")
    article = read_article(page, URL)
    assert article.corrections == ((note,) if is_correction else ())
    assert (note in article.text) != is_correction


def test_the_biography_of_the_author_is_left_out() -> None:
    heading = "<h1 class='title'>Bridge story number 7</h1>"
    byline = "<p class='byline'>By Ellen Marsh</p><p>Ellen Marsh reports from the harbour.</p>"
    above, below = byline.partition("<p>Ellen")[::2]
    html = article_html(SEED).replace(heading, heading + above)
    page = html.replace("</div></div><div class='foot'>", f"<p>Ellen{below}</div></div><div>")
    assert read_article(page, URL).text == TEXT


@pytest.mark.parametrize(
    "line",
    [
        "<p>The results are in <a href='/a'>the report of the committee on harbours</a></p>",
        "<p>Source: <a href='https://office.example/a'>Report of the committee on harbours</a></p>",
        "<p>Website: <a href='/a'>https://news.example/committee/on/harbours</a></p>",
        "<p>The committee: <a href='/a'>its report on the harbours</a> appeared on Monday.</p>",
        "<p>See below: <a href='#part-2'>What the committee on harbours found</a></p>",
        "<ul><li>First: <a href='/a'>Report of the committee</a></li>"
        "<li>Second: <a href='/b'>Report of the harbour office</a></li></ul>",
    ],
)
def test_a_line_with_a_link_is_kept_if_it_belongs_to_the_text(line: str) -> None:
    assert len(_text_with(line)) > len(TEXT)


def test_a_form_around_the_article_does_not_remove_its_text() -> None:
    html = article_html(SEED).replace("<body>", "<body><form><input type='email'>")
    assert read_article(html, URL).text == TEXT


def test_a_paragraph_about_cookies_is_kept() -> None:
    line = "The bakery on the bank sold all its cookies before the first speaker had finished."
    assert line in _text_with(f"<div><p>{line}</p><button>Share</button></div>")


def test_headlines_below_short_news_are_left_out() -> None:
    news = "Eilmeldung: Der Gemeinderat hat die neue Brücke abgelehnt. Mehr in Kürze."
    titles = (
        "Stadtrat stimmt über Parkgebühren ab",
        "Fünf Fakten zum neuen Busfahrplan",
        "Regen: Zwei Schulen bleiben geschlossen",
        "Wie die Bäckerei am Markt das Hochwasser überstand",
    )
    items = "".join(
        f"<article class='item'><a href='/2026/{number}'><h3>{title}</h3></a></article>"
        for number, title in enumerate(titles)
    )
    html = (
        "<!doctype html><html lang='de'><head><title>Gemeinderat lehnt Brücke ab</title>"
        "<meta property='og:type' content='article'><meta property='article:published_time'"
        " content='2026-05-14T09:20:00+00:00'></head><body><header><a href='/'>Start</a></header>"
        "<h1>Gemeinderat lehnt Brücke ab</h1><p class='by'>Von Ellen Marsh, 14. Mai 2026</p>"
        f"<article class='body'><p>{news}</p></article><div class='list'><h2>Mehr zum Thema</h2>"
        f"{items}</div><footer><p>© 2026 Laubener Verlag</p></footer></body></html>"
    )
    assert read_article(html, URL).text == news


SHORT_NEWS = {
    "en": "The mill bridge has been closed since this morning, because the storm has torn a "
    "cable, the county said. Lorries must take the road along the dam.",
    "de": "Die Brücke an der Mühle ist seit heute Morgen gesperrt, weil der Sturm ein Kabel "
    "zerrissen hat, teilte der Kreis mit. Lastwagen müssen die Straße am Damm nehmen.",
    "es": "El puente del molino está cerrado desde esta mañana porque la tormenta ha roto un "
    "cable, informó la provincia. Los camiones deben tomar la carretera del dique.",
}


@pytest.mark.parametrize("language", SHORT_NEWS)
def test_teasers_next_to_short_news_are_not_text(language: str) -> None:
    headline, *paragraphs = TEXTS[language]
    items = "".join(
        f'<div class="item"><h3><a href="/n/{number}">{headline} ({number})</a></h3>'
        f"<p>{text.partition('.')[0]}.</p></div>"
        for number, text in enumerate(paragraphs)
    )
    page = (
        f'<html lang="{language}"><head><title>{headline}</title>'
        '<meta property="og:type" content="article"></head><body><header><nav>'
        f'<a href="/">News</a></nav></header><main><article><h1>{headline}</h1>'
        f"<p>{SHORT_NEWS[language]}</p></article>"
        f'<aside class="related">{items}</aside></main></body></html>'
    )
    assert read_article(page).text == SHORT_NEWS[language]
