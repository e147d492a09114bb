"""The documentation as a website is complete, has no broken link and loads nothing external."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.image_context import ROOT

NO_PROXY_ANSWERS = "http://127.0.0.1:9"
FETCHED = re.compile(r"<(?:link|script|img)\b[^>]*\b(?:href|src)=\"(?:https?:)?//", re.IGNORECASE)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of the site, built as by ``make site``, which treats warnings as errors."""
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


def test_every_document_is_a_page_in_the_navigation(site: Path) -> None:
    documents = [ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *ROOT.glob("docs/**/*.md")]
    pages = {str(each.relative_to(ROOT).with_suffix(".html")) for each in documents}
    linked = set(re.findall(r'<a class="reference internal" href="([^"#]+)"', _first_page(site)))
    assert pages <= linked
    assert all((site / page).is_file() for page in pages)


def test_pages_load_nothing_from_other_hosts_and_search_has_an_index(site: Path) -> None:
    for page in site.rglob("*.html"):
        assert not FETCHED.search(page.read_text()), page
    assert '"quarantin"' in (site / "searchindex.js").read_text()


def test_the_start_page_redirects_to_an_existing_page(site: Path) -> None:
    (address,) = re.findall(r"url=([^\"]+)", (site / "index.html").read_text())
    assert (site / address).is_file()


def _first_page(site: Path) -> str:
    return (site / "README.html").read_text()
