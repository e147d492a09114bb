"""The languages of the sample, with word lists and labels from ``languages/*.toml``."""

import random
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib import resources
from typing import Any

from detourage.sample.grammar import NumberStyle, Voice

_DATA = resources.files(__package__).joinpath("languages")
_TAKEN_AS_IS = ("code", "direction", "word_space", "labels", "reading_speed", "cast", "dates")


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
    keywords: Mapping[str, Sequence[str]]
    reading_speed: int
    rules: Mapping[str, Sequence[str]]
    cast: Mapping[str, str]
    numbers: NumberStyle
    dates: Mapping[str, Any]

    def voice(
        self, rng: random.Random, topic: str = "", cast: Mapping[str, str] | None = None
    ) -> Voice:
        """Return a voice for a text about ``topic``, with a new cast unless one is given."""
        voice = Voice(self.rules, self.numbers, rng, topic=topic, cast=cast)
        if topic and cast is None:
            voice.engage(self.cast)
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
    data = tomllib.loads(_DATA.joinpath(f"{code}.toml").read_text(encoding="utf-8"))
    rules = _alternatives(data["rules"])
    forms = _alternatives(data["forms"])
    topics = {}
    for key, topic in data["topics"].items():
        topics[key] = topic.pop("name")
        for name, nouns in _alternatives(topic).items():
            rules[f"{key}.{name}"] = [
                form.replace("*", noun) for form in forms.get(name, ["*"]) for noun in nouns
            ]
    return Language(
        topics=topics,
        keywords={key: rules[f"{key}.tag"] for key in topics},
        rules=rules,
        numbers=NumberStyle(**data["numbers"]),
        **{name: data[name] for name in _TAKEN_AS_IS},
    )


def _alternatives(table: Mapping[str, str]) -> dict[str, Sequence[str]]:
    return {name: text.strip("\n").split("\n") for name, text in table.items()}
