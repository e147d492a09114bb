"""The ``detourage`` command line: commands that need no deployment, and those of the service.

Commands import slow modules themselves, so that help and error messages do not wait for the
numerical libraries.
"""

from __future__ import annotations

import atexit
import gc
import os
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

import click

from detourage.cli.explaining import explain
from detourage.cli.extracting import extract
from detourage.expected_errors import ExpectedError
from detourage.text.terminal import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SERVICE = "detourage.service"  # group of entry points in which the service registers a `Service`


class Service(Protocol):
    """The service's part of the command line."""

    def commands(self) -> Mapping[str, Sequence[click.Command]]:
        """Return the commands by group of users, in the order of the help."""

    def begin(self, command: str) -> None:
        """Prepare the process for the named command."""

    def describe_expected_error(self, error: Exception) -> str | None:
        """Return the one-line message of an expected error, or None for a bug."""


@cache
def service() -> Service | None:
    """Return the service's part of the command line, or None if only the library is installed."""
    from importlib.metadata import entry_points

    return next((each.load() for each in entry_points(group=SERVICE)), None)


class Commands(click.Group):
    """A group that lists commands in order of addition, and reports expected errors in one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands in order of addition; click would sort them."""
        del ctx
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; report any expected error in one line, and Ctrl-C as "Interrupted"."""
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
            # click raises the same error if Ctrl-C interrupts a prompt and if the answer is "no".
            if isinstance(error.__context__, KeyboardInterrupt):
                _end_interrupted()
            raise
        except (BrokenPipeError, click.ClickException, click.exceptions.Exit):
            # click reports these errors itself, and exits quietly if a pipe is broken.
            raise
        except OSError as error:
            # Show the file name and the message of the error, but not its number.
            parts = (error.filename, error.strerror)
            message = ": ".join(str(part) for part in parts if part) or str(error)
            raise click.ClickException(printable(message)) from error
        except Exception as error:
            installed = service()
            if installed is None or (text := installed.describe_expected_error(error)) is None:
                raise
            raise click.ClickException(printable(text)) from error


def _end_interrupted() -> NoReturn:
    click.echo("Interrupted", err=True)
    # Shells return this exit code after Ctrl-C.
    raise click.exceptions.Exit(130)


@cache
def commands_by_group() -> Mapping[str, Sequence[click.Command]]:
    """Return the commands by group of users, such as "users", in the order of the help."""
    by_group: dict[str, list[click.Command]] = {"users": [extract, explain]}
    installed = service()
    for group, commands in installed.commands().items() if installed is not None else ():
        by_group.setdefault(group, []).extend(commands)
    return by_group


class GroupedCommands(Commands):
    """The commands of the library and of the service, with a heading for each group of users."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command with a name, from the library or the service, or None."""
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        all_commands = (command for group in commands_by_group().values() for command in group)
        return next((command for command in all_commands if command.name == cmd_name), None)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands of the library and the service, group by group."""
        del ctx
        return [each.name or "" for group in commands_by_group().values() for each in group]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command; if only the library is installed, the error says what to install."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            if service() is not None:
                raise
            ctx.fail(
                f"{error.format_message()} Only the library is installed; the commands of the"
                " service are in the distribution detourage-service."
            )

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the names and descriptions of the commands."""
        name_width = max(map(len, self.list_commands(ctx)))
        limit = formatter.width - 6 - name_width  # click indents by 2 and separates columns by 2
        for group, commands in commands_by_group().items():
            rows = [
                ((each.name or "").ljust(name_width), each.get_short_help_str(limit))
                for each in commands
            ]
            with formatter.section(f"Commands for {group}"):
                formatter.write_dl(rows)


@click.group(cls=GroupedCommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="detourage")
@click.pass_context
def main(context: click.Context) -> None:
    """Extract clean articles from crawled news pages in folders, JSON lines or WARC files."""
    # By default, NumPy and SciPy start a thread per core, and these threads busy-wait for work.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Imports create many objects, but no garbage, so collect rarely.
    gc.set_threshold(10_000)
    # Otherwise the last collection, at exit, would scan all modules.
    atexit.register(gc.freeze)
    command = context.invoked_subcommand or ""
    installed = service() if command not in main.commands else None
    if installed is not None:
        installed.begin(command)


for own in (extract, explain):
    main.add_command(own)
