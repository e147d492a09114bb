"""Page contents in an object store: an S3 bucket or a folder.

An object is compressed, and named after the SHA-256 digest of its bytes: writing it twice has no
effect, and it can be verified before it is decompressed. Database rows contain the URLs of objects,
which thus stay readable after another store has been configured.
"""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from detourage.expected_errors import require_extra
from detourage.limits import MAX_HTML_BYTES
from worker.error_reports import LostContentError, cause
from worker.store.database import UnavailableError

if TYPE_CHECKING:
    from obstore.store import ObjectStore

T = TypeVar("T")
R = TypeVar("R")

REQUEST_SECONDS = 10  # time limit of a request
RETRY_SECONDS = 20
"""Time after which a failed request is no longer retried. Transactions hold their locks in the
meantime, so it must be well below `worker.store.database.LOCK_SECONDS`."""

RETRIES = 3  # maximum number of times that a failed request is repeated
CONCURRENT_REQUESTS = 8  # maximum number of objects that are read or written at the same time

MAX_OBJECT_BYTES = MAX_HTML_BYTES + MAX_HTML_BYTES // 64
"""Maximum size of an object, with room for incompressible content."""

SHARDS = 256  # number of folders in an object store, each for the digests with one first byte
LIST_SIZE = 1000  # maximum number of objects listed or deleted per request, as in S3

MARKER = "detourage.txt"
"""Object that identifies the store. If it is missing, the whole store counts as unavailable: the
pages in a bucket that was replaced, or on a volume that is not mounted, must not count as lost."""

_MARK = b"Page contents of Detourage. Without this file, the service does not read the others.\n"


class StoreUnavailableError(UnavailableError):
    """The object store does not respond, or refuses access."""


class PageObjects:
    """An object store for new contents; its URL begins with ``s3://`` or ``file://``."""

    def __init__(self, url: str) -> None:
        require_extra("objects", "an object store", "obstore", distribution="detourage-service")
        self.url = url
        self._is_marked = False

    def url_of(self, content: bytes) -> str:
        """Return the URL of the object for the given content."""
        digest = hashlib.sha256(content).hexdigest()
        return f"{self.url}/{digest[:2]}/{digest}"

    def put(self, contents: Sequence[bytes]) -> None:
        """Write contents durably."""
        _in_parallel(
            lambda content: self._write(_split_url(self.url_of(content))[1], content), contents
        )

    def is_marked(self) -> bool:
        """Return whether the store has its marker; if reading is forbidden, write the marker."""
        import obstore
        from obstore.exceptions import PermissionDeniedError

        if self._is_marked:
            return True
        with _as_unavailable(self.url):
            store = _store_at(self.url)
            try:
                obstore.head(store, MARKER)
            except FileNotFoundError:
                return False
            except PermissionDeniedError:
                # The intake may only have the right to write.
                self.mark()
        self._is_marked = True
        return True

    def mark(self) -> None:
        """Write the marker."""
        self._write(MARKER, _MARK)
        self._is_marked = True

    def _write(self, name: str, content: bytes) -> None:
        import obstore
        from obstore.store import LocalStore

        with _as_unavailable(self.url):
            store = _store_at(self.url)
            obstore.put(store, name, content)
            if isinstance(store, LocalStore):
                _sync(Path(str(store.prefix)) / name)

    def list_urls(self, shard: int) -> Iterator[list[str]]:
        """Yield the URLs of the objects of a shard, up to `LIST_SIZE` at a time."""
        import obstore

        with _as_unavailable(self.url):
            for batch in obstore.list(_store_at(self.url), f"{shard:02x}", chunk_size=LIST_SIZE):
                yield [f"{self.url}/{listed['path']}" for listed in batch]

    def delete(self, urls: Sequence[str]) -> None:
        """Delete objects."""
        import obstore

        # Another process may have deleted some of them; the rest are listed again next time.
        with _as_unavailable(self.url), suppress(FileNotFoundError):
            obstore.delete(_store_at(self.url), [_split_url(url)[1] for url in urls])


@cache
def page_objects(url: str) -> PageObjects:
    """Return the object store at a URL."""
    return PageObjects(url)


def shard_of(url: str) -> int:
    """Return the number of the shard that contains an object."""
    return int(url.rsplit("/", 2)[1], 16)


def get(urls: Iterable[str]) -> dict[str, bytes | LostContentError]:
    """Return objects, or the errors for those that cannot be read, by URL."""
    distinct = sorted(set(urls))
    if distinct:
        purpose = "reading a page in an object store"
        require_extra("objects", purpose, "obstore", distribution="detourage-service")
    return dict(zip(distinct, _in_parallel(_read_object, distinct), strict=True))


def _read_object(url: str) -> bytes | LostContentError:
    import obstore
    from obstore.exceptions import BaseError

    base, name = _split_url(url)
    with _as_unavailable(base):
        store = _store_at(base)
        try:
            return _verified_content(store, name, url)
        except (BaseError, OSError) as error:
            # If the marker cannot be read either, this raises `StoreUnavailableError`.
            obstore.get(store, MARKER).bytes()
            if isinstance(error, FileNotFoundError):
                return LostContentError(f"the stored HTML is missing: {url}")
        # The first failure may have been temporary, so try again.
        try:
            return _verified_content(store, name, url)
        except (BaseError, OSError) as error:
            return LostContentError(f"the stored HTML cannot be read: {url}: {cause(error)}")


def _verified_content(store: "ObjectStore", name: str, url: str) -> bytes | LostContentError:
    import obstore

    response = obstore.get(store, name)
    if response.meta["size"] > MAX_OBJECT_BYTES:
        return LostContentError(f"the stored HTML is damaged, as it is too large: {url}")
    content = bytes(response.bytes())
    if hashlib.sha256(content).hexdigest() != url.rpartition("/")[2]:
        return LostContentError(f"the stored HTML is damaged, as its SHA-256 differs: {url}")
    return content


def _split_url(url: str) -> tuple[str, str]:
    """Return the URL of an object's store, and the object's name in it."""
    base, shard, digest = url.rsplit("/", 2)
    return base, f"{shard}/{digest}"


def _store_at(url: str) -> "ObjectStore":
    from obstore.store import from_url

    # Opening a folder fails if it is missing, whereas the next write would create it.
    return from_url(url) if url.startswith("file:") else _connected_store(url)


@cache
def _connected_store(url: str) -> "ObjectStore":
    from obstore.store import from_url

    return from_url(
        url,
        client_options={
            # The default endpoint uses TLS; one in an operator's private network may not.
            "allow_http": True,
            "timeout": timedelta(seconds=REQUEST_SECONDS),
        },
        retry_config={"max_retries": RETRIES, "retry_timeout": timedelta(seconds=RETRY_SECONDS)},
    )


@contextmanager
def _as_unavailable(url: str) -> Iterator[None]:
    """Convert the errors of an object store to `StoreUnavailableError`."""
    from obstore.exceptions import BaseError

    try:
        yield
    except (BaseError, OSError) as error:
        raise StoreUnavailableError(f"the object store {url} failed: {cause(error)}") from error


def _sync(file: Path) -> None:
    for path in (file, file.parent):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _in_parallel(work: Callable[[T], R], items: Sequence[T]) -> list[R]:
    if len(items) < 2:
        return [work(item) for item in items]
    with ThreadPoolExecutor(min(len(items), CONCURRENT_REQUESTS)) as pool:
        return list(pool.map(work, items))
