"""The example notebooks, run without Jupyter.

Jupyter's kernel and client would add twenty dependencies, and the cells are plain Python code that
prints. ``python -m tests.notebooks`` updates the stored output of the notebooks.
"""

import io
import json
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Any

NOTEBOOKS = sorted((Path(__file__).parents[1] / "examples").glob("*.ipynb"))


def code_cells(content: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the code cells of a notebook."""
    return [cell for cell in content["cells"] if cell["cell_type"] == "code"]


def stored_output(cell: dict[str, Any]) -> str:
    """Return the output stored in a cell."""
    return "".join(text for output in cell["outputs"] for text in output["text"])


def run_cells(notebook: Path) -> list[str]:
    """Run the cells of a notebook in order, and return what each prints."""
    namespace: dict[str, object] = {"__name__": "__main__"}
    printed = []
    for cell in code_cells(json.loads(notebook.read_text())):
        with chdir(notebook.parent), redirect_stdout(io.StringIO()) as output:
            exec(compile("".join(cell["source"]), notebook, "exec"), namespace)
        printed.append(output.getvalue())
    return printed


def update(notebook: Path) -> None:
    """Run a notebook, and store in it what its cells print."""
    content = json.loads(notebook.read_text())
    for cell, text in zip(code_cells(content), run_cells(notebook), strict=True):
        lines = text.splitlines(keepends=True)
        cell["outputs"] = [{"name": "stdout", "output_type": "stream", "text": lines}]
    notebook.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    for each in NOTEBOOKS:
        update(each)
