"""Store the addresses of each page, and the target addresses that pages declare."""

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from alembic import op

from worker.addresses import canonical_form

revision: str = "0020"
down_revision: str | Sequence[str] | None = "0019"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

_BATCH = 5_000
"""Number of pages whose addresses are written per statement."""

_PAGES = sa.text("SELECT id, site_id, url FROM pages WHERE id > :after ORDER BY id LIMIT :limit")

_ADD = sa.text(
    "INSERT INTO addresses (page_id, site_id, digest, address, spellings, separated_at)"
    " SELECT page_id, site_id, digest, address, ARRAY[url], CASE WHEN :apart THEN now() END"
    " FROM unnest(CAST(:pages AS bigint[]), CAST(:sites AS bigint[]), CAST(:digests AS text[]),"
    " CAST(:addresses AS text[]), CAST(:urls AS text[]))"
    " AS new (page_id, site_id, digest, address, url)"
    " ON CONFLICT DO NOTHING RETURNING page_id"
)


class _Page(NamedTuple):
    page_id: int
    site_id: int
    url: str
    address: str


def upgrade() -> None:
    op.create_table(
        "addresses",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("site_id", sa.BigInteger(), nullable=False),
        sa.Column("page_id", sa.BigInteger(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("spellings", sa.ARRAY(sa.Text()), nullable=False),
        sa.Column("kind", sa.Text(), nullable=True),
        sa.Column("headlines", sa.ARRAY(sa.BigInteger()), server_default="{}", nullable=False),
        sa.Column("passages", sa.ARRAY(sa.BigInteger()), server_default="{}", nullable=False),
        sa.Column(
            "came_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False
        ),
        sa.Column("joined_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("separated_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["site_id"], ["sites.id"], name=op.f("fk_addresses_site_id_sites")),
        sa.ForeignKeyConstraint(
            ["page_id"],
            ["pages.id"],
            name=op.f("fk_addresses_page_id_pages"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_addresses")),
        sa.UniqueConstraint("site_id", "digest", name=op.f("uq_addresses_site_id_digest")),
    )
    op.create_table(
        "address_targets",
        sa.Column("address_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("site_id", sa.BigInteger(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("is_declared", sa.Boolean(), nullable=False),
        sa.Column("is_variant", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["address_id"],
            ["addresses.id"],
            name=op.f("fk_address_targets_address_id_addresses"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["site_id"], ["sites.id"], name=op.f("fk_address_targets_site_id_sites")
        ),
        sa.PrimaryKeyConstraint("address_id", "number", name=op.f("pk_address_targets")),
    )
    op.create_index(
        op.f("ix_address_targets_site_id_digest"), "address_targets", ["site_id", "digest"]
    )
    _give_addresses(op.get_bind())
    op.create_index(op.f("ix_addresses_page_id"), "addresses", ["page_id"])
    op.drop_constraint(op.f("uq_pages_site_id_url_digest"), "pages", type_="unique")
    op.create_index(op.f("ix_pages_site_id_url_digest"), "pages", ["site_id", "url_digest"])


def _give_addresses(connection: sa.Connection) -> None:
    """Give each page its address; if several pages share an address, only one of them gets it.

    The address goes to the page received under the canonical form, or else to the first page; the
    others stay separate, each with its own URL as its address.
    """
    for batch in _batches(connection):
        _add(connection, [each for each in batch if each.url == each.address])
    for batch in _batches(connection):
        spelled = [each for each in batch if each.url != each.address]
        added = _add(connection, spelled)
        rest = [each._replace(address=each.url) for each in spelled if each.page_id not in added]
        _add(connection, rest, apart=True)


def _batches(connection: sa.Connection) -> Iterator[list[_Page]]:
    after = 0
    while rows := connection.execute(_PAGES, {"after": after, "limit": _BATCH}).all():
        yield [_Page(row.id, row.site_id, row.url, canonical_form(row.url)) for row in rows]
        after = rows[-1].id


def _add(connection: sa.Connection, pages: Sequence[_Page], *, apart: bool = False) -> set[int]:
    values: dict[str, Any] = {
        "pages": [each.page_id for each in pages],
        "sites": [each.site_id for each in pages],
        "digests": [hashlib.sha256(each.address.encode()).hexdigest() for each in pages],
        "addresses": [each.address for each in pages],
        "urls": [each.url for each in pages],
        "apart": apart,
    }
    return set(connection.scalars(_ADD, values)) if pages else set()


def downgrade() -> None:
    # Of several pages with the same URL, only the first keeps the digest of that URL.
    op.execute(
        """
        UPDATE pages SET url_digest = url_digest || '-' || id
        WHERE EXISTS (
            SELECT FROM pages AS earlier
            WHERE earlier.site_id = pages.site_id AND earlier.url_digest = pages.url_digest
            AND earlier.id < pages.id
        )
        """
    )
    op.drop_index(op.f("ix_pages_site_id_url_digest"), "pages")
    op.create_unique_constraint(
        op.f("uq_pages_site_id_url_digest"), "pages", ["site_id", "url_digest"]
    )
    op.drop_table("address_targets")
    op.drop_table("addresses")
