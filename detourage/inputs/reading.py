"""Page messages from a path given on the command line: JSON lines and HTML files."""

import codecs
import os
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import IO
from urllib.parse import quote

from detourage.inputs.messages import oversized_message, page_message
from detourage.inputs.streams import STANDARD_INPUT, SourceError, open_source
from detourage.inputs.warc import read_warc
from detourage.limits import MAX_CONTENT_BYTES, MAX_MESSAGE_BYTES

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


def read_lines(path: Path) -> Iterator[bytes]:
    """Yield each non-blank line, unvalidated; an oversized one becomes an `oversized_message`."""
    with open_source(path) as stream:
        yield from lines_of(stream, path.name)


def lines_of(stream: IO[bytes], name: str) -> Iterator[bytes]:
    """Yield the lines of an open file like `read_lines`; `name` is used in error messages."""
    for number, (line, length) in enumerate(_bounded_lines(stream), start=1):
        text = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
        if length > MAX_MESSAGE_BYTES:
            detail = f"line {number} of {name} has {length} bytes"
            yield oversized_message(detail, start=text)
        elif not text.isspace():
            yield text.rstrip(b"\r\n")


def _bounded_lines(stream: IO[bytes]) -> Iterator[tuple[bytes, int]]:
    """Yield each line with its full length; lines that are too long are truncated."""
    while line := stream.readline(MAX_MESSAGE_BYTES):
        length = len(line)
        end = line
        while not end.endswith(b"\n") and (end := stream.readline(MAX_MESSAGE_BYTES)):
            length += len(end)
        yield line, length


Reader = Callable[[Path], Iterator[bytes]]


def read_messages(
    path: Path | str, origin: Origin = UNKNOWN, left_out: Collection[Path] = ()
) -> Iterator[bytes]:
    """Return the raw page messages from a file, a folder or standard input (``-``), read lazily.

    ``path`` is a file of JSON lines (or a special file, such as a pipe), a WARC archive, an HTML
    file, or a folder with such files at any depth, except those ``left_out``; files may be gzipped.
    Raise `SourceError` immediately if the path is missing or unsupported, or while reading if a
    file is damaged or truncated.
    """
    path = Path(path)
    if path == STANDARD_INPUT:
        return read_lines(path)
    try:
        exists = path.exists()
    except OSError as error:
        raise SourceError(path, f"cannot be read: {error.strerror}") from error
    if not exists:
        raise SourceError(path, "no such file or folder")
    if path.is_dir():
        return _read_folder(path, origin, {each.resolve() for each in left_out})
    reader = _reader_of(path, path.parent, origin)
    if reader is not None:
        return reader(path)
    if not path.is_file():
        return read_lines(path)
    raise SourceError(path, "is neither JSON lines (.jsonl) nor WARC (.warc) nor HTML (.html)")


def _read_folder(folder: Path, origin: Origin, left_out: Collection[Path]) -> Iterator[bytes]:
    files = (each for each in _files_of(folder, origin) if each[0].resolve() not in left_out)
    first = next(files, None)
    if first is None:
        raise SourceError(folder, "contains no JSON lines, WARC or HTML files")
    return chain.from_iterable(reader(path) for path, reader in chain([first], files))


def _files_of(folder: Path, origin: Origin) -> Iterator[tuple[Path, Reader]]:
    def fail(error: OSError) -> None:
        raise SourceError(error.filename or folder, f"cannot be read: {error.strerror}") from error

    for directory, subdirectories, names in os.walk(folder, onerror=fail):
        subdirectories.sort()
        for name in sorted(names):
            path = Path(directory, name)
            if (reader := _reader_of(path, folder, origin)) is not None:
                yield path, reader


def _reader_of(path: Path, folder: Path, origin: Origin) -> Reader | None:
    suffix = Path(path.name.lower().removesuffix(".gz")).suffix
    if suffix in (".jsonl", ".ndjson"):
        return read_lines
    if suffix == ".warc":
        return read_warc
    if is_html(path):
        return partial(read_html_file, folder=folder, origin=origin)
    return None
