"""Caches of results that functions compute from texts of pages."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Concatenate, ParamSpec, TypeVar

MAX_LENGTH = 200  # characters of a text whose result is cached; longer texts could fill the memory
_Rest = ParamSpec("_Rest")
_Result = TypeVar("_Result")
_Function = Callable[Concatenate[str, _Rest], _Result]


def cached_if_short(size: int) -> Callable[[_Function[_Rest, _Result]], _Function[_Rest, _Result]]:
    """Cache the last `size` results of a function whose first argument is a short text."""

    def decorate(function: _Function[_Rest, _Result]) -> _Function[_Rest, _Result]:
        cached = lru_cache(maxsize=size)(function)

        @wraps(function)
        def call(text: str, /, *rest: _Rest.args, **named: _Rest.kwargs) -> _Result:
            return (cached if len(text) <= MAX_LENGTH else function)(text, *rest, **named)

        return call

    return decorate
