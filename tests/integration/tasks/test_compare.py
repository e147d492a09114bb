"""Comparison of a site's pages in blocks, whose tasks run in random order."""

import random
from itertools import combinations

import numpy as np
import pytest
from sqlalchemy import func, select, update

from detourage.html import Tree
from detourage.template.distance import grouping_distances
from detourage.template.distance.forest import Forest
from models.tables import Address, ComparisonBlock, Distance, Site, StoredPage
from tests.inline_tasks import Tasks
from tests.integration.tasks.test_assign import articles
from worker.messaging import task_names
from worker.store import trees
from worker.tasks.cluster import cluster
from worker.tasks.compare import compare
from worker.tasks.reprocess import reprocess
from worker.workflow import comparison, comparison_plan
from worker.workflow.retry_policy import COMPARISON_ATTEMPTS

SMALL_LIMIT = 16
"""Maximum number of trees to compare in all pairs; so low that small sites count as large.
"""


def pages_of_two_templates(per_template: int = 20) -> list[tuple[str, str]]:
    """Return a number of pages of each of two templates, all with different structures."""
    return [*articles(range(2, 2 + per_template)), *articles(range(2, 2 + per_template), "table")]


@pytest.mark.parametrize("limit", [6, 400])
def test_comparisons_beyond_the_limit_of_a_task_are_left_to_the_next_tasks(
    tasks: Tasks, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    monkeypatch.setattr(comparison, "TASK_WORK", 1)
    monkeypatch.setattr(comparison_plan, "WHOLE_MATRIX_TREES", limit)
    site_id = tasks.publish("a", pages_of_two_templates(8))
    cluster(site_id)
    first, *others = tasks.take(task_names.COMPARE)
    compare(**first)
    assert tasks.take(task_names.COMPARE) == [first]
    for block in (first, *others):
        while tasks.query(select(ComparisonBlock).where(ComparisonBlock.id == block["block_id"])):
            compare(**block)
    tasks.finish_clustering()
    trees_by_id = tasks.trees(site_id)
    ids = list(trees_by_id)
    i, j = np.triu_indices(len(ids), 1)
    edits = grouping_distances(Forest([*trees_by_id.values()]), i, j).tolist()
    expected = dict(zip(combinations(ids, 2), edits, strict=True))
    stored = tasks.query(select(Distance.lower_tree_id, Distance.higher_tree_id, Distance.distance))
    assert all(each == expected[a, b] for a, b, each in stored)
    assert len(stored) == len(ids) * (len(ids) - 1) / 2 or limit == 6
    groups = tasks.groups(site_id)
    grouped = {(url.split("/")[3], group) for url, (group, _, _) in groups.items()}
    assert sorted(grouped) in ([("plain", 1), ("table", 2)], [("plain", 2), ("table", 1)])


def test_an_additional_page_requires_only_its_own_comparisons(tasks: Tasks) -> None:
    site_id = tasks.cluster(tasks.publish("a", pages_of_two_templates(30)))
    tasks.publish("a", articles(range(50, 55)))
    cluster(site_id)
    assert sum(tasks.query(select(ComparisonBlock.pairs))) == 5 * 60 + 10
    tasks.finish_clustering()
    assert tasks.generations(site_id) == 2
    assert tasks.groups(site_id)["https://news.example/plain/50"][0] is not None
    cluster(site_id)
    assert tasks.generations(site_id) == 2


def test_a_group_keeps_its_number_when_another_outgrows_it(tasks: Tasks) -> None:
    site_id = tasks.cluster(
        tasks.publish("a", [*articles(range(2, 10)), *articles(range(2, 6), "table")])
    )
    before = {url: group for url, (group, _, _) in tasks.groups(site_id).items()}
    assert set(before.values()) == {1, 2}
    tasks.publish("a", articles(range(6, 22), "table"))
    tasks.cluster(site_id)
    after = {url: group for url, (group, _, _) in tasks.groups(site_id).items()}
    assert {url: after[url] for url in before} == before
    assert set(after.values()) == {1, 2}


def test_only_lost_blocks_are_requested_again(tasks: Tasks) -> None:
    site_id = tasks.publish("a", pages_of_two_templates())
    cluster(site_id)
    blocks = tasks.take(task_names.COMPARE)
    assert len(blocks) == 3
    compare(**blocks[0])
    distances = tasks.query(select(func.count()).select_from(Distance))
    assert distances[0] > 0

    cluster(site_id)
    assert tasks.take(task_names.COMPARE) == []
    assert tasks.generations(site_id) == 0

    tasks.backdate(ComparisonBlock.asked_at, days=1)
    cluster(site_id)
    repeated = tasks.take(task_names.COMPARE)
    assert sorted(each["block_id"] for each in repeated) == sorted(
        each["block_id"] for each in blocks[1:]
    )
    for each in [*repeated, *blocks]:
        compare(**each)
    (last,) = tasks.take(task_names.CLUSTER)
    cluster(**last)
    assert tasks.generations(site_id) == 1
    assert tasks.query(select(func.count()).select_from(Distance)) == [40 * 39 // 2]
    assert tasks.query(select(Site.pairs_planned, Site.pairs_compared)) == [(780, 780)]


def test_a_block_that_kills_its_workers_does_not_block_the_site(tasks: Tasks) -> None:
    site_id = tasks.publish("a", pages_of_two_templates())
    cluster(site_id)
    (first,) = tasks.query(select(func.min(ComparisonBlock.id)))
    tasks.execute(
        update(ComparisonBlock)
        .where(ComparisonBlock.id == first)
        .values(attempts=COMPARISON_ATTEMPTS)
    )
    tasks.finish_clustering()
    assert tasks.generations(site_id) == 1
    roles = [role for _, role, _ in tasks.groups(site_id).values()]
    assert 0 < roles.count("outlier") < len(roles)


def test_a_large_site_is_grouped_by_references_without_quadratic_work(
    tasks: Tasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparison_plan, "WHOLE_MATRIX_TREES", SMALL_LIMIT)
    site_id = tasks.cluster(tasks.publish("a", pages_of_two_templates(40)))
    compared = tasks.query(select(func.count()).select_from(Distance))
    assert compared[0] <= SMALL_LIMIT * (SMALL_LIMIT - 1) // 2
    (planned,) = tasks.query(select(Site.pairs_planned))
    assert planned <= 3 * 80 * SMALL_LIMIT
    groups = tasks.groups(site_id)
    assert len(groups) == 80
    grouped = {
        (url.split("/")[3], group) for url, (group, role, _) in groups.items() if role != "outlier"
    }
    assert sorted(grouped) in ([("plain", 1), ("table", 2)], [("plain", 2), ("table", 1)])


@pytest.mark.parametrize("limit", [SMALL_LIMIT, 400])
def test_groups_do_not_depend_on_the_order_or_the_batches_of_arrival(
    tasks: Tasks, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    monkeypatch.setattr(comparison_plan, "WHOLE_MATRIX_TREES", limit)
    site_pages = [*pages_of_two_templates(18), ("alone", "<p>" + "<i>a</i>" * 99)]
    site_id = tasks.cluster(tasks.publish("a", site_pages))
    expected = tasks.groups(site_id)
    assert len(expected) == 37

    other_order = Tasks(tasks.database, seed=5)
    shuffled = random.Random(5).sample(site_pages, len(site_pages))
    for start, stop in [(0, 14), (14, 21), (21, 37)]:
        reprocess("a", "compare")
        other_id = other_order.cluster(other_order.publish("b", shuffled[start:stop]))
    assert other_order.groups(other_id) == expected


STAR = Tree.from_preorder([("a", 0), *[("b", 1)] * 50_000])
LADDER = Tree.from_preorder(
    [node for depth in range(33_000) for node in [("a", depth), ("b", depth + 1)]]
    + [("c", depth) for depth in range(33_000, 0, -1)]
)


@pytest.mark.parametrize("limit", [5, 400])
def test_trees_too_large_to_compare_become_outliers_without_blocking_the_site(
    tasks: Tasks, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    monkeypatch.setattr(comparison_plan, "WHOLE_MATRIX_TREES", limit)
    site_id = tasks.publish("a", articles(range(2, 10)))
    for name, tree in ("star", STAR), ("ladder", LADDER):
        tasks.publish("a", articles([20], "table"))
        with tasks.database.transaction() as session:
            page = session.scalars(
                select(StoredPage).where(StoredPage.url.endswith("table/20"))
            ).one()
            page.url, page.url_digest = f"https://news.example/{name}", name
            address = session.scalars(select(Address).where(Address.page_id == page.id)).one()
            address.address, address.digest, address.spellings = page.url, name, [page.url]
            page.tree_id = trees.save_trees(session, [tree])[tree.digest]
    tasks.cluster(site_id)
    groups = tasks.groups(site_id)
    huge = [groups.pop(f"https://news.example/{name}") for name in ("star", "ladder")]
    assert huge == [(None, "outlier", None)] * 2
    assert {group for group, _, _ in groups.values()} == {1}
    if limit == 400:
        assert None in tasks.query(select(Distance.distance))
