"""Commands that need a missing extra name the extra and explain how to install it."""

import re
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks.__main__ import main as benchmarks
from benchmarks.evaluation.methods import UnavailableError, get_extractor
from detourage.cli import main
from worker.rendering import Browser, RenderingError

EXTRAS_OF_SERVICE = ("inspector", "objects", "otel", "render")
"""The extras of the service; the others are the library's."""


def advice_for(extra: str) -> str:
    distribution = "detourage-service" if extra in EXTRAS_OF_SERVICE else "detourage"
    return f"needs the {extra} extra: pip install '{distribution}[{extra}]', or make {extra}"


@pytest.fixture
def crawl(tmp_path: Path) -> str:
    (tmp_path / "pages.jsonl").write_text("{}\n")
    return str(tmp_path / "pages.jsonl")


@pytest.mark.parametrize(
    ("arguments", "module", "extra"),
    [
        (["inspect"], "starlette", "inspector"),
        (["run", "INPUT", "-o", "OUTPUT", "--inspect"], "jinja2", "inspector"),
        (["run", "INPUT", "-o", "articles.parquet"], "pyarrow", "arrow"),
        (["export", "--since", "2026-11-27", "--to", "FOLDER"], "pyarrow", "arrow"),
        (["extract", "PAGE", "--method", "justext"], "justext", "papers"),
    ],
)
def test_a_command_names_the_extra_in_one_line(
    arguments: list[str], module: str, extra: str, crawl: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    folder = Path(crawl).parent
    (folder / "page.html").write_text("<p>A page.</p>")
    names = {"INPUT": crawl, "OUTPUT": "articles.jsonl", "FOLDER": "", "PAGE": "page.html"}
    files = {word: str(folder / name) for word, name in names.items()}
    result = CliRunner().invoke(main, [files.get(word, word) for word in arguments])
    assert result.exit_code == 1, result.output
    (line,) = result.stderr.splitlines()
    assert advice_for(extra) in line


def test_measuring_the_browser_and_a_peer_method_name_the_missing_extra(
    crawl: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "regex", None)
    result = CliRunner().invoke(benchmarks, ["evaluate", crawl, crawl])
    assert advice_for("benchmarks") in result.stderr
    monkeypatch.setitem(sys.modules, "playwright", None)
    with pytest.raises(RenderingError, match=re.escape(advice_for("render"))):
        Browser(Path(sys.executable)).render("<p>A page.</p>", "https://news.example/")
    monkeypatch.setitem(sys.modules, "trafilatura", None)
    monkeypatch.delitem(
        sys.modules, "benchmarks.evaluation.methods.peers.trafilatura", raising=False
    )
    with pytest.raises(UnavailableError, match=re.escape(advice_for("benchmarks"))):
        get_extractor("trafilatura").prepare()
