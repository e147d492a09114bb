"""A deployment on RabbitMQ gives the articles that one command gives in its file."""

from tests.acceptance.command_line import without_clock
from tests.acceptance.local.conftest import Run
from tests.deployment import Deployment


def test_queue_and_file_hold_the_same_articles(deployment: Deployment, run: Run) -> None:
    before = deployment.receipts()
    deployment.publish(reversed(run.bodies))
    deployment.wait_for_receipts(before + len(run.bodies))
    deployment.wait_for_outcomes()
    taken = sorted(deployment.take_articles(), key=lambda each: (each["site"], each["url"]))

    assert without_clock(taken) == without_clock(run.articles)
