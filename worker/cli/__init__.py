"""The service's commands of the ``detourage`` command line, grouped by subject.

Slow imports are made inside the commands that need them, so that health checks, help and error
messages wait neither for the numerical libraries nor for the settings.
"""

from __future__ import annotations

from contextlib import suppress
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from detourage.expected_errors import ExpectedError
from worker.cli import deployment, exporting, pages, pruning, quarantine, reprocessing, status

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import click

ENTRY_POINT_GROUP = "detourage.commands"
"""Group of entry points in which other packages register commands, such as ``inspect``."""

GROUPS: Mapping[str, Sequence[click.Command]] = {
    "users": (pages.run, pages.send),
    "operators": (
        status.status,
        quarantine.quarantine,
        reprocessing.reprocess,
        exporting.export,
        pruning.prune,
        deployment.health,
        deployment.migrate,
        deployment.intake,
        deployment.relay,
    ),
}
"""The service's own commands, by the group of users under which the help lists them."""


class _Service:
    """The service's part of the command line, whose methods the library calls."""

    def commands(self) -> Mapping[str, Sequence[click.Command]]:
        """Return all commands by user group; those of other packages are for operators."""
        registered = sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda each: each.name)
        operators = [*GROUPS["operators"], *(each.load() for each in registered)]
        return {**GROUPS, "operators": operators}

    def begin(self, command: str) -> None:
        """Configure logging for another package's command; the service's own do so themselves."""
        if any(command == each.name for group in GROUPS.values() for each in group):
            return
        from worker import logs
        from worker.settings import load_settings

        # The command itself reports invalid settings.
        with suppress(ExpectedError):
            settings = load_settings()
            logs.configure(settings.log_level, settings.log_format, secrets=settings.secrets)

    def describe_expected_error(self, error: Exception) -> str | None:
        """Return a one-line message for a lost connection or missing privilege; otherwise, None."""
        from worker.error_reports import (
            cause,
            is_lost_connection,
            is_missing_privilege,
            without_passwords,
        )

        if is_missing_privilege(error):
            user = "the user in DETOURAGE_DATABASE_URL lacks this privilege"
            return f"{cause(error)}: {user} (`migrate` needs the owner of the tables)"
        return without_passwords(cause(error)) if is_lost_connection(error) else None


SERVICE = _Service()  # entry point that the library's command line loads
