"""Limits and settings that must be consistent with each other."""

from collections.abc import Sequence
from itertools import pairwise

import pytest

from detourage.limits import MAX_BODY_BYTES, MAX_CONTENT_BYTES, MAX_HTML_BYTES, MAX_MESSAGE_BYTES
from worker.messaging.topology import DELIVERY_LIMIT
from worker.store.database import AdvisoryLock
from worker.workflow import attempts


def ascending(numbers: Sequence[int]) -> bool:
    return all(a < b for a, b in pairwise(numbers))


def test_the_largest_page_fits_into_a_message_and_that_into_a_body() -> None:
    assert ascending([MAX_HTML_BYTES, MAX_CONTENT_BYTES, MAX_MESSAGE_BYTES, MAX_BODY_BYTES])


@pytest.mark.parametrize("work", ["EXTRACTION", "ASSIGNMENT", "COMPARISON"])
def test_work_is_abandoned_before_the_broker_dead_letters_its_message(work: str) -> None:
    assert 0 < getattr(attempts, f"{work}_ATTEMPTS") < DELIVERY_LIMIT


def test_lock_numbers_are_unique() -> None:
    numbers = [lock.value for lock in AdvisoryLock.__members__.values()]
    assert len(set(numbers)) == len(numbers) == 9
