"""The package description on PyPI makes sense without a checkout."""

import re
import subprocess
import sys
from pathlib import Path

from tests.image_context import ROOT


def test_the_readme_of_the_package_links_to_no_file_of_the_checkout(tmp_path: Path) -> None:
    command = [sys.executable, "setup.py", "--quiet", "dist_info", "--output-dir", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True)
    (metadata,) = tmp_path.glob("*.dist-info/METADATA")
    fields, _, description = metadata.read_text(encoding="utf-8").partition("\n\n")
    assert "Description-Content-Type: text/markdown" in fields
    assert description.startswith("# Détourage\n")
    assert "![" not in description
    targets = re.findall(r"\]\(([^)]*)\)", description)
    assert targets
    assert [each for each in targets if not each.startswith(("http://", "https://"))] == []
