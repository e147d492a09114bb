"""Data files shipped with the code."""

import json
import pkgutil
from typing import Any


def shipped_bytes(package: str, name: str) -> bytes:
    """Return a file of a package without `importlib.resources`, which takes 5 ms to import."""
    data = pkgutil.get_data(package, name)
    if data is None:
        raise FileNotFoundError(f"package {package} was installed without its file {name}")
    return data


def shipped_text(package: str, name: str) -> str:
    """Return the text of a file in a package."""
    return shipped_bytes(package, name).decode()


def shipped_json(package: str, name: str) -> Any:
    """Return the parsed content of a JSON file in a package."""
    return json.loads(shipped_text(package, name))
