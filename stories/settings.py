"""Settings of the stories; no other module of this package reads the environment."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from detourage.expected_errors import ExpectedError

PREFIX = "DETOURAGE_"


class Settings(BaseSettings):
    """Settings, read from environment variables.

    All but ``stories_days`` are shared with the service. The URLs may be read from the files named
    by ``DETOURAGE_DATABASE_URL_FILE`` and ``DETOURAGE_BROKER_URL_FILE``.
    """

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, allow_inf_nan=False)

    database_url: SecretStr = Field(description="URL of the database, as in the service.")
    broker_url: SecretStr = Field(
        default=SecretStr(""),
        description="URL of the broker, as in the service; not needed by `migrate`.",
    )
    broker_ca_file: Path | None = Field(
        default=None, description="CA certificates for the broker, as in the service."
    )
    queue_prefix: str = Field(
        default="", description="Beginning of the names of all queues, as in the service."
    )
    heartbeat_directory: Path = Field(
        default=Path("/tmp/detourage"),  # noqa: S108 - holds no data, only the age of a file
        description="Directory of the heartbeat file, as in the service.",
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        default="INFO", description="Log level, as in the service."
    )
    stories_days: float = Field(
        default=7,
        gt=0,
        le=365,
        description="Maximum number of days between the fetches of two articles in the same story. "
        "Data about older articles is removed.",
    )

    @property
    def psycopg2_url(self) -> str:
        """The database URL in the form that SQLAlchemy uses for psycopg2."""
        return f"postgresql+psycopg2://{self.database_url.get_secret_value().partition('://')[2]}"

    @property
    def broker_nodes(self) -> list[str]:
        """URLs of the broker's nodes; raise `ExpectedError` if the broker is not RabbitMQ."""
        nodes = self.broker_url.get_secret_value().split(";")
        if not all(each.startswith(("amqp://", "amqps://", "pyamqp://")) for each in nodes):
            raise ExpectedError("DETOURAGE_BROKER_URL must begin with amqp:// or amqps://")
        return nodes


def load_settings() -> Settings:
    """Read the settings; raise `ExpectedError` if one is missing or invalid."""
    overrides: dict[str, Any] = {}
    for name in ("database_url", "broker_url"):
        path = os.environ.get(f"{PREFIX}{name.upper()}_FILE")
        if path and f"{PREFIX}{name.upper()}" not in os.environ:
            overrides[name] = Path(path).read_text(encoding="utf-8").strip()
    # Docker Compose and Helm pass unset variables as empty ones.
    if not os.environ.get(f"{PREFIX}BROKER_CA_FILE"):
        overrides["broker_ca_file"] = None
    try:
        return Settings(**overrides)
    except ValidationError as error:
        problems = [
            f"{PREFIX}{'_'.join(map(str, item['loc'])).upper()}: {item['msg']}"
            for item in error.errors(include_input=False)
        ]
        raise ExpectedError("; ".join(problems)) from None
