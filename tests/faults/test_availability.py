"""A highly available deployment neither loses nor duplicates articles if one server fails."""

from pathlib import Path

import pytest

from tests.faults.availability import AVAILABILITY, PooledServers
from tests.faults.proving_ground import ProvingGround
from tests.faults.scenarios import try_fault
from worker.store.database import Database
from worker.store.schema import migrate, require_current

PAGES = 16
COUNTS = {"relay": 2}


@pytest.mark.parametrize("name", [name for name in AVAILABILITY if name != "no fault"])
def test_a_failed_server_neither_loses_nor_duplicates_articles(tmp_path: Path, name: str) -> None:
    kind, fault = AVAILABILITY[name]
    with kind(tmp_path) as servers, ProvingGround(servers, tmp_path, COUNTS) as ground:
        trial = try_fault(ground, name, fault, PAGES)
        assert trial.report.lost == set()
        assert trial.report.duplicated == set()
        assert trial.report.outcomes == {"article": trial.pages}
        assert trial.unfinished_work == []
        assert ground.quarantined() == []


def test_a_database_is_migrated_through_a_connection_pooler(tmp_path: Path) -> None:
    with PooledServers(tmp_path) as servers, Database(servers.database_url) as database:
        migrate(database)
        require_current(database)
