"""Articles stored like those of the service, and grouped by the code of the stories worker."""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Engine, insert, select, text
from sqlalchemy.orm import Session

from models.tables import Article, Site, StoredPage
from stories.outbox import compose_due, lock_pending, note_published
from stories.service import group_articles
from stories.store import lock_stories
from tests.pages import ARTICLE
from worker.workflow.article_message import article_id

NOON: Final = datetime(2026, 5, 1, 12, tzinfo=UTC)
WINDOW: Final = timedelta(days=7)


def sentences(seed: int, number: int = 12) -> list[str]:
    """Return sentences unique to a seed."""
    rng = random.Random(seed)
    # Invented words such as "babax".
    words = [
        "".join(rng.choices("bcdfghklmnprstv", k=1) + rng.choices("aeiou", k=1)) * 2
        + rng.choice("xyzw")
        for _ in range(200)
    ]
    return [" ".join(rng.choices(words, k=14)).capitalize() + "." for _ in range(number)]


def text_of(seed: int) -> str:
    """Return an article's text that is unique to a seed, one sentence per paragraph."""
    return "\n\n".join(sentences(seed))


@dataclass(frozen=True)
class Sent:
    """A revision of an article that the service has sent.

    It was fetched the given minutes after `NOON` (None if unknown) and received at the same time,
    unless `received` gives other minutes. `values` are further values of its message.
    """

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
    """Store new articles, with their sites and pages."""
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
    """The stories of a database; messages about articles are published as soon as composed."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.messages: list[dict[str, Any]] = []
        """All messages published so far."""
        self.forwarded_ids: list[str] = []
        """IDs of all articles forwarded so far."""

    def add(self, *sent: Sent, window: timedelta = WINDOW) -> list[dict[str, Any]]:
        """Store articles and group them in one batch; return the messages then published."""
        store(self.engine, sent)
        ungrouped = group_articles(self.engine, [each.message() for each in sent], window)
        assert ungrouped == (set(), {})
        return self.publish()

    def add_each(self, sent: Sequence[Sent]) -> None:
        """Store and group articles one by one."""
        for each in sent:
            self.add(each)

    def send_corrections(self) -> list[dict[str, Any]]:
        """Compose and publish the corrections that are due; return their messages."""
        with lock_stories(self.engine) as connection:
            compose_due(connection)
        return self.publish()

    def publish(self) -> list[dict[str, Any]]:
        """Publish and return all pending messages."""
        with self.engine.begin() as connection:
            rows = lock_pending(connection)
            note_published(connection, [row.page for row in rows])
        self.forwarded_ids += [str(row.article_id) for row in rows if row.must_forward]
        new = [row.pending for row in rows]
        self.messages += new
        return new

    def latest_messages(self) -> dict[str, dict[str, Any]]:
        """Publish even corrections not due yet; return each article's latest message, by URL."""
        previous = -1
        while len(self.messages) > previous:
            previous = len(self.messages)
            with self.engine.begin() as connection:
                connection.execute(text("UPDATE stories.articles SET correct_after = NULL"))
            self.send_corrections()
        return {each["url"]: each for each in self.messages}

    def relations(self) -> dict[str, str | None]:
        """Return the relation of each article, by site."""
        return {each["site"]: each["relation"] for each in self.latest_messages().values()}

    def ids(self) -> set[str]:
        """Return the IDs of all stories."""
        return {each["story"] for each in self.latest_messages().values()}

    def clear(self) -> None:
        """Delete all articles and stories."""
        with self.engine.begin() as connection:
            connection.execute(text("DELETE FROM stories.articles"))
            connection.execute(text("DELETE FROM stories.stories"))
        self.messages, self.forwarded_ids = [], []

    def count(self, query: str) -> int:
        """Return the number that a query selects."""
        with self.engine.connect() as connection:
            return int(connection.scalar(text(query)) or 0)
