"""A process does not start on a database without tables or with an unknown schema."""

from pathlib import Path

import pytest
from sqlalchemy import text

from tests.deployment import PROCESSES, Deployment, own_queues, own_settings, started_processes
from tests.integration.service.crawl import page_with_metadata
from tests.services import Services, temporary_database
from worker.messaging.broker import connect, messages_waiting, topology_of
from worker.store.database import Database
from worker.store.schema import REVISION

NO_TABLES = "Error: the database has no tables yet; run `detourage migrate`"
SCHEMA_IS_UNKNOWN = (
    f"Error: the database schema 9999 is unknown to this version, which requires {REVISION};"
    " install the version that migrated the database"
)


@pytest.mark.parametrize("is_unknown", [False, True], ids=["never migrated", "foreign"])
def test_each_process_exits_with_one_line_and_leaves_the_messages(
    services: Services, migrated_url: str, tmp_path: Path, is_unknown: bool
) -> None:
    with (
        temporary_database(services, template=migrated_url if is_unknown else "") as url,
        own_queues(own_settings(services, url, tmp_path / "heartbeats")) as settings,
    ):
        if is_unknown:
            with Database(url) as database, database.transaction() as session:
                session.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        with connect(settings) as connection:
            topology_of(settings).declare(connection)
        deployment = Deployment(settings, tmp_path, processes=[])
        deployment.publish(page_with_metadata(seed) for seed in range(3))
        with started_processes(settings, tmp_path, PROCESSES) as (supervisor, _):
            for name in PROCESSES:
                status = supervisor.wait_for(name)
                log = (tmp_path / f"{name}.log").read_text()
                expected = SCHEMA_IS_UNKNOWN if is_unknown else NO_TABLES
                assert (status, log.splitlines().count(expected)) == (1, 1), name
                assert "Traceback" not in log
        assert messages_waiting(settings, deployment.topology.pages) == 3
