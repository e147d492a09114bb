"""The commands ``bench`` and ``evaluate`` of the benchmarks, run on the sample crawl."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from benchmarks.__main__ import main as benchmarks
from examples.sample_crawl import write_crawl


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bench") / "sample"
    write_crawl(folder)
    return folder


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(benchmarks, [str(argument) for argument in arguments])


def test_bench_measures_methods_and_writes_reports(sample: Path, tmp_path: Path) -> None:
    result = invoke(
        *("bench", sample, "--extractors", "html_killer,html_killer>wutsi"),
        *("--sample", 6, "--limits", "--statistics", "--by", "language", "--jobs", 1),
        *("--cache", tmp_path / "cache"),
        *("--json", tmp_path / "report.json", "--html", tmp_path / "report.html"),
    )
    assert result.exit_code == 0, result.output
    [table] = json.loads((tmp_path / "report.json").read_text())["tables"]
    assert table["pages"] == 6
    means = {line["method"]: line["scores"]["to_f"]["pages"]["mean"] for line in table["lines"]}
    assert list(means)[:2] == ["html_killer", "html_killer>wutsi"]
    assert max(means.values()) == means["limit: best blocks"]
    assert "wutsi" in result.output
    assert "<svg" in (tmp_path / "report.html").read_text()


def test_a_requested_extractor_that_cannot_run_is_an_error(
    sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # With this PATH, neither Java nor Node can be found.
    monkeypatch.setenv("PATH", str(tmp_path))
    result = invoke(
        *("bench", sample, "--extractors", "html_killer,readability_js"),
        *("--sample", 2, "--jobs", 1, "--json", tmp_path / "report.json"),
    )
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: not run: readability_js (")
    [table] = json.loads((tmp_path / "report.json").read_text())["tables"]
    assert [line["method"] for line in table["lines"] if line["scores"]] == ["html_killer"]
