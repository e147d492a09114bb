"""The notebooks print what they show.

Without Jupyter, whose kernel and client are twenty packages more: a cell is Python.
"""

import io
import json
from contextlib import redirect_stdout
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[2] / "examples").glob("*.ipynb"))


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_prints_what_it_shows(notebook: Path) -> None:
    cells = [each for each in json.loads(notebook.read_text())["cells"] if "outputs" in each]
    assert cells
    names: dict[str, object] = {"__name__": "__main__"}
    for cell in cells:
        shown = "".join(text for output in cell["outputs"] for text in output["text"])
        with redirect_stdout(io.StringIO()) as printed:
            exec(compile("".join(cell["source"]), notebook, "exec"), names)
        assert printed.getvalue() == shown
