import base64
import gzip
from pathlib import Path
from typing import Any

import pytest

from benchmarks.evaluation.scores import (
    Comment,
    CorpusError,
    TextBlock,
    TextStatistics,
    load_corpus,
    read_gold,
)
from benchmarks.evaluation.scores.records import PARAGRAPH
from tests.unit.evaluation.bench.corpus import write_lines

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
    golds = [
        {
            "id": "1",
            "site": "a.example",
            "language": "de",
            "text": "Grippe à Köln",
            "markup": "<p>Grippe à Köln</p>",
            "title": "Grippe",
            "author": "Eva Beispiel",
            "date": "2020-01-02",
            "template_class": "a-2020",
            "token_recall_in_html": 1.0,
        }
    ]
    corpus = load_corpus(write_corpus(tmp_path / "press", [page("1"), page("2", html=HTML)], golds))
    assert corpus.name == "press"
    assert list(corpus.pages) == ["1"]
    assert corpus.pages["1"].html == HTML.encode()
    gold = corpus.golds["1"]
    assert gold.title_in_text
    assert gold.blocks == (TextBlock(PARAGRAPH, "Grippe à Köln"),)
    assert (gold.authors, gold.date) == (("Eva Beispiel",), "2020-01-02")
    assert gold.template_class == "a-2020"
    assert corpus.scorable() == [gold]


def test_if_comments_are_a_single_text_a_missing_one_means_no_comments(tmp_path: Path) -> None:
    golds = [{"id": "1", "comments": "First! And so on."}, {"id": "2"}]
    corpus = load_corpus(write_corpus(tmp_path / "press", [page("1"), page("2")], golds))
    assert [gold.comment_text for gold in corpus.golds.values()] == ["First! And so on.", ""]
    corpus = load_corpus(write_corpus(tmp_path / "press", [page("2")], [{"id": "2"}]))
    assert corpus.golds["2"].comment_text is None


@pytest.mark.parametrize(
    ("corpus", "gold", "asked", "expected"),
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
    tmp_path: Path, corpus: str, gold: dict[str, Any], asked: bool | None, expected: bool
) -> None:
    folder = write_corpus(tmp_path / corpus, [page("1")], [{"id": "1", "text": "x"} | gold])
    assert load_corpus(folder, title_in_text=asked).golds["1"].title_in_text is expected


def test_a_gold_record_may_use_the_field_names_of_the_article_message() -> None:
    record = {"id": "1", "authors": ["Eva Beispiel"], "published_at": "2020-01-02"}
    gold = read_gold(record, title_in_text=True)
    assert (gold.authors, gold.date) == (("Eva Beispiel",), "2020-01-02")
    assert read_gold({"id": "1", "authors": []}, title_in_text=True).authors is None


def test_gold_texts_that_are_not_on_their_page_are_not_scored(tmp_path: Path) -> None:
    recalls = {
        "other page": {"token_recall_in_html": 0.79},
        "other name": {"gold_token_recall_in_html": 0.5},
        "good": {"token_recall_in_html": 0.8},
        "unknown": {},
    }
    golds = [{"id": name, "text": "x", **recall} for name, recall in recalls.items()]
    golds += [{"id": "blank", "text": " \n"}, {"id": "snippets", "with": ["x"]}]
    corpus = load_corpus(write_corpus(tmp_path, [page(str(gold["id"])) for gold in golds], golds))
    assert [gold.id for gold in corpus.scorable()] == ["good", "unknown"]
    assert len(corpus.golds) == 6


def test_comments_may_be_separate_or_a_single_string_or_snippets() -> None:
    one_by_one = [
        {"author": "Ann", "date": "2020-01-02", "text": "First", "parent": None},
        {"author": None, "date": None, "text": "Second", "parent": 0},
    ]
    gold = read_gold({"id": "1", "comments": one_by_one}, title_in_text=True)
    assert gold.comments == (Comment("First", "Ann", "2020-01-02"), Comment("Second", parent=0))
    together = read_gold({"id": "1", "comments": "First\nSecond"}, title_in_text=True)
    assert (together.comments, together.comment_text) == (None, "First\nSecond")
    snippets = read_gold({"id": "1", "comments": ["Fir", "", "Sec"]}, title_in_text=True)
    assert (snippets.comments, snippets.comment_snippets) == (None, ("Fir", "Sec"))


@pytest.mark.parametrize(
    ("pages", "golds", "message"),
    [
        ([page("1")], [{"id": "2", "text": "x"}], "gold record has no page"),
        ([page("1"), page("1")], [], "second page"),
        ([page("1")], [{"id": "1"}, {"id": "1"}], "second gold"),
        ([page("1")], [{"text": "x"}], r"gold\.jsonl\.gz, line 1"),
        ([page("1")], [{"id": "1", "text": 3}], "no gold record"),
        ([page("1", html_base64="?")], [], r"pages\.jsonl\.gz, line 1"),
        ([{"id": "1", "url": "x"}], [], "no page message"),
    ],
)
def test_invalid_corpus_lines_are_rejected_with_their_position(
    tmp_path: Path, pages: list[dict[str, Any]], golds: list[dict[str, Any]], message: str
) -> None:
    with pytest.raises(CorpusError, match=message):
        load_corpus(write_corpus(tmp_path, pages, golds))


def test_files_that_are_not_a_corpus_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"pages\.jsonl\.gz"):
        load_corpus(tmp_path)
    write_corpus(tmp_path, [page("1")], [])
    (tmp_path / "gold.jsonl.gz").write_bytes(b"not gzip")
    with pytest.raises(CorpusError, match=r"gold\.jsonl\.gz"):
        load_corpus(tmp_path)
    for line in ("{", "3"):
        with gzip.open(tmp_path / "gold.jsonl.gz", "wt") as file:
            file.write(f"\n{line}\n")
        with pytest.raises(CorpusError, match="line 2"):
            load_corpus(tmp_path)


def test_statistics_are_counted_as_in_the_paper() -> None:
    gold = read_gold(
        {"id": "1", "text": "Grippe\nSie ist da.", "markup": "<h>Grippe\n<p>Sie ist da."},
        title_in_text=True,
    )
    assert TextStatistics.of_text(gold.text or "", gold.blocks) == TextStatistics(
        files=1, paragraphs=1, lines=2, words=4, tokens=4, characters=18, size=18
    )
    chinese = TextStatistics.of_text("流感来了。")
    assert (chinese.words, chinese.tokens) == (4, 1)
    assert (chinese.characters, chinese.size, chinese.paragraphs) == (5, 15, 0)
    source = TextStatistics.of_html('<P>One</p>\n<p class="x">Two<pre>Three</pre>')
    assert (source.paragraphs, source.lines) == (2, 2)
    assert (chinese + source).files == 2
    assert (chinese + TextStatistics()) == chinese
