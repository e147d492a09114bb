"""The database: connections, the schema of the stories, and queries of the service's tables."""

import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import alembic.command
from alembic.config import Config
from sqlalchemy import Connection, Engine, create_engine, select, text
from sqlalchemy.exc import DBAPIError, OperationalError

from detourage.expected_errors import ExpectedError
from detourage.messages import ArticleMessage
from models.tables import Article as StoredArticle
from models.tables import Membership
from stories.changes import changes_between
from stories.messages import Article, Changes

REVISION: Final = "0001"
"""Schema revision of this code."""

LOCK: Final = 0x73746F72
"""Key of the advisory lock of all stories; other programs must not use it in this database."""

CONNECT_SECONDS = 10
LOCK_SECONDS = 60
SILENCE_SECONDS = 25
"""Time limits for connecting, for waiting for a lock, and for the server's acknowledgement of sent
data. On expiry, the operation is retried."""

_TRANSIENT = re.compile("08|40|53|55P03|57P0[123]")
"""SQLSTATEs of transient failures: lost connections (08), conflicts with other transactions (40),
insufficient resources (53), locks not granted in time (55P03), and a server that stops or starts
(57P01 to 57P03)."""


def engine_of(url: str) -> Engine:
    """Return a pool of connections to a database; the URL is that of `Settings.psycopg2_url`."""
    return create_engine(
        url,
        pool_size=2,
        pool_pre_ping=True,
        connect_args={
            "connect_timeout": CONNECT_SECONDS,
            "tcp_user_timeout": 1000 * SILENCE_SECONDS,
            "keepalives_idle": 10,
            "keepalives_interval": 5,
            "keepalives_count": 3,
            "options": f"-c jit=off -c lock_timeout={LOCK_SECONDS}s"
            " -c idle_in_transaction_session_timeout=300s",
        },
    )


def is_transient(error: DBAPIError) -> bool:
    """Return whether a statement failed for a transient reason, such as a lost connection."""
    state = getattr(error.orig, "pgcode", None)
    if state is None:
        return error.connection_invalidated or isinstance(error, OperationalError)
    return bool(_TRANSIENT.match(state))


@contextmanager
def lock_stories(engine: Engine) -> Iterator[Connection]:
    """Yield a transaction during which no other transaction can group articles."""
    with engine.begin() as connection:
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
        yield connection


_HAS_ROLE = text("SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = 'detourage_service')")
_GRANT = text("""
    GRANT USAGE ON SCHEMA stories TO detourage_service;
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA stories TO detourage_service;
""")


def migrate(engine: Engine) -> None:
    """Create or migrate the schema of the stories.

    The role of the service's processes (``deploy/database-roles.sql``), if it exists, gets the
    rights to read and write the tables.
    """
    with lock_stories(engine) as connection:
        connection.execute(text("CREATE SCHEMA IF NOT EXISTS stories"))
        config = Config()
        config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
        config.attributes["connection"] = connection
        alembic.command.upgrade(config, REVISION)
        if connection.scalar(_HAS_ROLE):
            connection.execute(_GRANT)


def require_current(engine: Engine) -> None:
    """Raise `ExpectedError` unless the schema is that of this code."""
    with engine.connect() as connection:
        revision = None
        if connection.scalar(text("SELECT to_regclass('stories.alembic_version')")) is not None:
            revision = connection.scalar(text("SELECT version_num FROM stories.alembic_version"))
    if revision is None:
        raise ExpectedError("the stories have no schema: run `detourage stories migrate`")
    if revision != REVISION:
        raise ExpectedError(
            f"the schema of the stories is {revision}, but this version needs {REVISION}: run"
            " `detourage stories migrate`, or install the version that migrated the database"
        )


def pages_of(connection: Connection, articles: Collection[UUID]) -> dict[UUID, int]:
    """Return the page of each article that is in the store, by article ID."""
    query = select(StoredArticle.id, StoredArticle.page_id)
    rows = connection.execute(query.where(StoredArticle.id.in_(articles)))
    return dict(rows.all())


def stored_message(connection: Connection, article: UUID) -> dict[str, Any] | None:
    """Return an article message in the order of its contract, or None if it is not stored."""
    query = select(StoredArticle.message).where(StoredArticle.id == article)
    message = connection.scalar(query)
    return None if message is None else ArticleMessage.in_order(message)


def changes_of(
    connection: Connection, page: int, article: Article, message: Mapping[str, Any]
) -> Changes | None:
    """Return what changed since the previous revision of a page's article.

    Return None for the first revision, and for revisions that are caused by other pages, or that
    withdraw or restore an article.
    """
    if article.revision == 1 or article.withdrawn is not None or article.is_joined:
        return None
    before = connection.scalar(
        select(StoredArticle.message)
        .where(StoredArticle.page_id == page, StoredArticle.revision < article.revision)
        .order_by(StoredArticle.revision.desc())
        .limit(1)
    )
    if before is None or before.get("withdrawn") or (before.get("parts") or {}).get("joined"):
        return None
    # The page with which this one was compared has the same template text.
    other_text = connection.scalar(
        select(StoredArticle.message["text"].astext)
        .join(Membership, Membership.template_page_id == StoredArticle.page_id)
        .where(Membership.page_id == page, Membership.generation == article.template.generation)
        .order_by(StoredArticle.revision.desc())
        .limit(1)
    )
    return changes_between(before, message, () if other_text is None else (other_text,))
