"""Page messages from the files and folders given on the command line."""

import codecs
import logging
import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, islice, takewhile
from pathlib import Path
from typing import IO, NamedTuple
from urllib.parse import quote, urlsplit

from detourage.inputs.new_messages import oversized_message, page_message
from detourage.inputs.streams import STANDARD_INPUT, SourceError, open_source
from detourage.inputs.warc import read_warc
from detourage.limits import MAX_CONTENT_BYTES, MAX_MESSAGE_BYTES
from detourage.text.plural import pluralise

HTML_SUFFIXES = frozenset({".html", ".htm", ".xhtml"})

# Matches the beginning of an HTML file in lower case, possibly after comments or declarations.
_HTML_START = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*+(?:<(?:!--|\?xml)[^>]*+>\s*+)*+<(?:!doctype html|html)\b"
)

# Lines that start with ``#`` are comments.
_URL_LIST = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s++|#[^\n]*+\n)*+https?://", re.IGNORECASE)

MAX_START_BYTES = 2_048  # bytes of a file, whose name does not give its kind, to examine

# A host name, such as "news.example"; a port follows ":" or, in the folders of wget, "+".
_HOST = re.compile(
    r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)++[a-z][a-z0-9-]*[a-z0-9](?:[:+](?!0)[1-5]?\d{1,4})?"
)

# Characters, besides letters and digits, that are not escaped in the URL of a file: "?" is one of
# them, because mirrors write queries into file names; "%" is not, so that no two files share a URL.
_UNQUOTED = "/?=&;:@+,~!$'()*"

MAX_HEAD_BYTES = 512 * 1024  # bytes of an HTML file to search for the URL that it declares
MAX_NAMED = 10  # maximum number of skipped files, and of hosts, that the log names
MAX_SAMPLED_FILES = 50  # maximum number of files per directory that are searched for a usual host

URL_KINDS = DECLARED, BY_FOLDER, INVENTED = "declared by the pages", "by folder name", "invented"

logger = logging.getLogger(__name__)


class Origin(NamedTuple):
    """Origin of HTML files: the URL of their folder, and their site (by default, the domain)."""

    base_url: str | None = None
    site: str | None = None


UNKNOWN = Origin()


class HtmlFile(NamedTuple):
    """An HTML file to send as a page; oversized content is truncated one byte after the limit."""

    url: str
    path: Path
    content: bytes

    @property
    def identifier(self) -> str:
        """ID of the page: its path relative to the folder."""
        return os.fsencode(self.path).decode("utf-8", errors="backslashreplace")

    def message(self, site: str | None = None) -> bytes:
        """Return the message for the page."""
        return page_message(
            url=self.url, site=site, identifier=self.identifier, content=self.content
        )


def is_html(path: Path) -> bool:
    """Return whether a file is HTML, judging by its name or, if that is unknown, its beginning.

    Mirrors contain pages named ``page.php``, ``index.html?id=3`` or ``about``.
    """
    suffix = _suffix(path)
    if suffix in HTML_SUFFIXES or suffix in _READERS or not path.is_file():
        return suffix in HTML_SUFFIXES
    with suppress(SourceError), open_source(path) as stream:
        return _HTML_START.match(stream.read(MAX_START_BYTES).lower()) is not None
    return False


def is_url_list(path: Path) -> bool:
    """Return whether a file is a list of URLs, judging by its beginning."""
    with open_source(path) as stream:
        return _URL_LIST.match(stream.read(MAX_START_BYTES)) is not None


Found = HtmlFile | bytes | SourceError  # in a folder: a file, a message, or a reading error


class HtmlFolder:
    """A folder of HTML files, which assigns a different URL to each file.

    The URL is the first of the following that is available:

    - the base URL, followed by the path of the file;
    - if the outermost directory or the folder is named after a host, as in a mirror made by
      ``wget``, that host, followed by the path of the file;
    - the canonical URL or ``og:url`` that the page declares, unless an earlier file has the same;
    - an invented URL: the path of the file at the host that the page declares, or that most files
      of its outermost directory declare (if the folder is read as a whole), or else at a host named
      after the folder and this directory (``https://my-pages-2024.invalid/2024/a.html``).
    """

    def __init__(self, folder: Path, origin: Origin = UNKNOWN, *, is_whole: bool = False) -> None:
        self.folder = folder
        self.origin = origin
        self._is_whole = is_whole
        self._name = folder.resolve().name
        self._used: set[str] = set()
        self._usual_hosts: dict[str, list[str]] = {}
        self._hosts: dict[str, Counter[str]] = {kind: Counter() for kind in URL_KINDS}
        self._skipped: Counter[str] = Counter()
        self._skipped_names: defaultdict[str, list[str]] = defaultdict(list)

    def read(self, path: Path) -> HtmlFile:
        """Read a file without decoding it."""
        relative = path.relative_to(self.folder)
        with open_source(path) as stream:
            content = stream.read(MAX_CONTENT_BYTES + 1)
        base_url = self.origin.base_url
        if base_url is not None:
            url = f"{base_url.rstrip('/')}/{quote(os.fsencode(relative), safe=_UNQUOTED)}"
        else:
            kind, url = self._url_of(relative, content)
            self._hosts[kind][urlsplit(url).netloc.lower()] += 1
            self._used.add(url)
        return HtmlFile(url, relative, content)

    def _url_of(self, relative: Path, content: bytes) -> tuple[str, str]:
        """Return the kind of a URL, one of `URL_KINDS`, and the URL."""
        first = relative.parts[0] if len(relative.parts) > 1 else ""
        if _HOST.fullmatch(first.lower()):
            return BY_FOLDER, _url(first.lower(), relative.relative_to(first))
        if _HOST.fullmatch(self._name.lower()):
            return BY_FOLDER, _url(self._name.lower(), relative)
        declared = _declared_urls(self.folder / relative, content)
        for url in declared:
            if url not in self._used:
                return DECLARED, url
        hosts = [urlsplit(url).netloc.lower() for url in declared[:1]]
        if self._is_whole:
            hosts += self._usual_hosts_of(first)
        name = f"{self._name} {first}".lower().encode("ascii", "backslashreplace").decode()
        label = re.sub(r"[^a-z0-9]+", "-", name)[-63:].strip("-")
        urls = [_url(host, relative) for host in (*hosts, f"{label or 'pages'}.invalid")]
        return INVENTED, next((url for url in urls if url not in self._used), urls[-1])

    def _usual_hosts_of(self, first: str) -> list[str]:
        """Return the host, if any, that most sampled files of an outermost directory declare."""
        if first not in self._usual_hosts:
            paths = (each for each in _files_of(self.folder / first) if isinstance(each, Path))
            # Files directly in the folder have no outermost directory; they are walked first.
            own_paths = takewhile(lambda path: first or path.parent == self.folder, paths)
            sample = list(islice(filter(is_html, own_paths), MAX_SAMPLED_FILES))
            hosts: Counter[str] = Counter()
            for path in sample:
                with suppress(SourceError), open_source(path) as stream:
                    declared = _declared_urls(path, stream.read(MAX_HEAD_BYTES))
                    hosts.update(urlsplit(url).netloc.lower() for url in declared[:1])
            self._usual_hosts[first] = [host for host, n in hosts.items() if 2 * n > len(sample)]
        return self._usual_hosts[first]

    def skip(self, path: Path, reason: str = "") -> None:
        """Record a skipped file, as unreadable if a `reason` is given, or else as unsupported."""
        kind = "unreadable or damaged" if reason else "not HTML, JSON lines or WARC"
        self._skipped[kind] += 1
        if self._skipped[kind] <= MAX_NAMED:
            self._skipped_names[kind].append(f"{path.relative_to(self.folder)}{reason}")

    def report(self) -> None:
        """Log the kinds and hosts of the files' URLs, and the skipped files."""
        if any(self._hosts.values()):
            invented = self._hosts[INVENTED]
            hint = ": set URLs with --base-url, or name folders after hosts" if invented else ""
            level = logging.WARNING if invented else logging.INFO
            kinds = []
            for kind, hosts in self._hosts.items():
                counts = [f"{host} {number}" for host, number in hosts.most_common()]
                kinds.append(f"{hosts.total()} {kind}" + (f" ({_named(counts)})" if counts else ""))
            message = "%s: URLs of HTML files: %s%s"
            logger.log(level, message, self.folder, ", ".join(kinds), hint)
        for kind, count in self._skipped.items():
            files, names = pluralise(count, "file"), _named(self._skipped_names[kind], count)
            logger.warning("%s: skipped %s (%s): %s", self.folder, files, kind, names)


def _named(names: Sequence[str], count: int | None = None) -> str:
    more = (len(names) if count is None else count) - len(names[:MAX_NAMED])
    return ", ".join(names[:MAX_NAMED]) + (f" and {more} more" if more else "")


def _url(host: str, path: Path) -> str:
    return f"https://{host.replace('+', ':')}/{quote(os.fsencode(path), safe=_UNQUOTED)}"


def _declared_urls(path: Path, content: bytes) -> list[str]:
    """Return the absolute URLs in the head of a page: the canonical URL and the ``og:url``."""
    # Imported here because they are slow to import, and other inputs do not need them.
    from detourage.html import PageError, parse_page
    from detourage.html.head import Head

    try:
        page = parse_page(content[:MAX_HEAD_BYTES])
    except PageError:
        return []
    except Exception:
        # A bug triggered by one page must not affect the others.
        logger.exception("%s: could not read the declared URL (this is a bug; report it)", path)
        return []
    head = Head.of(page.flat, "")
    urls = dict.fromkeys(filter(None, (head.canonical, head.open_graph)))
    return [url for url in urls if _HOST.fullmatch(urlsplit(url).netloc.lower())]


def read_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines that are not blank; replace an oversized line with an `oversized_message`."""
    with open_source(path) as stream:
        yield from lines_of(stream, path.name)


def lines_of(stream: IO[bytes], name: str) -> Iterator[bytes]:
    """Yield the lines of an open file like `read_lines`; error messages contain `name`."""
    for number, (line, length) in enumerate(_truncated_lines(stream), start=1):
        text = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
        if length > MAX_MESSAGE_BYTES:
            detail = f"line {number} of {name} has {length} bytes"
            yield oversized_message(detail, start=text)
        elif not text.isspace():
            yield text.rstrip(b"\r\n")


def _truncated_lines(stream: IO[bytes]) -> Iterator[tuple[bytes, int]]:
    """Yield each line, truncated to `MAX_MESSAGE_BYTES`, with its full length."""
    while line := stream.readline(MAX_MESSAGE_BYTES):
        length = len(line)
        part = line
        while not part.endswith(b"\n") and (part := stream.readline(MAX_MESSAGE_BYTES)):
            length += len(part)
        yield line, length


def read_messages(
    path: Path | str, origin: Origin = UNKNOWN, left_out: Collection[Path] = ()
) -> Iterator[bytes]:
    """Return the raw page messages from a file, a folder or standard input (``-``), read lazily.

    ``path`` is a file of JSON lines (or a special file, such as a pipe), a WARC archive, an HTML
    file, or a folder with such files at any depth, except those ``left_out``; files may be gzipped.
    Raise `SourceError` immediately if the path is missing or unsupported, and while reading if the
    file is damaged or truncated. In a folder, log damaged files; raise only if none can be read.
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
        files = read_folder(path, origin, {each.resolve() for each in left_out})
        return _readable_messages(files, origin.site)
    reader = _READERS.get(_suffix(path))
    if reader is not None:
        return reader(path)
    if is_html(path):
        return iter([HtmlFolder(path.parent, origin).read(path).message(origin.site)])
    if not path.is_file():
        return read_lines(path)
    kind = "neither HTML nor JSON lines (.jsonl) nor WARC (.warc)"
    urls = "a list of URLs, which only `detourage extract` fetches"
    raise SourceError(path, f"is {urls if is_url_list(path) else kind}")


def _readable_messages(files: Iterable[Found], site: str | None) -> Iterator[bytes]:
    """Yield the messages of a folder; if there are only errors, raise the first."""
    is_empty, error = True, None
    for each in files:
        if isinstance(each, SourceError):
            error = error or each
        else:
            is_empty = False
            yield each.message(site) if isinstance(each, HtmlFile) else each
    if is_empty and error is not None:
        raise error


def read_folder(
    folder: Path, origin: Origin = UNKNOWN, left_out: Collection[Path] = ()
) -> Iterator[Found]:
    """Return the content of a folder, read lazily; raise `SourceError` if it has no pages."""
    files = _files_of(folder, left_out)
    pages = HtmlFolder(folder, origin, is_whole=True)
    for path in files:
        if isinstance(path, SourceError) and Path(path.path) == folder:
            raise path
        if isinstance(path, SourceError) or _suffix(path) in _READERS or is_html(path):
            return _read_files(chain([path], files), pages)
        pages.skip(path)
    raise SourceError(folder, "contains no JSON lines, WARC or HTML files")


def _read_files(files: Iterable[Path | SourceError], pages: HtmlFolder) -> Iterator[Found]:
    for path in files:
        try:
            if isinstance(path, SourceError):
                raise path
            reader = _READERS.get(_suffix(path))
            if reader is not None:
                yield from reader(path)
            elif is_html(path):
                yield pages.read(path)
            else:
                pages.skip(path)
        except SourceError as error:
            pages.skip(Path(error.path), f" ({error.problem})")
            yield error
    pages.report()


def _files_of(folder: Path, left_out: Collection[Path] = ()) -> Iterator[Path | SourceError]:
    """Yield the files at any depth, and an error for each unreadable folder or special file."""
    errors: list[OSError] = []  # raised by the walk; yielded before its next step
    for directory, folders, names in chain(os.walk(folder, onerror=errors.append), [("", [], [])]):
        for error in errors:
            yield SourceError(error.filename or folder, f"cannot be read: {error.strerror}")
        errors.clear()
        folders.sort()
        # `realpath` is used because `Path.resolve` fails on a symbolic link to itself.
        paths = (Path(directory, name) for name in sorted(names))
        for path in paths:
            if Path(os.path.realpath(path)) not in left_out:
                is_special = False
                with suppress(PermissionError):  # raised if the folder is not searchable
                    is_special = path.exists() and not path.is_file()
                yield SourceError(path, "is not a regular file") if is_special else path


def _suffix(path: Path) -> str:
    """Return the suffix of a file in lower case, ignoring ``.gz``: ``.warc`` for ``a.WARC.gz``."""
    return Path(path.name.lower().removesuffix(".gz")).suffix


_READERS: Mapping[str, Callable[[Path], Iterator[bytes]]] = {  # by suffix
    ".jsonl": read_lines,
    ".ndjson": read_lines,
    ".warc": read_warc,
}
