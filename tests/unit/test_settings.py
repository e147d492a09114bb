"""Invalid settings are reported in one line, and secrets are never shown."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from worker.messaging.task_names import STAGES
from worker.messaging.topology import Topology
from worker.settings import Settings, SettingsError, load_settings, unknown_variables

DATABASES = "postgresql://, postgres:// or postgresql+psycopg2://"


@pytest.fixture(autouse=True)
def fresh_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATABASE_URL", "BROKER_URL", "SETTLE_SECONDS"):
        monkeypatch.delenv(f"DETOURAGE_{name}", raising=False)
    load_settings.cache_clear()


@pytest.mark.parametrize(
    ("name", "value", "expected_message"),
    [
        *(
            ("DATABASE_URL", f"{other}://u:hunter2@h/d", f"must begin with {DATABASES}")
            for other in ("mysql", "sqlite", "postgresql+psycopg", "postgresql+asyncpg", "POSTGRES")
        ),
        ("DATABASE_URL", "hunter2", f"must begin with {DATABASES}"),
        ("DATABASE_URL", "", f"must begin with {DATABASES}"),
        ("DATABASE_URL", "postgresql+psycopg2://u:hunter2/x@h/d", "percent-encoded"),
        ("DATABASE_URL", "postgresql://u:hunter2@h:99999/d", "port"),
        ("BROKER_URL", "redis://:hunter2@h", "must begin with amqp"),
        ("BROKER_URL", "amqp://u:hunter2#4@h:5672//", "percent-encoded"),
        ("BROKER_URL", "amqp://u:hunter2@h:0//", "port"),
        ("BROKER_URL", "amqp://u:p@h//;redis://:hunter2@h", "must begin with amqp"),
        ("BROKER_URL", "amqps://u:p@h//;amqp://u:hunter2@h//", "same scheme"),
        ("BROKER_URL", "amqps://u:hunter2@h//?ssl_cert_reqs=CERT_NONE", "no ssl parameters"),
        ("BROKER_CA_FILE", "/nowhere/ca.pem", "No such file"),
        ("BROKER_CA_FILE", __file__, "contains no certificates"),
        ("QUEUE_PREFIX", "with space", "pattern"),
        ("TEXT_ROLES", "paragraph,headline", "headline: not a text role"),
        ("SETTLE_SECONDS", "-1", "greater than or equal to 0"),
        ("PAGE_SECONDS", "0", "greater than 0"),
        ("PENDING_LIMIT", "many", "integer"),
        ("QUEUE_LIMIT", "0", "greater than or equal to 1"),
        ("ARTICLES_LIMIT", "-1", "greater than or equal to 0"),
        ("RENDER_NETWORK", "perhaps", "boolean"),
        ("LOG_LEVEL", "LOUD", "'DEBUG', 'INFO'"),
        ("LOG_FORMAT", "xml", "'text' or 'json'"),
    ],
)
def test_an_invalid_setting_is_reported_in_one_line_without_its_value(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, expected_message: str
) -> None:
    monkeypatch.setenv(f"DETOURAGE_{name}", value)
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert f"DETOURAGE_{name}" in str(caught.value)
    assert expected_message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg2"])
@pytest.mark.parametrize(
    "address", ["user:p%40ss@[::1]:5432/d", "/d?host=/run/postgresql", "h", "u:a%3A%2F%2Fb@h/d"]
)
def test_database_urls_are_normalised_to_the_psycopg2_driver(scheme: str, address: str) -> None:
    settings = Settings.model_validate({"database_url": f"{scheme}://{address}"})
    assert settings.require_database_url() == f"postgresql+psycopg2://{address}"


@pytest.mark.parametrize(
    ("process", "added_variables", "expected_message"),
    [
        ("worker", {}, "DETOURAGE_DATABASE_URL is not set"),
        ("beat", {"DETOURAGE_LOG_LEVEL": "LOUD"}, "DETOURAGE_LOG_LEVEL: "),
    ],
)
def test_celery_does_not_start_with_missing_or_invalid_settings(
    process: str, added_variables: dict[str, str], expected_message: str, tmp_path: Path
) -> None:
    environment = {name: text for name, text in os.environ.items() if "DETOURAGE" not in name}
    environment["DETOURAGE_BROKER_URL"] = "amqp://u:hunter2@127.0.0.1:1//"
    result = subprocess.run(
        [sys.executable, "-m", "celery", "-A", "worker", process],
        env={**environment, **added_variables, "PYTHONPATH": str(Path(__file__).parents[2])},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1
    (line,) = result.stderr.splitlines()
    assert expected_message in line
    assert "hunter2" not in result.stdout + line


def test_a_variable_that_is_not_a_setting_is_found() -> None:
    variables = {"DETOURAGE_SETLE_SECONDS": "1", "DETOURAGE_QUEUE_PREFIX": "", "PATH": ""}
    assert unknown_variables(variables) == ["DETOURAGE_SETLE_SECONDS"]
    assert unknown_variables({"DETOURAGE_TEST_BROKER_URL": ""}) == []
    assert unknown_variables({"DETOURAGE_STORIES_DAYS": "3"}) == []


def test_passwords_are_not_shown() -> None:
    settings = Settings.model_validate(
        {
            "database_url": "postgresql+psycopg2://u:hunter2@h/d",
            "broker_url": "amqp://u:hunter3@h;amqp://u:hunter%204@i",
        }
    )
    assert "hunter" not in repr(settings)
    assert settings.secrets == ["hunter2", "hunter3", "hunter%204", "hunter 4"]


def test_headers_with_credentials_are_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer hunter2, key hunter3")
    assert Settings().secrets == ["authorization=Bearer hunter2", "key hunter3"]


def test_the_environment_gives_a_child_the_same_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    values = {"queue_prefix": "test.", "settle_seconds": 1.5, "broker_url": "pgmq://"}
    settings = Settings.model_validate({"database_url": "postgresql://u:p@h/d", **values})
    for name, value in settings.environment().items():
        monkeypatch.setenv(name, value)
    assert load_settings() == settings


def test_every_work_queue_has_a_quarantine_declared_to_the_broker() -> None:
    topology = Topology(prefix="p.", durable_features=True)
    for queue in [topology.pages_queue(), *topology.celery_queues()]:
        target = queue.queue_arguments["x-dead-letter-routing-key"]
        assert target in topology.quarantines.values()
    assert set(topology.quarantines) == {"intake", *STAGES}
    assert all(name.startswith("p.") for name in topology.work_queues)


def test_a_secret_may_be_read_from_a_file_unless_it_is_given_directly(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "database"
    monkeypatch.setenv("DETOURAGE_DATABASE_URL_FILE", str(file))
    with pytest.raises(SettingsError, match=r"DATABASE_URL_FILE.*No such file"):
        load_settings()
    file.write_text("postgresql://u:hunter2@h/d\n")
    assert load_settings().require_database_url() == "postgresql+psycopg2://u:hunter2@h/d"
    assert unknown_variables({"DETOURAGE_DATABASE_URL_FILE": str(file)}) == []
    assert load_settings().secrets == ["hunter2"]
    load_settings.cache_clear()
    monkeypatch.setenv("DETOURAGE_DATABASE_URL", "postgresql://u:new@h/d")
    assert load_settings().require_database_url() == "postgresql+psycopg2://u:new@h/d"


def test_the_text_roles_are_configurable(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_settings().chosen_text_roles == ()
    load_settings.cache_clear()
    monkeypatch.setenv("DETOURAGE_TEXT_ROLES", "caption, paragraph")
    assert load_settings().chosen_text_roles == ("paragraph", "caption")
    assert load_settings().environment()["DETOURAGE_TEXT_ROLES"] == "paragraph,caption"
