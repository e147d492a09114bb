"""The process that drives a browser over one page, with Playwright.

Run as ``python -m worker.rendering.program REQUEST RESULT`` by `worker.rendering.browser`, which
ends it. The result is moved into its place when it is whole.
"""

import json
import sys
import time
from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import Any
from urllib.parse import urldefrag

from playwright.sync_api import Error, Page, Route, sync_playwright
from playwright.sync_api import TimeoutError as Overdue

SETTLED_LOOKS = 3
"""Looks at a page that find the same text before it counts as done."""

LOOK_MILLISECONDS = 200
"""Time between two of them."""

MAX_LOAD_SHARE = 0.4
"""Share of a page's time that is spent waiting for all that it loads."""

MAX_SETTLE_SHARE = 0.3
"""Share of a page's time that is spent waiting for a text that goes on changing."""

NOWHERE = "http://127.0.0.1:9"
"""A proxy that does not exist: what passes by the interception of requests ends there."""

_CONTENT = """() => {
    const roots = [];
    const collect = (root) => root.querySelectorAll('*').forEach((element) => {
        if (element.shadowRoot) { roots.push(element.shadowRoot); collect(element.shadowRoot); }
    });
    collect(document);
    const html = document.documentElement;
    const shell = html.cloneNode(false).outerHTML.replace(/<\\/html>$/, '');
    return '<!DOCTYPE html>' + shell + html.getHTML({ shadowRoots: roots }) + '</html>';
}"""

_LENGTH = "() => document.documentElement.textContent.length"


def main(request_file: Path, result_file: Path) -> None:
    """Render the page of a request."""
    request: dict[str, Any] = json.loads(request_file.read_text(encoding="utf-8"))
    limited = _limited(request, request_file.with_name("browser"))
    html = _render(request, limited)
    draft = result_file.with_suffix(".draft")
    draft.write_text(html, encoding="utf-8", errors="replace")
    draft.replace(result_file)


def _limited(request: dict[str, Any], script: Path) -> Path:
    """Write a program that runs the browser, and not what drives it, within its memory.

    Address space cannot be limited: engines reserve far more of it than they ever fill.
    """
    limits = f"ulimit -c 0 && ulimit -d {request['memory'] // 1024}"
    script.write_text(f'#!/bin/sh\n{limits} && exec {quote(request["executable"])} "$@"\n')
    script.chmod(0o700)
    return script


def _render(request: dict[str, Any], executable: Path) -> str:
    arguments = ["--disable-gpu", "--force-webrtc-ip-handling-policy=disable_non_proxied_udp"]
    proxy = None if request["has_network"] else {"server": NOWHERE, "bypass": "<-loopback>"}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=executable,
            chromium_sandbox=request["is_sandboxed"],
            args=arguments,
            proxy=proxy,
            timeout=request["milliseconds"],
        )
        context = browser.new_context(service_workers="block", accept_downloads=False)
        page = context.new_page()
        context.on("page", lambda opened: opened.close())
        _serve(page, request)
        page.goto(request["url"], timeout=request["milliseconds"], wait_until="commit")
        with suppress(Overdue):
            # A page that is told to go elsewhere while it loads is never done.
            page.wait_for_load_state("load", timeout=MAX_LOAD_SHARE * request["milliseconds"])
        _settle(page, request["milliseconds"])
        html: str = page.evaluate(_CONTENT)
        browser.close()
        return html


def _serve(page: Page, request: dict[str, Any]) -> None:
    """Answer the page's own request with its HTML, and others as the network allows."""
    address = urldefrag(request["url"]).url
    served = False

    def answer(route: Route) -> None:
        nonlocal served
        asked = route.request
        if not served and asked.is_navigation_request() and urldefrag(asked.url).url == address:
            served = True
            route.fulfill(body=request["html"], content_type="text/html; charset=utf-8")
        elif asked.is_navigation_request():
            # No content: the page stays where it is.
            route.fulfill(status=204)
        elif request["has_network"]:
            route.continue_()
        else:
            route.abort()

    page.route("**/*", answer)


def _settle(page: Page, milliseconds: float) -> None:
    """Wait until the page's text no longer changes, or for a share of its time."""
    end = time.monotonic() + MAX_SETTLE_SHARE * milliseconds / 1000
    length, same = -1, 0
    while same < SETTLED_LOOKS and time.monotonic() < end:
        found = page.evaluate(_LENGTH)
        same = same + 1 if found == length else 0
        length = found
        page.wait_for_timeout(LOOK_MILLISECONDS)


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]), Path(sys.argv[2]))
    except Error as error:
        # The rest of such a message is what the browser printed.
        sys.exit(error.message.splitlines()[0])
