"""Sabotage of the service: processes die at the worst moments, as after defects or kills.

Python imports a module of this name before anything else. A page whose text contains one of the
sentences below kills the process that extracts it, or blocks it beyond every limit. A page with the
element below kills each process that compares it. A site listed in the file `HARMFUL_SITES` kills
each process that groups its pages. A trap is a file in the directory that the variable `TRAPS`
names. The next process that reaches the place of the trap dies when its work is done, but neither
committed nor acknowledged.
"""

import ctypes
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
HANGS_NATIVELY = b"This page deadlocks its process."
BURNS = b"This page burns its processor."
BURNS_NATIVELY = b"This page spins its processor."
"""Sentences that block a process. In Python code, the time limit can interrupt it; in native code,
it cannot."""

HARMFUL_ELEMENT = "segfault"
HARMFUL_SITES = "harmful-sites"
"""Name of the file, in the directory of traps, that lists the host names of sites."""

HARD_LIMIT_AFTER_SECONDS = 2.0
WALL_TIMES = 2
"""Replacements of the service's limits, so that processes that hang are killed soon."""

Function = Callable[..., Any]


def _harmed_by_pages(honest: Function) -> Function:
    @wraps(honest)
    def extract_article(page, *rest, **named):  # type: ignore[no-untyped-def]
        text = " ".join(page.document.itertext()).encode()
        if KILLS in text:
            os.kill(os.getpid(), signal.SIGKILL)
        if HANGS in text:
            time.sleep(3600)
        if HANGS_NATIVELY in text:
            _deadlock()
        while BURNS in text:
            pass
        if BURNS_NATIVELY in text:
            sum(range(1 << 60))
        return honest(page, *rest, **named)

    return extract_article


def _harmed_by_sites(honest: Function) -> Function:
    @wraps(honest)
    def group(site, pages, *rest):  # type: ignore[no-untyped-def]
        named = _traps() / HARMFUL_SITES
        if named.exists() and pages[0].url.split("/")[2] in named.read_text().split():
            ctypes.string_at(0)
        return honest(site, pages, *rest)

    return group


def _harmed_by_trees(honest: Function) -> Function:
    @wraps(honest)
    def compare(pairs, loaded, **named):  # type: ignore[no-untyped-def]
        if any(HARMFUL_ELEMENT in tree.labels for tree in loaded.values()):
            ctypes.string_at(0)
        return honest(pairs, loaded, **named)

    return compare


def _harmed_by_tree(honest: Function) -> Function:
    @wraps(honest)
    def assign(tree, *rest):  # type: ignore[no-untyped-def]
        if HARMFUL_ELEMENT in tree.labels:
            ctypes.string_at(0)
        return honest(tree, *rest)

    return assign


def _deadlock() -> None:
    """Block forever in native code, while holding the interpreter lock."""
    library = ctypes.PyDLL(None)
    mutex = ctypes.create_string_buffer(64)
    library.pthread_mutex_lock(mutex)
    library.pthread_mutex_lock(mutex)


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


def _traps() -> Path:
    return Path(os.environ.get(TRAPS, "/nonexistent"))


def _spring(place: str) -> None:
    trap = _traps() / place
    sprung = trap.with_suffix(".sprung")
    try:
        trap.rename(sprung)
    except OSError:
        return
    if sprung.read_text() == "group":
        os.killpg(0, signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)


SABOTAGED: dict[str, dict[str, Callable[[Any], Any]]] = {
    "worker.service.application": {
        "HARD_LIMIT_AFTER_SECONDS": lambda _: HARD_LIMIT_AFTER_SECONDS,
        "WALL_TIMES": lambda _: WALL_TIMES,
    },
    "worker.article.article": {"extract_article": _harmed_by_pages},
    "worker.service.intake": {"_store": _trapped_after("intake")},
    "worker.store.outbox": {"remove": _trapped_before("relay")},
    "worker.tasks.assign": {
        "_assign": _trapped_after("assign"),
        "assign_tree": _harmed_by_tree,
    },
    "worker.tasks.cluster": {"_cluster": _trapped_after("cluster")},
    "worker.workflow.comparison": {
        "_save": _trapped_after("compare"),
        "distances_of_pairs": _harmed_by_trees,
    },
    "worker.workflow.comparison_plan": {"group_or_missing": _harmed_by_sites},
    "worker.workflow.extraction_results": {"save_extractions": _trapped_after("extract")},
    "worker.tasks.reprocess": {
        "_parse": _trapped_after("parse"),
        "_reprocess": _trapped_after("reprocess"),
    },
}
"""Names in modules of the service, and functions that return their replacements."""


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
