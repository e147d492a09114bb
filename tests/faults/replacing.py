"""Replacement of functions and constants of the service when their modules are imported."""

import sys
from collections.abc import Callable, Mapping
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

Replacements = Mapping[str, Mapping[str, Callable[[Any], Any]]]
"""For each module and each name in it, a function from the original object to its replacement."""


def replace_on_import(replacements: Replacements) -> None:
    """Replace names in modules that are imported after this call."""
    sys.meta_path.insert(0, _ReplacingFinder(replacements))


class _ReplacingFinder(MetaPathFinder):
    """Finds the modules as usual, but gives them a loader that replaces names."""

    def __init__(self, replacements: Replacements) -> None:
        self._replacements = replacements

    def find_spec(self, name, path=None, target=None):  # type: ignore[no-untyped-def]
        if name not in self._replacements:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _ReplacingLoader(spec.loader, self._replacements[name])
        return spec


class _ReplacingLoader(Loader):
    """Loads a module with its usual loader, then replaces names in it."""

    def __init__(self, loader: Loader, replacements: Mapping[str, Callable[[Any], Any]]) -> None:
        self._loader = loader
        self._replacements = replacements

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        for name, replace in self._replacements.items():
            setattr(module, name, replace(getattr(module, name)))
