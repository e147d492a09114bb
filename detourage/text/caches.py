"""Caches of results that functions compute from texts of pages."""

from collections.abc import Callable
from functools import lru_cache, wraps
from inspect import signature
from typing import Any, TypeVar, cast

MAX_LENGTH = 200  # characters of a text whose result is cached; longer texts could fill the memory
_Function = TypeVar("_Function", bound=Callable[..., Any])


def cached_if_short(size: int) -> Callable[[_Function], _Function]:
    """Cache the last `size` results of a function whose first argument is a short text."""

    def decorate(function: _Function) -> _Function:
        cached: Any = lru_cache(maxsize=size)(function)

        def call(text: str) -> Any:
            return cached(text) if len(text) <= MAX_LENGTH else function(text)

        # Separate from `call`, because forwarding arguments makes a call three times as slow.
        def call_with_others(text: str, *others: Any, **named: Any) -> Any:
            return (cached if len(text) <= MAX_LENGTH else function)(text, *others, **named)

        has_others = len(signature(function).parameters) > 1
        return cast(_Function, wraps(function)(call_with_others if has_others else call))

    return decorate
