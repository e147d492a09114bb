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
OUTSIDE = frozenset(
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
    """Return the Python code of a document as one module, with line numbers preserved."""
    lines: list[str] = []
    for each in snippets(document):
        if each.language == "python":
            lines += [""] * (each.line - len(lines)) + each.text.splitlines()
    return "\n".join(lines)


def inline_commands(document: Path) -> list[str]:
    """Return the project's commands in the running text of a document, if they are complete."""
    ours = r"(detourage|celery|make|docker compose|pip|python -m) \S.*"
    return [code for code in inline_code(document, ours) if f" {ABBREVIATED}" not in code]


def inline_code(document: Path, pattern: str) -> list[str]:
    """Return the code in the running text and the tables of a document that matches a pattern."""
    pieces = (piece for token in _markdown(document) for piece in token.children or ())
    codes = (piece.content for piece in pieces if piece.type == "code_inline")
    return [code for code in codes if re.fullmatch(pattern, code, re.DOTALL)]


def _markdown(document: Path) -> list[Any]:
    return MarkdownIt("commonmark").enable("table").parse(document.read_text())


def check(snippet: Snippet) -> None:
    """Raise an error if the snippet would not work; the tests run Python snippets."""
    CHECKS[snippet.language](snippet.text)


def check_command(command: str) -> None:
    """Raise an error if a command in running text would not work; arguments may be missing."""
    _check_words(command.split(), whole=False)


def check_console(text: str) -> None:
    """Check the lines that begin with a prompt; the other lines are output."""
    lines = re.findall(r"^\$ (.*)$", text.replace("\\\n", " "), re.MULTILINE)
    assert lines, "no command: one begins with `$ `"
    for line in lines:
        for words in _commands(line):
            _check_words(words, whole=True)


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


def _check_words(words: Sequence[str], *, whole: bool) -> None:
    while "=" in words[0] or words[0] == "export":
        _check_variable(words[0].partition("=")[0])
        words = words[1:]
        if not words:
            return
    program, *arguments = words
    match re.sub(r"^(\.venv|/opt/detourage)/bin/", "", program):
        case "detourage":
            _check_click(main, arguments, whole=whole)
        case "celery":
            assert arguments[:2] == ["-A", "worker"]
            _check_click(celery_command, arguments, whole=whole)
        case "make":
            targets = [each for each in arguments if "=" not in each and each != "NAME"]
            assert set(targets) <= make_targets(), f"no target of make: {targets}"
        case "docker":
            _check_compose(arguments, whole=whole)
        case "python":
            _check_python(arguments)
        case "pip":
            named = {name for each in arguments for name in re.findall(r"\[(\w+)\]", each)}
            assert named - {"NAME"} <= extras(), f"no extra: {named}"
        case outside:
            _check_third_party(outside, arguments)


def _check_third_party(program: str, arguments: Sequence[str]) -> None:
    match program:
        case "helm":
            _check_helm(arguments)
        case "kubectl":
            if "--" in arguments:
                _check_words(arguments[arguments.index("--") + 1 :], whole=True)
        case "psql":
            assert (ROOT / arguments[arguments.index("--file") + 1]).is_file()
        case "rabbitmqctl":
            assert arguments[0] == "set_policy"
            json.loads(arguments[-1])
        case script if script.startswith("deploy/"):
            assert (ROOT / script).stat().st_mode & 0o111, f"{script} cannot be run"
        case outside:
            assert outside in OUTSIDE, f"no check of the program {outside}"


def _check_helm(arguments: Sequence[str]) -> None:
    charts = [ROOT / each for each in arguments if each.startswith("deploy/")]
    values = [yaml.safe_load((chart / "values.yaml").read_text()) for chart in charts]
    for option, value in pairwise(arguments):
        if option == "--set":
            (known,) = values
            for key in value.partition("=")[0].split("."):
                known = known[key]


def _check_variable(name: str) -> None:
    ours = name.startswith(PREFIX)
    setting = name.removeprefix(PREFIX).lower()
    assert not ours or setting in Settings.model_fields, f"no setting: {name}"


def _check_click(root: click.Command, arguments: Sequence[str], *, whole: bool) -> None:
    context = click.Context(root, info_name=root.name)
    command, rest = root, list(arguments)
    while isinstance(command, click.Group) and rest:
        if rest[0].startswith("-"):
            # Drop the options of the command group itself, which would end the process.
            _, rest, _ = command.make_parser(context).parse_args(rest)
            continue
        name, below, rest = command.resolve_command(context, rest)
        assert below is not None
        context = click.Context(below, info_name=name, parent=context)
        command = below
    if command is root:
        return
    if whole:
        command.make_context(context.info_name, [_present(each) for each in rest], context.parent)
        return
    # The text may mention an option without its value.
    with suppress(click.BadOptionUsage):
        command.make_parser(context).parse_args(rest)


def _present(argument: str) -> str:
    """Return an argument; if it is a path, make it relative and create it in the current folder."""
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
    """Return the ``make`` targets."""
    makefile = (ROOT / "Makefile").read_text()
    return frozenset(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE)) | extras()


@cache
def extras() -> frozenset[str]:
    """Return the extras of the package; each is also a ``make`` target."""
    files = (ROOT / "pyproject.toml", ROOT / "worker/pyproject.toml")
    projects = (tomllib.loads(path.read_text())["project"] for path in files)
    return frozenset(name for each in projects for name in each["optional-dependencies"])


@cache
def compose_services() -> dict[str, dict[str, Any]]:
    """Return the services of the Compose file."""
    loaded: dict[str, dict[str, Any]] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    return loaded["services"]


def _check_compose(arguments: Sequence[str], *, whole: bool) -> None:
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
                assert service in services, f"no service of the compose file: {service}"
                if command in ("exec", "run"):
                    break
    if inner := list(words):
        _check_words(inner, whole=whole)


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
    """Validate a message against its schema; check a fragment of an article field by field."""
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
            kind_of_part = ArticleMessage.model_fields[name].annotation
            assert kind_of_part
            TypeAdapter(kind_of_part).validate_json(json.dumps(part))


def check_yaml(text: str) -> None:
    """Check the project's commands in YAML."""
    for command in re.findall(r"\[(detourage, .*)\]", text):
        _check_words(command.split(", "), whole=True)
    yaml.safe_load(text)


def check_assignments(text: str) -> None:
    """Check lines that set environment variables."""
    for name, _, value in (line.partition("=") for line in text.splitlines()):
        assert value
        _check_variable(name)


def check_ini(text: str) -> None:
    """Check a settings file; those of servers have no sections."""
    configparser.ConfigParser(delimiters="=", interpolation=None).read_string(f"[all]\n{text}")


def check_nothing(text: str) -> None:
    """Accept diagrams, command syntax and other programs' files, but no commands."""
    assert not re.search(r"^\$ ", text, re.MULTILINE)


CHECKS: Mapping[str, Callable[[str], object]] = {
    # The website needs this language; its build rejects missing references.
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
