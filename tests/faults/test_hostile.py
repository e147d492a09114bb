"""The campaign of hostile messages is large, the same each time, and tells its messages apart."""

from tests.faults.hostile.campaign import plan


def test_the_plan_is_large_and_each_message_has_an_id_and_an_address_of_its_own() -> None:
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
