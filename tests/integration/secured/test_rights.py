"""Each user of the servers has exactly the rights that it needs."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from amqp.exceptions import AccessRefused
from kombu import Connection, Producer
from kombu.transport.base import StdChannel
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from tests.deployment import Deployment
from tests.integration.secured.conftest import CommandLine
from tests.integration.secured.servers import SecuredServers
from tests.integration.service.crawl import page_with_metadata
from tests.release.examples.test_crawler_and_consumer import rows_of
from worker.messaging.publishing import publish_pages
from worker.messaging.transport import tls_options
from worker.settings import Settings
from worker.store.database import Database

ROOT = Path(__file__).parents[3]


def test_a_page_sent_by_the_crawler_user_reaches_the_recogniser_user_as_an_article(
    servers: SecuredServers, deployment: Deployment, tmp_path: Path
) -> None:
    crawler = Settings.model_validate(
        {"broker_url": servers.broker_url("crawler"), "broker_ca_file": servers.authority}
    )
    publish_pages(crawler, [(f"page-{seed}", page_with_metadata(seed)) for seed in range(3)])
    deployment.wait_for_receipts(3)
    deployment.wait_for_outcomes()
    found = tmp_path / "entities.sqlite"
    command = [sys.executable, "examples/recognise.py", servers.broker_url("recogniser")]
    recogniser = subprocess.Popen(
        [*command, str(found), "--ca-file", str(servers.authority)], cwd=ROOT
    )
    try:
        deployment.wait_until(lambda: rows_of(found, "articles") == 3)
    finally:
        recogniser.terminate()
        assert recogniser.wait() == 0
    for process in ("intake", "relay", "worker", "beat"):
        levels = {line["level"] for line in deployment.logged(process)}
        assert "error" not in levels, process


def test_an_article_may_be_returned_to_its_queue_any_number_of_times(
    servers: SecuredServers, deployment: Deployment
) -> None:
    # By default, RabbitMQ 4 drops a message that is returned for the twentieth time.
    limits = policy_limits(servers, deployment, "delivery-limit")
    assert {*limits} == {*deployment.topology.outgoing}
    assert min(limits.values()) >= 1_000_000_000


def test_a_crawler_waits_for_a_full_queue(servers: SecuredServers, deployment: Deployment) -> None:
    pages = deployment.topology.pages
    assert policy_limits(servers, deployment, "max-length") == {pages: 1}
    crawler = Settings.model_validate(
        {"broker_url": servers.broker_url("crawler"), "broker_ca_file": servers.authority}
    )
    before = deployment.receipts()
    # The broker rejects messages while the queue is full, and the crawler sends them again.
    sent = [(f"full-{seed}", page_with_metadata(seed)) for seed in range(3, 23)]
    assert publish_pages(crawler, sent) == len(sent)
    deployment.wait_for_receipts(before + len(sent))
    # The script may be run again.
    servers.make_users()
    assert policy_limits(servers, deployment, "max-length") == {pages: 500}


def policy_limits(servers: SecuredServers, deployment: Deployment, key: str) -> dict[str, int]:
    """Return the limits that the operator policies set, by queue."""
    return {
        queue.name: json.loads(policy["definition"])[key]
        for policy in servers.operator_policies()
        for queue in deployment.topology.queues()
        if key in policy["definition"] and re.search(policy["pattern"], queue.name)
    }


@contextmanager
def channel_for(servers: SecuredServers, user: str) -> Iterator[StdChannel]:
    """Connect to the broker as a user, and yield a channel."""
    address = servers.broker_url(user)
    with (
        Connection(
            address,
            ssl=tls_options(address, servers.authority),
            transport_options={"confirm_publish": True},
        ) as connection,
        connection.channel() as channel,
    ):
        yield channel


@pytest.mark.usefixtures("deployment")
@pytest.mark.parametrize(
    ("user", "method", "name"),
    [
        *(("crawler", "publish", name) for name in ("", "articles", "detourage.tasks")),
        *(("recogniser", "publish", name) for name in ("", "articles", "crawler.pages")),
        *(("crawler", "basic_get", name) for name in ("crawler.pages", "entities.articles")),
        *(("recogniser", "basic_get", name) for name in ("crawler.pages", "detourage.extract")),
        ("recogniser", "basic_get", "crawler.pages.quarantine"),
        ("detourage_service", "basic_get", "entities.articles"),
        *((user, "queue_declare", "entities.articles.mine") for user in ("crawler", "recogniser")),
    ],
)
def test_users_may_not_use_queues_and_exchanges_of_others(
    servers: SecuredServers, user: str, method: str, name: str
) -> None:
    with channel_for(servers, user) as channel:
        publish = partial(Producer(channel).publish, b"{}", "crawler.pages")
        with pytest.raises(AccessRefused):
            publish(exchange=name) if method == "publish" else getattr(channel, method)(name)


def test_the_read_only_role_can_read_everything_and_change_nothing(
    servers: SecuredServers, command_line: CommandLine
) -> None:
    reader = servers.database_url("detourage_read")
    code, output = command_line("status --json", database_url=reader)
    assert code == 0
    assert json.loads(output)["totals"]["sites"] >= 0
    code, output = command_line("status --prometheus", database_url=reader)
    assert (code, "detourage_sites " in output) == (0, True)
    for statement in (
        "DELETE FROM pages",
        "SET default_transaction_read_only = off; DELETE FROM pages",
    ):
        assert is_refused(reader, statement)


def is_refused(url: str, statement: str) -> bool:
    """Return whether the database refuses a statement for lack of rights."""
    try:
        with Database(url) as database, database.transaction() as session:
            session.execute(text(statement))
    except DBAPIError as error:
        refusals = ("permission denied", "must be owner", "read-only transaction")
        return any(each in str(error) for each in refusals)
    return False


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE other (id int)",
        "DROP TABLE pages",
        "TRUNCATE receipts",
        "ALTER TABLE pages ADD COLUMN more int",
        "CREATE ROLE other",
    ],
)
def test_the_service_may_change_only_rows(servers: SecuredServers, statement: str) -> None:
    assert is_refused(servers.database_url("detourage_service"), statement)


def test_rights_extend_to_tables_added_by_a_migration(servers: SecuredServers) -> None:
    # The script may be run again.
    servers.make_roles()
    for user, statements in (
        ("detourage", ["CREATE TABLE added (id bigserial PRIMARY KEY, value int)"]),
        (
            "detourage_service",
            [
                "INSERT INTO added (value) VALUES (1), (2)",
                "UPDATE added SET value = 3 WHERE id = 1",
                "DELETE FROM added WHERE id = 2",
            ],
        ),
        ("detourage_read", ["SELECT value FROM added"]),
        ("detourage", ["DROP TABLE added"]),
    ):
        with Database(servers.database_url(user)) as database, database.transaction() as session:
            found = [session.execute(text(each)) for each in statements]
            assert user != "detourage_read" or found[0].all() == [(3,)]


@pytest.mark.parametrize(
    ("command", "setting", "user", "reason"),
    [
        (
            "quarantine drop --stage relay --yes",
            "database_url",
            "detourage_read",
            "read-only transaction",
        ),
        ("quarantine list", "broker_url", "crawler", "refused"),
        ("status --queues", "broker_url", "recogniser", "refused"),
    ],
)
def test_a_command_without_the_necessary_right_reports_it_in_one_line(
    servers: SecuredServers,
    command_line: CommandLine,
    command: str,
    setting: str,
    user: str,
    reason: str,
) -> None:
    address = getattr(servers, setting)(user)
    code, output = command_line(command, **{setting: address})
    assert code == 1
    assert reason in output
    assert len(output.splitlines()) == 1
