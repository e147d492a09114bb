"""The entity recogniser's feedback on articles, and the sites and templates that yield no entities.

An article is fruitless if the feedback on it reports no entities or judges it bad. A site is silent
if its articles have suddenly become fruitless (`silent_sites`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, exists, or_, select
from sqlalchemy.orm import Session

from detourage.messages import FeedbackMessage
from models.tables import Article, Feedback, StoredPage
from worker.store.database import sql

RECENT: Final = 20
"""Number of a site's latest articles with feedback that decide whether the site is silent; if there
are fewer, it is not."""

EARLIER: Final = 200
"""Maximum number of earlier articles with which the recent ones are compared."""

SILENT_SHARE: Final = 0.8
"""Minimum share of fruitless articles among the recent ones of a silent site."""

USUAL_SHARE: Final = 0.4
"""Maximum share of fruitless articles among the earlier ones of a silent site; if there are more,
it has not changed suddenly."""


def store_feedback(session: Session, given: Mapping[UUID, FeedbackMessage]) -> int:
    """Store feedback by article, and return the number of articles that are known.

    Feedback on unknown or pruned articles is dropped. Storing the same feedback again has no
    effect.
    """
    feedback = list(given.values())
    return int(
        session.execute(
            _STORE,
            {
                "articles": [each.article for each in feedback],
                "entities": [each.entities for each in feedback],
                "verdicts": [each.verdict for each in feedback],
                "notes": [each.note for each in feedback],
            },
        ).scalar_one()
    )


# The lock keeps the articles from being pruned before the foreign key is checked.
_STORE = sql("""
    WITH known AS (
        SELECT articles.id, articles.page_id, pages.site_id,
            CAST(message #>> '{template,group}' AS integer) AS group_number,
            message ->> 'method' AS method, given.entities, given.verdict, given.note
        FROM unnest(
            CAST(:articles AS uuid[]), CAST(:entities AS integer[]), CAST(:verdicts AS text[]),
            CAST(:notes AS text[])
        ) AS given (article_id, entities, verdict, note)
        JOIN articles ON articles.id = given.article_id
        JOIN pages ON pages.id = articles.page_id
        ORDER BY articles.id FOR KEY SHARE OF articles
    ), stored AS (
        INSERT INTO feedback AS former (
            article_id, page_id, site_id, group_number, method, entities, verdict, note
        )
        SELECT * FROM known
        ON CONFLICT (article_id) DO UPDATE SET
            entities = excluded.entities, verdict = excluded.verdict, note = excluded.note,
            received_at = excluded.received_at
        WHERE (former.entities, former.verdict, former.note)
            IS DISTINCT FROM (excluded.entities, excluded.verdict, excluded.note)
    )
    SELECT count(*) FROM known
""")


class GivenFeedback(NamedTuple):
    """The latest feedback on an article."""

    entities: int
    verdict: str | None
    note: str | None
    received_at: datetime


def feedback_on(session: Session, page_id: int, revision: int) -> GivenFeedback | None:
    """Return the feedback on a revision of a page's article, or None if there is none."""
    query = sql("""
        SELECT entities, verdict, note, received_at
        FROM feedback JOIN articles ON articles.id = article_id
        WHERE (articles.page_id, revision) = (:page_id, :revision)
    """)
    row = session.execute(query, {"page_id": page_id, "revision": revision}).one_or_none()
    return None if row is None else GivenFeedback(*row)


def is_fruitless() -> ColumnElement[bool]:
    """Condition: the page's latest article is fruitless."""
    return exists(
        select(Feedback.article_id)
        .join(Article, Article.id == Feedback.article_id)
        .where(
            Article.page_id == StoredPage.id,
            Article.revision == StoredPage.revision,
            or_(Feedback.entities == 0, Feedback.verdict == "bad"),
        )
    )


class FeedbackRow(NamedTuple):
    """Feedback on the latest articles of a site, of one of its groups, or of one method.

    Only a row for a group has a ``group`` (None for outliers), and only a row for a method has a
    ``method``. ``without_entities`` and ``bad`` are shares of the articles with feedback.
    """

    about: Literal["site", "group", "method"]
    group: int | None
    method: str | None
    articles: int
    mean_entities: float
    without_entities: float
    bad: float

    @property
    def subject(self) -> str:
        """Name of the group or the method, in words."""
        match self.about:
            case "site":
                return "all articles"
            case "group":
                return "no group" if self.group is None else f"group {self.group}"
            case "method":
                return f"method {self.method}"


def feedback_of_site(session: Session, site_id: int) -> list[FeedbackRow]:
    """Return the feedback on the latest articles of a site, of each group and of each method.

    The list is empty if there is no feedback. Groups and methods are those of the article messages.
    """
    query = sql("""
        SELECT
            CASE grouping(group_number, method)
                WHEN 3 THEN 'site' WHEN 1 THEN 'group' ELSE 'method'
            END,
            group_number, method, count(*), CAST(avg(entities) AS float),
            CAST(avg(CAST(entities = 0 AS integer)) AS float),
            CAST(avg(CAST(verdict IS NOT DISTINCT FROM 'bad' AS integer)) AS float)
        FROM feedback
        JOIN articles ON articles.id = feedback.article_id
        JOIN pages ON (pages.id, pages.revision) = (articles.page_id, articles.revision)
        WHERE feedback.site_id = :site_id
        GROUP BY GROUPING SETS ((), (group_number), (method))
        HAVING count(*) > 0
        ORDER BY grouping(method) DESC, grouping(group_number) DESC, group_number, method
    """)
    return [FeedbackRow(*row) for row in session.execute(query, {"site_id": site_id})]


def silent_sites(session: Session, site_ids: Sequence[int] | None = None) -> set[int]:
    """Return which of the given sites (all if None) have suddenly become silent.

    Considers sites with feedback in the last day. A site is silent if at least `SILENT_SHARE` of
    its `RECENT` latest articles with feedback are fruitless, while at most `USUAL_SHARE` of the up
    to `EARLIER` articles before them are. It is no longer silent once its articles have been
    fruitless for so long that this is normal.
    """
    found = session.execute(
        _SILENT,
        {
            "ids": None if site_ids is None else list(site_ids),
            "recent": RECENT,
            "examined": RECENT + EARLIER,
            "silent": SILENT_SHARE,
            "usual": USUAL_SHARE,
        },
    )
    return set(found.scalars())


# Without earlier articles, their share is null, and the site is not silent.
_SILENT = sql("""
    SELECT sites.id FROM sites CROSS JOIN LATERAL (
        SELECT avg(is_fruitless) FILTER (WHERE place <= :recent) AS recent,
            avg(is_fruitless) FILTER (WHERE place > :recent) AS earlier
        FROM (
            SELECT
                CAST(entities = 0 OR verdict IS NOT DISTINCT FROM 'bad' AS integer)
                    AS is_fruitless,
                row_number() OVER (ORDER BY received_at DESC, article_id) AS place
            FROM feedback WHERE feedback.site_id = sites.id
            ORDER BY received_at DESC, article_id LIMIT :examined
        ) AS latest
    ) AS shares
    WHERE (CAST(:ids AS bigint[]) IS NULL OR sites.id = ANY (CAST(:ids AS bigint[])))
        AND EXISTS (
            SELECT FROM feedback
            WHERE feedback.site_id = sites.id AND received_at > now() - interval '1 day'
        )
        AND recent >= :silent AND earlier <= :usual
""")


@dataclass(frozen=True)
class FeedbackCounts:
    """Number of articles with feedback from the last day, and of those that have no entities."""

    articles: int
    without_entities: int


def feedback_counts(session: Session) -> FeedbackCounts:
    """Count the articles with feedback from the last day."""
    query = sql("""
        SELECT count(*), count(*) FILTER (WHERE entities = 0) FROM feedback
        WHERE received_at > now() - interval '1 day'
    """)
    return FeedbackCounts(*session.execute(query).one())
