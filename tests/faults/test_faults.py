"""No page is lost, duplicated or left pending, whichever process dies during the work.

These tests try some of the faults of `scenarios`; `make faults` tries all, with more pages.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import func, select

from models.tables import Generation, Site, StoredPage
from tests.faults.proving_ground import ProvingGround, Servers, compare_sent_and_received
from tests.faults.scenarios import FAULTS, harmful_tree, site_pages, try_fault
from worker.service.quarantine import drop, requeue

PAGES = 16


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ProvingGround]:
    """A deployment with two relays; tests may break any part of the deployment."""
    home: Path = tmp_path_factory.mktemp("faults")
    with (
        Servers(home) as servers,
        ProvingGround(servers, home, {"relay": 2}, page_seconds=2) as ground,
    ):
        yield ground


@pytest.mark.parametrize(
    "fault",
    [
        *("pool children killed", "worker killed in extract", "PostgreSQL crashed"),
        *("relay killed before it removes messages", "memory alarm", "queue full"),
        *("page that kills", "page that hangs", "page that deadlocks"),
        *("page that burns", "page that spins"),
    ],
)
def test_every_page_has_its_outcome_and_every_article_has_one_id(
    ground: ProvingGround, fault: str
) -> None:
    trial = try_fault(ground, fault, FAULTS[fault], PAGES)
    assert (trial.report.lost, trial.report.duplicated, trial.unfinished_work) == (set(), set(), [])
    harmful = 1 if fault.startswith("page that") else 0
    outcomes = {"article": trial.pages - harmful, "failed": harmful}
    assert trial.report.outcomes == Counter(outcomes)
    failed = select(func.count()).where(StoredPage.outcome == "failed")
    assert ground.count(failed.where(StoredPage.outcome_detail.is_(None))) == 0
    assert ground.quarantined() == []


def test_a_site_whose_clustering_crashes_gets_articles(ground: ProvingGround) -> None:
    host = "crashing.example"
    pages = site_pages(host, 6)
    ground.harm_clustering(host)
    ground.publish(pages.values())
    report = compare_sent_and_received(ground, pages)
    assert (report.lost, report.duplicated) == (set(), set())
    assert report.outcomes == Counter({"article": 6})
    new_pages = site_pages(host, 3, first=1000)
    ground.publish(new_pages.values())
    assert compare_sent_and_received(ground, new_pages).outcomes == Counter({"article": 3})
    (message,) = ground.quarantined()
    assert (message.stage, message.reason) == ("cluster", "clustering-failed")
    assert host in message.detail

    ground.stop_harming()
    assert requeue(ground.settings, "cluster", message.message_id) == 1
    generations = (
        select(func.count(Generation.number))
        .join(Site, Site.id == Generation.site_id)
        .where(Site.key == host, Generation.method != "none")
    )
    ground.wait_until(lambda: ground.count(generations) > 0)
    ground.wait_for_work_done()
    assert ground.quarantined() == []


def test_a_tree_that_crashes_comparisons_does_not_block_others(ground: ProvingGround) -> None:
    host = "uncomparable.example"
    pages = {**site_pages(host, 14), **harmful_tree(host)}
    ground.publish(pages.values())
    report = compare_sent_and_received(ground, pages)
    assert (report.lost, report.duplicated) == (set(), set())
    assert report.outcomes == Counter({"article": 15})
    (message,) = ground.quarantined()
    assert (message.stage, message.reason) == ("compare", "comparison-failed")
    assert host in message.detail
    assert drop(ground.settings, "compare") == 1


def test_a_page_that_crashes_every_comparison_gets_its_article(ground: ProvingGround) -> None:
    host = "hostile.example"
    pages = site_pages(host, 6)
    ground.publish(pages.values())
    compare_sent_and_received(ground, pages)
    harmful = harmful_tree(host)
    ground.publish(harmful.values())
    report = compare_sent_and_received(ground, harmful)
    assert (report.lost, report.outcomes) == (set(), Counter({"article": 1}))
    ground.wait_until(lambda: bool(ground.quarantined()))
    (message,) = ground.quarantined()
    assert (message.stage, message.reason) == ("cluster", "clustering-failed")
    new_pages = site_pages(host, 2, first=1000)
    ground.publish(new_pages.values())
    assert compare_sent_and_received(ground, new_pages).outcomes == Counter({"article": 2})
    assert drop(ground.settings, "cluster") == 1
