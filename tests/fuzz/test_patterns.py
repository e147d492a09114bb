"""No regular expression in any package of the repository takes more than linear time.

These tests measure time, so they are part of ``make fuzz`` instead of ``make test``.
"""

import ast
import importlib
import inspect
import math
import pkgutil
import re
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import FrameType, FunctionType, ModuleType
from typing import Any

import pytest

import detourage
import inspector
import models
import stories
import worker
from tests.fuzz.hostile_texts import Bait, baits, text_of, uses_memory_per_repetition

PACKAGES = (detourage, inspector, models, stories, worker)

FIRST_LENGTH, SMALL_LENGTH, LARGE_LENGTH = 1_000, 10_000, 100_000
"""Lengths of texts: of all baits, then of the slowest baits, then of those that are still slow."""
MAX_SUSPICIOUS_BAITS = 6
UNSUSPICIOUS_SECONDS = 0.003
"""Time limit, in seconds, for a small text; a pattern that stays below it is not quadratic."""
MAX_SMALL_SECONDS = 0.05
MAX_CPU_SECONDS = 2.0
FIRST_GROWTH = 20
MAX_GROWTH = 40
"""Maximum ratio of the times for a text and for one of a tenth of its length. Linear time gives 10,
quadratic time 100."""

_EXCLUDED_MODULES = (
    *("stories.migrations", "worker.celery"),
    # This script is kept as published, and runs only if a user selects its method.
    "detourage.papers.html_killer_script",
)
_UNCHECKED_FUNCTIONS = frozenset(
    # The patterns of these functions consist of escaped words, or of character classes.
    ("inspector.pages.highlight", "inspector.search_excerpts._find")
)
_METHODS = frozenset(
    ("match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer")
)
_FUNCTIONS = frozenset(f"re.{name}" for name in ("compile", "template", *_METHODS))


class TooSlowError(BaseException):
    """Raised when a pattern exceeds its time; a ``BaseException``, so that no code catches it."""


def modules() -> Iterator[ModuleType]:
    yield from PACKAGES
    for package in PACKAGES:
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not found.name.startswith(_EXCLUDED_MODULES) and not found.name.endswith(
                ".__main__"
            ):
                yield importlib.import_module(found.name)


def patterns_in(where: str, value: object, depth: int = 0) -> Iterator[tuple[str, re.Pattern[Any]]]:
    items: Iterable[tuple[object, object]] = ()
    if isinstance(value, re.Pattern):
        yield where, value
    elif isinstance(value, Mapping):
        items = value.items()
    elif isinstance(value, list | tuple | set | frozenset):
        items = enumerate(value)
    elif isinstance(value, type) and value.__module__ == where.rpartition(".")[0]:
        items = vars(value).items()
    if depth < 3:
        for key, each in list(items)[:500]:
            yield from patterns_in(f"{where}[{key}]", each, depth + 1)


def compiled_patterns() -> dict[str, re.Pattern[Any]]:
    """Return all patterns, each with the place where it was first found."""
    where_found: dict[re.Pattern[Any], str] = {}
    for module in modules():
        for name, value in vars(module).items():
            where = f"{module.__name__}.{name}"
            value_or_pattern = value() if _returns_a_pattern(value) else value
            for place, pattern in patterns_in(where, value_or_pattern):
                where_found.setdefault(pattern, place)
        for line, pattern in patterns_in_functions(module)[0]:
            where_found.setdefault(pattern, f"{module.__name__}:{line}")
    return {where: pattern for pattern, where in where_found.items()}


def _returns_a_pattern(value: object) -> bool:
    """Return whether an object is a parameterless function that returns a pattern."""
    function = inspect.unwrap(value) if callable(value) else None
    if not isinstance(function, FunctionType):
        return False
    signature = inspect.signature(function)
    return "re.Pattern" in str(signature.return_annotation) and not signature.parameters


def patterns_in_functions(
    module: ModuleType,
) -> tuple[list[tuple[int, re.Pattern[Any]]], list[int]]:
    """Return the literal patterns in a module's functions, and the lines of computed patterns."""
    literal_patterns: list[tuple[int, re.Pattern[Any]]] = []
    lines_of_others: list[int] = []
    for function in ast.walk(ast.parse(_source(module))):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if _returns_a_pattern(getattr(module, getattr(function, "name", ""), None)):
            continue
        for call in ast.walk(function):
            if not isinstance(call, ast.Call) or ast.unparse(call.func) not in _FUNCTIONS:
                continue
            text = call.args[0] if call.args else None
            if isinstance(text, ast.Constant) and isinstance(text.value, str | bytes):
                literal_patterns.append((call.lineno, re.compile(text.value)))
            elif f"{module.__name__}.{getattr(function, 'name', '')}" not in _UNCHECKED_FUNCTIONS:
                lines_of_others.append(call.lineno)
    return literal_patterns, lines_of_others


def _source(module: ModuleType) -> str:
    """Return the source of a module, or an empty string for a C extension."""
    path = Path(module.__file__ or "")
    return path.read_text() if path.suffix == ".py" else ""


@cache
def sources() -> str:
    roots = [Path(package.__path__[0]) for package in PACKAGES]
    return "\n".join(path.read_text() for root in roots for path in sorted(root.rglob("*.py")))


def methods_of(where: str) -> frozenset[str]:
    """Return the methods called on a pattern; return all methods if its uses are unclear."""
    module, _, name = where.partition("[")[0].rpartition(".")
    # A private name is used in its own module only; others may use it for something else.
    text = _source(importlib.import_module(module)) if name.startswith("_") else sources()
    uses = re.findall(rf"\b{name}\b(?! *[=:] )(\.\w+|)", text)
    used = frozenset(each.removeprefix(".") for each in uses)
    return used if used and used <= _METHODS else _METHODS


def costliest_use(pattern: re.Pattern[Any], methods: frozenset[str]) -> Callable[[Any], object]:
    """Return a function that applies the most expensive of the given methods to a text."""
    if not methods <= {"match", "fullmatch"}:
        if methods <= {"match", "fullmatch", "search"}:
            return pattern.search
        return lambda text: all(True for _ in pattern.finditer(text))
    return pattern.fullmatch if methods == {"fullmatch"} else pattern.match


def seconds(
    pattern: re.Pattern[Any], search: Callable[[Any], object], bait: Bait, size: int
) -> float:
    """Measure how many seconds a bait takes; if it is slow at first, return the best of three.

    This is wall-clock time, because some kernels count CPU time in ticks that are longer than the
    times measured here. Taking the best of three reduces the influence of other processes.
    """
    text = text_of(bait, size)
    argument = text.encode("latin-1", "replace") if isinstance(pattern.pattern, bytes) else text
    best = math.inf
    previous = signal.signal(signal.SIGVTALRM, _give_up)
    try:
        for _ in range(3):
            started = time.perf_counter()
            signal.setitimer(signal.ITIMER_VIRTUAL, MAX_CPU_SECONDS)
            search(argument)
            best = min(best, time.perf_counter() - started)
            if best < UNSUSPICIOUS_SECONDS * size / SMALL_LENGTH:
                break
    except TooSlowError:
        return math.inf
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, previous)
    return best


def _give_up(_signal: int, _frame: FrameType | None) -> None:
    raise TooSlowError


def slow_bait(pattern: re.Pattern[Any], methods: frozenset[str]) -> Bait | None:
    """Return a text for which a pattern takes more than linear time, or None if none is found."""
    search = costliest_use(pattern, methods)
    times_and_baits = []
    for bait in baits(pattern):
        duration = seconds(pattern, search, bait, FIRST_LENGTH)
        if duration > MAX_SMALL_SECONDS:
            return bait
        times_and_baits.append((duration, bait))
    for first_duration, bait in sorted(times_and_baits, reverse=True)[:MAX_SUSPICIOUS_BAITS]:
        # Measure twice, because the first time other processes may have used the CPU.
        if all(_grows_too_fast(pattern, search, bait, first_duration) for _ in range(2)):
            return bait
    return None


def _grows_too_fast(
    pattern: re.Pattern[Any], search: Callable[[Any], object], bait: Bait, first_duration: float
) -> bool:
    small_duration = seconds(pattern, search, bait, SMALL_LENGTH)
    if small_duration <= max(UNSUSPICIOUS_SECONDS, FIRST_GROWTH * first_duration):
        return False
    return (
        small_duration > MAX_SMALL_SECONDS
        or seconds(pattern, search, bait, LARGE_LENGTH) > MAX_GROWTH * small_duration
    )


def test_no_pattern_takes_more_than_linear_time() -> None:
    patterns = compiled_patterns()
    slow = {
        where: bait
        for where, pattern in patterns.items()
        if (bait := slow_bait(pattern, methods_of(where)))
    }
    assert len(patterns) > 150
    assert not slow


def test_no_pattern_takes_memory_for_each_repetition() -> None:
    assert not {
        where
        for where, pattern in compiled_patterns().items()
        if uses_memory_per_repetition(pattern)
    }


def test_no_pattern_escapes_the_check() -> None:
    """Functions compile only literal patterns, and no module uses another pattern library."""
    places_of_others = {
        f"{module.__name__}:{line}"
        for module in modules()
        for line in patterns_in_functions(module)[1]
    }
    assert not places_of_others
    assert not [
        module.__name__
        for module in modules()
        if re.search(
            r"^\s*(?:from re import|import re as|import (?:regex|re2)\b)", _source(module), re.M
        )
    ]


@pytest.mark.parametrize(
    "pattern",
    [
        *(r"\s+$", r'"(?:[^"\\]|\\.)*+"', r"/\*.*?\*/", r"\b(?=[a-f-]*\d)[a-f0-9-]{8,}\b"),
        *("(?:a|aa)+$", r"(?-s:[(<].*?[)>])", r"\(\w{2,3}(?:\s*,?\s*\w{2,3})*\)", "^x.*y.*z"),
    ],
)
def test_the_check_finds_patterns_that_take_more_than_linear_time(pattern: str) -> None:
    assert slow_bait(re.compile(pattern, re.DOTALL), frozenset({"sub"})) is not None
