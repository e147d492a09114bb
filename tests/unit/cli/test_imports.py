"""What help, errors and health checks import, and so wait for."""

import json
import subprocess
import sys

import pytest

SLOW = {"celery", "kombu", "lxml", "numpy", "psycopg2", "rich", "scipy", "sklearn", "sqlalchemy"}
PROGRAM = """
import json, sys
from worker.cli import main
try:
    main(sys.argv[1:])
finally:
    print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})), file=sys.stderr)
"""


def imported_by(*arguments: str) -> set[str]:
    """Return the top packages that a command imports, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    (modules,) = (line for line in done.stderr.splitlines() if line.startswith("["))
    return set(json.loads(modules))


@pytest.mark.parametrize("arguments", [("--help",), ("bench", "--help"), ("reprocess",)])
def test_help_and_wrong_usage_wait_for_the_command_line_alone(arguments: tuple[str, ...]) -> None:
    assert imported_by(*arguments).isdisjoint(SLOW | {"pydantic"})


def test_a_health_check_waits_for_the_settings_alone() -> None:
    assert imported_by("health", "intake").isdisjoint(SLOW)
