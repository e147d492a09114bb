"""The generated reference pages are current and complete."""

from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from pydantic import BaseModel

from detourage import messages
from docs.reference_pages import PAGES, commands_page, settings_page, write
from worker.cli import main
from worker.settings import PREFIX, Settings

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"


def commands(command: click.Command, path: str) -> Iterator[tuple[str, click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        for name, below in command.commands.items():
            yield from commands(below, f"{path} {name}")


COMMANDS = dict(commands(main, "detourage"))
MODELS = [
    each
    for each in vars(messages).values()
    if isinstance(each, type)
    and issubclass(each, BaseModel)
    and each.__module__ == "detourage.messages"
]


@pytest.mark.parametrize("name", PAGES)
def test_reference_pages_are_up_to_date(name: str) -> None:
    assert (REFERENCE / name).read_text(encoding="utf-8") == PAGES[name](), "run make docs"


def test_all_pages_are_written_to_a_folder_that_is_created(tmp_path: Path) -> None:
    write(tmp_path / "made" / "reference")
    assert {each.name for each in (tmp_path / "made" / "reference").iterdir()} == set(PAGES)


@pytest.mark.parametrize("name", Settings.model_fields)
def test_every_setting_is_described(name: str) -> None:
    assert (Settings.model_fields[name].description or "").endswith(".")
    assert f"| `{PREFIX}{name.upper()}` |" in settings_page()


@pytest.mark.parametrize("path", COMMANDS)
def test_every_command_and_option_is_described(path: str) -> None:
    command = COMMANDS[path]
    assert (command.help or "").strip()
    page = commands_page()
    assert path == "detourage" or f"# `{path}`\n" in page
    for option in command.params:
        if isinstance(option, click.Option):
            assert (option.help or "").endswith("."), option.opts
            assert option.opts[-1] in page


@pytest.mark.parametrize("model", MODELS)
def test_every_key_of_a_message_is_described(model: type[BaseModel]) -> None:
    for name, field in model.model_fields.items():
        assert (field.description or "").strip(), name
