"""Version information about the code that produced a result."""

from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from importlib.resources.abc import Traversable

from detourage.papers.interface import UnavailableError

_SOURCE_SUFFIXES = (".py", ".c", ".h", ".java", ".mjs", ".json")

SHARED_SOURCES = (
    "detourage/core/blocks.cpp",
    "detourage/html/encoding.py",
    "detourage/reader/blocks.py",
    "detourage/html/visible_text.py",
    "detourage/papers/interface.py",
    "detourage/papers/conversion.py",
)
"""Source files of this project that affect all results, even those of peers."""


@cache
def source_digest(*paths: str) -> str:
    """Return a digest of files and folders of our own source, in eight hexadecimal digits.

    Code can change without a new release, and results of older code must not be mistaken for
    current ones. `paths` are relative to the root of the repository.
    """
    digest = sha256()
    for path in paths:
        package, *parts = path.split("/")
        for name, content in sorted(_sources(files(package).joinpath(*parts))):
            digest.update(name.encode() + b"\x00" + content + b"\x00")
    return digest.hexdigest()[:8]


def _sources(entry: Traversable) -> list[tuple[str, bytes]]:
    """Return the path and content of a file, or of all source files in a folder."""
    if entry.is_file():
        return [(entry.name, entry.read_bytes())]
    children = [
        child
        for child in entry.iterdir()
        if child.is_dir() or child.name.endswith(_SOURCE_SUFFIXES)
    ]
    return [
        (f"{entry.name}/{name}", content) for child in children for name, content in _sources(child)
    ]


def own_release() -> str:
    """Return the release of Détourage, or ``0`` if the package is not installed."""
    try:
        return version("detourage")
    except PackageNotFoundError:
        return "0"


def library_release(distribution: str) -> str:
    """Return the release of an installed library; raise UnavailableError if it is missing."""
    try:
        return version(distribution)
    except PackageNotFoundError as error:
        raise UnavailableError(f"{distribution} is not installed (extra: benchmarks)") from error
