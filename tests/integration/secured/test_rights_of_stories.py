"""The stories work with the rights of the service's users, over encrypted connections."""

import json
import os
import signal
import sys
from pathlib import Path

from sqlalchemy import text

from stories.broker import connection_to
from stories.settings import Settings
from stories.store import engine_of, migrate
from tests.integration.secured.servers import SecuredServers
from tests.preloaded import PreloadedSupervisor
from tests.stories.grouped import Sent, store, text_of
from tests.waiting import wait_until


def test_the_users_of_the_service_have_the_rights_that_the_stories_need(
    servers: SecuredServers, tmp_path: Path
) -> None:
    owner_engine = engine_of(servers.database_url("detourage"))
    migrate(owner_engine)
    values = {
        "database_url": servers.database_url("detourage_service"),
        "broker_url": servers.broker_url("detourage_service"),
        "broker_ca_file": str(servers.authority),
        "heartbeat_directory": str(tmp_path),
    }
    settings = Settings.model_validate(values)
    environment = os.environ | {f"DETOURAGE_{name.upper()}": each for name, each in values.items()}
    command = [sys.executable, "-m", "worker.cli", "stories", "work"]
    sent = Sent("first.example", text_of(1), 0)
    store(owner_engine, [sent])
    with PreloadedSupervisor() as supervisor:
        pid = supervisor.start("stories", command, log=tmp_path / "log", env=environment)
        wait_until((tmp_path / "stories.heartbeat").exists)
        with connection_to(settings, settings.broker_nodes[0]) as connection:
            connection.Producer().publish(
                json.dumps(sent.message()).encode(), exchange="articles", routing_key="en.x"
            )
        published = "SELECT count(*) FROM stories.articles WHERE number = 1 AND pending IS NULL"

        def is_published() -> object:
            with owner_engine.connect() as database:
                return database.scalar(text(published)) == 1

        wait_until(is_published)
        os.kill(pid, signal.SIGTERM)
        assert supervisor.wait_for("stories") == 0
    owner_engine.dispose()
