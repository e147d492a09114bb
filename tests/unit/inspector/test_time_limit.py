import threading
import time
from collections.abc import Callable
from contextlib import suppress

import pytest

from detourage.time_limit import TimeIsUpError
from inspector.time_limit import thread_time_limit


def errors_in_thread(work: Callable[[], None]) -> list[TimeIsUpError]:
    raised: list[TimeIsUpError] = []

    def run() -> None:
        try:
            work()
        except TimeIsUpError as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return raised


@pytest.mark.parametrize("times", [1, 2], ids=["ends", "is interrupted again if it continues"])
def test_work_that_reaches_its_time_limit_is_interrupted(
    monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    monkeypatch.setattr("inspector.time_limit.AGAIN_SECONDS", 0.05)
    interruptions = []

    def work() -> None:
        with thread_time_limit(0.05):
            while True:
                try:
                    while True:
                        pass
                except TimeIsUpError:
                    interruptions.append(True)
                    if len(interruptions) == times:
                        raise

    assert [type(error) for error in errors_in_thread(work)] == [TimeIsUpError]


def test_code_after_work_that_ended_in_time_is_not_interrupted() -> None:
    def work() -> None:
        for _ in range(50):
            # On a busy machine, even an empty block may exceed its time limit.
            with suppress(TimeIsUpError), thread_time_limit(0.002):
                pass
        with suppress(TimeIsUpError), thread_time_limit(0.05):
            pass
        end = time.monotonic() + 0.2
        while time.monotonic() < end:
            pass

    assert errors_in_thread(work) == []
