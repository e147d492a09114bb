"""Fetch single pages from the web, with limits on time and size, and obeying robots.txt."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from http.client import HTTPException, IncompleteRead
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit
from urllib.robotparser import RobotFileParser

from detourage.expected_errors import ExpectedError
from detourage.limits import MAX_HTML_BYTES
from detourage.pages import Page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from requests import Response

USER_AGENT = "Mozilla/5.0 (compatible; detourage)"
ROBOTS_USER_AGENT = "detourage"
"""User agent whose rules in robots.txt are obeyed."""

MAX_REDIRECTS = 10  # maximum number of redirects from a URL to its page

MAX_ROBOTS_BYTES = 500 * 1024
"""Number of bytes of robots.txt that are parsed: the lowest limit that RFC 9309 allows."""

MAX_ORIGINS = 1_000  # maximum number of origins whose robots.txt is cached

_DAY_SECONDS = 86_400
_BLOCK_BYTES = 64 * 1024

_robots_cache: dict[tuple[str, int], RobotFileParser] = {}  # by origin and day


class FetchError(ExpectedError):
    """A page cannot or must not be fetched; the message contains the URL and the reason."""

    def __init__(self, url: str, problem: str) -> None:
        # `problem` may contain line breaks sent by a server, but messages must be a single line.
        self.url, self.problem = url, " ".join(problem.split())
        super().__init__(f"{url}: {self.problem}")


def fetch(
    url: str, *, seconds: float = 30.0, max_bytes: int = MAX_HTML_BYTES, obey_robots: bool = True
) -> Page:
    """Fetch a page, for `extract` and `read`.

    Parameters
    ----------
    url
        An HTTP or HTTPS URL. At most ten redirects are followed.
    seconds
        Time limit for the whole fetch, including redirects and robots.txt.
    max_bytes
        Maximum size of the page after decompression.
    obey_robots
        Whether to obey robots.txt, including that of redirect targets, as the user agent
        ``detourage``.

    Returns
    -------
    Page
        The page with its final URL, the Content-Type header and the time of the fetch.

    Raises
    ------
    FetchError
        If the page cannot be fetched, exceeds a limit, or robots.txt disallows it.
    """
    attempt = _Attempt(url, time.monotonic() + seconds)
    page: Future[Page] = Future()

    def fetch_page() -> None:
        try:
            page.set_result(_fetched(attempt, max_bytes, obey_robots=obey_robots))
        except BaseException as error:  # noqa: BLE001  The calling thread raises it.
            page.set_exception(error)

    # Fetch in a thread, because socket timeouts limit only single reads, and DNS has no timeout.
    threading.Thread(target=fetch_page, name="fetch", daemon=True).start()
    try:
        return page.result(seconds)
    except TimeoutError as error:
        problem = f"the page was not fetched within {seconds:g} seconds: try again later"
        raise FetchError(url, problem) from error
    finally:
        for each in attempt.sockets:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)


@dataclass(frozen=True)
class _Attempt:
    """The URL of a fetch, its deadline (`end`), and the sockets to shut down when it ends."""

    url: str
    end: float
    sockets: list[socket.socket] = field(default_factory=list)

    def check(self) -> None:
        if time.monotonic() > self.end:
            raise TimeoutError


def _fetched(attempt: _Attempt, max_bytes: int, *, obey_robots: bool) -> Page:
    import requests
    from urllib3.exceptions import HTTPError

    url = attempt.url

    def check(target: str) -> None:
        rules = _robots_rules(attempt, urljoin(target, "/"))
        if not rules.can_fetch(ROBOTS_USER_AGENT, target):
            raise FetchError(url, f"robots.txt of {_host(target)} disallows this page")

    try:
        with _open_url(url, attempt, check if obey_robots else None) as response:
            response.raise_for_status()
            content = _content(response, max_bytes)
            if len(content) > max_bytes:
                raise FetchError(url, f"the page is larger than {max_bytes} bytes")
            header = response.headers.get("Content-Type")
            return Page(content, response.url, header, datetime.now(UTC))
    except (requests.RequestException, HTTPError, ValueError) as error:
        raise FetchError(url, _problem(url, error)) from error


def _robots_rules(attempt: _Attempt, origin: str) -> RobotFileParser:
    """Return the robots.txt rules of an origin, fetched once a day; none if it has no such file."""
    key = origin, int(time.time() // _DAY_SECONDS)  # RFC 9309 limits caching to 24 hours
    if (rules := _robots_cache.get(key)) is None:
        with _open_url(f"{origin}robots.txt", attempt) as response:
            if response.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
                raise FetchError(response.url, _status(response.status_code))
            content = _content(response, MAX_ROBOTS_BYTES) if response.ok else b""
        attempt.check()  # Do not cache content truncated by the shutdown at the deadline.
        rules = RobotFileParser()
        rules.parse(content[:MAX_ROBOTS_BYTES].decode("utf-8-sig", "replace").splitlines())
        if len(_robots_cache) >= MAX_ORIGINS:
            _robots_cache.clear()
        _robots_cache[key] = rules
    return rules


@contextmanager
def _open_url(
    url: str, attempt: _Attempt, check: Callable[[str], None] | None = None
) -> Iterator[Response]:
    """Open a URL and follow redirects; call `check` with each URL before it is opened."""
    # Imported here because pages from files do not need it, and the import takes a quarter of the
    # time needed for a single page.
    import requests
    from requests.adapters import HTTPAdapter
    from urllib3.connection import HTTPConnection

    class Unredirected(requests.Session):
        """A session that follows no redirects: requests would read their bodies without limit."""

        def get_redirect_target(self, resp: Response) -> None:
            del resp

    class Registered(HTTPConnection):
        def connect(self) -> None:
            super().connect()
            attempt.sockets.append(self.sock)
            attempt.check()

    class Adapter(HTTPAdapter):
        def get_connection_with_tls_context(self, *args: Any, **options: Any) -> Any:
            pool: Any = super().get_connection_with_tls_context(*args, **options)
            if not issubclass(pool.ConnectionCls, Registered):
                pool.ConnectionCls = type("Both", (Registered, pool.ConnectionCls), {})
            return pool

    with Unredirected() as session:
        session.headers["User-Agent"] = USER_AGENT
        for scheme in ("http://", "https://"):
            session.mount(scheme, Adapter())
        for _ in range(MAX_REDIRECTS + 1):
            if urlsplit(url).scheme.lower() not in ("http", "https"):
                raise requests.exceptions.InvalidSchema
            if not urlsplit(url).hostname:
                raise requests.exceptions.InvalidURL
            if check is not None:
                check(url)
            timeout = 1 + max(0.0, attempt.end - time.monotonic())  # longer than the caller waits
            with session.get(url, stream=True, timeout=timeout) as response:
                if not response.is_redirect:
                    yield response
                    return
                # HTTP headers are decoded as Latin-1, but servers send UTF-8.
                target = response.headers["Location"].encode("latin-1").decode(errors="replace")
                url = urljoin(response.url, target)
        raise requests.TooManyRedirects


def _content(response: Response, limit: int) -> bytes:
    """Return the decompressed content; stop reading once it exceeds the limit."""
    content = bytearray()
    while block := response.raw.read1(_BLOCK_BYTES, decode_content=True):
        content += block
        if len(content) > limit:
            break
    return bytes(content)


def _problem(url: str, error: Exception) -> str:
    import requests

    if isinstance(error, requests.HTTPError):
        return _status(error.response.status_code)
    if isinstance(error, requests.TooManyRedirects):
        return f"the server redirects more than {MAX_REDIRECTS} times"
    if isinstance(error, requests.exceptions.InvalidSchema):
        if urlsplit(url).scheme.lower() not in ("http", "https"):
            return "only http and https URLs are supported"
        return "the server redirects to a URL that is not http or https"
    if isinstance(error, requests.exceptions.ProxyError):
        return f"the proxy cannot reach {_host(url)}: check HTTP_PROXY and HTTPS_PROXY"
    if isinstance(error, ValueError):
        return "this is not a valid URL"
    for cause in _causes(error):
        if problem := _network_problem(_host(url), cause):
            return problem
    return f"cannot read the response of {_host(url)}: {type(error).__name__}"


def _status(code: int) -> str:
    phrase = ""
    with suppress(ValueError):
        phrase = f" ({HTTPStatus(code).phrase})"
    return f"the server responded with status {code}{phrase}"


def _network_problem(host: str, cause: BaseException) -> str | None:
    from urllib3.exceptions import DecodeError

    if isinstance(cause, socket.gaierror):
        return f"cannot resolve the host {host}: check its name and the network"
    if isinstance(cause, ConnectionRefusedError):
        return f"{host} refuses connections: check the URL, and whether a server is running there"
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"the certificate of {host} is not trusted: {cause.verify_message}"
    if isinstance(cause, ssl.SSLError):
        return f"the TLS connection with {host} failed: {cause.reason or cause}"
    if isinstance(cause, (ConnectionError, IncompleteRead)):
        return f"{host} closed the connection: try again later"
    if isinstance(cause, HTTPException):
        return f"{host} did not send a valid HTTP response"
    if isinstance(cause, DecodeError):
        return f"{host} sent damaged data that cannot be decompressed"
    if type(cause) is OSError and cause.strerror:
        return f"{host} cannot be reached: {cause.strerror}"
    return None


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and its causes, which libraries store in different attributes."""
    waiting, seen_ids = [error], set()
    while waiting:
        cause = waiting.pop(0)
        if id(cause) in seen_ids:
            continue
        seen_ids.add(id(cause))
        yield cause
        deeper = (*cause.args, getattr(cause, "reason", None), cause.__cause__, cause.__context__)
        waiting += [each for each in deeper if isinstance(each, BaseException)]


def _host(url: str) -> str:
    """Return the host and port of a URL, without user name and password."""
    return urlsplit(url).netloc.rpartition("@")[2] or url
