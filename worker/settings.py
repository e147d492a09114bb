"""Settings of the service. No other module reads the environment."""

import os
import re
import ssl
from collections.abc import Collection, Mapping
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from detourage.expected_errors import ExpectedError
from detourage.roles import CHOOSABLE_ROLES, TEXT_ROLES, LineRole, chosen_roles

PREFIX = "DETOURAGE_"  # prefix of the settings' environment variables

SECRETS = ("database_url", "broker_url")
"""Settings that contain a password, and may therefore be read from a file instead."""

OTLP_HEADERS = ("OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS")
"""OpenTelemetry's variables for headers, which may contain credentials for the trace receiver."""

DATABASE_SCHEMES = ("postgresql", "postgres", "postgresql+psycopg2")
"""Accepted schemes of database URLs. All of them select psycopg2; SQLAlchemy would choose another
driver for the first."""
BROKER_SCHEMES = ("amqp", "amqps", "pyamqp", "pgmq")  # accepted schemes of broker URLs


class SettingsError(ExpectedError):
    """A setting is missing or invalid; the message describes it in one line."""


def file_variable(name: str) -> str:
    """Return the environment variable that names the file of a secret setting."""
    return f"{PREFIX}{name.upper()}_FILE"


class Settings(BaseSettings):
    """Settings, read from environment variables named ``DETOURAGE_<NAME>``."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, allow_inf_nan=False)

    database_url: SecretStr | None = Field(
        default=None,
        description="PostgreSQL URL (postgresql://user:password@host:5432/database). postgres:// "
        "and postgresql+psycopg2:// are equivalent. With a standby: "
        "postgresql://user:password@host,standby/database?target_session_attrs=read-write.",
    )
    broker_url: SecretStr | None = Field(
        default=None,
        description="Broker URL (amqp://…; pgmq://… for the embedded broker). For a cluster, the "
        "URLs of its nodes, separated by semicolons: a process uses the first that responds.",
    )
    broker_ca_file: Path | None = Field(
        default=None,
        description="CA certificates (PEM) that `amqps://` trusts instead of the system's. The "
        "broker's certificate and host name are always verified.",
    )
    pages: str = Field(
        default="",
        pattern=r"^(s3://[a-z0-9.-]{3,63}(/[^?#]+)?|file:///[^?#]+)?$",
        description="Where the HTML of new pages is stored: in PostgreSQL if empty, in the S3 "
        "bucket `s3://bucket/prefix`, or in the existing folder `file:///path` (requires the "
        "`objects` extra). The usual `AWS_` variables set credentials, region and endpoint.",
    )
    queue_prefix: str = Field(
        default="",
        pattern=r"^[A-Za-z0-9_.-]*$",
        description="Prefix for the names of all queues and exchanges, so that deployments can "
        "share a broker.",
    )
    settle_seconds: float = Field(
        default=30,
        ge=0,
        description="Time without new pages after which a site is clustered, so that a burst of "
        "pages causes one clustering instead of several. The time is 20 times as long if the site "
        "keeps receiving pages, if less than an eighth of its pages have changed, or if it has "
        "groups and messages wait at the intake. A new page that fits a group counts as a quarter "
        "of a page; if nothing else has changed, the site waits until these amount to an eighth. A "
        "task searches for sites to cluster at intervals of twice this time, but at least once a "
        "minute.",
    )
    first_article_seconds: float = Field(
        default=300,
        ge=0,
        description="Time after which a page of a site that has never been clustered is extracted "
        "without template knowledge. After half this time, the site is clustered even if pages "
        "keep arriving; a site's only page waits just a few seconds. If 0, pages always wait for "
        "the clustering.",
    )
    page_seconds: float = Field(
        default=60,
        gt=0,
        description="Maximum CPU time for one page in a task; beyond it, the outcome is `failed`. "
        "The wall-clock limit of a task is ten times as long, but no more than 25 minutes. The "
        "intake takes at most a sixth of this time to parse a page; `detourage reprocess SITE "
        "--from parse` parses it in a task.",
    )
    pending_limit: int = Field(
        default=20_000,
        ge=0,
        description="Number of pages without a first outcome, or of messages waiting for the "
        "relay, at which the intake pauses; 0 for no limit.",
    )
    queue_limit: int = Field(
        default=40,
        ge=1,
        description="Maximum number of tasks in a queue (for extractions: of pages). Further tasks "
        "wait in the database, where sites take turns.",
    )
    articles_limit: int = Field(
        default=100_000,
        ge=0,
        description="Maximum number of articles in the entity recognition queue. Further articles "
        "wait in the database; 0 for no limit.",
    )
    render_browser: Path | None = Field(
        default=None,
        description="Chromium executable for pages that are empty until their scripts have run "
        "(requires the `render` extra). Without it, their outcome is `needs-rendering`.",
    )
    render_network: bool = Field(
        default=False,
        description="Whether rendered pages may load resources, from any address that this host "
        "can reach. Otherwise, they have only their stored HTML.",
    )
    heartbeat_directory: Path = Field(
        default=Path("/tmp/detourage"),  # noqa: S108 - holds no data, only ages of files
        description="Directory for the heartbeat files of processes, which `detourage health` "
        "reads.",
    )
    text_roles: str = Field(
        default="",
        description="Comma-separated roles of the lines that make up an article's text; if empty, "
        f"{', '.join(TEXT_ROLES)}. Available: {', '.join(CHOOSABLE_ROLES)}. Existing pages are "
        "extracted again when their site is clustered, or by `detourage reprocess`.",
    )
    revisions_from: int = Field(
        default=1,
        ge=1,
        le=10**9,
        description="Minimum number of the next revision of any article. After restoring a backup, "
        "set it above all revisions already sent, so that no ID is used twice.",
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        default="INFO",
        description="Minimum log level of every process; Celery's `--loglevel` has no effect.",
    )
    log_format: Literal["text", "json"] = Field(
        default="text",
        description="Human-readable log lines, or one JSON object per line with the IDs of task, "
        "page, site and message. Both mask passwords in URLs.",
    )

    @model_validator(mode="before")
    @classmethod
    def _read_secret_files(cls, values: dict[str, Any]) -> dict[str, Any]:
        # Container engines mount secrets as files.
        for name in SECRETS:
            path = os.environ.get(file_variable(name))
            if not path or values.get(name) is not None:
                continue
            try:
                values = {**values, name: Path(path).read_text(encoding="utf-8").strip()}
            except (OSError, UnicodeDecodeError) as error:
                reason = getattr(error, "strerror", None) or "not UTF-8 text"
                raise SettingsError(f"{file_variable(name)}: {path}: {reason}") from error
        return values

    @field_validator("database_url")
    @classmethod
    def _select_psycopg2(cls, value: SecretStr | None) -> SecretStr | None:
        return None if value is None else SecretStr(psycopg2_url(value.get_secret_value()))

    @field_validator("broker_url")
    @classmethod
    def _check_broker_url(cls, value: SecretStr | None) -> SecretStr | None:
        if value is None:
            return None
        url = value.get_secret_value()
        nodes = url.split(";")
        for node in nodes:
            _check_url(node, BROKER_SCHEMES)
        if len({node.partition(":")[0] for node in nodes}) > 1:
            raise ValueError("the URLs of all nodes must begin with the same scheme")
        # kombu would use the parameters in the URL instead of the options that verify the broker.
        if re.search(r"[?&]ssl", url):
            raise ValueError("takes no ssl parameters: set DETOURAGE_BROKER_CA_FILE instead")
        return value

    @field_validator("pages")
    @classmethod
    def _strip_final_slash(cls, value: str) -> str:
        return value.rstrip("/")

    @field_validator("text_roles")
    @classmethod
    def _normalise_roles(cls, value: str) -> str:
        return ",".join(chosen_roles(value.split(",")))

    @field_validator("broker_ca_file")
    @classmethod
    def _check_ca_file(cls, value: Path | None) -> Path | None:
        if value == Path():
            return None
        if value is not None:
            try:
                ssl.create_default_context(cafile=value)
            except ssl.SSLError:
                raise ValueError(f"{value} contains no certificates") from None
            except OSError as error:
                raise ValueError(f"{value}: {error.strerror}") from None
        return value

    def require_database_url(self) -> str:
        """Return the database URL for SQLAlchemy with psycopg2; raise SettingsError if unset."""
        if self.database_url is None:
            raise SettingsError("DETOURAGE_DATABASE_URL is not set")
        return self.database_url.get_secret_value()

    def require_broker_url(self) -> str:
        """Return the broker URL; raise SettingsError if unset."""
        if self.broker_url is None:
            raise SettingsError("DETOURAGE_BROKER_URL is not set")
        return self.broker_url.get_secret_value()

    @property
    def chosen_text_roles(self) -> tuple[LineRole, ...]:
        """Roles of the lines that make up an article's text."""
        return chosen_roles(self.text_roles.split(","))

    def environment(self) -> dict[str, str]:
        """Return these settings as environment variables."""
        variables = {}
        for name, value in self.model_dump(exclude_none=True).items():
            text = value.get_secret_value() if isinstance(value, SecretStr) else str(value)
            variables[f"{PREFIX}{name.upper()}"] = text
        return variables

    @property
    def longest_settle_seconds(self) -> float:
        """Maximum time that a changed site waits, unless all its new pages fit a group."""
        return 20 * self.settle_seconds

    @property
    def search_interval_seconds(self) -> float:
        """Interval at which tasks look for sites to cluster and for late or unfinished work."""
        return min(2 * self.settle_seconds or 1, 60)

    @property
    def parsing_seconds(self) -> float:
        """Maximum CPU time for one page at the intake, where parsing delays all other pages."""
        return self.page_seconds / 6

    @property
    def secrets(self) -> list[str]:
        """Passwords in the settings, both decoded and as written, and headers with credentials."""
        # If OpenTelemetry cannot parse a header, it logs the header.
        headers = ",".join(os.environ.get(name, "") for name in OTLP_HEADERS).split(",")
        secrets = [header.strip() for header in headers if header.strip()]
        for url in (self.database_url, self.broker_url):
            for node_url in url.get_secret_value().split(";") if url else ():
                password = urlsplit(node_url).password
                if password:
                    secrets += [password, unquote(password)]
        return list(dict.fromkeys(secrets))

    @property
    def broker_is_amqp(self) -> bool:
        """Whether the broker speaks AMQP and therefore has quorum queues and dead-lettering."""
        return self.require_broker_url().startswith(("amqp:", "amqps:", "pyamqp:"))


def psycopg2_url(url: str) -> str:
    """Return a database URL in the form that SQLAlchemy uses for psycopg2."""
    _check_url(url, DATABASE_SCHEMES)
    return f"postgresql+psycopg2://{url.partition('://')[2]}"


def _check_url(url: str, schemes: Collection[str]) -> None:
    scheme, separator, rest = url.partition("://")
    if not separator or scheme not in schemes:
        *others, last = (f"{each}://" for each in schemes)
        raise ValueError(f"must begin with {', '.join(others)} or {last}")
    parts = urlsplit(f"//{rest}")
    try:
        # The library's error message would quote the port, which may be part of the password.
        has_valid_port = parts.port is None or parts.port > 0
    except ValueError:
        has_valid_port = False
    if not has_valid_port:
        raise ValueError(
            "has no valid port; in a user name or password, characters like / @ : # must be"
            " percent-encoded"
        )


def unknown_variables(environment: Mapping[str, str]) -> list[str]:
    """Return the environment variables that have the prefix but name no setting."""
    # Other packages, such as the inspector, have settings with the name of their command.
    commands = [each.name.upper() for each in entry_points(group="detourage.commands")]
    prefixes = tuple(f"{PREFIX}{name}_" for name in ("TEST", *commands))
    return sorted(
        name
        for name in environment
        if name.startswith(PREFIX)
        and not name.startswith(prefixes)
        and name.removeprefix(PREFIX).lower() not in Settings.model_fields
        and name not in map(file_variable, SECRETS)
    )


def has_trace_receiver() -> bool:
    """Return whether OpenTelemetry's standard variables name a receiver of traces."""
    names = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
    is_disabled = os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true"
    has_exporter = os.environ.get("OTEL_TRACES_EXPORTER", "otlp") == "otlp"
    return has_exporter and not is_disabled and any(map(os.environ.get, names))


@cache
def load_settings() -> Settings:
    """Read the settings, once per process; raise SettingsError if a value is invalid."""
    try:
        return Settings()
    except ValidationError as error:
        problems = "; ".join(
            f"{PREFIX}{'_'.join(map(str, item['loc'])).upper()}:"
            f" {item['msg'].removeprefix('Value error, ')}"
            for item in error.errors(include_input=False)
        )
        raise SettingsError(problems) from None
