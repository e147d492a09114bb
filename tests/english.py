"""Find unidiomatic phrases in comments, docstrings, messages and documentation.

The phrases and their replacements are listed in the table "English" of CONTRIBUTING.md.

    python -m tests.english
"""

import io
import re
import sys
import tokenize
from collections.abc import Iterator
from typing import NamedTuple

import click

from tests.image_context import ROOT, tracked_files

GUIDE = "CONTRIBUTING.md"
HEADING = "## English\n"

CHECKED = re.compile(r"\.(py|md|sh|sql|yml)$|(^|/)(Makefile|Dockerfile)$")
LEFT_OUT = (
    "CHANGELOG.md",
    # Generated from docstrings.
    *("docs/reference/cli.md", "docs/reference/messages.md", "docs/reference/settings.md"),
    # Sentences of fictional newspapers.
    "examples/sample_crawl/",
)

# Pattern for what separates two words: whitespace, a line break in a comment, or the gap between
# two string literals.
_SPACE = r"(?:[\s#>]|--|\"\s+f?\"|'\s+f?')+"

_ENDS = frozenset({tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING})
_LAYOUT = frozenset({tokenize.NL, tokenize.COMMENT})


class Turn(NamedTuple):
    """A phrase to avoid, with the advice of the guide."""

    phrase: str
    pattern: re.Pattern[str]
    advice: str


class Finding(NamedTuple):
    """An occurrence in a file of a phrase to avoid."""

    path: str
    line: int
    turn: Turn

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: `{self.turn.phrase}`: write: {self.turn.advice}"


def read_phrases(guide: str) -> list[Turn]:
    """Return the phrases that are in code font in the guide's table.

    Phrases after "except" are allowed although they contain a phrase to avoid. An ellipsis stands
    for the rest of any word.
    """
    rows = re.findall(r"^\| (.+?) \| (.+) \|$", _section(guide), re.MULTILINE)
    turns = []
    for cell, advice in rows:
        banned, _, allowed = (re.findall(r"`(.+?)`", part) for part in cell.partition(" except "))
        turns += [Turn(phrase, _compile(phrase, allowed), advice) for phrase in banned]
    return turns


def find(path: str, text: str, turns: list[Turn]) -> Iterator[Finding]:
    """Yield the phrases to avoid in a file's text, in the order of the table."""
    if path == GUIDE:
        # Insert blank lines in its place to preserve the line numbers.
        section = _section(text)
        text = text.replace(section, "\n" * section.count("\n"))
    elif path.endswith(".py"):
        # Tokenizing is slow, and most files contain none of the phrases.
        turns = [turn for turn in turns if turn.pattern.search(text)]
        if turns:
            text = _prose_of_python(text, docstrings_only=path.startswith("tests/"))
    for turn in turns:
        for match in turn.pattern.finditer(text):
            if match["turn"]:
                yield Finding(path, text.count("\n", 0, match.start()) + 1, turn)


def main() -> int:
    """Print the findings; return 1 if there are any."""
    turns = read_phrases((ROOT / GUIDE).read_text())
    failed = False
    for path in tracked_files():
        if not CHECKED.search(path) or path.startswith(LEFT_OUT) or not (ROOT / path).is_file():
            continue
        findings = find(path, (ROOT / path).read_text(), turns)
        for finding in sorted(findings, key=lambda each: each.line):
            click.echo(finding)
            failed = True
    return int(failed)


def _section(guide: str) -> str:
    return guide.partition(HEADING)[2].partition("\n## ")[0]


def _compile(phrase: str, allowed: list[str]) -> re.Pattern[str]:
    exceptions = "".join(f"{_words(each)}|" for each in allowed)
    return re.compile(rf"{exceptions}(?P<turn>{_words(phrase)})")


def _words(phrase: str) -> str:
    """Return a pattern for a phrase, capitalised or not."""
    first = phrase[0]
    # The lookbehind comes second because the regex engine searches faster for a pattern that begins
    # with a character.
    either = f"[{first.upper()}{first}]"
    start = rf"{either}(?<!\w{either})" if first.isalpha() else re.escape(first)
    return start + _SPACE.join(map(re.escape, phrase[1:].split())).replace("…", r"\w+") + r"(?!\w)"


def _prose_of_python(text: str, *, docstrings_only: bool) -> str:
    """Blank out all but comments and strings or, on request, all but comments and docstrings."""
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    prose = [character if character == "\n" else " " for character in text]
    before = tokenize.ENCODING
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    for place, token in enumerate(tokens):
        is_prose = token.type == tokenize.COMMENT or (
            token.type == tokenize.STRING
            and (
                not docstrings_only
                or (before in _ENDS and tokens[place + 1].type == tokenize.NEWLINE)
            )
        )
        if is_prose:
            start = starts[token.start[0] - 1] + token.start[1]
            prose[start : start + len(token.string)] = token.string
        if token.type not in _LAYOUT:
            before = token.type
    return "".join(prose)


if __name__ == "__main__":
    sys.exit(main())
