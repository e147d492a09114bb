"""A deployment on RabbitMQ gives the articles that one command gives in its file."""

from pathlib import Path

from tests.acceptance.command_line import detourage, read_lines, without_clock, write_messages
from tests.deployment import Deployment
from tests.pages import article_html, message, site_messages


def test_queue_and_file_hold_the_same_articles(deployment: Deployment, tmp_path: Path) -> None:
    bodies = [
        *site_messages("same.example", range(8)),
        *[
            message(f"https://same.example/b/{seed}", article_html(seed, template="table"))
            for seed in range(10, 16)
        ],
        *site_messages("other.example", range(20, 24)),
    ]
    pages = write_messages(tmp_path / "pages.jsonl", bodies)
    done = detourage("run", pages, "-o", tmp_path / "articles.jsonl")
    assert done.returncode == 0, done.stderr

    before = deployment.receipts()
    deployment.publish(reversed(bodies))
    deployment.wait_for_receipts(before + len(bodies))
    deployment.wait_for_outcomes()
    taken = sorted(deployment.take_articles(), key=lambda each: (each["site"], each["url"]))

    assert without_clock(taken) == without_clock(read_lines(tmp_path / "articles.jsonl"))
