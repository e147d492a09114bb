"""The notebooks of the examples, run without Jupyter.

Its kernel and client are twenty packages more, and a cell is Python that prints. After a change of
what comes out, ``python -m tests.notebooks`` writes what the cells print now into the notebooks.
"""

import io
import json
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

NOTEBOOKS = sorted((Path(__file__).parents[1] / "examples").glob("*.ipynb"))


def cells_of(content: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the cells of a notebook that are code."""
    return [cell for cell in content["cells"] if cell["cell_type"] == "code"]


def shown_by(cell: dict[str, Any]) -> str:
    """Return what a notebook shows below a cell."""
    return "".join(text for output in cell["outputs"] for text in output["text"])


def printed_by(notebook: Path) -> list[str]:
    """Run the cells of a notebook, one after the other, and return what each prints."""
    names: dict[str, object] = {"__name__": "__main__"}
    printed = []
    for cell in cells_of(json.loads(notebook.read_text())):
        with redirect_stdout(io.StringIO()) as output:
            exec(compile("".join(cell["source"]), notebook, "exec"), names)
        printed.append(output.getvalue())
    return printed


def update(notebook: Path) -> None:
    """Write what the cells print into a notebook."""
    content = json.loads(notebook.read_text())
    for cell, text in zip(cells_of(content), printed_by(notebook), strict=True):
        lines = text.splitlines(keepends=True)
        cell["outputs"] = [{"name": "stdout", "output_type": "stream", "text": lines}]
    notebook.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    for each in NOTEBOOKS:
        update(each)
