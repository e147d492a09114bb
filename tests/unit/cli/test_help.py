"""Help texts of the command line, and its response to Ctrl-C."""

import re
import signal
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from detourage.cli import Commands, commands_by_group, main
from detourage.roles import CHOOSABLE_ROLES

SCREEN_LINES = 40  # number of lines on a screen that is 80 columns wide


def command_paths(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the names that lead to a command and to each of its subcommands."""
    yield path
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            subcommand = command.get_command(context, name)
            assert subcommand is not None
            yield from command_paths(subcommand, (*path, name))


def help_text(*path: str) -> str:
    result = CliRunner().invoke(
        main, [*path, "--help"], env={"COLUMNS": "80"}, catch_exceptions=False
    )
    assert result.exit_code == 0
    return result.output


@pytest.mark.parametrize("path", list(command_paths(main)), ids=" ".join)
def test_help_fits_on_a_screen(path: tuple[str, ...]) -> None:
    lines = help_text(*path).splitlines()
    assert len(lines) <= SCREEN_LINES
    assert max(map(len, lines)) <= 80
    assert not any(line.endswith("...") for line in lines[1:])


def test_commands_are_grouped_by_audience_and_only_one_lists_the_roles() -> None:
    text = help_text()
    groups = re.findall(r"^Commands for (\w+):$", text, re.MULTILINE)
    assert groups == ["users", "operators"]
    listed = re.findall(r"^  ([a-z]+) {2,}[A-Z]", text.partition("Commands for")[2], re.MULTILINE)
    assert listed == [each.name for group in commands_by_group().values() for each in group]
    assert sorted(filter(None, listed)) == sorted(main.list_commands(click.Context(main)))
    role = f" {CHOOSABLE_ROLES[-2]},"
    assert [path for path in command_paths(main) if role in help_text(*path)] == [("run",)]


@pytest.mark.parametrize("is_prompting", [False, True], ids=["working", "prompting"])
def test_ctrl_c_prints_one_word_and_sets_the_exit_code(is_prompting: bool) -> None:
    def work() -> None:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt as error:
            # At a prompt, click raises Abort instead of KeyboardInterrupt.
            raise click.Abort if is_prompting else error from None

    group = Commands(commands={"work": click.Command("work", callback=work)})
    result = CliRunner().invoke(group, ["work"])
    assert (result.exit_code, result.stderr) == (130, "Interrupted\n")
