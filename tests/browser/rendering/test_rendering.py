"""Rendering of pages in a real browser, with and without network access."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from detourage.html import parse_page
from detourage.reader import extract_article
from tests.acceptance.command_line import BARE_ENVIRONMENT, DETOURAGE, read_lines, write_messages
from tests.pages import message, paragraphs, prose
from tests.web import serving
from worker.rendering import Browser, RenderingError

pytestmark = pytest.mark.browser

URL = "https://news.example/story?id=1"
STORY = prose(1)
TITLE = "Bridge story number 1"
PROGRAM = f"document.getElementById('root').innerHTML = `<h1>{TITLE}</h1><div>{STORY}</div>`;"


def page_with_script_element(script: str) -> str:
    return (
        f"<!doctype html><html lang='en'><head><title>{TITLE}</title></head>"
        f"<body><div id='root'></div>{script}</body></html>"
    )


def page_running(program: str) -> str:
    return page_with_script_element(f"<script>{program}</script>")


@pytest.fixture(scope="module")
def executable(chromium: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The browser; for root, a script that disables the sandbox, which would not work."""
    if os.geteuid() != 0:
        return chromium
    script = tmp_path_factory.mktemp("browser") / "chromium"
    script.write_text(f'#!/bin/sh\nexec {chromium} --no-sandbox "$@"\n')
    script.chmod(0o755)
    return script


@pytest.fixture(scope="module")
def browser(executable: Path) -> Browser:
    return Browser(executable, seconds=60)


def browser_with(browser: Browser, **values: float) -> Browser:
    return Browser(**{**vars(browser), **values})


@pytest.fixture
def requested() -> list[str]:
    return []


@pytest.fixture
def server(requested: list[str]) -> Iterator[str]:
    def answer(path: str) -> tuple[str, bytes]:
        requested.append(path)
        return "text/javascript", PROGRAM.encode()

    with serving(answer) as address:
        yield address.removeprefix("http://")


def test_the_text_that_scripts_write_is_the_article(browser: Browser) -> None:
    rendered = browser.render(page_running(PROGRAM), URL)
    article = extract_article(parse_page(rendered, URL), None)
    assert (article.title, article.text) == (TITLE, "\n\n".join(paragraphs(1)))
    assert article.language == "en"


def test_a_page_has_its_own_url_and_may_write_after_loading(browser: Browser) -> None:
    program = "setTimeout(() => document.body.append(location.href), 150); alert('wait for me')"
    assert URL in parse_page(browser.render(page_running(program), URL)).document.text_content()


def test_shadow_trees_are_serialised(browser: Browser) -> None:
    program = (
        "const shadow = document.getElementById('root').attachShadow({mode: 'open'});"
        f"shadow.innerHTML = `<div>{STORY}</div>`;"
    )
    article = extract_article(parse_page(browser.render(page_running(program), URL), URL), None)
    assert (article.method, article.text) == ("template", "\n\n".join(paragraphs(1)))


def test_without_network_access_nothing_is_requested(
    browser: Browser, server: str, requested: list[str]
) -> None:
    program = (
        f"fetch('http://{server}/fetch').catch(() => 0); new WebSocket('ws://{server}/socket');"
        f"new Image().src = 'http://{server}/image'; navigator.sendBeacon('http://{server}/beacon');"
        f"new EventSource('http://{server}/events'); window.open('http://{server}/opened');"
        "document.body.append('it ran');"
    )
    page = page_with_script_element(
        f"<script src='http://{server}/story.js'></script><script>{program}</script>"
    )
    assert "it ran" in browser.render(page, f"http://{server}/page")
    assert requested == []


def test_with_network_access_a_page_loads_its_scripts_but_is_not_fetched_again(
    browser: Browser, server: str, requested: list[str]
) -> None:
    page = page_with_script_element("<script src='/story.js'></script>")
    rendered = browser_with(browser, has_network=True).render(page, f"http://{server}/page")
    assert paragraphs(1)[0] in rendered
    assert requested == ["/story.js"]


def test_a_page_cannot_navigate_elsewhere(
    browser: Browser, server: str, requested: list[str]
) -> None:
    page = page_running(
        f"location = 'http://{server}/elsewhere'; document.body.append('still here')"
    )
    rendered = browser_with(browser, has_network=True).render(page, URL)
    assert "still here" in rendered
    assert requested == []


@pytest.mark.parametrize(
    ("program", "limits", "problem"),
    [
        ("while (true) {}", {"seconds": 8}, "the page took longer than 8 seconds"),
        (
            "const all = []; while (true) { all.push(new Array(1000000).fill(1.5)); }",
            {"memory_mib": 512},
            "crashed",
        ),
    ],
    ids=["time", "memory"],
)
def test_a_page_that_exceeds_a_limit_is_stopped_and_leaves_no_process(
    browser: Browser, program: str, limits: dict[str, float], problem: str
) -> None:
    other_pids = {process.pid for process in psutil.process_iter()}
    with pytest.raises(RenderingError, match=problem):
        browser_with(browser, **limits).render(page_running(program), URL)
    # Other tests' browser, a child of this process, may start further processes at any time.
    other_pids |= {process.pid for process in psutil.Process().children(recursive=True)}
    after = psutil.process_iter(["pid", "ppid", "name", "cmdline"])
    new_processes = [process for process in after if process.pid not in other_pids]
    _, alive = psutil.wait_procs([each for each in new_processes if "chrom" in each.info["name"]])
    assert [process.info for process in alive] == []


def test_a_run_renders_with_the_configured_browser(executable: Path, tmp_path: Path) -> None:
    pages = write_messages(tmp_path / "pages.jsonl", [message(URL, page_running(PROGRAM))])
    result = subprocess.run(
        [*DETOURAGE, "run", str(pages), "-o", str(tmp_path / "articles.jsonl")],
        env={**BARE_ENVIRONMENT, "DETOURAGE_RENDER_BROWSER": str(executable)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    [article] = read_lines(tmp_path / "articles.jsonl")
    assert article["text"] == "\n\n".join(paragraphs(1))
    assert article["method"] == "rendered-lines"
