"""The changes of a new revision since the article's latest one."""

from dataclasses import replace

from sqlalchemy.orm import Session

from worker.revisions import changes_between
from worker.store import articles
from worker.store.articles import NewArticle
from worker.store.extraction_jobs import ExtractionJob


def with_changes(session: Session, job: ExtractionJob, article: NewArticle) -> NewArticle:
    """Return a revision with its `changes`, unless the latest one is withdrawn or joined."""
    before = articles.last_message(session, job.page_id)
    if before is None or before.get("withdrawn") or (before.get("parts") or {}).get("joined"):
        return article
    # The article with which this one is compared shows the template's text as well.
    others = articles.last_texts(session, [job.pivot.id]) if job.pivot is not None else {}
    changes = changes_between(before, article.message, others.values())
    return replace(article, message={**article.message, "changes": changes.model_dump()})


def without_changes(article: NewArticle) -> NewArticle:
    """Return a revision without its `changes`."""
    return replace(article, message={**article.message, "changes": None})
