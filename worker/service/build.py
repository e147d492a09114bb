"""Build information, and the log line that each process writes at startup."""

import logging
from importlib.metadata import version
from typing import Any, NamedTuple

from pydantic import SecretStr

from detourage.versions import EXTRACTION_VERSION
from worker import logs
from worker.errors import without_passwords
from worker.settings import Settings
from worker.store.schema import REVISION

logger = logging.getLogger(__name__)


class Build(NamedTuple):
    """The versions that determine what is stored and how it is produced."""

    version: str
    """Package version."""

    schema_version: str
    """Version of the database schema that this build requires."""

    extraction_version: str
    """Extraction version; different versions may extract different articles from the same page."""


def build() -> Build:
    """Return the versions of this build."""
    return Build(version("detourage"), REVISION, EXTRACTION_VERSION)


def log_beginning(process: str, settings: Settings) -> None:
    """Log the start of a process, with its version and all settings except for secrets."""
    with logs.bound(version=version("detourage"), settings=_shown(settings)):
        logger.info("%s started", process)


def _shown(settings: Settings) -> dict[str, Any]:
    return {
        name: (
            without_passwords(value.get_secret_value())
            if isinstance(value, SecretStr)
            else value
            if isinstance(value, (bool, int, float)) or value is None
            else str(value)
        )
        for name, value in settings
    }
