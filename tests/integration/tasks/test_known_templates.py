"""Template knowledge is at hand for every page of a task, however small the cache."""

import pytest
from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError

from models.tables import StoredPage
from tests.inline_tasks import Tasks
from tests.pages import article_html
from worker.store.extraction_jobs import Pivot
from worker.workflow import known_templates
from worker.workflow.known_templates import KnownTemplates


def test_a_cached_template_is_not_evicted_by_others_of_its_task(
    tasks: Tasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks.publish("a", [(str(number), article_html(number)) for number in range(3)])
    page = StoredPage
    columns = (page.id, page.url, page.content_type, page.content_digest)
    with tasks.database.transaction() as session:
        old, new, other = (Pivot(*row) for row in session.execute(select(*columns)))
    monkeypatch.setattr(known_templates, "CACHED_TEMPLATES", 2)
    templates = KnownTemplates()
    for task in ([new], [old], [other], [old, new]):
        with tasks.database.transaction() as session:
            templates.load(session, task)
        assert all(templates.of(each) is not None for each in task)
        templates.save(tasks.database)


def test_the_template_of_a_deleted_page_fails_one_task_only(tasks: Tasks) -> None:
    tasks.publish("a", [("1", article_html(1))])
    page = StoredPage
    columns = (page.id, page.url, page.content_type, page.content_digest)
    templates = KnownTemplates()
    with tasks.database.transaction() as session:
        (pivot,) = (Pivot(*row) for row in session.execute(select(*columns)))
        templates.load(session, [pivot])
        assert templates.of(pivot) is not None
        session.execute(delete(page))
    with pytest.raises(IntegrityError):
        templates.save(tasks.database)
    templates.save(tasks.database)
