import pytest

from worker.local.run import NumberedMessages, RunError

BODIES = [b"a", b"b", b"b", b"c"]


def ids(bodies: list[bytes]) -> list[str]:
    return [message_id for message_id, _ in NumberedMessages(bodies, "run-").without(iter(()))]


def test_messages_have_distinct_ids_in_order() -> None:
    found = ids(BODIES)
    assert found == sorted(set(found))
    assert found == ids(BODIES)


def test_stored_messages_are_not_sent_again() -> None:
    first, _, third, last = ids(BODIES)
    numbered = NumberedMessages(BODIES, "run-")
    assert [body for _, body in numbered.without(iter([first, third, last]))] == [b"b"]
    assert numbered.count == 4


def test_an_input_may_have_grown() -> None:
    numbered = NumberedMessages([*BODIES, b"d"], "run-")
    assert [body for _, body in numbered.without(iter(ids(BODIES)))] == [b"d"]


@pytest.mark.parametrize("bodies", [[b"a", b"x", b"b", b"c"], BODIES[:3], []])
def test_a_different_input_is_reported(bodies: list[bytes]) -> None:
    with pytest.raises(RunError, match="start over with --overwrite"):
        list(NumberedMessages(bodies, "run-").without(iter(ids(BODIES))))
