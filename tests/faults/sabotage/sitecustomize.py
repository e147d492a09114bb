"""Makes processes of the service die where it hurts most, as defects and operators do.

Python imports a module of this name before anything else. A page whose text holds one of the
words below kills the process that extracts it, or holds it up for longer than any limit. And
where a trap is set, which is a file in the directory that `TRAPS` names, the next process that
comes by dies: its work is done then, and neither committed nor acknowledged.
"""

import os
import signal
import sys
import time
from collections.abc import Callable
from functools import wraps
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

TRAPS = "DETOURAGE_FAULTS_TRAPS"

KILLS = b"This page kills its process."
HANGS = b"This page hangs its process."

Function = Callable[..., Any]


def _harmed_by_pages(honest: Function) -> Function:
    @wraps(honest)
    def extract_article(page, *rest, **named):  # type: ignore[no-untyped-def]
        text = " ".join(page.document.itertext()).encode()
        if KILLS in text:
            os.kill(os.getpid(), signal.SIGKILL)
        if HANGS in text:
            time.sleep(3600)
        return honest(page, *rest, **named)

    return extract_article


def _trapped_after(place: str) -> Callable[[Function], Function]:
    def trapped(honest: Function) -> Function:
        @wraps(honest)
        def work(*arguments: Any, **named: Any) -> Any:
            result = honest(*arguments, **named)
            _spring(place)
            return result

        return work

    return trapped


def _trapped_before(place: str) -> Callable[[Function], Function]:
    def trapped(honest: Function) -> Function:
        @wraps(honest)
        def work(*arguments: Any, **named: Any) -> Any:
            _spring(place)
            return honest(*arguments, **named)

        return work

    return trapped


def _spring(place: str) -> None:
    trap = Path(os.environ.get(TRAPS, "/nonexistent")) / place
    sprung = trap.with_suffix(".sprung")
    try:
        trap.rename(sprung)
    except OSError:
        return
    if sprung.read_text() == "group":
        os.killpg(0, signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)


SABOTAGED: dict[str, dict[str, Callable[[Function], Function]]] = {
    "worker.extraction.article": {"extract_article": _harmed_by_pages},
    "worker.intake": {"_store": _trapped_after("intake")},
    "worker.store.outbox": {"remove": _trapped_before("relay")},
    "worker.tasks.assign": {"_assign": _trapped_after("assign")},
    "worker.tasks.cluster": {"_cluster": _trapped_after("cluster")},
    "worker.tasks.compare": {"_save": _trapped_after("compare")},
    "worker.tasks.extract": {"_save": _trapped_after("extract")},
    "worker.tasks.reprocess": {
        "_parse": _trapped_after("parse"),
        "_reprocess": _trapped_after("reprocess"),
    },
}
"""What is made of which functions of a module."""


class _Saboteur(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):  # type: ignore[no-untyped-def]
        if name not in SABOTAGED:
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
        for name, sabotaged in SABOTAGED[module.__name__].items():
            setattr(module, name, sabotaged(getattr(module, name)))


sys.meta_path.insert(0, _Saboteur())
