import json
import zlib

import pytest

from detourage.html import Page
from detourage.reader import TemplateKnowledge, extract_article
from tests.unit.reader.article_pages import page, prose


def story(seed: int, *, extra: str = "") -> Page:
    menu = "".join(f'<li><a href="/{n}">Section {n}</a></li>' for n in range(9))
    teaser = "<p>Read also what everyone reads today. It is all there is to say, they say.</p>"
    return page(
        f'<div id="menu"><ul>{menu}</ul></div><h1>The Daily</h1><h2>Story {seed}</h2>'
        f'<div class="text">{prose(seed)}{teaser}{extra}</div>',
        f"<title>Story {seed} | The Daily</title>",
    )


def test_knowledge_has_the_same_effect_as_the_page_it_was_learnt_from() -> None:
    for seed in range(1, 5):
        known = TemplateKnowledge.from_pages([story(9)])
        assert extract_article(story(seed), known) == extract_article(story(seed), story(9))


def test_knowledge_survives_serialisation() -> None:
    known = TemplateKnowledge.from_pages([story(1), story(2, extra="<p>Zażółć 東京 𠀀</p>")])
    again = TemplateKnowledge.from_bytes(known.to_bytes())
    assert again == known
    assert extract_article(story(3), again) == extract_article(story(3), known)


def test_knowledge_of_no_pages_has_no_effect() -> None:
    nothing = TemplateKnowledge.from_bytes(TemplateKnowledge.from_pages([]).to_bytes())
    assert extract_article(story(1), nothing) == extract_article(story(1), None)


@pytest.mark.parametrize(
    "data", [b"", b"{}", zlib.compress(b"[]"), zlib.compress(b"{}"), zlib.compress(b"\xff")]
)
def test_invalid_bytes_are_rejected(data: bytes) -> None:
    with pytest.raises(ValueError, match="no template knowledge"):
        TemplateKnowledge.from_bytes(data)


def test_another_format_is_rejected() -> None:
    values = json.loads(zlib.decompress(TemplateKnowledge.from_pages([story(1)]).to_bytes()))
    values["format"] += 1
    with pytest.raises(ValueError, match="format"):
        TemplateKnowledge.from_bytes(zlib.compress(json.dumps(values).encode()))
