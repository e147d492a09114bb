"""References: copies of HTML against which the HTML of a site's pages is compressed.

From this version on, messages in the outbox may be compressed, too, and articles may be stored
without the texts of their blocks.
"""

import json
import sys
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

from migrations.online import create_index

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

revision: str = "0034"
down_revision: str | Sequence[str] | None = "0033"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

TOGETHER = 200
"""Number of pages compressed again per batch."""


def upgrade() -> None:
    # Repeated if the process is killed while it creates the index.
    if not sa.inspect(op.get_bind()).has_table("content_references"):
        op.create_table(
            "content_references",
            sa.Column("id", sa.BigInteger(), nullable=False),
            sa.Column("site_id", sa.BigInteger(), nullable=False),
            sa.Column("compressed", sa.LargeBinary(), nullable=False),
            sa.Column(
                "created_at",
                sa.DateTime(timezone=True),
                server_default=sa.text("now()"),
                nullable=False,
            ),
            sa.ForeignKeyConstraint(
                ["site_id"],
                ["sites.id"],
                name=op.f("fk_content_references_site_id_sites"),
                ondelete="CASCADE",
            ),
            sa.PrimaryKeyConstraint("id", name=op.f("pk_content_references")),
        )
        op.create_index("ix_content_references_site_id", "content_references", ["site_id"])
        # In one statement, PostgreSQL knows that no row can violate the constraint.
        op.execute("""
            ALTER TABLE page_contents ADD COLUMN reference_id bigint
            CONSTRAINT fk_page_contents_reference_id_content_references
            REFERENCES content_references (id)
        """)
    create_index(
        "ix_page_contents_reference_id",
        "page_contents",
        ["reference_id"],
        postgresql_where=sa.text("reference_id IS NOT NULL"),
    )


def downgrade() -> None:
    # Earlier versions can decompress only what has no reference.
    connection = op.get_bind()
    find = sa.text("""
        SELECT page_id, page_contents.compressed, content_references.compressed
        FROM page_contents JOIN content_references ON content_references.id = reference_id
        WHERE page_id > :after ORDER BY page_id LIMIT :number
    """)
    change = sa.text("UPDATE page_contents SET compressed = :compressed WHERE page_id = :page_id")
    after = 0
    while rows := connection.execute(find, {"after": after, "number": TOGETHER}).all():
        connection.execute(
            change,
            [
                {"page_id": page_id, "compressed": _alone(packed, reference)}
                for page_id, packed, reference in rows
            ],
        )
        after = rows[-1][0]
    _unpack_messages(connection)
    for table, key in (("articles", "id"), ("page_parts", "page_id")):
        _complete_articles(connection, table, key)
    op.drop_column("page_contents", "reference_id")
    op.drop_table("content_references")


def _unpack_messages(connection: sa.Connection) -> None:
    find = sa.text("""
        SELECT id, body FROM outbox
        WHERE id > :after AND substring(body FOR 4) = '\\x28b52ffd'::bytea
        ORDER BY id LIMIT :number
    """)
    change = sa.text("UPDATE outbox SET body = :body WHERE id = :id")
    after = 0
    while rows := connection.execute(find, {"after": after, "number": TOGETHER}).all():
        connection.execute(
            change,
            [{"id": entry_id, "body": zstd.decompress(packed)} for entry_id, packed in rows],
        )
        after = rows[-1][0]


def _complete_articles(connection: sa.Connection, table: str, key: str) -> None:
    last = sa.text(f"""
        SELECT max(page_id) FROM (
            SELECT page_id FROM {table} WHERE page_id > :after ORDER BY page_id LIMIT :number
        ) AS following
    """)  # noqa: S608
    find = sa.text(f"""
        SELECT {key}, message FROM {table} WHERE page_id > :after AND page_id <= :last
            AND jsonb_path_exists(message, '$.blocks[*] ? (!exists(@.text))')
    """)  # noqa: S608
    change = sa.text(f"UPDATE {table} SET message = CAST(:message AS jsonb) WHERE {key} = :key")  # noqa: S608
    place = {"after": 0, "number": TOGETHER}
    while (end := connection.scalar(last, place)) is not None:
        rows = connection.execute(find, {"after": place["after"], "last": end}).all()
        if rows:
            changed = [{"key": row[0], "message": json.dumps(_complete(row[1]))} for row in rows]
            connection.execute(change, changed)
        place["after"] = end


def _complete(message: dict[str, Any]) -> dict[str, Any]:
    text = message["text"]
    blocks = [{"text": text[each["start"] : each["end"]], **each} for each in message["blocks"]]
    return {**message, "blocks": blocks}


def _alone(packed: bytes, reference: bytes) -> bytes:
    prefix = zstd.ZstdDict(zstd.decompress(reference), is_raw=True).as_prefix
    return zstd.compress(zstd.decompress(packed, prefix), 6)
