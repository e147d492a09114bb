"""Settings: wrong ones are told in one line, secrets are never shown."""

import pytest

from worker.settings import Settings, SettingsError, load_settings
from worker.tasks.names import STAGES
from worker.topology import Topology


@pytest.fixture(autouse=True)
def fresh_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATABASE_URL", "BROKER_URL", "BROKER_OPTIONS", "SETTLE_SECONDS"):
        monkeypatch.delenv(f"DETOURAGE_{name}", raising=False)
    load_settings.cache_clear()


def test_a_missing_setting_is_named() -> None:
    with pytest.raises(SettingsError, match="DETOURAGE_DATABASE_URL"):
        load_settings().require_database_url()
    with pytest.raises(SettingsError, match="DETOURAGE_BROKER_URL"):
        load_settings().require_broker_url()


def test_a_wrong_value_is_named_without_showing_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DETOURAGE_SETTLE_SECONDS", "soon")
    with pytest.raises(SettingsError, match="DETOURAGE_SETTLE_SECONDS") as caught:
        load_settings()
    assert "soon" not in str(caught.value)


def test_passwords_do_not_show() -> None:
    settings = Settings.model_validate(
        {"database_url": "postgresql+psycopg2://u:hunter2@h/d", "broker_url": "amqp://u:hunter2@h"}
    )
    assert "hunter2" not in repr(settings)


def test_the_environment_gives_the_same_settings_to_a_child(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = Settings.model_validate(
        {
            "database_url": "postgresql+psycopg2://u:p@h/d",
            "broker_url": "pgmq://",
            "broker_options": {"init_extension": False, "polling_interval": 0.05},
            "queue_prefix": "test.",
            "settle_seconds": 1.5,
        }
    )
    for name, value in settings.environment().items():
        monkeypatch.setenv(name, value)
    assert load_settings() == settings


def test_every_queue_of_work_has_a_quarantine_that_the_broker_knows() -> None:
    topology = Topology(prefix="p.", durable_features=True)
    for queue in [topology.pages_queue(), *topology.celery_queues()]:
        target = queue.queue_arguments["x-dead-letter-routing-key"]
        assert target in topology.quarantines.values()
    assert set(topology.quarantines) == {"intake", *STAGES}
    assert all(name.startswith("p.") for name in topology.work_queues)
