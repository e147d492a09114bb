"""Fetch a single page from the web."""

import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from http.client import HTTPException, IncompleteRead
from urllib.parse import urlsplit

from models.limits import MAX_HTML_BYTES
from worker.explain.input_pages import ExplainingError

SECONDS = 30.0
"""Time limit per page, in seconds."""

USER_AGENT = "Mozilla/5.0 (compatible; detourage)"

_BLOCK_BYTES = 64 * 1024


@dataclass(frozen=True)
class FetchedResponse:
    """A fetched page, given by its URL after redirects and its bytes after content decoding."""

    url: str
    content: bytes
    content_type: str | None
    fetched_at: datetime


def fetch(
    url: str, *, seconds: float = SECONDS, max_bytes: int = MAX_HTML_BYTES
) -> FetchedResponse:
    """Fetch a page over http or https; raise `ExplainingError` if this is not possible.

    The time limit applies to the whole fetch, and to each wait for the server. Reading stops when
    the page exceeds the maximum size.
    """
    # Imported here because files do not need it, and it takes a quarter of the time for one page.
    import requests
    from urllib3.exceptions import HTTPError

    end = time.monotonic() + seconds
    try:
        with requests.get(
            url, stream=True, timeout=seconds, headers={"User-Agent": USER_AGENT}
        ) as response:
            response.raise_for_status()
            content = bytearray()
            while block := response.raw.read1(_BLOCK_BYTES, decode_content=True):
                content += block
                if len(content) > max_bytes:
                    raise ExplainingError(url, f"the page is larger than {max_bytes} bytes")
                if time.monotonic() > end:
                    raise ExplainingError(url, f"the page took longer than {seconds:g} seconds")
            header = response.headers.get("Content-Type")
            return FetchedResponse(response.url, bytes(content), header, datetime.now(UTC))
    except requests.Timeout as error:
        problem = f"{_host(url)} sent no data for {seconds:g} seconds: try again later"
        raise ExplainingError(url, problem) from error
    except requests.HTTPError as error:
        raise ExplainingError(url, _status(error.response.status_code)) from error
    except requests.TooManyRedirects as error:
        raise ExplainingError(url, "the server redirects in a loop") from error
    except requests.exceptions.InvalidSchema as error:
        problem = "the server redirects to a URL that is not http or https"
        raise ExplainingError(url, problem) from error
    except requests.exceptions.ProxyError as error:
        problem = f"the proxy cannot reach {_host(url)}: check HTTP_PROXY and HTTPS_PROXY"
        raise ExplainingError(url, problem) from error
    except requests.exceptions.InvalidURL as error:
        raise ExplainingError(url, "this is not a valid URL") from error
    except (requests.RequestException, HTTPError, ValueError) as error:
        raise ExplainingError(url, _problem(url, error)) from error


def _status(code: int) -> str:
    phrase = ""
    with suppress(ValueError):
        phrase = f" ({HTTPStatus(code).phrase})"
    return f"the server responded with status {code}{phrase}"


def _problem(url: str, error: Exception) -> str:
    """Return why a page cannot be fetched, according to the causes of the libraries' errors."""
    from urllib3.exceptions import DecodeError

    host = _host(url)
    for cause in _causes(error):
        if isinstance(cause, socket.gaierror):
            return f"cannot resolve the host {host}: check its name and the network"
        if isinstance(cause, ConnectionRefusedError):
            return f"{host} refuses connections: check the URL and whether a server runs there"
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
    if isinstance(error, ValueError):
        return "this is not a valid URL"
    return f"cannot read the response of {host}: {type(error).__name__}"


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
    parts = urlsplit(url)
    return parts.netloc.rpartition("@")[2] or url
