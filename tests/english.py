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

CHECKED_PATHS = re.compile(r"\.(py|md|sh|sql|yml)$|(^|/)(Makefile|Dockerfile)$")
SKIPPED_PATHS = (
    "CHANGELOG.md",
    # Generated from docstrings.
    *("docs/reference/cli.md", "docs/reference/messages.md", "docs/reference/settings.md"),
    # Sentences of fictional newspapers.
    "examples/sample_crawl/",
)

# Pattern for what separates two words: whitespace, a line break in a comment, or the gap between
# two string literals.
_SPACE = r"(?:[\s#>]|--|\"\s+f?\"|'\s+f?')+"

# A string that is a docstring follows a token of one of these types, if layout is ignored.
_BEFORE_DOCSTRING = frozenset(
    {tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING}
)
_LAYOUT = frozenset({tokenize.NL, tokenize.COMMENT})


class BannedPhrase(NamedTuple):
    """A phrase to avoid, with what to write instead according to the guide.

    The group ``phrase`` of the pattern is empty if a longer, allowed phrase matches.
    """

    phrase: str
    pattern: re.Pattern[str]
    advice: str


class Finding(NamedTuple):
    """An occurrence of a phrase to avoid in a line of a file."""

    path: str
    line: int
    banned: BannedPhrase

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: `{self.banned.phrase}`: write: {self.banned.advice}"


def read_phrases(guide: str) -> list[BannedPhrase]:
    """Return the phrases that are in code font in the guide's table "English".

    Phrases after "except" are allowed although they contain a phrase to avoid. An ellipsis
    represents the rest of any word.
    """
    rows = re.findall(r"^\| (.+?) \| (.+) \|$", _section(guide), re.MULTILINE)
    result = []
    for cell, advice in rows:
        banned, _, allowed = (re.findall(r"`(.+?)`", part) for part in cell.partition(" except "))
        result += [BannedPhrase(phrase, _compile(phrase, allowed), advice) for phrase in banned]
    return result


def find(path: str, text: str, banned_phrases: list[BannedPhrase]) -> Iterator[Finding]:
    """Yield the banned phrases in the text of a file, in the order of the table."""
    if path == GUIDE:
        # Replace the table itself by blank lines, which preserve the line numbers.
        section = _section(text)
        text = text.replace(section, "\n" * section.count("\n"))
    elif path.endswith(".py"):
        # Tokenizing is slow, and most files contain none of the phrases.
        banned_phrases = [banned for banned in banned_phrases if banned.pattern.search(text)]
        if banned_phrases:
            text = _blank_out_code(text, docstrings_only=path.startswith("tests/"))
    for banned in banned_phrases:
        for match in banned.pattern.finditer(text):
            if match["phrase"]:
                yield Finding(path, text.count("\n", 0, match.start()) + 1, banned)


def main() -> int:
    """Print the findings; return 1 if there are any."""
    banned_phrases = read_phrases((ROOT / GUIDE).read_text())
    failed = False
    for path in tracked_files():
        if (
            not CHECKED_PATHS.search(path)
            or path.startswith(SKIPPED_PATHS)
            or not (ROOT / path).is_file()
        ):
            continue
        findings = find(path, (ROOT / path).read_text(), banned_phrases)
        for finding in sorted(findings, key=lambda each: each.line):
            click.echo(finding)
            failed = True
    return int(failed)


def _section(guide: str) -> str:
    return guide.partition(HEADING)[2].partition("\n## ")[0]


def _compile(phrase: str, allowed: list[str]) -> re.Pattern[str]:
    exceptions = "".join(f"{_phrase_pattern(each)}|" for each in allowed)
    return re.compile(rf"{exceptions}(?P<phrase>{_phrase_pattern(phrase)})")


def _phrase_pattern(phrase: str) -> str:
    """Return a pattern for a phrase of whole words, capitalised or not."""
    first = phrase[0]
    either_case = f"[{first.upper()}{first}]"
    # The lookbehind follows the letter because the regex engine searches faster for a pattern that
    # begins with a character.
    start = rf"{either_case}(?<!\w{either_case})" if first.isalpha() else re.escape(first)
    return start + _SPACE.join(map(re.escape, phrase[1:].split())).replace("…", r"\w+") + r"(?!\w)"


def _blank_out_code(text: str, *, docstrings_only: bool) -> str:
    """Replace all but comments and strings (or comments and docstrings) in Python by spaces."""
    lines = text.splitlines(keepends=True)
    line_starts = [0]
    for line in lines:
        line_starts.append(line_starts[-1] + len(line))
    prose = [character if character == "\n" else " " for character in text]
    previous_type = tokenize.ENCODING
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    for index, token in enumerate(tokens):
        is_prose = token.type == tokenize.COMMENT or (
            token.type == tokenize.STRING
            and (
                not docstrings_only
                or (
                    previous_type in _BEFORE_DOCSTRING
                    and tokens[index + 1].type == tokenize.NEWLINE
                )
            )
        )
        if is_prose:
            row, column = token.start
            start = line_starts[row - 1] + column
            prose[start : start + len(token.string)] = token.string
        if token.type not in _LAYOUT:
            previous_type = token.type
    return "".join(prose)


if __name__ == "__main__":
    sys.exit(main())
