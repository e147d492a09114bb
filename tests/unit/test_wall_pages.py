from itertools import islice

import pytest
from lxml import html

from benchmarks.walls import pages
from benchmarks.walls.pages import ARTICLES, KINDS, LANGUAGES, WALLS, wordings

ENOUGH = 1200


@pytest.mark.parametrize("articles", [False, True])
def test_both_halves_cover_all_kinds_languages_and_styles_without_overlap(articles: bool) -> None:
    truths = {
        half: [page["truth"] for page in islice(pages.pages(half, 0, articles=articles), ENOUGH)]
        for half in ("seen", "unseen")
    }
    everything = [*truths["seen"], *truths["unseen"]]
    assert {truth["kind"] for truth in everything} == set(ARTICLES if articles else WALLS)
    assert {truth["language"] for truth in everything} == set(LANGUAGES)
    assert not any(truth["unseen"] for truth in truths["seen"])
    assert all({"kind", "language"} & set(truth["unseen"]) for truth in truths["unseen"])
    assert any("style" in truth["unseen"] for truth in truths["unseen"])


def test_pages_depend_only_on_the_seed() -> None:
    first, again, other = (list(islice(pages.pages("seen", seed), 60)) for seed in (1, 1, 2))
    assert first == again
    assert first != other


@pytest.mark.parametrize("half", ["seen", "unseen"])
@pytest.mark.parametrize("articles", [False, True])
def test_pages_can_be_parsed_and_contain_text_or_a_script(half: str, articles: bool) -> None:
    for page in islice(pages.pages(half, 3, articles=articles), 200):
        body = html.document_fromstring(page["html"]).find("body")
        assert body is not None
        assert "".join(str(text) for text in body.itertext()).strip()
        assert "{host}" not in page["html"]
        assert "{ref}" not in page["html"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_texts_for_every_kind(language: str) -> None:
    words = wordings(language)
    needed = {kind.wordings for kind in KINDS.values() if kind.source != "vendor"}
    assert needed - {"articles", "notices"} <= set(words["walls"])
    assert all(len(found) >= 2 for found in words["walls"].values())
    assert len(words["headlines"]) >= 12
    assert len(words["labels"]) == 10
    assert all(len(story) == 3 for story in words["stories"])
    assert all(len(article) >= 5 for article in words["articles"])
    assert len(words["notices"]) >= 2
