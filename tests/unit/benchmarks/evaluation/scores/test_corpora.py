import base64
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.evaluation.scores import CorpusError, TextBlock, load_corpus
from benchmarks.evaluation.scores.records import PARAGRAPH
from benchmarks.evaluation.scores.roles import (
    LabelledPage,
    RoleScores,
    align,
    digest_of,
    load_roles,
)
from tests.unit.benchmarks.evaluation.bench.corpus import write_lines

HTML = "<html><p>Grippe à Köln</p></html>"


def page(name: str, **fields: Any) -> dict[str, Any]:
    html = base64.b64encode(HTML.encode()).decode()
    return {"version": 1, "id": name, "url": f"http://a.example/{name}", "site": "a.example"} | (
        fields or {"html_base64": html}
    )


def write_corpus(folder: Path, pages: list[dict[str, Any]], golds: list[dict[str, Any]]) -> Path:
    write_lines(folder / "pages.jsonl.gz", pages)
    write_lines(folder / "gold.jsonl.gz", golds)
    return folder


def test_pages_and_gold_records_are_read_by_id(tmp_path: Path) -> None:
    gold_values = {
        "id": "1",
        "site": "a.example",
        "language": "de",
        "token_recall_in_html": 1.0,
        "text": "Grippe à Köln",
        "markup": "<p>Grippe à Köln</p>",
        "title": "Grippe",
        "author": "Eva Beispiel",
        "date": "2020-01-02",
        "template_class": "a-2020",
    }
    pages = [page("1"), page("2", html=HTML)]
    corpus = load_corpus(write_corpus(tmp_path / "press", pages, [gold_values]))
    assert corpus.name == "press"
    assert list(corpus.pages) == ["1"]
    assert corpus.pages["1"].html == HTML.encode()
    gold = corpus.golds["1"]
    assert gold.title_in_text
    assert gold.blocks == (TextBlock(PARAGRAPH, "Grippe à Köln"),)
    assert (gold.authors, gold.date) == (("Eva Beispiel",), "2020-01-02")
    assert gold.template_class == "a-2020"
    assert corpus.scorable() == [gold]


@pytest.mark.parametrize(
    ("corpus", "gold", "argument", "expected"),
    [
        ("zh_cwced", {}, None, False),
        ("l3s_gn1", {}, None, False),
        ("press", {}, None, True),
        ("press", {}, False, False),
        ("l3s_gn1", {}, True, True),
        ("press", {"title_in_text": False}, None, False),
        ("press", {"title_in_text": False}, True, True),
    ],
)
def test_a_corpus_or_a_gold_record_may_omit_headlines(
    tmp_path: Path, corpus: str, gold: dict[str, Any], argument: bool | None, expected: bool
) -> None:
    folder = write_corpus(tmp_path / corpus, [page("1")], [{"id": "1", "text": "x"} | gold])
    assert load_corpus(folder, title_in_text=argument).golds["1"].title_in_text is expected


@pytest.mark.parametrize(
    ("pages", "golds", "message"),
    [
        ([page("1")], [{"id": "2", "text": "x"}], "pages.jsonl.gz has no page"),
        ([page("1"), page("1")], [], "duplicate page"),
        ([page("1")], [{"id": "1"}, {"id": "1"}], "duplicate gold"),
        ([page("1")], [{"text": "x"}], r"gold\.jsonl\.gz, line 1"),
        ([page("1")], [{"id": "1", "text": 3}], "not a valid gold record"),
        ([page("1", html_base64="?")], [], r"pages\.jsonl\.gz, line 1"),
        ([{"id": "1", "url": "x"}], [], "not a page message"),
    ],
)
def test_invalid_corpus_lines_are_rejected_with_their_position(
    tmp_path: Path, pages: list[dict[str, Any]], golds: list[dict[str, Any]], message: str
) -> None:
    with pytest.raises(CorpusError, match=message):
        load_corpus(write_corpus(tmp_path, pages, golds))


def labelled_page(*lines: tuple[str, str]) -> LabelledPage:
    texts, roles = zip(*lines, strict=True)
    return LabelledPage("press", "1", "article", tuple(map(digest_of, texts)), roles)


def test_lines_and_their_roles_are_read(tmp_path: Path) -> None:
    lines = [{"text": "Storm", "role": "title"}, {"text": "Reply", "role": "comment_form"}]
    record = {"corpus": "press", "id": "1", "kind": "article", "lines": lines, "note": None}
    [page] = load_roles(write_lines(tmp_path / "roles.jsonl.gz", [record]))
    assert page == labelled_page(("Storm", "title"), ("Reply", "comment"))


def test_a_line_has_the_role_of_the_labelled_line_at_its_position() -> None:
    page = labelled_page(("More", "navigation"), ("Storm", "title"), ("More", "promo"))
    roles = align(page, ["More", "Cookies", "Storm", "More"])
    assert roles == ["navigation", None, "title", "promo"]


def test_a_page_is_correct_with_exactly_the_lines_of_the_article() -> None:
    scores = RoleScores()
    roles = ["title", "paragraph", "mixed", None, "caption"]
    assert scores.add(roles, np.array([False, True, True, True, False]))
    assert not scores.add(roles, np.array([False, True, False, False, True]))
    assert not scores.add(roles, np.array([False, False, False, False, False]))
    assert (scores.pages, scores.right) == (3, 1)
    assert scores.exact == pytest.approx(100 / 3)
    assert scores.share_kept("caption") == pytest.approx(100 / 3)
    assert scores.lines["mixed"] == 0


def test_roles_that_labellers_confuse_are_merged() -> None:
    scores = RoleScores()
    true = ["legal", "navigation", "related", "template"]
    found = ["share", "template", "related", "related"]
    scores.add(true, np.zeros(4, dtype=np.bool_), found)
    assert scores.prf("legal").f1 == pytest.approx(200 * 2 / (2 + 3))
    assert scores.prf("related").f1 == 100.0
