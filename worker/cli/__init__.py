"""The command line, ``detourage``: its commands by subject.

What only one command needs, and takes long to import, is imported by it: health
checks, help and errors wait neither for the numerical libraries nor for the settings.
"""

from typing import Any

import click

from worker.cli import (
    deployment,
    inspecting,
    measuring,
    operating,
    pages,
    quarantine,
    reprocessing,
)
from worker.errors import ExpectedError


class Commands(click.Group):
    """Commands whose expected errors end in one line instead of a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except ExpectedError as error:
            first, *rest = str(error).splitlines() or [type(error).__name__]
            for line in rest:
                click.echo(_printable(line), err=True)
            raise click.ClickException(_printable(first)) from error
        except OSError as error:
            raise click.ClickException(_printable(str(error))) from error


def _printable(text: str) -> str:
    from worker.terminal import printable

    return printable(text)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="detourage")
def main() -> None:
    """Cut clean articles out of crawled news pages.

    INPUT is a folder of HTML, a file of page messages (JSON lines, may be
    gzipped), a WARC file, or - for JSON lines on standard input.
    """


for subject in (
    pages,
    operating,
    reprocessing,
    quarantine,
    deployment,
    inspecting,
    measuring,
):
    for command in subject.COMMANDS:
        main.add_command(command)
