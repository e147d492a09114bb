"""Pages designed to crash, hang or exhaust a parser, parsed in a separate process."""

import json
import subprocess
import sys

import pytest

PROGRAM = """
import json
import sys

from tests.trees import format_brackets
from detourage.html import PageError, confined_parsing, parse_page
from detourage.html.visible_text import visible_text

confined_parsing.PARSING_SECONDS = int(sys.argv[3]) or confined_parsing.PARSING_SECONDS
MEBIBYTE = 1024 * 1024
XHTML = b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body>'
ENTITIES = b"".join(
    b'<!ENTITY e%d "%s">' % (level, b"&e%d;" % (level - 1) * 10) for level in range(1, 20)
)
FORMATTING = b"".join(b"<font size=%d>" % number for number in range(1_000))
BOMB = (
    b'<!DOCTYPE html [<!ENTITY e0 "%s">' + ENTITIES + b']>'
    b'<html xmlns="http://www.w3.org/1999/xhtml"><body title="&e19;"><p>a &e19;</p></body></html>'
)


def outcome(html):
    try:
        page = parse_page(html, content_type=sys.argv[2] or None)
    except PageError as error:
        return error.outcome
    # Other packages must be able to process the document safely.
    visible_text(page.document)
    page.document.xpath("string()")
    page.document.text_content()
    format_brackets(page.tree)
    return "page"


for expression in json.loads(sys.argv[1]):
    print(outcome(eval(expression)), flush=True)
# The figure from getrusage includes the process that started this one.
with open("/proc/self/status") as status:
    print(int(status.read().partition("VmHWM:")[2].split()[0]) // 1024)
"""

TIMEOUT_SECONDS = 300  # the process normally takes five seconds
MAX_MEBIBYTES = 1024  # without pages, the process takes less than 100 MiB

HOSTILE_PAGES = {
    "b'<div>' * 100_000 + b'a' + b'</div>' * 100_000": "too-deep",
    "b'<div>' * 490_000": "too-deep",
    "b'<table><tr><td>' * 100_000 + b'a'": "too-deep",
    "b'<b>a' * 2_000 + b'</i>' * 100_000": "too-deep",
    "XHTML + b'<div>' * 100_000 + b'a' + b'</div>' * 100_000 + b'</body></html>'": "too-deep",
    "b'<frameset><noframes>' + b'a ' * 100 + b'<div>' * 100_000": "frameset",
    "b'<ul><li>' * 100_000": "too-deep",
    "b'<p>' + FORMATTING + b'</p><p>a' * 3_000": "too-large",
    "b'<p>a' + b'<noscript>b</noscript>' * 45_000": "page",
    "b'<p>a' + b'<a:b c:d=e>' * 400": "page",
    "b'<p>a</p>' * 1_000_000": "too-large",
    "b'a<br>' * 200_000": "too-large",
    "b'<a ' * 2_500_000": "too-large",
    "b'<' * 10 * MEBIBYTE": "empty",
    "b'<p>' + b'a' * (10 * MEBIBYTE - 3)": "page",
    "'<p>' + '\\U0001f600' * (10 * MEBIBYTE - 3)": "page",
    "'<p>' + '\\ud800' * MEBIBYTE": "page",
    "b'<p title=\"' + b'a' * (10 * MEBIBYTE - 20) + b'\">b</p>'": "page",
    "b'<p>a<!--' + b'b' * (10 * MEBIBYTE - 20)": "page",
    "b'<p>' + b'&amp;' * 2_000_000": "page",
    "b'<p>a' + b'<i \"' * 490_000": "page",
    "b'<p>a</p>' * 100 + bytes(10)": "page",
    "b'<p>a' + bytes(10 * MEBIBYTE - 4)": "undecodable",
    "b'<!--' * 2_600_000": "empty",
    "b'\\xe9<meta ' + b'a' * (10 * MEBIBYTE - 7)": "page",
    "b'<p>\\xe9' + b'<script' * 400_000": "page",
}
"""Expected outcomes of pages, by the Python expression that builds the page."""

SLOW_PAGES = [
    "b'<p><svg><style>' + b'<div>' * 100_000",
    "b'<p>a' + b''.join(b'<body a%d=1>' % n for n in range(60_000))",
    "b'<p ' + b' '.join(b'a%d=1' % n for n in range(100_000)) + b'>a</p>'",
]
"""Pages that take about ten seconds to parse, and are not parsed to the end."""

ENTITY_BOMBS = [
    f"{prefix!r} + BOMB % {entity!r}"
    for prefix in (b"", b'<?xml version="1.0"?>', b"<?a >?>")
    for entity in (b"aaaaaaaaaa", b"a]>", b"a]&gt;")
]


@pytest.mark.parametrize(
    ("expected", "content_type", "seconds"),
    [
        (HOSTILE_PAGES, "", 0),
        (dict.fromkeys(SLOW_PAGES, "too-large"), "", 1),
        (dict.fromkeys(ENTITY_BOMBS, "page"), "", 0),
        (dict.fromkeys(ENTITY_BOMBS, "page"), "application/xhtml+xml", 0),
    ],
    ids=["hostile pages", "limited time", "entities", "entities of XHTML"],
)
def test_hostile_pages_have_an_outcome(
    expected: dict[str, str], content_type: str, seconds: int
) -> None:
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps([*expected]), content_type, str(seconds)],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    *found, mebibytes = result.stdout.split() or [""]
    assert result.returncode == 0, ([*expected][len(found)], result.stderr[-2000:])
    assert int(mebibytes) < MAX_MEBIBYTES
    assert dict(zip(expected, found, strict=True)) == expected
