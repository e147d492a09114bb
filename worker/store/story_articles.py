"""Which story the article of each page tells, and what its last revision says of that."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Select,
    and_,
    any_,
    bindparam,
    delete,
    func,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.dialects.postgresql.dml import Insert
from sqlalchemy.orm import Session

from models.tables import (
    Article,
    ArticleComment,
    Site,
    StoredPage,
    Story,
    StoryArticle,
    StoryText,
)
from worker.store.pages import has_article
from worker.store.statements import rows_only


class Told(NamedTuple):
    """What is known of a page's article among the stories, see `StoryArticle`."""

    text_id: int | None
    key: bytes
    fetched_at: datetime | None
    wire: str | None
    told: dict[str, Any]
    is_held_back: bool = False


class TellingArticle(NamedTuple):
    """An article of a story."""

    page_id: int
    text_id: int
    key: bytes
    fetched_at: datetime | None
    wire: str | None


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
    """Return what is known of the articles of some pages, by page."""
    rows = session.execute(_TOLD, {"ids": list(page_ids)})
    return {page_id: Told(*rest) for page_id, *rest in rows}


def _articles() -> Select[*tuple[Any, ...]]:
    return (
        select(
            StoryArticle.page_id,
            StoryArticle.text_id,
            StoryArticle.key,
            StoryArticle.fetched_at,
            StoryArticle.wire,
        )
        .join(StoryText, StoryText.id == StoryArticle.text_id)
        .join(StoredPage, StoredPage.id == StoryArticle.page_id)
        .join(Site, Site.id == StoredPage.site_id)
        .where(StoryText.story_id == bindparam("story_id", type_=BigInteger))
        .order_by(
            StoryArticle.fetched_at.nulls_last(),
            StoryArticle.key,
            func.convert_to(Site.key, "UTF8"),
            func.convert_to(StoredPage.url, "UTF8"),
        )
    )


_ARTICLES = rows_only(_articles())
_ARTICLES_WITH = rows_only(
    _articles().where(
        or_(
            StoryArticle.text_id == any_(bindparam("texts", type_=ARRAY(BigInteger))),
            StoryArticle.page_id == bindparam("of_page", type_=BigInteger),
        )
    )
)
_FIRST = rows_only(
    _articles()
    .add_columns(Story.first_page_id)
    .join(Story, Story.id == StoryText.story_id)
    .limit(1)
)
_NOTE_CHANGE = rows_only(
    update(Story)
    .where(Story.id == bindparam("story_id", type_=BigInteger))
    .values(first_page_id=bindparam("new_first", type_=BigInteger), changed_at=func.now())
    .execution_options(synchronize_session=False, dml_strategy="core_only")
)


def articles_of_story(session: Session, story_id: int) -> list[TellingArticle]:
    """Return the articles of a story, the first before the others.

    The first is that fetched first; at equal times, or where none is known, the order is that of
    the keys of the texts, of the sites and of the addresses.
    """
    return [_telling(row) for row in session.execute(_ARTICLES, {"story_id": story_id})]


def articles_with(
    session: Session, story_id: int, text_ids: Collection[int], page_id: int | None
) -> list[TellingArticle]:
    """Return those articles of a story that have one of some texts, or are of a page."""
    asked = {"story_id": story_id, "texts": sorted(text_ids), "of_page": page_id}
    return [_telling(row) for row in session.execute(_ARTICLES_WITH, asked)]


def _telling(row: Any) -> TellingArticle:
    page_id, text_id, key, fetched_at, wire = row
    return TellingArticle(page_id, text_id, bytes(key), fetched_at, wire)


def first_of_story(session: Session, story_id: int) -> tuple[TellingArticle, bool] | None:
    """Return the first article of a story, see `articles_of_story`, and whether it is noted so."""
    row = session.execute(_FIRST, {"story_id": story_id}).one_or_none()
    if row is None:
        return None
    *article, noted = row
    first = _telling(article)
    return first, noted == first.page_id


def note_change(session: Session, story_id: int, page_id: int) -> None:
    """Note that a story has changed, and its first article."""
    session.execute(_NOTE_CHANGE, {"story_id": story_id, "new_first": page_id})


def _putting() -> Insert:
    add = upsert(StoryArticle)
    names = ("text_id", "key", "fetched_at", "wire", "told")
    return add.on_conflict_do_update(
        index_elements=[StoryArticle.page_id], set_={name: add.excluded[name] for name in names}
    ).execution_options(dml_strategy="raw")


_PUT = rows_only(_putting())


def put_article(session: Session, page_id: int, told: Told) -> None:
    """Note which text a page's article has, and what is told of it for now."""
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


_TELL = rows_only(
    update(StoryArticle)
    .where(StoryArticle.page_id == bindparam("of_page", type_=BigInteger))
    .values(told=bindparam("new_told", type_=JSONB))
    .execution_options(synchronize_session=False, dml_strategy="core_only")
)


def tell(session: Session, told: Mapping[int, Mapping[str, Any]]) -> None:
    """Note what is told of the articles of pages, by page."""
    if told:
        values = [{"of_page": page, "new_told": dict(each)} for page, each in sorted(told.items())]
        session.execute(_TELL, values)


_NOTE_SENT = rows_only(
    update(StoryArticle)
    .where(StoryArticle.page_id == any_(_IDS))
    .values(
        sent=StoryArticle.told,
        is_held_back=StoryArticle.page_id == any_(bindparam("held", type_=ARRAY(BigInteger))),
    )
    .execution_options(synchronize_session=False, dml_strategy="core_only")
)


def note_sent(session: Session, page_ids: Collection[int], held_back: Collection[int]) -> None:
    """Note that the last revisions of pages say what is told; some of them were held back."""
    session.execute(_NOTE_SENT, {"ids": sorted(page_ids), "held": sorted(held_back)})


_TAKE_OUT = rows_only(
    update(StoryArticle)
    .where(StoryArticle.page_id == bindparam("of_page", type_=BigInteger))
    .values(text_id=None)
    .execution_options(synchronize_session=False, dml_strategy="core_only")
)


def take_out(session: Session, page_id: int) -> None:
    """Take the article of a page from its text."""
    session.execute(_TAKE_OUT, {"of_page": page_id})


_REMOVE = rows_only(
    delete(StoryArticle)
    .where(StoryArticle.page_id == any_(_IDS))
    .execution_options(synchronize_session=False)
)


def remove_articles(session: Session, page_ids: Collection[int]) -> None:
    """Forget the articles of pages, which are in no story any more."""
    session.execute(_REMOVE, {"ids": sorted(page_ids)})


_IS_TOLD_OTHERWISE = and_(StoryArticle.sent.is_not(None), StoryArticle.sent != StoryArticle.told)
"""Whether an article says of its story what is told no more."""


def pages_to_correct(session: Session, limit: int) -> list[int]:
    """Return pages whose last revision says something else than what is told now, ascending.

    A page that waits to be extracted is none of them: its next article says it.
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
    """The last revision of a page's article, which says of its story what is told no more."""

    message: dict[str, Any]
    content_digest: str
    told: dict[str, Any]
    is_held_back: bool


def lock_correction(session: Session, page_id: int) -> Correction | None:
    """Return, locked, what is to be corrected of a page; None where nothing is any more."""
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
    """Give an article the comments of the revision before it."""
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
