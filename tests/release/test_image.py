"""The image's build context contains everything that the image needs, and nothing confidential."""

import tomllib

import pytest
from setuptools import find_namespace_packages

from tests.image_context import ROOT, below, copied_sources, in_context, tracked_files

REQUIREMENTS = {"requirements-build.txt", "requirements-image.txt"}


@pytest.mark.parametrize("source", copied_sources())
def test_everything_copied_is_completely_in_the_context(source: str) -> None:
    wanted = below(source, tracked_files())
    assert wanted
    if source != ".":
        assert wanted - set(in_context(wanted)) == set()


def test_the_context_contains_only_what_the_wheel_is_built_from() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    find = project["tool"]["setuptools"]["packages"]["find"]
    wanted = {name.split(".")[0] for name in find_namespace_packages(str(ROOT), **find)}
    wanted |= {"pyproject.toml", "setup.py", "README.md", *REQUIREMENTS}
    wanted |= set(project["project"]["license-files"])
    tracked = tracked_files()
    given = set(in_context(tracked))
    assert given == set().union(*(below(each, tracked) for each in wanted))
    assert given == set().union(*(below(source, given) for source in copied_sources()))


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
