"""Makes some pages harm the process that extracts them, as a defect of native code would.

Python imports a module of this name before anything else. A page whose text holds one of the
words below kills its process, or holds it up for longer than any limit.
"""

import os
import signal
import sys
import time
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

TARGET = "worker.extraction.article"
KILLS = b"This page kills its process."
HANGS = b"This page hangs its process."


class _Saboteur(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):  # type: ignore[no-untyped-def]
        if name != TARGET:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Sabotaging(spec.loader)
        return spec


class _Sabotaging(Loader):
    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        honest = module.extract_article

        def sabotaged(page, *rest, **named):  # type: ignore[no-untyped-def]
            text = " ".join(page.document.itertext()).encode()
            if KILLS in text:
                os.kill(os.getpid(), signal.SIGKILL)
            if HANGS in text:
                time.sleep(3600)
            return honest(page, *rest, **named)

        module.extract_article = sabotaged  # type: ignore[attr-defined]


sys.meta_path.insert(0, _Saboteur())
