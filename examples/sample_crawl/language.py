"""The sample crawl's languages, with handwritten grammars and labels from ``languages/*.toml``."""

import random
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib import resources
from typing import Any

_SLOT = re.compile(r"\{(\^?)([^{}]+)\}")
"""A slot, such as ``{town}`` or ``{^town}``; see `Voice`."""
_NUMBER = re.compile(r"(\d+)(?:\.(\d+))?-(\d+)(?:\.\d+)?(?:/(\d+))?")
"""The name of a slot for a number, such as ``20-80``, ``20-80/5`` or ``1.0-9.9``."""


def stream(*key: object) -> random.Random:
    """Return the random stream for ``key``; equal keys give equal streams on every platform.

    Every story, page and block has its own stream, so that none affects another.
    """
    # Strings seed the generator through SHA-512, independently of the process's hash seed.
    return random.Random("/".join(map(str, key)))  # noqa: S311 - fiction, not cryptography


class Voice:
    """Generator of the texts of one author: it expands the rules of a grammar at random.

    A rule is a list of alternatives, none of which recurs before all others have been used, so that
    an article does not repeat itself. The slots of an alternative are replaced as follows:

    - ``{name}`` by the text of that name in `cast`, which is the same throughout an article, or by
      an expansion of the rule ``name``;
    - ``{.name}`` by an expansion of the rule ``topic.name`` of the current `topic`;
    - ``{20-80}`` by a whole number, ``{20-80/5}`` by a multiple of five, and ``{1.0-9.9}`` by a
      number with the same number of decimals.

    ``{^name}`` begins with a capital letter. `signs` are the decimal point and the thousands
    separator.
    """

    def __init__(
        self,
        rules: Mapping[str, Sequence[str]],
        signs: Sequence[str],
        rng: random.Random,
        *,
        topic: str = "",
        cast: Mapping[str, str] | None = None,
    ) -> None:
        self._rules, self._signs, self._rng, self._topic = rules, signs, rng, topic
        self.cast = dict(cast or {})
        self._unused: dict[str, list[str]] = {}  # shuffled alternatives, by rule

    def add_roles(self, roles: Mapping[str, str]) -> None:
        """Expand the text of each role, and add the result to the cast."""
        for role, text in roles.items():
            self.cast[role] = _SLOT.sub(self._expand_slot, text)

    def expand(self, rule: str) -> str:
        """Return an expansion of ``rule``; raise KeyError if there is no such rule."""
        if rule.startswith("."):
            rule = self._topic + rule
        unused = self._unused.get(rule)
        if not unused:
            unused = self._unused[rule] = list(self._rules[rule])
            self._rng.shuffle(unused)
        return _SLOT.sub(self._expand_slot, unused.pop())

    def _expand_slot(self, match: re.Match[str]) -> str:
        capital, name = match.groups()
        number = _NUMBER.fullmatch(name)
        if number is None:
            words = self.cast.get(name) or self.expand(name)
            return words[:1].upper() + words[1:] if capital else words
        low, decimals, high, step = number.groups()
        decimal_point, thousands = self._signs
        if decimals:
            scale: int = 10 ** len(decimals)
            value = self._rng.randint(int(low) * scale, int(high) * scale + scale - 1) / scale
            return f"{value:.{len(decimals)}f}".replace(".", decimal_point)
        number_drawn = self._rng.randrange(int(low), int(high) + 1, int(step or 1))
        if number_drawn < 10_000:
            return str(number_drawn)
        return f"{number_drawn:,}".replace(",", thousands)


@dataclass(frozen=True)
class Language:
    """A language, with the data that the sites need.

    `word_space` separates sentences. `topics` maps topics to section names. `reading_speed` is in
    characters per minute.
    """

    code: str
    direction: str
    word_space: str
    labels: Mapping[str, str]
    topics: Mapping[str, str]
    reading_speed: int
    rules: Mapping[str, Sequence[str]]
    cast: Mapping[str, str]
    numbers: Mapping[str, str]
    dates: Mapping[str, Any]

    def voice(
        self, rng: random.Random, topic: str = "", cast: Mapping[str, str] | None = None
    ) -> Voice:
        """Return a voice for a text about ``topic``, with a new cast unless one is given."""
        signs = self.numbers["decimal"], self.numbers["thousands"]
        voice = Voice(self.rules, signs, rng, topic=topic, cast=cast)
        if topic and cast is None:
            voice.add_roles(self.cast)
        return voice

    def date(self, moment: datetime, style: str) -> str:
        """Format ``moment`` in the ``style`` ``long``, ``short`` or ``comment``."""
        text: str = self.dates[style]
        return text.format(
            weekday=self.dates["weekdays"][moment.weekday()],
            day=moment.day,
            month=self.dates["months"][moment.month - 1],
            month_number=moment.month,
            year=moment.year,
            hour=moment.hour,
            minute=moment.minute,
        )


@cache
def language(code: str) -> Language:
    """Load the language with the given tag."""
    path = resources.files(__package__).joinpath("languages", f"{code}.toml")
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    rules, forms = _alternatives(data["rules"]), _alternatives(data.pop("forms"))
    # A topic lists nouns; each alternative of a form, with a noun instead of "*", makes a rule.
    topics = {}
    for key, topic in data["topics"].items():
        topics[key] = topic.pop("name")
        for name, nouns in _alternatives(topic).items():
            rules[f"{key}.{name}"] = [
                form.replace("*", noun) for form in forms.get(name, ["*"]) for noun in nouns
            ]
    return Language(**data | {"topics": topics, "rules": rules})


def _alternatives(table: Mapping[str, str]) -> dict[str, Sequence[str]]:
    """Return the alternatives of each rule in a table, which are one per line."""
    return {name: text.strip("\n").split("\n") for name, text in table.items()}
