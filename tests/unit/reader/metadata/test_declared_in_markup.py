import pytest

from detourage.metadata.declared import Record, read_metas, read_microdata
from tests.unit.reader.article_pages import page

STORY = "itemscope itemtype='https://schema.org/NewsArticle'"


def microdata(body: str) -> Record:
    document = page(body).document
    [container] = document.xpath("//*[@id='text']") or [document]
    return read_microdata(document.iter(), container)


def metas(head: str) -> Record:
    return read_metas(page("<p>Text</p>", head).document.iter("meta", "link"))


def test_article_properties_are_read() -> None:
    record = microdata(
        f"<div {STORY}><span itemprop='author' itemscope><b itemprop='name'>Jane Doe</b> of"
        " Ellersby</span><time itemprop='datePublished' datetime='2024-05-31'>Friday</time>"
        "<meta itemprop='dateModified' content='2024-06-01'>"
        "<abbr itemprop='dateCreated' title='2024-05-30'>Thursday</abbr>"
        "<meta itemprop='isAccessibleForFree' content='False'></div>"
    )
    assert record.authors == ("Jane Doe",)
    assert record.published == ("2024-05-31", "2024-05-30")
    assert record.modified == ("2024-06-01",)
    assert record.access == ("paid",)


@pytest.mark.parametrize(
    "body",
    [
        f"<div {STORY}><i itemprop='author'>John Roe</i></div>"
        f"<div {STORY}><i itemprop='author'>Jane Doe</i><div id='text'>Text</div></div>",
        f"<div {STORY}><i itemprop='author'>Jane Doe</i><div itemprop='comment' itemscope"
        " itemtype='https://schema.org/Comment'><i itemprop='author'>A reader</i></div></div>",
    ],
    ids=["another article", "comment"],
)
def test_only_the_author_of_the_article_around_the_body_counts(body: str) -> None:
    assert microdata(body).authors == ("Jane Doe",)


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("article:published_time", "published"),
        ("datePublished", "published"),
        ("DC.date.issued", "published"),
        ("parsely-pub-date", "published"),
        ("sailthru.date", "published"),
        ("cXenseParse:recs:publishtime", "published"),
        ("citation_publication_date", "published"),
        ("article:modified_time", "modified"),
        ("og:updated_time", "modified"),
        ("last-modified", "modified"),
        ("author", "authors"),
        ("dcterms.creator", "authors"),
        ("citation_author", "authors"),
        ("parsely-author", "authors"),
        ("article:section", "sections"),
        ("article:tag", "tags"),
        ("news_keywords", "tags"),
        ("og:site_name", "sites"),
    ],
)
def test_property_names_are_recognised_by_their_words(name: str, field: str) -> None:
    expected = Record(**{field: ("2024-05-31",)})
    assert metas(f'<meta property="{name}" content="2024-05-31">') == expected
    assert metas(f'<meta name="{name.upper()}" content="2024-05-31">') in (expected, Record())


@pytest.mark.parametrize(
    "name",
    ["twitter:creator", "article:expiration_time", "og:image:alt", "viewport", "google-date"],
)
def test_properties_of_other_things_are_ignored(name: str) -> None:
    assert metas(f'<meta name="{name}" content="2024-05-31">') == Record()


def test_the_canonical_link_takes_precedence_over_other_urls() -> None:
    record = metas(
        '<meta property="og:url" content="https://news.example/b">'
        '<link rel="canonical" href="https://news.example/a"><link rel="amphtml" href="/amp">'
    )
    assert record.addresses == ("https://news.example/a", "https://news.example/b")


@pytest.mark.parametrize(
    ("content", "access"), [("locked", ("paid",)), ("free", ("free",)), ("unheard of", ())]
)
def test_the_content_tier_determines_access(content: str, access: tuple[str, ...]) -> None:
    assert metas(f'<meta property="article:content_tier" content="{content}">').access == access
