"""A sender may name the site of a page, but cannot affect a site of another domain."""

import json

import pytest
from sqlalchemy import select

from models.tables import OutboxEntry, StoredPage
from tests.commands import invoke
from tests.inline_tasks import Tasks
from tests.pages import article_html
from worker.tasks.reprocess import reprocess
from worker.workflow.article_message import MAX_ROUTING_KEY_BYTES

VICTIM = "victim.com"


def pages(
    host: str, seeds: range, template: str = "plain", **values: str
) -> list[dict[str, object]]:
    """Return page messages for a host, with further keys such as the claimed ``site``."""
    htmls = {seed: article_html(seed, number=2 + seed, template=template) for seed in seeds}
    return [
        {"version": 1, "url": f"https://{host}/{seed}", "html": html, **values}
        for seed, html in htmls.items()
    ]


def revisions(tasks: Tasks, host: str) -> set[int]:
    """Return the distinct revision numbers of a host's pages."""
    is_of_host = StoredPage.url.startswith(f"https://{host}/")
    return set(tasks.query(select(StoredPage.revision).where(is_of_host)))


def test_pages_that_claim_the_site_of_another_domain_form_a_separate_site(tasks: Tasks) -> None:
    site_id = tasks.process_site(
        tasks.send([*pages(VICTIM, range(6)), *pages(VICTIM, range(6, 10), "table")])
    )
    before = tasks.groups(site_id)
    sent = tasks.take_articles()
    claiming_site_id = tasks.send(pages("intruder.net", range(12), site=VICTIM))
    assert claiming_site_id != site_id
    for each in (claiming_site_id, site_id):
        tasks.cluster(each)
    tasks.run_all()
    assert tasks.groups(site_id) == before
    assert revisions(tasks, VICTIM) == {1}
    assert set(tasks.take_articles()).isdisjoint(sent)


def test_articles_have_the_site_name_given_by_the_sender(tasks: Tasks) -> None:
    for host in ("paper.com", "paper.net"):
        tasks.cluster(tasks.send(pages(host, range(3), site="The-Paper")))
    tasks.run_all()
    assert {article["site"] for article in tasks.take_articles().values()} == {"The-Paper"}
    sites = json.loads(invoke("status", "The-Paper", "--json").output)["sites"]
    assert [site["key"] for site in sites] == ["The-Paper@paper.com", "The-Paper@paper.net"]
    reprocess("The-Paper")
    tasks.run_all()
    assert revisions(tasks, "paper.com") == revisions(tasks, "paper.net") == {2}


@pytest.mark.parametrize("site", ["x" * 253, "é" * 253])
def test_the_longest_site_name_does_not_block_messages(tasks: Tasks, site: str) -> None:
    tasks.process_site(tasks.send(pages("long.com", range(3), site=site)))
    keys = tasks.query(select(OutboxEntry.routing_key).where(OutboxEntry.routing_key.is_not(None)))
    assert len(keys) == 3
    assert all(len(key.encode()) <= MAX_ROUTING_KEY_BYTES for key in keys)
