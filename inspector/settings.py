"""The settings that the inspector shares with the service, read from the same variables."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, Self

from pydantic import BaseModel, ConfigDict, SecretStr, ValidationError

from detourage.expected_errors import ExpectedError

SECRETS: Final = ("database_url", "broker_url")
"""Settings that may be read from a file."""


class InspectorSettings(BaseModel):
    """The part of a deployment's settings that the inspector needs."""

    model_config = ConfigDict(frozen=True)

    database_url: SecretStr
    broker_url: SecretStr
    broker_ca_file: Path | None = None
    queue_prefix: str = ""
    heartbeat_directory: Path = Path("/tmp/detourage")  # noqa: S108 - only ages of files
    settle_seconds: float = 30
    text_roles: str = ""

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> Self:
        """Read ``DETOURAGE_<NAME>`` or, for a secret, the file in ``DETOURAGE_<NAME>_FILE``.

        Raise `ExpectedError` if a secret is missing or a setting is invalid, and `OSError` if a
        secret's file cannot be read.
        """
        values = {}
        for name in cls.model_fields:
            variable = f"DETOURAGE_{name.upper()}"
            value, path = environment.get(variable), environment.get(f"{variable}_FILE")
            if value:
                values[name] = value
            elif path and name in SECRETS:
                values[name] = Path(path).read_text("utf-8").strip()
        for name in SECRETS:
            if name not in values:
                raise ExpectedError(f"DETOURAGE_{name.upper()} is not set")
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            first = error.errors(include_input=False)[0]
            name = str(first["loc"][0]).upper()
            raise ExpectedError(f"DETOURAGE_{name}: {first['msg']}") from None

    @property
    def psycopg2_url(self) -> str:
        """Database URL that makes SQLAlchemy use psycopg2."""
        return f"postgresql+psycopg2://{self.database_url.get_secret_value().partition('://')[2]}"

    @property
    def broker_is_amqp(self) -> bool:
        """Whether the broker is RabbitMQ, and not the embedded one of a local run."""
        return not self.broker_url.get_secret_value().startswith("pgmq:")
