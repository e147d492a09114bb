"""Settings of the service: the only reader of the environment."""

import json
import os
import re
import ssl
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

import pydantic_settings
from pydantic import Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from models.roles import CHOOSABLE_ROLES, TEXT_ROLES, LineRole, chosen_roles
from worker.errors import ExpectedError

PREFIX = "DETOURAGE_"
"""Beginning of the names of all variables."""

SECRETS = ("database_url", "broker_url")
"""Settings that hold a password, and so may come from a file."""

DATABASE_SCHEMES = ("postgresql", "postgres", "postgresql+psycopg2")
"""Spellings of one thing; SQLAlchemy would take the first for another driver."""
BROKER_SCHEMES = ("amqp", "amqps", "pyamqp", "pgmq")

WHOLE_MATRIX_TREES = 400
"""Trees of the largest site whose every pair is compared, unless set otherwise.

They make 80,000 pairs: 10 s of one core for pages of 300 elements made from a few templates,
160 s for pages of 750 elements that differ more. 1,000 would take six times as long, and 40 MB
of rows. With 300 of the 400 references drawn, a site of 1,046 generated pages got the groups
of its templates with an adjusted Rand index of 0.993, with its whole matrix 0.987; with 150
drawn 0.93, where the grouping joined parts of two templates. On eight of nine smaller generated
sites 100 to 300 references differed by less than 0.03.
"""


class SettingsError(ExpectedError):
    """A setting is missing or wrong; the message is one line for a person."""


Repeats = Literal["send", "apart", "keep"]


class _SecretFiles(PydanticBaseSettingsSource):
    """Secrets from files, as container engines mount them."""

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        """Return the value of a setting."""
        del field
        path = os.environ.get(file_variable(field_name)) if field_name in SECRETS else None
        if not path:
            return None, field_name, False
        try:
            return Path(path).read_text(encoding="utf-8").strip(), field_name, False
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "is no text"
            raise SettingsError(f"{file_variable(field_name)}: {path}: {reason}") from error

    def __call__(self) -> dict[str, Any]:
        """Return what the files hold."""
        found = {name: self.get_field_value(field, name)[0] for name, field in self._fields()}
        return {name: value for name, value in found.items() if value is not None}

    def _fields(self) -> Iterable[tuple[str, FieldInfo]]:
        return self.settings_cls.model_fields.items()


def file_variable(name: str) -> str:
    """Return the variable that names the file which holds a secret setting."""
    return f"{PREFIX}{name.upper()}_FILE"


class Settings(BaseSettings):
    """Settings, each read from the environment variable ``DETOURAGE_<NAME>``."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, allow_inf_nan=False)

    database_url: SecretStr | None = Field(
        default=None,
        description="PostgreSQL (postgresql://user:password@host:5432/database); postgres:// and "
        "postgresql+psycopg2:// mean the same.",
    )
    broker_url: SecretStr | None = Field(
        default=None, description="Broker (amqp://…; pgmq://… for the embedded one)."
    )
    broker_options: dict[str, str | int | float | bool] = Field(
        default_factory=dict, description="Transport options of the broker, as JSON."
    )
    broker_ca_file: Path | None = Field(
        default=None,
        description="Certificates (PEM) of the authorities that `amqps://` trusts, in place of the "
        "system's; the broker's certificate and host name are verified in any case.",
    )
    queue_prefix: str = Field(
        default="",
        pattern=r"^[A-Za-z0-9_.-]*$",
        description="Put before the name of every queue and exchange, to share a broker.",
    )
    settle_seconds: float = Field(
        default=30,
        ge=0,
        description="A site is clustered once no page of it came in for this long, so that a burst "
        "of a crawl gives one generation instead of several. While messages wait at the intake, "
        "only sites are that have no groups.",
    )
    max_settle_seconds: float = Field(
        default=600,
        ge=0,
        description="A site that never falls silent is clustered this long after its last "
        "clustering all the same.",
    )
    first_article_seconds: float = Field(
        default=300,
        ge=0,
        description="A page whose site was never clustered is extracted after this long without "
        "knowledge of its template; after half of it the site is clustered though more of its "
        "pages come, and a page that is alone on its site waits some seconds only; 0 for a page "
        "that waits for its clustering, however long.",
    )
    comparison_patience_seconds: float = Field(
        default=600,
        gt=0,
        description="A block of comparisons that is not done after this long is asked for once "
        "more, as its message may be lost; one that is only late is not done twice. So is the "
        "clustering of a site that no worker has taken up.",
    )
    extraction_patience_seconds: float = Field(
        default=600,
        gt=0,
        description="An extraction that is not done after this long, and waits in no queue, is "
        "asked for once more, as its message was lost.",
    )
    page_seconds: float = Field(
        default=60,
        gt=0,
        description="Processor time that one page may take in a task; beyond, its outcome is "
        "`failed`. On the clock a task may take ten times as long, but no more than 25 minutes.",
    )
    parsing_seconds: float = Field(
        default=10,
        gt=0,
        description="Processor time that the intake spends on one page at most; beyond, the page's "
        "outcome is `failed`. `detourage reprocess SITE --from parse` parses it in a task.",
    )
    comparison_memory_mib: int = Field(
        default=64,
        ge=0,
        description="Memory, in MiB, in which each worker process remembers the distances of "
        "subtrees while it compares a block; 8 takes up to 11 % longer, 0 up to 20 %.",
    )
    whole_matrix_trees: int = Field(
        default=WHOLE_MATRIX_TREES,
        ge=3,
        description="Of a site of at most so many different element trees every pair is compared; "
        "of a larger one a bounded number of references, and each page with those.",
    )
    cluster_interval_seconds: float = Field(
        default=60, gt=0, description="Period of the task that looks for sites to cluster."
    )
    intake_prefetch: int = Field(
        default=8,
        ge=1,
        le=1000,
        description="Messages that an intake holds at a time, and stores in one transaction where "
        "they are there together.",
    )
    pending_limit: int = Field(
        default=20_000,
        ge=0,
        description="While so many pages wait for their first outcome, or so many messages for "
        "the relay, the intake waits; 0 for any number.",
    )
    queue_limit: int = Field(
        default=40,
        ge=1,
        description="Tasks that wait in a queue, of extractions the pages; more wait in the "
        "database, where sites take turns.",
    )
    articles_limit: int = Field(
        default=100_000,
        ge=0,
        description="Articles that wait for entity recognition in its queue, and messages of links "
        "in the crawler's; more wait in the database; 0 for any number.",
    )
    max_message_bytes: int = Field(
        default=16 * 1024 * 1024,
        ge=1024 * 1024,
        description="Largest article message, at most what the broker takes: its `max_message_size`"
        ", by default 16 MiB from RabbitMQ 4 on. A page whose article is larger is `too-large`.",
    )
    render_browser: Path | None = Field(
        default=None,
        description="Chromium that renders pages that are empty until their programs have run "
        "(extra render); without it their outcome is needs-rendering.",
    )
    render_seconds: float = Field(
        default=30,
        gt=0,
        description="Time limit of a page that is rendered; less than DETOURAGE_PAGE_SECONDS.",
    )
    render_memory_mib: int = Field(
        default=1024, ge=256, description="Memory that each process of the browser may fill."
    )
    render_network: bool = Field(
        default=False,
        description="Whether a page that is rendered may load what it asks for, from any address "
        "that this host reaches; else it has its stored HTML alone.",
    )
    render_sandbox: bool = Field(
        default=True,
        description="Whether the browser uses its own sandbox, which root and most containers "
        "do not let it.",
    )
    heartbeat_directory: Path = Field(
        default=Path("/tmp/detourage"),  # noqa: S108 - holds no data, only ages of files
        description="Where each process touches its heartbeat file, for `detourage health`.",
    )
    summary_seconds: float = Field(
        default=60,
        gt=0,
        description="Period after which intake and relay log what they did in it, if anything.",
    )
    text_roles: str = Field(
        default="",
        description="Roles of the lines that an article's text is made of, with commas between; "
        f"where none is named, {', '.join(TEXT_ROLES)}. "
        f"Known are {', '.join(CHOOSABLE_ROLES)}. Pages extracted before are "
        "extracted again when their site is clustered, or by `detourage reprocess`.",
    )
    story_days: float = Field(
        default=7,
        gt=0,
        le=365,
        description="Days within which articles must be fetched to be compared for a story; what "
        "is known of older ones is removed.",
    )
    story_correction_seconds: float = Field(
        default=60,
        gt=0,
        description="Period after which articles go out again, as a further revision, whose story "
        "is another one since, or has another first article.",
    )
    repeats: Repeats = Field(
        default="send",
        description="What becomes of an article that is the same as the first of its story, or an "
        "excerpt of it: sent as any other, sent to the exchange `articles.repeats`, or kept in the "
        "database alone.",
    )
    revisions_from: int = Field(
        default=1,
        ge=1,
        le=10**9,
        description="Number that the next revision of each article has at least. After a restore: "
        "one greater than any that was sent, so that no id is used twice.",
    )
    send_links: bool = Field(
        default=False,
        description="Whether what a page lists, each link with its headline, is sent to the "
        "exchange `links`, for the crawler. Pages of before are sent when they change, or by "
        "`detourage reprocess`.",
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        default="INFO",
        description="Lowest level that is logged, by every process; Celery's --loglevel "
        "changes nothing.",
    )
    log_format: Literal["text", "json"] = Field(
        default="text",
        description="Log lines for people, or an object a line with the ids of task, page, site "
        "and message; passwords in URLs are hidden in both.",
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Read a URL from the file that ``DETOURAGE_<NAME>_FILE`` names, where it is not given."""
        del dotenv_settings, file_secret_settings
        return init_settings, env_settings, _SecretFiles(settings_cls)

    @field_validator("database_url")
    @classmethod
    def _names_the_driver(cls, value: SecretStr | None) -> SecretStr | None:
        return None if value is None else SecretStr(psycopg2_url(value.get_secret_value()))

    @field_validator("broker_url")
    @classmethod
    def _is_url(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None:
            _check_url(value.get_secret_value(), BROKER_SCHEMES)
        return value

    @field_validator("text_roles")
    @classmethod
    def _are_roles(cls, value: str) -> str:
        return ",".join(chosen_roles(value.split(",")))

    @field_validator("broker_url")
    @classmethod
    def _leaves_tls_alone(cls, value: SecretStr | None) -> SecretStr | None:
        # kombu would take them in place of what verifies the broker.
        if value is not None and re.search(r"[?&]ssl", value.get_secret_value()):
            raise ValueError("takes no ssl parameters: DETOURAGE_BROKER_CA_FILE names authorities")
        return value

    @field_validator("broker_options")
    @classmethod
    def _verifies(
        cls, value: dict[str, str | int | float | bool]
    ) -> dict[str, str | int | float | bool]:
        if "ssl" in value:
            raise ValueError("takes no ssl: DETOURAGE_BROKER_CA_FILE names authorities")
        return value

    @field_validator("broker_ca_file")
    @classmethod
    def _holds_certificates(cls, value: Path | None) -> Path | None:
        if value == Path():
            return None
        if value is not None:
            try:
                ssl.create_default_context(cafile=value)
            except ssl.SSLError:
                raise ValueError(f"{value} holds no certificates") from None
            except OSError as error:
                raise ValueError(f"{value}: {error.strerror}") from None
        return value

    @field_validator("render_seconds")
    @classmethod
    def _leaves_time(cls, value: float, info: ValidationInfo) -> float:
        page_seconds = info.data.get("page_seconds")
        if info.data.get("render_browser") and page_seconds and value >= page_seconds:
            raise ValueError(f"must be less than DETOURAGE_PAGE_SECONDS, which is {page_seconds:g}")
        return value

    def require_database_url(self) -> str:
        """Return the URL of the database, as SQLAlchemy takes it for psycopg2.

        Raises
        ------
        SettingsError
            If it is not set.
        """
        if self.database_url is None:
            raise SettingsError("DETOURAGE_DATABASE_URL is not set")
        return self.database_url.get_secret_value()

    def require_broker_url(self) -> str:
        """Return the broker URL.

        Raises
        ------
        SettingsError
            If it is not set.
        """
        if self.broker_url is None:
            raise SettingsError("DETOURAGE_BROKER_URL is not set")
        return self.broker_url.get_secret_value()

    @property
    def chosen_text_roles(self) -> tuple[LineRole, ...]:
        """The roles that a text is made of."""
        return chosen_roles(self.text_roles.split(","))

    def environment(self) -> dict[str, str]:
        """Return the environment variables that give a process these settings."""
        values = self.model_dump(exclude_none=True)
        return {
            f"DETOURAGE_{name.upper()}": (
                value.get_secret_value()
                if isinstance(value, SecretStr)
                else json.dumps(value)
                if isinstance(value, dict)
                else str(value)
            )
            for name, value in values.items()
        }

    @property
    def secrets(self) -> list[str]:
        """The passwords of the settings, as they are and as their URLs write them."""
        found = []
        for url in (self.database_url, self.broker_url):
            password = urlsplit(url.get_secret_value()).password if url else None
            if password:
                found += [password, unquote(password)]
        return list(dict.fromkeys(found))

    @property
    def broker_is_amqp(self) -> bool:
        """Whether the broker speaks AMQP (and so knows quorum queues and dead letters)."""
        return self.require_broker_url().startswith(("amqp:", "amqps:", "pyamqp:"))


def psycopg2_url(url: str) -> str:
    """Return the URL of a database as SQLAlchemy takes it for psycopg2, however it was spelled.

    Raises
    ------
    ValueError
        If it names another database or driver, or is no URL.
    """
    _check_url(url, DATABASE_SCHEMES)
    return f"postgresql+psycopg2://{url.partition('://')[2]}"


def _check_url(url: str, schemes: Collection[str]) -> None:
    scheme, separator, rest = url.partition("://")
    if not separator or scheme not in schemes:
        *most, last = (f"{each}://" for each in schemes)
        raise ValueError(f"must begin with {', '.join(most)} or {last}")
    parts = urlsplit(f"//{rest}")
    try:
        # The library's own words for a wrong port quote what may be a part of the password.
        is_port = parts.port is None or parts.port > 0
    except ValueError:
        is_port = False
    if not is_port:
        raise ValueError(
            "has no valid port; in a user name or password, characters like / @ : # must be"
            " percent-encoded"
        )


def unknown_variables(environment: Mapping[str, str]) -> list[str]:
    """Return the variables that look like settings and are none."""
    return sorted(
        name
        for name in environment
        if name.startswith(PREFIX)
        and not name.startswith(f"{PREFIX}TEST_")
        and name.removeprefix(PREFIX).lower() not in Settings.model_fields
        and name not in map(file_variable, SECRETS)
    )


@cache
def load_settings() -> Settings:
    """Read the environment, once per process.

    Raises
    ------
    SettingsError
        If a variable has a wrong value.
    """
    try:
        return Settings()
    except pydantic_settings.SettingsError:
        # The one setting that is decoded before it is looked at.
        raise SettingsError(f"{PREFIX}BROKER_OPTIONS: must be a JSON object") from None
    except ValidationError as error:
        wrong = "; ".join(
            f"{PREFIX}{'_'.join(map(str, item['loc'])).upper()}:"
            f" {item['msg'].removeprefix('Value error, ')}"
            for item in error.errors(include_input=False)
        )
        raise SettingsError(wrong) from None
