"""A deployment on two hosts loses no page when the network between them fails."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.faults.network import OWN_ADDRESS, OtherHost
from tests.faults.proving_ground import ProvingGround, Servers, compare_sent_and_received
from tests.faults.scenarios import find_unfinished_work, site_pages

PROCESS_COUNTS = {"intake": 2, "relay": 2, "worker": 2, "beat": 1}
PAGES = 60

CUT_SECONDS = 30
"""Duration of a network cut, in seconds. It is longer than the time for which the broker and the
database wait for a silent client."""


@contextmanager
def two_hosts(home: Path) -> Iterator[tuple[ProvingGround, OtherHost]]:
    """Run the servers and half of the processes on this host, and the rest on a second host."""
    with (
        OtherHost() as other,
        Servers(home, address=OWN_ADDRESS) as servers,
        ProvingGround(
            servers, home, PROCESS_COUNTS, others={f"{kind}-1": other for kind in PROCESS_COUNTS}
        ) as ground,
    ):
        yield ground, other


@pytest.mark.parametrize("is_healed", [True, False], ids=["healed", "not healed"])
def test_a_network_cut_neither_loses_nor_duplicates_articles(
    tmp_path: Path, is_healed: bool
) -> None:
    with two_hosts(tmp_path) as (ground, other):
        pages = site_pages(f"cut-{is_healed}.example".lower(), PAGES)
        bodies = [*pages.values()] * 2
        publisher = threading.Thread(target=ground.publish_persistently, args=[bodies])
        publisher.start()
        # Both hosts must be processing pages when the link is cut.
        ground.wait_until(lambda: ground.receipts() > PAGES // 2)
        other.cut()
        publisher.join()
        if is_healed:
            time.sleep(CUT_SECONDS)
            other.heal()
        report = compare_sent_and_received(ground, pages)
        assert (report.lost, report.duplicated) == (set(), set())
        assert report.outcomes == {"article": PAGES}
        assert not is_healed or find_unfinished_work(ground) == set()
        assert ground.quarantined() == []
