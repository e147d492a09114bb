"""References in the documentation exist: pages, headings, modules and functions."""

import os
import re
import subprocess
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import resolve_name

import pytest

from detourage.limits import MAX_ATTRIBUTES, MAX_DEPTH, MAX_ELEMENTS, MAX_TAGS
from detourage.reader.page_comments import MAX_COMMENTS
from docs.reference_pages import PAGES, write
from tests.image_context import ROOT
from tests.snippets import extras
from worker.messaging.task_names import STAGE_OF_TASK
from worker.messaging.topology import Topology

TOP_LEVEL_DOCUMENTS = (ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"))
DOCUMENTS = sorted([*TOP_LEVEL_DOCUMENTS, *ROOT.glob("docs/**/*.md")])
WITH_LINKS = sorted([*DOCUMENTS, *ROOT.glob("benchmarks/**/*.md")])

MAX_README_LINES = 120  # lines of the README
MAX_PAGES = 30  # pages of the documentation
MAX_WORDS = 30_000  # words on all these pages

LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_PACKAGES = "|".join(path.parent.name for path in ROOT.glob("detourage/*/__init__.py"))
MODULE = re.compile(
    rf"`((?:detourage\.(?:{_PACKAGES})|(?:worker|models|migrations)\.\w+)(?:\.\w+)*)`"
)


def anchors(document: Path) -> set[str]:
    """Return the anchors that a code host generates for the headings of a document."""
    headings = HEADING.findall(FENCED.sub("", document.read_text()))
    plain = [re.sub(r"[`*]|\[([^]]*)\]\([^)]*\)", r"\1", heading) for heading in headings]
    return {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in plain}


def exists_in_code(name: str) -> bool:
    """Return whether a dotted name is a module or an attribute of a module."""
    parent_name, _, attribute = name.rpartition(".")
    try:
        parent = import_module(parent_name)
    except ModuleNotFoundError:
        return False
    is_package = hasattr(parent, "__path__")
    return hasattr(parent, attribute) or (is_package and find_spec(name) is not None)


def codes_in_table(document: Path, heading: str = "") -> set[str]:
    """Return the code-font names in the first column of the table below a heading."""
    section = re.split(r"\n#", document.read_text().partition(f"{heading}\n")[2])[0]
    cells = re.findall(r"^\| (`.+?`) \|", section, re.MULTILINE)
    return {code for cell in cells for code in re.findall(r"`([^`]+)`", cell)}


@pytest.mark.parametrize("document", WITH_LINKS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_point_to_existing_files_and_headings(document: Path) -> None:
    broken = []
    for link in LINK.findall(FENCED.sub("", document.read_text())):
        address, _, anchor = link.partition("#")
        if "://" in address:
            continue
        target = (document.parent / address).resolve() if address else document
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert not broken


def test_mentioned_modules_exist() -> None:
    mentioned = {name for document in DOCUMENTS for name in MODULE.findall(document.read_text())}
    assert {name for name in mentioned if not exists_in_code(name)} == set()


def test_the_extras_are_those_of_the_package() -> None:
    listed_codes = codes_in_table(ROOT / "docs/how-to/run-on-files.md", "## Extras")
    assert {each for each in listed_codes if " " not in each} == extras()


@pytest.fixture(scope="module")
def granted_rights(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """Exchanges and queues that each broker user may use, as granted by the deployment script."""
    directory = tmp_path_factory.mktemp("rabbitmqctl")
    calls = directory / "calls"
    program = directory / "rabbitmqctl"
    program.write_text(f"#!/bin/sh\n(IFS='\t'; echo \"$*\") >>{calls}\n")
    program.chmod(0o755)
    passwords = {f"BROKER_{name}_PASSWORD": "-" for name in ("SERVICE", "CRAWLER", "RECOGNISER")}
    path = os.pathsep.join([str(directory), os.environ["PATH"]])
    subprocess.run(
        [ROOT / "deploy/broker-users.sh"], env={**os.environ, **passwords, "PATH": path}, check=True
    )
    topology = Topology(prefix="", durable_features=True)
    names = {queue.name for queue in topology.queues()} | {"amq.default"}
    names |= {queue.exchange.name for queue in topology.queues()} - {""}
    names |= {f"{topology.articles_queue}.unreadable"}
    rights = [line.split("\t") for line in calls.read_text().splitlines() if "permissions" in line]
    return {
        user: {name for name in names if any(re.search(each, name) for each in allowed)}
        for user, *allowed in (each[-4:] for each in rights)
    }


@pytest.mark.parametrize("user", ["crawler", "recogniser"])
def test_the_documented_rights_are_those_granted(
    user: str, granted_rights: dict[str, set[str]]
) -> None:
    text = (ROOT / "docs/how-to/secure.md").read_text()
    (row,) = re.findall(rf"^\| `{user}` \| broker \| (.*) \|$", text, re.MULTILINE)
    assert set(re.findall(r"`([a-z.]+)`", row)) == granted_rights[user]
    assert "amq.default" in granted_rights["detourage_service"] - granted_rights[user]


def test_the_reference_has_every_task() -> None:
    assert codes_in_table(ROOT / "docs/reference/queues.md") >= {*STAGE_OF_TASK}


def test_the_reference_has_the_limits_of_pages() -> None:
    text = (ROOT / "docs/reference/outcomes.md").read_text()
    limits = [int(number.replace(",", "")) for number in re.findall(r"\| ([\d,]+) \|", text)]
    assert limits == [MAX_TAGS, MAX_ELEMENTS, MAX_ATTRIBUTES, MAX_DEPTH]
    unwrapped = " ".join(text.split())
    assert f"The first {MAX_COMMENTS:,} reader comments of a page are extracted" in unwrapped


@pytest.mark.parametrize("name", PAGES)
def test_reference_pages_are_up_to_date(name: str) -> None:
    stored = (ROOT / "docs/reference" / name).read_text(encoding="utf-8")
    assert stored == PAGES[name](), "run make docs"


def test_all_reference_pages_are_written_to_a_new_folder(tmp_path: Path) -> None:
    write(tmp_path / "made" / "reference")
    assert {each.name for each in (tmp_path / "made" / "reference").iterdir()} == set(PAGES)


def test_readme_and_documentation_are_short() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= MAX_README_LINES
    pages = [path.read_text() for path in ROOT.glob("docs/**/*.md")]
    assert len(pages) <= MAX_PAGES
    assert sum(len(page.split()) for page in pages) <= MAX_WORDS


def test_the_architecture_names_the_packages_and_functions_of_the_source_tree() -> None:
    text = (ROOT / "docs/architecture.md").read_text()
    packages = [*ROOT.glob("detourage/*/__init__.py"), *ROOT.glob("worker/*/__init__.py")]
    named_packages = set(re.findall(r"^\| `(\w+/\w+)` \|", text, re.MULTILINE))
    assert named_packages == {str(path.parent.relative_to(ROOT)) for path in packages}
    code_names = re.findall(r"^\| .+ \| `((?:detourage|worker|benchmarks)[\w.]+)` \|$", text, re.M)
    assert code_names
    for code_name in code_names:
        resolve_name(code_name)
