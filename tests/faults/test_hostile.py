"""The campaign of hostile messages is large, reproducible, and made of distinct messages."""

import json

from tests.faults.hostile.campaign import plan, plan_crowds
from tests.faults.hostile.waits import good_pages


def test_the_plan_is_large_and_all_messages_have_distinct_ids_and_urls() -> None:
    planned = plan(seed=1, most=1000, good_pages=40)
    hostile = [each for each in planned if each.kind is not None]
    assert len(hostile) >= 2000
    assert len({each.kind for each in hostile}) >= 60
    assert len(planned) - len(hostile) == 200
    assert len({each.draw.message_id for each in planned}) == len(planned)
    assert len({each.draw.url for each in planned}) == len(planned)


def test_the_same_seed_gives_the_same_messages() -> None:
    first, second = (plan(seed=7, most=2, good_pages=1)[::60] for _ in range(2))
    assert [each.make() for each in first] == [each.make() for each in second]


def test_crowds_are_large_and_each_kind_is_sent_in_order_over_the_whole_attack() -> None:
    good = good_pages("beside", 24, seed=1)
    planned = plan_crowds(seed=1, most=10_000, good=good)
    assert len(planned) > 2500
    assert len({each.draw.message_id for each in planned}) == len(planned)
    for kind in {each.kind for each in planned}:
        places = [place for place, each in enumerate(planned) if each.kind == kind]
        numbers = [planned[place].draw.number for place in places]
        assert numbers == list(range(len(numbers)))
        halves = sum(place < len(planned) / 2 for place in places), len(places) / 2
        assert abs(halves[0] - halves[1]) <= 2


def test_good_pages_are_on_separate_sites_and_recognise_their_articles() -> None:
    calm, beside = (good_pages(name, 24, seed=1) for name in ("calm", "beside"))
    assert len({each.url for each in (*calm, *beside)}) == 48
    for page in beside:
        message = json.loads(page.body)
        assert message["url"] == page.url
        assert message["id"] == page.message_id
        assert message["site"].startswith("beside-")
        assert page.is_in("\n\n".join(page.paragraphs))
        assert not page.is_in("A wall.")
