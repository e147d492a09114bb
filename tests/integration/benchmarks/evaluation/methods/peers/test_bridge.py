"""Extractors in other languages; those that this machine cannot run report the reason."""

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from benchmarks.evaluation.methods import Source, UnavailableError, get_extractor
from benchmarks.evaluation.methods.peers.bridge import (
    BridgeError,
    bridge_to,
    close_bridges,
    running_programs,
)
from tests.unit.benchmarks.evaluation.methods.gull import contains_story, page

BRIDGED = ["boilerpipe_java", "readability_js"]
ANY_SCRIPT = "Το λιμάνι ανοίγει την άνοιξη, είπε το γραφείο. 港口将于春季开放，办公室说。 🐟"


@pytest.mark.parametrize("name", BRIDGED)
def test_bridged_extractors_read_pages_or_report_what_is_missing(name: str, tmp_path: Path) -> None:
    missing = ""
    try:
        extractor = get_extractor(name, tools=tmp_path)
        extractor.prepare()
    except UnavailableError as error:
        missing = str(error)
    if missing:
        assert name in missing
        return
    for html in ("", "<div>" * 3000 + "deep", "<body>" + "<p>word \x00 \ud800 </p>" * 50):
        try:
            extractor.extract(Source(html))
        except BridgeError:
            continue
    for program in running_programs():
        os.kill(program, signal.SIGKILL)
    while running_programs():
        time.sleep(0.01)
    # A killed program is started again.
    harbour = page("harbour")
    assert contains_story(extractor.extract(harbour).text, "harbour")
    assert isinstance(harbour.html, bytes)
    text = harbour.html.decode().replace("The harbour office said on Monday", ANY_SCRIPT)
    assert ANY_SCRIPT in extractor.extract(Source(text.encode())).text
    close_bridges()


def test_the_error_output_of_a_failed_program_is_reported() -> None:
    command = (sys.executable, "-c", "raise SystemExit('no such thing here')")
    with pytest.raises(BridgeError, match="no such thing here"):
        bridge_to(command).ask("page")
    close_bridges()
