"""The command `detourage run` with embedded services."""

import json
import random
import re
import signal
import subprocess
import sys
import time
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import psutil
import pyarrow.parquet as pq
import pytest
import requests

from detourage.messages import ArticleMessage, Block, Metadata, Template
from examples.sample_crawl import write_crawl
from tests import parted_pages
from tests.acceptance.command_line import (
    BARE_ENVIRONMENT,
    DETOURAGE,
    SCRIPT,
    SCRIPT_ENVIRONMENT,
    read_lines,
    run_command,
    without_timestamps,
    write_messages,
    write_project,
)
from tests.acceptance.local.conftest import Run
from tests.arrow_rows import message_from_row
from tests.commands import invoke
from tests.deployment import Deployment
from tests.pages import paragraphs, site_messages

KINDS = ("article", "menu")
SITES = ("harbour-post.example", "jiangwan-wanbao.example", "sada-almina.example")


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Directory of a sample crawl and of the output of a run over it."""
    directory = tmp_path_factory.mktemp("sample")
    write_crawl(directory, pages_per_template=6, sites=SITES)
    result = run_command(directory / "pages.jsonl.gz", "-o", directory / "articles.jsonl")
    (directory / "summary.txt").write_text(result.stderr)
    return directory


def test_the_sample_gives_an_article_for_each_article_page_and_none_for_menus(sample: Path) -> None:
    gold = read_lines(sample / "gold.jsonl.gz")
    articles = {each["url"] for each in read_lines(sample / "articles.jsonl")}
    urls = {kind: {page["url"] for page in gold if page["kind"] == kind} for kind in KINDS}
    assert urls["article"] <= articles
    assert urls["menu"]
    assert articles.isdisjoint(urls["menu"])


def test_the_summary_counts_every_page_once(sample: Path) -> None:
    gold = read_lines(sample / "gold.jsonl.gz")
    summary = (sample / "summary.txt").read_text()
    (outcomes,) = re.findall(r"^outcomes: (.*)$", summary, re.MULTILINE)
    assert sum(map(int, re.findall(r"\d+", outcomes))) == len(gold)


def test_the_groups_of_the_sample_equal_its_templates(sample: Path) -> None:
    template = {
        page["url"]: page["template_class"] for page in read_lines(sample / "gold.jsonl.gz")
    }
    templates_of_group = defaultdict(set)
    groups_of_template = defaultdict(set)
    for article in read_lines(sample / "articles.jsonl"):
        group = (article["site"], article["template"]["group"])
        templates_of_group[group].add(template[article["url"]])
        groups_of_template[template[article["url"]]].add(group)
    assert all(len(templates) == 1 for templates in templates_of_group.values())
    assert all(len(groups) == 1 for groups in groups_of_template.values())


def test_explain_shows_what_the_run_extracted_from_each_page(sample: Path) -> None:
    crawl = sample / "pages.jsonl.gz"
    articles = {each["url"]: each for each in read_lines(sample / "articles.jsonl")}
    # One page per template of a site: articles with and without comments, menu pages, and a page
    # that is unlike any other.
    url_of_class: dict[str, str] = {}
    for page in read_lines(sample / "gold.jsonl.gz"):
        if page["template_class"].startswith("sada"):
            url_of_class.setdefault(page["template_class"], page["url"])
    assert len(url_of_class) == 4
    file = sample / "explained.json"
    for url in url_of_class.values():
        invoke("explain", crawl, "--url", url, "--site-pages", crawl, "--json", file)
        explained = json.loads(file.read_text())
        article = articles.get(url)
        if article is None:
            assert (explained["article"], explained["comments"]) == (None, [])
            assert explained["outcome"] != "article"
            continue
        assert explained["article"] == {key: article[key] for key in explained["article"]}
        comments = [
            (each["author"], each["text"], each["parent"]) for each in explained["comments"]
        ]
        assert comments == [(c["author"], c["text"], c["parent"]) for c in article["comments"]]
        assert explained["template"]["size"] == article["template"]["size"]
        kept_text = " ".join(
            line["text"] for line in explained["lines"] if line["verdict"] == "kept"
        )
        assert kept_text.split() == article["text"].split()


def test_articles_have_the_keys_of_the_message_models_in_order(run: Run) -> None:
    for article in run.articles:
        assert list(article) == list(ArticleMessage.model_fields)
        assert list(article["template"]) == list(Template.model_fields)
        # No article is truncated, and the message omits optional metadata that a page lacks.
        optional = ("truncated", "site_name", "description", "image", "favicon", "text_direction")
        assert list(article["metadata"]) == [
            name
            for name in Metadata.model_fields
            if name not in optional or name in article["metadata"]
        ]
        assert "truncated" not in article["metadata"]
        for block in article["blocks"]:
            # Some fields, such as the level of a heading, are omitted if they do not apply.
            assert list(block) == [name for name in Block.model_fields if name in block]
            assert {"type", "text", "start", "end", "role", "role_probability"} <= set(block)
        assert ArticleMessage.model_validate(article).to_json() == article


def test_a_run_prints_a_line_before_it_starts_anything(run: Run) -> None:
    assert run.summary.splitlines()[0] == "starting PostgreSQL, a broker and 1 worker"


@pytest.fixture(scope="module")
def table(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Parquet file of a run with three workers on the messages of `run`, shuffled and repeated."""
    directory = tmp_path_factory.mktemp("table")
    shuffled = [*run.bodies, *run.bodies[::3]]
    random.Random(7).shuffle(shuffled)
    pages = write_messages(directory / "pages.jsonl", shuffled)
    run_command(pages, "-o", directory / "articles.parquet", "--workers", "3")
    assert len(list(directory.iterdir())) == 2
    return directory / "articles.parquet"


def test_articles_do_not_depend_on_order_workers_repeats_or_format(run: Run, table: Path) -> None:
    assert len(run.articles) == len(run.bodies) - 1
    from_table = [message_from_row(row).to_json() for row in pq.read_table(table).to_pylist()]
    from_lines = [ArticleMessage.in_order(each) for each in run.articles]
    with_date = [each for each in (*from_table, *from_lines) if each["published_at"]]
    assert len(with_date) == 2
    for each in with_date:
        # Parquet stores the time in UTC, without the original time zone.
        each["published_at"] = pd.Timestamp(each["published_at"]).tz_convert("UTC")
    assert without_timestamps(from_table) == without_timestamps(from_lines)


def test_duckdb_and_pandas_read_the_table(run: Run, table: Path) -> None:
    texts = [(each["url"], each["text"]) for each in run.articles]
    assert duckdb.sql(f"SELECT url, text FROM '{table}'").fetchall() == texts
    frame = pd.read_parquet(table)
    assert list(zip(frame["url"], frame["text"], strict=True)) == texts


def test_a_paginated_article_is_complete_in_the_file(run: Run) -> None:
    (article,) = [each for each in run.articles if each["url"] == parted_pages.STORY]
    assert article["text"] == "\n\n".join(paragraphs(100) + paragraphs(200) + paragraphs(300))
    assert article["revision"] == 2


def test_a_page_without_comparable_pages_gives_an_article(run: Run) -> None:
    (article,) = [each for each in run.articles if each["site"] == "alone.example"]
    assert paragraphs(50)[0] in article["text"]
    assert article["template"] == {"group": None, "generation": 1, "size": 1, "role": "outlier"}


def test_a_page_that_needs_a_browser_is_reported_and_does_not_block_others(run: Run) -> None:
    assert f"outcomes: article {len(run.bodies) - 1}, needs-rendering 1" in run.summary
    assert "https://app.example/a" not in {each["url"] for each in run.articles}


def test_an_interrupted_run_leaves_no_process_and_can_be_resumed(run: Run, tmp_path: Path) -> None:
    pages = write_messages(tmp_path / "pages.jsonl", run.bodies)
    output = tmp_path / "articles.jsonl"
    # The output file is in the input folder, but is not read as input.
    command = (tmp_path, "-o", output, "--workers", "1")
    written: list[dict[str, Any]] = []
    for number, options in ((signal.SIGINT, ()), (signal.SIGKILL, ("--resume",))):
        size = output.stat().st_size if written else 0
        with subprocess.Popen(
            [*DETOURAGE, "run", *map(str, command), *options],
            env=BARE_ENVIRONMENT,
            stderr=subprocess.PIPE,
            text=True,
        ) as begun:
            while not output.exists() or output.stat().st_size <= size:
                time.sleep(0.02)
            processes = psutil.Process(begun.pid).children(recursive=True)
            begun.send_signal(number)
            if number == signal.SIGKILL:
                # Kill all processes, as the kernel may do when memory runs out: none cleans up.
                for process in processes:
                    with suppress(psutil.NoSuchProcess):
                        process.kill()
            _, error_output = begun.communicate()
        assert begun.returncode in (130, -signal.SIGKILL)
        _, alive = psutil.wait_procs(processes)
        assert not alive
        assert number == signal.SIGKILL or "--resume" in error_output.partition("stopping ...\n")[2]
        assert len(written) < len(read_lines(output)) < len(run.articles)
        written = read_lines(output)
        assert {each["id"] for each in written} <= {each["id"] for each in run.articles}
        result = run_command(*command, code=1)
        assert "use --resume to continue it or --overwrite to start over" in result.stderr
        result = run_command(*command, "--resume", "--text-roles", "quote", code=1)
        assert "a different --text-roles: use the same value" in result.stderr.splitlines()[1]

    with output.open("ab") as stream:
        stream.write(b'{"version": 1, "id')
    run_command(*command, "--resume")
    assert without_timestamps(read_lines(output)) == without_timestamps(run.articles)
    assert set(tmp_path.iterdir()) == {pages, output}
    before = output.read_bytes()
    result = run_command(*command, "--resume", code=1)
    assert "exists, but is not from an interrupted run: use --overwrite" in result.stderr
    assert output.read_bytes() == before


def test_an_inspected_run_lasts_until_it_is_interrupted_and_imports_nothing_from_its_folder(
    tmp_path: Path,
) -> None:
    write_project(tmp_path)
    write_messages(tmp_path / "pages.jsonl", site_messages("a.example", range(12)))
    output = tmp_path / "out.jsonl"
    with subprocess.Popen(
        [*SCRIPT, "run", "pages.jsonl", "-o", "out.jsonl", "--inspect"],
        env={**SCRIPT_ENVIRONMENT, "DETOURAGE_QUEUE_PREFIX": "inspected."},
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    ) as run:
        assert run.stderr is not None
        lines = iter(run.stderr.readline, "")
        address = next(line for line in lines if line.startswith("inspector: ")).split()[1]
        # The inspector is available while the run is in progress.
        assert requests.get(f"{address}overview", timeout=600).status_code == 200
        assert any("runs until Ctrl-C" in line for line in lines)
        assert len(read_lines(output)) == 12
        [site] = requests.get(f"{address}sites.json", timeout=600).json()["sites"]
        assert site["status"]["outcomes"] == {"article": 12}
        run.send_signal(signal.SIGINT)
        assert run.wait() == 0


def test_schemas_are_printed() -> None:
    def schema_of(message: str) -> str:
        command = [sys.executable, "-m", "detourage.messages", message]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    page = json.loads(schema_of("page"))
    assert set(page["required"]) == {"version", "url"}
    article = json.loads(schema_of("article"))
    assert article["properties"]["template"]


def test_queue_and_file_contain_the_same_articles(deployment: Deployment, run: Run) -> None:
    before = deployment.receipts()
    # A deployment adds the later parts of an article in another revision, so these are omitted.
    parts = parted_pages.part_messages()
    bodies = [body for body in run.bodies if body not in parts]
    deployment.publish(reversed(bodies))
    deployment.wait_for_receipts(before + len(bodies))
    deployment.wait_for_outcomes()
    queued = sorted(deployment.take_articles(), key=lambda each: (each["site"], each["url"]))

    articles = [article for article in run.articles if article["site"] != parted_pages.SITE]
    assert without_timestamps(queued) == without_timestamps(articles)
