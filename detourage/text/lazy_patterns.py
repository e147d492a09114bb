"""Regular expressions that few pages need, compiled when they are first used."""

import re
from typing import Any, AnyStr, cast


class _LazyPattern:
    """The attributes of a pattern, which is compiled when one of them is first used."""

    def __init__(self, *arguments: Any) -> None:
        self._arguments = arguments

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        found = getattr(re.compile(*self._arguments), name)  # cached by `re`
        setattr(self, name, found)
        return found


def lazy_pattern(regex: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a pattern that is compiled when it is first used.

    It is for patterns that most pages do not need: compiling all of them at start would take a
    tenth of the time until the first article. Patterns that every page needs come from
    `re.compile`, whose methods are faster.
    """
    return cast("re.Pattern[AnyStr]", _LazyPattern(regex, flags))
