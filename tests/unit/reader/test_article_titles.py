import pytest

from detourage.reader import extract_article
from tests.unit.reader.article_pages import page, prose
from tests.unit.reader.multilingual import TEXTS, read_article

STORY = "Council votes to reopen the old bridge"
BODY = f"<div>{prose(1)}</div>"
OLD_TITLE = "The old bridge reopens at last"
LONGER_TITLE = f"{STORY}: what it will cost"
HYPHENATED_TITLE = "Spider-Man in Jean-Luc's well-known play"
SLOGAN = "All of our harbour's news"
CHINESE = "老桥明年春天重新开放"
DECLARED = f'<meta property="og:title" content="{STORY}"><title>{STORY} | Post</title>'
SIMILAR = "<h1>Council votes on the bridge</h1>"


def title_element(title: str) -> str:
    return f"<title>{title}</title>"


def declared_title(title: str, site: str) -> str:
    return f'<meta property="og:title" content="{title}">{declared_site(site)}'


def declared_site(site: str) -> str:
    return f'<meta property="og:site_name" content="{site}">'


WITH_HEADING = {
    "before the body": (f"<h1>The <i>old</i> bridge reopens at last</h1>{BODY}", "", OLD_TITLE),
    "shorter than the site": (f"<h1>Fire</h1>{BODY}", title_element("Fire - The Gazette"), "Fire"),
    "heading with a colon": (f"<h1>{LONGER_TITLE}</h1>{BODY}", title_element(STORY), LONGER_TITLE),
    "tilde": (BODY, title_element(f"{STORY} ~ Gazette") + declared_site("Gazette"), STORY),
    "spaced colon": (BODY, title_element(f"{STORY} : Gazette") + declared_site("Gazette"), STORY),
    "another in the body": (
        f"<h1>{STORY}</h1><div><h1>Have your say</h1>{prose(1)}</div>",
        title_element(f"{STORY} - The Harbour Post"),
        STORY,
    ),
    "similar h1": (f"{SIMILAR}<h1>{STORY}</h1>{BODY}", DECLARED, STORY),
    "similar h2": (f"{SIMILAR}<h2>{STORY}</h2>{BODY}", DECLARED, STORY),
    "empty heading": (f"<h1><img src='/logo.png'></h1>{BODY}", title_element(STORY), STORY),
    "unclosed title": (f"<h1>{STORY}</h1>{BODY}", title_element("and so on " * 200), STORY),
    "two lines": (
        f"<h1><span>Council votes to reopen</span><span>the old bridge</span></h1>{BODY}",
        title_element(STORY),
        STORY,
    ),
    "underscore": (
        f"<h1>bridge_span</h1>{BODY}",
        title_element("bridge_span - Reference"),
        "bridge_span",
    ),
    "logo": (
        f"<h1><a href='/'>{SLOGAN}</a></h1>{BODY}",
        title_element(f"{STORY} « {SLOGAN}"),
        STORY,
    ),
}
WITH_ADDITIONS = (
    f"<span>Politics</span>{STORY}",
    f"<time>27 January 2022</time> {STORY}",
    f"{STORY}<a>Bridges</a><a>Ellersby</a>",
)
DECLARATIONS = {
    STORY: [
        f'<meta property="og:title" content="{STORY}"><title>Bridge to reopen | Post</title>',
        declared_title(f"{STORY} - The Harbour Post", "The Harbour Post"),
        declared_title(f"{STORY} - Harbour Post Ltd. of Ellersby", "Harbour Post"),
        title_element(f"{STORY} | Politics | The Harbour Post"),
        title_element(f"Harbour Post - {STORY}"),
        title_element(f"{STORY} - harbour-post.example"),
        title_element(f"News » {STORY}"),
        declared_title(f"Harbour Post : {STORY}", "Harbour Post"),
    ],
    CHINESE: [title_element(f"{CHINESE}_江湾晚报"), title_element(f"{CHINESE}｜社会｜江湾晚报")],
    HYPHENATED_TITLE: [title_element(HYPHENATED_TITLE)],
    f"{STORY} & 'more": [f'<meta property="og:title" content="{STORY} &amp;amp; &amp;#039;more">'],
    None: [""],
}


@pytest.mark.parametrize(
    ("body", "head", "title"),
    [
        *WITH_HEADING.values(),
        *(
            (f"<h1>{each}</h1>{BODY}", title_element(f"{STORY} | Post"), STORY)
            for each in WITH_ADDITIONS
        ),
        *((BODY, head, title) for title, heads in DECLARATIONS.items() for head in heads),
    ],
)
def test_the_headline_is_found_in_its_surroundings(body: str, head: str, title: str | None) -> None:
    assert extract_article(page(body, head, "https://harbour-post.example/1"), None).title == title


def test_a_heading_that_is_also_on_the_other_page_is_the_site_name() -> None:
    def body(seed: int, title: str) -> str:
        return f"<h1>All the news</h1><div class='text'><h2>{title}</h2>{prose(seed)}</div>"

    first = page(body(1, STORY), title_element(STORY))
    article = extract_article(first, page(body(2, "Another"), title_element("Another")))
    assert (article.title, STORY in article.text) == (STORY, False)
    # A headline repeated in the body is omitted from the text.
    repeated = page(f"<div><p><b>{STORY}</b></p>{prose(1)}</div>", title_element(STORY))
    article = extract_article(repeated, None)
    assert (article.title, STORY in article.text) == (STORY, False)


@pytest.mark.parametrize("language", TEXTS)
def test_a_title_that_is_only_the_name_of_the_site_is_not_the_headline(language: str) -> None:
    headline, *paragraphs = TEXTS[language]
    body = "".join(f"<p>{text}</p>" for text in paragraphs)
    page = (
        "<html><head><title>Mill Gazette</title></head><body><table><tr><td>"
        '<a href="/">Home</a> | <a href="/b">Sport</a></td></tr><tr><td>'
        f'<font size="5"><b>{headline}</b></font><br><font size="1">4 May 2024</font><br><br>{body}'
        "</td></tr></table></body></html>"
    )
    assert read_article(page, "https://millgazette.example/2024/05/1").title == headline
    assert read_article(page, "https://news.example/2024/05/1").title == "Mill Gazette"


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
    assert extract_article(page(f"<p>{text}</p>", head, attributes=root), None).language == language


def test_a_correction_below_a_line_without_words_is_found() -> None:
    note = "Correction: An earlier version of this article misstated the year of the vote."
    html = f"<h1>{STORY}</h1><p>***</p>{BODY}<p class='correction'><em>{note}</em></p>"
    assert extract_article(page(html), None).corrections == (note,)
