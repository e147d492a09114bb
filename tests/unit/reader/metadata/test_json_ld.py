import json
from typing import Any

import pytest

from detourage.metadata.declared import MAX_CHARACTERS, Record, parse_tolerant, read_json_ld
from tests.unit.reader.article_pages import page

ARTICLE = {
    "@context": "https://schema.org",
    "@type": "NewsArticle",
    "headline": "The bridge reopens",
    "author": {"@type": "Person", "name": "Jane Doe"},
    "datePublished": "2024-05-31T09:30:00+02:00",
}


def read(*scripts: str, own: str = "") -> Record:
    markup = "".join(f'<script type="application/ld+json">{text}</script>' for text in scripts)
    document = page("<p>Text</p>", markup).document
    return read_json_ld(document.iter("script"), lambda value: value == own)


def changed(**changes: Any) -> str:
    return json.dumps(ARTICLE | changes)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(ARTICLE),
        json.dumps(ARTICLE)[:-1] + ",}",
        json.dumps(ARTICLE).replace('"headline"', '/* a remark, "quoted" */ "headline"'),
        json.dumps(ARTICLE, indent=1).replace('"headline"', '// a remark\n"headline"'),
        json.dumps(ARTICLE).replace('"', "&quot;"),
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
    record = read(text)
    assert record.titles == ("The bridge reopens",)
    assert record.authors == ("Jane Doe",)
    assert record.published == ("2024-05-31T09:30:00+02:00",)


@pytest.mark.parametrize(
    ("author", "names"),
    [
        ("Jane Doe", ("Jane Doe",)),
        (["Jane Doe", "John Roe"], ("Jane Doe", "John Roe")),
        ([{"name": "Jane Doe"}, {"name": ["John Roe"]}], ("Jane Doe", "John Roe")),
        ({"givenName": "Jane", "familyName": "Doe"}, ("Jane Doe",)),
        ({"@list": [], "name": "Jane &amp; Joe"}, ("Jane & Joe",)),
        (None, ()),
        ({"name": {"name": {"name": {"name": {"name": "deep"}}}}}, ()),
    ],
)
def test_authors_may_be_objects_strings_or_lists(author: object, names: tuple[str, ...]) -> None:
    assert read(changed(author=author)).authors == names


def test_references_by_id_are_resolved() -> None:
    graph = [
        ARTICLE | {"author": {"@id": "#jane"}},
        {"@id": "#jane", "@type": "Person", "name": "Jane Doe"},
    ]
    assert read(json.dumps({"@graph": graph})).authors == ("Jane Doe",)


def test_of_several_articles_the_pages_own_counts() -> None:
    other = changed(headline="Another story", author="John Roe")
    own = changed(url="https://news.example/bridge")
    assert read(other, own, own="https://news.example/bridge").authors == ("Jane Doe",)
    assert read(other, own, own="Another story").authors == ("John Roe",)


def test_a_commenter_is_not_an_author() -> None:
    comments = [{"@type": "Comment", "author": {"name": "A reader"}, "datePublished": "2024"}]
    article = {**ARTICLE, "comment": comments}
    del article["author"]
    assert read(json.dumps(article)).authors == ()


def test_values_of_the_page_complete_those_of_its_article() -> None:
    around = {"@type": "WebPage", "name": "Post", "dateModified": "2024-06-01", "author": "Nobody"}
    record = read(json.dumps([ARTICLE, around]))
    assert record.modified == ("2024-06-01",)
    assert record.authors == ("Jane Doe",)
    assert record.titles == ("The bridge reopens",)


@pytest.mark.parametrize(
    ("value", "access"),
    [(False, "paid"), ("False", "paid"), ("https://schema.org/False", "paid"), (True, "free")],
)
def test_the_access_to_an_article_is_read(value: object, access: str) -> None:
    assert read(changed(isAccessibleForFree=value)).access == (access,)


def test_invalid_and_overlong_json_is_ignored() -> None:
    assert read("", "{", "nonsense", "[[[", '{"@type": NewsArticle}') == Record()
    assert read("[" * 100_000) == Record()
    assert read("1" * 10_000) == Record()
    assert read(json.dumps("x" * MAX_CHARACTERS), json.dumps(ARTICLE)) == Record()


@pytest.mark.parametrize("repeated", ['"', '",', '"a" ', '{"a":', "[],", "/*", "\\", '" , '])
def test_malformed_json_is_read_in_linear_time(repeated: str) -> None:
    text = '{"a" ' + repeated * (MAX_CHARACTERS // len(repeated) - 10)
    assert parse_tolerant(text) is not None
