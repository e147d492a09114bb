"""Compress messages in the outbox, and drop an index that is the prefix of another.

Messages were stored uncompressed because each is read only once, but each byte is also written to
the write-ahead log, its archive and every replica.
"""

from collections.abc import Sequence

from alembic import op

revision: str = "0032"
down_revision: str | Sequence[str] | None = "0031"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.execute("ALTER TABLE outbox ALTER COLUMN body SET STORAGE EXTENDED")
    op.drop_index("ix_story_articles_text_id", table_name="story_articles")


def downgrade() -> None:
    op.create_index("ix_story_articles_text_id", "story_articles", ["text_id"])
    op.execute("ALTER TABLE outbox ALTER COLUMN body SET STORAGE EXTERNAL")
