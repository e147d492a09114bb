"""HTML files as page messages."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from models.limits import MAX_CONTENT_BYTES
from worker.inputs.messages import page_message
from worker.inputs.streams import open_source

HTML_SUFFIXES = frozenset({".html", ".htm", ".xhtml"})

_HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)++[a-z][a-z0-9-]*[a-z0-9](?:[:+]\d+)?")

# The characters that a URL may hold as they are after its host; "?" stays, as mirrors write the
# query into the file name, and "%" does not, so that two files never have the same URL.
_UNQUOTED = "/?=&;:@+,~!$'()*"


@dataclass(frozen=True)
class Origin:
    """Where HTML files come from, where their folder does not say it.

    Parameters
    ----------
    base_url
        Address of the folder.
    site
        What the site is called, if not by its domain.
    """

    base_url: str | None = None
    site: str | None = None


UNKNOWN = Origin()


@dataclass(frozen=True)
class HtmlFile:
    """An HTML file as a page.

    Attributes
    ----------
    url, identifier
        Its address, and the ``id`` of its message.
    content
        Its bytes; of a file that is too large more than any page may have.
    """

    url: str
    identifier: str
    content: bytes


def is_html(path: Path) -> bool:
    """Say whether a file is HTML, by its name."""
    return Path(path.name.lower().removesuffix(".gz")).suffix in HTML_SUFFIXES


def read_html_file(path: Path, folder: Path, origin: Origin = UNKNOWN) -> Iterator[bytes]:
    """Yield the message of one HTML file, see `html_file`."""
    file = html_file(path, folder, origin)
    yield page_message(
        url=file.url, site=origin.site, identifier=file.identifier, content=file.content
    )


def html_file(path: Path, folder: Path, origin: Origin = UNKNOWN) -> HtmlFile:
    """Read one HTML file, its bytes as they are.

    Its id is the path relative to the folder. Its URL is that of a mirror made
    by ``wget``:

    - ``folder/news.example.org/2024/a.html`` is
      ``https://news.example.org/2024/a.html``: the outermost directory that
      looks like the name of a host is one;
    - ``news.example.org/2024/a.html``, where the folder itself is named like a
      host, is the same;
    - ``My Pages/2024/a.html`` is ``https://my-pages.invalid/2024/a.html``: all
      pages of a folder that names no host are of one site, under the domain
      that is reserved for names that do not exist.

    Parameters
    ----------
    path
        The file.
    folder
        The folder named by the user.
    origin
        Where the folder comes from; its address goes before the mirror's.
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
