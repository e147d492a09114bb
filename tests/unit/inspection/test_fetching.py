"""Pages fetched from a server on this machine."""

import gzip
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from worker.inspection.errors import ExplainingError
from worker.inspection.fetching import fetch


class _Pages(BaseHTTPRequestHandler):
    released = threading.Event()

    def do_GET(self) -> None:
        if self.path == "/moved":
            self.send_response(301)
            self.send_header("Location", "/page")
            self.end_headers()
        elif self.path == "/file":
            self.send_response(302)
            self.send_header("Location", "file:///etc/hostname")
            self.end_headers()
        elif self.path == "/page":
            self._send(gzip.compress(b"<p>A page.</p>"), "gzip")
        elif self.path == "/bomb":
            self._send(gzip.compress(b"\0" * 200_000), "gzip")
        elif self.path == "/damaged":
            self._send(b"no gzip at all", "gzip")
        elif self.path == "/silent":
            self.released.wait(30)
        else:
            self.send_error(404)

    def _send(self, content: bytes, coding: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Encoding", coding)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    _Pages.released.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), _Pages) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        _Pages.released.set()
        running.shutdown()
        thread.join()


def test_a_page_comes_decoded_and_under_its_last_address(server: str) -> None:
    fetched = fetch(f"{server}/moved")
    assert fetched.content == b"<p>A page.</p>"
    assert fetched.url == f"{server}/page"
    assert fetched.content_type == "text/html; charset=utf-8"


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("/missing", "the server answered 404"),
        ("/bomb", "the page is larger than 100000 bytes"),
        ("/damaged", "cannot be fetched"),
        ("/file", "cannot be fetched"),
    ],
)
def test_what_cannot_be_had_is_told(server: str, path: str, problem: str) -> None:
    with pytest.raises(ExplainingError, match=problem):
        fetch(f"{server}{path}", max_bytes=100_000)


def test_a_silent_server_is_not_waited_for(server: str) -> None:
    with pytest.raises(ExplainingError, match="the server was silent"):
        fetch(f"{server}/silent", seconds=0.2)


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/", "http://", "http://[::1"])
def test_an_address_without_a_server_is_told(url: str) -> None:
    with pytest.raises(ExplainingError, match="cannot be fetched"):
        fetch(url)
