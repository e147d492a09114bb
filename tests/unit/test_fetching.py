import gzip
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

import detourage
from detourage import FetchError, fetch
from tests.certificates import Authority
from tests.commands import invoke
from tests.pages import article_html

REDIRECTS = {
    "/moved": "/page",
    "/file": "file:///etc/hostname",
    "/circle": "/circle",
    "/moved/elsewhere": "/private/page",
    "/moved/slowly": "/trickled/headers",
}
"""Targets of redirects, by path."""
CONTENTS = {
    "/page": gzip.compress(b"<p>A page.</p>"),
    "/bomb": gzip.compress(b"\0" * 200_000),
    "/damaged": b"no gzip at all",
}
"""Response bodies, which are declared to be compressed, by path."""


TRICKLES = {
    "/trickled/status": b"HT",
    "/trickled/headers": b"HTTP/1.0 200 OK\r\nServer: ",
    "/trickled/body": b"HTTP/1.0 200 OK\r\n\r\n",
    "/trickled/redirect": b"HTTP/1.0 301 Moved\r\nLocation: /",
}
"""Beginnings of responses whose remainder arrives byte by byte, by path."""


class _Server(ThreadingHTTPServer):
    robots: bytes | None = None


class _Handler(BaseHTTPRequestHandler):
    released = threading.Event()
    asked: ClassVar[list[tuple[str, float]]] = []  # paths, with their times
    server: "_Server"

    def do_GET(self) -> None:
        self.asked.append((self.path, time.monotonic()))
        if self.path == "/robots.txt" and self.server.robots == b"trickled":
            self._trickle(TRICKLES["/trickled/body"])
        elif self.path == "/robots.txt" and self.server.robots is not None:
            self._send(gzip.compress(self.server.robots), "gzip")
        elif self.path == "/story":
            page = article_html(1).replace("Bridge", "Br\xfcgge").encode("cp1252")
            self._send(gzip.compress(page), "gzip", "text/html; charset=windows-1252")
        elif self.path in REDIRECTS:
            self.send_response(301)
            self.send_header("Location", REDIRECTS[self.path])
            self.end_headers()
        elif self.path in CONTENTS:
            self._send(CONTENTS[self.path], "gzip")
        elif self.path == "/silent":
            self.released.wait(30)
        elif self.path in TRICKLES:
            self._trickle(TRICKLES[self.path])
        elif self.path == "/broken":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
        else:
            self.send_error(404)

    def _trickle(self, start: bytes) -> None:
        """Send a response that never ends, one byte at a time, until the client leaves."""
        with suppress(ConnectionError):
            self.wfile.write(start)
            while not self.released.wait(0.02):
                self.wfile.write(b"x")

    def _send(self, content: bytes, coding: str, kind: str = "text/html; charset=utf-8") -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Encoding", coding)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@contextmanager
def serving(context: ssl.SSLContext | None = None, robots: bytes | None = None) -> Iterator[str]:
    """Run a web server, optionally with TLS and a robots.txt; yield its host and port."""
    _Handler.released.clear()
    with _Server(("127.0.0.1", 0), _Handler) as server:
        server.robots = robots
        if context is not None:
            server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield f"127.0.0.1:{server.server_port}"
        _Handler.released.set()
        server.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def _without_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def server() -> Iterator[str]:
    with serving() as address:
        yield f"http://{address}"


def test_a_page_is_decoded_and_read_with_its_final_url_and_declared_encoding(server: str) -> None:
    fetched = fetch(f"{server}/moved")
    assert fetched.html == b"<p>A page.</p>"
    assert fetched.url == f"{server}/page"
    assert fetched.content_type == "text/html; charset=utf-8"
    article = detourage.extract(fetch(f"{server}/story"))
    assert article is not None
    assert (article.url, article.title) == (f"{server}/story", "Br\xfcgge story number 1")


@pytest.mark.parametrize(
    ("path", "is_fetched"),
    [("/page", True), ("/private/page", False), ("/moved/elsewhere", False), ("/moved", True)],
)
def test_robots_txt_is_obeyed_after_redirects_too(path: str, is_fetched: bool) -> None:
    rules = b"User-agent: detourage\nDisallow: /private/\n\nUser-agent: *\nDisallow: /\n"
    with serving(robots=rules) as address:
        if is_fetched:
            assert fetch(f"http://{address}{path}").html == b"<p>A page.</p>"
        else:
            with pytest.raises(FetchError, match=f"robots.txt of {address} disallows this page"):
                fetch(f"http://{address}{path}")
            with pytest.raises(FetchError, match=r"status 404"):
                fetch(f"http://{address}{path}", obey_robots=False)


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("/missing", r"the server responded with status 404 \(Not Found\)"),
        ("/bomb", "the page is larger than 100000 bytes"),
        ("/damaged", "sent damaged data"),
        ("/file", "redirects to a URL that is not http or https"),
        ("/broken", "closed the connection: try again later"),
        ("/circle", "the server redirects more than 10 times"),
    ],
)
def test_unavailable_pages_are_reported(server: str, path: str, problem: str) -> None:
    with pytest.raises(FetchError, match=problem):
        fetch(f"{server}{path}", max_bytes=100_000)


def test_a_silent_server_and_one_without_encryption_are_reported(server: str) -> None:
    with pytest.raises(FetchError, match=r"the page was not fetched within 0.2 seconds"):
        fetch(f"{server}/silent", seconds=0.2)
    with pytest.raises(FetchError, match=r"the TLS connection with 127.0.0.1:\d+ failed"):
        fetch(server.replace("http:", "https:"))


@pytest.mark.parametrize("encrypted", [False, True])
@pytest.mark.parametrize("path", [*TRICKLES, "/moved/slowly"])
def test_a_response_that_arrives_byte_by_byte_is_abandoned_in_time(
    path: str, encrypted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = None
    if encrypted:
        authority = Authority(tmp_path, "somebody")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*authority.issue_certificate("localhost"))
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(authority.file))
        monkeypatch.setenv("NO_PROXY", "localhost")
    with serving(context) as address:
        server = f"http://{address}"
        if encrypted:
            server = server.replace("http://127.0.0.1", "https://localhost")
        _assert_given_up(f"{server}{path}", 0.3)


def test_a_robots_txt_that_arrives_byte_by_byte_is_not_cached() -> None:
    with serving(robots=b"trickled") as address:
        for _ in range(2):
            _assert_given_up(f"http://{address}/page", 0.3)


def _assert_given_up(url: str, seconds: float) -> None:
    """Assert that a fetch ends in time, names the limit, and leaves no connection open."""
    started = time.monotonic()
    with pytest.raises(FetchError, match=f"{url}: the page was not fetched within {seconds:g} sec"):
        fetch(url, seconds=seconds)
    assert time.monotonic() - started < seconds + 1
    while "fetch" in {thread.name for thread in threading.enumerate()}:
        assert time.monotonic() - started < 5, "the thread of the fetch has not ended"
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("http://127.0.0.1:9/", "127.0.0.1:9 refuses connections: check the URL"),
        ("http://nowhere.invalid/", "cannot resolve the host nowhere.invalid"),
        ("http://", "this is not a valid URL"),
        ("http://[::1", "this is not a valid URL"),
        *(
            (url, "only http and https URLs are supported")
            for url in ("ftp://a.example/", "file:///etc/hostname", "a.example")
        ),
    ],
)
def test_a_url_without_a_server_is_reported_in_plain_words(
    url: str, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "*")
    with pytest.raises(FetchError) as caught:
        fetch(url)
    error = str(caught.value)
    assert error.startswith(f"{url}: {problem}")
    assert not {"urllib3", "object at", "Errno", "HTTPConnectionPool"} & set(error.split())
    assert "\n" not in error


def test_an_unreachable_proxy_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    with pytest.raises(FetchError, match=r"the proxy cannot reach nowhere.invalid"):
        fetch("http://nowhere.invalid/")


def test_an_untrusted_certificate_is_reported(tmp_path: Path) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*Authority(tmp_path, "nobody").issue_certificate("localhost"))
    with (
        serving(context) as address,
        pytest.raises(FetchError, match=r"the certificate of .* is not trusted: "),
    ):
        fetch(f"https://{address}/page")


def test_the_pages_of_a_host_are_fetched_a_second_apart(server: str, tmp_path: Path) -> None:
    urls = tmp_path / "urls.txt"
    urls.write_text(f"{server}/story\n{server}/page\n")
    _Handler.asked.clear()
    # Two processes start in more than a second, after which both could fetch at once.
    assert invoke("extract", str(urls), "--processes", "2", code=1).stderr.count("no-text") == 1
    times = dict(_Handler.asked)
    assert times["/page"] - times["/story"] >= 1
