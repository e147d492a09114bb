"""The documentation site (Sphinx): ``make site`` builds it into ``out/site``.

The pages are the Markdown files of the repository, unchanged. The sidebar has the pages listed in
`docs/README.md`, under its headings.
"""

import re
from importlib.metadata import version as version_of
from pathlib import Path
from posixpath import normpath
from typing import Any

from sphinx.application import Sphinx

ROOT = Path(__file__).parents[1]

project = "Détourage"
version = release = version_of("detourage")
project_copyright = "The Détourage authors"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "README"
include_patterns = [
    "*.md",
    "docs/**.md",
    "benchmarks/**.md",
    "examples/*.md",
    "inspector/*.md",
    "stories/*.md",
]
exclude_patterns = [".*", "build", "dist", "node_modules", "out", "tests", "worker"]

myst_heading_anchors = 4
# Names in docstrings are set in single backticks.
default_role = "py:obj"
autodoc_member_order = "bysource"
# Convert dashes, such as those between parameters and their descriptions, but keep quotation marks
# as written.
smartquotes_action = "D"

html_theme = "furo"
# Web servers open index.html, which redirects to the first page, the README.
html_extra_path = ["site/index.html"]
html_static_path = ["site/site.css"]
html_css_files = ["site.css"]
html_title = "Détourage"
html_copy_source = False
html_show_sourcelink = False


def add_navigation(_: Sphinx, name: str, content: list[str]) -> None:
    """Append a table of contents to the first page for each section of `docs/README.md`."""
    if name != root_doc:
        return
    content[0] += _toctree("docs/README.md")
    index = (ROOT / "docs/README.md").read_text()
    for section in re.split("^## ", index, flags=re.MULTILINE)[1:]:
        heading, _, body = section.partition("\n")
        pages = re.findall(r"\]\(([^)#]+\.md)\)", body)
        content[0] += _toctree(*(normpath(f"docs/{page}") for page in pages), caption=heading)


def _toctree(*pages: str, caption: str = "") -> str:
    """Return a hidden table of contents with the given pages."""
    return "\n".join(
        ["\n\n```{toctree}", ":hidden:", f":caption: {caption}" * bool(caption), *pages, "```\n"]
    )


def add_levels(_app: Sphinx, _page: str, _template: str, context: dict[str, Any], _: Any) -> None:
    """Give the headings of the sidebar the level that screen readers need."""
    tree = context.get("furo_navigation_tree", "")
    context["furo_navigation_tree"] = tree.replace(
        'role="heading"', 'role="heading" aria-level="2"'
    )


def setup(app: Sphinx) -> None:
    """Register the functions above as event handlers; Sphinx calls this hook."""
    app.connect("source-read", add_navigation)
    app.connect("html-page-context", add_levels, priority=900)  # after the theme
