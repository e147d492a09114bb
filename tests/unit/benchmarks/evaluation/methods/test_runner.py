"""Running extraction methods that fail, hang or crash, and caching their results."""

from pathlib import Path

import psutil
import pytest

from benchmarks.evaluation.methods import (
    Extracted,
    Extractor,
    Failure,
    Job,
    Outcome,
    Runner,
    Source,
    Summary,
)
from tests.unit.benchmarks.evaluation.methods.gull import page
from tests.unit.benchmarks.evaluation.methods.misbehaving import method, unpreparable

ABSENT_MODULE = "a_library_that_nobody_wrote"
SECONDS = 2.0
"""Time limit, in seconds, for a page that hangs; all other pages take milliseconds."""


def run(runner: Runner, extractor: Extractor | str, *orders: str) -> list[str]:
    """Run a method on one page per order; return the extracted texts or the kinds of failure.

    An order is an instruction to the misbehaving method, and is the only text of its page.
    """
    results = list(runner.run(extractor, [Job(Source(order)) for order in orders]))
    results.sort(key=lambda result: result.index)
    assert [result.index for result in results] == list(range(len(orders)))
    found = [result.outcome.result for result in results]
    return [each.kind if isinstance(each, Failure) else each.text for each in found]


def test_a_page_that_fails_does_not_stop_the_run() -> None:
    orders = ["one", "raise", "two", "recurse", "three", "crash", "four", "exit", "print"]
    expected = ["one", "error", "two", "error", "three", "crash", "four", "crash", "print"]
    assert run(Runner(processes=2), method(), *orders) == expected


def test_programs_of_a_page_that_hangs_are_stopped_with_it() -> None:
    runner = Runner(processes=1, seconds_per_page=SECONDS)
    assert run(runner, method(), "hang in a program", "two") == ["timeout", "two"]
    commands = [each.info["cmdline"] or [] for each in psutil.process_iter(["cmdline"])]
    assert [command for command in commands if "import time; time.sleep(600)" in command] == []


@pytest.mark.parametrize(
    ("extractor", "detail"),
    [
        (unpreparable("lack"), "the moon is not full"),
        (unpreparable("abort"), "SIGABRT"),
        (Extractor("absent", f"{ABSENT_MODULE}:extract", version="1"), ABSENT_MODULE),
    ],
)
def test_a_method_that_cannot_start_gives_the_reason(extractor: Extractor, detail: str) -> None:
    jobs = [Job(Source(order)) for order in ("one", "two", "three")]
    failures = [result.outcome.failure for result in Runner(processes=2).run(extractor, jobs)]
    assert len(failures) == 3
    assert all(failure and failure.kind == "unavailable" for failure in failures)
    assert all(failure and detail in failure.detail for failure in failures)


def test_a_page_without_article_is_distinguished_from_a_failure() -> None:
    jobs = [Job(Source(b"\x89PNG\r\n")), Job(page("harbour"))]
    results = [each.outcome.result for each in Runner(processes=1).run("deturck_2015", jobs)]
    assert results == [Failure("refused", "no-comparable-page")] * 2
    (result,) = Runner(processes=1).run("wutsi", jobs[:1])
    assert result.outcome.result == Failure("refused", "not-html")


def test_a_page_is_computed_once_and_then_cached(tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    extractor = method(calls=calls)
    runner = Runner(processes=2, cache=tmp_path / "cache")
    assert run(runner, extractor, "one", "raise") == ["one", "error"]
    assert run(runner, extractor, "two", "raise", "one") == ["two", "error", "one"]
    assert sorted(calls.read_text().split()) == ["one", "raise", "two"]


def test_timeouts_are_not_cached(tmp_path: Path) -> None:
    runner = Runner(processes=1, cache=tmp_path, seconds_per_page=SECONDS)
    assert run(runner, method(), "hang") == ["timeout"]
    results = list(Runner(processes=1, cache=tmp_path).run(method(), [Job(Source("one"))]))
    assert not results[0].cached
    assert not list(tmp_path.rglob("*.json"))[1:]


def test_a_summary_counts_failures_by_kind() -> None:
    outcomes = [
        Outcome(Failure("error", "LookupError"), 1.0, 5),
        Outcome(Failure("error", "LookupError"), 1.0, 9),
        Outcome(Failure("timeout", "more than 3 s")),
        Outcome(Extracted.from_lines("a", "b"), 2.0, 7),
    ]
    summary = Summary.of(outcomes)
    assert summary.failures == {"error": 2, "timeout": 1}
    assert summary.detail == "LookupError"
    assert (summary.pages, summary.timed_pages, summary.peak_memory) == (4, 3, 9)
    assert summary.pages_per_cpu_second == pytest.approx(3 / 4)
