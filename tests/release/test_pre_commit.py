"""The pre-commit hooks run the checks of `make lint` without downloads."""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]


def test_hooks_are_the_checks_of_make_lint() -> None:
    (repository,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    assert repository["repo"] == "local"
    hooks = {re.sub(r" --\S+", "", hook["entry"]) for hook in repository["hooks"]}
    recipe = (ROOT / "Makefile").read_text().partition("\nlint:")[2].partition("\n\n")[0]
    programs = re.findall(
        r"^\t\$\(bin\)/(\w[\w-]*(?: check| format| -m \S+)?)", recipe, re.MULTILINE
    )
    assert hooks == {f".venv/bin/{program}" for program in programs}
