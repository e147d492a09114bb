import multiprocessing
import os
import signal
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import count
from operator import neg

import psutil
import pytest

from detourage.process_pool import SUBMITTED_PER_PROCESS, in_processes

LIGHT_MODULE = "worker.processes.heartbeat"


def tenfold(number: int) -> int:
    time.sleep(0.01 * (number % 3))
    return 10 * number


def sleep(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def interrupt_itself(_: int) -> bool:
    os.kill(os.getpid(), signal.SIGINT)
    return True


def test_only_a_few_items_are_consumed_ahead() -> None:
    consumed = []

    def items() -> Iterator[int]:
        for number in count():
            consumed.append(number)
            yield number

    with closing(in_processes(tenfold, items(), 2, preload=LIGHT_MODULE, crashed=neg)) as found:
        assert [next(found) for _ in range(3)] == [0, 10, 20]
    assert len(consumed) <= 3 + 2 * SUBMITTED_PER_PROCESS


def test_closing_does_not_wait_for_unrequested_results() -> None:
    items = [0.0, *[1000.0] * 8]
    with closing(in_processes(sleep, items, 2, preload=LIGHT_MODULE, crashed=abs)) as found:
        assert next(found) == 0
        workers = [psutil.Process(each.pid) for each in multiprocessing.active_children()]
        assert workers
    _, alive = psutil.wait_procs(workers)
    assert not alive


def test_ctrl_c_is_left_to_the_calling_process() -> None:
    found = in_processes(interrupt_itself, range(2), 2, preload=LIGHT_MODULE, crashed=neg)
    assert list(found) == [True, True]


def test_an_error_in_a_process_is_raised() -> None:
    found = in_processes(int, ["long"], 1, preload=LIGHT_MODULE, crashed=len)
    with pytest.raises(ValueError, match="invalid literal"), closing(found):
        next(found)
