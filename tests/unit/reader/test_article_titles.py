import pytest

from detourage.reader import extract_article
from tests.unit.reader.article_pages import page, prose

STORY = "Council votes to reopen the old bridge"
BODY = f"<div>{prose(1)}</div>"


def title_of(body: str, head: str = "", url: str = "https://harbour-post.example/1") -> str | None:
    return extract_article(page(body, head, url), None).title


OLD = "The old bridge reopens at last"
COSTS = f"{STORY}: what it will cost"
PLAY = "Spider-Man in Jean-Luc's well-known play"


@pytest.mark.parametrize(
    ("body", "head", "title"),
    [
        (f"<h1>The <i>old</i> bridge reopens at last</h1>{BODY}", "", OLD),
        (f"<h1>{COSTS}</h1>{BODY}", f"<title>{STORY}</title>", COSTS),
        (BODY, f"<title>{PLAY}</title>", PLAY),
        (BODY, "", None),
    ],
    ids=["heading before the body", "heading with a colon", "hyphens", "neither"],
)
def test_the_title_is_the_heading_or_else_the_title_element(
    body: str, head: str, title: str | None
) -> None:
    assert title_of(body, head) == title


def test_without_a_heading_the_part_of_the_title_on_the_page_is_the_headline() -> None:
    body = f"<div><p>Old bridge to open</p>{prose(1)}</div>"
    head = "<title>The Harbour Post since 1871 : Old bridge to open</title>"
    assert title_of(body, head, "") == "Old bridge to open"


def test_a_heading_that_is_also_on_the_other_page_is_the_site_name() -> None:
    def shown(seed: int, title: str) -> str:
        return (
            f"<h1>All the news from the harbour</h1><div class='text'><h2>{title}</h2>"
            f"{prose(seed)}</div>"
        )

    first = page(shown(1, STORY), f"<title>{STORY}</title>")
    article = extract_article(first, page(shown(2, "Another"), "<title>Another</title>"))
    assert article.title == STORY
    assert STORY not in article.text


@pytest.mark.parametrize(
    "head",
    [
        f'<meta property="og:title" content="{STORY}"><title>Bridge to reopen | Post</title>',
        f'<meta property="og:title" content="{STORY} - The Harbour Post">'
        '<meta property="og:site_name" content="The Harbour Post">',
        f"<title>{STORY}</title>",
        f"<title>{STORY} | Politics | The Harbour Post</title>",
        f"<title>Harbour Post - {STORY}</title>",
        f"<title>{STORY} - harbour-post.example</title>",
        f"<title>{STORY} :: News</title>",
        f"<title>News » {STORY}</title>",
        f'<meta property="og:title" content="{STORY} - Harbour Post Ltd. of Ellersby">'
        '<meta property="og:site_name" content="Harbour Post">',
    ],
)
def test_without_a_heading_the_site_name_is_cut_from_the_declared_title(head: str) -> None:
    assert title_of(BODY, head) == STORY


def test_a_headline_repeated_in_the_body_is_omitted_from_the_text() -> None:
    body = f"<div><p><b>{STORY}</b></p>{prose(1)}</div>"
    article = extract_article(page(body, f"<title>{STORY}</title>"), None)
    assert (article.title, STORY in article.text) == (STORY, False)


DECLARED = f'<meta property="og:title" content="{STORY}"><title>{STORY} | Post</title>'
SIMILAR = "<h1>Council votes on the bridge</h1>"


@pytest.mark.parametrize(
    ("body", "head"),
    [
        (
            f"<h1>{STORY}</h1><div><h1>Have your say</h1>{prose(1)}</div>",
            f"<title>{STORY} - The Harbour Post</title>",
        ),
        (f"{SIMILAR}<h1>{STORY}</h1>{BODY}", DECLARED),
        (f"{SIMILAR}<h2>{STORY}</h2>{BODY}", DECLARED),
        (f"<h1><img src='/logo.png'></h1>{BODY}", f"<title>{STORY}</title>"),
        (f"<h1>{STORY}</h1>{BODY}", f"<title>{'and so on ' * 200}</title>"),
    ],
    ids=["another in the body", "similar h1", "similar h2", "empty heading", "unclosed title"],
)
def test_the_heading_that_matches_a_declared_title_is_the_headline(body: str, head: str) -> None:
    assert title_of(body, head) == STORY


@pytest.mark.parametrize(
    "heading",
    [
        f"{STORY} | Local news",
        f"{STORY} - Harbour Post",
        f"<span>Politics</span>{STORY}",
        f"<time>27 January 2022</time> {STORY}",
        f"{STORY}<a>Bridges</a><a>Ellersby</a>",
    ],
)
def test_parts_of_a_heading_that_are_in_no_title_are_cut(heading: str) -> None:
    head = f"<title>{STORY} | Harbour Post</title>"
    article = extract_article(page(f"<h1>{heading}</h1>{BODY}", head), None)
    assert article.title == STORY


@pytest.mark.parametrize(
    ("body", "head", "title"),
    [
        (
            f"<h1><span class='overline'>Bridges</span>{STORY}</h1>{BODY}",
            f"<title>Bridges: {STORY}</title>",
            STORY,
        ),
        (
            f"<h1><span class='kicker'>Bridges</span>: {STORY}</h1>{BODY}",
            f"<title>Bridges: {STORY}</title>",
            f"Bridges: {STORY}",
        ),
        (
            "<h1><span>Council votes to reopen</span><span>the old bridge</span></h1>" + BODY,
            f"<title>{STORY}</title>",
            STORY,
        ),
        (f"<h1>bridge_span</h1>{BODY}", "<title>bridge_span - Reference</title>", "bridge_span"),
        (
            f"<h1><a href='/'>All of our harbour's news</a></h1>{BODY}",
            f"<title>{STORY} « All of our harbour's news</title>",
            STORY,
        ),
        (
            f"<h1>{OLD}</h1><div>{prose(1)}<h1>How the council came to vote</h1></div>",
            "<title>Harbour Post</title>",
            OLD,
        ),
        (BODY, f'<meta property="og:title" content="{STORY} &amp;amp; &amp;#039;more">', None),
    ],
    ids=[
        "kicker",
        "kicker and colon",
        "two lines",
        "underscore",
        "logo",
        "section",
        "escaped twice",
    ],
)
def test_nothing_but_the_headline_is_the_title(body: str, head: str, title: str | None) -> None:
    assert title_of(body, head) == (title or f"{STORY} & 'more")
