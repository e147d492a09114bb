"""Replacement of names in modules of the service when they are imported."""

import sys
from collections.abc import Callable, Mapping
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

Replacements = Mapping[str, Mapping[str, Callable[[Any], Any]]]
"""Functions that return the replacement for an original object, by its module and its name."""


def replace_on_import(replacements: Replacements) -> None:
    """Replace names in modules that are imported after this call."""
    sys.meta_path.insert(0, _Finder(replacements))


class _Finder(MetaPathFinder):
    def __init__(self, replacements: Replacements) -> None:
        self._replacements = replacements

    def find_spec(self, name, path=None, target=None):  # type: ignore[no-untyped-def]
        if name not in self._replacements:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Replacing(spec.loader, self._replacements[name])
        return spec


class _Replacing(Loader):
    def __init__(self, loader: Loader, made: Mapping[str, Callable[[Any], Any]]) -> None:
        self._loader = loader
        self._made = made

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        for name, made in self._made.items():
            setattr(module, name, made(getattr(module, name)))
