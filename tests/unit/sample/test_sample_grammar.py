import random
import re

import pytest

from examples.sample_crawl import all_sites
from examples.sample_crawl.language import Voice, language

POINT = (".", ",")


def voice(rules: dict[str, list[str]], **options: object) -> Voice:
    return Voice(rules, POINT, random.Random(1), **options)  # type: ignore[arg-type]


def test_a_rule_uses_all_its_alternatives_before_repeating_one() -> None:
    teller = voice({"colour": ["red", "green", "blue"]})
    told = [teller.tell("colour") for _ in range(6)]
    assert sorted(told[:3]) == sorted(told[3:]) == ["blue", "green", "red"]


def test_slots_are_filled_by_rules_topic_rules_and_numbers() -> None:
    teller = voice(
        {"who": ["the {.animal}"], "farm.animal": ["cow"], "line": ["{^who} eats {7-7}."]},
        topic="farm",
    )
    assert teller.tell("line") == "The cow eats 7."


def test_a_cast_member_keeps_its_name_through_the_text() -> None:
    teller = voice({"name": ["Ann", "Bob", "Cid"], "line": ["{hero} and {hero}"]})
    teller.engage({"hero": "{name}"})
    first, second = teller.tell("line").split(" and ")
    assert first == second == teller.cast["hero"]


@pytest.mark.parametrize(
    ("slot", "pattern"),
    [("{10-40/10}", "[1-4]0"), ("{1.5-2.5}", r"[12]\.\d"), ("{12000-12000}", "12,000")],
)
def test_numbers_keep_to_their_range_and_style(slot: str, pattern: str) -> None:
    teller = voice({"line": [slot]})
    assert all(re.fullmatch(pattern, teller.tell("line")) for _ in range(50))


def test_an_unknown_slot_is_an_error() -> None:
    with pytest.raises(KeyError, match="ghost"):
        voice({"line": ["{ghost}"]}).tell("line")


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
