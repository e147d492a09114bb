import random
import re

import pytest

from examples.sample_crawl import all_sites
from examples.sample_crawl.language import Voice, language

POINT = (".", ",")


def voice(rules: dict[str, list[str]], **options: object) -> Voice:
    return Voice(rules, POINT, random.Random(1), **options)  # type: ignore[arg-type]


def test_slots_are_filled_by_rules_topic_rules_and_numbers() -> None:
    teller = voice(
        {"who": ["the {.animal}"], "farm.animal": ["cow"], "line": ["{^who} eats {7-7}."]},
        topic="farm",
    )
    assert teller.tell("line") == "The cow eats 7."


@pytest.mark.parametrize("code", sorted({site.language.code for site in all_sites().values()}))
def test_every_line_of_every_language_can_be_generated(code: str) -> None:
    tongue = language(code)
    for topic in tongue.topics:
        rng = random.Random(topic)
        teller = tongue.voice(rng, topic)
        for rule in tongue.rules:
            if "." in rule and not rule.startswith(f"{topic}."):
                continue
            for _ in tongue.rules[rule]:
                told = teller.tell(rule)
                assert told
                assert not re.search(r"[{}*]", told), told
