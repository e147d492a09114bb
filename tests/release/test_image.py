"""The image's build context contains everything that the image needs, and nothing confidential."""

import tomllib

import pytest
from setuptools import find_namespace_packages

from tests.image_context import ROOT, copied_paths, copied_sources, in_context, tracked_files

PROJECTS = ("pyproject.toml", "worker/pyproject.toml")
REQUIREMENTS = {"requirements-build.txt", "requirements-image.txt"}


@pytest.mark.parametrize("source", copied_sources())
def test_everything_copied_is_completely_in_the_context(source: str) -> None:
    copied_files = copied_paths(source, tracked_files())
    assert copied_files
    if source != ".":
        assert copied_files - set(in_context(copied_files)) == set()


def test_the_context_contains_only_what_the_wheels_are_built_from() -> None:
    projects = [tomllib.loads((ROOT / path).read_text()) for path in PROJECTS]
    packages = [
        project["tool"]["setuptools"]["packages"]["find"]["include"] for project in projects
    ]
    found = find_namespace_packages(
        str(ROOT), include=[each for patterns in packages for each in patterns]
    )
    needed = {name.split(".")[0] for name in found}
    needed |= {"pyproject.toml", "setup.py", "README.md", *REQUIREMENTS}
    needed |= set(projects[0]["project"]["license-files"])
    tracked = tracked_files()
    context = set(in_context(tracked))
    assert context == set().union(*(copied_paths(each, tracked) for each in needed))
    assert context == set().union(*(copied_paths(source, context) for source in copied_sources()))


@pytest.mark.parametrize(
    "path",
    [
        ".env",
        ".git/config",
        ".venv/bin/python",
        "crawl.warc.gz",
        "out/articles.jsonl",
        "worker/__pycache__/celery.cpython-311.pyc",
        "detourage/template/distance/_native.abi3.so",
    ],
)
def test_files_outside_the_repository_are_excluded(path: str) -> None:
    assert in_context([path]) == []
