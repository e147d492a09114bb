"""Articles that the service publishes, in the stories."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine

from stories.store import engine_of, migrate
from tests.deployment import Deployment, own_settings
from tests.pages import article_html, message
from tests.services import Services, temporary_database
from tests.stories.test_service import Neighbourhood


@pytest.fixture
def engine(services: Services, migrated_url: str) -> Iterator[Engine]:
    """A database of its own."""
    with temporary_database(services, template=migrated_url) as url:
        engine = engine_of(url)
        migrate(engine)
        yield engine
        engine.dispose()


def test_articles_of_a_deployment_get_stories(
    services: Services, engine: Engine, tmp_path: Path
) -> None:
    url = engine.url.render_as_string(hide_password=False)
    settings = own_settings(services, url, tmp_path / "heartbeats")
    prefix = settings.queue_prefix
    neighbourhood = Neighbourhood(engine, services.broker_url, url, tmp_path, prefix)
    deployment = Deployment(settings, tmp_path)
    try:
        with deployment, neighbourhood.running():
            neighbourhood.declare()
            found = []
            for site in ("first", "copy"):
                deployment.publish([message(f"https://{site}.example/1", article_html(1))])
                found += neighbourhood.stories(1)
            forwarded = [json.loads(body) for _, body in neighbourhood.take(1, 1)]
    finally:
        neighbourhood.remove()
        deployment.remove_queues()
    assert [each["relation"] for each in found] == [None, "same"]
    assert forwarded[0]["received_at"] is not None
    assert forwarded[0]["id"] == found[0]["article"]
