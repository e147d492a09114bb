"""The Docker build context of the image: the files that .dockerignore does not exclude."""

import re
import shlex
import subprocess
from collections.abc import Iterable
from pathlib import Path

from pathspec import GitIgnoreSpec

ROOT = Path(__file__).parents[1]


def tracked_files() -> list[str]:
    """Return the paths of the files tracked by Git."""
    result = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return result.stdout.splitlines()


def in_context(paths: Iterable[str]) -> list[str]:
    """Return the given paths that .dockerignore does not exclude."""
    # The syntax is that of .gitignore, but a pattern without a slash matches only in the root.
    rules = (ROOT / ".dockerignore").read_text().splitlines()
    # Insert a slash at the beginning of each rule, or after its exclamation mark.
    anchored = [re.sub(r"^(!?)/?(?=[^#\s])", r"\1/", rule) for rule in rules]
    ignored = GitIgnoreSpec.from_lines(anchored)
    return [path for path in paths if not ignored.match_file(path)]


def copied_sources() -> list[str]:
    """Return the paths that the Dockerfile copies from its context, as written there."""
    text = re.sub(r"\\\n", " ", (ROOT / "Dockerfile").read_text())
    sources: list[str] = []
    for arguments in re.findall(r"^(?:COPY|ADD)\s+(.+)$", text, re.MULTILINE):
        words = shlex.split(arguments)
        if not any(word.startswith("--from") for word in words):
            sources += [word for word in words if not word.startswith("--")][:-1]
    return sources


def copied_paths(source: str, paths: Iterable[str]) -> set[str]:
    """Return the given paths that a COPY instruction with the given source copies."""
    return {
        path for path in paths if source == "." or path == source or path.startswith(f"{source}/")
    }
