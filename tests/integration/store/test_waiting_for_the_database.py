"""A process that starts before its database."""

from threading import Timer

import pytest

from tests.proxy import Proxy
from tests.services import Services
from worker.store.database import Database, DatabaseRefusesError


def test_a_database_that_first_does_not_answer_and_then_refuses_access_is_not_waited_for(
    services: Services,
) -> None:
    url = services.server_url.set(database="no_such_database")
    with Proxy(url.render_as_string(hide_password=False), 5432) as proxy:
        proxy.lose()
        returns = Timer(0.5, proxy.find)
        returns.start()
        with (
            Database(proxy.url) as database,
            pytest.raises(DatabaseRefusesError, match="does not exist"),
        ):
            database.wait()
        returns.join()
