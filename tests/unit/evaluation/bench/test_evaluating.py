from pathlib import Path
from typing import Any

import pytest

from benchmarks.evaluation.bench import BenchError, CorpusTable, evaluate
from tests.unit.evaluation.bench.corpus import article, write_corpus, write_lines

COMMENT = {"author": "Ann", "date": "2026-01-02", "text": "What a fine gull", "parent": None}


def evaluated(
    folder: Path, orders: list[str], *articles: dict[str, Any], **gold: Any
) -> CorpusTable:
    """Evaluate articles against a corpus with the given texts."""
    path = write_lines(folder / "a.jsonl.gz", articles)
    return evaluate(write_corpus(folder / "gulls", orders, **gold), [path])


def scores(table: CorpusTable) -> dict[str, float]:
    return {name: mean.pages.mean for name, mean in table.lines[0].scores.items()}


def test_articles_are_matched_to_their_gold_texts(tmp_path: Path) -> None:
    found = (article(0, "one gull"), article(1, "two gulls", page_id=None), article(7, "no page"))
    table = evaluated(tmp_path, ["one gull", "two gulls"], *found)
    assert scores(table)["to_f"] == 100
    assert "1 article of other pages" in table.remarks[0]


def test_date_authors_and_comments_are_scored(tmp_path: Path) -> None:
    gold: dict[str, Any] = {"author": ["Ann Gull"], "date": "2026-01-01", "comments": [COMMENT]}
    message = article(
        0,
        "one gull",
        authors=["Ann Gull"],
        published_at="2026-01-01T08:00:00Z",
        comments=[COMMENT],
    )
    found = scores(evaluated(tmp_path, ["one gull"], message, **gold))
    for name in ("date_exact", "authors_f", "comments_f", "comments_authors"):
        assert found[name] == 100


def test_without_pages_articles_keep_their_own_titles(tmp_path: Path) -> None:
    gold = write_corpus(tmp_path / "gulls", ["A gull\nIt flies"]) / "gold.jsonl.gz"
    message = article(0, "It flies", title="A gull")
    table = evaluate(gold, [write_lines(tmp_path / "a.jsonl.gz", [message])], by="site")
    assert scores(table)["equal"] == 100
    assert list(table.lines[0].groups) == ["site-1.example"]


def test_a_line_that_is_not_an_article_is_reported(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match=r"a\.jsonl\.gz, line 2: no article message"):
        evaluated(tmp_path, ["one gull"], article(0, "x"), {"version": 1})
