import click
from click.testing import CliRunner

from detourage.cli import Commands


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
    """Raise the exception that a click prompt raises on an interruption by the user."""
    try:
        press_ctrl_c()
    except KeyboardInterrupt:
        raise click.Abort from None


def test_ctrl_c_prints_one_word_and_sets_the_exit_code() -> None:
    for command in ("working", "asking"):
        done = CliRunner().invoke(interrupted, [command])
        assert (done.exit_code, done.stderr) == (130, "Interrupted\n")
