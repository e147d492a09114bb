"""The comparisons of a killed worker are completed by another one."""

import random

from sqlalchemy import func, select

from models.tables import ComparisonBlock, Distance, Site
from tests.deployment import Deployment
from tests.pages import message

SITE = "tangled.example"
ELEMENTS = 1_500
"""Number of elements per page. At this size, comparing a pair takes 20 ms, and comparing all pairs
of 12 pages takes seconds."""


def tangled_html(seed: int) -> str:
    """Return a page with randomly nested elements."""
    rng = random.Random(seed)
    parts: list[str] = []
    open_tags: list[str] = []
    for _ in range(ELEMENTS):
        while open_tags and rng.random() < 0.48:
            parts.append(f"</{open_tags.pop()}>")
        open_tags.append(rng.choice(("div", "section", "article", "nav")))
        parts.append(f"<{open_tags[-1]}>")
    return f"<html><body>{''.join(parts)}text</body></html>"


def test_a_block_of_a_killed_worker_is_completed_by_another(deployment: Deployment) -> None:
    pages, before = 12, deployment.receipts()
    distances = select(func.count(Distance.distance))
    distances_before = deployment.count(distances)
    deployment.publish(
        message(f"https://{SITE}/{seed}", tangled_html(seed)) for seed in range(pages)
    )
    deployment.wait_for_receipts(before + pages)
    site = select(Site.id).where(Site.key == SITE).scalar_subquery()
    attempts = select(func.coalesce(func.max(ComparisonBlock.attempts), 0)).where(
        ComparisonBlock.site_id == site
    )
    deployment.wait_until(lambda: deployment.count(attempts) == 1)
    # The kernel kills processes like this when memory runs out.
    for process in deployment.children("worker"):
        process.kill()
    deployment.wait_until(lambda: deployment.count(attempts) == 2)
    deployment.wait_for_outcomes()
    pairs = pages * (pages - 1) // 2
    assert deployment.count(distances) == distances_before + pairs
    compared = select(Site.pairs_compared).where(Site.key == SITE)
    assert 0 < deployment.count(compared) <= pairs  # The assignment computes some distances.
    blocks = (
        select(func.count()).select_from(ComparisonBlock).where(ComparisonBlock.site_id == site)
    )
    assert deployment.count(blocks) == 0
