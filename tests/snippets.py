"""The snippets in the documentation, and the checks that they work.

Fenced blocks and commands in running text are snippets. Unknown languages and commands are
rejected, so a new one requires a check.
"""

import configparser
import json
import re
import shlex
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
import duckdb
import yaml
from celery.bin.celery import celery as celery_command
from markdown_it import MarkdownIt
from pydantic import TypeAdapter

from detourage.cli import main
from detourage.messages import ArticleMessage, PageMessage
from worker.settings import PREFIX, Settings

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted(
    [
        *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "examples/README.md")),
        *ROOT.glob("docs/**/*.md"),
    ]
)

SENDING_TASKS = (ROOT / "docs/how-to/back-up.md", ROOT / "docs/how-to/handle-failures.md")
"""Documents whose Python code needs a broker."""

ABBREVIATED = "…"
"""Argument that represents further arguments, in a command that is not complete."""
THIRD_PARTY = frozenset(
    (
        *("cp", "createdb", "createuser", "curl", "install", "pg_basebackup", "pre-commit"),
        *("python3", "systemctl", "systemd-sysusers"),
    )
)
"""Third-party programs, none of whose arguments refer to this project."""


@dataclass(frozen=True)
class Snippet:
    """A fenced block in a document."""

    document: Path
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.document.relative_to(ROOT)}:{self.line} {self.language}"


def snippets(document: Path) -> list[Snippet]:
    """Return the fenced blocks in a document."""
    return [
        Snippet(document, (token.map or [0])[0] + 1, token.info.strip(), token.content)
        for token in _markdown(document)
        if token.type in ("fence", "code_block")
    ]


def python_module(document: Path) -> str:
    """Join the Python blocks of a document to one module whose line numbers are the document's."""
    lines: list[str] = []
    for each in snippets(document):
        if each.language == "python":
            lines += [""] * (each.line - len(lines)) + each.text.splitlines()
    return "\n".join(lines)


def inline_commands(document: Path) -> list[str]:
    """Return the project's commands in the running text of a document, except abbreviated ones."""
    pattern = r"(detourage|celery|make|docker compose|pip|python -m) \S.*"
    return [code for code in inline_code(document, pattern) if f" {ABBREVIATED}" not in code]


def inline_code(document: Path, pattern: str) -> list[str]:
    """Return the inline code spans of a document that match a pattern as a whole."""
    children = (child for token in _markdown(document) for child in token.children or ())
    codes = (child.content for child in children if child.type == "code_inline")
    return [code for code in codes if re.fullmatch(pattern, code, re.DOTALL)]


def _markdown(document: Path) -> list[Any]:
    """Parse a document to Markdown tokens."""
    return MarkdownIt("commonmark").enable("table").parse(document.read_text())


def check(snippet: Snippet) -> None:
    """Raise an error if a snippet would not work. Python snippets are run by tests instead."""
    CHECKS[snippet.language](snippet.text)


def check_command(command: str) -> None:
    """Raise an error if a command in running text, whose arguments may be missing, is wrong."""
    _check_words(command.split(), is_complete=False)


def check_console(text: str) -> None:
    """Check the commands, that is, the lines that begin with the prompt ``$``."""
    lines = re.findall(r"^\$ (.*)$", text.replace("\\\n", " "), re.MULTILINE)
    assert lines, "no command: begin each with `$ `"
    for line in lines:
        for words in _commands(line):
            _check_words(words, is_complete=True)


def _commands(line: str) -> Iterator[list[str]]:
    """Return the words of each command in a shell line, excluding redirections."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    command: list[str] = []
    words = iter(lexer)
    for word in words:
        if word in ("&&", "||", "|", ";"):
            yield command
            command = []
        elif word in (">", ">>", "<"):
            next(words)
        else:
            command.append(word)
    yield command


def _check_words(words: Sequence[str], *, is_complete: bool) -> None:
    """Check a command, given as words, and the environment variables that are set before it."""
    while "=" in words[0] or words[0] == "export":
        _check_variable(words[0].partition("=")[0])
        words = words[1:]
        if not words:
            return
    program, *arguments = words
    match re.sub(r"^(\.venv|/opt/detourage)/bin/", "", program):
        case "detourage":
            _check_click(main, arguments, is_complete=is_complete)
        case "celery":
            assert arguments[:3] == ["--quiet", "-A", "worker"]
            _check_click(celery_command, arguments, is_complete=is_complete)
        case "make":
            targets = [each for each in arguments if "=" not in each and each != "NAME"]
            assert set(targets) <= make_targets(), f"not all are targets of make: {targets}"
        case "docker":
            _check_compose(arguments, is_complete=is_complete)
        case "python":
            _check_python(arguments)
        case "pip":
            used = {name for each in arguments for name in re.findall(r"\[(\w+)\]", each)}
            assert used - {"NAME"} <= extras(), f"no such extra: {used - extras()}"
        case other:
            _check_third_party(other, arguments)


def _check_third_party(program: str, arguments: Sequence[str]) -> None:
    """Check the arguments of a third-party program that refer to this project."""
    match program:
        case "helm":
            _check_helm(arguments)
        case "kubectl":
            if "--" in arguments:
                _check_words(arguments[arguments.index("--") + 1 :], is_complete=True)
        case "psql":
            assert (ROOT / arguments[arguments.index("--file") + 1]).is_file()
        case "rabbitmqctl":
            assert arguments[0] == "set_policy"
            json.loads(arguments[-1])
        case script if script.startswith("deploy/"):
            assert (ROOT / script).stat().st_mode & 0o111, f"{script} is not executable"
        case other:
            assert other in THIRD_PARTY, f"add a check of the program {other} to tests/snippets.py"


def _check_helm(arguments: Sequence[str]) -> None:
    """Check that values set with ``--set a.b=1`` are in the chart's ``values.yaml``."""
    charts = [ROOT / each for each in arguments if each.startswith("deploy/")]
    defaults = [yaml.safe_load((chart / "values.yaml").read_text()) for chart in charts]
    for option, assignment in pairwise(arguments):
        if option == "--set":
            (value,) = defaults
            for key in assignment.partition("=")[0].split("."):
                value = value[key]


def _check_variable(name: str) -> None:
    """Check that an environment variable with the service's prefix is one of its settings."""
    setting = name.removeprefix(PREFIX).lower()
    assert not name.startswith(PREFIX) or setting in Settings.model_fields, f"no setting: {name}"


def _check_click(root: click.Command, arguments: Sequence[str], *, is_complete: bool) -> None:
    """Parse the arguments of a Click command, and check that its subcommands and options exist."""
    context = click.Context(root, info_name=root.name)
    command, rest = root, list(arguments)
    while isinstance(command, click.Group) and rest:
        if rest[0].startswith("-"):
            # Skip options of the command group, such as --version, which would end the process.
            _, rest, _ = command.make_parser(context).parse_args(rest)
            continue
        name, subcommand, rest = command.resolve_command(context, rest)
        assert subcommand is not None
        context = click.Context(subcommand, info_name=name, parent=context)
        command = subcommand
    if command is root:
        return
    if is_complete:
        rest = [_create_if_path(each) for each in rest]
        command.make_context(context.info_name, rest, context.parent)
        return
    # The text may mention an option without its value.
    with suppress(click.BadOptionUsage):
        command.make_parser(context).parse_args(rest)


def _create_if_path(argument: str) -> str:
    """Return an argument; if it is a path, create it in the current folder and make it relative."""
    if argument.startswith("-") or "://" in argument or re.search(r"[\s>|]", argument):
        return argument
    path = Path(argument.removeprefix("/"))
    if "." in path.name:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    else:
        path.mkdir(parents=True, exist_ok=True)
    return str(path)


@cache
def make_targets() -> frozenset[str]:
    """Return the targets of ``make``, which include one for each extra."""
    makefile = (ROOT / "Makefile").read_text()
    return frozenset(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE)) | extras()


@cache
def extras() -> frozenset[str]:
    """Return the extras of the packages, such as ``pip install detourage[run]``."""
    files = (ROOT / "pyproject.toml", ROOT / "worker/pyproject.toml")
    projects = (tomllib.loads(path.read_text())["project"] for path in files)
    return frozenset(name for each in projects for name in each["optional-dependencies"])


@cache
def compose_services() -> dict[str, dict[str, Any]]:
    """Return the services of the Compose file."""
    loaded: dict[str, dict[str, Any]] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    return loaded["services"]


def _check_compose(arguments: Sequence[str], *, is_complete: bool) -> None:
    """Check the services and profiles in a ``docker compose`` command, and the command it runs."""
    assert arguments[0] == "compose", f"no check of docker {arguments[0]}"
    services = compose_services()
    profiles = {name for service in services.values() for name in service.get("profiles", ())}
    words = iter(arguments[1:])
    command = ""
    for word in words:
        match word:
            case "--profile":
                assert next(words) in profiles
            case "--scale":
                assert next(words).partition("=")[0] in services
            case "--volume":
                next(words)
            case "--build" | "--detach" | "--rm" | "--volumes":
                pass
            case "up" | "down" | "stop" | "ps" | "exec" | "run" if not command:
                command = word
            case service:
                assert service in services, f"no such service in docker-compose.yml: {service}"
                if command in ("exec", "run"):
                    break
    if inner := list(words):
        _check_words(inner, is_complete=is_complete)


def _check_python(arguments: Sequence[str]) -> None:
    if arguments[0] != "-m":
        assert (ROOT / arguments[0]).is_file()
        return
    module = arguments[1]
    assert find_spec(module), f"no module {module}"
    if module == "pytest":
        paths = [each for each in arguments[2:] if each.startswith("tests/")]
        assert all((ROOT / path).exists() for path in paths)


def check_json(text: str) -> None:
    """Validate a page or article message, or each field of a part of an article message."""
    value = json.loads(text)
    if "html_base64" in value:
        assert not PageMessage.model_validate_json(text).model_extra
    elif "version" in value:
        ArticleMessage.model_validate_json(text)
        # Keys that the message omits when they are empty need not be shown.
        fields = ArticleMessage.model_fields
        optional = {name for name, each in fields.items() if each.exclude_if}
        assert set(fields) - optional <= set(value) <= set(fields)
    else:
        for name, part in value.items():
            annotation = ArticleMessage.model_fields[name].annotation
            assert annotation
            TypeAdapter(annotation).validate_json(json.dumps(part))


def check_yaml(text: str) -> None:
    """Check that YAML is valid, and check the project's commands in it."""
    for command in re.findall(r"\[(detourage, .*)\]", text):
        _check_words(command.split(", "), is_complete=True)
    yaml.safe_load(text)


def check_assignments(text: str) -> None:
    """Check lines that set environment variables."""
    for name, _, value in (line.partition("=") for line in text.splitlines()):
        assert value
        _check_variable(name)


def check_ini(text: str) -> None:
    """Check the syntax of a server's settings file, which has no section."""
    configparser.ConfigParser(delimiters="=", interpolation=None).read_string(f"[all]\n{text}")


def check_nothing(text: str) -> None:
    """Accept any text that contains no command, such as a diagram or another program's file."""
    assert not re.search(r"^\$ ", text, re.MULTILINE)


CHECKS: Mapping[str, Callable[[str], object]] = {
    # The build of the website checks these directives.
    "{eval-rst}": check_nothing,
    "console": check_console,
    "ini": check_ini,
    "json": check_json,
    "nginx": check_nothing,
    "sh": check_assignments,
    "sql": duckdb.extract_statements,
    "text": check_nothing,
    "toml": tomllib.loads,
    "yaml": check_yaml,
}
