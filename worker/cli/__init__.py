"""The ``detourage`` command line, with its commands grouped by subject.

Slow imports are made inside the commands that need them, so that health checks, help and error
messages wait neither for the numerical libraries nor for the settings.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn

import click

from detourage.errors import ExpectedError
from detourage.text.terminal import printable
from worker.cli import (
    deployment,
    explaining,
    exporting,
    extracting,
    operating,
    pages,
    quarantine,
    reprocessing,
)
from worker.processes.threads import start_no_idle_threads

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MOVED = ("bench", "evaluate")
"""Commands for measuring extractors, which are not part of the installed package."""


class Commands(click.Group):
    """A group of commands, in order of addition, that reports expected errors in one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        del ctx
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except ExpectedError as error:
            first, *rest = str(error).splitlines() or [type(error).__name__]
            for line in rest:
                click.echo(printable(line), err=True)
            raise click.ClickException(printable(first)) from error
        except KeyboardInterrupt:
            _end_interrupted()
        except click.Abort as error:
            # A prompt raises the same error for Ctrl-C as for the answer "no".
            if isinstance(error.__context__, KeyboardInterrupt):
                _end_interrupted()
            raise
        except BrokenPipeError:
            # click exits quietly.
            raise
        except OSError as error:
            # The message with the file, but without the error's number.
            parts = (error.filename, error.strerror)
            message = ": ".join(str(part) for part in parts if part) or str(error)
            raise click.ClickException(printable(message)) from error
        except (click.ClickException, click.exceptions.Exit):
            raise
        except Exception as error:
            from worker.errors import cause, is_lost_connection, is_refusal, without_passwords

            if not is_lost_connection(error) and not is_refusal(error):
                raise
            raise click.ClickException(printable(without_passwords(cause(error)))) from error


def _end_interrupted() -> NoReturn:
    click.echo("Interrupted", err=True)
    # Shells use this exit code after Ctrl-C.
    raise click.exceptions.Exit(130)


NEIGHBOURS = "detourage.commands"
"""Entry points of commands that are not part of the service, such as ``inspect``."""


def neighbours() -> dict[str, click.Command]:
    """Return the installed commands that are not part of the service."""
    from importlib.metadata import entry_points

    found = sorted(entry_points(group=NEIGHBOURS), key=lambda each: each.name)
    return {each.name: each.load() for each in found}


def commands_by_group() -> dict[str, Sequence[click.Command]]:
    """Return the commands by user group, in the order shown in the help.

    Those of neighbours are for operators.
    """
    return {**GROUPS, "operators": [*GROUPS["operators"], *neighbours().values()]}


class GroupedCommands(Commands):
    """The commands of `GROUPS` and of the neighbours, each group under its own heading."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, which may be a neighbour's."""
        return super().get_command(ctx, cmd_name) or neighbours().get(cmd_name)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return [*super().list_commands(ctx), *neighbours()]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command; if it has moved, name its new location."""
        if args[0] in MOVED:
            ctx.fail(f"{args[0]} moved: run `python -m benchmarks {args[0]}` in a checkout.")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the names and descriptions of the commands."""
        longest = max(map(len, self.list_commands(ctx)))
        limit = formatter.width - 6 - longest
        for group, commands in commands_by_group().items():
            with formatter.section(f"Commands for {group}"):
                formatter.write_dl(
                    [
                        ((each.name or "").ljust(longest), each.get_short_help_str(limit))
                        for each in commands
                    ]
                )


@click.group(cls=GroupedCommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="detourage")
@click.pass_context
def main(context: click.Context) -> None:
    """Extract clean articles from crawled news pages in folders, JSON lines or WARC files."""
    start_no_idle_threads()
    if context.invoked_subcommand not in main.commands:
        from worker import logs
        from worker.settings import load_settings

        # A neighbour reports missing settings itself.
        with suppress(ExpectedError):
            settings = load_settings()
            logs.configure(settings.log_level, settings.log_format, secrets=settings.secrets)


GROUPS: Mapping[str, Sequence[click.Command]] = {
    "users": (
        extracting.extract,
        pages.run,
        pages.send,
        explaining.explain,
    ),
    "operators": (
        operating.status,
        quarantine.quarantine,
        reprocessing.reprocess,
        exporting.export,
        operating.prune,
        deployment.health,
        deployment.migrate,
        deployment.intake,
        deployment.relay,
    ),
}
"""The service's own commands by user group."""

for commands in GROUPS.values():
    for command in commands:
        main.add_command(command)
