"""Fetch a single page from the web."""

import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from http import HTTPStatus
from http.client import HTTPException, IncompleteRead
from urllib.parse import urlsplit

from detourage.explain.subject import ExplainingError, Source
from detourage.html import site_of
from detourage.limits import MAX_HTML_BYTES

USER_AGENT = "Mozilla/5.0 (compatible; detourage)"


def fetch(url: str, *, seconds: float = 30.0, max_bytes: int = MAX_HTML_BYTES) -> Source:
    """Fetch a page over http or https; raise `ExplainingError` if this is not possible.

    The time limit applies to the whole fetch, and to each wait for the server.
    """
    # Imported here because pages from files do not need it, and the import takes a quarter of the
    # time spent on a single page.
    import requests
    from urllib3.exceptions import HTTPError

    end = time.monotonic() + seconds
    try:
        with requests.get(
            url, stream=True, timeout=seconds, headers={"User-Agent": USER_AGENT}
        ) as response:
            response.raise_for_status()
            content = bytearray()
            while block := response.raw.read1(64 * 1024, decode_content=True):
                content += block
                if len(content) > max_bytes:
                    raise ExplainingError(url, f"the page is larger than {max_bytes} bytes")
                if time.monotonic() > end:
                    raise ExplainingError(url, f"the page took longer than {seconds:g} seconds")
            header, final = response.headers.get("Content-Type"), response.url
            return Source(url, final, bytes(content), header, datetime.now(UTC), site_of(final))
    except requests.Timeout as error:
        problem = f"{_host(url)} sent no data for {seconds:g} seconds: try again later"
        raise ExplainingError(url, problem) from error
    except (requests.RequestException, HTTPError, ValueError) as error:
        raise ExplainingError(url, _problem(url, error)) from error


def _problem(url: str, error: Exception) -> str:
    import requests

    if isinstance(error, requests.HTTPError):
        return _status(error.response.status_code)
    if isinstance(error, requests.TooManyRedirects):
        return "the server redirects in a loop"
    if isinstance(error, requests.exceptions.InvalidSchema):
        return "the server redirects to a URL that is not http or https"
    if isinstance(error, requests.exceptions.ProxyError):
        return f"the proxy cannot reach {_host(url)}: check HTTP_PROXY and HTTPS_PROXY"
    if isinstance(error, requests.exceptions.InvalidURL):
        return "this is not a valid URL"
    for cause in _causes(error):
        if problem := _network_problem(_host(url), cause):
            return problem
    if isinstance(error, ValueError):
        return "this is not a valid URL"
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
        return f"{host} refuses connections: check the URL, and that a server is running there"
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"the certificate of {host} is not trusted: {cause.verify_message}"
    if isinstance(cause, ssl.SSLError):
        return f"no encrypted connection with {host}: {cause.reason or cause}"
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
    """Yield an error and its causes, which the libraries store in several places."""
    waiting, seen = [error], set()
    while waiting:
        cause = waiting.pop(0)
        if id(cause) in seen:
            continue
        seen.add(id(cause))
        yield cause
        below = (*cause.args, getattr(cause, "reason", None), cause.__cause__, cause.__context__)
        waiting += [each for each in below if isinstance(each, BaseException)]


def _host(url: str) -> str:
    return urlsplit(url).netloc.rpartition("@")[2] or url
