"""The story of each page's article, and the story stated by its latest revision."""

import json
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    Float,
    Integer,
    Select,
    Text,
    Update,
    and_,
    any_,
    bindparam,
    case,
    cast,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    text,
    true,
    union_all,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB, array
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.dialects.postgresql.dml import Insert
from sqlalchemy.orm import Session
from sqlalchemy.sql import FromClause

from models.tables import (
    Article,
    ArticleComment,
    Site,
    StoredPage,
    Story,
    StoryArrival,
    StoryArticle,
    StoryText,
)
from worker.store.pages import has_article
from worker.store.statements import rows_only

MAX_COMPARED: Final = 100
"""Maximum number of a story's articles considered when looking for the first."""

MAX_DOUBLINGS: Final = 20
"""Number of corrections after which the delay before the next one stops doubling."""


class Told(NamedTuple):
    """The story state of a page's article; see `StoryArticle`."""

    text_id: int | None
    key: bytes
    fetched_at: datetime | None
    wire: str | None
    told: dict[str, Any]
    is_held_back: bool = False


class TellingArticle(NamedTuple):
    """An article in a story, with its site and URL."""

    page_id: int
    text_id: int
    key: bytes
    fetched_at: datetime | None
    wire: str | None
    site_key: str
    url: str


class Retelling(NamedTuple):
    """A story whose articles must be updated because its first article changed; see `Story`."""

    story_id: int
    first_page_id: int | None
    changed_at: datetime
    retold_to: list[int]


_IDS = bindparam("ids", type_=ARRAY(BigInteger))

_TOLD = rows_only(
    select(
        StoryArticle.page_id,
        StoryArticle.text_id,
        StoryArticle.key,
        StoryArticle.fetched_at,
        StoryArticle.wire,
        StoryArticle.told,
        StoryArticle.is_held_back,
    ).where(StoryArticle.page_id == any_(_IDS))
)


def told_of_pages(session: Session, page_ids: Collection[int]) -> dict[int, Told]:
    """Return the story state of the pages' articles, by page ID."""
    rows = session.execute(_TOLD, {"ids": list(page_ids)})
    return {page_id: Told(*rest) for page_id, *rest in rows}


_COLUMNS = (
    StoryArticle.page_id,
    StoryArticle.text_id,
    StoryArticle.key,
    StoryArticle.fetched_at,
    StoryArticle.wire,
    Site.key,
    StoredPage.url,
)
_STORY = bindparam("story_id", type_=BigInteger)


def _articles() -> Select[*tuple[Any, ...]]:
    return (
        select(*_COLUMNS)
        .join(StoryText, StoryText.id == StoryArticle.text_id)
        .join(StoredPage, StoredPage.id == StoryArticle.page_id)
        .join(Site, Site.id == StoredPage.site_id)
    )


def _finding_first() -> Select[*tuple[Any, ...]]:
    some = (
        select(StoryArticle.page_id)
        .join(StoryText, StoryText.id == StoryArticle.text_id)
        .where(StoryText.story_id == _STORY)
        .limit(MAX_COMPARED)
        .subquery()
    )
    known = select(Story.first_page_id).where(Story.id == _STORY)
    return (
        _articles()
        .join(Story, Story.id == StoryText.story_id)
        .add_columns(Story.first_page_id)
        .where(
            StoryText.story_id == _STORY,
            StoryArticle.page_id.in_(
                union_all(
                    select(some.c.page_id), known, select(bindparam("new_page", type_=BigInteger))
                )
            ),
        )
        .order_by(
            StoryArticle.fetched_at.nulls_last(),
            StoryArticle.key,
            func.convert_to(Site.key, "UTF8"),
            func.convert_to(StoredPage.url, "UTF8"),
        )
        .limit(1)
    )


_FIRST = rows_only(_finding_first())
_NOTED_FIRST = rows_only(
    _articles()
    .join(Story, Story.id == StoryText.story_id)
    .where(Story.id == _STORY, StoryArticle.page_id == Story.first_page_id)
)
_NOTE_CHANGE = rows_only(
    update(Story)
    .where(Story.id == _STORY)
    .values(
        first_page_id=bindparam("new_first", type_=BigInteger),
        changed_at=func.now(),
        retold_to=case(
            (bindparam("retell", type_=Boolean), array([0, 0], type_=BigInteger)),
            else_=Story.retold_to,
        ),
    )
    .execution_options(synchronize_session=False, dml_strategy="core_only")
)


def first_of_story(
    session: Session, story_id: int, page_id: int | None
) -> tuple[TellingArticle, bool] | None:
    """Return the first article of a story, and whether it is recorded as the first.

    The first article is the one fetched earliest; articles with equal or unknown times are ordered
    by text key, site and URL. Of a story with more than `MAX_COMPARED` articles, only that many are
    considered, plus the recorded first article and that of ``page_id``, a page new to the story.
    """
    asked = {"story_id": story_id, "new_page": page_id}
    row = session.execute(_FIRST, asked).one_or_none()
    if row is None:
        return None
    *article, noted = row
    first = _telling(article)
    return first, noted == first.page_id


def noted_first(session: Session, story_id: int) -> TellingArticle | None:
    """Return the article recorded as the first of a story."""
    row = session.execute(_NOTED_FIRST, {"story_id": story_id}).one_or_none()
    return None if row is None else _telling(row)


def note_change(session: Session, story_id: int, first_page_id: int, *, retell: bool) -> None:
    """Record a story's change and first article, and whether to update all its articles."""
    asked = {"story_id": story_id, "new_first": first_page_id, "retell": retell}
    session.execute(_NOTE_CHANGE, asked)


def _telling(row: Any) -> TellingArticle:
    page_id, text_id, key, *rest = row
    return TellingArticle(page_id, text_id, bytes(key), *rest)


_TO_RETELL = rows_only(
    select(Story.id, Story.first_page_id, Story.changed_at, Story.retold_to)
    .where(Story.retold_to.is_not(None))
    .order_by(Story.id)
    .limit(1)
)


def _finding_next() -> Select[*tuple[Any, ...]]:
    text, page = (bindparam(name, type_=BigInteger) for name in ("after_text", "after_page"))
    most = bindparam("most", type_=Integer)
    of_text = (
        select(*(getattr(StoryArticle, name) for name in _RETOLD))
        .where(
            StoryArticle.text_id == StoryText.id,
            or_(StoryText.id > text, StoryArticle.page_id > page),
        )
        .order_by(StoryArticle.page_id)
        .limit(most)
        .lateral("of_text")
    )
    return (
        select(*(of_text.c[name] for name in _RETOLD))
        .select_from(StoryText)
        .join(of_text, true())
        .where(StoryText.story_id == _STORY, StoryText.id >= text)
        .order_by(StoryText.id, of_text.c.page_id)
        .limit(most)
    )


_RETOLD = ("text_id", "page_id", "wire")
_NEXT = rows_only(_finding_next())
_NOTE_RETOLD = rows_only(
    update(Story)
    .where(
        Story.id == _STORY,
        Story.changed_at == bindparam("of_change"),
        Story.retold_to == bindparam("after", type_=ARRAY(BigInteger)),
    )
    .values(retold_to=bindparam("new_retold", type_=ARRAY(BigInteger)))
    .execution_options(synchronize_session=False, dml_strategy="core_only")
)


def story_to_retell(session: Session) -> Retelling | None:
    """Return a story whose articles must be updated because its first article changed."""
    row = session.execute(_TO_RETELL).one_or_none()
    if row is None or row.retold_to is None:
        return None
    return Retelling(row.id, row.first_page_id, row.changed_at, row.retold_to)


def articles_to_retell(
    session: Session, story: Retelling, most: int
) -> list[tuple[int, int, str | None]]:
    """Return the text ID, page ID and agency of the next articles to update in a story."""
    after_text, after_page = story.retold_to
    asked = {
        "story_id": story.story_id,
        "after_text": after_text,
        "after_page": after_page,
        "most": most,
    }
    return [tuple(row) for row in session.execute(_NEXT, asked)]


def note_retold(session: Session, story: Retelling, retold_to: list[int] | None) -> bool:
    """Record the progress of a story's update (None: complete); return False if it changed."""
    asked = {
        "story_id": story.story_id,
        "of_change": story.changed_at,
        "after": story.retold_to,
        "new_retold": retold_to,
    }
    noted: Any = session.execute(_NOTE_RETOLD, asked)
    return bool(noted.rowcount)


def _putting() -> Insert:
    add = upsert(StoryArticle)
    names = ("text_id", "key", "fetched_at", "wire", "told")
    return add.on_conflict_do_update(
        index_elements=[StoryArticle.page_id], set_={name: add.excluded[name] for name in names}
    ).execution_options(dml_strategy="raw")


_PUT = rows_only(_putting())


def put_article(session: Session, page_id: int, told: Told) -> None:
    """Record the text and the current story of a page's article."""
    session.execute(
        _PUT,
        {
            "page_id": page_id,
            "text_id": told.text_id,
            "key": told.key,
            "fetched_at": told.fetched_at,
            "wire": told.wire,
            "told": told.told,
        },
    )


def _by_page(name: str) -> FromClause:
    return (
        func.unnest(bindparam("pages", type_=ARRAY(BigInteger)), bindparam(name, type_=ARRAY(Text)))
        .table_valued("page_id", "story", name="given")
        .render_derived()
    )


def _telling_all() -> Update:
    given = _by_page("stories")
    return (
        update(StoryArticle)
        .where(StoryArticle.page_id == given.c.page_id)
        .values(told=cast(given.c.story, JSONB))
        .execution_options(synchronize_session=False, dml_strategy="core_only")
    )


_TELL = rows_only(_telling_all())


def tell(session: Session, told: Mapping[int, Mapping[str, Any]]) -> None:
    """Record the current stories of articles, by page ID."""
    if told:
        session.execute(_TELL, _given(told))


def _given(told: Mapping[int, Mapping[str, Any]]) -> dict[str, Any]:
    return {"pages": list(told), "stories": [json.dumps(each) for each in told.values()]}


_ADD_SAID = rows_only(
    upsert(StoryArticle).on_conflict_do_nothing().execution_options(dml_strategy="raw")
)


def add_said(session: Session, said: Mapping[int, Told]) -> None:
    """Record the stories that pages state before they are grouped."""
    if said:
        values = [
            {
                "page_id": page_id,
                "key": each.key,
                "fetched_at": each.fetched_at,
                "wire": each.wire,
                "told": each.told,
            }
            for page_id, each in sorted(said.items())
        ]
        session.execute(_ADD_SAID, values)


def _noting_sent() -> Update:
    given = _by_page("stories")
    return (
        update(StoryArticle)
        .where(StoryArticle.page_id == given.c.page_id)
        .values(
            sent=cast(given.c.story, JSONB),
            is_held_back=StoryArticle.page_id == any_(bindparam("held", type_=ARRAY(BigInteger))),
        )
        .execution_options(synchronize_session=False, dml_strategy="core_only")
    )


_NOTE_SENT = rows_only(_noting_sent())


def note_sent(
    session: Session, said: Mapping[int, Mapping[str, Any]], held_back: Collection[int]
) -> None:
    """Record the stories stated by the latest revisions, and which revisions were held back."""
    session.execute(_NOTE_SENT, {**_given(said), "held": sorted(held_back)})


def _noting_correction() -> Update:
    number = func.coalesce(StoryArticle.corrections, 0)
    seconds = bindparam("period", type_=Float) * func.power(2, func.least(number, MAX_DOUBLINGS))
    return (
        update(StoryArticle)
        .where(StoryArticle.page_id == bindparam("of_page", type_=BigInteger))
        .values(
            corrections=number + 1,
            correct_after=func.now() + seconds * text("interval '1 second'"),
        )
        .execution_options(synchronize_session=False, dml_strategy="core_only")
    )


_NOTE_CORRECTION = rows_only(_noting_correction())


def note_correction(session: Session, page_id: int, period_seconds: float) -> None:
    """Record a correction of a page's article, and double the delay before the next one."""
    session.execute(_NOTE_CORRECTION, {"of_page": page_id, "period": period_seconds})


_TAKE_OUT = rows_only(
    update(StoryArticle)
    .where(StoryArticle.page_id == bindparam("of_page", type_=BigInteger))
    .values(text_id=None)
    .execution_options(synchronize_session=False, dml_strategy="core_only")
)


def take_out(session: Session, page_id: int) -> None:
    """Detach a page's article from its text."""
    session.execute(_TAKE_OUT, {"of_page": page_id})


_REMOVE = rows_only(
    delete(StoryArticle)
    .where(StoryArticle.page_id == any_(_IDS))
    .execution_options(synchronize_session=False)
)


def remove_articles(session: Session, page_ids: Collection[int]) -> None:
    """Delete the articles of pages that are no longer in any story."""
    session.execute(_REMOVE, {"ids": sorted(page_ids)})


_IS_TOLD_OTHERWISE = and_(
    StoryArticle.sent.is_not(None),
    StoryArticle.sent != StoryArticle.told,
    or_(StoryArticle.correct_after.is_(None), StoryArticle.correct_after <= func.now()),
    ~exists().where(StoryArrival.page_id == StoryArticle.page_id),
)
"""Condition: the article's latest revision states an outdated story, and may be corrected now."""


def pages_to_correct(session: Session, limit: int) -> list[int]:
    """Return the IDs of pages whose latest revision states an outdated story, ascending.

    Pages awaiting extraction are excluded, since their next article will state the new story, as
    are pages whose articles are waiting to be grouped and recently corrected pages.
    """
    return list(
        session.scalars(
            select(StoryArticle.page_id)
            .join(StoredPage, StoredPage.id == StoryArticle.page_id)
            .where(_IS_TOLD_OTHERWISE, has_article())
            .order_by(StoryArticle.page_id)
            .limit(limit)
        )
    )


class Correction(NamedTuple):
    """The latest revision of a page's article, which states an outdated story."""

    message: dict[str, Any]
    content_digest: str
    told: dict[str, Any]
    is_held_back: bool


def lock_correction(session: Session, page_id: int) -> Correction | None:
    """Lock a page and return its due correction, or None if none is due any more."""
    page = session.execute(
        select(StoredPage.revision)
        .where(StoredPage.id == page_id, has_article())
        .with_for_update(of=StoredPage)
    ).one_or_none()
    if page is None:
        return None
    row = session.execute(
        select(
            Article.message,
            Article.content_digest,
            StoryArticle.told,
            StoryArticle.is_held_back,
        )
        .join(StoryArticle, StoryArticle.page_id == Article.page_id)
        .where(
            Article.page_id == page_id,
            Article.revision == page.revision,
            _IS_TOLD_OTHERWISE,
        )
        .with_for_update(of=StoryArticle)
    ).one_or_none()
    return Correction(*row) if row is not None else None


def copy_comments(session: Session, before: UUID, after: UUID) -> None:
    """Copy the comments of one revision of an article to the next."""
    names = [each.name for each in ArticleComment.__table__.columns if each.name != "article_id"]
    columns = [getattr(ArticleComment, name) for name in names]
    session.execute(
        insert(ArticleComment).from_select(
            ["article_id", *names],
            select(bindparam("after", after, type_=ArticleComment.article_id.type), *columns).where(
                ArticleComment.article_id == before
            ),
        )
    )
