"""Page messages from HTML files."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from detourage.inputs.messages import page_message
from detourage.inputs.streams import open_source
from detourage.limits import MAX_CONTENT_BYTES

HTML_SUFFIXES = frozenset({".html", ".htm", ".xhtml"})

_HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)++[a-z][a-z0-9-]*[a-z0-9](?:[:+]\d+)?")

# Characters that are not escaped in a URL after the host. They include "?", as mirrors write the
# query into the file name, but not "%", so that no two files share a URL.
_UNQUOTED = "/?=&;:@+,~!$'()*"


@dataclass(frozen=True)
class Origin:
    """Origin of HTML files: the URL of their folder, and their site's name if not the domain."""

    base_url: str | None = None
    site: str | None = None


UNKNOWN = Origin()


@dataclass(frozen=True)
class HtmlFile:
    """An HTML file to send as a page; oversized content is truncated just above the limit."""

    url: str
    identifier: str
    content: bytes


def is_html(path: Path) -> bool:
    """Return whether a file is HTML, judging by its name."""
    return Path(path.name.lower().removesuffix(".gz")).suffix in HTML_SUFFIXES


def read_html_file(path: Path, folder: Path, origin: Origin = UNKNOWN) -> Iterator[bytes]:
    """Yield the message for an HTML file; see `html_file`."""
    file = html_file(path, folder, origin)
    yield page_message(
        url=file.url, site=origin.site, identifier=file.identifier, content=file.content
    )


def html_file(path: Path, folder: Path, origin: Origin = UNKNOWN) -> HtmlFile:
    """Read an HTML file without decoding it; its ID is the path relative to ``folder``.

    Without a base URL, the host is the outermost directory or the folder, if its name looks like a
    host, as in a mirror made by ``wget``. Otherwise, the folder is one site in the reserved domain
    ``invalid``: ``My Pages/2024/a.html`` is ``https://my-pages.invalid/2024/a.html``.
    """
    relative = path.relative_to(folder)
    with open_source(path) as stream:
        content = stream.read(MAX_CONTENT_BYTES + 1)
    return HtmlFile(
        _url_of(relative, folder.resolve().name, origin.base_url),
        os.fsencode(relative).decode("utf-8", errors="backslashreplace"),
        content,
    )


def _url_of(relative: Path, folder_name: str, base_url: str | None) -> str:
    if base_url is not None:
        return f"{base_url.rstrip('/')}/{quote(os.fsencode(relative), safe=_UNQUOTED)}"
    first = relative.parts[0].lower()
    if len(relative.parts) > 1 and _HOST.fullmatch(first):
        host, rest = first, relative.relative_to(relative.parts[0])
    else:
        host, rest = _host_of(folder_name), relative
    return f"https://{host.replace('+', ':')}/{quote(os.fsencode(rest), safe=_UNQUOTED)}"


def _host_of(folder_name: str) -> str:
    name = folder_name.lower()
    if _HOST.fullmatch(name):
        return name
    label = re.sub(r"[^a-z0-9]+", "-", name)[:63].strip("-")
    return f"{label or 'pages'}.invalid"
