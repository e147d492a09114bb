"""Keep pages that claim the site of another domain separate from that site's pages.

A site whose pages are all from one foreign domain gets a key that includes this domain. If a site
has pages from several domains, the pages from other domains move to separate sites, which are then
clustered for the first time.
"""

from collections import defaultdict
from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from worker.html import site_key, site_name

revision: str = "0009"
down_revision: str | Sequence[str] | None = "0008"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

sites = sa.table("sites", sa.column("id"), sa.column("key"), sa.column("version"))
pages = sa.table(
    "pages",
    sa.column("id"),
    sa.column("site_id"),
    sa.column("url"),
    sa.column("generation"),
    sa.column("extracted_generation"),
)
memberships = sa.table("memberships", sa.column("page_id"))


def upgrade() -> None:
    connection = op.get_bind()
    for site_id, key in connection.execute(sa.select(sites.c.id, sites.c.key)).all():
        of_key = defaultdict(list)
        of_site = sa.select(pages.c.id, pages.c.url).where(pages.c.site_id == site_id)
        for page_id, url in connection.execute(of_site):
            of_key[site_key(key, url)].append(page_id)
        if len(of_key) == 1:
            rename = sa.update(sites).where(sites.c.id == site_id)
            connection.execute(rename.values(key=next(iter(of_key))))
            continue
        of_key.pop(key, None)
        for foreign, page_ids in sorted(of_key.items()):
            _move(connection, page_ids, foreign)
        if of_key:
            touch = sa.update(sites).where(sites.c.id == site_id)
            connection.execute(touch.values(version=sites.c.version + 1))


def _move(connection: sa.Connection, page_ids: list[int], key: str) -> None:
    site_id = connection.scalar(sa.insert(sites).values(key=key, version=1).returning(sites.c.id))
    connection.execute(sa.delete(memberships).where(memberships.c.page_id.in_(page_ids)))
    connection.execute(
        sa.update(pages)
        .where(pages.c.id.in_(page_ids))
        .values(site_id=site_id, generation=0, extracted_generation=0)
    )


def downgrade() -> None:
    connection = op.get_bind()
    keys = dict(connection.execute(sa.select(sites.c.id, sites.c.key)).all())
    taken = set(keys.values())
    for site_id, key in keys.items():
        # If a site with that name exists, the pages stay separate.
        if (name := site_name(key)) not in taken:
            taken.add(name)
            connection.execute(sa.update(sites).where(sites.c.id == site_id).values(key=name))
