"""A deployment on RabbitMQ publishes the same articles that `detourage run` writes."""

from typing import Any

from tests.acceptance.command_line import without_clock
from tests.acceptance.local.conftest import Run
from tests.deployment import Deployment
from tests.parted_pages import SITE, part_messages


def without_story(articles: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Remove the story, because a deployment corrects it in a later revision."""
    return [{k: v for k, v in each.items() if k != "story"} for each in without_clock(articles)]


def test_queue_and_file_contain_the_same_articles(deployment: Deployment, run: Run) -> None:
    before = deployment.receipts()
    # A deployment joins parts in a later revision, so the comparison omits them.
    parts = part_messages()
    bodies = [body for body in run.bodies if body not in parts]
    deployment.publish(reversed(bodies))
    deployment.wait_for_receipts(before + len(bodies))
    deployment.wait_for_outcomes()
    taken = sorted(deployment.take_articles(), key=lambda each: (each["site"], each["url"]))

    articles = [article for article in run.articles if article["site"] != SITE]
    assert without_story(taken) == without_story(articles)
