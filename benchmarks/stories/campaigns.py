"""Hostile campaigns against stories: ``python -m benchmarks.stories.campaigns [--campaigns N]``.

Each campaign (`benchmarks.stories.attacks`) attacks 100 honest stories on PostgreSQL. The script
prints how many of these were merged or split, and how many corrections their articles would have
received.
"""

import argparse
import time
from dataclasses import asdict

from benchmarks.stories.attacks import Campaign, delete_all, run
from stories.store import engine_of
from stories.store import migrate as migrate_stories
from tests.services import running_services, temporary_database
from worker.store.database import Database
from worker.store.schema import migrate


def main() -> None:
    """Run the campaigns, and print the damage that they did to honest stories."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=200)
    parser.add_argument("--first", type=int, default=1, help="seed of the first campaign")
    options = parser.parse_args()
    started, totals, hostile_pages = time.monotonic(), dict.fromkeys(("merged", "split"), 0), 0
    with running_services() as services, temporary_database(services) as url:
        with Database(url) as database:
            migrate(database)
        engine = engine_of(url)
        migrate_stories(engine)
        for seed in range(options.first, options.first + options.campaigns):
            campaign = Campaign(seed)
            damage = asdict(run(engine, campaign.versions))
            delete_all(engine)
            totals = {name: totals.get(name, 0) + number for name, number in damage.items()}
            hostile_pages += sum(each.story is None for each in campaign.versions)
            if any(damage.values()):
                print(f"campaign {seed}: {damage}", flush=True)
    print(f"{options.campaigns} campaigns, {hostile_pages} hostile pages: {totals},", end=" ")
    print(f"{time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()
