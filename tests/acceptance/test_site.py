"""The documentation as a website: whole, without a broken link, and without the network."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NO_PROXY_ANSWERS = "http://127.0.0.1:9"
FETCHED = re.compile(r"<(?:link|script|img)\b[^>]*\b(?:href|src)=\"(?:https?:)?//", re.IGNORECASE)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as ``make site`` does: a warning is an error."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "--keep-going"),
            *("--doctree-dir", folder / "doctrees", "--conf-dir", "docs", ".", folder / "site"),
        ],
        cwd=ROOT,
        env={**os.environ, "http_proxy": NO_PROXY_ANSWERS, "https_proxy": NO_PROXY_ANSWERS},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder / "site"


def test_every_document_is_a_page_that_the_navigation_leads_to(site: Path) -> None:
    documents = [ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *ROOT.glob("docs/**/*.md")]
    pages = {str(each.relative_to(ROOT).with_suffix(".html")) for each in documents}
    linked = set(re.findall(r'<a class="reference internal" href="([^"#]+)"', _first_page(site)))
    assert pages <= linked
    assert all((site / page).is_file() for page in pages)


def test_the_navigation_is_sorted_by_reader(site: Path) -> None:
    captions = re.findall(r'class="caption-text">([^<]+)', _first_page(site))
    assert captions == re.findall(r"^## (.+)$", (ROOT / "docs/README.md").read_text(), re.MULTILINE)


def test_a_page_and_the_search_need_nothing_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        assert not FETCHED.search(page.read_text()), page
    assert '"quarantin"' in (site / "searchindex.js").read_text()


def test_it_begins_at_its_index(site: Path) -> None:
    (address,) = re.findall(r"url=([^\"]+)", (site / "index.html").read_text())
    assert (site / address).is_file()


def _first_page(site: Path) -> str:
    return (site / "README.html").read_text()
