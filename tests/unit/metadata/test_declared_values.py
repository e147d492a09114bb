"""Article data declared by a page: JSON-LD, microdata, and elements of its head."""

import json
from typing import Any

import pytest

from detourage.article import Article
from detourage.reader import extract_article
from tests.unit.reader.article_pages import page, prose

ARTICLE = {
    "@context": "https://schema.org",
    "@type": "NewsArticle",
    "headline": "The bridge reopens",
    "author": {"@type": "Person", "name": "Jane Doe"},
    "datePublished": "2024-05-31T09:30:00+02:00",
}

STORY = "itemscope itemtype='https://schema.org/NewsArticle'"


def read(*scripts: str, head: str = "", body: str = prose(1)) -> Article:
    markup = "".join(f'<script type="application/ld+json">{text}</script>' for text in scripts)
    return extract_article(page(body, markup + head, "https://news.example/bridge"), None)


def article_with(**changes: Any) -> str:
    return json.dumps(ARTICLE | changes)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(ARTICLE),
        json.dumps(ARTICLE)[:-1] + ",}",
        json.dumps(ARTICLE).replace('"headline"', '/* a remark, "quoted" */ "headline"'),
        json.dumps(ARTICLE, indent=1).replace('"headline"', '// a remark\n"headline"'),
        json.dumps(ARTICLE).replace('"', "&quot;"),
        json.dumps(ARTICLE).replace('"', "'"),
        json.dumps(ARTICLE).replace('"', '\\"'),
        "<!--" + json.dumps(ARTICLE) + "-->",
        "//<![CDATA[\n" + json.dumps(ARTICLE) + "\n//]]>",
        json.dumps(ARTICLE) + ";",
        json.dumps({"@type": "Organization", "name": "The Post"}) + json.dumps(ARTICLE),
        json.dumps([{"@type": "WebSite", "name": "The Post"}, [ARTICLE]]),
        json.dumps({"@context": "https://schema.org", "@graph": [ARTICLE]}),
        json.dumps({"@type": "WebPage", "mainEntity": ARTICLE}),
        json.dumps(ARTICLE).replace("The bridge", "The\nbridge"),
        json.dumps(ARTICLE).replace("NewsArticle", "https://schema.org/NewsArticle"),
        json.dumps(ARTICLE)[:-1] + r', "description": "a \d fault"}',
        "\ufeff" + json.dumps(ARTICLE),
        json.dumps(ARTICLE).replace("{", '{"alternateName": "The "old" one", ', 1),
        json.dumps(ARTICLE).replace("{", '{"wordCount": , "image": undefined, ', 1),
        json.dumps(ARTICLE).replace(", ", " "),
        json.dumps(ARTICLE)[:-1] + ', "description": "The ferry will',
        "<!-- plugin -->" + json.dumps(ARTICLE) + "<!-- /plugin -->",
        "// <![CDATA[ " + json.dumps(ARTICLE) + "] // ]]>",
    ],
)
def test_malformed_json_is_read_as_far_as_possible(text: str) -> None:
    found = read(text)
    assert found.authors == ("Jane Doe",)
    assert str(found.metadata.published) == "2024-05-31T09:30:00+02:00"


@pytest.mark.parametrize(
    ("author", "names"),
    [
        (["Jane Doe", "John Roe"], ("Jane Doe", "John Roe")),
        ([{"name": "Jane Doe"}, {"name": ["John Roe"]}], ("Jane Doe", "John Roe")),
        ({"givenName": "Jane", "familyName": "Doe"}, ("Jane Doe",)),
        ({"@list": [], "name": "Jane D&apos;Orsay"}, ("Jane D'Orsay",)),
        (None, ()),
        ({"name": {"name": {"name": {"name": {"name": "deep"}}}}}, ()),
    ],
)
def test_authors_may_be_objects_strings_or_lists(author: object, names: tuple[str, ...]) -> None:
    assert read(article_with(author=author)).authors == names


JANE = {"@id": "#jane", "@type": "Person", "name": "Jane Doe"}
COMMENT = {"@type": "Comment", "author": {"name": "A reader"}, "datePublished": "2024"}


@pytest.mark.parametrize(
    ("scripts", "authors"),
    [
        ((json.dumps({"@graph": [ARTICLE | {"author": {"@id": "#jane"}}, JANE]}),), ("Jane Doe",)),
        ((article_with(comment=[COMMENT], author=None),), ()),
        (("", "{", "nonsense", '{"@type": NewsArticle}'), ()),
        (("[" * 100_000,), ()),
        ((json.dumps("x" * 2_000_000),), ()),
    ],
    ids=["by reference", "commenter", "invalid", "deep", "overlong"],
)
def test_authors_may_be_references_and_commenters_are_not_authors(
    scripts: tuple[str, ...], authors: tuple[str, ...]
) -> None:
    assert read(*scripts).authors == authors


def test_a_date_missing_from_the_article_object_is_taken_from_the_page_object() -> None:
    web_page = {
        "@type": "WebPage",
        "name": "Post",
        "dateModified": "2024-06-01",
        "author": "Nobody",
    }
    found = read(json.dumps([ARTICLE, web_page]))
    assert str(found.metadata.modified) == "2024-06-01"
    assert found.authors == ("Jane Doe",)


@pytest.mark.parametrize(
    ("tier", "is_paid"), [("locked", True), ("free", False), ("unheard of", None)]
)
def test_the_content_tier_determines_access(tier: str, is_paid: bool | None) -> None:
    head = f'<meta property="article:content_tier" content="{tier}">'
    assert read(head=head).metadata.is_paid is is_paid


def test_article_properties_are_read_from_microdata() -> None:
    found = read(
        body=f"<div {STORY}><span itemprop='author' itemscope><b itemprop='name'>Jane Doe</b> of"
        " Ellersby</span><time itemprop='datePublished' datetime='2024-05-31'>Friday</time>"
        "<meta itemprop='dateModified' content='2024-06-01'>"
        f"<meta itemprop='isAccessibleForFree' content='False'>{prose(1)}</div>"
    )
    assert (found.authors, found.metadata.is_paid) == (("Jane Doe",), True)
    assert str(found.metadata.published) == "2024-05-31"
    assert str(found.metadata.modified) == "2024-06-01"


@pytest.mark.parametrize(
    "body",
    [
        f"<div {STORY}><meta itemprop='author' content='John Roe'></div>"
        f"<div {STORY}><meta itemprop='author' content='Jane Doe'>{prose(1)}</div>",
        f"<div {STORY}><meta itemprop='author' content='Jane Doe'>{prose(1)}<div itemprop='comment'"
        " itemscope itemtype='https://schema.org/Comment'>"
        "<meta itemprop='author' content='A reader'></div></div>",
    ],
    ids=["another article", "comment"],
)
def test_only_the_author_of_the_article_around_the_body_counts(body: str) -> None:
    assert read(body=body).authors == ("Jane Doe",)


@pytest.mark.parametrize(("count", "date"), [(1, "2024-05-31"), (2, "None")])
def test_the_date_of_a_single_video_replaces_that_of_an_article(count: int, date: str) -> None:
    video = (
        "<div itemscope itemtype='https://schema.org/VideoObject'>"
        "<meta itemprop='uploadDate' content='2024-05-31'></div>"
    )
    assert str(read(body=prose(1) + count * video).metadata.published) == date


DAY, NAME = "2024-05-31", "Jane Doe"
PROPERTIES = {
    ("published", DAY): "article:published_time datePublished DC.date.issued parsely-pub-date"
    " sailthru.date article:published cXenseParse:recs:publishtime citation_publication_date",
    ("modified", DAY): "article:modified_time og:updated_time last-modified",
    ("authors", NAME): "author dcterms.creator citation_author parsely-author",
    ("section", "Bridges"): "article:section",
    ("tags", "Bridges"): "article:tag news_keywords",
    ("site_name", "The Post"): "og:site_name",
    ("", DAY): "article:expiration_time google-date viewport",
    ("", NAME): "twitter:creator og:image:alt",
}
"""Names of properties, by the field that they set and its value."""


@pytest.mark.parametrize(
    ("name", "content", "field"),
    [
        (name, content, field)
        for (field, content), names in PROPERTIES.items()
        for name in names.split()
    ],
)
def test_property_names_are_recognised_by_their_words(name: str, content: str, field: str) -> None:
    found = read(head=f'<meta property="{name}" content="{content}">').metadata
    fields = ("published", "modified", "authors", "section", "tags", "site_name")
    read_values = {each: getattr(found, each) for each in fields if getattr(found, each)}
    if field == "modified":  # This date also replaces a missing date of publication.
        del read_values["published"]
    values = {
        each: str(*value) if isinstance(value, tuple) else str(value)
        for each, value in read_values.items()
    }
    assert values == ({field: content} if field else {})
