# ruff: noqa: E501  The pages are more readable unwrapped.
"""Walls, which are pages shown instead of an article: log-ins, paywalls, robot checks, errors."""

import contextlib
from functools import partial

import pytest

from detourage import read
from detourage.article import Article
from detourage.html import Page, Response, parse_page
from detourage.reader import GoneError, NoTextError, WallError
from detourage.reader.article_and_comments import explain_content, read_content
from tests.counted import MAX_LINEAR_GROWTH, Work, growth
from tests.pages import article_html, paragraphs
from tests.unit.reader.multilingual import read_article

URL = "https://news.example/2026/story.html"

WALLS = {
    "robot check": "<title>Just a moment...</title><h1>www.news.example</h1><p>Verifying you are"
    " human. This may take a few seconds.</p><p>www.news.example needs to review the security of"
    " your connection before proceeding.</p>",
    "consent": "<title>Wir brauchen Ihre Zustimmung</title><h1>Wir brauchen Ihre Zustimmung</h1><p>Wir"
    " und unsere Partner verwenden Cookies und verarbeiten personenbezogene Daten. Bitte"
    " akzeptieren Sie alle Cookies, oder schließen Sie ein Abo ab.</p><p>Alle akzeptieren</p>",
    "log-in": "<title>Connexion</title><h1>Connectez-vous pour continuer</h1><p>Saisissez votre"
    " identifiant et votre mot de passe. Pas encore de compte ? Inscrivez-vous.</p><form><input"
    " type=password></form>",
    "paywall": "<title>Contenido exclusivo</title><h1>Contenido exclusivo para suscriptores</h1>"
    "<p>Suscríbete por 1 € al mes para seguir leyendo. Cancela cuando quieras.</p><p>¿Ya eres"
    " suscriptor? Inicia sesión</p>",
    "server error": "<title>Технические работы</title><h1>Сайт временно недоступен</h1><p>На сайте"
    " ведутся технические работы. Пожалуйста, попробуйте позже.</p>",
}
REMOVED_PAGES = {
    "not found": "<title>ページが見つかりません</title><h1>ページが見つかりません</h1><p>お探しのページは移動または"
    "削除された可能性があります。トップページへお戻りください。</p>",
    "removed": "<title>Article supprimé</title><h1>Cet article a été supprimé</h1><p>Cet article n'est"
    " plus disponible. Retournez à la page d'accueil.</p>",
    "parked domain": "<title>news.example</title><h1>This domain is for sale</h1><p>Buy this domain. The"
    " domain owner may accept an offer; contact the registrar.</p>",
}
ABOUT_WALLS = (
    "A court in Cologne ruled on Tuesday that two publishers had misled 40,000 readers with their"
    " cookie banners. The judges found that the button to refuse was hidden on a second page.",
    "The publishers said that they would appeal. The data protection officer of the region, Anna"
    " Berger, called the ruling “a signal to the whole industry”.",
    "Since 2021 regulators in six countries have fined 31 companies for such banners, the largest"
    " 90 million euros.",
)


def page(body: str) -> Page:
    return parse_page(f"<!doctype html><html>{body}</html>", URL)


@pytest.mark.parametrize("kind", [*WALLS, *REMOVED_PAGES])
def test_walls_and_removed_pages_are_recognised_with_their_kind(kind: str) -> None:
    with pytest.raises(WallError if kind in WALLS else GoneError, match=kind):
        read_content(page((WALLS | REMOVED_PAGES)[kind]))


def test_a_report_about_walls_is_an_article() -> None:
    headline = "Court rules against cookie banners"
    body = "".join(f"<p>{paragraph}</p>" for paragraph in ABOUT_WALLS)
    html = f"<title>{headline}</title><article><h1>{headline}</h1>{body}</article>"
    assert read_content(page(html)).text == "\n\n".join(ABOUT_WALLS)


SHORT_NEWS = """
<title>Harbour bridge closed after storm | Valley Post</title><script type="application/ld+json">
{"@type": "NewsArticle", "headline": "Harbour bridge closed after storm", "author": "Ann Field",
 "datePublished": "2026-03-01T09:20:00Z"}</script>
<header><a href=/>Valley Post</a> <nav><a href=/n>News</a> <a href=/s>Sport</a></nav></header>
<article><h1>Harbour bridge closed after storm</h1><p>By Ann Field, 1 March 2026</p><p>%s</p></article>
<section><h3>Sign up for our newsletter</h3><p>Get the news in your inbox every morning. Enter your email
address to subscribe.</p></section><div><p>We use cookies. By using our site you accept our privacy
policy.</p><button>Accept all</button></div><footer>Terms Privacy Subscribe Log in</footer>
"""


@pytest.mark.parametrize(
    "text",
    [
        "The harbour bridge is closed after the storm damaged two pillars, police said.",
        "The bridge is closed until noon, police said. More follows.",
    ],
)
def test_short_news_next_to_offers_and_notices_is_an_article(text: str) -> None:
    assert text in read_content(page(SHORT_NEWS % text)).text


@pytest.mark.parametrize(
    ("headline", "text"),
    [
        (
            "Log-in problems at savings bank",
            "Customers could not log in for two hours on Monday, the bank said.",
        ),
        (
            "Sturm: Brücke gesperrt",
            "Die Hafenbrücke ist seit dem Morgen gesperrt. Wir berichten weiter.",
        ),
        (
            "Cookies : une amende record",
            "La Cnil a infligé mardi une amende de 40 millions d'euros pour des cookies.",
        ),
        (
            "Newsletter costs mayor his job",
            "Mayor Ada Brill resigned on Friday over a newsletter paid for by a builder.",
        ),
        (
            "Robot verifies tickets at station",
            "A robot has verified tickets at the central station since Monday.",
        ),
    ],
)
def test_short_news_that_shares_words_with_walls_is_an_article(headline: str, text: str) -> None:
    news = (SHORT_NEWS % text).replace("Harbour bridge closed after storm", headline)
    assert text in read_content(page(news)).text


@pytest.mark.parametrize(
    "body",
    [
        "<title>Valley Post</title><div id=app><p>Loading…</p></div>",
        "<title>Object moved</title><h1>Object moved</h1><p>This document may be found <a href=/b>here</a></p>",
        "<title>Bridge story</title><h1>Bridge story</h1>",
        "<title>Valley Post</title><p>The requested story will open in a few seconds...</p>",
    ],
)
def test_a_placeholder_or_an_empty_page_has_no_text(body: str) -> None:
    with pytest.raises(NoTextError):
        read_content(page(body))
    assert explain_content(page(body)).outcome == "no-text"


@pytest.mark.parametrize(
    ("headline", "body"),
    [
        # The headline contains a word that is typical of walls, but most lines do not.
        (
            "JavaScript links",
            "<p>A link may run a function instead of opening a page.</p><p>Some links in this post run a function,"
            " and some open a page.</p><p>The words of all of them stay in the text of the post.</p>",
        ),
        # A long sentence contains a word that is typical of walls.
        (
            "Cigar rollers in Port Amber thrilled",
            "<p>A 'forbidden fruit' of the island, sure to be enjoyed by cigar lovers on both sides of the narrow straits</p>",
        ),
    ],
)
def test_a_text_with_a_few_words_typical_of_walls_is_an_article(headline: str, body: str) -> None:
    html = f"<html><title>{headline}</title><h1>{headline}</h1>{body}</html>"
    article = read(html, URL).article
    assert article is not None
    assert article.suspected is None or article.suspected.probability == 0


@pytest.mark.parametrize(
    "lines",
    [
        "<p>Some words about a lake.</p><div><b>Pictures</b><x-slides><img src=/a.jpg></x-slides></div>"
        "<p>Words after the pictures.</p>",
        "<h2>Second lake</h2><img src=/b.jpg><h2>Third lake</h2><img src=/c.jpg>",
        "<p>Inline fraction: <img src=/f.svg>.</p><p>Sum notation: <img src=/s.svg>.</p><p>Greek letters: <img"
        " src=/g.svg>.</p><p>Path-based service: <img src=/p.svg>.</p>",
    ],
    ids=["likely lines", "pictures", "four lines"],
)
def test_little_text_between_pictures_is_an_article(lines: str) -> None:
    html = f"<html><title>Lakes</title><article><h1>Image Rendering Services</h1>{lines}</article></html>"
    assert read(html, URL).outcome == "article"


def test_a_short_sentence_that_is_the_whole_page_is_its_article() -> None:
    sentence = "The mayor resigned on Monday night."
    assert read_content(page(f"<title>Flash</title><p>{sentence}</p>")).text == sentence


def test_a_few_short_lines_are_an_article() -> None:
    texts = ["First section content.", "Second section content.", "Third section content."]
    body = "".join(f"<p>{text}</p><p><br></p>" for text in texts)
    html = f"<title>Sections</title><article><h1>Sections</h1>{body}</article>"
    assert read_content(page(html)).text == "\n\n".join(texts)


def test_an_error_status_is_trusted() -> None:
    with pytest.raises(GoneError, match="not found"):
        read_content(parse_page(article_html(1), URL, response=Response(404)))
    assert read_content(parse_page(article_html(1), URL, response=Response(200))).text


def _article_with_end(number: int, *lines: str) -> Article:
    """Read an article with the given number of paragraphs and the given lines below them."""
    end = "<div class='end'>" + "".join(lines) + "</div>" if lines else ""
    page_footer = "</div></div><div class='foot'>"
    return read_article(article_html(1, number=number).replace(page_footer, end + page_footer), URL)


@pytest.mark.parametrize(
    "lines",
    [
        (
            "<h2>Subscribe to continue reading</h2><p>Get unlimited access for $1 a month. Cancel anytime.</p>",
            "<p>Already a subscriber? Log in</p>",
        ),
        ("<p>To continue reading, subscribe to The Harbour Post from £1.</p>",),
        ("<h3>Dieser Artikel ist nur für Abonnenten.</h3>", "<p>Schon ein Abo? Anmelden</p>"),
        ("<p>La suite est réservée aux abonnés.</p>", "<a href='/l'>Se connecter</a>"),
        ("<p>Contenido solo para suscriptores. Suscríbete por un euro al mes.</p>",),
        ("<p>Artykuł tylko dla prenumeratorów</p>", "<p>Wykup prenumeratę od 1 zł</p>"),
        ("<p>Материал доступен по подписке.</p>", "<p>Подпишитесь, чтобы читать дальше.</p>"),
        ("<p>المحتوى للمشتركين فقط</p>", "<p>اشترك الآن لمتابعة القراءة</p>"),
        ("<p>이 기사는 구독 회원만 볼 수 있습니다. 로그인하고 읽어 보세요.</p>",),
        ("<p>この記事は有料会員限定です。</p>", "<a href='/l'>ログインして続きを読む</a>"),
        ("<p>本文为会员专享内容</p>", "<a href='/l'>登录后阅读全文</a>"),
    ],
)
def test_an_article_that_ends_in_a_subscription_offer_is_truncated(lines: tuple[str, ...]) -> None:
    article = _article_with_end(2, *lines)
    assert article.truncated
    assert article.text == "\n\n".join(paragraphs(1, 2))


@pytest.mark.parametrize(
    ("number", "lines"),
    [
        (2, ("<p>Subscribe to our newsletter to read more stories like this.</p>",)),
        (2, ("<p><a href='/a'>Read the full story</a></p>",)),
        (2, ("<a href='/s'>Subscribe</a>", "<a href='/l'>Log in</a>", "<a href='/r'>Register</a>")),
        (60, ("<p>To continue reading, subscribe to The Harbour Post from £1.</p>",)),
        (5, ()),
    ],
)
def test_a_complete_article_is_not_truncated(number: int, lines: tuple[str, ...]) -> None:
    assert not _article_with_end(number, *lines).truncated


def test_a_long_hostile_page_takes_linear_time() -> None:
    def prepare(number: int) -> Work:
        lines = "".join(f"<p>page not found please log in {each}</p>" for each in range(number))
        return partial(read_ignoring_walls, page(f"<title>Page not found</title>{lines}"))

    def read_ignoring_walls(html_page: Page) -> None:
        with contextlib.suppress(WallError, GoneError):
            read_content(html_page)

    assert growth(prepare, 200) < MAX_LINEAR_GROWTH
