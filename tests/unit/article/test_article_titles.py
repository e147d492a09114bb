import pytest

from tests.unit.article.article_pages import page, prose
from worker.article import extract_article

STORY = "Council votes to reopen the old bridge"
BODY = f"<div>{prose(1)}</div>"


def title_of(body: str, head: str = "", url: str = "https://harbour-post.example/1") -> str | None:
    return extract_article(page(body, head, url), None).title


def test_the_first_level_heading_before_the_body_is_the_headline() -> None:
    assert title_of(f"<h1>The <i>old</i> bridge reopens at last</h1>{BODY}") == (
        "The old bridge reopens at last"
    )


def test_a_heading_in_the_body_takes_precedence_and_is_omitted_from_the_text() -> None:
    body = f"<h1>The Harbour Post, since 1871</h1><div><h1>{STORY}</h1>{prose(1)}</div>"
    article = extract_article(page(body), None)
    assert article.title == STORY
    assert STORY not in article.text


def test_the_heading_that_matches_the_title_element_is_the_headline() -> None:
    body = f"<h1>{STORY}</h1><div><h1>Have your say</h1>{prose(1)}</div>"
    assert title_of(body, f"<title>{STORY} - The Harbour Post</title>") == STORY


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
    ],
)
def test_without_a_heading_the_site_name_is_cut_from_the_declared_title(head: str) -> None:
    assert title_of(BODY, head) == STORY


@pytest.mark.parametrize(
    ("title", "headline"),
    [
        ("老桥明年春天重新开放_江湾晚报", "老桥明年春天重新开放"),
        ("老桥明年春天重新开放｜社会｜江湾晚报", "老桥明年春天重新开放"),
        ("老桥明年春天重新开放-江湾晚报", "老桥明年春天重新开放"),
    ],
)
def test_chinese_titles_are_cut_at_chinese_separators(title: str, headline: str) -> None:
    assert title_of(BODY, f"<title>{title}</title>") == headline


def test_a_part_that_is_also_in_the_title_of_the_other_page_is_the_site_name() -> None:
    first = page(
        BODY, f"<title>A bridge - reopened - {'The Harbour Post of Ellersby ' * 2}</title>"
    )
    other = page(BODY, f"<title>Elsewhere - {'The Harbour Post of Ellersby ' * 2}</title>")
    assert extract_article(first, other).title == "A bridge - reopened"


def test_a_hyphen_within_a_word_does_not_split_the_title() -> None:
    assert title_of(BODY, "<title>Spider-Man in Jean-Luc's well-known play</title>") == (
        "Spider-Man in Jean-Luc's well-known play"
    )


def test_a_headline_repeated_in_the_body_is_omitted_from_the_text() -> None:
    body = f"<div><p><b>{STORY}</b></p>{prose(1)}</div>"
    article = extract_article(page(body, f"<title>{STORY}</title>"), None)
    assert (article.title, STORY in article.text) == (STORY, False)


def test_a_page_without_heading_or_title_has_no_title() -> None:
    assert title_of(BODY) is None


def test_an_empty_heading_is_not_a_headline() -> None:
    assert title_of(f"<h1><img src='/logo.png'></h1>{BODY}", f"<title>{STORY}</title>") == STORY


def test_an_unclosed_title_element_is_not_a_headline() -> None:
    heading = f"<h1>{STORY}</h1>"
    assert title_of(f"{heading}{BODY}", f"<title>{'and so on ' * 200}</title>") == STORY


@pytest.mark.parametrize("tag", ["h1", "h2"])
def test_a_heading_equal_to_a_declared_title_takes_precedence_over_a_similar_one(tag: str) -> None:
    head = f'<meta property="og:title" content="{STORY}"><title>{STORY} | Post</title>'
    body = f"<h1>Council votes on the bridge</h1><{tag}>{STORY}</{tag}>{BODY}"
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


def test_a_heading_with_a_colon_is_kept_whole() -> None:
    heading = f"{STORY}: what it will cost"
    assert title_of(f"<h1>{heading}</h1>{BODY}", f"<title>{STORY}</title>") == heading


def test_without_a_heading_the_part_of_the_title_on_the_page_is_the_headline() -> None:
    body = f"<div><p>Old bridge to open</p>{prose(1)}</div>"
    head = "<title>The Harbour Post since 1871 : Old bridge to open</title>"
    assert title_of(body, head, "") == "Old bridge to open"
