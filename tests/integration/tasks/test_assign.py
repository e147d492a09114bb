"""New pages of clustered sites are assigned to groups and extracted on arrival."""

import json
import logging
from base64 import b64decode, b64encode
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import delete, func, select, update

from benchmarks.evaluation.scores import text_only
from detourage.reader.article_and_comments import read_content
from detourage.template.assignment import assign_tree
from examples.sample_crawl import generate
from models.tables import (
    DesignChange,
    Generation,
    Membership,
    PageContent,
    StoredPage,
    TemplateGroup,
)
from tests.commands import invoke
from tests.inline_tasks import Tasks
from tests.pages import article_html
from worker.messaging import task_names
from worker.messaging.headers import DELIVERY_COUNT
from worker.store import database
from worker.store.clusterings import SettleTimes, due_sites
from worker.store.database import Database, UnavailableError
from worker.tasks.assign import assign
from worker.workflow import assignment, extraction, known_templates
from worker.workflow.clustering_requests import MIN_GROWTH

REDESIGNED = "harbour-post.example"


@pytest.fixture
def site_id(tasks: Tasks) -> int:
    """ID of a clustered site with one template, whose articles have been sent."""
    site_id = tasks.process_site(tasks.publish("a", articles(range(2, 8))))
    tasks.take_articles()
    return site_id


def articles(numbers: Iterable[int], template: str = "plain") -> list[tuple[str, str]]:
    """Return pages of one template with different structures."""
    return [
        (f"{template}/{number}", article_html(number, number=number, template=template))
        for number in numbers
    ]


TWO_TEMPLATES = [*articles(range(2, 8)), *articles(range(2, 6), "table")]


def gallery(number: int) -> tuple[str, str]:
    """Return a page with a template that no other page has."""
    pictures = "".join(
        f"<figure><img src='/{number}-{i}.jpg'><figcaption>Picture {number}-{i}: the river seen"
        f" from the old bridge, early in the morning.</figcaption></figure>"
        for i in range(6 + number)
    )
    return f"gallery/{number}", f"<html><body><main><h1>Pictures {number}</h1>{pictures}</main>"


def url(path: str) -> str:
    return f"https://news.example/{path}"


def test_a_page_of_a_known_template_is_extracted_before_any_clustering(tasks: Tasks) -> None:
    site_id = tasks.process_site(tasks.publish("a", TWO_TEMPLATES))
    tasks.take_articles()
    tasks.publish("a", articles([9], "table"))
    tasks.run_all()
    assert tasks.generations(site_id) == 1
    group, role, template_page = tasks.groups(site_id)[url("table/9")]
    assert (role, template_page) == ("member", tasks.groups(site_id)[url("table/2")][2])
    (article,) = tasks.take_articles().values()
    assert article["url"] == url("table/9")
    assert article["template"] == {"group": group, "generation": 1, "size": 5, "role": "member"}
    assert article["revision"] == 1
    assert "Section" not in article["text"]
    (confidence,) = tasks.query(
        select(Membership.confidence).where(Membership.confidence.is_not(None))
    )
    assert 0 < confidence <= 1
    # The next clustering leaves the page where it is.
    before = tasks.groups(site_id)
    tasks.process_site(site_id)
    assert tasks.generations(site_id) == 2
    assert partition(tasks.groups(site_id)) == partition(before)
    assert tasks.take_articles() == {}


def test_a_new_page_is_extracted_from_the_stored_template_knowledge_alone(tasks: Tasks) -> None:
    tasks.cluster(tasks.publish("a", articles(range(2, 8))))
    tasks.publish("a", articles([9]))
    tasks.run_all()
    expected = tasks.take_articles()[url("plain/9")]["text"]
    tasks.process_site(tasks.publish("b", articles(range(2, 8))))
    tasks.take_articles()
    tasks.execute(delete(PageContent))
    tasks.restart()
    tasks.publish("b", articles([9]))
    tasks.run_all()
    article = tasks.take_articles()[url("plain/9")]
    assert (article["method"], article["text"]) == ("lines", expected)


def test_a_new_outlier_of_a_small_site_waits_for_its_clustering(tasks: Tasks) -> None:
    tasks.process_site(tasks.publish("a", articles(range(2, 6))))
    tasks.take_articles()
    site_id = tasks.publish("a", articles([2, 3], "table"))
    tasks.publish("a", articles([9]))
    tasks.run_all()
    assert list(tasks.take_articles()) == [url("plain/9")]
    settle = SettleTimes(60, 0, longest=60, first_longest=0, growth=MIN_GROWTH)
    (due,) = tasks.database.run(due_sites, settle, patience_seconds=60)
    tasks.process_site(due.id)
    sent = tasks.take_articles()
    assert due.id == site_id
    assert {each["template"]["group"] for each in sent.values()} == {2}
    assert sorted(sent) == [url("table/2"), url("table/3")]
    assert set(tasks.revisions().values()) == {1}


def test_a_redelivered_assignment_changes_nothing(tasks: Tasks, site_id: int) -> None:
    tasks.publish("a", [*articles([9]), *articles(range(2, 6), "table")])
    tasks.run(task_names.ASSIGN, times=3)
    tasks.run(task_names.EXTRACT, times=2)
    groups = tasks.groups(site_id)
    sizes = dict(tasks.query(select(TemplateGroup.number, TemplateGroup.size)))
    assert sizes == {
        number: sum(group == number for group, _, _ in groups.values()) for number in sizes
    }
    assert {article["revision"] for article in tasks.take_articles().values()} == {1}


@pytest.mark.parametrize("is_failing", [False, True])
def test_a_page_clustered_or_failing_during_its_assignment_has_one_article(
    tasks: Tasks, site_id: int, monkeypatch: pytest.MonkeyPatch, is_failing: bool
) -> None:
    def read_and_cluster(*arguments: Any, **options: Any) -> Any:
        monkeypatch.undo()
        tasks.cluster(site_id)
        tasks.run(task_names.EXTRACT)  # Skipped, as the assignment locks the page.
        if is_failing:
            raise UnavailableError("the store is gone for good")
        return read_content(*arguments, **options)

    tasks.publish("a", articles([9]))
    (task,) = tasks.take(task_names.ASSIGN)
    monkeypatch.setattr(extraction, "read_content", read_and_cluster)
    monkeypatch.setattr(database, "TRANSACTION_RETRY_DELAYS", (0,))
    assign(**task)
    assert tasks.outcomes()["9"] == (None, None)
    tasks.run_all()
    assert tasks.take_articles()[url("plain/9")]["template"]["generation"] == 2
    assert set(tasks.query(select(StoredPage.revision))) == {1}


@pytest.mark.parametrize("is_redelivered", [False, True])
def test_a_batch_that_failed_or_was_redelivered_is_retried_page_by_page(
    tasks: Tasks, site_id: int, monkeypatch: pytest.MonkeyPatch, is_redelivered: bool
) -> None:
    tasks.publish("a", articles(range(10, 14)))
    batch = tasks.take(task_names.ASSIGN)
    first, *rest = batch
    others = [(each["page_id"], each["site_version"]) for each in rest]
    assigned: list[Any] = []

    def fail_on_second_page(*arguments: Any) -> Any:
        if assigned:
            raise ValueError("two roots")
        assigned.append(arguments)
        return assign_tree(*arguments)

    # A redelivered batch is split as well, because one of its pages may have killed the process.
    if not is_redelivered:
        monkeypatch.setattr(assignment, "assign_tree", fail_on_second_page)
    assign.push_request(**{DELIVERY_COUNT: int(is_redelivered)})
    assign.run(**first, others=others)
    assign.pop_request()
    monkeypatch.undo()
    retries = tasks.take(task_names.ASSIGN)
    assert {each["page_id"] for each in retries} == {each["page_id"] for each in batch}
    assert len(retries) == len(batch)
    assert all(each[task_names.OTHERS] == [] for each in retries)
    for retry in retries:
        assign(**retry)
    tasks.run_all()
    assert len({group for group, _, _ in tasks.groups(site_id).values()}) == 1
    assert set(tasks.query(select(StoredPage.revision))) == {1}


def test_pages_already_clustered_are_not_assigned(tasks: Tasks) -> None:
    site_id = tasks.cluster(tasks.publish("a", articles(range(2, 8))))
    tasks.publish("a", articles([9]))
    late = tasks.take(task_names.ASSIGN)
    tasks.process_site(site_id)
    members = select(Membership.page_id, Membership.generation, Membership.confidence)
    before = tasks.query(members)
    for each in late:
        assign(**each)
    assert tasks.take(task_names.EXTRACT) == []
    assert tasks.query(members) == before


def test_a_page_whose_template_changes_moves_to_its_new_group(tasks: Tasks) -> None:
    site_id = tasks.process_site(tasks.publish("a", TWO_TEMPLATES))
    tasks.publish("a", [("plain/4", article_html(4, number=4, template="table"))])
    tasks.run_all()
    groups = tasks.groups(site_id)
    assert groups[url("plain/4")][0] == groups[url("table/4")][0]
    sizes = dict(tasks.query(select(TemplateGroup.number, TemplateGroup.size)))
    assert sorted(sizes.values()) == [5, 5]


def test_incremental_assignment_gives_the_same_groups_and_articles_as_one_clustering(
    tasks: Tasks, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The smallest possible cache must not affect the result.
    monkeypatch.setattr(known_templates, "CACHED_TEMPLATES", 1)
    pages = [
        *articles(range(2, 9)),
        *articles(range(2, 8), "table"),
        *(gallery(number) for number in range(3)),
    ]
    site_id = tasks.process_site(tasks.publish("once", pages))
    expected_groups = tasks.groups(site_id)
    expected_texts = {key: value["text"] for key, value in tasks.take_articles().items()}
    incremental = Tasks(Database(database_url), seed=1)
    for index, page in enumerate(reversed(pages)):
        other_id = incremental.publish("by one", [page])
        incremental.run_all()
        if index == 4:
            incremental.process_site(other_id)
    incremental.process_site(other_id)
    assert partition(incremental.groups(other_id)) == partition(expected_groups)
    texts = {key: value["text"] for key, value in incremental.take_articles().items()}
    assert texts == expected_texts
    incremental.database.dispose()


def partition(groups: dict[str, tuple[int | None, str, str | None]]) -> set[frozenset[str]]:
    """Return a site's groups without their numbers; each outlier counts as its own group."""
    members: dict[object, set[str]] = {}
    for address, (group, _, _) in groups.items():
        members.setdefault(address if group is None else group, set()).add(address)
    return {frozenset(each) for each in members.values()}


def test_a_redesign_during_a_crawl_is_reported_and_its_pages_are_extracted_correctly(
    tasks: Tasks, caplog: pytest.LogCaptureFixture
) -> None:
    crawl = list(generate(sites=[REDESIGNED]))
    crawl.sort(key=lambda page: page.message["fetched_at"])
    designs = [page.gold["template_class"].split("/")[1] for page in crawl]
    first = designs.index("2023")
    assert "2016" not in designs[first:]
    site_id = tasks.process_site(tasks.send(page.message for page in crawl[:first]))
    assert tasks.query(select(DesignChange.generation)) == []
    tasks.take_articles()
    # Redesigned pages are extracted on arrival, and the next clustering reports the redesign.
    tasks.send(page.message for page in crawl[first:])
    tasks.run_all()
    first_articles = tasks.take_articles()
    with caplog.at_level(logging.WARNING):
        tasks.cluster(site_id)
    assert "design changed" in caplog.text
    tasks.run_all()
    corrected = tasks.take_articles()
    scores = []
    for page in crawl[first:]:
        if page.gold["kind"] == "article":
            address = page.message["url"]
            article = corrected.get(address) or first_articles[address]
            scores.append(text_only(article["text"], page.gold["text"]).f1)
    assert sum(scores) / len(scores) > 0.9
    assert tasks.query(select(DesignChange.generation)) == [2]
    changed = crawl[first].message["url"]
    status = json.loads(invoke("status", REDESIGNED, "--json").output)
    (change,) = status["design_changes"]
    assert change["first_url"] == changed
    present = {group["number"] for group in status["groups"] if group["size"]}
    assert present >= {*change["new_groups"], *change["gone_groups"]}
    assert f"design changed with {changed}" in invoke("status", REDESIGNED).output
    metric = f'detourage_design_changes_total{{site="{REDESIGNED}"}} 1.0'
    assert metric in invoke("status", "--prometheus").output
    tasks.send([copy_under_new_url(crawl[-1].message)])
    tasks.run_all()
    tasks.cluster(site_id)
    assert tasks.query(select(func.max(Generation.number))) == [3]
    assert tasks.query(select(DesignChange.generation)) == [2]


def copy_under_new_url(message: dict[str, str]) -> dict[str, str]:
    """Return a copy of a page under another URL, which the copy declares as its own."""
    url = message["url"] + "?again"
    html = b64decode(message["html_base64"]).replace(message["url"].encode(), url.encode())
    return message | {"url": url, "html_base64": b64encode(html).decode(), "id": "again"}


def cluster_and_count_changes(tasks: Tasks, site_id: int) -> int:
    tasks.run_all()
    tasks.cluster(site_id)
    return len(tasks.query(select(DesignChange.generation)))


def test_undated_pages_received_with_old_pages_are_no_design_change(tasks: Tasks) -> None:
    site_id = tasks.publish("a", articles(range(2, 14)))
    tasks.execute(update(StoredPage).values(fetched_at=func.now() - timedelta(days=900)))
    tasks.cluster(site_id)
    tasks.publish("a", articles(range(2, 14), "table"))
    assert cluster_and_count_changes(tasks, site_id) == 0


@pytest.mark.parametrize(
    ("first", "later_unchanged", "changes"),
    [(range(2, 10), range(10, 18), 0), (range(2, 14), range(0), 1)],
    ids=["some of them in the known template", "all of them in a new template"],
)
def test_undated_pages_of_a_later_day_show_a_design_change_if_all_have_a_new_template(
    tasks: Tasks, first: range, later_unchanged: range, changes: int
) -> None:
    site_id = tasks.cluster(tasks.publish("a", articles(first)))
    tasks.backdate(StoredPage.received_at, days=3)
    tasks.publish("a", [*articles(later_unchanged), *articles(range(2, 14), "table")])
    assert cluster_and_count_changes(tasks, site_id) == changes
