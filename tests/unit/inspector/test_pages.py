"""Values and articles as the pages of the inspector show them."""

from datetime import UTC, datetime
from typing import Any

import pytest

from detourage.export.markdown_and_html import Run
from detourage.messages import ArticleMessage
from inspector.article_layout import ArticleLayout, lay_out_article, source_of
from inspector.pages import (
    MAX_URL_CHARACTERS,
    abridge,
    breakable,
    highlight,
    instant,
    rate,
    render_runs,
    span,
)
from inspector.revision_changes import ChangedField, revision_changes
from inspector.search_excerpts import excerpts_of
from inspector.views.overview import round_top
from tests.pages import ARTICLE, paragraphs


def test_a_timestamp_is_shown_in_utc() -> None:
    assert "24 Nov 2026 06:15 UTC" in instant("2026-11-24T07:15:00+01:00")
    assert "31 Dec 9999" in instant(datetime(9999, 12, 31, tzinfo=UTC))


def test_words_are_highlighted_in_any_case_and_everything_is_escaped() -> None:
    html = highlight("A <b> Bridge, bridges", ["bridge", "a.b"])
    assert html == "A &lt;b&gt; <mark>Bridge</mark>, <mark>bridge</mark>s"
    assert highlight("<b>", []) == "&lt;b&gt;"


URL = "https://news.example/?a=\"'"


def test_text_runs_link_only_to_web_urls() -> None:
    html = render_runs(
        [
            Run("<one>", URL, is_bold=True, is_italic=False, begins_line=True),
            Run("two", "javascript:alert(1)", is_bold=False, is_italic=True, begins_line=False),
        ]
    )
    assert "<strong>&lt;one&gt;</strong></a>" in html
    assert 'href="https://news.example/?a=&#34;&#39;"' in html
    assert html.endswith("<em>two</em>")
    assert "javascript" not in html


def test_a_name_may_break_between_its_parts() -> None:
    assert breakable("we-dwoje.example") == "we-<wbr>dwoje.<wbr>example"
    assert breakable("<b>.example") == "&lt;b&gt;.<wbr>example"


@pytest.mark.parametrize(
    ("highest", "top"),
    [(0, 1), (1, 1), (3, 4), (7, 8), (10, 10), (11, 12), (131, 160), (999, 1000), (1001, 1200)],
)
def test_a_scale_ends_at_a_round_number(highest: int, top: int) -> None:
    assert round_top(highest) == top


def test_rates_and_durations_are_shown_with_useful_precision() -> None:
    assert [rate(each) for each in (0, 0.04, 2.25, 1234)] == ["0", "< 0.1", "2.2", "1\u202f234"]
    assert [span(each) for each in (5, 60, 900, 3600, 604800)] == [
        *("5 seconds", "minute", "15 minutes", "hour", "7 days")
    ]


def test_long_and_international_urls_are_abridged() -> None:
    assert abridge("https://news.example/a/b?id=3") == "/a/b?id=3"
    assert abridge("https://news.example/中文") == "/%E4%B8%AD%E6%96%87"
    long = abridge("https://news.example/" + "a" * 60 + "-the-end.html")
    assert len(long) == MAX_URL_CHARACTERS
    assert long.endswith("-the-end.html")


def test_distant_words_get_separate_excerpts() -> None:
    text = f"A ferry comes. {'It is a long way. ' * 40}A pillar falls."
    excerpts = excerpts_of(text, ["pillar", "ferry"])
    assert ["ferry" in each for each in excerpts] == [True, False]
    assert ["pillar" in each for each in excerpts] == [False, True]
    assert len(excerpts_of(text, ["pillar", "falls"])) == 1


def test_whole_words_take_precedence_over_parts_of_words() -> None:
    text = f"The bridge is wider. {'It is a long way. ' * 40}Sie ist der Weg."
    [excerpt] = excerpts_of(text, ["der"])
    assert "ist der Weg" in excerpt
    assert excerpts_of("wider", ["der"]) == ["wider"]


def test_a_word_that_is_only_in_the_headline_has_no_excerpt() -> None:
    assert excerpts_of("\n\n".join(paragraphs(3, 12)), ["headline"]) == []
    assert excerpts_of("", ["a"]) == []


FIRST = {
    "revision": 1,
    "title": "Bridge",
    "authors": ["Ann"],
    "text": "One.\n\nTwo.\n\nThree.",
    "images": [],
    "template": {"group": None, "generation": 1},
}


def test_changed_keys_are_shown_with_both_values() -> None:
    after = {
        **FIRST,
        "title": "Bridges",
        "text": "One.\n\nTwo.",
        "authors": ["Ann", "Bob"],
        "images": [{"url": "https://news.example/a.jpg"}],
        "template": {"group": 3, "generation": 2},
    }
    assert revision_changes(FIRST, after) == [
        ChangedField("title", "Bridge", "Bridges"),
        ChangedField("text", "18 characters", "10 characters"),
        ChangedField("authors", "Ann", "Ann, Bob"),
        ChangedField("images", "0", "1"),
        ChangedField("template", "no group, generation 1", "group 3, generation 2"),
    ]


def message(*blocks: dict[str, Any], **keys: Any) -> dict[str, Any]:
    start, placed = 0, []
    for block in blocks:
        end = start + len(block["text"])
        placed.append({"type": "paragraph", **block, "start": start, "end": end})
        start = end + 2
    return {"title": "A bridge", "lead": None, "blocks": placed, **keys}


def paragraph(text: str, **keys: Any) -> dict[str, Any]:
    return {"text": text, **keys}


def image(name: str, **keys: Any) -> dict[str, Any]:
    return {"url": f"https://cdn.example/{name}", "alt": None, "caption": None, **keys}


def parts_of(values: dict[str, Any]) -> ArticleLayout:
    return lay_out_article(ArticleMessage.model_validate({**ARTICLE, **values}))


def kinds_of_parts(values: dict[str, Any]) -> list[str]:
    return [part.kind for part in parts_of(values).parts]


def test_images_without_a_position_are_placed_below_the_lead_and_at_the_end() -> None:
    images = [image("one"), image("two")]
    after_lead = message(paragraph("One."), paragraph("Two."), lead="Of a bridge.", images=images)
    assert kinds_of_parts(after_lead) == ["image", "paragraph", "paragraph", "image"]
    after_first = message(paragraph("One."), paragraph("Two."), images=images)
    assert kinds_of_parts(after_first) == ["paragraph", "image", "paragraph", "image"]
    assert kinds_of_parts(message(images=images)) == ["image", "image"]


def test_adjacent_content_is_not_repeated() -> None:
    values = message(
        paragraph("A bridge", type="heading"),
        paragraph("One."),
        paragraph("The old bridge.", type="caption"),
        paragraph("Its photographer.", type="caption"),
        images=[image("one", caption="The old bridge", block=2)],
    )
    assert kinds_of_parts(values) == ["paragraph", "image", "caption"]


def test_links_and_emphasis_mark_their_spans() -> None:
    first, second = paragraph("One."), paragraph("See the old bridge now.")
    values = message(first, second)
    start = values["blocks"][1]["start"]
    values["blocks"][1] |= {
        "links": [{"start": start + 4, "end": start + 18, "url": "https://news.example/b"}],
        "emphasis": [{"start": start + 8, "end": start + 22, "kind": "bold"}],
    }
    runs = parts_of(values).parts[1].runs
    assert [(run.text, bool(run.url), run.is_bold) for run in runs] == [
        ("See ", False, False),
        ("the ", True, False),
        ("old bridge", True, True),
        (" now", False, True),
        (".", False, False),
    ]
    assert "".join(run.text for run in runs) == second["text"]


def test_items_form_lists_with_their_levels_and_markers() -> None:
    values = message(
        paragraph("One.", type="list_item", level=1, marker="1."),
        paragraph("And more.", type="list_item", level=1),
        paragraph("Two.", type="list_item", level=2, marker="-"),
        paragraph("Then."),
        paragraph("Of old.", type="list_item"),
        images=[image("between", block=2)],
    )
    parts = parts_of(values).parts
    assert [part.kind for part in parts] == ["list", "image", "list", "paragraph", "list"]
    items = [item for part in parts if part.kind == "list" for item in part.value]
    assert [(item.marker, item.level) for item in items] == [
        *(("1.", 1), ("", 1), ("•", 2), ("•", 1))
    ]


NOT_WEB_HOSTS = (
    *("localhost", "printer", "router.lan", "127.0.0.1", "127.1", "192.168.0.1", "10.0.0.1:80"),
    *("[::1]", "169.254.169.254", "cdn.example;script-src *;", "cdn.example *.evil.example"),
    *("cdn.example:99999", "["),
)


@pytest.mark.parametrize(
    ("url", "source"),
    [
        ("https://cdn.example/a.jpg", "https://cdn.example"),
        ("http://cdn.example:8080/a.jpg", "http://cdn.example:8080"),
        ("https://bücher.example/a.jpg", "https://xn--bcher-kva.example"),
        ("https://8.8.8.8/a.jpg", "https://8.8.8.8"),
        *((f"https://{host}/a.jpg", None) for host in NOT_WEB_HOSTS),
        *((url, None) for url in ("data:image/png;base64,AAAA", "javascript:alert(1)", "/a.jpg")),
    ],
)
def test_images_are_loaded_only_from_web_hosts(url: str, source: str | None) -> None:
    assert source_of(url) == source
