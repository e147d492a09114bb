"""A test target fails unless its tests run to the end."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    ("statement", "status", "expected"),
    [
        ("assert True", 0, "2 passed"),
        ("assert False", 2, "1 failed, 1 passed"),
        ("os._exit(0)", 2, "ended before its last test"),
    ],
)
def test_a_target_succeeds_only_if_all_of_its_tests_pass(
    statement: str, status: int, expected: str, tmp_path: Path
) -> None:
    tests = tmp_path / "tests/acceptance"
    tests.mkdir(parents=True)
    (tests / "test_first.py").write_text(f"import os\ndef test_first(): {statement}")
    (tests / "test_second.py").write_text("def test_second(): assert True")
    makefile = Path(__file__).parents[2] / "Makefile"
    options = [f"--file={makefile}", f"bin={Path(sys.executable).parent}"]
    # The dependencies are installed.
    options += ["--assume-old=.venv/.development", "--assume-old=.venv/.package"]
    result = subprocess.run(
        ["make", *options, "test-command-line"], cwd=tmp_path, capture_output=True, text=True
    )
    assert (result.returncode, expected in result.stdout + result.stderr) == (status, True)
