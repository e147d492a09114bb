"""Completion in bash, with the script that docs/how-to/run-on-files.md recommends."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.acceptance.command_line import BARE_ENVIRONMENT

COMPLETION_SCRIPT = """
source "$SCRIPT"
[[ $(complete -p detourage) == *" -F _detourage_completion detourage" ]] || exit 1
COMP_WORDS=(detourage "$@")
COMP_CWORD=$#
_detourage_completion detourage
printf '%s\\n' "${COMPREPLY[@]}"
"""
"""Script that prints the completions offered by bash for the last word of a command line."""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Environment of a shell in which the completion script is loaded."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    script = tmp_path_factory.mktemp("completions") / "detourage"
    with script.open("w") as stream:
        subprocess.run(
            ["detourage"],
            env={**BARE_ENVIRONMENT, "PATH": path, "_DETOURAGE_COMPLETE": "bash_source"},
            executable=Path(sys.executable).with_name("detourage"),
            stdout=stream,
            check=True,
        )
    return {**BARE_ENVIRONMENT, "PATH": path, "SCRIPT": str(script)}


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        (["qua"], ["quarantine"]),
        (["quarantine", "re"], ["requeue"]),
        (["status", "--q"], ["--queues"]),
        (["extract", "--format", "m"], ["markdown"]),
        (["health", ""], ["intake", "relay", "worker", "beat"]),
    ],
)
def test_bash_completes_commands_options_and_values(
    environment: dict[str, str], words: list[str], completed: list[str]
) -> None:
    result = subprocess.run(
        ["bash", "--norc", "-c", COMPLETION_SCRIPT, "bash", *words],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.splitlines() == completed
    assert result.stderr == ""
