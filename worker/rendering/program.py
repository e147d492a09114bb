"""The program that renders a page with Playwright, which `worker.rendering.browser` runs."""

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

MAX_LOAD_SHARE = 0.4  # share of a page's time limit spent waiting for its resources
MAX_SETTLE_SHARE = 0.3  # share of a page's time limit spent waiting for its text to settle

DEAD_PROXY = "http://127.0.0.1:9"
"""A proxy that does not exist, so that requests that bypass interception fail."""

_SERIALISE_PAGE = """() => {
    const roots = [];
    const collect = (root) => root.querySelectorAll('*').forEach((element) => {
        if (element.shadowRoot) { roots.push(element.shadowRoot); collect(element.shadowRoot); }
    });
    collect(document);
    const html = document.documentElement;
    const shell = html.cloneNode(false).outerHTML.replace(/<\\/html>$/, '');
    return '<!DOCTYPE html>' + shell + html.getHTML({ shadowRoots: roots }) + '</html>';
}"""
"""JavaScript function that returns the HTML of a page, including its shadow roots."""


def main(request_file: Path, result_file: Path) -> None:
    """Render the page described by a request file."""
    request: dict[str, Any] = json.loads(request_file.read_text(encoding="utf-8"))
    # The memory limit is for the browser, not for its driver, so a script sets it.
    script = request_file.with_name("browser")
    limits = f"ulimit -c 0 && ulimit -d {request['memory'] // 1024}"
    script.write_text(f'#!/bin/sh\n{limits} && exec {quote(request["executable"])} "$@"\n')
    script.chmod(0o700)
    draft = result_file.with_suffix(".draft")
    draft.write_text(_render(request, script), encoding="utf-8", errors="replace")
    draft.replace(result_file)


def _render(request: dict[str, Any], executable: Path) -> str:
    arguments = ["--disable-gpu", "--force-webrtc-ip-handling-policy=disable_non_proxied_udp"]
    proxy = None if request["has_network"] else {"server": DEAD_PROXY, "bypass": "<-loopback>"}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=executable,
            chromium_sandbox=True,
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
            # A page may never finish loading, for example if it keeps navigating.
            page.wait_for_load_state("load", timeout=MAX_LOAD_SHARE * request["milliseconds"])
        _settle(page, request["milliseconds"])
        html: str = page.evaluate(_SERIALISE_PAGE)
        browser.close()
        return html


def _serve(page: Page, request: dict[str, Any]) -> None:
    """Serve the page's HTML for its own URL; block navigation and, if so set, the network."""
    address = urldefrag(request["url"]).url
    served = False

    def respond(route: Route) -> None:
        nonlocal served
        url, is_navigation = route.request.url, route.request.is_navigation_request()
        if not served and is_navigation and urldefrag(url).url == address:
            served = True
            route.fulfill(body=request["html"], content_type="text/html; charset=utf-8")
        elif is_navigation:
            # Status 204 (no content) keeps the page from navigating.
            route.fulfill(status=204)
        elif request["has_network"]:
            route.continue_()
        else:
            route.abort()

    page.route("**/*", respond)


def _settle(page: Page, milliseconds: float) -> None:
    """Wait until three successive checks find the text's length unchanged, or time is up."""
    end = time.monotonic() + MAX_SETTLE_SHARE * milliseconds / 1000
    previous_length, unchanged_checks = -1, 0
    while unchanged_checks < 3 and time.monotonic() < end:
        length = page.evaluate("() => document.documentElement.textContent.length")
        unchanged_checks = unchanged_checks + 1 if length == previous_length else 0
        previous_length = length
        page.wait_for_timeout(200)


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]), Path(sys.argv[2]))
    except Error as error:
        # The remaining lines of the message are browser output.
        sys.exit(error.message.splitlines()[0])
