"""Articles stored as the service does, and grouped as the worker of the stories does."""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Engine, insert, select, text
from sqlalchemy.orm import Session

from models.tables import Article, Site, StoredPage
from stories.service import group_articles
from stories.store import locked
from stories.telling import note_published, pending, tell_due
from tests.pages import ARTICLE
from worker.workflow.article_message import article_id

NOON: Final = datetime(2026, 5, 1, 12, tzinfo=UTC)
WINDOW: Final = timedelta(days=7)


def sentences(seed: int, number: int = 12) -> list[str]:
    """Return sentences unique to a seed."""
    chance = random.Random(seed)
    words = [
        "".join(chance.choices("bcdfghklmnprstv", k=1) + chance.choices("aeiou", k=1)) * 2
        + chance.choice("xyzw")
        for _ in range(200)
    ]
    return [" ".join(chance.choices(words, k=14)).capitalize() + "." for _ in range(number)]


def text_of(seed: int) -> str:
    return "\n\n".join(sentences(seed))


@dataclass(frozen=True)
class Sent:
    """A revision of an article; it is received at the time of its fetch unless given."""

    site: str
    text: str
    minutes: float | None = None
    path: str = "a"
    revision: int = 1
    received: float | None = None
    values: Mapping[str, Any] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"https://{self.site}/{self.path}"

    def message(self) -> dict[str, Any]:
        """Return the article message."""
        received = self.minutes if self.received is None else self.received
        at = NOON + timedelta(minutes=received or 0)
        fetched = None if self.minutes is None else NOON + timedelta(minutes=self.minutes)
        return {
            **ARTICLE,
            "id": str(article_id(self.site, self.url, self.revision)),
            "revision": self.revision,
            "url": self.url,
            "site": self.site,
            "fetched_at": fetched.isoformat() if fetched else None,
            "received_at": at.isoformat(),
            "extracted_at": at.isoformat(),
            "language": "en",
            "text": self.text,
            **self.values,
        }


def store(engine: Engine, sent: Iterable[Sent]) -> None:
    """Store articles, with their sites and pages, unless they are stored."""
    with Session(engine) as session, session.begin():
        for each in sent:
            site = session.scalar(select(Site.id).where(Site.key == each.site))
            if site is None:
                site = session.scalar(insert(Site).values(key=each.site).returning(Site.id))
            page = session.scalar(select(StoredPage.id).where(StoredPage.url == each.url))
            if page is None:
                values = {"site_id": site, "url": each.url, "url_digest": each.url}
                added = insert(StoredPage).values(content_digest="-", **values)
                page = session.scalar(added.returning(StoredPage.id))
            message = each.message()
            if session.get(Article, UUID(message["id"])) is None:
                session.add(
                    Article(
                        id=UUID(message["id"]),
                        page_id=page,
                        revision=each.revision,
                        content_digest="-",
                        message=message,
                    )
                )


class Stories:
    """The stories, with messages that are published as soon as they are composed."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.messages: list[dict[str, Any]] = []
        """All messages published so far."""
        self.forwarded: list[str] = []
        """IDs of all articles forwarded so far."""

    def add(self, *sent: Sent, window: timedelta = WINDOW) -> list[dict[str, Any]]:
        """Store articles and group them together; return the messages that follow."""
        store(self.engine, sent)
        rest = group_articles(self.engine, [each.message() for each in sent], window)
        assert rest == (set(), {})
        return self.publish()

    def add_each(self, sent: Sequence[Sent]) -> None:
        """Group articles one by one."""
        for each in sent:
            self.add(each)

    def correct(self) -> list[dict[str, Any]]:
        """Compose due corrections."""
        with locked(self.engine) as connection:
            tell_due(connection)
        return self.publish()

    def publish(self) -> list[dict[str, Any]]:
        """Publish all pending messages."""
        with self.engine.begin() as connection:
            rows = pending(connection)
            note_published(connection, [row.page for row in rows])
        self.forwarded += [str(row.article_id) for row in rows if row.must_forward]
        new = [row.pending for row in rows]
        self.messages += new
        return new

    def told(self) -> dict[str, dict[str, Any]]:
        """Return the latest message about each article once none is due, by URL."""
        before = -1
        while len(self.messages) > before:
            before = len(self.messages)
            with self.engine.begin() as connection:
                connection.execute(text("UPDATE stories.articles SET correct_after = NULL"))
            self.correct()
        return {each["url"]: each for each in self.messages}

    def relations(self) -> dict[str, str | None]:
        """Return the relation of each article, by site."""
        return {each["site"]: each["relation"] for each in self.told().values()}

    def ids(self) -> set[str]:
        """Return the IDs of all stories."""
        return {each["story"] for each in self.told().values()}

    def clear(self) -> None:
        """Forget all articles."""
        with self.engine.begin() as connection:
            connection.execute(text("DELETE FROM stories.articles"))
            connection.execute(text("DELETE FROM stories.stories"))
        self.messages, self.forwarded = [], []

    def count(self, query: str) -> int:
        """Return the number that a query returns."""
        with self.engine.connect() as connection:
            return int(connection.scalar(text(query)) or 0)
