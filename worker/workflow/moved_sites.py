"""Export and import of a site as a file, so that its revisions continue in another deployment.

A file contains JSON lines: a header, then one line per page.
"""

import base64
import json
import logging
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import IO, Annotated, Any, Final, Literal, TypeVar
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PlainSerializer, ValidationError
from sqlalchemy.exc import DataError, IntegrityError
from sqlalchemy.orm import Session

from detourage.addresses import Kind
from detourage.errors import ExpectedError
from detourage.html import site_name
from detourage.limits import MAX_BODY_BYTES, MAX_MESSAGE_BYTES
from detourage.links import LinksMessage
from detourage.messages import ArticleMessage, PageMessage
from detourage.outcomes import PageOutcome
from detourage.text.plural import counted
from worker.errors import cause
from worker.store import moving, pages
from worker.store.database import Database
from worker.store.fetched_pages import FetchedPage, ReadPage
from worker.store.locks import AdvisoryLock
from worker.store.moving import PAGES_AT_ONCE, KnownPage
from worker.store.page_objects import LostContentError, PageObjects
from worker.store.pages import StoredContent, read_content
from worker.workflow.article_parts import from_json
from worker.workflow.parsing import parse_or_reject
from worker.workflow.story_index import group_page

logger = logging.getLogger(__name__)

FORMAT: Final = "detourage-site"
VERSION: Final = 1
"""Version of the file format. A reader rejects other versions."""

MAX_LINE_BYTES: Final = MAX_BODY_BYTES + 3 * MAX_MESSAGE_BYTES
"""Maximum size of a line: a page, its article with and without other parts, and its links."""

LARGE_LINE_BYTES: Final = 1024 * 1024
"""Minimum size of a line that ends a transaction, to bound the use of memory."""

_Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}(-\d{1,19})?$")]
_Int32 = Annotated[int, Field(ge=0, lt=2**31)]
_Int64 = Annotated[int, Field(ge=-(2**63), lt=2**63)]
_ArticleJson = Annotated[ArticleMessage, PlainSerializer(ArticleMessage.to_json)]
_LinksJson = Annotated[LinksMessage, PlainSerializer(LinksMessage.to_json)]
Model = TypeVar("Model", bound=BaseModel)


class SiteFileError(ExpectedError):
    """A site cannot be exported or imported."""


class _Header(BaseModel):
    format: Literal["detourage-site"]
    version: int
    site: Annotated[str, Field(min_length=1, max_length=600)]
    pages: Annotated[int, Field(ge=1)]


class _Target(BaseModel):
    target: str
    kind: Kind
    is_declared: bool


class _Address(BaseModel):
    address: str
    spellings: list[str]
    kind: Kind | None
    headlines: list[_Int64]
    passages: list[_Int64]
    came_at: datetime
    read_at: datetime | None
    joined_at: datetime | None
    separated_at: datetime | None
    targets: list[_Target]


class _Comment(BaseModel):
    number: _Int32
    parent: _Int32 | None
    author: str | None
    published_at: datetime | None
    written_date: str | None
    text: str
    permalink: str | None
    votes: _Int64 | None


class _Article(BaseModel):
    id: UUID
    revision: _Int32
    content_digest: str
    created_at: datetime
    message: _ArticleJson
    comments: list[_Comment]


class _Refused(BaseModel):
    outcome: PageOutcome
    detail: str
    fetched_at: str | None
    gone_since: str | None


def _require_links(links: dict[str, Any]) -> dict[str, Any]:
    try:
        from_json(links)
    except (AttributeError, TypeError) as error:
        raise ValueError("not the links of a page to other parts") from error
    return links


class _Parts(BaseModel):
    links: Annotated[dict[str, Any], AfterValidator(_require_links)]
    message: _ArticleJson | None
    whole_digests: list[_Digest]
    joined_revision: _Int32 | None
    size: _Int32 | None
    first: _Digest | None


class _Page(BaseModel):
    """A page: the message that a crawler would send, and the results of the service."""

    model_config = ConfigDict(val_json_bytes="hex")

    page: PageMessage
    url_digest: _Digest
    content_digest: str
    received_at: datetime
    refused: _Refused | None
    outcome: PageOutcome
    outcome_detail: str | None
    extraction_key: str | None
    revision: _Int32
    confidence: float | None
    short_text: bytes | None
    html_removed_at: datetime | None
    addresses: list[_Address]
    article: _Article | None
    links: _LinksJson | None
    parts: _Parts | None


def export_site(session: Session, name: str) -> Iterator[bytes]:
    """Yield the lines of a site's file, given its name or key; raise `SiteFileError`."""
    key, site_id = _site_called(session, name)
    total, pending = moving.count_pages(session, site_id)
    if pending:
        raise SiteFileError(
            f"{counted(pending, 'page')} of {key} pending: stop sending pages of the site, and wait"
            f" until `detourage status {name}` shows no pending pages"
        )
    yield _line({"format": FORMAT, "version": VERSION, "site": key, "pages": total})
    for row in moving.stored_pages(session, site_id):
        try:
            yield _line({**row, "page": _message(key, {**row})})
        except LostContentError as error:
            logger.warning("%s is exported without its HTML: %s", row["url"], error)
            removed = {**row, "html_removed_at": datetime.now(UTC), "object_url": None}
            yield _line({**removed, "page": _message(key, removed)})


def _site_called(session: Session, name: str) -> tuple[str, int]:
    """Return the key and the ID of the site with a name or key."""
    found = {key: site_id for site_id, key in pages.sites_called(session, name).items()}
    if not found:
        raise SiteFileError(f"no page of site {name!r} is known")
    if name not in found and len(found) > 1:
        raise SiteFileError(f"several sites are called {name!r}: {', '.join(found)}")
    key = name if name in found else next(iter(found))
    return key, found[key]


def _line(values: Mapping[str, Any]) -> bytes:
    known = _Page.model_fields | _Header.model_fields
    wanted = {name: value for name, value in values.items() if name in known}
    return json.dumps(wanted, default=_to_json).encode() + b"\n"


def _to_json(value: datetime | bytes) -> str:
    return value.hex() if isinstance(value, bytes) else value.isoformat()


def _message(site: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a page as the message with which a crawler would send it."""
    content: bytes | str = b""
    stored = StoredContent(*(row[name] for name in StoredContent._fields))
    if stored.compressed is not None or stored.object_url is not None:
        content = read_content(stored)
    is_text = isinstance(content, str)
    return {
        **json.loads(row["extra"]),
        "version": 1,
        "url": row["url"],
        "site": site_name(site),
        "id": row["crawler_id"],
        "content_type": row["content_type"],
        "fetched_at": row["fetched_at"],
        "html" if is_text else "html_base64": (
            content if isinstance(content, str) else base64.b64encode(content).decode()
        ),
    }


def import_site(
    database: Database, stream: IO[bytes], objects: PageObjects | None
) -> tuple[str, int, int]:
    """Store the site from a file; return its key, its number of pages, and how many were new.

    Pages that are already stored in the same state are skipped, so an interrupted import can be
    repeated. HTML is stored in ``objects``, if given. The site becomes due for clustering once all
    its pages are stored. Raises `SiteFileError`.
    """
    lines = _lines(stream)
    header = _header(next(lines, (1, b"")))
    new = seen = 0
    firsts: dict[int, str] = {}
    for batch in _batches(lines):
        moved = [(number, _read(_Page, number, line)) for number, line in batch]
        seen += len(moved)

        def save(session: Session, moved: Any = moved) -> int:
            return _save(session, header.site, moved, firsts, objects)

        try:
            new += database.run(save)
        except IntegrityError as error:
            raise SiteFileError(
                f"lines {moved[0][0]} to {moved[-1][0]} cannot be stored: {cause(error)}; the site"
                " may have other pages at the same addresses here"
            ) from error
        except (DataError, ValueError) as error:
            raise SiteFileError(
                f"lines {moved[0][0]} to {moved[-1][0]} cannot be stored: {cause(error)}"
            ) from error
    if seen != header.pages:
        raise SiteFileError(
            f"the file has {counted(seen, 'page')} instead of {header.pages}: export the site again"
        )

    def finish(session: Session) -> None:
        site_id = pages.lock_site(session, header.site)
        moving.set_first_parts(session, site_id, firsts)
        pages.touch_site(session, site_id)

    database.run(finish)
    return header.site, seen, new


def _lines(stream: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    number = 0
    while line := stream.readline(MAX_LINE_BYTES + 1):
        number += 1
        if len(line) > MAX_LINE_BYTES:
            raise SiteFileError(f"line {number} has more than {MAX_LINE_BYTES} bytes")
        yield number, line


def _batches(lines: Iterable[tuple[int, bytes]]) -> Iterator[list[tuple[int, bytes]]]:
    """Yield lines to be stored in one transaction."""
    batch: list[tuple[int, bytes]] = []
    for each in lines:
        batch.append(each)
        if len(batch) == PAGES_AT_ONCE or len(each[1]) > LARGE_LINE_BYTES:
            yield batch
            batch = []
    if batch:
        yield batch


def _header(first: tuple[int, bytes]) -> _Header:
    try:
        header = _Header.model_validate_json(first[1])
    except ValidationError as error:
        raise SiteFileError("not a file of `detourage site export`") from error
    if header.version != VERSION:
        raise SiteFileError(
            f"version {header.version} of the file is not supported: export and import the site"
            " with the same version of Détourage"
        )
    return header


def _read(model: type[Model], number: int, line: bytes) -> Model:
    try:
        return model.model_validate_json(line)
    except ValidationError as error:
        problem = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(map(str, problem["loc"])) or "JSON"
        raise SiteFileError(f"line {number}: {place}: {problem['msg']}") from error


def _save(
    session: Session,
    key: str,
    moved: list[tuple[int, _Page]],
    firsts: dict[int, str],
    objects: PageObjects | None,
) -> int:
    """Store pages, note the first pages of parts, and return the number of pages stored."""
    site_id = pages.lock_site(session, key)
    known = moving.known_pages(session, site_id, [page.url_digest for _, page in moved])
    new = 0
    for number, page in moved:
        before = known.get(page.url_digest)
        fetched = FetchedPage.of(page.page)
        if fetched.site != key:
            raise SiteFileError(f"line {number}: {fetched.url} is a page of another site")
        if before is None:
            read = ReadPage()
            if page.html_removed_at is None:
                read = parse_or_reject(
                    fetched.content, fetched.url, fetched.content_type, fetched.answer
                )
            moved_values = page.model_dump(exclude={"page"})
            page_id = moving.save_page(session, site_id, fetched, read, moved_values, objects)
            new += 1
        else:
            _require_same(before, page)
            page_id = before.id
        if page.parts is not None and page.parts.first is not None:
            firsts[page_id] = page.parts.first
    return new


def _require_same(before: KnownPage, page: _Page) -> None:
    here, there = before.revision, page.revision
    if here > there:
        raise SiteFileError(
            f"{before.url} is newer here (revision {here}) than in the file (revision {there}):"
            " the site has been processed here since it was exported"
        )
    if here < there or before.content_digest != page.content_digest:
        raise SiteFileError(
            f"{before.url} is already stored here, and differs from the file: to replace the site,"
            " delete it here first (`detourage site delete`)"
        )


def delete_site(database: Database, name: str, story_window: timedelta) -> int:
    """Delete a site with all its pages, and return their number; raise `SiteFileError`.

    An interrupted deletion can be repeated.
    """
    _, site_id = database.run(lambda session: _site_called(session, name))
    deleted = 0
    with database.exclusive(AdvisoryLock.CLUSTERING, site_id) as is_ours:
        if not is_ours:
            raise SiteFileError(f"{name} is being clustered: try again in a few minutes")
        database.run(lambda session: moving.ungroup(session, site_id))
        while True:
            ids, leaving = database.run(lambda session: moving.forget_some(session, site_id))
            if not ids:
                break
            for page_id in leaving:
                group_page(database, page_id, story_window)
            database.run(lambda session: moving.delete_pages(session, ids))  # noqa: B023
            deleted += len(ids)
        try:
            database.run(lambda session: moving.delete_site(session, site_id))
        except IntegrityError as error:
            raise SiteFileError(
                f"pages of {name} have arrived meanwhile: stop sending pages of the site, and"
                " delete it again"
            ) from error
    return deleted
