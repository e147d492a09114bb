from typing import Any

import pytest

from detourage.messages import ArticleMessage
from inspector.article_parts import ArticleParts, article_parts, source_of
from tests.pages import ARTICLE


def message(*blocks: dict[str, Any], **keys: Any) -> dict[str, Any]:
    start, placed = 0, []
    for block in blocks:
        end = start + len(block["text"])
        placed.append({"type": "paragraph", **block, "start": start, "end": end})
        start = end + 2
    return {"title": "A bridge", "lead": None, "blocks": placed, **keys}


def p(text: str, **keys: Any) -> dict[str, Any]:
    return {"text": text, **keys}


def image(name: str, **keys: Any) -> dict[str, Any]:
    return {"url": f"https://cdn.example/{name}", "alt": None, "caption": None, **keys}


def laid_out(values: dict[str, Any]) -> ArticleParts:
    return article_parts(ArticleMessage.model_validate({**ARTICLE, **values}))


def kinds(values: dict[str, Any]) -> list[str]:
    return [part.kind for part in laid_out(values).parts]


def test_images_without_a_position_are_placed_below_the_lead_and_at_the_end() -> None:
    several = [image("one"), image("two")]
    after_lead = message(p("One."), p("Two."), lead="Of a bridge.", images=several)
    assert kinds(after_lead) == ["image", "paragraph", "paragraph", "image"]
    after_first = message(p("One."), p("Two."), images=several)
    assert kinds(after_first) == ["paragraph", "image", "paragraph", "image"]
    assert kinds(message(images=several)) == ["image", "image"]


def test_adjacent_content_is_not_repeated() -> None:
    values = message(
        p("A bridge", type="heading"),
        p("One."),
        p("The old bridge.", type="caption"),
        p("Its photographer.", type="caption"),
        images=[image("one", caption="The old bridge", block=2)],
    )
    assert kinds(values) == ["paragraph", "image", "caption"]


def test_links_and_emphasis_mark_their_spans() -> None:
    first, second = p("One."), p("See the old bridge now.")
    values = message(first, second)
    start = values["blocks"][1]["start"]
    values["blocks"][1] |= {
        "links": [{"start": start + 4, "end": start + 18, "url": "https://news.example/b"}],
        "emphasis": [{"start": start + 8, "end": start + 22, "kind": "bold"}],
    }
    runs = laid_out(values).parts[1].runs
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
        p("One.", type="list_item", level=1, marker="1."),
        p("And more.", type="list_item", level=1),
        p("Two.", type="list_item", level=2, marker="-"),
        p("Then."),
        p("Of old.", type="list_item"),
        images=[image("between", block=2)],
    )
    parts = laid_out(values).parts
    assert [part.kind for part in parts] == ["list", "image", "list", "paragraph", "list"]
    items = [item for part in parts if part.kind == "list" for item in part.value]
    assert [(item.marker, item.level) for item in items] == [
        *(("1.", 1), ("", 1), ("•", 2), ("•", 1))
    ]


@pytest.mark.parametrize(
    ("url", "source"),
    [
        ("https://cdn.example/a.jpg", "https://cdn.example"),
        ("http://cdn.example:8080/a.jpg", "http://cdn.example:8080"),
        ("https://bücher.example/a.jpg", "https://xn--bcher-kva.example"),
        ("https://8.8.8.8/a.jpg", "https://8.8.8.8"),
        ("https://localhost/a.jpg", None),
        ("https://printer/a.jpg", None),
        ("https://router.lan/a.jpg", None),
        ("https://127.0.0.1/a.jpg", None),
        ("https://127.1/a.jpg", None),
        ("https://192.168.0.1/reboot", None),
        ("https://10.0.0.1:80/a.jpg", None),
        ("https://[::1]/a.jpg", None),
        ("https://169.254.169.254/latest", None),
        ("https://cdn.example;script-src *;/a.jpg", None),
        ("https://cdn.example *.evil.example/a.jpg", None),
        ("https://cdn.example:99999/a.jpg", None),
        ("data:image/png;base64,AAAA", None),
        ("javascript:alert(1)", None),
        ("https://[/a.jpg", None),
        ("/a.jpg", None),
    ],
)
def test_images_are_loaded_only_from_web_hosts(url: str, source: str | None) -> None:
    assert source_of(url) == source
