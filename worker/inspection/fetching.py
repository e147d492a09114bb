"""One page from the web."""

import time
from dataclasses import dataclass
from datetime import UTC, datetime

from models.limits import MAX_HTML_BYTES
from worker.inspection.errors import ExplainingError

SECONDS = 30.0
"""Time limit of a page."""

USER_AGENT = "Mozilla/5.0 (compatible; detourage)"

_BLOCK_BYTES = 64 * 1024


@dataclass(frozen=True)
class Fetched:
    """A page as it came.

    Attributes
    ----------
    url
        Its address after all redirections.
    content
        Its bytes, without content coding; its text where a file holds no more.
    content_type
        The HTTP header, None where there was none.
    fetched_at
        When it was fetched, None where that is not known.
    """

    url: str
    content: bytes | str
    content_type: str | None
    fetched_at: datetime | None = None


def fetch(url: str, *, seconds: float = SECONDS, max_bytes: int = MAX_HTML_BYTES) -> Fetched:
    """Fetch a page over http or https.

    Parameters
    ----------
    url
        Its address.
    seconds
        Time for all of it, and for every wait for the server.
    max_bytes
        Length beyond which the page is refused; no more of it is read.

    Raises
    ------
    ExplainingError
        If it cannot be had: no such server, an error status, too late or too large.
    """
    # Not needed for files, and a quarter of what one page takes.
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
                    raise ExplainingError(f"{url}: the page is larger than {max_bytes} bytes")
                if time.monotonic() > end:
                    raise ExplainingError(f"{url}: the page took longer than {seconds:g} seconds")
            header = response.headers.get("Content-Type")
            return Fetched(response.url, bytes(content), header, datetime.now(UTC))
    except requests.Timeout as error:
        raise ExplainingError(f"{url}: the server was silent for {seconds:g} seconds") from error
    except requests.HTTPError as error:
        raise ExplainingError(f"{url}: the server answered {error.response.status_code}") from error
    except (requests.RequestException, HTTPError, ValueError) as error:
        raise ExplainingError(f"{url}: cannot be fetched: {_on_one_line(error)}") from error


def _on_one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
