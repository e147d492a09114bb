"""Data files shipped with the code."""

import json
import mmap
from importlib import import_module
from io import FileIO
from typing import Any


def shipped_bytes(package: str, name: str) -> bytes:
    """Return a file of a package without `importlib.resources`, which takes 5 ms to import."""
    with FileIO(f"{import_module(package).__path__[0]}/{name}") as file:
        return file.readall()


def mapped(package: str, name: str) -> mmap.mmap:
    """Return a file of a package as memory that processes share and that is read when accessed."""
    with FileIO(f"{import_module(package).__path__[0]}/{name}") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def shipped_text(package: str, name: str) -> str:
    """Return the text of a file in a package."""
    return shipped_bytes(package, name).decode()


def shipped_json(package: str, name: str) -> Any:
    """Return the parsed content of a JSON file in a package."""
    return json.loads(shipped_text(package, name))
