"""Nothing is lost, doubled or left in limbo, whatever dies in the middle of the work.

These are some of the faults of `scenarios`; `make faults` tries them all, on more pages.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from models.tables import StoredPage
from tests.faults.proving_ground import ProvingGround, Servers, balance
from tests.faults.sabotage.sitecustomize import HANGS, KILLS
from tests.faults.scenarios import poison, site_pages, try_fault

PAGES = 16


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ProvingGround]:
    """The service, with two relays, where everything may be broken."""
    home: Path = tmp_path_factory.mktemp("faults")
    with (
        Servers(home) as servers,
        ProvingGround(servers, home, {"relay": 2}, page_seconds=2) as ground,
    ):
        yield ground


@pytest.mark.parametrize(
    "fault",
    [
        "pool children killed",
        "worker killed in extract",
        "relay killed between publish and mark",
        "PostgreSQL crashed",
        "memory alarm",
        "queue full",
    ],
)
def test_every_page_has_its_outcome_and_every_article_comes_under_one_id(
    ground: ProvingGround, fault: str
) -> None:
    trial = try_fault(ground, fault, PAGES)
    assert trial.balance.lost == set()
    assert trial.balance.doubled == set()
    assert trial.balance.outcomes == {"article": trial.pages}
    assert ground.quarantined() == []


@pytest.mark.parametrize("words", [KILLS, HANGS], ids=["kills", "hangs"])
def test_a_page_that_harms_its_process_fails_alone(ground: ProvingGround, words: bytes) -> None:
    host = f"poison-{words.split()[2].decode()}.example"
    harmful = poison(host, words)
    pages = {**site_pages(host, 6), **harmful}
    ground.publish(pages.values())
    found = balance(ground, pages)
    assert (found.lost, found.doubled) == (set(), set())
    assert found.outcomes == Counter({"article": 6, "failed": 1})
    with ground.database.transaction() as session:
        (url,) = harmful
        detail = session.scalar(select(StoredPage.outcome_detail).where(StoredPage.url == url))
    assert detail
    assert ground.quarantined() == []
