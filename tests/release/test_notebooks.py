"""The notebooks reproduce their stored output."""

import json
from pathlib import Path

import pytest

from tests.notebooks import NOTEBOOKS, cells_of, printed_by, shown_by


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_prints_its_stored_output(notebook: Path) -> None:
    assert printed_by(notebook) == [
        shown_by(cell) for cell in cells_of(json.loads(notebook.read_text()))
    ]
