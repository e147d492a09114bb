"""Sabotage of the service: processes die at the worst moments, as if by a defect or a kill.

Python imports a module named ``sitecustomize`` before any other. This one makes three kinds of
input harmful. A page whose text contains one of the sentences below kills or blocks the process
that extracts it. A page with the element `HARMFUL_ELEMENT` crashes every process that compares the
page. A site whose host name is listed in the file `HARMFUL_SITES` crashes every process that groups
the site's pages.

A trap is a file that is named after a place in the code and put into the directory named by the
environment variable `TRAPS`. The next process that reaches this place dies once its work is done,
but before the work is committed or acknowledged.
"""

import ctypes
import os
import signal
import time
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

from tests.faults.replacing import Replacements, replace_on_import

TRAPS = "DETOURAGE_FAULTS_TRAPS"
"""Environment variable with the directory of the traps."""

KILLS = b"This page kills its process."
HANGS = b"This page hangs its process."
HANGS_NATIVELY = b"This page deadlocks its process."
BURNS = b"This page burns its processor."
BURNS_NATIVELY = b"This page spins its processor."
"""Sentences that kill or block the process that extracts a page containing them. The time limit can
interrupt a process that is blocked in Python code, but not one that is blocked in native code."""

HARMFUL_ELEMENT = "segfault"
HARMFUL_SITES = "harmful-sites"
"""Name of the file that lists the host names of the sites whose grouping crashes processes. The
file is in the same directory as the traps."""

HARD_LIMIT_AFTER_SECONDS = 2.0
WALL_CLOCK_FACTOR = 2
LATE_AFTER_SECONDS = 15.0
"""Replacements for the service's limits, low enough that hanging processes are killed and lost
messages are noticed soon."""

Function = Callable[..., Any]


def _harmed_by_pages(original: Function) -> Function:
    """Wrap `extract_article` so that pages with one of the sentences kill or block the process."""

    @wraps(original)
    def extract_article(page, *rest, **keywords):  # type: ignore[no-untyped-def]
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
        return original(page, *rest, **keywords)

    return extract_article


def _harmed_by_sites(original: Function) -> Function:
    """Wrap a function that groups pages so that it crashes on the sites in `HARMFUL_SITES`."""

    @wraps(original)
    def group(site, pages, *rest):  # type: ignore[no-untyped-def]
        list_of_sites = _trap_directory() / HARMFUL_SITES
        host = pages[0].url.split("/")[2]
        if list_of_sites.exists() and host in list_of_sites.read_text().split():
            _crash()
        return original(site, pages, *rest)

    return group


def _harmed_by_trees(original: Function) -> Function:
    """Wrap a function that compares pairs of trees so that `HARMFUL_ELEMENT` crashes it."""

    @wraps(original)
    def compare(pairs, loaded, **keywords):  # type: ignore[no-untyped-def]
        if any(HARMFUL_ELEMENT in tree.labels for tree in loaded.values()):
            _crash()
        return original(pairs, loaded, **keywords)

    return compare


def _harmed_by_tree(original: Function) -> Function:
    """Wrap a function that assigns a tree to a group so that `HARMFUL_ELEMENT` crashes it."""

    @wraps(original)
    def assign(tree, *rest):  # type: ignore[no-untyped-def]
        if HARMFUL_ELEMENT in tree.labels:
            _crash()
        return original(tree, *rest)

    return assign


def _crash() -> None:
    """Cause a segmentation fault by reading from the null address."""
    ctypes.string_at(0)


def _deadlock() -> None:
    """Block forever in native code, while holding the interpreter lock."""
    library = ctypes.PyDLL(None)
    mutex = ctypes.create_string_buffer(64)
    library.pthread_mutex_lock(mutex)
    library.pthread_mutex_lock(mutex)


def _trapped_after(place: str) -> Callable[[Function], Function]:
    """Return a decorator that makes a function spring the trap for a place when it returns."""

    def trapped(original: Function) -> Function:
        @wraps(original)
        def work(*arguments: Any, **keywords: Any) -> Any:
            result = original(*arguments, **keywords)
            _spring(place)
            return result

        return work

    return trapped


def _trapped_before(place: str) -> Callable[[Function], Function]:
    """Return a decorator that makes a function spring the trap for a place when it is called."""

    def trapped(original: Function) -> Function:
        @wraps(original)
        def work(*arguments: Any, **keywords: Any) -> Any:
            _spring(place)
            return original(*arguments, **keywords)

        return work

    return trapped


def _trap_directory() -> Path:
    return Path(os.environ.get(TRAPS, "/nonexistent"))


def _spring(place: str) -> None:
    """Kill this process or its whole group if there is a trap for the place; mark it as sprung."""
    trap = _trap_directory() / place
    sprung = trap.with_suffix(".sprung")
    try:
        trap.rename(sprung)
    except OSError:
        return
    if sprung.read_text() == "group":
        os.killpg(0, signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)


SABOTAGED: Replacements = {
    "worker.service.celery_application": {
        "HARD_LIMIT_AFTER_SECONDS": lambda _: HARD_LIMIT_AFTER_SECONDS,
        "WALL_CLOCK_FACTOR": lambda _: WALL_CLOCK_FACTOR,
    },
    "worker.workflow.retry_policy": {"LATE_AFTER_SECONDS": lambda _: LATE_AFTER_SECONDS},
    "detourage.reader.article": {"extract_article": _harmed_by_pages},
    "worker.service.intake": {"_store": _trapped_after("intake")},
    "worker.store.outbox": {"remove": _trapped_before("relay")},
    "worker.workflow.assignment": {
        "assign_pages": _trapped_after("assign"),
        "assign_tree": _harmed_by_tree,
    },
    "worker.workflow.clustering": {"cluster_site": _trapped_after("cluster")},
    "worker.workflow.comparison": {
        "_save": _trapped_after("compare"),
        "distances_of_pairs": _harmed_by_trees,
    },
    "worker.workflow.comparison_plan": {"group_or_missing": _harmed_by_sites},
    "worker.workflow.extraction_results": {"save_extractions": _trapped_after("extract")},
    "worker.workflow.parsing": {"parse_again": _trapped_after("parse")},
    "worker.tasks.reprocess": {"_reprocess": _trapped_after("reprocess")},
}
"""Names to replace in modules of the service, each with a function that returns the replacement for
the original object."""


if __name__ == "sitecustomize":
    replace_on_import(SABOTAGED)
