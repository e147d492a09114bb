"""How long the pages of a site wait that come after many of another one.

python -m benchmarks.operations.fairness [BUSY] [OTHERS]
"""

import sys
import tempfile
import time
from pathlib import Path

from sqlalchemy import func, select

from models.tables import StoredPage
from tests.faults.proving_ground import ProvingGround, Servers
from tests.faults.scenarios import site_pages

PATIENCE_SECONDS = 3600.0


def main(busy: int, others: int) -> None:
    """Measure and print."""
    home = Path(tempfile.mkdtemp(prefix="detourage-fairness-"))
    with Servers(home) as servers, ProvingGround(servers, home) as ground:
        ground.patience_seconds = PATIENCE_SECONDS
        ground.publish(site_pages("busy.example", busy).values())
        ground.publish(site_pages("other.example", others).values())
        ground.wait_until(lambda: ground.receipts() == busy + others)
        began = time.monotonic()
        ground.wait_until(lambda: _done(ground, "other") == others)
        elapsed, done = time.monotonic() - began, _done(ground, "busy")
        ground.wait_until(lambda: _done(ground, "busy") == busy)
        rest = time.monotonic() - began
    print(
        f"{busy} pages of a site, then {others} of another: after the last was taken in, the other"
        f" site was done in {elapsed:.0f} s, when {done} pages of the busy one were; that took"
        f" {rest:.0f} s."
    )


def _done(ground: ProvingGround, site: str) -> int:
    return ground.count(
        select(func.count())
        .select_from(StoredPage)
        .where(StoredPage.url.startswith(f"https://{site}."), StoredPage.outcome.is_not(None))
    )


if __name__ == "__main__":
    numbers = list(map(int, sys.argv[1:]))
    main(numbers[0] if numbers else 5000, numbers[1] if len(numbers) > 1 else 20)
