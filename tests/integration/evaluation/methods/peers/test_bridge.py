"""Extractors in other languages; those that this machine cannot run report the reason."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from benchmarks.evaluation.methods import (
    Extracted,
    Extractor,
    Job,
    Runner,
    Source,
    UnavailableError,
    extractor_names,
    get_extractor,
)
from benchmarks.evaluation.methods.peers.bridge import (
    BridgeError,
    bridge_to,
    close_bridges,
    running_programs,
)
from benchmarks.evaluation.methods.usage import cpu_seconds, peak_memory
from tests.unit.evaluation.methods.gull import holds_story, page

BRIDGED = ["boilerpipe_java", "readability_js"]


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tools")


@pytest.fixture(params=BRIDGED)
def bridged(request: pytest.FixtureRequest, tools: Path) -> Iterator[Extractor | str]:
    """The extractor, or the reason why it is unavailable here."""
    try:
        extractor = get_extractor(request.param, tools=tools)
        extractor.prepare()
    except UnavailableError as error:
        yield str(error)
    else:
        yield extractor
    close_bridges()


def extract(bridged: Extractor | str, source: Source) -> Extracted | None:
    """Return the extracted page, or None if the program is unavailable and gives a reason."""
    if isinstance(bridged, str):
        assert any(name in bridged for name in BRIDGED)
        return None
    return bridged.extract(source)


def test_bridged_extractors_return_an_article(bridged: Extractor | str) -> None:
    for story in ("harbour", "library", "harbour"):
        found = extract(bridged, page(story))
        assert found is None or holds_story(found.text, story)
        assert found is None or f"News of the {story}" in (found.title or "")


@pytest.mark.parametrize(
    "html",
    [
        "",
        "no markup at all",
        "<p>" + "\U0001f41f " * 40 + "</p>",
        "<div>" * 3000 + "deep",
        "<body>" + "<p>word \x00 \ud800 </p>" * 50,
        "<base href='http://['><a href='http://['>x</a><img srcset=',,,'>",
    ],
)
def test_odd_pages_do_not_kill_the_program(bridged: Extractor | str, html: str) -> None:
    programs = running_programs()
    with suppress(BridgeError):
        extract(bridged, Source(html))
    found = extract(bridged, page("library"))
    assert found is None or holds_story(found.text, "library")
    assert running_programs() == programs


def test_text_in_any_script_is_returned_intact(bridged: Extractor | str) -> None:
    sentence = "Το λιμάνι ανοίγει την άνοιξη, είπε το γραφείο. 港口将于春季开放，办公室说。 🐟"
    html = page("harbour").html
    assert isinstance(html, bytes)
    text = html.decode().replace("The harbour office said on Monday", sentence)
    found = extract(bridged, Source(text.encode()))
    assert found is None or sentence in found.text


def test_a_killed_program_is_restarted(bridged: Extractor | str) -> None:
    for program in running_programs():
        os.kill(program, signal.SIGKILL)
    while running_programs():
        time.sleep(0.01)
    found = extract(bridged, page("harbour"))
    assert found is None or holds_story(found.text, "harbour")


def test_cpu_time_and_memory_of_a_program_are_counted(bridged: Extractor | str) -> None:
    programs = running_programs()
    assert len(programs) == (0 if isinstance(bridged, str) else 1)
    for program in programs:
        before = cpu_seconds([program]) - cpu_seconds()
        for _ in range(30):
            extract(bridged, page("harbour"))
        assert cpu_seconds([program]) - cpu_seconds() > before
        assert (peak_memory([program]) or 0) > (peak_memory() or 0)


@pytest.mark.parametrize("name", BRIDGED)
def test_bridged_extractors_run_or_report_what_is_missing(name: str, tools: Path) -> None:
    jobs = [Job(page("harbour")), Job(page("school"))]
    for result in Runner(processes=2, tools=tools).run(name, jobs):
        failure, found = result.outcome.failure, result.outcome.extracted
        assert found or (failure and failure.kind == "unavailable" and name in failure.detail)


def test_bridged_extractors_are_listed_on_every_machine() -> None:
    assert set(BRIDGED) < set(extractor_names())


def test_the_error_output_of_a_failed_program_is_reported() -> None:
    command = (sys.executable, "-c", "raise SystemExit('no such thing here')")
    with pytest.raises(BridgeError, match="no such thing here"):
        bridge_to(command).ask("page")
    close_bridges()
