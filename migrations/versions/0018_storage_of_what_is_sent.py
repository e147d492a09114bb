"""Store messages in the outbox uncompressed, because they are read once and deleted."""

import sys
import zlib
from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

revision: str = "0018"
down_revision: str | Sequence[str] | None = "0017"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

TOGETHER = 200
"""Number of pages compressed again per batch."""


def upgrade() -> None:
    op.execute("ALTER TABLE outbox ALTER COLUMN body SET STORAGE EXTERNAL")


def downgrade() -> None:
    op.execute("ALTER TABLE outbox ALTER COLUMN body SET STORAGE EXTENDED")
    # Earlier versions can decompress only zlib.
    connection = op.get_bind()
    find = sa.text(
        """
        SELECT page_id, compressed FROM page_contents
        WHERE page_id > :after AND substring(compressed FOR 4) = '\\x28b52ffd'::bytea
        ORDER BY page_id LIMIT :number
        """
    )
    change = sa.text("UPDATE page_contents SET compressed = :compressed WHERE page_id = :page_id")
    after = 0
    while rows := connection.execute(find, {"after": after, "number": TOGETHER}).all():
        connection.execute(
            change,
            [
                {"page_id": page_id, "compressed": zlib.compress(zstd.decompress(compressed), 5)}
                for page_id, compressed in rows
            ],
        )
        after = rows[-1][0]
