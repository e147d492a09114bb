"""The reference pages of the documentation, made from what they describe.

``python -m worker.cli.reference docs/reference`` writes them; a test fails when they are stale.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args, get_origin

import click
from pydantic import SecretStr
from pydantic.fields import FieldInfo

from models.links import LinksMessage
from models.messages import ArticleMessage, PageMessage
from worker.cli import GROUPS, main
from worker.settings import PREFIX, Settings

GENERATED = "<!-- Made by `make docs`; what it says is written in {source}. -->"


def settings_page() -> str:
    """Return the settings, with their types, defaults and meanings."""
    rows = [
        (f"`{PREFIX}{name.upper()}`", _kind(field), _default(field), field.description or "")
        for name, field in Settings.model_fields.items()
    ]
    return _page(
        "Settings",
        "worker/settings.py",
        "Every setting is read from an environment variable, once, when a process begins. Those"
        " that hold a password may come from a file instead, which the variable of the same name"
        " with `_FILE` names.",
        *_table(("variable", "type", "default", "meaning"), rows),
    )


def commands_page() -> str:
    """Return the commands, with their arguments and options."""
    root = click.Context(main, info_name="detourage")
    parts = list(_of_one(main, root, 1))
    for group, commands in GROUPS.items():
        parts.append(f"## Commands for {group}")
        for command in commands:
            below = click.Context(command, parent=root, info_name=command.name)
            parts += _of_command(command, below, 3)
    return _page("Command line", "worker/cli", *parts)


def messages_page() -> str:
    """Return the keys of the message contracts, with their types and meanings."""
    page = PageMessage.model_json_schema(mode="validation")
    article = ArticleMessage.model_json_schema(mode="serialization")
    links = LinksMessage.model_json_schema(mode="serialization")
    return _page(
        "Messages",
        "models/messages.py and models/links.py",
        "JSON in UTF-8; a byte order mark before it is ignored. `detourage schema page`,"
        " `detourage schema article` and `detourage schema links` print the JSON Schema.",
        *_of_object(page, "page message"),
        *_of_object(article, "article message"),
        *_parts_of(article),
        *_of_object(links, "links message"),
        *_parts_of(links),
    )


def _parts_of(schema: Mapping[str, Any]) -> Iterator[str]:
    for name, part in sorted(schema["$defs"].items()):
        yield from _of_object(part, name)


PAGES: Mapping[str, Callable[[], str]] = {
    "cli.md": commands_page,
    "messages.md": messages_page,
    "settings.md": settings_page,
}
"""The pages by the names of their files."""


def write(directory: Path) -> None:
    """Write all pages."""
    directory.mkdir(parents=True, exist_ok=True)
    for name, made in PAGES.items():
        (directory / name).write_text(made(), encoding="utf-8")


def _page(title: str, source: str, *parts: str) -> str:
    return "\n\n".join((f"# {title}", GENERATED.format(source=source), *parts)) + "\n"


def _table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    if rows:
        lines = (heads, ("---",) * len(heads), *rows)
        cells = (" | ".join(cell.replace("|", "\\|") for cell in line) for line in lines)
        yield "\n".join(f"| {line} |" for line in cells)


def _kind(field: FieldInfo) -> str:
    kinds = [each for each in get_args(field.annotation) if each is not type(None)]
    if kinds and all(isinstance(each, str) for each in kinds):
        return ", ".join(f"`{each}`" for each in kinds)
    kind = field.annotation if get_origin(field.annotation) is dict or not kinds else kinds[0]
    names: dict[object, str] = {
        SecretStr: "URL",
        Path: "path",
        bool: "`true` or `false`",
        int: "whole number",
    }
    names |= {int: "whole number", float: "number", str: "text"}
    return names.get(kind, "JSON object")


def _default(field: FieldInfo) -> str:
    value = field.get_default(call_default_factory=True)
    if value is None or value in ("", {}):
        return ""
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _of_command(command: click.Command, context: click.Context, level: int) -> Iterator[str]:
    yield from _of_one(command, context, level)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            if below is not None:
                within = click.Context(below, parent=context, info_name=name)
                yield from _of_command(below, within, level + 1)


def _of_one(command: click.Command, context: click.Context, level: int) -> Iterator[str]:
    if context.parent is not None:
        usage = " ".join((context.command_path, *command.collect_usage_pieces(context)))
        yield f"{'#' * level} `{context.command_path}`"
        yield f"```text\n{usage}\n```"
    yield from re.split(r"\n{2,}", inspect.cleandoc(command.help or ""))
    yield from _table(
        ("option", "meaning", "default"),
        [_option(each, context) for each in command.params if isinstance(each, click.Option)],
    )
    if command.epilog:
        yield command.epilog


def _option(option: click.Option, context: click.Context) -> tuple[str, str, str]:
    names = "/".join([*option.opts, *option.secondary_opts])
    takes = "" if option.is_flag else f" {option.make_metavar(context).removesuffix(' RANGE')}"
    if isinstance(option.show_default, str):
        shown = option.show_default
    elif option.show_default:
        shown = f"`{option.default}`"
    else:
        shown = "required" if option.required else ""
    return f"`{names}{takes}`", option.help or "", shown


def _of_object(schema: Mapping[str, Any], name: str) -> Iterator[str]:
    if "properties" not in schema:
        return
    yield f"## {name}"
    yield from re.split(r"\n{2,}", schema.get("description", ""))
    required = schema.get("required", ())
    yield from _table(
        ("key", "type", "", "meaning"),
        [
            (
                f"`{key}`",
                _json_type(value),
                "required" if key in required else "",
                value.get("description", ""),
            )
            for key, value in schema["properties"].items()
        ],
    )


def _json_type(value: Mapping[str, Any]) -> str:
    if "$ref" in value:
        name = value["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in value:
        return " or ".join(_json_type(each) for each in value["anyOf"])
    if "const" in value:
        return f"`{json.dumps(value['const'])}`"
    if "enum" in value:
        return ", ".join(f"`{json.dumps(each)}`" for each in value["enum"])
    if value["type"] == "array":
        return f"array of {_json_type(value['items'])}"
    return str(value.get("format", value["type"]))


if __name__ == "__main__":
    write(Path(sys.argv[1]))
