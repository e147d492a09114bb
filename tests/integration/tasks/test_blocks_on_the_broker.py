"""Comparison blocks on a real RabbitMQ server."""

import random

import pytest
from sqlalchemy import func, select

from models.tables import ComparisonBlock, Distance, Site, StoredPage
from tests.deployment import Deployment
from tests.pages import article_html, message
from worker.settings import Settings

LIMIT = 16
"""Maximum number of trees for which all pairs are compared."""

ELEMENTS = 1_500
"""Elements per page, with which a pair takes 20 ms and all pairs of 14 pages take seconds."""


@pytest.fixture(scope="module")
def settings(settings: Settings) -> Settings:
    """Settings with which a few dozen pages make a large site."""
    return settings.model_copy(update={"whole_matrix_trees": LIMIT})


def tangled_html(seed: int) -> str:
    """Return a page with randomly nested elements."""
    chance = random.Random(seed)
    parts: list[str] = []
    open_tags: list[str] = []
    for _ in range(ELEMENTS):
        while open_tags and chance.random() < 0.48:
            parts.append(f"</{open_tags.pop()}>")
        open_tags.append(chance.choice(("div", "section", "article", "nav")))
        parts.append(f"<{open_tags[-1]}>")
    return f"<html><body>{''.join(parts)}text</body></html>"


def kill_pool(deployment: Deployment) -> None:
    """Kill the processes that run the tasks, as the kernel does when it is out of memory."""
    for process in deployment.children("worker"):
        process.kill()


def test_a_block_of_a_killed_worker_is_completed_by_another(deployment: Deployment) -> None:
    pages = 14
    deployment.publish(
        message(f"https://tangled.example/{seed}", tangled_html(seed)) for seed in range(pages)
    )
    deployment.wait_for_receipts(pages)
    begun = select(func.coalesce(func.max(ComparisonBlock.attempts), 0))
    deployment.wait_until(lambda: deployment.count(begun) == 1)
    kill_pool(deployment)
    deployment.wait_until(lambda: deployment.count(begun) == 2)
    deployment.wait_for_outcomes()
    pairs = pages * (pages - 1) // 2
    assert deployment.count(select(func.count(Distance.distance))) == pairs
    assert deployment.count(select(func.sum(Site.pairs_compared))) == pairs
    assert deployment.count(select(func.count()).select_from(ComparisonBlock)) == 0


def test_a_large_site_is_grouped_by_its_templates(deployment: Deployment) -> None:
    before = deployment.receipts()
    urls = {
        f"https://large.example/{template}/{number}": article_html(
            number, number=number, template=template
        )
        for number in range(2, 22)
        for template in ("plain", "table")
    }
    deployment.publish(message(url, html) for url, html in urls.items())
    deployment.wait_for_receipts(before + len(urls))
    deployment.wait_for_outcomes()
    articles = [each for each in deployment.take_articles() if each["site"] == "large.example"]
    assert {each["url"] for each in articles} == set(urls)
    groups = {(each["url"].split("/")[3], each["template"]["group"]) for each in articles}
    assert len(groups) == 2
    assert len({group for _, group in groups}) == 2
    of_site = select(StoredPage.tree_id).join(Site).where(Site.key == "large.example")
    compared = select(func.count()).where(Distance.lower_tree_id.in_(of_site))
    assert deployment.count(compared) <= LIMIT * (LIMIT - 1) // 2
