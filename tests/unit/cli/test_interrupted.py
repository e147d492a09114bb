"""Exit of an interrupted command."""

import click
from click.testing import CliRunner

from worker.cli import Commands


@click.group(cls=Commands)
def interrupted() -> None:
    pass


@interrupted.command()
def working() -> None:
    press_ctrl_c()


def press_ctrl_c() -> None:
    raise KeyboardInterrupt


@interrupted.command()
def asking() -> None:
    """End as a question of click does."""
    try:
        press_ctrl_c()
    except KeyboardInterrupt:
        raise click.Abort from None


@interrupted.command()
def sure() -> None:
    click.confirm("Sure?", abort=True)


def test_ctrl_c_ends_with_one_word_and_its_code() -> None:
    for command in ("working", "asking"):
        done = CliRunner().invoke(interrupted, [command])
        assert (done.exit_code, done.stderr) == (130, "Interrupted\n")


def test_a_no_is_an_error() -> None:
    assert CliRunner().invoke(interrupted, ["sure"], input="n\n").exit_code == 1
