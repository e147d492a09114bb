"""The comparison of extraction methods on a corpus, and the evaluation of given articles."""

from pathlib import Path
from typing import Any

import pytest

from benchmarks.evaluation.bench import Bench, BenchError, CorpusTable, Line, evaluate
from benchmarks.evaluation.methods import Extractor, Gives, Runner
from tests.unit.benchmarks.evaluation.bench.corpus import article, write_corpus, write_lines
from tests.unit.benchmarks.evaluation.methods.misbehaving import NAME, method, unpreparable


def measure(
    folder: Path, *methods: Extractor | str, seconds: float = 60, **options: object
) -> CorpusTable:
    """Run methods on a corpus, and return their scores."""
    runner = Runner(processes=1, seconds_per_page=seconds, cache=folder.parent / "cache")
    [table] = Bench(methods, runner=runner, **options).measure([folder])  # type: ignore[arg-type]
    return table


def mean(line: Line, name: str) -> float:
    return line.scores[name].pages.mean


def test_a_method_that_returns_the_gold_text_scores_100(tmp_path: Path) -> None:
    folder = write_corpus(tmp_path / "gulls", ["one gull", "two gulls", "three gulls"])
    table = measure(folder, method())
    assert (table.corpus, table.pages, table.sites) == ("gulls", 3, 2)
    for name in ("exact", "equal", "to_p", "to_r", "to_f", "char_f", "rouge_f"):
        assert mean(table.lines[0], name) == 100


def test_failures_are_shown_and_do_not_stop_the_run(tmp_path: Path) -> None:
    folder = write_corpus(tmp_path / "gulls", ["one gull", "raise", "hang", "crash"])
    methods = (method(), unpreparable("lack"), method("after"))
    broken, absent, after = measure(folder, *methods, seconds=2).lines
    assert broken.failures == {"crash": 1, "error": 1, "timeout": 1}
    assert mean(broken, "to_f") == 25
    assert absent.failures == {"unavailable": 4}
    assert absent.note is not None
    assert "the moon is not full" in absent.note
    assert not absent.scores
    assert mean(after, "to_f") == 25


def test_gold_texts_that_are_not_on_their_page_are_skipped(tmp_path: Path) -> None:
    folder = write_corpus(tmp_path / "gulls", ["one gull"], gold_token_recall_in_html=0.79)
    with pytest.raises(BenchError, match="no page has a gold record to score against"):
        measure(folder, method())


def test_a_sample_is_evenly_spaced_and_described_as_a_sample(tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    folder = write_corpus(tmp_path / "gulls", [f"gull {number}" for number in range(9)])
    table = measure(folder, method(calls=calls), sample=3)
    assert sorted(calls.read_text().splitlines()) == ["gull 0", "gull 3", "gull 6"]
    assert table.extent == "3 pages of 2 sites (a sample, of 9 pages)"


def test_averages_by_site_limits_statistics_and_the_downstream_task(tmp_path: Path) -> None:
    text = "Gull fever at sea.\nSailors rest.\nThe gull fever is over."
    folder = write_corpus(tmp_path / "gulls", [text, text])
    diseases = {"en": {"gull fever": "Gull_fever"}}
    options: dict[str, Any] = {"with_limits": True, "with_statistics": True, "diseases": diseases}
    table = measure(folder, method(), by="site", **options)
    line, subtree, blocks = table.lines
    assert set(line.groups) == {"site-1.example", "site-2.example"}
    assert (subtree.kind, blocks.kind) == ("limit", "limit")
    assert line.statistics["en"].files == 2
    assert line.task is not None
    assert line.task.marked.pairs.f1 == 100
    raw, gold = table.references
    assert raw.statistics["en"].words >= gold.statistics["en"].words == 22


def test_nclean_is_trained_on_another_corpus_without_the_measured_sites(tmp_path: Path) -> None:
    measured = write_corpus(tmp_path / "gulls", ["one gull", "two gulls"])
    same_sites = write_corpus(tmp_path / "same", ["three gulls", "four gulls"])
    [untrained] = measure(measured, "nclean", training=same_sites).lines
    assert "must be trained" in (untrained.note or "")
    pages = ["<p>three gulls</p><p>and an advertisement</p>", "unreadable"]
    others = write_corpus(tmp_path / "other", pages, text="three gulls", prefix="tern")
    [trained] = measure(measured, "nclean", training=others).lines
    assert trained.version is not None
    assert trained.version.startswith("trained")


COMMENTER = Extractor("commenter", f"{NAME}:comment", version="1", gives=Gives.COMMENTS)


def test_comments_are_scored_for_methods_that_extract_them(tmp_path: Path) -> None:
    comment = {"text": "one gull", "author": "Ann", "date": "2 January 2026", "parent": None}
    folder = write_corpus(tmp_path / "gulls", ["one gull"], comments=[comment])
    text_only, commenter = measure(folder, method(), COMMENTER).lines
    assert mean(text_only, "to_f") == 100
    assert not any(name.startswith("comments_") for name in text_only.scores)
    for name in ("comments_f", "comments_good", "comments_authors", "comments_dates"):
        assert mean(commenter, name) == 100
    assert "to_f" not in commenter.scores
    # The second run uses the results that the first run cached.
    assert measure(folder, COMMENTER).lines[0].scores == commenter.scores


def test_a_method_without_text_cannot_be_part_of_a_chain(tmp_path: Path) -> None:
    folder = write_corpus(tmp_path / "gulls", ["one gull"])
    [line] = measure(folder, "wutsi>commentsminer").lines
    assert "commentsminer extracts no text" in (line.note or "")


def evaluate_articles(
    folder: Path, texts: list[str], *articles: dict[str, Any], **gold: Any
) -> CorpusTable:
    """Evaluate articles against a corpus with the given gold texts."""
    path = write_lines(folder / "a.jsonl.gz", articles)
    return evaluate(write_corpus(folder / "gulls", texts, **gold), [path])


def scores(table: CorpusTable) -> dict[str, float]:
    """Return the mean scores in the first line of a table, by name."""
    return {name: mean.pages.mean for name, mean in table.lines[0].scores.items()}


def test_articles_are_matched_to_their_gold_texts(tmp_path: Path) -> None:
    found = (article(0, "one gull"), article(1, "two gulls", page_id=None), article(7, "no page"))
    table = evaluate_articles(tmp_path, ["one gull", "two gulls"], *found)
    assert scores(table)["to_f"] == 100
    assert "1 article of other pages" in table.remarks[0]


def test_date_authors_and_comments_are_scored(tmp_path: Path) -> None:
    comment = {"text": "What a fine gull", "author": "Ann", "date": "2026-01-02", "parent": None}
    values: dict[str, Any] = {"authors": ["Ann Gull"], "comments": [comment]}
    message = article(0, "one gull", published_at="2026-01-01T08:00:00Z", **values)
    gold = {"author": ["Ann Gull"], "date": "2026-01-01", "comments": [comment]}
    values_by_score = scores(evaluate_articles(tmp_path, ["one gull"], message, **gold))
    for name in ("date_exact", "authors_f", "comments_f", "comments_authors"):
        assert values_by_score[name] == 100


def test_without_pages_articles_keep_their_own_titles(tmp_path: Path) -> None:
    gold = write_corpus(tmp_path / "gulls", ["A gull\nIt flies"]) / "gold.jsonl.gz"
    message = article(0, "It flies", title="A gull")
    table = evaluate(gold, [write_lines(tmp_path / "a.jsonl.gz", [message])], by="site")
    assert scores(table)["equal"] == 100
    assert list(table.lines[0].groups) == ["site-1.example"]


def test_a_line_that_is_not_an_article_is_reported(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match=r"a\.jsonl\.gz, line 2: not an article message"):
        evaluate_articles(tmp_path, ["one gull"], article(0, "x"), {"version": 1})
